"""Exports: what is in them, and how a cut or an edit is found."""

from __future__ import annotations

import asyncio
import csv
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.stores import open_store
from assay.adapters.stores.proofs import SqlProofs
from assay.core.json.canonical import canonical, digest, digest_json
from assay.errors import InputError, IntegrityError
from assay.record.keys import key_files
from assay.runtime.audit.checkpoints import AuditKeys, make_checkpoint
from assay.runtime.audit.export import FIELDS, MANIFEST, check_export, export
from assay.testing import FrozenClock
from tests.parts import require_part
from tests.runtime.tiny import GOOD, TEXT, UNKNOWN_LABEL, opened, tiny_pack

FORMS = ["jsonl", "csv", "parquet"]


async def filled(folder: Path, out: Path, form: str, **how: Any) -> tuple[dict, list]:
    """A record of one call in doubt and an export of it."""
    async with opened(folder, UNKNOWN_LABEL, UNKNOWN_LABEL, GOOD) as runtime:
        assert [each async for each in runtime.run(tiny_pack(), [TEXT])]
        context = runtime.context
        keys = AuditKeys(signing=key_files(b"k" * 32)[0])
        await make_checkpoint(context.store, context.record, keys, clock=context.clock)
        manifest = await export(
            context.store, context.record, out, form=form, clock=context.clock, **how
        )
        return manifest, [event async for event in context.store.events()]


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    if request.param == "parquet":
        require_part("parquet", "pyarrow")
    return str(request.param)


def test_an_export_holds_every_event(tmp_path: Path, form: str) -> None:
    """As many rows as events; the manifest names digests, the head and every field."""
    manifest, events = asyncio.run(filled(tmp_path, tmp_path / "out", form))

    (file,) = manifest["files"]
    content = (tmp_path / "out" / f"events.{form}").read_bytes()
    assert (len(events), len(content), digest(content)) == (
        file["rows"],
        file["bytes"],
        file["sha256"],
    )
    assert (events[0].digest, events[-1].digest) == (
        manifest["first"]["digest"],
        manifest["last"]["digest"],
    )
    assert len(events) == manifest["log"]["size"]
    assert manifest["log"]["origin"] == manifest["checkpoint"].split("\n")[0]
    assert set(FIELDS) == set(manifest["fields"])
    assert manifest == check_export(tmp_path / "out")
    assert b"water in the cellar" not in content


