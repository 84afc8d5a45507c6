"""One number in a text, with everything that belongs to it.

In      nothing
Out     the value `Quantity`
Pure    data only
Spec    004 P2.2; 005-A3
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal, NamedTuple

from assay.answers.gate.amounts import Reading
from assay.answers.gate.comparators import EQUAL
from assay.answers.gate.units import Unit

Weight = Literal["fact", "hint", "loose"]


TIMES: Final = "times"
"""What `twice` and `two times` count."""


class Quantity(NamedTuple):
    """One number in a text."""

    start: int
    stop: int
    readings: frozenset[Reading]
    """Every way to read it; the value is a text where digits name something."""

    bounds: frozenset[str] = EQUAL
    """What it is stated to be: the value, at most it, more than it."""

    per: Unit | None = None
    scale: Fraction = Fraction(1)
    """What its scale word multiplies by."""

    ordinal: bool = False
    noun: str | None = None
    """The word that it counts, without its ending."""

    weight: Weight = "fact"
    """A small number word is a `hint` (`the two cards`, `one card`), which only another count of
    the same noun disproves, or `loose` (`one of them`), which is not looked up."""

    @property
    def is_bare(self) -> bool:
        """Whether no unit stands beside it."""
        return all(reading.unit is None for reading in self.readings)
