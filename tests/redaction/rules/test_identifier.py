"""Identifiers whose check digits hold, and their near misses."""

from __future__ import annotations

import pytest

from assay.redaction.redactor import Redactor
from assay.redaction.rules.check_digits import CHECKS

REDACTOR = Redactor()


def codes(text: str, redactor: Redactor = REDACTOR) -> list[str]:
    return [text[s.start : s.stop] for s in redactor.redact(text).spans if s.cls == "ID_CODE"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("GB82WEST12345698765432 DE89370400440532013000", 2),
        ("gb82west12345698765432", 1),
        ("GI75 aWBK 0000 0000 7099 453", 0),
        ("DE88370400440532013000", 0),
        ("XX89370400440532013000", 0),
        ("VG96 VPVG 0000 0123 4567 8901 X", 1),
        ("VG96  VPVG 0000 0123 4567 8901", 1),
        ("MA64011519000001205000534921", 1),
    ],
)
def test_an_account_number_has_its_countrys_length_and_check_digits(text, found):
    """One case throughout, whatever the groups are, and nothing glued to its end."""
    assert found == len(codes(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("4111 1111 1111 1111 4012888888881881", ["4111 1111 1111 1111", "4012888888881881"]),
        ("4111-1111-1111-1111", ["4111-1111-1111-1111"]),
        ("3782 822463 10005", ["3782 822463 10005"]),
        ("4111 1111 1111 1112", []),
        ("41 11 11 11 11 11 11 11", []),
        ("9111111111111111", []),
        ("0000000000000000", []),
    ],
)
def test_a_card_has_an_issuer_a_natural_grouping_and_a_luhn_digit(text, found):
    """So that an order number is no card."""
    assert found == codes(text)


@pytest.mark.parametrize(
    ("region", "good", "bad"),
    [
        ("US", "078-05-1123", "000-05-1123"),
        ("US", "911-70-1234", "911-49-1234"),
        ("GB", "AB 12 34 56 C", "BG 12 34 56 C"),
        ("GB", "401 023 2137", "401 023 2138"),
        ("DE", "15070649C103", "15070649C104"),
        ("DE", "A000500015", "B000500015"),
        ("DE", "C01234565", "C01234567"),
        ("DE", "DE136695976", "DE136695977"),
        ("AT", "1237 010180", "1238 010180"),
        ("CH", "756.9217.0769.85", "756.9217.0769.84"),
        ("FR", "1 84 12 76 451 089 46", "1 84 12 76 451 089 47"),
        ("ES", "55555555K", "55555555L"),
        ("ES", "X9613851N", "X9613851Q"),
        ("FI", "010594Y9032", "010594Y9033"),
        ("IT", "RSSMRA85T10A562S", "RSSMRA85T10A562T"),
        ("PL", "44051401458", "44051401459"),
    ],
)
def test_national_identifiers(region, good, bad):
    """Right check digits are found in their region, wrong ones are not claimed."""
    redactor = Redactor(regions=(region,))

    assert [good] == codes(f"is {good}.", redactor)
    assert [] == codes(f"is {bad}.", redactor)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("driver's license number is F162823540116", ["F162823540116"]),
        ("my passport number: J6932157", ["J6932157"]),
        ("Reisepassnummer AB 1234567", ["AB 1234567"]),
        ("Pasaporte: AAA123456", ["AAA123456"]),
        ("passport control is at gate 1234", []),
        ("passport is needed in 2026", []),
        ("bicycle 1234", []),
    ],
)
def test_a_label_announces_an_identifier_without_check_digits(text, found):
    """Only the code right behind the label, and only if it looks like one."""
    assert found == codes(text)


@pytest.mark.parametrize(
    "text", ["x7f0c1d22-b41e-4c3a-8046-2297501ef113y", "{7F0C1D22-B41E-4C3A-8046-2297501EF113}"]
)
def test_a_uuid_is_whole_whatever_stands_beside_it(text):
    """Its inner digits are never taken alone."""
    assert [36] == [len(code) for code in codes(text)]


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        ("luhn", "79927398713", "79927398710"),
        ("iban", "DE89370400440532013000", "DE88370400440532013000"),
        ("card", "4111111111111111", "79927398713"),
    ],
)
def test_checks_by_name(check, good, bad):
    """What a pack may name."""
    assert CHECKS[check](good)
    assert not CHECKS[check](bad)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("BIC/SWIFT-Code: COBA DE FF XXX", "COBA DE FF XXX"),
        ("SWIFT code is BARCGB22.", "BARCGB22"),
        ("BIC (SWIFT): BNPAFRPP", "BNPAFRPP"),
        ("Swift: bnpafrppxxx", "bnpafrppxxx"),
        ("codice BIC/SWIFT: UNCRITMM", "UNCRITMM"),
        ("COBADEFFXXX DE89370400440532013000", "COBADEFFXXX"),
        ("DE89 3704 0044 0532 0130 00 (COBADEFF)", "COBADEFF"),
        ("DE89 3704 0044 0532 0130 00\nCOBADEFF500", "COBADEFF500"),
    ],
)
def test_a_code_of_a_bank_is_hidden_behind_its_label_or_beside_an_iban(text, code):
    """It has no check digit: a country in its place, and where it stands, must do."""
    assert code in [text[s.start : s.stop] for s in REDACTOR.redact(text).spans]
    assert {"ID_CODE"} == {s.cls for s in REDACTOR.redact(text).spans}


@pytest.mark.parametrize(
    "text",
    ["SWIFT language and BIC pens", "Taylor Swift COMPLETE", "COBADEFF alone", "BIC: COBAXXFF"],
)
def test_what_only_has_the_form_of_a_bank_code_stands(text):
    """Words, and codes of no country."""
    assert text == REDACTOR.redact(text).text
