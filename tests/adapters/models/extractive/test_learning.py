"""Labels learnt from example sentences: what they decide, how surely, and that they repeat."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.adapters.models.extractive.learned import (
    likelihoods,
    read_learned,
    whole_and_sentences,
    write_learned,
)
from assay.adapters.models.extractive.learning import Lesson, can_learn, learn, lesson_key
from assay.adapters.models.extractive.model import ExtractiveModel
from assay.contract.decoding.plan import DecodingPlan, LabelSlot
from assay.gate.labels import NO_LABEL, Examples, LabelSet, LexiconEntry
from tests.adapters.models.extractive.test_model import ask
from tests.adapters.models.intake_plans import contract, plan_of, quotes

TOPIC = LabelSet(name="topic", labels={"WATER": "", "FIRE": "", "OTHER": ""}, default="OTHER")
SEVERAL = LabelSet(name="topic", labels={"WATER": "", "FIRE": ""}, multi=True)
EXAMPLES = {
    "WATER": (
        "A pipe burst and the cellar is flooded.",
        "Das Wasser steht im Keller.",
        "The washing machine leaked all over the floor.",
        "Rain came through the roof last night.",
    ),
    "FIRE": (
        "The kitchen burned down yesterday.",
        "Es hat in der Garage gebrannt.",
        "Smoke and flames destroyed the curtains.",
        "A candle set the sofa on fire.",
    ),
    "OTHER": (
        "Please send me the form.",
        "Vielen Dank für Ihre Antwort.",
        "When are you open?",
        "I would like to change my address.",
    ),
}
SCHEMA = {
    "type": "object",
    "properties": {"topic": {"type": "string"}},
    "required": ["topic"],
}


@pytest.fixture(scope="module")
def model() -> ExtractiveModel:
    return ExtractiveModel.create()


def topic_plan(text: str, examples: Examples, **changes: object) -> DecodingPlan:
    plan = DecodingPlan(
        schema=SCHEMA,
        labels=(LabelSlot(pattern="/topic", set=TOPIC),),
        texts={"body": text},
        sentences=quotes({"body": text}),
        examples=examples,
    )
    return replace(plan, **changes)


def chosen(model: ExtractiveModel, text: str, examples: Examples, **changes: object) -> str:
    return json.loads(str(ask(model, topic_plan(text, examples, **changes)).text))["topic"]


@pytest.mark.clause("008-L2")
@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("L'eau coule du plafond de la salle de bains.", "WATER"),
        ("Se ha quemado la cocina de mi casa.", "FIRE"),
        ("Vorrei cambiare il mio indirizzo.", "OTHER"),
        ("De kelder staat onder water.", "WATER"),
    ],
)
def test_what_is_learnt_in_two_languages_holds_in_others(model, text, label):
    """French, Spanish, Italian and Dutch, from examples in English and German."""
    assert label == chosen(model, text, Examples(sets={"topic": EXAMPLES}))


@pytest.mark.clause("008-L2")
def test_a_kept_file_decides_as_learning_again_does(model):
    """Labels and probabilities to the sixth decimal, whether read or learnt."""
    examples = Examples(sets={"topic": EXAMPLES})
    key, learnt, kept = model.learn(examples, {"topic": TOPIC}, {})
    assert not kept
    data = write_learned({key: learnt})
    again = read_learned(data, key)
    assert again is not None
    rows = whole_and_sentences(
        model._embeddings.embed(["The cellar is flooded.", "Thank you."]), [20, 9], learnt.middle
    )

    assert [(one.label, one.probability) for one in learnt.sets["topic"].weigh(rows, {}, {})] == [
        (one.label, one.probability) for one in again.sets["topic"].weigh(rows, {}, {})
    ]
    assert model.learn(replace(examples, learned=data), {"topic": TOPIC}, {})[2]


@pytest.mark.clause("008-L2")
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nonsense",
        b"[]",
        b'{"format": 999, "learned": {}}',
        b'{"format": 1, "learned": {"k": {"middle": "AAAA", "sets": {"t": {}}}}}',
        b'{"format": 1, "learned": {"k": {"middle": "?", "sets": {}}}}',
        b'{"format": 1, "learned": {"k": 3}}',
    ],
)
def test_a_damaged_file_is_learnt_again(data):
    """Nothing of it is trusted, and nothing is raised."""
    assert read_learned(data, "k") is None


@pytest.mark.clause("008-L2")
def test_examples_of_another_kind_have_another_key():
    """A sentence, a label, the lexicon or the weights changed: what was kept is not of these."""
    sets = {"topic": TOPIC}
    lexicon = {"topic": {"WATER": LexiconEntry(phrases=("flood",))}}
    other = {**EXAMPLES, "WATER": EXAMPLES["WATER"][:3]}
    wider = LabelSet(name="topic", labels={**TOPIC.labels, "STORM": ""}, default="OTHER")
    keys = {
        lesson_key({"topic": EXAMPLES}, sets, {}, "w"),
        lesson_key({"topic": other}, sets, {}, "w"),
        lesson_key({"topic": EXAMPLES}, sets, lexicon, "w"),
        lesson_key({"topic": EXAMPLES}, sets, {}, "v"),
        lesson_key({"topic": EXAMPLES}, {"topic": wider}, {}, "w"),
    }

    assert 5 == len(keys)
    assert lesson_key({"topic": EXAMPLES}, sets, {}, "w") in keys


@pytest.mark.clause("008-L3")
def test_the_sentence_that_decides_is_the_evidence(model):
    """In the middle of others, word for word."""
    labels = contract("classify").label_sets["intent"]
    body = (
        "Dear all, I hope you had a lovely weekend. I want to cancel my household insurance at the "
        "end of the year. Kind regards, Ann"
    )
    reply = json.loads(
        str(ask(model, plan_of("classify", {"subject": "my contract", "body": body})).text)
    )

    assert "INTENT_POLICY_CANCELLATION" == reply["primary_intent"]
    assert [["I want to cancel my household insurance at the end of the year."]] == [
        each["evidence_snippets"] for each in reply["intents"]
    ]
    assert reply["primary_intent"] in labels.labels


@pytest.mark.clause("008-L3")
def test_what_the_lexicon_finds_counts_beside_the_examples(model):
    """A word that no example explains, of a text that says nothing else."""
    examples = Examples(sets={"topic": EXAMPLES})
    words = {"FIRE": LexiconEntry(phrases=("zorbex",), patterns=(r"zorbex \d+",))}
    lessons = {"lexicon": {"topic": words}}

    assert "OTHER" == chosen(model, "It is about zorbex 7.", examples)
    assert "FIRE" == chosen(model, "It is about zorbex 7.", examples, **lessons)


@pytest.mark.clause("008-L4")
def test_several_labels_are_listed_each_by_its_own_threshold(model):
    """Two of two in a text that says both; one in a text that says one; none in neither."""
    examples = {**{k: EXAMPLES[k] for k in ("WATER", "FIRE")}, NO_LABEL: EXAMPLES["OTHER"]}
    learnt = model.learn(Examples(sets={"topic": examples}), {"topic": SEVERAL}, {})[1]

    def listed(*sentences: str) -> set[str]:
        rows = whole_and_sentences(
            model._embeddings.embed(sentences), [len(each) for each in sentences], learnt.middle
        )
        return {one.label for one in learnt.sets["topic"].weigh(rows, {}, {}) if one.listed}

    water, fire = "The cellar is full of water.", "Then the garage burned down."

    assert {"WATER", "FIRE"} == listed(water, fire)
    assert {"WATER"} == listed(water, "Please send me a form.")
    assert set() == listed("When are you open?", "Thank you very much.")


@pytest.mark.clause("008-L5")
@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.floats(-3, 3), min_size=6, max_size=6),
    st.lists(st.floats(0, 9), min_size=3, max_size=3),
    st.floats(-9, 9),
)
def test_confidences_of_one_label_add_up(scores, factors, of_default):
    """To 1 over the set; of several labels each lies between 0 and 1 by itself."""
    table = np.array([*scores, 0.0, 0.0, 0.0]).reshape(3, 3)
    one = likelihoods(table, (*factors, of_default), multi=False, default=2)
    many = likelihoods(table, (*factors, of_default), multi=True, default=None)

    assert 1.0 == pytest.approx(float(one.sum()))
    assert all(0.0 <= chance <= 1.0 for chance in many)


@pytest.mark.clause("008-L5")
def test_a_confidence_is_the_share_that_was_right(model):
    """Of held-out texts in five bins of confidence, those above are righter than those below."""
    from assay.wiring import load_pack
    from assay.wiring.learning import learn_pack

    (taught,) = learn_pack(load_pack("intake"))
    agreement = taught.learned.sets["intent"].agreement

    assert agreement.examples == sum(count for count, _ in agreement.by_label.values())
    assert agreement.found == sum(found for _, found in agreement.by_label.values())
    assert 0.7 < agreement.share < 1.0


@pytest.mark.clause("008-L6")
def test_a_sign_of_danger_is_chosen_whatever_is_likelier(model):
    """A mail about an address that says in one sentence what a sign finds."""
    body = (
        "I would like to change my address. Please update my policy. Please send the form to my "
        "new flat. I am going to kill myself tonight. Thank you for your help and kind regards."
    )
    reply = json.loads(
        str(ask(model, plan_of("classify", {"subject": "New address", "body": body})).text)
    )

    assert [("RISK_SELF_HARM_THREAT", ["I am going to kill myself tonight."])] == [
        (each["label"], each["evidence_snippets"]) for each in reply["risk_flags"]
    ]
    assert 0.95 <= float(reply["risk_flags"][0]["confidence"])


def test_too_few_examples_teach_nothing(model):
    """One label, or fewer than four sentences: the lexicon and the default decide."""
    assert not can_learn({"WATER": EXAMPLES["WATER"]})
    assert not can_learn({"WATER": ("a b",), "FIRE": ("c d",)})
    assert can_learn(EXAMPLES)
    assert "OTHER" == chosen(
        model, "The cellar is flooded.", Examples(sets={"topic": {"WATER": EXAMPLES["WATER"]}})
    )


def test_surrogates_of_personal_data_say_nothing(model):
    """What stands for a name or a number changes no vector."""
    plain = model._vectors.embed(["Please call me about the flood."])
    hidden = model._vectors.embed(["Please call me [PHONE_0123456789] about the flood."])

    assert np.array_equal(plain, hidden)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.integers(2, 5))
def test_any_vectors_can_be_learnt_from(seed, multi, labels):
    """Finite numbers, thresholds and probabilities, whatever the vectors are; equal ones twice."""
    names = [f"L{number}" for number in range(labels)]
    found = LabelSet(name="s", labels=dict.fromkeys(names, ""), multi=multi)
    examples = {name: tuple(f"{name} {n}" for n in range(3)) for name in names}
    examples[NO_LABEL] = ("none 1", "none 2")

    def embed(texts):
        rows = np.array(
            [np.random.default_rng([seed, *text.encode()]).normal(size=16) for text in texts]
        )
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    lesson = Lesson(labels=found, default=None, examples=examples, finds=lambda _: {})
    one, two = learn([lesson], embed), learn([lesson], embed)
    rows = whole_and_sentences(embed(["L0 0", "none 1"]), [4, 6], one.middle)
    likely = one.sets["s"].weigh(rows, {}, {})

    assert write_learned({"k": one}) == write_learned({"k": two})
    assert sorted(names) == sorted(each.label for each in likely)
    assert all(np.isfinite(each.probability) for each in likely)
    assert [each.probability for each in likely] == sorted(
        (each.probability for each in likely), reverse=True
    )


def test_a_row_for_the_whole_text_stands_first():
    """The mean of the sentences by their lengths, seen from the middle."""
    vectors = np.eye(3)[:2]
    rows = whole_and_sentences(vectors, [3.0, 1.0], np.zeros(3))

    assert [0.75 / np.hypot(0.75, 0.25), 0.25 / np.hypot(0.75, 0.25), 0.0] == pytest.approx(
        rows[0].tolist()
    )
