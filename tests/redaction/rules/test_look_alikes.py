"""What only looks like personal data: it stands as it is, and only rows of digits are hidden."""

from __future__ import annotations

import pytest

from assay.redaction.redactor import Redactor

REDACTOR = Redactor()

LOOK_ALIKES = [
    "Rechnung 030-2024-0012",
    "Birthday party on 12.05.2024",
    "serviceKey: fema-covid-19-funeral-assistance",
    "05 12 2024",
    "2024 05 12",
    "Order 4711-0815-22 on 2026-03-14 at 10:45",
    "Version 10.4.12-rc.3",
    "ISBN 978-0-306-40615-7",
    "ISBN 3-16-148410-0",
    "1.234.567,89 EUR",
    "12 O 345/23",
    "Az. 12 C 345/20",
    "invoice 2024/00312",
    "La factura 2024/00312 por 1.245,60 € vence el 30/06/2024.",
    "Offerte 2024-0815 is geldig tot 31-12-2024 voor € 1.250,00.",
    "Wir treffen uns am 12.05.2024 um 14:30 in Zimmer 204, bitte Akte 12 O 345/23 mitbringen.",
    "Warmmiete 1150 €",
    "Platz 3 von 5",
    "Straße 2024 gesperrt",
    "Hauptstraße 1150 € Miete",
    "Die Straße 1 150 000 €",
    "Am Markt 3 Stände",
    "im Jahr 2024 waren es 12 000",
    "Score 3-2, 110:98",
    "10 20 30 40 50",
    "2024-2025",
    "1/2/3",
    "version 1.2.3.4",
    "v1.2.3.4",
    "section 1.2.3.4",
    "§ 1.2.3.4",
    "Chrome/120.0.0.0 Safari",
    "1.2.3.4 Introduction",
    "numpy==1.2.3.4",
    "12:30:45",
    "std::vector",
    "a::b",
    "Foo::Bar",
    "1.2.3.4.5",
    "sha256:ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12",
    "d41d8cd98f00b204e9800998ecf8427e",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "commit 1234567a",
    "commit 12345678",
    "12.04.1985",
    "3. Mai 1971",
    "vom 12.04.1985 an",
    "May 3, 1971 was",
    "seit 12.04.1985 geboren",
    "the sk-learn package",
    "sk-ip",
    "task-force-12345678",
    "password: required",
    "password reset",
    "api_key is needed",
    "Bearer of news arrived",
    "token ring",
    "the secret garden",
    "look at the dot com bubble",
    "meet me at noon dot",
    "at 5 at example.com",
    "we met at example.com",
    "price @ 3.50",
    "20 @ $5",
    "Nummer 12, Seite 34",
    "Kapitel 3.4.5",
    "Zimmer 204",
    "Platz 12",
    "Ring 5 times",
    "Weg 3 ist gesperrt",
    "the Way 5",
    "Allee 2024",
    "1150 Wien kostet",
    "Seit 1990 Berlin war",
    "12 Monate Garantie",
    "Tel Aviv 2024",
    "Telekom 2024",
    "Durchwahl steht unten",
    "extension 2 weeks",
    "Durchwahl 2024 neu",
    "ext3 file system",
    "3.14159",
    "0.123456",
    "1,234,567",
    "12.345.678",
    "2024.05.12",
    "20240512T101112",
    "call 911",
    "dial 112",
    "between 100 - 200 units",
    "10 - 12 / 14 - 16",
    "2 x 3 / 4 - 5",
    "+5 - 3",
    "+49",
    "+1000",
    "+12 34",
    "1990-2000 / 2001-2010",
    "19.30 - 21.30",
    "9-5-2024 / 10-5-2024",
    "Art.-Nr. 123-456-7",
    "EUR 12 345 67",
    "12 345 678 €",
    "Team Blue, 5 Main",
    "先生、こんにちは",
    "お客様",
    "皆さん",
    "고객님",
    "선생님",
    "老师先生",
    "小姐",
    "Yours, The Team",
    "Kind regards, Acme",
    "Warm Greetings, Berlin",
    "The Big Apple, 5 stars",
    "lot 12/34-56",
    "Calle abierta 2024",
    "Via e-mail 3 times",
    "Corso 2024",
    "Platz 1 150 €",
    "Kaufpreis Straße 250000 €",
    "page 12 of 345",
    "PO 4500123",
    "Sonntag 10-12",
    "at 12 King",
    "No. 5 Chanel",
    "1 st place",
    "4 Pl",
    "mod 11-10",
    "127 0 0 1",
    "GPL-3.0-or-later",
    "UTF-8",
    "ISO 8601-1:2019",
    "RFC 2822",
    "DIN 5008",
    "10:15-11:45",
    "52.5200, 13.4050",
    "1e10",
    "0x1234567",
    "#1234567",
    "$1,234.56",
    "100%",
    "born in 1971",
    "born to run 5",
    "geboren 1985",
    "ur. 5",
    "DOB required",
    "Seat 12A",
    "Row 5-7",
    "GB 1234567",
]

