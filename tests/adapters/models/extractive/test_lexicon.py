"""How a pack's words are found in texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.extractive.lexicon import Lexicon, fold, words
from assay.errors import PackError
from assay.gate.labels import LexiconEntry


def lexicon(*phrases: str, **more) -> Lexicon:
    return Lexicon("s", {"L": LexiconEntry(phrases=phrases, **more)})


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("kuendig", "Meine Kündigungsfrist", ["Kündigungsfrist"]),
        ("kündig", "MEINE KUENDIGUNG", ["KUENDIGUNG"]),
        ("kuendig", "die Ankündigung", []),
        ("*schaden", "ein Wasserschaden, Schadenhöhe", ["Wasserschaden", "Schadenhöhe"]),
        ("neu adress", "unsere neue Adresse lautet", ["neue Adresse"]),
        ("neu adress", "neue  \n Adressen", ["neue  \n Adressen"]),
        ("neu adress", "neue alte Adresse", []),
        ("neu adress", "ganz neu", []),
        ("break-in", "the break-in at night", ["break-in"]),
        ("strasse", "Hauptstraße Straße", ["Straße"]),
        ("café", "im CAFE", ["CAFE"]),
        ("", "text", []),
        ("*", "text", []),
    ],
)
def test_words_of_a_phrase_begin_words_of_the_text(phrase, text, found):
    """Inflection and compounds without a dictionary; umlauts and case do not matter."""
    assert found == [text[hit.start : hit.stop] for hit in lexicon(phrase).hits(text)]


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("[0-9]{3,}", "Nr. 123 und 45", [("123", None)]),
        ("Nr\\. ([0-9]+)", "Nr. 45", [("45", None)]),
        (
            "(?i)(?P<BILL>rechnung)|(?P<PHOTO>foto)",
            "Foto, Rechnung",
            [("Foto", "PHOTO"), ("Rechnung", "BILL")],
        ),
        ("x*", "ab", []),
    ],
)
def test_patterns_give_their_group_and_its_name(pattern, text, found):
    """The match, or the group if there is one; a group's name is the value."""
    hits = lexicon(patterns=(pattern,)).hits(text)

    assert found == [(text[hit.start : hit.stop], hit.value) for hit in hits]


def test_a_pattern_that_is_no_re2_is_the_packs_fault():
    """Look-around, for one; set and label are named."""
    with pytest.raises(PackError, match="s / L"):
        lexicon(patterns=("(?=a)",))


def test_signals_are_taken_whole_or_by_their_beginning():
    """A star takes any; none takes nothing."""
    exact = Lexicon("s", {"L": LexiconEntry(signals=("auto-submitted",))})
    any_sign = Lexicon("s", {"L": LexiconEntry(signals=("*",))})

    assert ("L",) == exact.labels_of_signals(["Auto-Submitted: auto-replied"])
    assert () == exact.labels_of_signals(["list-id"])
    assert ("L",) == any_sign.labels_of_signals(["list-id"])
    assert () == any_sign.labels_of_signals([])


def test_the_default_is_the_label_with_the_bare_star():
    """The first, where several claim it."""
    entries = {"A": LexiconEntry(phrases=("a",)), "B": LexiconEntry(phrases=("*", "b"))}

    assert "B" == Lexicon("s", entries).default
    assert lexicon("a").default is None


@given(st.text())
def test_folding_twice_is_folding_once(text):
    """And words stand where they say."""
    for word in words(text):
        assert word.folded == fold(text[word.start : word.stop])
        assert fold(word.folded) == word.folded


@given(st.lists(st.text("abcdäöü", min_size=1, max_size=6), min_size=1, max_size=6), st.data())
def test_every_word_of_a_text_is_found_by_its_beginning(parts, data):
    """Whatever else is in the lexicon."""
    text = " ".join(parts)
    at = data.draw(st.integers(0, len(parts) - 1))
    start = data.draw(st.integers(1, len(parts[at])))
    hits = lexicon("zz", parts[at][:start]).hits(text)

    assert sum(map(len, parts[:at])) + at in [hit.start for hit in hits]
