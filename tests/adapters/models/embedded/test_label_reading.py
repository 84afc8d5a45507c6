"""Whatever a model answers: choices stay within the set, agree with each other, and quote."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.adapters.models.embedded.label_reading import LabelReading, label_grammar
from assay.adapters.models.embedded.reply import reply
from assay.adapters.models.embedded.trace import Trace
from assay.adapters.models.extractive.lexicon import Lexicon
from assay.contract.build import build
from assay.contract.contract import judge
from assay.contract.decoding.plan import DecodingPlan, plan_answer, quotables
from assay.contract.material import Built
from assay.core.text.spans import Shown
from assay.gate.labels import LabelSet, LexiconEntry
from assay.protocols import ModelFault, ModelRequest, Parameters
from assay.redaction.redactor import Redactor
from tests.adapters.models.intake_plans import contract, material, plan_of

TEXT = "The ball is red. The sea is blue and wide."
COLOURS = LabelSet(
    name="colour", labels={"C_RED": "like blood", "C_BLUE": "like the sky"}, multi=True
)
ONE = LabelSet(name="colour", labels=COLOURS.labels, default="C_RED")


def answering(*answers: str) -> tuple[Trace, list[Mapping[str, Any]]]:
    """A trace whose model gives these answers in turn, and what it was asked."""
    left, asked = list(answers), []

    def ask(operation: Mapping[str, Any]) -> dict[str, Any]:
        if operation["op"] == "check":
            return {"constrains": True, "evaluated": 0}
        asked.append(operation)
        return {
            "text": left.pop(0), "finish_reason": "stop", "tokens": 1, "evaluated": 3
        }  # fmt: skip

    return Trace(ask=ask, known={}), asked


def reading(trace: Trace, *, only_needed: bool = False, **facts: Any) -> LabelReading:
    plan = DecodingPlan(
        texts={"text": TEXT}, sentences=tuple(quotables([Shown.of_text("text", TEXT)])), **facts
    )
    return LabelReading(plan, trace, Lexicon, lambda text: {"text": text}, only_needed=only_needed)


@pytest.mark.clause("008-E1")
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_any_answers_make_an_accepted_reply(seed: int) -> None:
    """The gate accepts the intake classification for whatever the model writes under its
    grammars: the primary intent is listed, labels and quotes exist, scores have two decimals."""
    chance = random.Random(seed)

    def ask(operation: Mapping[str, Any]) -> dict[str, Any]:
        if operation["op"] == "check":
            return {"constrains": True, "evaluated": 0}
        names = re.findall(r'"((?:[A-Z_]|\d)+)"', operation["grammar"])
        text = ", ".join(chance.sample(names, min(len(names), chance.randint(1, 3))))
        return {"text": text, "finish_reason": "stop", "tokens": 1, "evaluated": 1}

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


@pytest.mark.clause("008-E1")
def test_the_labels_that_are_named_are_chosen_with_the_sentences_that_are_named() -> None:
    """In the order of the answer, each with a quote of its own; each set is asked for once."""
    trace, asked = answering("C_BLUE, C_RED", "2", "1")
    found = reading(trace)

    for _ in range(2):
        assert [("C_BLUE", "The sea is blue and wide."), ("C_RED", "The ball is red.")] == [
            (each.label, each.quote) for each in found.choose_several(COLOURS, at_least_one=True)
        ]
    assert 3 == len(asked)
    assert "- C_RED: like blood" in asked[0]["context"]["text"]


def test_none_lists_none_unless_one_is_asked_for() -> None:
    """Then the default stands, or the first label of the set, with little confidence."""
    assert [] == reading(answering("NONE")[0]).choose_several(COLOURS, at_least_one=False)
    (fallback,) = reading(answering("NONE")[0]).choose_several(COLOURS, at_least_one=True)
    alone = reading(answering("nothing")[0]).choose_one(ONE)

    assert ("C_RED", "C_RED") == (fallback.label, alone.label)
    assert 0.2 == fallback.confidence == alone.confidence


@pytest.mark.clause("008-E1")
def test_a_model_whose_word_is_worth_less_than_a_default_is_not_asked_against_one() -> None:
    """Nor for labels that need not be named; signs speak all the same, and what must be named is
    asked for."""
    lexicon = {"colour": {"C_BLUE": LexiconEntry(signals=("painted",))}}
    trace, asked = answering("C_BLUE", "1")
    found = reading(trace, only_needed=True)
    signed = reading(answering("1")[0], only_needed=True, lexicon=lexicon, signals=("painted",))

    assert ("C_RED", 0.2) == (found.choose_one(ONE).label, found.choose_one(ONE).confidence)
    assert [] == found.choose_several(COLOURS, at_least_one=False)
    assert [] == asked
    assert ["C_BLUE"] == [each.label for each in found.choose_several(COLOURS, at_least_one=True)]
    assert "C_BLUE" == signed.choose_one(ONE).label


def test_a_sign_decides_for_its_label() -> None:
    """A deterministic sign comes before what the model names, and is as sure as such a sign is."""
    lexicon = {"colour": {"C_RED": LexiconEntry(signals=("painted",))}}
    found = reading(answering("C_BLUE", "1", "2")[0], lexicon=lexicon, signals=("painted",))
    listed = found.choose_several(COLOURS, at_least_one=True)

    assert [("C_RED", 0.9), ("C_BLUE", 0.5)] == [(each.label, each.confidence) for each in listed]


def test_an_answer_that_was_cut_names_one_label_less() -> None:
    """Half a name is none."""
    found = reading(answering("C_RED, C_BL", "1")[0])

    assert ["C_RED"] == [each.label for each in found.choose_several(COLOURS, at_least_one=True)]


def test_a_grammar_names_labels_and_commas_alone() -> None:
    """One of a set with one label; up to so many, or none, of a set with several."""
    assert '%llguidance {}\nstart: label\nlabel: "A" | "B"\n' == label_grammar(["A", "B"], 1)
    assert 'start: label (", " label){0,3} | "NONE"' in label_grammar(["A", "B"], 4)


@pytest.mark.clause("008-E1")
def test_an_answer_can_only_be_a_sentence_of_the_evidence_or_the_refusal() -> None:
    """The grammar offers the sentences with their anchors, and the refusal."""
    trace, asked = answering("The fee is 5 EUR. [C0]")
    plan = plan_answer(
        "What is the fee?", [("C0", "The fee is 5 EUR. The club meets in May.")], "NO."
    )
    request = ModelRequest(
        prompt="p",
        prompt_sha256="sha256:" + "0" * 64,
        parameters=Parameters(temperature=0.0, max_output_tokens=90),
        plan=plan,
    )

    made = reply(request, trace, Lexicon)

    assert "The fee is 5 EUR. [C0]" == made.text
    assert (
        'start: "The fee is 5 EUR. [C0]" | "The club meets in May. [C0]" | "NO."'
        in (asked[0]["grammar"])
    )


def test_a_grammar_that_holds_nothing_is_a_fault() -> None:
    """Never a reply: without it the model could write anything."""
    trace = Trace(ask=lambda _: {"constrains": False, "evaluated": 0}, known={})
    with pytest.raises(ModelFault):
        trace.require_grammar("start: nothing")
