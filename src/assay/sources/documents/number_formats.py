"""A number of a spreadsheet as its cell shows it: dates, percentages, currencies, decimals.

In      the number as stored, the format of its cell
Out     text: dates as ISO 8601, other numbers with the decimals, unit and currency of the format
Pure    no clock, no randomness, no I/O
Spec    008-S1; ECMA-376 part 1, 18.8.31

Not every picture that a format can draw is drawn: what decides what a number means (that it is a
date, a share, an amount of money) is kept, colours, padding and conditions are not.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%",
    14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yy h:mm",
    37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00",
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 49: "@",
}  # fmt: skip
"""Formats that a file names by number alone."""

MAX_FORMAT_CHARS = 500

_BRACKET = re.compile(r"\[(?:\$([^\]-]*)[^\]]*|[^\]]*)\]")
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|_.|\*.')
_PLACEHOLDER = re.compile(rf"{_LITERAL.pattern}|E\+0*|[#?0,.@]+")
_ELAPSED = re.compile(r"\[[hms]+\]", re.IGNORECASE)
_DIGITS = re.compile(r"[0#?][0#?,]*(?:\.([0#?]+))?")
_DAY_ZERO = -25_569
"""30 December 1899, in days since 1970: with it, 1 March 1900 is day 61 as in spreadsheets."""

_DAYS_TO_1904 = 1_462
_MAX_DAYS = 2_958_465
"""31 December 9999."""

_MOST_EXPONENT = 308
"""Of a number that a spreadsheet can hold: a double."""

_EXACT = Context(prec=64)
"""Enough for every digit of a number that is written out, and all its decimals."""


def format_number(stored: str, pattern: str, *, from_1904: bool = False) -> str:
    """*stored* as a cell of the format *pattern* shows it, about.

    Example:
        >>> format_number("0.19", "0%"), format_number("45292", "dd.mm.yyyy")
        ('19%', '2024-01-01')
        >>> format_number("12.5", '#,##0.00\\\\ "EUR"'), format_number("0.1", "General")
        ('12.50 EUR', '0.1')
    """
    try:
        number = Decimal(stored.strip()[:40])
    except InvalidOperation:
        return stored
    if not number.is_finite():
        return stored
    if abs(number.adjusted()) > _MOST_EXPONENT:
        return _write_number(number)
    section = _section(pattern[:MAX_FORMAT_CHARS], number)
    bare = _LITERAL.sub("", _BRACKET.sub("", section))
    if _ELAPSED.search(section) or (
        re.search(r"[ymdhs]", bare, re.IGNORECASE)
        and not _DIGITS.search(bare.replace(".0", ""))
        and bare.lower() not in ("general", "standard")
    ):
        return _moment(number, section, bare, from_1904) or _write_number(number)
    digits = _DIGITS.search(bare)
    if not digits:
        return _write_number(number)
    if "%" in bare:
        number *= 100
    before, after = _read_affixes(section)
    if "E+" in bare.upper() or "/" in bare:
        return f"{before}{_write_number(number)}{after}"
    return f"{before}{_rounded(number, len(digits[1] or ''))}{after}"


def _section(pattern: str, number: Decimal) -> str:
    """The part of *pattern* that is for numbers such as this one."""
    parts = pattern.split(";")
    if number < 0 and len(parts) > 1 and parts[1].strip():
        # The sign of the second part is drawn by the format itself; ours stays with the number.
        return parts[1].replace("(", "").replace(")", "").replace("-", "", 1)
    return parts[0]


def _rounded(number: Decimal, places: int) -> str:
    """With as many decimals as the format shows; large numbers without marks between thousands."""
    if abs(number.adjusted()) > 30:
        return _write_number(number)
    quantum = Decimal(1).scaleb(-min(places, 15))
    return f"{number.quantize(quantum, ROUND_HALF_UP, _EXACT):f}"


def _write_number(number: Decimal) -> str:
    """Without an exponent, and without what binary fractions add behind the 15th digit."""
    if abs(number.adjusted()) > 20:
        return f"{number:.6g}"
    shown = f"{Decimal(f'{number:.15g}'):f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _read_affixes(section: str) -> tuple[str, str]:
    """What the format writes before and behind the number: currency, unit, percent."""

    def read(match: re.Match[str]) -> str:
        return match[1] or match[2] or (" " if match[0][0] == "_" else "")

    text = _BRACKET.sub(lambda match: match[1] or "", section)
    hidden = _LITERAL.sub(lambda match: "\x00" * len(match[0]), text)
    found = _DIGITS.search(hidden)
    if not found:
        return "", ""
    before, after = (
        _PLACEHOLDER.sub(read, each) for each in (text[: found.start()], text[found.end() :])
    )
    return before.lstrip(), after.rstrip()


def _moment(number: Decimal, section: str, bare: str, from_1904: bool) -> str:
    """A date, a time or both; empty where there is no such day."""
    if not 0 <= number < _MAX_DAYS:
        return ""
    if _ELAPSED.search(section):
        seconds = int((number * 86400).to_integral_value(ROUND_HALF_UP))
        return f"{seconds // 3600}:{seconds % 3600 // 60:02}:{seconds % 60:02}"
    letters = bare.lower().replace("am/pm", "").replace("a/p", "")
    has_time = bool(re.search(r"[hs]", letters))
    has_date = bool(re.search(r"[yd]", letters)) or ("m" in letters and not has_time)
    days = number + 1 if not from_1904 and number < 60 and has_date and number >= 1 else number
    seconds = int((days * 86400).to_integral_value(ROUND_HALF_UP))
    whole, rest = divmod(seconds, 86400)
    year, month, day = _civil_day(whole + _DAY_ZERO + (_DAYS_TO_1904 if from_1904 else 0))
    clock = f"{rest // 3600:02}:{rest % 3600 // 60:02}" + (
        f":{rest % 60:02}" if "s" in letters else ""
    )
    if not has_date:
        return clock
    if "d" not in letters and not has_time:
        return f"{year:04}-{month:02}" if "y" in letters else f"{month:02}"
    date = f"{year:04}-{month:02}-{day:02}"
    return f"{date} {clock}" if has_time else date


def _civil_day(days: int) -> tuple[int, int, int]:
    """Year, month and day of the Gregorian calendar, *days* after 1 January 1970."""
    shifted = days + 719_468
    era, of_era = divmod(shifted, 146_097)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    return year + era * 400 + (month < 3), month, day
