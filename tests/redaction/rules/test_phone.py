"""What is a telephone number and what is not."""

from __future__ import annotations

import pytest

from assay.redaction.redactor import Redactor

REDACTOR = Redactor()


def phones(text: str) -> list[str]:
    spans = REDACTOR.redact(text).spans
    return [text[s.start : s.stop] for s in spans if s.cls == "PHONE"]


@pytest.mark.parametrize(
    "number",
    [
        "030/1234567",
        "030 / 12 34 56 7",
        "(030) 123 45 67",
        "(0 30) 1 23 45 67",
        "+49 (0)30 1234567",
        "+49-30-1234567",
        "+49.30.1234567",
        "0049 30 1234567",
        "030\u20131234567",
        "0171 1234567",
        "01 23 45 67 89",
        "06.12.34.56.78",
        "+33 6 12 34 56 78",
        "020 7946 0958",
        "07700 900123",
        "(415) 555-0132",
        "415-555-0132",
        "415.555.0132",
        "1-800-555-0199",
        "+1 415 555 0132 ext. 12",
        "415-555-0132 x12",
        "912 345 678",
        "044 668 18 00",
        "0664 1234567",
        "+55 11 98456 5666",
    ],
)
def test_forms_that_people_write(number):
    """Found whole, with its extension, in the middle of a sentence."""
    assert [number] == phones(f"You may reach us: {number}, if you like.")


@pytest.mark.parametrize(
    "text",
    [
        "3/10/1984",
        "15.01.2026 10:00",
        "2014-04-12  04:04 PM",
        "2026-01-15 - 2026-02-15",
        "12.50 x 30.25",
        "3 x 400 x 500",
        "1.234.567,89 EUR",
        "US$ 4,500,000.00",
        "+1 000 000 EUR",
        "1 000 000,00 €",
        "192.168.10.12",
        "10.0.0.1:8080",
        "v1.2.3.4",
        "05.06.07.08",
        "0.5 0.7 0.9 12 13",
        "10 20 30 40 50 60",
        "0-0-0-0-0-0-0",
        "ISBN 0-306-40615-2",
        "CLM-2026-000123",
        "invoice 2024/000123",
        "(2026) 123456",
        "(1) 2 3 4 5 6 7",
        "order 4155550132",
        "card 4155550132",
        "234567890112",
    ],
)
def test_dates_decimals_products_amounts_and_codes_are_none(text):
    """Digits that people write for other reasons."""
    assert [] == phones(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Phone: 358 0594", "358 0594"),
        ("call me on 9472 7916?", "9472 7916"),
        ("Rückruf unter 4711 23", "4711 23"),
        ("Mein Telefon:\n374 780 163", "374 780 163"),
        ("416 60 039 office", "416 60 039"),
        ("My Japanese number is 090-1234-5678", "090-1234-5678"),
    ],
)
def test_a_word_beside_it_announces_a_number_of_any_place(text, number):
    """Where the text says telephone, its form need not be one of the regions."""
    assert [number] == phones(text)


def test_numbers_in_a_row_are_each_found():
    """Neither runs into the other."""
    assert ["0301234567", "0307654321"] == phones("0301234567 0307654321")
    assert ["+49 30 1234567", "+49 30 7654321"] == phones("+49 30 1234567 / +49 30 7654321")
