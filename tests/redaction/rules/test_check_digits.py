"""Check digits catch the slips that people make: one wrong digit, two that changed places."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.redaction.rules.check_digits import CHECKS, card_holds, is_iban

DIGITS = st.text("0123456789", min_size=18, max_size=18)


def german_iban(account: str) -> str:
    """The IBAN of *account*, as ISO 13616 makes its check digits."""
    return f"DE{98 - int(f'{account}131400') % 97:02d}{account}"


def card(body: str) -> str:
    """*body* with its Luhn digit behind it."""
    doubled = (
        int(digit) * (2 - at % 2) for at, digit in enumerate(reversed(body))
    )  # the digit beside the check digit is doubled
    total = sum(product // 10 + product % 10 for product in doubled)
    return f"{body}{-total % 10}"


@given(DIGITS, st.sampled_from(["", " ", "-"]))
def test_an_iban_is_found_to_its_last_character(account, between):
    """Whole, and in groups of four; what follows it does not belong to it."""
    number = german_iban(account)
    written = between.join(number[at : at + 4] for at in range(0, len(number), 4))

    assert len(written) == is_iban(written) == is_iban(written.lower()) == is_iban(f"{written}, x")
    assert 0 == is_iban(f"{written}7")


@given(DIGITS, st.integers(2, 21), st.integers(1, 9))
def test_an_iban_with_one_wrong_digit_is_none(account, at, by):
    """Whichever digit it is, and whatever stands there instead."""
    number = german_iban(account)
    wrong = f"{number[:at]}{(int(number[at]) + by) % 10}{number[at + 1 :]}"

    assert 0 == is_iban(wrong)


@given(DIGITS, st.integers(4, 20))
def test_an_iban_with_two_digits_exchanged_is_none(account, at):
    """Neighbours that changed places are found, too."""
    number = german_iban(account)
    assume(number[at] != number[at + 1])
    wrong = f"{number[:at]}{number[at + 1]}{number[at]}{number[at + 2 :]}"

    assert 0 == is_iban(wrong)


@given(st.text("0123456789", min_size=14, max_size=14), st.integers(1, 15), st.integers(1, 9))
def test_a_card_with_one_wrong_digit_is_none(middle, at, by):
    """The number with its Luhn digit holds; every other digit in one place does not."""
    number = card(f"4{middle}")
    wrong = f"{number[:at]}{(int(number[at]) + by) % 10}{number[at + 1 :]}"

    assert card_holds(number)
    assert not card_holds(wrong)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("icao", "L01X00T471"),
        ("kvnr", "A123456780"),
        ("nhs", "401 023 2137"),
        ("npi", "1234567893"),
        ("luhn", "79927398713"),
    ],
)
def test_published_examples_hold_with_one_check_digit_alone(name, number):
    """The numbers that the issuers themselves show; no other last digit makes one."""
    held = [digit for digit in "0123456789" if CHECKS[name](number[:-1] + digit)]

    assert [number[-1]] == held
