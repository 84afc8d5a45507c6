"""Receipts as the runtime writes them: under which head, of which calls, with what inside."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from assay.errors import InputError, ModelUnavailableError, NotFoundError, StoreUnavailableError
from assay.protocols import CallFilter
from assay.record.checkpoint import read_note
from assay.record.keys import key_files
from assay.record.receipt import SHOWN
from assay.runtime.audit.checkpoints import AuditKeys, make_checkpoint
from assay.runtime.audit.receipts import make_receipt
from assay.runtime.runtime import Runtime
from tests.runtime.tiny import GOOD, TEXT, opened, tiny_pack

KEYS = AuditKeys(signing=key_files(b"k" * 32)[0])
NEW = AuditKeys(signing=key_files(b"n" * 32)[0])
MAIL = b"Write to ann@example.org: there is water in the cellar."


async def one_call(runtime: Runtime, text: bytes = TEXT) -> str:
    (outcome,) = [each async for each in runtime.run(tiny_pack(), [text])]
    return outcome.calls[0].call


async def receipt(runtime: Runtime, call: str, keys: AuditKeys = KEYS) -> dict:
    context = runtime.context
    return await make_receipt(context.store, context.record, keys, call, clock=context.clock)


def test_receipts_share_a_checkpoint(tmp_path: Path) -> None:
    """A head that covers the call serves again; a later call, or another key, needs a new one."""

    async def run() -> None:
        async with opened(tmp_path, GOOD, GOOD) as runtime:
            first = await one_call(runtime)
            one = await receipt(runtime, first)
            second = await one_call(runtime, TEXT + b" More.")
            assert one == await receipt(runtime, first)
            assert 1 == len(await runtime.context.record.checkpoints())
            two = await receipt(runtime, second)
            assert one["checkpoint"] != two["checkpoint"]
            assert 2 == len(await runtime.context.record.checkpoints())
            assert two["checkpoint"] == (await receipt(runtime, first))["checkpoint"]
            other = await receipt(runtime, first, NEW)
            assert two["checkpoint"] != other["checkpoint"]

    asyncio.run(run())


def test_an_edited_checkpoint_is_not_handed_on(tmp_path: Path) -> None:
    """A kept head that is not the log's is passed over; a fresh one is signed."""

    async def run() -> None:
        async with opened(tmp_path, GOOD) as runtime:
            call = await one_call(runtime)
            context = runtime.context
            made = await make_checkpoint(context.store, context.record, KEYS, clock=context.clock)
            await context.store.write(  # type: ignore[attr-defined]
                lambda connection: connection.exec_driver_sql("UPDATE checkpoints SET note = 'x'")
            )
            document = await receipt(runtime, call)
            assert made.note == document["checkpoint"]

    asyncio.run(run())


def test_without_a_key_a_receipt_is_unsigned(tmp_path: Path) -> None:
    """The head stands in it all the same; no signature line does."""

    async def run() -> None:
        async with opened(tmp_path, GOOD) as runtime:
            document = await receipt(runtime, await one_call(runtime), AuditKeys())
            body, _, tail = document["checkpoint"].rpartition("\n\n")
            assert ("", 3) == (tail, len(body.split("\n")))
            assert [] == await runtime.context.record.checkpoints()

    asyncio.run(run())


def test_only_settled_calls_have_receipts(tmp_path: Path) -> None:
    """An open call has decided nothing; an unknown one is told."""

    async def run() -> None:
        async with opened(tmp_path) as runtime:
            with pytest.raises(ModelUnavailableError):
                await one_call(runtime)
            (row,) = await runtime.calls(CallFilter(status="open"))
            with pytest.raises(InputError, match="not settled"):
                await receipt(runtime, row.id)
            with pytest.raises(NotFoundError):
                await receipt(runtime, "none")

    asyncio.run(run())


def test_a_receipt_shows_what_is_redacted_and_nothing_else(tmp_path: Path) -> None:
    """Addresses, exact prompt, sources and raw reply stay inside, encrypted or not."""

    async def run(environ: dict[str, str], folder: Path) -> None:
        folder.mkdir()
        async with opened(folder, GOOD, environ=environ) as runtime:
            document = await receipt(runtime, await one_call(runtime, MAIL))
            text = json.dumps(document)
            assert "ann@example.org" not in text
            assert "EMAIL_" in document["says"]["attempts"][0]["prompt_redacted"]
            shown = {name for entry in document["events"] for name in entry["payloads"]}
            assert shown <= {name for names in SHOWN.values() for name in names}

    asyncio.run(run({}, tmp_path / "plain"))
    asyncio.run(run({"ASSAY_MASTER_KEY": "6b" * 32}, tmp_path / "sealed"))


def test_receipts_of_others_hold_after_an_erasure(tmp_path: Path) -> None:
    """The erased call's receipt says that it was; the other's is as it was."""

    async def run() -> None:
        async with opened(tmp_path, GOOD, GOOD) as runtime:
            mine = await one_call(runtime)
            others = await one_call(runtime, b"Another text: there is water in the cellar. Yes.")
            before = await receipt(runtime, others)
            subject = (await runtime.store.call(mine)).subject
            assert subject != (await runtime.store.call(others)).subject
            await runtime.erase(subject, reason="asked", actor="a")
            assert before == await receipt(runtime, others)
            gone = await receipt(runtime, mine)
            assert None is gone["says"]["attempts"][0]["prompt_redacted"]
            (erasure,) = gone["erasures"]
            assert "subject.erased" == json.loads(erasure["body"])["kind"]
            head, _ = read_note(gone["checkpoint"])
            assert erasure["index"] < head.size

    asyncio.run(run())


def test_a_store_that_is_gone_is_told(tmp_path: Path) -> None:
    """A closed store gives no half receipt."""

    async def run() -> None:
        async with opened(tmp_path, GOOD) as runtime:
            call = await one_call(runtime)
        with pytest.raises(StoreUnavailableError):
            await receipt(runtime, call)

    asyncio.run(run())
