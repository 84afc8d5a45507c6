"""What a number in a text is, when it is not the key that it is taken for.

In      a text; what redaction finds in it
Out     the ranges of dates, phones, accounts, amounts and postcodes
Pure    yes
Spec    005-G13 ("a key is confirmed by its own form")

The pattern of a policy number fits dates and phones too. A number that stands in the input as
one of these is no key, however the model calls it. Phones, accounts and addresses are found by
the rules of redaction, the only judge of them; the rest is told by what stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from assay.redaction.redactor import Redactor

Range = tuple[int, int]

_DATE: Final = re.compile(
    r"(?<![\w.])(?:(?P<y>[12][0-9]{3})(?P<s>[-./]?)(?P<m>[0-9]{1,2})(?P=s)(?P<d>[0-9]{1,2})"
    r"|(?P<a>[0-9]{1,2})(?P<t>[-./] ?)(?P<b>[0-9]{1,2})(?P=t)(?P<z>[12][0-9]{3}|[0-9]{2}))(?!\w)"
)
_CURRENCY: Final = r"(?:[€$£¥₹]|EUR|USD|GBP|CHF|Euros?|Franken|Fr\.|Dollars?|Pounds?|zł|PLN|Kč|kr)"
_AMOUNT: Final = re.compile(
    rf"(?<![\w.,]){_CURRENCY}[ \u00a0]?[0-9][0-9., '\u00a0]{{0,18}}"
    rf"|(?<![\w.,])[0-9][0-9.,'\u00a0]{{0,18}}[ \u00a0]?(?:{_CURRENCY}(?!\w)|,-)"
)
_POSTCODE: Final = re.compile(
    r"^[ \t]{0,8}(?:[A-Z]{1,2}-)?[0-9]{4,5}[ \t]+[^\W\d_][\w.'/ ()-]{1,40}$", re.MULTILINE
)
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_PHONE_LED: Final = re.compile(
    r"(?:\b(?:tel|fon|phone|fax|mobil|mobile|handy|cell|telefon|telephone|telefax|telefoon"
    r"|call|ring|rufen sie|ruf|appelez|llame|chiamare|telefono|tel[ée]fono|t[ée]l|t[ée]l[ée]phone|"
    r"m[óo]vil|cellulare|rufnummer|portable)\b"
    r"[.:]{0,2}[ \t]{0,3}(?:nr|no|num|number|nummer)?[.:]{0,2}[ \t]{0,3}"
    r"|[☎☏📞📱✆]\ufe0f?[ \t]{0,3}|\+[0-9]{1,3}[ ./-]{0,2}|\+[0-9]{1,3} ?\(0\) ?)"
    r"[(+0-9][0-9 ()./-]{3,24}",
    re.IGNORECASE,
)


def _dates(text: str) -> Iterator[Range]:
    for match in _DATE.finditer(text):
        if match["y"]:
            readings = [(match["y"], match["m"], match["d"])]
        else:
            year = match["z"] if len(match["z"]) == 4 else f"20{match['z']}"
            readings = [(year, match["b"], match["a"]), (year, match["a"], match["b"])]
        if any(_is_day(*(int(part) for part in reading)) for reading in readings):
            yield match.span()


def _is_day(year: int, month: int, day: int) -> bool:
    if not (1900 <= year < 2100 and 1 <= month <= 12):
        return False
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= (29 if leap and month == 2 else _DAYS[month - 1])


def _spans(*patterns: re.Pattern[str]) -> Callable[[str], Iterator[Range]]:
    return lambda text: (match.span() for pattern in patterns for match in pattern.finditer(text))


_BY_SIGHT: Final[Mapping[str, Callable[[str], Iterable[Range]]]] = {
    "date": _dates,
    "phone": _spans(_PHONE_LED),
    "amount": _spans(_AMOUNT),
    "postcode": _spans(_POSTCODE),
    "account": lambda text: (),  # noqa: ARG005 - found by redaction alone
}
_BY_REDACTION: Final[Mapping[str, frozenset[str]]] = {
    "phone": frozenset({"PHONE"}),
    "account": frozenset({"ID_CODE"}),
    "postcode": frozenset({"ADDRESS_LINE"}),
}

FORMS: Final = tuple(_BY_SIGHT)
"""What a kind of key can be declared never to be."""


def foreign_ranges(text: str, never: Iterable[str], redactor: Redactor) -> list[Range]:
    """The ranges of *text* that are of a form in *never*.

    Example:
        >>> text = "Tel. 0171-2345678, since 03.05.2024, policy 45-1234567"
        >>> [text[a:b] for a, b in foreign_ranges(text, ["date"], Redactor())]
        ['03.05.2024']
    """
    names = tuple(never)
    ranges = [span for name in names for span in _BY_SIGHT[name](text)]
    classes = frozenset[str]().union(*(_BY_REDACTION.get(name, frozenset()) for name in names))
    if classes:
        ranges += [
            (span.start, span.stop)
            for span in redactor.redact(text).spans
            # Without an exchange's prefix a number may as well be a policy's: `83-1190276`.
            if span.cls in classes and (span.cls != "PHONE" or text[span.start] in "+(0")
        ]
    return ranges
