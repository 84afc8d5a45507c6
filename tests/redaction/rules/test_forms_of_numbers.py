"""Telephone numbers and mail addresses in the forms that people and programs write them."""

from __future__ import annotations

import pytest

from assay.redaction.redactor import Redactor

REDACTOR = Redactor()

TELEPHONES = [
    ("Tel. +49 30 / 123 45 67 an", "+49 30 / 123 45 67"),
    ("call +49 30 - 1234567 now", "+49 30 - 1234567"),
    ("x +49 (0)30 / 1234567 x", "+49 (0)30 / 1234567"),
    ("x +49 (0) 30 - 12 34 56 x", "+49 (0) 30 - 12 34 56"),
    ("a +49-30-1234567.", "+49-30-1234567"),
    ("a +49.30.1234567", "+49.30.1234567"),
    ("a +49/30/1234567 b", "+49/30/1234567"),
    ("a +49  30  1234567 b", "+49  30  1234567"),
    ("a +49\u00a030\u00a01234567 b", "+49\u00a030\u00a01234567"),
    ("a 0049 30 / 1234567 b", "0049 30 / 1234567"),
    ("a 0049 (0)30 1234567 b", "0049 (0)30 1234567"),
    ("Tel630-596-1111 from 9 to 5", "630-596-1111"),
    ("Tel.:01701234567 ok", "01701234567"),
    ("Tel0170 1234567 ok", "0170 1234567"),
    ("mobil0170/1234567", "0170/1234567"),
    ("☎030 1234567", "030 1234567"),
    ("☎ 030 1234567", "030 1234567"),
    ("📞0301234567 x", "0301234567"),
    ("Handy+4917012345678,", "+4917012345678"),
    ("unter+49 170 1234567und", "+49 170 1234567"),
    ("0170 1234567Mo-Fr", "0170 1234567"),
    ("call212-555-0147or", "212-555-0147"),
    ("Durchwahl -4471.", "-4471"),
    ("Durchwahl 4471 bitte", "4471"),
    ("DW -12 ", "-12"),
    ("ext. 4471, please", "4471"),
    ("Extension: 4471", "4471"),
    ("poste 4471 svp", "4471"),
    ("Fon:+4930 1234567Fax:+4930 1234568", "+4930 1234567"),
    ("tel+49301234567x", "+49301234567"),
    ("030/1234567Fax 030/1234568", "030/1234567"),
    ("x +44 20 - 7946 - 0958 x", "+44 20 - 7946 - 0958"),
    ("06 - 12 - 34 - 56 - 78", "06 - 12 - 34 - 56 - 78"),
    ("appelez le 06 / 12 34 56 78", "06 / 12 34 56 78"),
    ("Zentrale 030 1234-567", "030 1234-567"),
    ("Tel +49 30 1234-0", "+49 30 1234-0"),
    ('<a href="tel:+493012345678">', "+493012345678"),
    ("tel:030-1234567", "030-1234567"),
    ("?phone=%2B4930123456&x=1", "%2B4930123456"),
    ("p=%2B49%2030%20123456", "%2B49%2030%20123456"),
    ("Tel.: +49 30\n1234567 an", "+49 30\n1234567"),
    ("Mein Handy ist 0170\n1234567 an", "0170\n1234567"),
    ("Tel (030)\n1234567", "(030)\n1234567"),
    ("ring 020 7946 0958", "020 7946 0958"),
    ("+44 (0)20 7946 0958", "(0)20 7946 0958"),
    ("x 07700 900 123 y", "07700 900 123"),
    ("x 0664 1234567 y", "0664 1234567"),
    ("x 044 668 18 00 y", "044 668 18 00"),
    ("x 079 123 45 67 y", "079 123 45 67"),
    ("x 06.12.34.56.78 y", "06.12.34.56.78"),
    ("x 06-12-34-56-78 y", "06-12-34-56-78"),
    ("x 06/12/34/56/78 y", "06/12/34/56/78"),
    ("x 0612345678 y", "0612345678"),
    ("x 06  12  34  56  78 y", "06  12  34  56  78"),
    ("x 612 345 678 y", "612 345 678"),
    ("x 91-123-45-67 y", "91-123-45-67"),
    ("Tel 91.123.45.67 y", "91.123.45.67"),
    ("x 415.867.5309 y", "415.867.5309"),
    ("x (415) 867-5309 y", "(415) 867-5309"),
    ("x 1-800-867-5309 y", "1-800-867-5309"),
    ("numer +48 601 234 567 lub 22 621 22 33.", "22 621 22 33"),
    ("Proszę dzwonić 601 234 567 .", "601 234 567"),
    ("allo 02 7634 1234.", "02 7634 1234"),
    ("x 06-12345678 y", "06-12345678"),
    ("bel 020-1234567", "020-1234567"),
    ("x +33 (0) 6 12 34 56 78 y", "+33 (0) 6 12 34 56 78"),
    ("x +1 (415) 867-5309 y", "+1 (415) 867-5309"),
    ("x +1-415-867-5309 x123 y", "+1-415-867-5309 x123"),
    ("x 0043 664 1234567", "0043 664 1234567"),
    ("x +41 44 668 18 00", "+41 44 668 18 00"),
    ("Tel 030 / 12 34 56 - 78", "030 / 12 34 56 - 78"),
    ("(+49 30 123456)", "+49 30 123456"),
    ("x ０１７０ １２３４５６７ y", "０１７０ １２３４５６７"),
    ("x +49 (30) 123456", "+49 (30) 123456"),
    ("x +49 [0] 30 123456 y", "+49 [0] 30 123456"),
    ("Tel. 0 30 / 123 45 67", "0 30 / 123 45 67"),
    ("电话+86 138 0013 8000", "+86 138 0013 8000"),
    ("电话：138 0013 8000", "138 0013 8000"),
    ("電話番号：090-1234-5678", "090-1234-5678"),
    ("전화: 010-1234-5678", "010-1234-5678"),
    ("тел. 8 (495) 123-45-67", "8 (495) 123-45-67"),
    ("טלפון: 03-1234567", "03-1234567"),
]