HASHES = [
    "d41d8cd98f00b204e9800998ecf8427e",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "trace 4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7",
    "commit 3f2a9c1234567",
    'etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"',
    "MD5 0123456789ABCDEF0123456789ABCDEF",
]


@pytest.mark.clause("005-P14")
@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_people_write_for_other_reasons_stands(text):
    """Dates, amounts, products, versions, sections, scores, file numbers, ordinary words."""
    assert [] == [s for s in REDACTOR.redact(text).spans if s.cls != "NUMBER"]


@pytest.mark.clause("005-P14")
@pytest.mark.parametrize("text", HASHES)
def test_no_digits_are_taken_out_of_a_hash(text):
    """It tells nothing of a person, and without its digits it names nothing."""
    assert text == REDACTOR.redact(text).text


@pytest.mark.clause("005-P14")
def test_digits_that_were_hidden_elsewhere_do_not_stand_in_a_hash():
    """What is hidden is hidden everywhere; a hash that happens to hold it goes as a whole."""
    shown = REDACTOR.redact("order 123456, digest 3f2a9c123456be01aa").text

    assert "123456" not in shown
    assert shown.count("[NUMBER_") == 2


@pytest.mark.clause("005-P14")
@pytest.mark.parametrize("text", ["order 123456", "A-123456.7", "x1234567", "0" * 32, "ab123456"])
def test_other_rows_of_digits_are_hidden(text):
    """Digits alone are no hash, whatever their count; a few letters make none either."""
    assert {"NUMBER": 1} == REDACTOR.redact(text).counts


AMOUNTS = [
    ("Hauptstraße 5, Warmmiete 1150 €", ["Hauptstraße 5"]),
    ("Hauptstr. 5 1150,- €", ["Hauptstr. 5"]),
    ("5 rue de la Paix 1150 €", ["5 rue de la Paix"]),
    ("ul. Długa 5, 1150 zł", ["ul. Długa 5"]),
    ("ul. Długa 1150 zł", []),
    ("Calle Mayor 1150 €", []),
    ("WARMMIETE 1150 €", []),
    ("Lindenallee 1150 EUR", []),
    ("Hauptstraße 12, 1150 EUR Kaltmiete", ["Hauptstraße 12"]),
    ("Hauptstraße 12, 10115 Berlin, 1150 €", ["Hauptstraße 12, 10115 Berlin"]),
    ("Hauptstr. 5, 1150,- warm", ["Hauptstr. 5"]),
    ("Hauptstr. 5, 1150.-- warm", ["Hauptstr. 5"]),
    ("Lindenhof 5\n10115 EUR", []),
    ("Artikel 5\n10115 Stueck", []),
    ("Bericht 5\n2023 Hamburg", []),
    ("Wir zahlten 5\n10115 Teile kamen", []),
    ("Hauptstr. 5: 850,00 €", ["Hauptstr. 5"]),
    ("Hauptstraße 5\n1150 € Warmmiete", ["Hauptstraße 5"]),
    ("Hauptstraße 5\n1150 Euro", ["Hauptstraße 5"]),
    ("Lindenweg 7, 2. OG, 500 €", ["Lindenweg 7, 2. OG"]),
    ("Via Roma 12, 20121 Milano: 300 EUR", ["Via Roma 12, 20121 Milano"]),
    ("Hauptstraße 5\n2024 Januar", ["Hauptstraße 5"]),
]


@pytest.mark.clause("005-P14")
@pytest.mark.parametrize(("text", "places"), AMOUNTS)
def test_an_address_never_eats_an_amount(text, places):
    """Neither on its line nor on the line below."""
    spans = REDACTOR.redact(text).spans

    assert places == [text[s.start : s.stop] for s in spans if s.cls == "ADDRESS_LINE"]
