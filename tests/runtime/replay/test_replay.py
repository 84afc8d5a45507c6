"""Replay: the same bytes again, or the first byte that differs, with its section and cause."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.comparison import first_difference
from assay.contract.contract_job import ContractJob
from assay.errors import InputError
from assay.redaction.redactor import PatternClass
from assay.runtime.replay.kept import kept_call
from assay.runtime.replay.replay import replay
from assay.wiring import aopen
from tests.command import assay
from tests.packs.talk import SESSION
from tests.packs.talk import script as talk_script
from tests.runtime.conversations.cafe import WHOLE, cafe
from tests.runtime.tiny import (
    FILES,
    GOOD,
    TEXT,
    UNKNOWN_LABEL,
    opened,
    script,
    tiny_pack,
    write_pack,
)

KEY = {"ASSAY_MASTER_KEY": "ab" * 32}
QUOTED = TEXT + b"\n\nOn Monday, Ann wrote:\n> Old words of another mail.\n"


def replayed(folder, *replies, pack=None, environ=KEY, text=TEXT, then=None):
    """Run the tiny pack on *text*, then replay the call under *pack*."""

    async def go():
        async with opened(folder, *replies, environ=environ) as runtime:
            _ = [outcome async for outcome in runtime.run(tiny_pack(), [text])]
            (call,) = await runtime.calls()
            if then is not None:
                await then(runtime, call)
            return (await runtime.replay(call.id, pack or tiny_pack())), call

    return asyncio.run(go())


@pytest.mark.clause("002-N3")
@pytest.mark.parametrize("replies", [(GOOD,), (UNKNOWN_LABEL, GOOD), (UNKNOWN_LABEL, "prose")])
def test_every_attempt_is_rebuilt_to_the_byte(tmp_path, replies):
    """All prompts of the ladder, the shortened one too, come out identical; so do the verdicts."""
    again, call = replayed(tmp_path, *replies, text=QUOTED)

    assert {
        "call": call.id,
        "prompt": "identical",
        "first_difference": None,
        "verdict": "same",
    }.items() <= again.to_dict().items()
    assert len(replies) == again.attempts
    assert ("identical", "same") == (again.redacted, again.contract)
    assert not again.differs


@pytest.mark.clause("002-N3", "002-X1")
@pytest.mark.parametrize(
    ("column", "old", "new", "byte", "section"),
    [
        ("body", "one JSON object", "one JSON thing", len("Answer with one JSON "), "template"),
        ("body", "Labels:\n", "", len("Answer with one JSON object.\n"), "template"),
    ],
)
def test_a_template_edited_in_the_store_is_named(tmp_path, column, old, new, byte, section):
    """Text changed by SQL is drift, located to the byte, and verification names the row."""

    async def edit(runtime, call):
        with closing(sqlite3.connect(tmp_path / "assay.db")) as connection, connection:
            edited = f"UPDATE templates SET {column} = replace({column}, ?, ?)"
            assert 1 == connection.execute(edited, (old, new)).rowcount
        reports.append(await runtime.verify())

    reports = []
    again, _ = replayed(tmp_path, GOOD, then=edit)

    assert "differs" == again.prompt
    assert {
        "byte": byte,
        "section": section,
        "cause": "template drift",
        "attempt": 1,
    } == again.first_difference.to_dict()
    assert again.differs
    (why,) = [report.first_bad_why for report in reports]
    assert "the row templates/triage/triage@1 was edited" in why


@pytest.mark.clause("002-N3", "002-V1")
def test_the_recorded_version_is_rebuilt_after_a_release(tmp_path):
    """A newer version of the template changes nothing about how an older call replays."""
    newer = FILES["templates/triage.md"].replace(b"version: 1", b"version: 2")
    pack = tiny_pack(templates__triage__md=newer.replace(b"Answer", b"Reply"))
    again, _ = replayed(tmp_path, GOOD, pack=pack)

    assert ("identical", "same") == (again.prompt, again.verdict)


@pytest.mark.clause("002-N3")
def test_a_changed_label_description_is_the_policy_of_the_contract(tmp_path):
    """What the pack itself fills in differs by policy, in the section of its variable."""
    changed = FILES["labels.yaml"].replace(b"Fire damage", b"Fire and smoke")
    again, _ = replayed(tmp_path, GOOD, pack=tiny_pack(labels__yaml=changed))

    assert ("labels.kind", "policy") == (
        again.first_difference.section,
        again.first_difference.cause,
    )
    assert ("differs", "same", "changed") == (again.prompt, again.verdict, again.contract)


@pytest.mark.clause("002-N3")
def test_another_budget_cuts_elsewhere_and_is_policy(tmp_path):
    """A smaller budget shows less of the input: a difference by policy, not by variable."""
    smaller = FILES["contracts/triage.yaml"].replace(b"400", b"45")
    pack = tiny_pack(contracts__triage__yaml=smaller)
    again, _ = replayed(tmp_path, GOOD, pack=pack, text=QUOTED)

    first = again.first_difference
    assert ("differs", "input.text", "policy") == (again.prompt, first.section, first.cause)


@pytest.mark.clause("002-N3")
def test_another_tokenizer_is_named(tmp_path):
    """When tokens are counted otherwise and the cut moves, the tokenizer is the cause."""
    fewer = FILES["contracts/triage.yaml"].replace(b"400", b"45")
    other = FILES["pack.yaml"] + b"tokenizer: cl100k_base\n"
    pack = tiny_pack(contracts__triage__yaml=fewer, pack__yaml=other)
    again, _ = replayed(tmp_path, GOOD, pack=pack, text=QUOTED)

    assert "tokenizer" == again.first_difference.cause


@pytest.mark.clause("002-N3")
def test_other_redaction_rules_are_named_and_the_prompt_stays_identical(tmp_path):
    """A class added since changes the redacted view alone; its first byte and section are told."""
    water = PatternClass(name="MATTER", pattern="cellar")
    pack = replace(tiny_pack(), redaction_classes=(water,))
    again, _ = replayed(tmp_path, GOOD, pack=pack)

    assert ("identical", "differs") == (again.prompt, again.redacted)
    first = again.first_difference
    assert ("redaction rules", "input.text") == (first.cause, first.section)
    assert again.differs


def test_the_gate_of_today_judges_the_reply_of_that_day(tmp_path):
    """A rule added since turns the verdict, and the findings say why."""
    rule = b"rules:\n  - {id: no_water, assert: 'output.label != \"water\"'}\n"
    stricter = FILES["contracts/triage.yaml"] + rule
    again, _ = replayed(tmp_path, GOOD, pack=tiny_pack(contracts__triage__yaml=stricter))

    assert ("identical", "changed") == (again.prompt, again.verdict)
    assert ["rule.no_water"] == [finding.code for finding in again.findings]


@pytest.mark.parametrize(
    ("replies", "codes"), [((GOOD,), []), ((UNKNOWN_LABEL, UNKNOWN_LABEL), ["label.unknown"])]
)
def test_without_kept_sources_the_verdict_is_still_judged(tmp_path, replies, codes):
    """No master key, no source texts: the prompt is unavailable, the reply is judged all the
    same, with the evidence taken as recorded."""
    again, _ = replayed(tmp_path, *replies, environ={})

    assert ("unavailable", "same", True) == (again.prompt, again.verdict, again.without_sources)
    assert codes == [finding.code for finding in again.findings]
    assert not again.differs


def test_without_kept_sources_a_change_is_still_seen(tmp_path):
    """A label that exists no more turns the verdict, with or without the texts."""
    fewer = FILES["labels.yaml"].replace(b"    water: Water damage.\n", b"")
    again, _ = replayed(tmp_path, GOOD, environ={}, pack=tiny_pack(labels__yaml=fewer))

    assert ("unavailable", "changed") == (again.prompt, again.verdict)


def test_the_original_input_stands_in_for_values_that_were_not_kept(tmp_path):
    """Whoever still has the file can have the prompt rebuilt; another file is refused."""

    async def go():
        async with opened(tmp_path, UNKNOWN_LABEL, GOOD) as runtime:
            _ = [outcome async for outcome in runtime.run(tiny_pack(), [QUOTED])]
            (call,) = await runtime.calls()
            again = await runtime.replay(call.id, tiny_pack(), original=QUOTED)
            with pytest.raises(InputError):
                await runtime.replay(call.id, tiny_pack(), original=TEXT)
            return again

    again = asyncio.run(go())

    assert ("identical", "identical", "same", 2) == (
        again.prompt,
        again.redacted,
        again.verdict,
        again.attempts,
    )


def test_a_call_that_was_never_sent_has_nothing_to_compare(tmp_path):
    """A call that ended before its first prompt is unavailable, not identical."""
    models = FILES["contracts/triage.yaml"].replace(b'["*"]', b'["openai:*"]')

    async def go():
        async with opened(tmp_path, environ=KEY) as runtime:
            pack = tiny_pack(contracts__triage__yaml=models)
            _ = [outcome async for outcome in runtime.run(pack, [TEXT])]
            (call,) = await runtime.calls()
            return await runtime.replay(call.id, pack)

    again = asyncio.run(go())

    assert ("unavailable", "same", 0) == (again.prompt, again.verdict, again.attempts)


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40))
def test_the_first_difference_is_the_end_of_what_is_shared(shared, one, other):
    """Everything before the byte is equal; the byte itself is not, or one text ends there."""
    old, new = shared + one, shared + other
    at = first_difference(old, new)

    assert old[:at] == new[:at]
    assert at >= len(shared)
    assert at == min(len(old), len(new)) or old[at] != new[at]


# --- the command ----------------------------------------------------------------------------

sealed = partial(assay, **KEY)


@pytest.fixture
def place(tmp_path):
    """A folder with the tiny pack and one recorded call."""
    write_pack(tmp_path / "pack")
    (tmp_path / "in.txt").write_bytes(TEXT)
    script(tmp_path, GOOD, name="s.jsonl")
    done = sealed(tmp_path, "run", "pack", "in.txt", "--model", "scripted:s.jsonl", "--json")
    (tmp_path / "call").write_text(done.document["calls"][0])
    return tmp_path


def test_the_command_prints_the_pinned_document(place):
    """`assay replay CALL --json` gives the document of the interface and leaves with 0."""
    call = (place / "call").read_text()
    done = sealed(place, "replay", call, "--pack", "pack", "--strict", "--json")
    document = done.document

    assert 0 == done.code
    assert ["call", "prompt", "first_difference", "verdict", "findings"] == list(document)[:5]
    assert (call, "identical", None, "same", []) == tuple(document.values())[:5]


def test_strict_leaves_with_50_when_something_differs(place):
    """Only `--strict` makes a difference an exit code; the document is printed either way."""
    file = place / "pack" / "labels.yaml"
    file.write_bytes(file.read_bytes().replace(b"Water damage", b"Water"))
    words = ("replay", (place / "call").read_text(), "--pack", "pack", "--json")
    lenient, strict = sealed(place, *words), sealed(place, *words, "--strict")

    assert (0, 50) == (lenient.code, strict.code)
    assert lenient.out == strict.out
    assert "policy" == strict.document["first_difference"]["cause"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("replay", "nosuchcall", "--json"), "not_found"),
        (("replay", "nosuchcall", "--pack", "nowhere", "--json"), "not_found"),
        (("replay", "--json"), "usage"),
    ],
)
def test_bad_input_is_told_in_one_line(place, words, code):
    """A call or a pack that does not exist is named; no traceback."""
    done = sealed(place, *words)

    assert code == done.document["error"]["code"]
    assert 1 == len(done.err.splitlines())


def test_a_pack_that_is_not_bundled_is_asked_for(place):
    """A call of one's own pack needs `--pack`, and the error says so."""
    done = sealed(place, "replay", (place / "call").read_text())

    assert 10 == done.code
    assert "--pack" in done.err


