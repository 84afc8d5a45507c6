"""Near-duplicates among many long texts."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.evidence.near_duplicates import Compared, ratio
from assay.answers.evidence.near_duplicates_index import FEWEST, Pieced, keeper

VOCABULARY = [
    f"{head}{middle}{tail}"
    for head in ("Ge", "ta", "mo", "ri", "sch", "ku", "va", "Xy")
    for middle in ("ru", "lan", "be", "tio", "wä")
    for tail in ("ng", "s", "er", "en", "a", "ck")
]


def text(chance: random.Random, words: int) -> str:
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
        words[at:at] = text(chance, 6 * size).split(" ")
    elif kind == 3:
        words = words[at:] + words[:at]
    elif kind == 4:
        words = words[at // 2 : at // 2 + 40 + size]
    else:
        words = [word.upper() if chance.random() < 0.3 else word + "," for word in words]
    return " ".join(words)


@pytest.mark.clause("004-S4")
@pytest.mark.parametrize("seed", range(12))
def test_candidates_first_decides_as_comparing_grams_does(seed):
    """Edits of every kind, in texts of every length, are found or not found alike."""
    chance = random.Random(seed)
    originals = [text(chance, chance.choice([6, 20, 45, 120, 260])) for _ in range(25)]
    texts = originals + [edited(chance, chance.choice(originals)) for _ in range(75)]
    chance.shuffle(texts)
    threshold = chance.choice([0.7, 0.8, 0.9, 1.0])
    exact, quick = Compared(threshold), Pieced(threshold, texts[:8])

    assert [exact.keep(each) for each in texts] == [quick.keep(each) for each in texts]


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e5", "Ümläut", "longerword"]), max_size=40)


@given(st.lists(WORDS.map(" ".join), max_size=30), st.sampled_from([0.7, 0.8, 1.0]))
def test_texts_of_few_words_are_decided_alike(texts, threshold):
    """Texts that repeat themselves and each other, in any number."""
    exact, quick = Compared(threshold), keeper(texts, threshold)

    assert [exact.keep(each) for each in texts] == [quick.keep(each) for each in texts]


def test_a_repeat_is_never_made_up():
    """What is called a repeat reaches the ratio with a text before it."""
    chance = random.Random(99)
    originals = [text(chance, 80) for _ in range(20)]
    texts = originals + [edited(chance, each) for each in originals]
    quick = Pieced(0.8, texts[:8])
    kept: list[str] = []
    for each in texts:
        if quick.keep(each):
            kept.append(each)
        else:
            assert any(ratio(each, other) >= 0.8 for other in kept)


def test_few_texts_low_thresholds_and_many_short_texts_are_compared_gram_by_gram():
    """Where pieces say too little, they are not used."""
    chance = random.Random(5)
    long_texts = [text(chance, 90) for _ in range(FEWEST)]

    assert isinstance(keeper(long_texts, 0.8), Pieced)
    assert isinstance(keeper(long_texts[1:], 0.8), Compared)
    assert isinstance(keeper(long_texts, 0.5), Compared)
    assert isinstance(keeper([*long_texts, *(["Too short."] * 17)], 0.8), Compared)


@pytest.mark.parametrize("seed", range(6))
def test_chunks_of_usual_length_are_decided_by_few_pieces_as_by_all_grams(seed):
    """Of long texts only some twenty places are looked at; what is a repeat stays one."""
    chance = random.Random(100 + seed)
    originals = [text(chance, chance.choice([180, 240, 300])) for _ in range(40)]
    texts = originals + [edited(chance, chance.choice(originals)) for _ in range(80)]
    chance.shuffle(texts)
    exact, quick = Compared(0.8), keeper(texts, 0.8)

    assert isinstance(quick, Pieced)
    assert [exact.keep(each) for each in texts] == [quick.keep(each) for each in texts]


@pytest.mark.parametrize(
    "strange",
    [
        " ".join(str(7919 * place) for place in range(60)),
        " ".join(chr(0x4E00 + place) + chr(0x4E80 + place) for place in range(60)),
        " ".join(chr(0x430 + place % 32) * (1 + place % 5) + str(place) for place in range(60)),
    ],
    ids=["figures", "Chinese", "Cyrillic"],
)
def test_a_text_without_pieces_is_compared_gram_by_gram(strange):
    """Columns of figures and another script repeat themselves as anything else does."""
    chance = random.Random(8)
    texts = [text(chance, 200) for _ in range(30)]
    quick = keeper([*texts, strange, strange, texts[4]], 0.8)
    assert isinstance(quick, Pieced)

    assert [True] * 30 == [quick.keep(each) for each in texts]
    assert [True, False, False] == [quick.keep(each) for each in (strange, strange, texts[4])]


def test_a_passage_of_many_texts_is_found_when_it_comes_alone():
    """Pieces in many texts lead nowhere by themselves; a text of nothing else is compared."""
    chance = random.Random(17)
    passage = text(chance, 60)
    texts = [f"{text(chance, 150)} {passage} {text(chance, 150)}" for _ in range(60)]
    quick = keeper([*texts, passage], 0.8)

    assert [True] * 60 == [quick.keep(each) for each in texts]
    assert not quick.keep(passage)


def test_boilerplate_leads_nowhere():
    """Many texts that share an opening are no repeats, and a repeat among them is found."""
    chance = random.Random(3)
    opening = text(chance, 60)
    texts = [f"{opening} {text(chance, 120)}" for _ in range(80)]
    quick = Pieced(0.8, texts[:8])

    assert [True] * 80 == [quick.keep(each) for each in texts]
    assert not quick.keep(texts[71] + " end")
