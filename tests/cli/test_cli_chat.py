"""`assay chat` and `assay sessions`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command import Ran, assay
from tests.packs.talk import SESSION, changed, detected, inquiry, low, prompts, script, small_talk

CHAT = ("chat", "services", "--session", SESSION)
STORE = ("--store", "sqlite:///a.db")


def chat(place: Path, replies: list[Any], *words: str, stdin: bytes = b"") -> Ran:
    """`assay chat` in *place* with a model that says *replies*."""
    model = ("--model", script(place, *replies), "--script-log", "log.jsonl")
    return assay(place, *words, *STORE, *model, stdin=stdin)


def test_one_turn_as_json(tmp_path):
    """The document has the pinned fields."""
    done = chat(tmp_path, low(), *CHAT, "--message", "insurance?", "--json")
    printed = done.document

    assert done.code == 0
    assert {
        "session_id",
        "turn",
        "outcome",
        "reply",
        "stages",
        "findings",
        "cached_state",
    } <= set(printed)
    assert (printed["session_id"], printed["turn"], printed["outcome"]) == (SESSION, 1, "accepted")
    assert set(printed["stages"][0]) == {"stage", "outcome", "attempts", "call"}
    assert printed["cached_state"]["session_id"] == SESSION


def test_review_is_an_outcome_and_with_strict_an_exit_code(tmp_path):
    """A turn that needs review is done (0); --strict says 30."""
    bad = changed(detected("cms"), "judgements.agencyCount", 3)
    refused = [inquiry(), bad, bad, bad]
    lenient = chat(tmp_path, refused, *CHAT, "--json", "--message", "one")
    strict = chat(tmp_path, refused * 2, *CHAT, "--json", "--message", "two", "--strict")

    assert (lenient.code, lenient.document["outcome"]) == (0, "needs_review")
    assert strict.code == 30


def test_several_turns_from_standard_input(tmp_path):
    """One session, a document a turn; /quit leaves."""
    given = b"hello\n\nthanks\n/quit\nnever\n"
    replies = [small_talk("a"), small_talk("b")]
    done = chat(tmp_path, replies, "chat", "services", "--json", stdin=given)
    turns = done.documents

    assert done.code == 0
    assert [(turn["turn"], turn["reply"]) for turn in turns] == [(1, "a"), (2, "b")]
    assert len({turn["session_id"] for turn in turns}) == 1


def test_a_message_that_cannot_be_used_is_passed_over(tmp_path):
    """Those after it are answered all the same; at the end the exit code tells (10)."""
    given = f"hi\n{'x' * ((4 << 20) + 1)}\n\u200b\nagain\n".encode()
    done = chat(tmp_path, [small_talk()] * 2, *CHAT, stdin=given)

    assert done.code == 10
    assert len(prompts(tmp_path)) == 2
    assert done.out.count("turn 2: accepted") == 1
    assert done.err.count("passed over: ") == 2


def test_the_trail_is_shown_to_people(tmp_path):
    """The reply on standard output, the stages on standard error."""
    done = chat(tmp_path, low(), *CHAT, "--message", "insurance?")

    assert done.out.startswith("Have a look at Medicaid: https://www.medicaid.gov/\n")
    assert "judgement_v1: accepted" in done.err
    assert "service_select_v1: accepted" in done.err


def test_a_directive_comes_from_a_file(tmp_path):
    """Its text stands in the prompt of the stage that takes one."""
    (tmp_path / "directive.txt").write_text("Be formal.", encoding="utf-8")
    chat(tmp_path, low(), *CHAT, "--message", "insurance?", "--directive", "directive.txt")

    assert "Directive:\nBe formal." in prompts(tmp_path)[1]


@pytest.mark.parametrize(
    "given",
    [
        ("--message", ""),
        ("--message", "x", "--session", "me"),
        ("--message", "x", "--directive", "/nowhere"),
    ],
)
def test_bad_input_leaves_with_ten(tmp_path, given):
    """And says what is wrong in one line."""
    done = chat(tmp_path, [small_talk()], "chat", "services", *given)

    assert done.code == 10
    assert done.err.startswith("error[input.invalid]: ")


def test_sessions_are_listed_and_shown(tmp_path):
    """With their cached state; an unknown one is 10."""
    chat(tmp_path, low(), *CHAT, "--message", "m")
    listed = assay(tmp_path, "sessions", "list", "--json", *STORE)
    shown = assay(tmp_path, "sessions", "show", SESSION, "--json", *STORE)

    assert (listed.code, shown.code) == (0, 0)
    assert [row["id"] for row in listed.document["sessions"]] == [SESSION]
    assert shown.document["cached_state"]["agency_detect_v1"]["complexity"] == "low"
    assert shown.document["turn"]["outcome"] == "accepted"
    assert assay(tmp_path, "sessions", "show", SESSION.replace("1", "2"), *STORE).code == 10
    assert assay(tmp_path, "sessions", "list", *STORE).code == 0
    assert assay(tmp_path, "sessions", "show", SESSION, *STORE).code == 0