# --- stages and answers ---------------------------------------------------------------------


@pytest.mark.clause("002-N3")
def test_every_stage_of_a_turn_replays(tmp_path):
    """A stage's slots are kept as they were filled, so a whole conversation can be rebuilt."""
    pack = cafe()

    async def go():
        store = f"sqlite:///{tmp_path / 'assay.db'}"
        replies = talk_script(tmp_path, *WHOLE)
        async with aopen(store, replies, environ=KEY) as runtime:
            ended = await runtime.chat(pack, SESSION, "Un café")
            return ended, [await runtime.replay(step.call, pack) for step in ended.stages]

    ended, again = asyncio.run(go())

    assert "accepted" == ended.outcome.status
    assert [("identical", "identical", "same", "same")] * 6 == [
        (each.prompt, each.redacted, each.verdict, each.result) for each in again
    ]


@pytest.mark.clause("006-M3", "002-N3")
@pytest.mark.parametrize(
    ("recorded", "byte"),
    [
        (lambda parts: [], 15),
        (lambda parts: [{**parts[0], "role": "user"}, {**parts[1], "role": "system"}], 15),
        (lambda parts: [parts[0], {**parts[1], "start": parts[1]["start"] + 1}], None),
        (lambda parts: parts, None),
    ],
)
def test_equal_bytes_in_other_roles_are_another_prompt(tmp_path, recorded, byte):
    """The record says which slice went out in which role: one that went otherwise differs."""
    body = b"=== system ===\n\xc3\xa4 {{labels.kind}}\n=== user ===\n{{input.text}}\n"
    head, _, _ = FILES["templates/triage.md"].rpartition(b"---\n")
    pack = tiny_pack(templates__triage__md=head + b"---\n" + body)

    async def go():
        async with opened(tmp_path, GOOD, environ=KEY) as runtime:
            _ = [outcome async for outcome in runtime.run(pack, [TEXT])]
            (call,) = await runtime.calls()
            kept = await kept_call(runtime.store, call.id, runtime.registry.stored_version)
            parts = kept.attempts[0].built["parts"]
            facts = {**kept.attempts[0].built, "parts": recorded(parts)}
            kept.attempts[0].built = facts
            job = ContractJob.restore(kept, lambda name: pack, runtime.context.redactor)
            return replay(kept, job), facts["parts"] == parts

    again, same = asyncio.run(go())
    assert ("identical" if same else "differs") == again.prompt
    if not same:
        assert "template drift" == again.first_difference.cause
    if byte is not None:
        assert byte == again.first_difference.byte
