"""Accounts, cards, identifiers, plates, birth dates and addresses of machines."""

from __future__ import annotations

import pytest

from assay.redaction.redactor import Redactor

REDACTOR = Redactor()

ACCOUNTS = [
    ("x DE89 3704 0044 0532 0130 00 y", "DE89 3704 0044 0532 0130 00"),
    ("x DE 89 37 04 00 44 05 32 01 30 00 y", "DE 89 37 04 00 44 05 32 01 30 00"),
    ("x DE893 70400 44053 20130 00 y", "DE893 70400 44053 20130 00"),
    ("x DE89.3704.0044.0532.0130.00.", "DE89.3704.0044.0532.0130.00"),
    ("x DE89-3704-0044-0532-0130-00", "DE89-3704-0044-0532-0130-00"),
    ("x DE89 3704 0044\n0532 0130 00 y", "DE89 3704 0044\n0532 0130 00"),
    ("> x DE89 3704 0044\n> 0532 0130 00 y", "DE89 3704 0044\n> 0532 0130 00"),
    ("x de89 3704 0044 0532 0130 00", "de89 3704 0044 0532 0130 00"),
    ("x De89 3704 0044 0532 0130 00", "De89 3704 0044 0532 0130 00"),
    ("IBANDE89370400440532013000", "DE89370400440532013000"),
    ("IBAN:DE89370400440532013000BIC:COBADEFFXXX", "DE89370400440532013000"),
    ("x DE89  3704  0044  0532  0130  00", "DE89  3704  0044  0532  0130  00"),
    ("iban=DE89370400440532013000&x", "DE89370400440532013000"),
    ("KontoDE89370400440532013000", "DE89370400440532013000"),
    ("iban_DE89370400440532013000", "DE89370400440532013000"),
    ("x DE89/3704/0044/0532/0130/00", "DE89/3704/0044/0532/0130/00"),
    ("x DE89\u00a03704\u00a00044 0532 0130 00", "DE89\u00a03704\u00a00044 0532 0130 00"),
    ("Card 4111.1111.1111.1111 please", "4111.1111.1111.1111"),
    ("Card 4111/1111/1111/1111 please", "4111/1111/1111/1111"),
    ("Card 4111  1111  1111  1111 ", "4111  1111  1111  1111"),
    ("Card 4111 1111\n1111 1111 please", "4111 1111\n1111 1111"),
    ("Visa4111111111111111", "4111111111111111"),
    ("4111111111111111CVC 123", "4111111111111111"),
    ("Card 4111 - 1111 - 1111 - 1111", "4111 - 1111 - 1111 - 1111"),
    ("amex 3782.822463.10005", "3782.822463.10005"),
    ("Card 4111_1111_1111_1111", "4111_1111_1111_1111"),
]

IDENTIFIERS = [
    ("Steuer-ID lautet 86095742719", "86095742719"),
    ("Personalausweis hat die Nummer T220001293, ausgestellt", "T220001293"),
    ("immatriculée AB-123-CD appartient", "AB-123-CD"),
    ("matrícula 1234 BCD", "1234 BCD"),
    ("Kennzeichen M-AB 1234", "M-AB 1234"),
    ("registration number AB12 CDE", "AB12 CDE"),
    ("targa AB123CD", "AB123CD"),
    ("kenteken XX-99-XX", "XX-99-XX"),
    ("numer rejestracyjny WA 12345", "WA 12345"),
    ("PESEL 44051401458", "44051401458"),
    ("license plate 8XYZ123", "8XYZ123"),
    ("BSN is 111222333", "111222333"),
    ("CF RSSMRA85T10A562S", "RSSMRA85T10A562S"),
    ("le 1 84 12 76 451 089 46.", "1 84 12 76 451 089 46"),
    ("DNI 12345678Z", "12345678Z"),
]

