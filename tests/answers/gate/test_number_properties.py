"""Numbers written in any locale, scale or unit are read back as what they were."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.answers.gate.citations import markers, read_sentences
from assay.answers.gate.comparators import is_implied
from assay.answers.gate.dates import Reading, dates, weekday_of
from assay.answers.gate.digits import cjk_value, fold_digits, roman_value, values_of
from assay.answers.gate.facts import index_facts
from assay.answers.gate.grounding import Chunks, Tally, check_grounding
from assay.answers.gate.numbers import quantities

GROUPS = {
    "en": (",", "."),
    "de": (".", ","),
    "fr": ("\u202f", ","),
    "ch": ("’", "."),
    "sp": (" ", ","),
}
UNITS = ["", " EUR", " kg", " mg", " ml", " km", " days", " Tage", " meses", " %", " GB", " °C"]
SCALES = {"million": 10**6, "Mio.": 10**6, "billion": 10**9, "Mrd.": 10**9, "lakh": 10**5}
ZEROS = "0٠۰०０"


def grouped(whole: int, part: str, locale: str) -> str:
    """*whole* and the decimals *part* as *locale* writes them."""
    group, mark = GROUPS[locale]
    written = f"{whole:,}".replace(",", group)
    return f"{written}{mark}{part}" if part else written


def faults(answer: str, chunk: str) -> list[str]:
    """Codes about numbers that reject *answer* over *chunk*."""
    read = read_sentences(answer, markers(answer))
    findings = check_grounding(answer, read, Chunks({"C0": chunk}, {}), Tally())
    return [finding.code for finding in findings if finding.severity == "reject"]


WHOLES = st.integers(min_value=10_000, max_value=10**11)
PARTS = st.sampled_from(["", "5", "25", "07"])
LOCALES = st.sampled_from(sorted(GROUPS))


@pytest.mark.clause("005-A3")
@given(WHOLES, PARTS, LOCALES, LOCALES, st.sampled_from(UNITS))
def test_a_number_is_the_same_in_every_locale(whole, part, one, other, unit):
    """Grouping and decimal signs do not change a value, with any unit."""
    answer = f"Total: {grouped(whole, part, one)}{unit}."

    assert [] == faults(answer, f"Total: {grouped(whole, part, other)}{unit}.")


@pytest.mark.clause("005-A3")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The rate is 1.234 EUR per kWh.", "617/500"),
        ("The fee is 1,234 EUR.", "1234"),
        ("Die Gebühr beträgt 1.234 EUR für das Jahr.", "1234"),
        ("Der Satz ist 1,234 EUR je kWh.", "617/500"),
        ("1.234 EUR", "1234"),
        ("The fee is 10.000 EUR for the year.", "10000"),
    ],
)
def test_the_language_decides_between_a_thousand_and_a_decimal(text, value):
    """Where it has one decimal mark; elsewhere three digits behind a sign are a thousand."""
    (quantity,) = quantities(text)

    assert {value} == {str(r.value) for r in quantity.readings if "|" not in str(r.value)} - {
        "#1.234",
        "#10.000",
    }


@pytest.mark.clause("005-A3")
@given(WHOLES, PARTS, LOCALES, LOCALES, st.sampled_from(UNITS), st.data())
def test_a_changed_digit_is_another_number(whole, part, one, other, unit, data):
    """In whatever locale both are written."""
    digits = str(whole)
    place = data.draw(st.integers(min_value=0, max_value=len(digits) - 1))
    digit = data.draw(st.sampled_from("123456789"))
    assume(digit != digits[place])
    changed = int(digits[:place] + digit + digits[place + 1 :])
    answer = f"Total: {grouped(changed, part, one)}{unit}."

    assert faults(answer, f"Total: {grouped(whole, part, other)}{unit}.")


@pytest.mark.clause("005-A3")
@given(st.integers(min_value=1, max_value=999), st.sampled_from(sorted(SCALES)), LOCALES)
def test_a_scale_word_is_its_zeros(number, scale, locale):
    """And the number without it is another."""
    chunk = f"It is {number} {scale} EUR."

    assert [] == faults(f"It is {grouped(number * SCALES[scale], '', locale)} EUR.", chunk)
    assert ["grounding.number"] == faults(f"It is {number} EUR.", chunk)


@pytest.mark.clause("005-A3")
@given(st.integers(min_value=13, max_value=10**9), st.sampled_from(ZEROS))
def test_digits_of_every_script_are_the_same(number, zero):
    """Full-width, Arabic, Persian and Devanagari digits stand for ASCII ones."""
    written = "".join(chr(ord(zero) + int(digit)) for digit in str(number))

    assert str(number) == fold_digits(written)
    assert [] == faults(f"It is {number} EUR.", f"It is {written} EUR.")
    assert faults(f"It is {number + 1} EUR.", f"It is {written} EUR.")


@pytest.mark.clause("005-A3")
@given(st.integers(min_value=1, max_value=10**6), st.integers(min_value=1, max_value=3))
def test_units_of_one_dimension_convert_exactly(number, step):
    """Kilometres, metres and centimetres; grams and kilograms; hours and minutes."""
    for small, large, factor in (("m", "km", 1000), ("g", "kg", 1000), ("minutes", "hours", 60)):
        chunk = f"It is {number} {large}."
        assert [] == faults(f"It is {number * factor} {small}.", chunk)
        assert faults(f"It is {number * factor + step} {small}.", chunk)
        assert faults(f"It is {number} {small}.", chunk)


@given(st.text(alphabet="0123456789", min_size=25, max_size=60), st.integers(0, 24))
def test_long_digits_are_compared_digit_by_digit(digits, place):
    """No precision is lost where there is none to lose."""
    changed = digits[:place] + str(9 - int(digits[place])) + digits[place + 1 :]

    assert values_of(digits).isdisjoint(values_of(changed))


@given(st.integers(min_value=1, max_value=3999))
def test_roman_numerals_are_read_back(number):
    """Every numeral in its one form."""
    signs = zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"],
        strict=True,
    )
    left, written = number, ""
    for value, sign in signs:
        written += sign * (left // value)
        left %= value

    assert number == roman_value(written)


@given(st.integers(min_value=1, max_value=9999))
def test_numerals_in_chinese_characters_are_read_back(number):
    """With tens, hundreds and thousands."""
    written = ""
    for power, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // power % 10
        written += f"{'〇一二三四五六七八九'[digit]}{sign}" if digit else ""

    assert Fraction(number) == cjk_value(written)


@given(st.dates())
def test_the_day_of_the_week_is_that_of_the_calendar(date):
    """Gregorian, as the standard library has it."""
    assert date.weekday() == weekday_of(Reading(date.year, date.month, date.day))


@given(st.sets(st.sampled_from(["=", "<", "<=", ">", ">="]), min_size=1, max_size=1))
def test_every_bound_implies_itself(signs):
    """And no bound implies one in the other direction."""
    bound = frozenset(signs)
    turned = frozenset(sign.translate(str.maketrans("<>", "><")) for sign in signs)

    assert is_implied(bound, bound)
    assert (bound == turned) == is_implied(turned, bound)


TEXT = st.text(
    alphabet=st.sampled_from("0123456789.,'’ -–/:€$%½()abkmMIVX月年円万atto\n§⁶"), max_size=60
)


@given(TEXT)
def test_a_text_holds_its_own_numbers(text):
    """Whatever is read in a text is found in it, and lies in order within it."""
    found_dates = tuple(dates(text))
    found = list(quantities(text, found_dates))
    facts = index_facts(text)

    assert all(facts.has_date(date) for date in found_dates)
    assert all(facts.fault_of(quantity) is None for quantity in found if quantity.noun is None)
    assert all(0 <= quantity.start < quantity.stop <= len(text) for quantity in found)
    assert found == sorted(found, key=lambda quantity: (quantity.start, quantity.stop))


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "1,",
        "123 ",
        "1'",
        "5(a)",
        "1/2 ",
        "May 5 ",
        "two-",
        "half a ",
        "a@b.",
        "www.",
        "5-",
        "½",
    ],
)
def test_what_is_read_grows_with_the_text_alone(piece):
    """Twice the text gives at most about twice the numbers, however they are nested."""
    one, two = (len(list(quantities(piece * times))) for times in (200, 400))

    assert two <= 2 * one + 2
