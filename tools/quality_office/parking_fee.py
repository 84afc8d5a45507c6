"""Fees of the visitors' car park.

The barrier calls `fee` when a car leaves. The first 20 minutes are free, so that people can be
dropped off. A lost ticket is charged as a whole day.
"""

from __future__ import annotations

DAY_MAXIMUM_CENTS = 1400
"""No stay of one calendar day costs more than 14 euros."""


def fee(minutes: int) -> int:
    """The fee in cents for a stay of *minutes*; every started half hour counts 90 cents."""
    if minutes <= 20:
        return 0
    return min(DAY_MAXIMUM_CENTS, -(-minutes // 30) * 90)


def permit_fee(months: int) -> int:
    """The fee in cents of a resident's permit: 25 euros a month, and the twelfth month is free."""
    return 2500 * (months - months // 12)