BIRTH_DATES = [
    ("née Dupont le 3 mars 1960", "3 mars 1960"),
    ("Geburtsdatum/-ort: 01.01.1980, Berlin", "01.01.1980"),
    ('{"dateOfBirth": "1980-01-01"}', "1980-01-01"),
    ("昭和55年1月1日生まれ", "昭和55年1月1日"),
    ("geb. 12.04.1985 in", "12.04.1985"),
    ("Geb.-Dat.: 12.03.1980", "12.03.1980"),
    ("Geburtstag ist der 12.03.1980", "12.03.1980"),
    ("geboren am 12.04.1985", "12.04.1985"),
    ("Geburtsdatum 3. Mai 1971.", "3. Mai 1971"),
    ("Geburtsdatum: 3. Mai 1971", "3. Mai 1971"),
    ("geb. am 12.4.85", "12.4.85"),
    ("born May 3, 1971", "May 3, 1971"),
    ("born on the 3rd of May 1971", "3rd of May 1971"),
    ("DOB: 03/05/1971", "03/05/1971"),
    ("date of birth 1971-05-03", "1971-05-03"),
    ("D.O.B. 03/05/71", "03/05/71"),
    ("née le 4 mai 1990", "4 mai 1990"),
    ("nacido el 3 de mayo de 1971", "3 de mayo de 1971"),
    ("nací el 03/02/1979", "03/02/1979"),
    ("nato a Roma il 3 maggio 1971", "3 maggio 1971"),
    ("nata il 03/05/1971", "03/05/1971"),
    ("nascido em 3 de maio de 1971", "3 de maio de 1971"),
    ("ur. 03.05.1971", "03.05.1971"),
    ("urodzony 3 maja 1971", "3 maja 1971"),
    ("geboren op 3 mei 1971", "3 mei 1971"),
    ("geboortedatum: 03-05-1971", "03-05-1971"),
    ("geboren in Köln am 12.04.1985", "12.04.1985"),
    ("Date of birth (dd/mm/yyyy): 01/02/1990", "01/02/1990"),
    ("生年月日：1990年5月3日", "1990年5月3日"),
    ("出生日期: 1990-05-03", "1990-05-03"),
    ("Max Muster, *12.04.1985, wohnt", "12.04.1985"),
    ("date of birth is 12.04.1985", "12.04.1985"),
    ("birthday: 12 April 1985", "12 April 1985"),
    ("date de naissance : 12/04/1985", "12/04/1985"),
    ("fecha de nacimiento: 12/04/1985", "12/04/1985"),
    ("data di nascita 12/04/1985", "12/04/1985"),
    ("data urodzenia: 12.04.1985", "12.04.1985"),
    ("född 1985-04-12", "1985-04-12"),
    ("дата рождения: 12.04.1985", "12.04.1985"),
]

HOSTS = [
    ("from 192.168.10.7 at", "192.168.10.7"),
    ("IP: 203.0.113.5", "203.0.113.5"),
    ("[203.0.113.5]", "203.0.113.5"),
    ("203.0.113.5:8080", "203.0.113.5"),
    ("x 2001:db8::ff00:42:8329 y", "2001:db8::ff00:42:8329"),
    ("x 2001:0db8:85a3:0000:0000:8a2e:0370:7334.", "2001:0db8:85a3:0000:0000:8a2e:0370:7334"),
    ("x fe80::1 y", "fe80::1"),
    ("x fe80::1ff:fe23:4567:890a%eth0", "fe80::1ff:fe23:4567:890a"),
    ("x ::ffff:192.0.2.128 y", "::ffff:192.0.2.128"),
    ("[2001:db8::1]:443", "2001:db8::1"),
    ("http://10.0.0.1/x", "10.0.0.1"),
    ("x 10.0.0.0/8", "10.0.0.0"),
    ("client=203.0.113.5;", "203.0.113.5"),
]


def hides(text: str, value: str, cls: str) -> bool:
    """Whether one finding of this class covers the value, and a second pass finds no more."""
    view = REDACTOR.redact(text)
    at = text.index(value)
    covered = any(s.cls == cls and s.start <= at and s.stop >= at + len(value) for s in view.spans)
    return covered and REDACTOR.redact(view.text).text == view.text


@pytest.mark.clause("005-P14")
@pytest.mark.parametrize(("text", "value"), ACCOUNTS)
def test_an_account_or_card_number_is_found_however_it_is_grouped(text, value):
    """By twos and fives, with dots, over a line end, glued to its label."""
    assert hides(text, value, "ID_CODE"), REDACTOR.redact(text).text


@pytest.mark.clause("005-P14")
@pytest.mark.parametrize(("text", "value"), IDENTIFIERS)
def test_an_identifier_of_a_person_or_car_is_found(text, value):
    """By check digits, or behind a word that says what it is."""
    assert hides(text, value, "ID_CODE"), REDACTOR.redact(text).text


@pytest.mark.clause("005-P14")
@pytest.mark.parametrize(("text", "value"), BIRTH_DATES)
def test_a_birth_date_is_found_behind_a_word_that_says_so(text, value):
    """In words and figures, a place between, in many languages."""
    assert hides(text, value, "ID_CODE"), REDACTOR.redact(text).text


@pytest.mark.clause("005-P14")
@pytest.mark.parametrize(("text", "value"), HOSTS)
def test_an_address_of_a_machine_is_found(text, value):
    """IPv4 and IPv6, in brackets, with a port, in the address of a page."""
    assert hides(text, value, "ID_CODE"), REDACTOR.redact(text).text
