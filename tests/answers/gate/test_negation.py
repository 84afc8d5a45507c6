"""Claims that are turned round against the passage that they cite."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.assemble import assemble, validate
from assay.answers.gate.negation_words import NEGATIONS
from assay.answers.gate.polarity import read_clauses
from assay.answers.gate.turning_words import POLES, TURNS
from tests.answers.bundles import bundle, chunk, policy
from tests.answers.gate.turned_pairs import PAIRS, PRICE, Pair


@pytest.fixture
def count_steps():
    """Count the lines of Python that a call runs."""

    def counted(call):
        steps = 0

        def step(frame, event, argument):
            nonlocal steps
            steps += event == "line"
            return step

        before = sys.gettrace()
        sys.settrace(step)
        try:
            call()
        finally:
            sys.settrace(before)
        return steps

    return counted


WIDE = {"overlap_ratio_threshold": 1.0, "max_chunk_token_ratio": 1.0}


def judged(claim, *chunks, **changes):
    """The verdict on *claim*, cited to every chunk."""
    assembly = assemble(
        bundle(*(chunk(place, text, source_reference=...) for place, text in enumerate(chunks))),
        "What is asked?",
        policy(**WIDE, **changes),
    )
    markers = "".join(f"[C{place}]" for place in range(len(chunks)))
    return validate(assembly, f"{claim.rstrip('.。।')} {markers}.")


def codes(result):
    return {(finding.code, finding.severity) for finding in result.findings}


@pytest.mark.clause("005-A4")
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.language}: {pair.claim}")
def test_a_claim_that_its_passage_does_not_carry_is_rejected_and_one_that_it_carries_passes(pair):
    """Denials, poles, exceptions and limits in fifteen languages, both ways."""
    assert pair.is_carried == judged(pair.claim, pair.chunk).accepted


@pytest.mark.clause("005-A4", "005-A7")
@pytest.mark.parametrize("pair", PRICE, ids=lambda pair: pair.claim)
def test_what_the_rule_costs_is_known(pair):
    """Right claims that are rejected all the same; one that passes leaves this list."""
    assert not judged(pair.claim, pair.chunk).accepted


@pytest.mark.clause("005-A4")
def test_the_policy_makes_a_note_of_it():
    """`negation: note` lets the answer pass and says what was found."""
    claim, passage = "The drug was approved", "The drug was not approved."
    strict, mild = judged(claim, passage), judged(claim, passage, negation="note")

    assert not strict.accepted
    assert ("grounding.negation", "reject") in codes(strict)
    assert mild.accepted
    assert {("grounding.negation", "note")} == codes(mild)


@pytest.mark.clause("005-A4")
def test_the_passage_decides_and_not_the_chunk():
    """A `not` elsewhere in the chunk neither hides a denial nor makes one."""
    passage = "The fee is refunded. Dogs are not allowed. Parking costs nothing."

    assert judged("The fee is refunded.", passage).accepted
    assert not judged("The fee is not refunded.", passage).accepted
    assert not judged("Dogs are allowed.", passage).accepted


CARRIED = [pair for pair in PAIRS if pair.is_carried]
TURNED = [pair for pair in PAIRS if not pair.is_carried]


BESIDE = {
    "en": ["Cats sleep all day.", "The sky was blue.", "Bread is baked from flour."],
    "de": ["Katzen schlafen den ganzen Tag.", "Der Himmel war blau.", "Das Brot ist aus Mehl."],
    "fr": ["Les chats dorment la nuit.", "Le ciel était bleu.", "Le pain est fait de farine."],
    "es": ["Los gatos duermen de día.", "El cielo era azul.", "El pan es de harina."],
}


@pytest.mark.clause("005-A4")
@given(
    st.sampled_from([pair for pair in PAIRS if pair.language in BESIDE]),
    st.randoms(use_true_random=False),
)
def test_the_order_of_a_chunks_sentences_says_nothing(pair: Pair, random):
    """Shuffled among sentences about other things, a passage carries what it carried."""
    listed = [pair.chunk, *BESIDE[pair.language]]
    random.shuffle(listed)

    assert pair.is_carried == judged(pair.claim, "\n\n".join(listed)).accepted


@pytest.mark.clause("005-A4")
@given(st.sampled_from([pair for pair in TURNED if pair.language == "en"]))
def test_another_chunk_beside_it_does_not_hide_a_turned_claim(pair: Pair):
    """An unrelated chunk with denials of its own is no ground for the claim."""
    other = "Penguins cannot fly. Nobody lives on the moon, except in books. All stars are far."

    assert not judged(pair.claim, pair.chunk, other).accepted


PLAIN = {
    "en": ("The fee is {}refunded in May.", "not "),
    "de": ("Die Gebühr wird im Mai {}erstattet.", "nicht "),
    "fr": ("Les frais {} remboursés en mai.", ("sont", "ne sont pas")),
    "es": ("La tasa {}se devuelve en mayo.", "no "),
    "it": ("La tassa {}viene rimborsata a maggio.", "non "),
    "pt": ("A taxa {}é devolvida em maio.", "não "),
    "nl": ("De kosten worden in mei {}vergoed.", "niet "),
    "pl": ("Opłata {}jest zwracana w maju.", "nie "),
    "ru": ("Сбор {}возвращается в мае.", "не "),
    "sv": ("Avgiften betalas {}tillbaka i maj.", "inte "),
}


@pytest.mark.clause("005-A4")
@pytest.mark.parametrize("language", PLAIN)
def test_a_denial_put_in_or_taken_out_turns_the_verdict(language):
    """The same sentence with and without its denial carries itself and not the other."""
    frame, denial = PLAIN[language]
    words = denial if isinstance(denial, tuple) else ("", denial)
    said, denied = (frame.format(word) for word in words)

    for claim, passage in ((said, said), (denied, denied)):
        assert judged(claim, passage).accepted
    for claim, passage in ((said, denied), (denied, said)):
        assert ("grounding.negation", "reject") in codes(judged(claim, passage))


OPPOSED = [
    (language, axis, said, read)
    for language in ("en", "de", "fr", "es", "it", "pt")
    for axis in POLES
    if len(POLES[axis]) == 2 and axis not in {"company", "rank", "bound", "time"}
    for said, read in [
        [
            next(
                (
                    word[0]
                    for word, place in TURNS[language].items()
                    if place == (axis, pole) and len(word) == 1 and word not in NEGATIONS[language]
                ),
                "",
            )
            for pole in sorted(POLES[axis])
        ]
    ]
    if said and read
]


@pytest.mark.clause("005-A4")
@pytest.mark.parametrize(("language", "axis", "said", "read"), OPPOSED)
def test_every_pole_of_the_tables_opposes_the_other(language, axis, said, read):
    """In each of six languages, for every axis with two poles, one word stands on each."""
    mine = [
        turn for clause in read_clauses(f"Kappa {said} omega", language) for turn in clause.turns
    ]
    theirs = [
        turn for clause in read_clauses(f"Kappa {read} omega", language) for turn in clause.turns
    ]

    assert {axis} == {turn.axis for turn in (*mine, *theirs)}
    assert {turn.pole for turn in mine}.isdisjoint(turn.pole for turn in theirs)


@pytest.mark.clause("005-A4")
def test_another_language_than_the_evidences_is_not_compared():
    """A German sentence about an English passage has no denial to compare."""
    result = judged(
        "Die Gebühr wird nicht erstattet und das ist so.", "The fee is the same for all."
    )

    assert "grounding.negation" not in {code for code, _ in codes(result)}


@pytest.mark.clause("005-A4")
@given(st.text(max_size=300))
def test_any_text_can_be_read(text):
    """Whatever a clause is made of, reading it ends, and ends the same."""
    for language in ("en", "de", "fr", "zh", None):
        assert list(read_clauses(text, language)) == list(read_clauses(text, language))


@pytest.mark.clause("005-A4")
@pytest.mark.parametrize("piece", ["not ", "a", "and 5 a7 ", "more than ", "n't ", "open closed "])
def test_the_work_on_a_clause_is_bounded(piece, count_steps):
    """Twice the text is at most little more than twice the steps."""
    short = count_steps(lambda: list(read_clauses(piece * 400, "en")))
    long = count_steps(lambda: list(read_clauses(piece * 800, "en")))

    assert long < 2.5 * short + 1000
