"""One clause, read: what it speaks of, where it stands, what it denies.

In      nothing
Out     Clause, Turn, Denial; whether some turns deny
Pure    data only
Spec    005-A4
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, NamedTuple


class Turn(NamedTuple):
    """A place on an axis."""

    axis: str
    pole: str
    beside: frozenset[str] = frozenset()
    """The content words around it: what is there said to be so."""


class Denial(NamedTuple):
    """A denial that moves no pole, or an exception, with the content words it reaches."""

    scope: tuple[str, ...]
    excepts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause, read."""

    keys: frozenset[str]
    """What it speaks of: content words, digits, axes (`~open`)."""

    turns: frozenset[Turn]
    denials: tuple[Denial, ...]
    denies: bool
    """Something in it denies, or stands on a denying pole."""

    excepts: bool
    limits: bool
    may_deny: bool = False
    """Something in it denies, whatever else it says."""

    doubles: bool = False
    """It denies twice, or denies and excepts: `not without`, `not unless`."""

    sides: tuple[frozenset[str], frozenset[str]] | None = None
    """What stands on each side of a comparison."""

    stretches: tuple[frozenset[str], ...] = ()
    """The keys between commas and links, one after the other."""

    whole: bool = False
    """Of a script without spaces: it denies or it does not, and nothing more is known."""


DENYING: Final = frozenset({"no", "none", "never", "out", "without", "false", "off", "bad"})
"""Poles whose words deny."""

ABSOLUTE: Final = frozenset({("amount", "all"), ("frequency", "always")})
"""Axes and poles that a passage must speak of: a claim of all is more than a claim."""


def stands_on_denial(turns: AbstractSet[Turn]) -> bool:
    """On a denying pole, and not on the other pole of its axis too: `opens at 9, closes at 5`."""
    return any(
        turn.pole in DENYING
        and not any(turn.axis == other.axis and turn.pole != other.pole for other in turns)
        for turn in turns
    )
