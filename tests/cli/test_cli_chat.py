"""`assay chat` and `assay sessions`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import run
from tests.packs.talk import SESSION, changed, detected, inquiry, low, prompts, script, small_talk

MESSAGE = ["chat", "services", "--session", SESSION, "--message", "insurance?"]


def words(folder: Path, *replies: Any) -> list[str]:
    return [
        "--store",
        f"sqlite:///{folder / 'a.db'}",
        "--model",
        script(folder, *replies),
        "--script-log",
        str(folder / "log.jsonl"),
    ]


def one(capfd: Any) -> dict[str, Any]:
    """The one JSON document on standard output."""
    out = capfd.readouterr().out
    assert out.count("\n") == 1
    found: dict[str, Any] = json.loads(out)
    return found


def test_one_turn_as_json(tmp_path, capfd):
    """The document has the pinned fields."""
    code = run([*MESSAGE, "--json", *words(tmp_path, *low())])
    printed = one(capfd)

    assert code == 0
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


def test_review_is_an_outcome_and_with_strict_an_exit_code(tmp_path, capfd):
    """A turn that needs review is done (0); --strict says 30."""
    bad = changed(detected("cms"), "judgements.agencyCount", 3)
    model = words(tmp_path, inquiry(), bad, bad, bad, inquiry(), bad, bad, bad)
    talk = ["chat", "services", "--session", SESSION, "--json", "--message"]

    assert run([*talk, "one", *words(tmp_path, inquiry(), bad, bad, bad)]) == 0
    assert one(capfd)["outcome"] == "needs_review"
    assert run([*talk, "two", "--strict", *model]) == 30


def test_several_turns_from_standard_input(tmp_path, capfd, monkeypatch):
    """One session, a document a turn; /quit leaves."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("hello\n\nthanks\n/quit\nnever\n"))
    code = run(["chat", "services", "--json", *words(tmp_path, small_talk("a"), small_talk("b"))])
    turns = [json.loads(line) for line in capfd.readouterr().out.splitlines()]

    assert code == 0
    assert [(turn["turn"], turn["reply"]) for turn in turns] == [(1, "a"), (2, "b")]
    assert len({turn["session_id"] for turn in turns}) == 1


def test_a_message_that_cannot_be_used_is_passed_over(tmp_path, capfd, monkeypatch):
    """Those after it are answered all the same; at the end the exit code tells (10)."""
    given = f"hi\n{'x' * ((4 << 20) + 1)}\n\u200b\nagain\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(given))
    code = run(["chat", "services", "--session", SESSION, *words(tmp_path, *[small_talk()] * 2)])
    printed = capfd.readouterr()

    assert code == 10
    assert len(prompts(tmp_path)) == 2
    assert printed.out.count("turn 2: accepted") == 1
    assert printed.err.count("passed over: ") == 2


def test_the_trail_is_shown_to_people(tmp_path, capfd):
    """The reply on standard output, the stages on standard error."""
    run([*MESSAGE, *words(tmp_path, *low())])
    shown = capfd.readouterr()

    assert shown.out.startswith("Have a look at Medicaid: https://www.medicaid.gov/\n")
    assert "judgement_v1: accepted" in shown.err
    assert "service_select_v1: accepted" in shown.err


def test_a_directive_comes_from_a_file(tmp_path):
    """Its text stands in the prompt of the stage that takes one."""
    file = tmp_path / "directive.txt"
    file.write_text("Be formal.", encoding="utf-8")
    run([*MESSAGE, "--directive", str(file), *words(tmp_path, *low())])

    assert "Directive:\nBe formal." in prompts(tmp_path)[1]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (["--message", ""], 10),
        (["--message", "x", "--session", "me"], 10),
        (["--message", "x", "--directive", "/nowhere"], 10),
    ],
)
def test_bad_input_leaves_with_ten(tmp_path, capfd, given, code):
    """And says what is wrong in one line."""
    assert run(["chat", "services", *given, *words(tmp_path, small_talk())]) == code
    assert capfd.readouterr().err.startswith("error[input.invalid]: ")


def test_sessions_are_listed_and_shown(tmp_path, capfd):
    """With their cached state; an unknown one is 10."""
    store = words(tmp_path)[:2]
    run(["chat", "services", "--session", SESSION, "--message", "m", *words(tmp_path, *low())])
    capfd.readouterr()

    assert run(["sessions", "list", "--json", *store]) == 0
    assert [row["id"] for row in one(capfd)["sessions"]] == [SESSION]
    assert run(["sessions", "show", SESSION, "--json", *store]) == 0
    shown = one(capfd)
    assert shown["cached_state"]["agency_detect_v1"]["complexity"] == "low"
    assert shown["turn"]["outcome"] == "accepted"
    assert run(["sessions", "show", SESSION.replace("1", "2"), *store]) == 10
    assert run(["sessions", "list", *store]) == 0
    assert run(["sessions", "show", SESSION, *store]) == 0
