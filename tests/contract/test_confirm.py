"""Identity keys are confirmed by form, check digits and presence."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.confirm import CHECK_DIGITS, Confirmation, KeyRule, confirm
from assay.contract.foreign_forms import FORMS
from assay.errors import InputError

POLICY = KeyRule.compile(pattern="[0-9]{2}-[0-9]{7}")
SPACED = KeyRule.compile(pattern="[0-9]{6,12}", ignore=" -")
IBAN = KeyRule.compile(pattern="[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", check="iban", ignore=" ")
EMAIL = KeyRule.compile(pattern="[a-z.]+@[a-z.]+", facts=("from", "to"))


@pytest.mark.parametrize(
    ("rule", "value", "text", "reason"),
    [
        (POLICY, "45-1234567", "Polizze 45-1234567.", "found"),
        (POLICY, "45-1234567", "(45-1234567)", "found"),
        (POLICY, "45-1234567", "Pol.-Nr.45-1234567, danke", "found"),
        (POLICY, "45-1234567", "145-1234567", "not_in_input"),
        (POLICY, "45-1234567", "45-12345678", "not_in_input"),
        (POLICY, "45-1234567", "9-45-1234567", "not_in_input"),
        (POLICY, "45-1234567", "45-1234567-8", "not_in_input"),
        (POLICY, "45-1234567", "45 1234567", "not_in_input"),
        (POLICY, "45-123456", "45-123456", "form"),
        (POLICY, "", "anything", "form"),
        (SPACED, "123 456", "No. 12-34 56 please", "found"),
        (SPACED, "123456", "No. 12 34 56 7", "found"),
        (IBAN, "DE89 3704 0044 0532 0130 00", "auf DE89370400440532013000 bitte", "found"),
        (IBAN, "DE89370400440532013000", "auf DE89 3704 0044 0532 0130 00 bitte", "found"),
        (IBAN, "DE88370400440532013000", "DE88370400440532013000", "check_digits"),
        (EMAIL, "a.b@c.example", "an a.b@c.example schreiben", "found"),
        (EMAIL, "b@c.example", "an a.b@c.example schreiben", "not_in_input"),
        (EMAIL, "a.b@c.example", "A.B@C.example", "found"),
        (None, "45-1234567", "45-1234567", "no_rule"),
    ],
)
def test_the_first_test_that_fails_is_the_reason(rule, value, text, reason):
    """A key counts only as a whole, and only where it stands in the input."""
    answer = confirm(value, rule, {"subject": "", "body": text}, {})

    assert Confirmation(confirmed=reason == "found", reason=reason) == answer


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"from": "Ann <a.b@c.example>"}, "found"),
        ({"to": ["x@y.example", "a.b@c.example"]}, "found"),
        ({"cc": "a.b@c.example"}, "not_in_input"),
        ({"from": None}, "not_in_input"),
        ({}, "not_in_input"),
    ],
)
def test_only_the_named_facts_of_the_input_count(facts, reason):
    """A sender's address may confirm a key; any header would not do."""
    assert reason == confirm("a.b@c.example", EMAIL, {"body": "-"}, facts).reason


@given(st.text(max_size=30), st.text(max_size=60))
def test_a_key_that_is_not_in_the_text_is_never_confirmed(value, text):
    """Whatever model and sender write: no confirmation without the value's own characters."""
    rule = KeyRule.compile(pattern="(?s).*", ignore=" ")
    answer = confirm(value, rule, {"body": text}, {})

    bare, held = value.replace(" ", ""), text.replace(" ", "")
    assert not answer.confirmed or re.search(re.escape(bare), held, re.IGNORECASE)


@pytest.mark.parametrize("change", [{"pattern": "("}, {"pattern": "(?=a)"}, {"check": "crc"}])
def test_a_rule_that_cannot_work_is_refused(change):
    """When the pack is read, not when a mail comes."""
    with pytest.raises(InputError):
        KeyRule.compile(**{"pattern": "a", **change})


def test_every_kind_of_check_digits_knows_good_from_bad():
    """One valid number each, and the same with its last digit changed."""
    good = {
        "bic": "AGRIFRPP",
        "ean": "73513537",
        "iban": "GB82WEST12345698765432",
        "imei": "490154203237518",
        "isin": "US0378331005",
        "lei": "213800KUD8LAJWSQ9D15",
        "luhn": "79927398713",
        "verhoeff": "2363",
    }
    spoilt = {name: value[:-1] + ("1" if value[-1] != "1" else "2") for name, value in good.items()}

    assert set(good) == set(CHECK_DIGITS)
    assert dict.fromkeys(good, True) == {n: CHECK_DIGITS[n](good[n]) for n in good}
    del spoilt["bic"]  # carries no check digit, only a form
    assert dict.fromkeys(spoilt, False) == {n: CHECK_DIGITS[n](spoilt[n]) for n in spoilt}


POLICY_LIKE = KeyRule.compile(
    pattern="[A-Za-z]{0,6}[./-]?(?:[0-9][./-]?){4,19}[0-9][A-Za-z]{0,2}", ignore=" ", never=FORMS
)


@pytest.mark.clause("005-G13")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("03.05.2024", "Schaden am 03.05.2024"),
        ("2024-05-03", "damage of 2024-05-03."),
        ("20240503", "am 20240503 gemeldet"),
        ("12/31/2024", "until 12/31/2024"),
        ("03.05.24", "le 03.05.24"),
        ("0171-2345678", "Tel. 0171-2345678"),
        ("0171 2345678", "Mobil: 0171 2345678"),
        ("089/12345678", "Rufen Sie 089/12345678 an"),
        ("1712345678", "+49 1712345678"),
        ("555-123-4567", "please call 555-123-4567"),
        ("6301234567", "phone number: 6301234567"),
        ("912345678", "móvil 912345678"),
        ("0044 0532", "DE89 3704 0044 0532 0130 00"),
        ("4111111111111111", "4111 1111 1111 1111"),
        ("12345.67", "12345.67 EUR"),
        ("123456", "€ 123456"),
        ("12.5000", "12.5000 CHF"),
    ],
)
def test_a_date_a_phone_an_account_or_an_amount_is_no_policy_number(value, text):
    """Its pattern fits, and it stands in the input as something else."""
    assert "form" == confirm(value, POLICY_LIKE, {"body": text}, {}).reason


@pytest.mark.clause("005-G13")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("45-1234567", "Police 45-1234567 vom 03.05.2024"),
        ("VS-2024-00123", "Vertrag VS-2024-00123"),
        ("2024/05/0012", "Schaden-Nr. 2024/05/0012"),
        ("20241599", "Police 20241599"),
        ("300123456", "Kundennummer 300123456, Tel. 0171-2345678"),
        ("1234567890", "Claim 1234567890"),
    ],
)
def test_a_number_that_is_nothing_else_is_confirmed(value, text):
    """A date or a phone beside it is no reason against it."""
    assert confirm(value, POLICY_LIKE, {"body": text}, {}).confirmed


@pytest.mark.clause("005-G13")
def test_a_kind_may_be_a_date_and_forms_that_do_not_exist_are_refused():
    """What a kind never is, its pack says."""
    born = KeyRule.compile(pattern=r"[0-9]{2}\.[0-9]{2}\.[0-9]{4}")

    assert confirm("03.05.1970", born, {"body": "geb. 03.05.1970"}, {}).confirmed
    with pytest.raises(InputError, match="does not exist"):
        KeyRule.compile(pattern="a", never=("dates",))