ADDRESSES = [
    ("https://news.example/u?e=jane.doe%40example.com&id=7", "jane.doe%40example.com"),
    ("u?e=jane.doe%2540example.com", "jane.doe%2540example.com"),
    ("?m=jane%2Bx%40example.co.uk", "jane%2Bx%40example.co.uk"),
    ("a jane&#64;example.com b", "jane&#64;example.com"),
    ("write jane.doe (at) example.com", "jane.doe (at) example.com"),
    ("write jane[at]example[dot]com", "jane[at]example[dot]com"),
    ("mail jane.doe at example dot com please", "jane.doe at example dot com"),
    ("jane AT example DOT com", "jane AT example DOT com"),
    ("max(ät)example.de", "max(ät)example.de"),
    ("jane.doe@example.com_ x", "jane.doe@example.com"),
    ("jane.doe@example.com2024", "jane.doe@example.com"),
    ("jane@example.com_2", "jane@example.com"),
    ("Write to user@xn--80ak6aa92e.com today", "user@xn--80ak6aa92e.com"),
    ("user@example.xn--p1ai", "user@example.xn--p1ai"),
    ("<mailto:jane+tag@example.com>", "jane+tag@example.com"),
    ("(thomas.mueller@büro-süd.de)", "thomas.mueller@büro-süd.de"),
    ("пишите иван@почта.рф", "иван@почта.рф"),
    ('"jane doe"@example.com', '"jane doe"@example.com'),
    ("mail: jane.doe @ example.com", "jane.doe @ example.com"),
    ("jane {at} example.com", "jane {at} example.com"),
    ("max.muster(a)example.de", "max.muster(a)example.de"),
    ("jane_doe(at)example(punkt)de", "jane_doe(at)example(punkt)de"),
]


def hides(text: str, value: str, cls: str) -> bool:
    """Whether one finding of this class covers the value, and a second pass finds no more."""
    view = REDACTOR.redact(text)
    at = text.index(value)
    covered = any(s.cls == cls and s.start <= at and s.stop >= at + len(value) for s in view.spans)
    return covered and REDACTOR.redact(view.text).text == view.text


@pytest.mark.clause("005-P14")
@pytest.mark.parametrize(("text", "value"), TELEPHONES)
def test_a_telephone_number_is_found_in_each_form(text, value):
    """Spaced signs, glued words, line ends, extensions, addresses of pages, all scripts."""
    assert hides(text, value, "PHONE"), REDACTOR.redact(text).text


@pytest.mark.clause("005-P14")
@pytest.mark.parametrize(("text", "value"), ADDRESSES)
def test_a_mail_address_is_found_in_each_form(text, value):
    """Encoded, spelt out, with something glued behind, in letters of every script."""
    assert hides(text, value, "EMAIL"), REDACTOR.redact(text).text
