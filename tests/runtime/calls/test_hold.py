"""What was cut holds an input for a person; what they decide stands for the next run."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from assay.runtime.calls.inputs import Refused, read_item
from assay.runtime.reviews.case import read_case
from assay.runtime.reviews.decision import Decision
from assay.sources.reading import UnreadPart
from tests.runtime.tiny import FILES, GOOD, UNKNOWN_LABEL, opened, tiny_pack

HOLDING = FILES["pack.yaml"] + b"shortened: review\n"
LONG = ("There is water in the cellar. " + "It rains and rains here. " * 120).encode()
QUOTING = (
    "There is water in the cellar.\n\nOn 3 May 2026, Ann wrote:\n" + "> It rains.\n" * 300
).encode()
STANDS = Decision(accept=True, reviewer="Ann", reason="the rest is weather")
FALLS = Decision(accept=False, reviewer="Ann", reason="the rest is a threat")
BETTER = Decision(
    accept=True,
    reviewer="Ann",
    reason="it is fire",
    output=json.dumps({"label": "fire", "evidence_snippets": ["rains here"]}).encode(),
)


def runs(folder, text, *replies, decision=None, pack=None, environ=None, again=False):
    """Run *text*, take *decision*, run again: both outcomes, the reviews, and the report."""
    pack = pack or tiny_pack(pack__yaml=HOLDING)

    async def go():
        async with opened(folder, *replies, environ=environ) as runtime:
            first = [outcome async for outcome in runtime.run(pack, [text])]
            reviews = await runtime.reviews()
            cases = [await read_case(runtime.context, review.id) for review in reviews]
            if decision is not None:
                await runtime.decide(reviews[0].id, decision, pack=pack, original=text)
            second = [outcome async for outcome in runtime.run(pack, [text], again=again)]
            left = await runtime.reviews(None)
            report = await runtime.verify()
        return first[0], second[0], left, cases, report

    return asyncio.run(go())


@pytest.mark.clause("005-M10")
def test_own_words_that_were_cut_hold_the_input_and_keep_its_results(tmp_path):
    """The call ends accepted; the input is one for a person, once, also after a second run."""
    first, second, reviews, _, report = runs(tmp_path, LONG, GOOD)

    assert ("needs_review", "input.shortened") == (first.outcome.status, first.outcome.reason)
    assert "accepted" == first.calls[0].outcome.status
    assert "water" == first.result["triage"]["label"]
    assert first.shortened.own_words
    assert str(first.shortened.omitted_chars) in first.detail
    assert first.to_dict() == second.to_dict()
    assert ["input.shortened"] == [review.reason for review in reviews]
    assert "unanchored" == report.status


@pytest.mark.clause("005-M10")
def test_quotes_that_were_cut_hold_nothing_and_are_counted(tmp_path):
    """Earlier mails may go without a word of the sender's being lost."""
    first, second, reviews, _, _ = runs(tmp_path, QUOTING, GOOD)

    assert "accepted" == first.outcome.status == second.outcome.status
    assert not first.shortened.own_words
    assert 3000 < first.shortened.omitted_chars == second.shortened.omitted_chars
    assert () == tuple(reviews)


@pytest.mark.clause("005-M10")
def test_a_pack_that_does_not_ask_for_it_holds_nothing(tmp_path):
    """`accept` is the default, and what was cut is said all the same."""
    first, _, reviews, _, _ = runs(tmp_path, LONG, GOOD, pack=tiny_pack())

    assert "accepted" == first.outcome.status
    assert first.to_dict()["shortened"]["own_words"]
    assert () == tuple(reviews)


def test_what_was_shown_whole_is_not_shortened(tmp_path):
    """Nothing was left out, so there is no value, on the first run and from the record."""
    first, second, _, _, _ = runs(tmp_path, b"There is water in the cellar.", GOOD)

    assert None is first.to_dict()["shortened"] is second.to_dict()["shortened"]


def test_what_a_rejected_attempt_left_out_is_not_told(tmp_path):
    """`shortened` speaks of the accepted attempt; here there is none."""
    first, second, reviews, _, _ = runs(tmp_path, LONG, UNKNOWN_LABEL, UNKNOWN_LABEL)

    assert "gate.rejected" == first.outcome.reason == second.outcome.reason
    assert None is first.shortened is second.shortened
    assert "The gate rejected all 2 attempts, the last one for label.unknown at /label." == (
        first.detail
    )
    assert first.to_dict() == second.to_dict()
    assert ["gate.rejected"] == [review.reason for review in reviews]