def test_json_lines_and_csv_say_what_the_events_say(tmp_path: Path) -> None:
    """The fields of a row make up the canonical body again, whose digest stands beside it."""
    _, events = asyncio.run(filled(tmp_path, tmp_path / "j", "jsonl"))
    lines = (tmp_path / "j" / "events.jsonl").read_text(encoding="utf-8").splitlines()
    for line, event in zip(lines, events, strict=True):
        row = json.loads(line)
        assert (event.seq, event.digest) == (row.pop("seq"), row.pop("digest"))
        if row["rows"] is None:
            del row["rows"]
        assert event.body == canonical(row)

    (tmp_path / "s").mkdir()
    asyncio.run(filled(tmp_path / "s", tmp_path / "c", "csv"))
    with (tmp_path / "c" / "events.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(FIELDS) == list(rows[0])
    assert "" == rows[0]["call"]
    assert "run.started" == rows[0]["kind"]


def test_a_span_of_time_is_exported(tmp_path: Path) -> None:
    """From, with; to, without; a span without events gives an export without rows."""

    async def run() -> None:
        clock = FrozenClock()
        async with await open_store(f"sqlite:///{tmp_path}/x.db", clock=clock) as store:
            for _ in range(3):
                await store.start_run("test", {})
                clock.advance(0.000001)
            events = [event async for event in store.events()]
            moments = [datetime.fromisoformat(event.at) for event in events]
            for number, (since, until, count) in enumerate(
                (
                    (moments[1], None, 2),
                    (None, moments[1], 1),
                    (moments[0], moments[2], 2),
                    (moments[2] + timedelta(days=1), None, 0),
                )
            ):
                out = tmp_path / f"out{number}"
                manifest = await export(
                    store,
                    SqlProofs(store),
                    out,
                    form="jsonl",
                    clock=clock,
                    since=since,
                    until=until,
                )
                assert count == manifest["files"][0]["rows"]
                check_export(out)

    asyncio.run(run())


def test_every_cut_and_edit_is_found(tmp_path: Path, form: str) -> None:
    """A truncated file, a changed byte, a longer file, a missing file or manifest."""
    out = tmp_path / "out"
    asyncio.run(filled(tmp_path, out, form))
    file, manifest = out / f"events.{form}", out / MANIFEST
    whole, said = file.read_bytes(), manifest.read_bytes()
    for stop in range(0, len(whole), max(1, len(whole) // 20)):
        file.write_bytes(whole[:stop])
        with pytest.raises(IntegrityError, match="truncated"):
            check_export(out)
    for at in range(0, len(whole), max(1, len(whole) // 20)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(IntegrityError, match="edited"):
            check_export(out)
    file.write_bytes(whole + b"\n")
    with pytest.raises(IntegrityError, match="longer"):
        check_export(out)
    file.write_bytes(whole)
    for wrong in (b"", b"{", b"[]", b"{}", said[: len(said) // 2]):
        manifest.write_bytes(wrong)
        with pytest.raises(IntegrityError):
            check_export(out)
    manifest.unlink()
    with pytest.raises(IntegrityError, match="missing"):
        check_export(out)
    manifest.write_bytes(said)
    file.unlink()
    with pytest.raises(IntegrityError, match="missing"):
        check_export(out)


def test_an_edit_with_a_new_manifest_is_found(tmp_path: Path) -> None:
    """Whoever edits an event and the manifest still has the digest of the event against him."""
    out = tmp_path / "out"
    asyncio.run(filled(tmp_path, out, "jsonl"))
    file, manifest = out / "events.jsonl", out / MANIFEST
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    said = json.loads(manifest.read_bytes())
    for changed in (
        lines[0].replace("run.started", "run.begun"),
        lines[0].replace('"n": 0', '"n": 7'),
        "",
    ):
        content = (changed + "".join(lines[1:])).encode()
        file.write_bytes(content)
        said["files"][0] |= {"bytes": len(content), "sha256": digest(content)}
        manifest.write_text(json.dumps(sealed(said)))
        with pytest.raises(IntegrityError, match=r"edited|missing before"):
            check_export(out)


def sealed(manifest: dict) -> dict:
    """The manifest with its digest taken anew."""
    said = {name: value for name, value in manifest.items() if name != "digest"}
    return said | {"digest": digest_json(said)}


def test_events_left_out_swapped_or_doubled_are_found_with_a_new_manifest(tmp_path: Path) -> None:
    """Each event whole, and the manifest made anew: the runs tell where one is missing."""
    out = tmp_path / "out"
    asyncio.run(filled(tmp_path, out, "jsonl"))
    file, manifest = out / "events.jsonl", out / MANIFEST
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    said = json.loads(manifest.read_bytes())
    assert len(lines) > 8
    for changed in (
        lines[1:],
        lines[:4] + lines[5:],
        [*lines[:4], lines[5], lines[4], *lines[6:]],
        [*lines[:4], lines[4], *lines[4:]],
    ):
        content = "".join(changed).encode()
        file.write_bytes(content)
        first = {name: json.loads(changed[0])[name] for name in ("seq", "at", "digest")}
        measured = {"rows": len(changed), "bytes": len(content), "sha256": digest(content)}
        files = [said["files"][0] | measured]
        manifest.write_text(json.dumps(sealed(said | {"files": files, "first": first})))
        with pytest.raises(IntegrityError, match=r"missing before|out of place"):
            check_export(out)


def test_each_field_of_the_manifest_counts(tmp_path: Path) -> None:
    """What a manifest says of log, span and fields is held by its own digest."""
    out = tmp_path / "out"
    asyncio.run(filled(tmp_path, out, "jsonl"))
    manifest = out / MANIFEST
    said = json.loads(manifest.read_bytes())
    for name in said:
        for wrong in ({k: v for k, v in said.items() if k != name}, said | {name: "other"}):
            manifest.write_text(json.dumps(wrong))
            with pytest.raises(IntegrityError):
                check_export(out)
    manifest.write_text(json.dumps(said))
    assert said == check_export(out)


def test_an_export_overwrites_nothing(tmp_path: Path) -> None:
    """A folder that holds an export is refused, and so is a file or an unknown format."""
    out = tmp_path / "out"
    asyncio.run(filled(tmp_path, out, "jsonl"))

    async def again(folder: Path, form: str) -> None:
        async with opened(tmp_path) as runtime:
            context = runtime.context
            await export(context.store, context.record, folder, form=form, clock=context.clock)

    for folder, form in ((out, "jsonl"), (tmp_path / "new", "xml")):
        with pytest.raises(InputError):
            asyncio.run(again(folder, form))
    with pytest.raises(InputError):
        check_export(tmp_path / "nowhere")


def test_every_field_is_documented() -> None:
    """The page on the logging duties explains each field in the words of the manifest."""
    page = Path(__file__).resolve().parents[3] / "docs" / "reference" / "ai-act.md"
    text = page.read_text(encoding="utf-8")
    for name, meaning in FIELDS.items():
        assert f"| `{name}` | {meaning} |" in text
