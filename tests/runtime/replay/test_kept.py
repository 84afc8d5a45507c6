"""The vault: values needed for replay stand encrypted, and an erasure takes them away for good."""

from __future__ import annotations

import asyncio
import json

import pytest

from assay.errors import UsageError
from assay.runtime.replay.kept import kept_call
from assay.wiring import aopen
from tests import postgres
from tests.runtime.tiny import GOOD, opened, script, tiny_pack

KEY = {"ASSAY_MASTER_KEY": "ab" * 32}
SECRET = b"Zweibrueckenwasserfall"
OTHER = b"There is water in the cellar of the neighbour."
MINE = b"There is water in the cellar. " + SECRET


def everything_on_disk(folder) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.glob("assay.db*")))


async def run_both(runtime):
    _ = [outcome async for outcome in runtime.run(tiny_pack(), [MINE, OTHER])]
    calls = {call.input: call for call in await runtime.calls()}
    return calls["input-1"], calls["input-2"]


@pytest.mark.clause("002-N1")
def test_kept_values_are_never_in_the_clear_on_disk(tmp_path):
    """Neither the source text nor the prompt made from it can be read from the files."""

    async def go():
        async with opened(tmp_path, GOOD, GOOD, environ=KEY) as runtime:
            mine, _ = await run_both(runtime)
            kept = await kept_call(runtime.store, mine.id)
            return kept, everything_on_disk(tmp_path)

    kept, disk = asyncio.run(go())

    assert SECRET.decode() in kept.material.texts["text"]
    assert SECRET in kept.attempts[0].prompt
    assert SECRET not in disk


@pytest.mark.clause("002-N1", "002-J2", "002-J3", "002-J4", "002-J5", "002-J6", "002-J7")
def test_without_a_key_no_value_is_kept_and_the_snapshot_stands(tmp_path):
    """Without a master key the context holds digests, parameters and the redacted view alone."""

    async def go():
        async with opened(tmp_path, GOOD, GOOD) as runtime:
            mine, _ = await run_both(runtime)
            return await kept_call(runtime.store, mine.id)

    kept = asyncio.run(go())
    (attempt,) = kept.attempts

    assert (None, None) == (kept.material, attempt.prompt)
    assert attempt.redacted.startswith("Answer with one JSON object.")
    assert {"name": "triage", "role": "triage", "version": 1}.items() <= attempt.built[
        "template"
    ].items()
    assert {"temperature", "max_output_tokens"} <= attempt.built["model_params"].keys()
    assert ([], {}) == (attempt.built["snippet_ids"], attempt.built["retrieval_metrics"])
    assert "o200k_base" == attempt.built["tokenizer"]


@pytest.mark.clause("002-N1")
def test_after_an_erasure_the_record_verifies_and_the_values_are_gone(tmp_path):
    """One subject erased: its values are nowhere, its replay says so, the other replays on."""

    async def go():
        async with opened(tmp_path, GOOD, GOOD, environ=KEY) as runtime:
            mine, other = await run_both(runtime)
            before = await runtime.replay(mine.id, tiny_pack())
            await runtime.erase(mine.subject, reason="asked for", actor="officer")
            report = await runtime.verify()
            kept = await kept_call(runtime.store, mine.id)
            after = await runtime.replay(mine.id, tiny_pack())
            untouched = await runtime.replay(other.id, tiny_pack())
            return before, report, kept, after, untouched, everything_on_disk(tmp_path)

    before, report, kept, after, untouched, open_disk = asyncio.run(go())

    assert "identical" == before.prompt
    assert ("unanchored", None) == (report.status, report.first_bad_why)
    assert report.erased > 0
    assert (None, None) == (kept.material, kept.result)
    assert [(None, None, None)] == [(a.prompt, a.raw, a.redacted) for a in kept.attempts]
    assert ("unavailable", "unavailable", "unavailable") == (
        after.prompt,
        after.verdict,
        after.result,
    )
    assert not after.differs
    assert ("identical", "same") == (untouched.prompt, untouched.verdict)
    for disk in (open_disk, everything_on_disk(tmp_path)):
        assert SECRET not in disk


@pytest.mark.clause("002-N1", "002-N3")
def test_the_vault_holds_on_postgresql(tmp_path):
    """Kept, replayed, erased, unavailable: the same on the other database."""

    async def go(url):
        async with aopen(url, script(tmp_path, GOOD, GOOD), environ=KEY) as runtime:
            mine, other = await run_both(runtime)
            before = await runtime.replay(mine.id, tiny_pack())
            await runtime.erase(mine.subject, reason="asked for", actor="officer")
            report = await runtime.verify()
            again = [await runtime.replay(call.id, tiny_pack()) for call in (mine, other)]
            return before, report, again

    try:
        with postgres.running() as server, server.database() as url:
            before, report, again = asyncio.run(go(url))
    except postgres.NoServer as reason:
        reason.end_test()

    assert "identical" == before.prompt
    assert None is report.first_bad_why
    assert ["unavailable", "identical"] == [each.prompt for each in again]


def test_without_the_key_it_was_written_with_nothing_is_read(tmp_path):
    """A store that encrypts, opened without its key, is an error that names the setting."""

    async def write():
        async with opened(tmp_path, GOOD, GOOD, environ=KEY) as runtime:
            return await run_both(runtime)

    async def read(call_id):
        async with opened(tmp_path) as runtime:
            return await runtime.replay(call_id, tiny_pack())

    mine, _ = asyncio.run(write())

    with pytest.raises(UsageError) as caught:
        asyncio.run(read(mine.id))
    assert "ASSAY_MASTER_KEY" in json.dumps(caught.value.to_dict())
