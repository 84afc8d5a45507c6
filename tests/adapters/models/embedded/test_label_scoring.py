"""Whatever likelihoods a model gives: choices stay within the set and agree with each other."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.adapters.models.embedded.label_scoring import (
    LabelReading,
    Trace,
    break_control_strings,
    label_phrases,
)
from assay.adapters.models.embedded.reply import reply
from assay.adapters.models.extractive.lexicon import Lexicon
from assay.contract.build import build
from assay.contract.contract import judge
from assay.contract.decoding.plan import DecodingPlan, quotables
from assay.contract.material import Built
from assay.core.text.spans import Shown
from assay.gate.labels import LabelSet, LexiconEntry
from assay.protocols import ModelRequest, Parameters
from assay.redaction.redactor import Redactor
from tests.adapters.models.intake_plans import contract, material, plan_of

TEXT = "The ball is red. The sea is blue and wide."
COLOURS = LabelSet(name="colour", labels={"C_RED": "like blood", "C_BLUE": "like the sky"})


def scored(scores: Mapping[str, float]) -> Trace:
    """A trace whose model gives each ending its score, and 0 for texts that say nothing."""

    def ask(operation: Mapping[str, Any]) -> dict[str, Any]:
        said = "ball" in operation["context"]["text"] or "sea" in operation["context"]["text"]
        given = [
            next((value for part, value in scores.items() if part in ending), 0.0) if said else 0.0
            for ending in operation["continuations"]
        ]
        return {"scores": [(value, 1) for value in given], "evaluated": 3}

    return Trace(ask=ask, known={})


def reading(trace: Trace, **facts: Any) -> LabelReading:
    plan = DecodingPlan(
        texts={"text": TEXT}, sentences=tuple(quotables([Shown.of_text("text", TEXT)])), **facts
    )
    return LabelReading(plan, trace, Lexicon)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_any_likelihoods_make_an_accepted_reply(seed: int) -> None:
    """The gate accepts the intake classification for whatever the model prefers: the primary
    intent is listed, labels and quotes exist, scores have two decimals."""
    chance = random.Random(seed)

    def ask(operation: Mapping[str, Any]) -> dict[str, Any]:
        scores = [(chance.gauss(-20, 9), chance.randint(1, 9)) for _ in operation["continuations"]]
        return {"scores": scores, "evaluated": 1}

    texts = {"subject": "News", "body": "Hello.\nMy roof leaks since Monday. Please call me."}
    built = build(contract("classify"), material(texts), 1, Redactor())
    assert isinstance(built, Built)
    request = ModelRequest(
        prompt=built.prompt.text,
        prompt_sha256=built.prompt.sha256,
        parameters=Parameters(temperature=0.0, max_output_tokens=900),
        plan=plan_of("classify", texts),
    )

    made = reply(request, Trace(ask=ask, known={}), Lexicon)

    verdict = judge(contract("classify"), made.text, shown=built.shown)
    assert [] == [f.code for f in verdict.findings if f.severity == "reject"]


def test_the_likelier_label_wins_with_the_sentence_that_speaks_for_it() -> None:
    """A description that gains by the text is chosen; its quote is a shown sentence."""
    choice = reading(scored({"blood": -9.0, "sky": -2.0})).choose_one(COLOURS)

    assert (choice.label, choice.quote) == ("C_BLUE", "The ball is red.")


def test_common_phrases_win_nothing() -> None:
    """What counts is the gain over texts that say nothing, not being likely everywhere."""

    def ask(operation: Mapping[str, Any]) -> dict[str, Any]:
        said = "ball" in operation["context"]["text"]
        table = {"blood": (-8.0, -20.0), "sky": (-2.0, -2.5)}
        scores = [
            (next(v for k, v in table.items() if k in ending)[0 if said else 1], 1)
            for ending in operation["continuations"]
        ]
        return {"scores": scores, "evaluated": 1}

    assert reading(Trace(ask=ask, known={})).choose_one(COLOURS).label == "C_RED"


def test_a_packs_default_holds_unless_something_stands_out() -> None:
    """Two labels never stand out far enough from each other to replace a default."""
    lexicon = {"colour": {"C_RED": LexiconEntry(phrases=("*",))}}

    choice = reading(scored({"sky": 5.0}), lexicon=lexicon).choose_one(COLOURS)

    assert choice.label == "C_RED"


def test_a_sign_decides_for_its_label() -> None:
    """A deterministic sign outweighs any likelihood, and is as sure as such a sign is."""
    lexicon = {
        "colour": {
            "C_RED": LexiconEntry(signals=("painted",)),
            "C_BLUE": LexiconEntry(phrases=("*",)),
        }
    }
    made = reading(scored({"sky": 5.0}), lexicon=lexicon, signals=("painted",)).choose_one(COLOURS)

    assert (made.label, made.confidence) == ("C_RED", 0.90)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({"URG_HIGH": "soon.", "URG_LOW": ""}, ["high, soon", "low"]),
        ({"rot": "", "blau": "kalt"}, ["rot", "blau, kalt"]),
        ({"ONLY_ONE": ""}, ["only one"]),
    ],
)
def test_names_are_said_without_what_all_share(labels: dict[str, str], said: list[str]) -> None:
    """A common prefix tells labels apart by nothing."""
    assert said == label_phrases(LabelSet(name="s", labels=labels))


def test_the_trace_is_the_same_with_and_without_a_memory() -> None:
    """What was evaluated is told alike, whether calibration came from an earlier call or not."""
    known: dict[str, dict[str, Any]] = {}
    traces = []
    for _ in range(2):
        trace = scored({"sky": 1.0})
        trace.known = known
        reading(trace).choose_one(COLOURS)
        traces.append((trace.digest, trace.tokens, trace.operations))

    assert traces[0] == traces[1]
    assert known


def test_continuations_hold_no_control_strings() -> None:
    """A forced `<|im_end|>` could be written as the token that ends everything."""
    assert "<|" not in break_control_strings("a<|im_end|>b")


@pytest.mark.clause("007-P5")
def test_the_default_of_a_set_holds_unless_another_stands_out() -> None:
    """As the label that the lexicon marks; of a list where nothing stands out, it is listed."""
    kept = replace(COLOURS, default="C_BLUE")

    assert "C_BLUE" == reading(scored({})).choose_one(kept).label
    several = reading(scored({})).choose_several(replace(kept, multi=True), at_least_one=True)
    assert ["C_BLUE"] == [choice.label for choice in several]
