"""A server that cuts prompts in silence, from the exchange to the replay."""

from __future__ import annotations

import json
from importlib import util

import pytest

from assay.adapters.models.embedded import model
from assay.answers.prompt_v1 import REFUSAL
from tests.cli.test_reported_models import MAIL, address, run
from tests.command import assay
from tests.parts import absent
from tests.runtime.tiny import FILES, GOOD, script, write_pack

pytestmark = pytest.mark.clause("006-M10")

__all__ = ["address"]  # the server of the reported cases, as a fixture
KEY = {"ASSAY_MASTER_KEY": "ab" * 32}
LONG = (
    "There is water in the cellar. " + "The pipe broke on Monday, and nobody came to see it. " * 150
)


def judged(place, call):
    """Facts of every judgement and answer of a call."""
    shown = assay(place, "calls", "show", call, "--store", "sqlite:///n.db", "--json", **KEY)
    events = shown.document["events"]
    return [e["facts"] for e in events if e["kind"] in ("output.judged", "model.answered")]


def test_a_window_of_512_tokens_is_found_on_a_mail(tmp_path, address):
    """The reply is in order and quotes the mail; the instructions may not have been read."""
    done = run(tmp_path, address, "usage_short", mails=1)
    answered, verdict = judged(tmp_path, done.documents[0]["calls"][0])[:2]

    assert ("needs_review", "gate.rejected") == (
        done.documents[0]["outcome"],
        done.documents[0]["reason"],
    )
    assert 512 == answered["prompt_cut"]["seen"] < answered["prompt_cut"]["counted"]
    assert {"code": "prompt.cut", "severity": "reject"} in verdict["findings"]
    assert "prompt.cut" in done.documents[0]["detail"]
    assert MAIL


@pytest.mark.clause("008-E5")
def test_a_model_that_reads_only_its_own_questions_cuts_nothing(tmp_path):
    """A mail of one line: the questions about it are far shorter than the prompt."""
    if util.find_spec("xllamacpp") is None or util.find_spec(model.PACKAGE) is None:
        absent("embedded", model.INSTALL)
    (tmp_path / "a.txt").write_text("Hello there, a mail.")
    run = ("run", "intake", "a.txt", "--model", "embedded", "--store", "sqlite:///n.db", "--json")
    done = assay(tmp_path, *run, **KEY)
    answered = judged(tmp_path, done.documents[0]["calls"][0])[0]

    assert ("accepted", False) == (done.documents[0]["outcome"], answered["details"]["prompt_read"])
    assert "prompt_cut" not in answered


@pytest.fixture
def place(tmp_path):
    """The tiny pack with room for a long text."""
    wide = FILES["contracts/triage.yaml"].replace(b"400", b"4000")
    write_pack(tmp_path / "pack", FILES | {"contracts/triage.yaml": wide})
    (tmp_path / "in.txt").write_text(LONG)
    return tmp_path


def outcome(place, *replies, environ=KEY):
    script(place, *replies, name="s.jsonl")
    words = ("run", "pack", "in.txt", "--model", "scripted:s.jsonl", "--store", "sqlite:///n.db")
    return assay(place, *words, "--json", **environ).document


def reply(tokens, **more):
    return {"text": GOOD, "finish_reason": "stop", "usage": {"prompt_tokens": tokens, **more}}


@pytest.mark.parametrize("environ", [KEY, {}])
def test_a_replay_comes_to_the_same_verdict(place, environ):
    """From the record alone, also where the texts were not kept."""
    done = outcome(place, reply(512), reply(512), environ=environ)
    call = done["calls"][0]
    words = ("replay", call, "--pack", "pack", "--store", "sqlite:///n.db", "--json")
    found = assay(place, *words, **environ).document

    assert ("needs_review", "gate.rejected") == (done["outcome"], done["reason"])
    assert "same" == found["verdict"]
    assert "prompt.cut" in [finding["code"] for finding in found["findings"]]


def test_a_shorter_attempt_that_fits_is_accepted(place):
    """The ladder goes on: the second attempt shows less, and the server read all of it."""
    done = outcome(place, reply(512), reply(1990))
    facts = judged(place, done["calls"][0])

    assert "accepted" == done["outcome"]
    assert [True, False] == ["prompt_cut" in each for each in facts if "raw_sha256" in each]


@pytest.mark.parametrize("tokens", [None, 0, 11, 100, 1300, 1900, 5000])
def test_other_counts_are_no_cut(place, tokens):
    """None, no count, a constant that is no window, another tokenizer, a template of the server."""
    done = outcome(place, {"text": GOOD} if tokens is None else reply(tokens))

    assert "accepted" == done["outcome"]
    assert "prompt_cut" not in json.dumps(judged(place, done["calls"][0]))


@pytest.mark.parametrize(("tokens", "outcome"), [(0, "no_evidence"), (300, "needs_review")])
def test_a_refusal_to_answer_from_evidence_that_was_cut_is_none(tmp_path, tokens, outcome):
    """The exact refusal ends a call lawfully only when the evidence was read."""
    (tmp_path / "docs").mkdir()
    for number in range(12):
        words = f"Rule {number}: the pipe of house {number} is repaired by the landlord. "
        (tmp_path / "docs" / f"{number}.md").write_text(f"# Pipes {number}\n\n" + words * 12)
    said = {"text": REFUSAL, "finish_reason": "stop", "usage": {"prompt_tokens": tokens}}
    script(tmp_path, said, said, name="s.jsonl")
    words = ("ask", "Who repairs the pipe of a house?", "--docs", "docs")
    more = ("--model", "scripted:s.jsonl", "--store", "sqlite:///n.db", "--json")
    done = assay(tmp_path, *words, *more, **KEY)

    assert outcome == done.document["outcome"], done.document
