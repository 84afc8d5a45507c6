"""Openings of refusals."""

from __future__ import annotations

import pytest

from assay.core.text.refusals import OPENINGS, opens_like_refusal


@pytest.mark.clause("000-F1")
@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't assist with that.",
        "I’m sorry",
        "  **Sorry**, no.",
        "> I cannot help.",
        '"I am unable to process this."',
        "As an AI language model, I …",
        "I apologize for the inconvenience",
        "Es tut mir leid, aber das geht nicht.",
        "Ich kann das nicht beantworten",
        "ICH BIN NICHT IN DER LAGE, …",
        "Lo siento, pero no puedo.",
        "Je suis de\u0301sole\u0301, mais non.",
        "Mi dispiace, non posso.",
        "Het spijt me.",
        "Não posso ajudar.",
        "Przepraszam, nie mogę.",
    ],
)
def test_refusals_in_several_languages_are_known(text):
    """Case, typographic apostrophes, decomposed accents and leading marks do not hide one."""
    assert opens_like_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "…",
        "Certainly! Here is the JSON:",
        "sorrynotes",
        "The customer says: I'm sorry",
        "Here you go",
        "label: water",
        "Leiderer GmbH",
    ],
)
def test_other_prose_is_no_refusal(text):
    """An opening counts at the beginning only, and up to the end of a word."""
    assert not opens_like_refusal(text)


def test_an_empty_extension_matches_nothing():
    """A pack that lists an empty opening does not turn everything into a refusal."""
    assert not opens_like_refusal("hello", ["", "  ", "*"])


def test_openings_are_written_in_the_compared_form():
    """Lower case, no leading or doubled space: what is listed is what is looked for."""
    for openings in OPENINGS.values():
        for opening in openings:
            assert opening == " ".join(opening.lower().split())
            assert opens_like_refusal(opening)
