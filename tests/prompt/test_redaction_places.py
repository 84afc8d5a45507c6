"""Names and addresses, by the places where they stand."""

from __future__ import annotations

import pytest

from assay.prompt.redaction import Redactor

REDACTOR = Redactor()


def found(text: str, cls: str) -> list[str]:
    return [text[s.start : s.stop] for s in REDACTOR.redact(text).spans if s.cls == cls]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Dear Jane Roe,", "Jane Roe"),
        ("Dear Mr. Smith,", "Smith"),
        ("Sehr geehrte Frau Dr. Müller-Lüdenscheidt,", "Müller-Lüdenscheidt"),
        ("Estimado Sr. García López:", "García López"),
        ("Bonjour Jean-Luc Picard,", "Jean-Luc Picard"),
        ("Kind regards,\n\nJohn van der Berg\nClaims", "John van der Berg"),
        ("Mit freundlichen Grüßen\nHans-Peter Maier", "Hans-Peter Maier"),
        ("Thanks!\n> Jane M. Roe", "Jane M. Roe"),
        ("-- \nJane Roe\nSales", "Jane Roe"),
        ("see below\nJane Roe\n-- \nSales", "Jane Roe"),
        ("Name: Jane Roe", "Jane Roe"),
        ("Name: Roe, Jane", "Roe, Jane"),
        ('{"name": "Jane Roe"}', "Jane Roe"),
        ("Versicherungsnehmer: Max Mustermann", "Max Mustermann"),
        ("Vorname: Max", "Max"),
        ("My name is Rubija", "Rubija"),
        ("I'm Jane Roe and I live here", "Jane Roe"),
        ("From: Jane Roe <jane@example.com>", "Jane Roe"),
        ("then Jane O'Brien <jane@example.com> wrote", "Jane O'Brien"),
        ("Customer: JANE ROE", "JANE ROE"),
        ("Dear Anna Maria Louise Victoria Charlotte,", "Anna Maria Louise Victoria"),
    ],
)
def test_a_name_is_found_where_names_stand(text, name):
    """After greetings, titles and labels, before and after signatures."""
    assert [name] == found(text, "SIMPLE_NAME")


@pytest.mark.parametrize(
    "text",
    [
        "Dear Claims Team,",
        "Dear Sir or Madam,",
        "Sehr geehrte Damen und Herren,",
        "Dear John,",
        "Kind regards,\nAcme Insurance",
        "The Wasserschaden Abteilung answered",
        "Best Buy Stores",
        "jane roe",
        "Name: unknown",
        "Subject: Water Damage",
    ],
)
def test_other_capitals_are_no_names(text):
    """Teams, firms, headings and single words after a greeting stay."""
    assert [] == found(text, "SIMPLE_NAME")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("I live at 12 Main Street, Oakland and want", "12 Main Street, Oakland"),
        ("at 123 Main St Apt #456 Oakland CA 94789.", "123 Main St Apt #456 Oakland CA 94789"),
        ("1600 Pennsylvania Ave NW, Washington", "1600 Pennsylvania Ave NW, Washington"),
        ("Bow St, Covent Garden, London, WC2E 9DD", "Bow St, Covent Garden, London, WC2E 9DD"),
        ("Hauptstraße 5, 10115 Berlin und bin", "Hauptstraße 5, 10115 Berlin"),
        ("Musterstr. 12a", "Musterstr. 12a"),
        ("Am Markt 3, 50667 Köln", "Am Markt 3, 50667 Köln"),
        ("Eduard Sueß-Gasse 9", "Eduard Sueß-Gasse 9"),
        ("C. de Ruiz de Alarcón, 23 28014 Madrid", "C. de Ruiz de Alarcón, 23 28014 Madrid"),
        ("12 bis rue de la Paix, 75002 Paris", "12 bis rue de la Paix, 75002 Paris"),
        ("Via Roma 131", "Via Roma 131"),
        ("16½ Windward Road", "16½ Windward Road"),
        ("P.O. Box 123", "P.O. Box 123"),
    ],
)
def test_an_address_runs_from_the_street_to_the_place(text, address):
    """House number first or last, unit, postal code and place on the same line."""
    assert [address] == found(text, "ADDRESS_LINE")


@pytest.mark.parametrize(
    "text",
    [
        "Im Januar 2026 war es kalt",
        "Am 5 März",
        "the best Way to Market Street",
        "He went the wrong Way",
        "Please Close 5 Accounts",
        "This Court decided",
    ],
)
def test_words_for_streets_alone_are_no_address(text):
    """Without a house number, or as ordinary words."""
    assert [] == found(text, "ADDRESS_LINE")
