"""Amounts of money as they are written: decimal digits, nothing else.

In      a value of a file or a command line
Out     Decimal, exactly what was written; None for what is no amount; digits again
Pure    yes
Spec    006-M6
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

_DIGITS: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,18})?", re.ASCII)


def read_amount(value: Any) -> Decimal | None:
    """An amount of 0 or more; no sign, exponent, separator or currency.

    A number that a reader of YAML made of the digits gives the digits again.

    Example:
        >>> read_amount("5.00"), read_amount(0.00001), read_amount("5,00"), read_amount(True)
        (Decimal('5.00'), Decimal('0.00001'), None, None)
    """
    if type(value) is float:
        value = f"{Decimal(repr(value)):f}" if abs(value) < 1e12 else ""
    elif type(value) is int:
        value = str(value)
    if not isinstance(value, str) or not _DIGITS.fullmatch(value):
        return None
    return Decimal(value)


def written_amount(amount: Decimal) -> str:
    """An amount in digits, without an exponent or noughts at its end.

    Example:
        >>> written_amount(Decimal("1.2300E-3")), written_amount(Decimal("100"))
        ('0.00123', '100')
    """
    digits = f"{amount:f}"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
