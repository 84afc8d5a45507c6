"""What counts as personal data: the rules in their order, and classes that a pack adds.

In      regions, classes of a pack
Out     rules: class -> ranges of a folded view
Pure    yes; every rule is linear in the view
Spec    002 "Redaction System"; interfaces.md, "Redaction"

A rule sees a view in which what earlier rules took is blotted out with BARRIER, so that
earlier rules win on overlap. Patterns are RE2; what looks beside a match or into it does so
within a fixed distance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from assay.errors import InputError
from assay.redaction.view import Range, View, compile_wide

CLASSES = ("EMAIL", "ID_CODE", "PHONE", "NUMBER", "ADDRESS_LINE", "SIMPLE_NAME")
"""Built in, in the order in which they take their share."""


class Finder(Protocol):
    """Finds one class."""

    def __call__(self, view: View) -> Iterable[Range]:
        """Yield ranges in any order, none of them touching a barrier.

        Where two overlap, the one that begins first counts, and of those the longest.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One class and how it is found."""

    cls: str
    find: Finder


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternClass:
    """A class that a pack adds. It comes before the built-in ones: it knows its own better."""

    name: str
    """Capital letters, digits, `_`; not the name of another class."""

    pattern: str
    """RE2 syntax, matched on the folded view; must not match the empty string."""

    validator: Callable[[str], bool] | None = None
    """Asked for each candidate; False lets it stand. None takes every match."""

    digest: str = ""
    """Names the validator; part of the rules digest."""


_CLASS_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,39}")


def pattern_rule(added: PatternClass, taken: Iterable[str]) -> Rule:
    """The rule of a pack's class.

    Raises:
        InputError: the name exists or is malformed, or the pattern is none.
    """
    if not _CLASS_NAME.fullmatch(added.name):
        raise InputError(f"redaction class {added.name!r} is no name: capitals, digits and _ only")
    if added.name in taken:
        raise InputError(
            f"redaction class {added.name!r} exists already", hint="choose a name of your own"
        )
    pattern = compile_wide(added.pattern)
    if pattern.match("") is not None:
        raise InputError(f"the pattern of redaction class {added.name!r} matches nothing at all")
    return Rule(cls=added.name, find=_PatternFinder(pattern, added.validator))


class _PatternFinder:
    def __init__(self, pattern: Any, validator: Callable[[str], bool] | None) -> None:
        self._pattern = pattern
        self._validator = validator

    def __call__(self, view: View) -> Iterator[Range]:
        for match in self._pattern.finditer(view.text):
            start, stop = match.span()
            if start < stop and view.free(start, stop) and self._accepts(match[0]):
                yield start, stop

    def _accepts(self, candidate: str) -> bool:
        if self._validator is None:
            return True
        try:
            return bool(self._validator(candidate))
        except Exception:  # a validator that fails must not uncover what its pattern found
            return True


@lru_cache(maxsize=16)
def standard_rules(regions: tuple[str, ...]) -> tuple[Rule, ...]:
    """The built-in rules for these regions, in their order.

    Rules hold patterns and nothing of any text, so equal regions may share them.

    Raises:
        InputError: a region is unknown.
    """
    from assay.redaction.rules.address import find_addresses
    from assay.redaction.rules.email import find_emails
    from assay.redaction.rules.identifier import IdentifierFinder
    from assay.redaction.rules.name import find_names
    from assay.redaction.rules.number import find_numbers
    from assay.redaction.rules.phone import PhoneFinder

    finders: tuple[Finder, ...] = (
        find_emails,
        IdentifierFinder(regions),
        PhoneFinder(regions),
        find_numbers,
        find_addresses,
        find_names,
    )
    return tuple(Rule(cls=cls, find=find) for cls, find in zip(CLASSES, finders, strict=True))
