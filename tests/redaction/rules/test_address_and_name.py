"""Names and addresses, by the places where they stand."""

from __future__ import annotations

import pytest

from assay.redaction.redactor import Redactor

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
        "in Plaza de España, 5 de mayo",
        "Corso di formazione 2026, 20 ore",
        "We drove via Paris 12 times",
        "In der Regel 5 Tage, 10115 Stück",
        "Chemin des Dames 1917",
    ],
)
def test_words_for_streets_alone_are_no_address(text):
    """Without a house number, or as ordinary words."""
    assert [] == found(text, "ADDRESS_LINE")


@pytest.mark.parametrize(
    "address",
    [
        "C/ Mayor 5, 2º B, 28013 Madrid",
        "Calle de Alcalá 45, 3º izda., 28014 Madrid",
        "Avda. de la Constitución, 12, bajo A, 41001 Sevilla",
        "Plaza de España s/n, 50001 Zaragoza",
        "Calle Serrano, 21, piso 4, puerta 2, 28001 Madrid",
        "Paseo de Gracia 92, 3.º 1.ª, 08008 Barcelona",
        "Carrer de Balmes, 150, 2n 1a, 08008 Barcelona",
        "Calle Gran Vía nº 8, esc. B, 1º dcha, 48001 Bilbao (Vizcaya)",
        "Camino Viejo de Leganés 33 bis, 28019 Madrid",
        "Ctra. de Valencia km 7,5, 28053 Madrid",
        "Via Roma 12/A, 20121 Milano",
        "Via Giuseppe Garibaldi n. 5, 00153 Roma (RM)",
        "Viale dei Mille, 3 int. 4, 50131 Firenze FI",
        "Piazza San Marco 1, 30124 Venezia",
        "Corso Vittorio Emanuele II 24, scala B, interno 7, 10123 Torino",
        "Via XX Settembre 45, 16121 Genova",
        "Via Roma, 12 - 20121 Milano (MI)",
        "Largo Augusto 8 bis, 20122 Milano",
        "12 bis rue de la Paix, 75002 Paris",
        "12 bis, rue de la Paix, 75002 Paris",
        "5 place du Marché Saint-Honoré, 75001 Paris",
        "27 avenue des Champs-Élysées, bâtiment B, 75008 Paris",
        "8 rue du Faubourg Saint-Honoré, 3e étage, 75008 Paris Cedex 08",
        "14, rue Victor Hugo, appt 12, 69002 Lyon",
        "3 ter chemin des Vignes, 13100 Aix-en-Provence",
        "Keizersgracht 123-II, 1015 CJ Amsterdam",
        "Keizersgracht 123 hs, 1015 CJ Amsterdam",
        "Dorpsstraat 12a, 1234 AB Ons Dorp",
        "Prins Hendrikkade 33-3, 1012 TM Amsterdam",
        "Van der Helststraat 5 bis, 3512 AB Utrecht",
        "Rua Augusta 100, 2.º Esq., 1100-053 Lisboa",
        "Av. da Liberdade, 245, 4.º Dto, 1250-143 Lisboa",
        "Praça do Comércio n.º 3 r/c, 1100-148 Lisboa",
        "Rua de Santa Catarina 312, 4000-443 Porto",
        "Hauptstraße 5, 2. OG links, 10115 Berlin",
        "Lindenweg 7 b, Hinterhaus, 50667 Köln",
        "Mariahilfer Straße 12/3/14, 1070 Wien",
        "Bahnhofstrasse 3, 8001 Zürich",
        "Flat 3, 12 Main Street, London SW1A 1AA",
        "221B Baker Street, London NW1 6XE",
        "Rue de Rivoli 12, 1000 Bruxelles",
        "Rue Neuve 5 boîte 3, 1000 Bruxelles",
        "Via Nassa 5, 6900 Lugano",
        "Avenida Diagonal 477, planta 12, 08036 Barcelona (España)",
        "c/ Goya, 23, 5ºD, 28001 Madrid",
        "Travessera de Gràcia 45, 2-1, 08021 Barcelona",
        "Polígono Industrial El Prado, nave 7, 06800 Mérida",
        "Via Monte Napoleone, 8 int. 3 sc. A, 20121 Milano MI, Italia",
        "10 rue de l'Abbé-de-l'Épée, esc. B, 2e étage gauche, 75005 PARIS",
        "Chemin de la Colline 12, 1007 Lausanne",
        "Lange Voorhout 8, 2514 ED 's-Gravenhage",
        "Burgemeester de Withstraat 22-3 hoog, 3732 DC De Bilt",
        "Kerkstraat 12 bus 0201, 9000 Gent",
        "Av. Almirante Reis, n.º 94, 3.º andar Dto., 1150-023 Lisboa",
    ],
)
def test_an_address_keeps_its_tail(address):
    """Floor, stairs, door, postal code, place and province go with it; the sentence stays."""
    assert [address] == found(f"I live at {address}. It rained.", "ADDRESS_LINE")
    assert [address] == found(f"({address} )", "ADDRESS_LINE")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("en la calle Mayor 5, bajo la lluvia", "calle Mayor 5"),
        ("5 rue Hugo. It rained", "5 rue Hugo"),
        ("è in via Dante 7, 3° piano, 00185 Roma!", "via Dante 7, 3° piano, 00185 Roma"),
        ("Via Roma 12/A, 20121 Milano: 300 EUR", "Via Roma 12/A, 20121 Milano"),
        ("Rua 25 de Março 100, 01021-000 São Paulo", "Rua 25 de Março 100, 01021-000 São Paulo"),
    ],
)
def test_what_follows_an_address_is_left(text, address):
    """Words of the sentence that only look like a floor or a place are no part of it."""
    assert [address] == found(text, "ADDRESS_LINE")
