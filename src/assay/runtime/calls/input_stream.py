"""The inputs of a run, read one after another as places become free.

In      paths, bytes, items read before
Out     Item or Refused for each
Effects reads files, on a thread where that takes long
Spec    interfaces.md, "Command line" (`assay run`); 006-M5
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from assay.redaction.redactor import Redactor
from assay.runtime.calls.context import Item
from assay.runtime.calls.inputs import (
    Refused,
    Source,
    file_size,
    find_inputs,
    is_slow_to_read,
    may_wait,
    read_file,
    read_item,
)

T = TypeVar("T")


async def read_inputs(
    inputs: Iterable[str | Path | bytes | Item | Refused], source: Source, redactor: Redactor
) -> AsyncIterator[Item | Refused]:
    """The inputs, read one after another as they are asked for."""
    for number, given in enumerate(inputs, start=1):
        if isinstance(given, str | Path):
            # A path was found already: what is gone since is an outcome like any other.
            found = [given] if isinstance(given, Path) else find_inputs([given], source).taken
            for path in found:
                reading = read_file(path, source, redactor)
                aside = is_slow_to_read(file_size(path), source) or may_wait(path)
                while (item := await _read(aside, next, reading, None)) is not None:
                    yield item
        elif isinstance(given, bytes):
            aside = is_slow_to_read(len(given), source)
            yield await _read(aside, read_item, f"input-{number}", given, source, redactor)
        else:
            yield given


async def _read(aside: bool, read: Callable[..., T], *how: Any) -> T:
    """*read* on a thread where it takes long, so that calls under way do not wait for it; else
    here: each step of a thread waits for the interpreter."""
    return await to_thread(read, *how) if aside else read(*how)
