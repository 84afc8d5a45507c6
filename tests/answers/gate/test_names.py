"""Names by how they are written."""

from __future__ import annotations

import pytest

from assay.answers.gate.names import is_german, names_in


@pytest.mark.clause("005-A4")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ibuprofen treats headaches.", ["Ibuprofen"]),
        ("Einstein's theory holds.", ["Einstein"]),
        ("Helga Muster pays the fee.", ["Helga Muster"]),
        ("The Ibuprofen helps.", ["Ibuprofen"]),
        ("Ibuprofen hilft gegen Kopfschmerzen und Fieber.", ["Ibuprofen"]),
        ("Müller wohnt in der Stadt und zahlt.", ["Müller"]),
        ("Helga Muster zahlt die Gebühr.", ["Helga Muster"]),
    ],
)
def test_a_name_at_the_start_of_a_sentence_is_a_name(text, names):
    """In English and in German, alone or in a run."""
    assert names == [place.text for place in names_in(text, german=is_german(text))]


@pytest.mark.clause("005-A4")
@pytest.mark.parametrize(
    "text",
    [
        "Refunds are paid.",
        "Members pay nothing.",
        "Paying is easy.",
        "Yearly fees are due.",
        "Nobody pays.",
        "Using it costs nothing.",
        "Gebühren sind fällig.",
        "Zahlung erfolgt sofort.",
        "Heute ist der Antrag fällig.",
        "Über den Antrag entscheidet das Amt.",
        "Les frais sont remboursés.",
        "l'état civil",
        "взнос в евро",
        "शुल्क वापस",
        "会費は無料です",
    ],
)
def test_a_word_that_owes_its_capital_to_its_place_is_none(text):
    """Plurals, forms of verbs, small words; small letters and scripts that have no capitals."""
    assert [] == [place.text for place in names_in(text, german=is_german(text))]
