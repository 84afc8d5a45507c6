"""Take events out of the record for others to read, with a manifest of digests.

In      a store, a span of time, a format, a folder
Out     `events.FORMAT` and `manifest.json`; whether such a folder is still what was written
Effects store reads; files. Memory does not grow with the record
Spec    docs/explanation/record.md, "Export"; docs/reference/ai-act.md

Facts hold no personal data, and payloads stay inside: only their commitments are exported. The
manifest is written last, so a folder without one is an export that was cut short. A check follows
each run from event to event, so memory grows with the runs of the export, not with its events.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from assay.core.json.canonical import canonical, digest, digest_json
from assay.errors import AssayError, InputError, IntegrityError, StoreUnavailableError
from assay.protocols import Clock, Proofs, Store
from assay.record.event import GENESIS, StoredEvent
from assay.runtime.audit.export_formats import FORMATS, open_reader, open_writer

FORMAT = "assay-export/1"
MANIFEST = "manifest.json"
_TELL_EVERY = 500

FIELDS: Mapping[str, str] = {
    "seq": "Position in the store; grows, never reused.",
    "digest": "SHA-256 over the event's canonical JSON, which the other fields make up.",
    "run": "Number of the run: one use of the system, from its start to its end.",
    "n": "Place within the run, from 0, without gaps.",
    "at": "When it was recorded: RFC 3339, UTC, microseconds.",
    "kind": "What happened, such as prompt.built or review.decided.",
    "call": "Which model call it belongs to; empty outside of calls.",
    "subject": "Pseudonym of the person whom the input is about.",
    "prev": "Digest of the event before it in its run.",
    "facts": "What happened in detail; JSON without personal data.",
    "payloads": "Salted commitment to each content that stands beside the event.",
    "rows": "Digest of each index row that the event vouches for.",
    "v": "Version of the event's form.",
}
"""Every field of an exported event, and what it means."""


async def export(
    store: Store,
    proofs: Proofs,
    folder: Path,
    *,
    form: str,
    clock: Clock,
    since: datetime | None = None,
    until: datetime | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Write the events from *since* up to *until* into *folder*; the manifest.

    Args:
        store: Read page by page.
        proofs: For the head that the manifest names.
        folder: Is made; must not hold an export already.
        form: `jsonl`, `csv` or `parquet`.
        clock: For the manifest.
        since: First moment that is exported; None from the beginning.
        until: First moment that is not exported any more; None to the end.
        progress: Told now and then how many events are written.

    Raises:
        InputError: there is no such format, or the folder cannot take an export.
        UsageError: the format needs a library that is not installed.
    """
    if form not in FORMATS:
        raise InputError(f"there is no export format {form!r}", hint=", ".join(FORMATS))
    head = await store.head()
    file = folder / f"events.{form}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / MANIFEST).exists() or file.exists():
            raise InputError("the folder holds an export already", hint="name a new folder")
        count, first, last = 0, None, None
        with open_writer(form, file) as write:
            async for event in _is_between(store, since, until):
                write(row_of(event))
                place = {"seq": event.seq, "at": event.at, "digest": event.digest}
                first, last, count = first or place, place, count + 1
                if progress is not None and count % _TELL_EVERY == 0:
                    progress(count)
        kept = await proofs.checkpoints()
        manifest = {
            "format": FORMAT,
            "exported_at": _text(clock.now()),
            "since": None if since is None else _text(since),
            "until": None if until is None else _text(until),
            "files": [{"name": file.name, "rows": count, **_measure_file(file)}],
            "first": first,
            "last": last,
            "log": {"origin": await proofs.origin(), **head},
            "checkpoint": kept[-1].note if kept else None,
            "fields": dict(FIELDS),
        }
        manifest["digest"] = digest_json(manifest)
        (folder / MANIFEST).write_text(
            json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    except OSError as error:
        raise StoreUnavailableError(
            f"the export cannot be written: {error.strerror}", hint="check the folder and the disk"
        ) from error
    return manifest


def check_export(
    folder: Path, *, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """The manifest of an export of which every byte and every event holds.

    Args:
        progress: Told now and then how many events are checked, of how many.

    Raises:
        IntegrityError: the export is cut, edited, or has no manifest.
        InputError: there is no such folder.
        UsageError: the format needs a library that is not installed.
    """
    if not folder.is_dir():
        raise InputError("there is no such folder", hint="name the folder of an export")
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        (listed,) = manifest["files"]
        name, form = str(listed["name"]), str(listed["name"]).rpartition(".")[2]
        if manifest["format"] != FORMAT or name != f"events.{form}" or form not in FORMATS:
            raise IntegrityError("the manifest is not that of an export")
        said = {name: value for name, value in manifest.items() if name != "digest"}
        if digest_json(said) != manifest["digest"]:
            raise IntegrityError("the manifest was edited")
        measured = _measure_file(folder / name)
        if measured["bytes"] != listed["bytes"]:
            cut = measured["bytes"] < listed["bytes"]
            raise IntegrityError(f"the export is {'truncated' if cut else 'longer than written'}")
        if measured["sha256"] != listed["sha256"]:
            raise IntegrityError("the export was edited")
        rows = _with_progress(open_reader(form, folder / name), listed["rows"], progress)
        _check_rows(rows, manifest, listed["rows"])
    except AssayError:
        raise
    except FileNotFoundError as error:
        raise IntegrityError("the export is cut short: its manifest or file is missing") from error
    except Exception as error:  # whatever a damaged file makes a reader say
        raise IntegrityError("the export cannot be read: it was cut or edited") from error
    return dict(manifest)


def _with_progress(
    rows: Iterator[dict[str, Any]], total: int, progress: Callable[[int, int], None] | None
) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(rows):
        if progress is not None and number % _TELL_EVERY == 0:
            progress(number, total)
        yield row


def row_of(event: StoredEvent) -> dict[str, Any]:
    """An event as a flat row, fields as in FIELDS."""
    said = json.loads(event.body)
    said.setdefault("rows", None)
    return {"seq": event.seq, "digest": event.digest} | {
        name: said[name] for name in FIELDS if name not in ("seq", "digest")
    }


def _check_rows(rows: Iterator[dict[str, Any]], manifest: Mapping[str, Any], count: int) -> None:
    found, first, last = 0, None, None
    low, high = manifest["since"] or "", manifest["until"] or "~"
    chains: dict[int, tuple[int, str]] = {}
    for row in rows:
        body = {name: row[name] for name in FIELDS if name not in ("seq", "digest")}
        if body["rows"] is None:
            del body["rows"]
        if digest(canonical(body)) != row["digest"]:
            raise IntegrityError(f"event {row['seq']} of the export was edited")
        follows = chains.get(row["run"])
        if follows is None and not low:  # an export from some time on begins in the midst of runs
            follows = 0, GENESIS
        if follows not in (None, (row["n"], row["prev"])):
            raise IntegrityError(f"events of run {row['run']} are missing before {row['seq']}")
        chains[row["run"]] = row["n"] + 1, row["digest"]
        if (last is not None and row["seq"] <= last["seq"]) or not low <= row["at"] < high:
            raise IntegrityError(f"event {row['seq']} of the export is out of place")
        last = {name: row[name] for name in ("seq", "at", "digest")}
        found, first = found + 1, first or last
    if (found, first, last) != (count, manifest["first"], manifest["last"]):
        raise IntegrityError("the export has not the events that its manifest tells of")


async def _is_between(
    store: Store, since: datetime | None, until: datetime | None
) -> AsyncIterator[StoredEvent]:
    low = None if since is None else _text(since)
    high = None if until is None else _text(until)
    async for event in store.events():
        if (low is None or event.at >= low) and (high is None or event.at < high):
            yield event


def _measure_file(file: Path) -> dict[str, Any]:
    hashed, size = sha256(), 0
    with file.open("rb") as stream:
        while piece := stream.read(1 << 20):
            hashed.update(piece)
            size += len(piece)
    return {"bytes": size, "sha256": "sha256:" + hashed.hexdigest()}


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
