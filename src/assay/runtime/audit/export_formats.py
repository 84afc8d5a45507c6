"""The file formats of an export: how rows are written, and read back to be checked.

In      rows of flat events
Out     JSON Lines, CSV or Parquet
Effects files
Spec    docs/explanation/record.md, "Export"

In CSV and Parquet the structured fields stand as JSON text, and a field without a value is an
empty cell in CSV, null in Parquet.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.core.json.canonical import canonical
from assay.errors import UsageError

FORMATS = ("jsonl", "csv", "parquet")

_NAMES = ("seq", "digest", "run", "n", "at", "kind", "call", "subject", "prev")
_JSON = ("facts", "payloads", "rows")
_COLUMNS = (*_NAMES, *_JSON, "v")
_NUMBERS = frozenset({"seq", "run", "n", "v"})
_GROUP = 5_000

Write = Callable[[dict[str, Any]], None]


@contextmanager
def open_writer(form: str, file: Path) -> Iterator[Write]:
    """Takes one row after another; the file is whole when the context ends."""
    with _WRITERS[form](file) as write:
        yield write


def open_reader(form: str, file: Path) -> Iterator[dict[str, Any]]:
    """The rows again, as they were handed to the writer."""
    return _READERS[form](file)


@contextmanager
def _write_jsonl(file: Path) -> Iterator[Write]:
    with file.open("xb") as stream:

        def write(row: dict[str, Any]) -> None:
            stream.write(json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n")

        yield write


def _read_jsonl(file: Path) -> Iterator[dict[str, Any]]:
    with file.open("rb") as stream:
        for line in stream:
            yield json.loads(line)


@contextmanager
def _write_csv(file: Path) -> Iterator[Write]:
    with file.open("x", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, _COLUMNS)
        writer.writeheader()

        def write(row: dict[str, Any]) -> None:
            writer.writerow(_flat_row(row))

        yield write


def _read_csv(file: Path) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(1 << 30)
    with file.open(encoding="utf-8", newline="") as stream:
        for cells in csv.DictReader(stream, strict=True):
            row = {name: cell or None for name, cell in cells.items()}
            numbers = {name: int(cells[name]) for name in _NUMBERS}
            yield _deep_row(row | numbers)


@contextmanager
def _write_parquet(file: Path) -> Iterator[Write]:
    pa, pq = _arrow()
    schema = pa.schema(
        [(name, pa.int64() if name in _NUMBERS else pa.string()) for name in _COLUMNS]
    )
    waiting: list[dict[str, Any]] = []
    with file.open("xb") as stream, pq.ParquetWriter(stream, schema) as writer:

        def flush() -> None:
            if waiting:
                writer.write_table(pa.Table.from_pylist(waiting, schema=schema))
                waiting.clear()

        def write(row: dict[str, Any]) -> None:
            waiting.append(_flat_row(row))
            if len(waiting) >= _GROUP:
                flush()

        yield write
        flush()


def _read_parquet(file: Path) -> Iterator[dict[str, Any]]:
    _, pq = _arrow()
    with pq.ParquetFile(file) as stream:
        for batch in stream.iter_batches(batch_size=_GROUP):
            yield from map(_deep_row, batch.to_pylist())


def _flat_row(row: dict[str, Any]) -> dict[str, Any]:
    texts = {
        name: None if row[name] is None else canonical(row[name]).decode("utf-8") for name in _JSON
    }
    return row | texts


def _deep_row(row: dict[str, Any]) -> dict[str, Any]:
    return row | {name: None if row[name] is None else json.loads(row[name]) for name in _JSON}


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise UsageError("Parquet needs a library", hint="pip install 'assay[parquet]'") from error
    return pyarrow, pyarrow.parquet


_WRITERS = {"jsonl": _write_jsonl, "csv": _write_csv, "parquet": _write_parquet}
_READERS = {"jsonl": _read_jsonl, "csv": _read_csv, "parquet": _read_parquet}
