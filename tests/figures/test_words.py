"""What charts say, in two languages from one catalogue."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from assay.figures.panels import panels_of
from assay.figures.record_figures import Latency, RecordFigures
from assay.figures.review_figures import Agreement, Calibration, ConfidenceBin
from assay.figures.words import ENGLISH, PANELS, words_in

pytestmark = pytest.mark.clause("007-F11")

BINS = tuple(
    ConfidenceBin(low=at / 10, high=(at + 1) / 10, statements=at, confirmed=at // 2, stated=at / 10)
    for at in range(10)
)
FIGURES = RecordFigures(
    periods=("2026-01-17", "2026-01-18"),
    calls=9,
    latency=(Latency(), Latency()),
    input_tokens=(0, 0),
    output_tokens=(0, 0),
    drift={"t/a@1": (1, 0)},
    fallbacks={"t/a": (2, 3)},
    agreement=Agreement(
        kept=(3, 0), label=(1, 0), elsewhere=(0, 0), rejected=(0, 0), unread=(0, 2),
        pairs=4, agreed=3,
    ),
    calibration=Calibration(bins=BINS, cases=6, silent=1, unread=2),
)  # fmt: skip


def panels_in(language, figures=FIGURES):
    return {panel.name: panel for panel in panels_of(figures, words_in(language))}


def test_both_languages_have_the_same_keys_and_places():
    """Every sentence says something, and nothing else is left to fill."""
    german = words_in("de").sentences
    places = re.compile(r"\{(\w+)\}")

    assert set(ENGLISH.sentences) == set(german)
    for key, sentence in ENGLISH.sentences.items():
        assert sentence.strip(), key
        assert set(places.findall(sentence)) == set(places.findall(german[key])), key
    assert words_in("fr") is ENGLISH


@pytest.mark.parametrize("language", ["en", "de"])
def test_pictures_are_the_same_in_every_language(language):
    """The same names in the same order; only what is read differs."""
    english, other = panels_in("en"), panels_in(language)

    assert list(PANELS) == list(other)
    for name, panel in other.items():
        shapes = [re.findall(r' d="[^"]*"', each.drawing) for each in (english[name], panel)]
        assert shapes[0] == shapes[1]
        assert len(panel.table.rows) == len(english[name].table.rows)


@pytest.mark.clause("007-F8", "007-F9", "007-F10")
def test_sentences_tell_shares_with_their_intervals_and_what_is_left_out():
    """One time and several, in words that fit."""
    english, german = panels_in("en"), panels_in("de")

    assert english["agreement"].sentence == (
        "75% (30–95%) of 4 decided cases kept the model's output. 2 accepted cases cannot be "
        "compared: a text is gone, or cannot be read here. Of 4 cases that two people decided, "
        "they agreed on 75% (30–95%)."
    )
    assert "3 von" not in german["drift"].sentence
    assert german["drift"].sentence.startswith("Einmal war eine Vorlage")
    assert english["fallbacks"].sentence.startswith("5 times")
    assert "no fair sample" in english["calibration"].sentence
    assert "2 accepted cases left out" in english["calibration"].sentence
    assert ("2026-01-18", "2", "0", "0", "0", "0", "2", "–", "–", "–") in (
        english["agreement"].table.rows
    )


def test_nothing_decided_is_said_and_not_drawn():
    """An empty picture has a sentence and no table."""
    none = replace(FIGURES, agreement=Agreement(), calibration=Calibration(), drift={})
    panels = panels_in("en", none)

    for name in ("agreement", "calibration", "drift"):
        assert ("", ()) == (panels[name].drawing, panels[name].table.rows)
        assert panels[name].sentence


@pytest.mark.clause("007-F10")
def test_the_curve_has_a_diagonal_and_an_interval_for_each_bin():
    """A point for each bin in which something was stated."""
    drawing = panels_in("en")["calibration"].drawing

    assert 'd="M46 192L262 26"' in drawing
    assert 9 == drawing.count('class="o-accent"')
    assert 9 + 1 == drawing.count("<circle")


@pytest.mark.clause("007-F4")
def test_names_of_templates_are_text():
    """Whatever a registry holds, it is no markup in the charts."""
    hostile = "</svg><script>alert(1)</script>\u202e"
    panels = panels_in("de", replace(FIGURES, drift={hostile: (1, 0)}, fallbacks={hostile: (1, 1)}))

    for name in ("drift", "fallbacks"):
        assert "<script" not in panels[name].drawing
        assert "\u202e" not in panels[name].drawing
