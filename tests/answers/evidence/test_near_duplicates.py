"""Near-duplicates."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.evidence.near_duplicates import NearDuplicates, grams, ratio, words


def test_words_are_folded():
    """Case and signs do not make words differ."""
    assert ["the", "fee_2", "strasse", "is", "due"] == words("The FEE_2, Straße: is—due!")


def test_short_texts_compare_by_words():
    """A text of fewer than five words has its words for grams; one without words itself."""
    assert {("b",), ("a",)} == grams("A b")
    assert 1.0 == ratio("a b", "B, a")
    assert {("!?",)} == grams("!?")


@pytest.mark.clause("004-S4")
def test_the_smaller_set_counts():
    """A text within a longer one is its repeat."""
    short = "one two three four five six"

    assert 1.0 == ratio(short, f"before {short} after and more")
    assert 0.5 == ratio("a b c d e f", "a b c d e g")


def kept(texts, threshold) -> list[bool]:
    """What is decided of each text."""
    found = NearDuplicates(threshold)
    return [found.keep(text) for text in texts]


def compared(texts, threshold) -> list[bool]:
    """The same by comparing every pair: what is right."""
    before: list[str] = []
    decided = []
    for text in texts:
        decided.append(not any(ratio(text, other) >= threshold for other in before))
        if decided[-1]:
            before.append(text)
    return decided


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e5", "Ümläut"]), max_size=40).map(" ".join)
THRESHOLDS = st.sampled_from([0.01, 0.3, 0.55, 0.8, 1.0])


@given(st.lists(WORDS, max_size=30), THRESHOLDS)
def test_texts_of_few_words_are_decided_as_comparing_all_pairs_does(texts, threshold):
    """Texts that repeat themselves and each other, in any number and of any length."""
    assert compared(texts, threshold) == kept(texts, threshold)


VOCABULARY = [
    f"{head}{middle}{tail}"
    for head in ("Ge", "ta", "mo", "ri", "sch", "ku", "va", "Xy")
    for middle in ("ru", "lan", "be", "tio", "wä")
    for tail in ("ng", "s", "er", "en", "a", "ck")
]


def prose(chance: random.Random, words: int) -> str:
    """Sentences of words drawn at random."""
    drawn = [chance.choice(VOCABULARY) for _ in range(words)]
    for place in range(7, words, 9):
        drawn[place] += chance.choice([".", ",", " –", ":\n"])
    return " ".join(drawn)


def edited(chance: random.Random, original: str) -> str:
    """The text with words changed, cut out, put in, moved, or written otherwise."""
    words = original.split(" ")
    at, size = chance.randrange(len(words)), chance.randrange(1, 12)
    kind = chance.randrange(6)
    if kind == 0:
        for _ in range(max(1, len(words) // 30)):
            words[chance.randrange(len(words))] = chance.choice(VOCABULARY)
    elif kind == 1:
        del words[at : at + size]
    elif kind == 2:
        words[at:at] = prose(chance, 6 * size).split(" ")
    elif kind == 3:
        words = words[at:] + words[:at]
    elif kind == 4:
        words = words[at // 2 : at // 2 + 40 + size]
    else:
        words = [word.upper() if chance.random() < 0.3 else word + "," for word in words]
    return " ".join(words)


@pytest.mark.clause("004-S4")
@pytest.mark.parametrize("seed", range(12))
def test_edits_are_decided_as_comparing_all_pairs_does(seed):
    """Edits of every kind, in texts of every length, with a passage that many of them share."""
    chance = random.Random(seed)
    opening = prose(chance, chance.choice([0, 12, 60]))
    originals = [prose(chance, chance.choice([6, 20, 45, 120, 200])) for _ in range(12)]
    texts = [*originals, *(edited(chance, chance.choice(originals)) for _ in range(30))]
    texts = [f"{opening} {text}" if chance.random() < 0.7 else text for text in texts]
    chance.shuffle(texts)
    threshold = chance.choice([0.4, 0.7, 0.8, 0.9, 1.0])

    assert compared(texts, threshold) == kept(texts, threshold)


@pytest.mark.parametrize(("differing", "stays"), [(3, False), (4, False), (5, True)])
def test_the_threshold_itself_is_a_repeat(differing, stays):
    """Of 20 grams 16 shared reach 0.8, and 15 do not."""
    words = [f"w{place}" for place in range(24)]
    other = words[: 24 - differing] + ["x"] * differing

    assert [True, stays] == kept([" ".join(words), " ".join(other)], 0.8)


def test_what_was_left_out_keeps_nothing_out():
    """A text repeats only what was kept: of three, each near the next, the third stays."""
    first, second, third = (
        " ".join(f"w{place}" for place in range(start, start + 24)) for start in (0, 4, 8)
    )

    assert [True, False, True] == kept([first, second, third], 0.8)


def test_an_opening_that_many_texts_share_makes_none_a_repeat():
    """A passage of many texts makes no repeats of them; a repeat of one of them is found, and so
    is the passage when it comes alone."""
    opening = "All offices of the county are open on working days from eight to noon"
    texts = [f"{opening} {' '.join(f'w{n}x{i}' for i in range(40))}" for n in range(80)]

    assert [True] * 80 + [False, False] == kept([*texts, f"{texts[71]} end", opening], 0.8)


def test_a_short_text_among_long_ones_is_found():
    """A text of a few words repeats the long one that holds them, and is repeated by it."""
    long_text = " ".join(f"w{place}" for place in range(200))
    short = "w90 w91 w92 w93 w94 w95"

    assert [True, False] == kept([long_text, short], 0.8)
    assert [True, False] == kept([short, long_text], 0.8)


def test_a_text_that_shares_just_enough_is_a_repeat():
    """Eight of sixteen word groups at a threshold of one half: the last one that counts is met."""
    same = [f"w{number}" for number in range(12)]
    one, two = (" ".join([*same, *(f"{end}{n}" for n in range(8))]) for end in "xy")

    assert 0.5 == ratio(one, two)
    assert [True, False] == kept([one, two], 0.5)
    assert [True, True] == kept([one, two], 0.51)