@pytest.mark.clause("005-M10")
def test_who_accepts_the_review_lets_the_results_stand(tmp_path):
    """Nothing has to be handed in; the next run is accepted, with the same results."""
    first, second, reviews, _, report = runs(tmp_path, LONG, GOOD, decision=STANDS)

    assert ("accepted", None) == (second.outcome.status, second.detail)
    assert first.result == second.result
    assert first.shortened == second.shortened
    assert ["accepted"] == [review.status for review in reviews]
    assert "unanchored" == report.status


@pytest.mark.clause("005-M10")
def test_who_rejects_the_review_withholds_the_results(tmp_path):
    """What was judged on half of a mail, and judged wrong by a person, is handed to nobody."""
    _, second, reviews, _, report = runs(tmp_path, LONG, GOOD, decision=FALLS)

    assert ("needs_review", "input.shortened") == (second.outcome.status, second.outcome.reason)
    assert {"triage": None} == second.result
    assert ["rejected"] == [review.status for review in reviews]
    assert "unanchored" == report.status


def test_a_corrected_output_takes_the_place_of_the_result(tmp_path):
    """It passes the gate as everywhere, over the whole text, and releases the input."""
    _, second, reviews, _, _ = runs(tmp_path, LONG, GOOD, decision=BETTER)

    assert "accepted" == second.outcome.status
    assert "fire" == second.result["triage"]["label"]
    assert 1 == len(reviews)


def test_another_output_is_another_question(tmp_path):
    """A decision stands for the outputs that it was about: with `again` there are new ones."""
    _, second, reviews, _, _ = runs(tmp_path, LONG, GOOD, GOOD, decision=STANDS, again=True)

    assert "input.shortened" == second.outcome.reason
    assert ["accepted", "open"] == sorted(review.status for review in reviews)


@pytest.mark.clause("005-M10")
@pytest.mark.parametrize("kept", [True, False])
def test_the_review_shows_what_was_cut(tmp_path, kept):
    """Its place always; its words, redacted, where the texts are kept."""
    text = LONG + b" Write to ann@example.org, or my lawyer will write to you."
    environ = {"ASSAY_MASTER_KEY": "00" * 32} if kept else {}
    first, _, _, (case,), _ = runs(tmp_path, text, GOOD, environ=environ)

    (part,) = case.omitted
    assert ("own", len(text.decode())) == (part["kind"], part["stop"])
    assert first.shortened == case.shortened
    assert first.detail == case.detail
    if kept:
        assert part["text_redacted"].endswith("or my lawyer will write to you.")
        assert "ann@example.org" not in part["text_redacted"]
    else:
        assert None is part["text_redacted"]


@pytest.mark.clause("005-M10")
def test_parts_that_gave_no_text_are_named_and_their_names_are_sealed(tmp_path):
    """They stand in the outcome and in the review; a file's name is in no fact of the record."""
    unread = (UnreadPart(part="attachment:ann-example.p7m", why="encrypted"),)

    async def go():
        async with opened(tmp_path, UNKNOWN_LABEL, UNKNOWN_LABEL) as runtime:
            item = read_item("a.txt", b"water", "text", runtime.context.redactor)
            assert not isinstance(item, Refused)
            given = replace(item, unread=unread)
            outcomes = [each async for each in runtime.run(tiny_pack(), [given])]
            (review,) = await runtime.reviews()
            case = await read_case(runtime.context, review.id)
            events = [event async for event in runtime.store.events()]
        return outcomes[0], case, events

    outcome, case, events = asyncio.run(go())

    assert [unread[0].to_dict()] == outcome.to_dict()["unread"] == [dict(p) for p in case.unread]
    assert not any("ann-example" in json.dumps(dict(event.facts)) for event in events)


@pytest.mark.clause("005-M10")
def test_a_text_that_was_cut_when_it_was_read_is_named():
    """What lies behind the bound of a reader was read by nobody: not by a model either."""
    from assay.redaction.redactor import Redactor

    data = b"From: a@b.example\nSubject: x\n\n" + b"The roof leaks. " * 70_000
    item = read_item("a.eml", data, "mail", Redactor())

    assert not isinstance(item, Refused)
    assert ["body"] == [part.part for part in item.unread]


def test_an_unreadable_input_says_why(tmp_path):
    """The reader's reason stands in the outcome and in the case."""
    first, second, _, (case,), _ = runs(tmp_path, b"\xff\xfe\x00", GOOD)

    assert "input.unreadable" == first.outcome.reason
    assert "The input could not be read: not UTF-8 text." == first.detail == case.detail
    assert first.to_dict() == second.to_dict()


def test_a_conversation_cannot_be_held(tmp_path):
    """`shortened: review` in a staged pack would hold nothing, so it is a fault of the pack."""
    from assay.errors import PackError
    from assay.pack.read import read_pack
    from assay.wiring import load_pack

    files = dict(load_pack("services").files)
    files["pack.yaml"] += b"\nshortened: review\n"
    with pytest.raises(PackError, match="conversation"):
        read_pack(files)
