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

import re2

from assay.errors import InputError
from assay.prompt.folding import BARRIER, Folded

CLASSES = ("EMAIL", "ID_CODE", "PHONE", "NUMBER", "ADDRESS_LINE", "SIMPLE_NAME")
"""Built in, in the order in which they take their share."""

Range = tuple[int, int]
"""Start and stop in the view."""


@dataclass(slots=True, kw_only=True)
class View:
    """A folded text on its way through the rules."""

    text: str
    """The view, with BARRIER where something was taken already."""

    original: str
    folded: Folded
    _narrow: tuple[str, bytes] = ("", b"")

    def find(self, pattern: Any) -> Iterator[Any]:
        """Matches of a pattern made by `compiled`; their offsets are those of the view.

        RE2 is three times as quick on one byte a character, and every character beyond
        Latin-1 is a `?` to it: patterns say where to look, what they found is read in `text`.
        """
        if self._narrow[0] is not self.text:
            self._narrow = (self.text, self.text.encode("latin-1", "replace"))
        matches: Iterator[Any] = pattern.finditer(self._narrow[1])
        return matches

    def source(self, start: int, stop: int) -> str:
        """The original characters of a range of the view."""
        begin, end = self.folded.origin(start, stop)
        return self.original[begin:end]

    def free(self, start: int, stop: int) -> bool:
        """Whether nothing of the range is taken."""
        return self.text.find(BARRIER, start, stop) < 0


class Finder(Protocol):
    """Finds one class."""

    def __call__(self, view: View) -> Iterable[Range]:
        """Yield ranges in order, without overlap, none of them touching a barrier."""
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


def compiled(pattern: str) -> Any:
    """A built-in pattern, for `View.find`: RE2 over Latin-1."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(pattern.encode("latin-1"), options)


def compiled_wide(pattern: str) -> Any:
    """A pattern over all of Unicode, for text as it is.

    Raises:
        InputError: it is no RE2 pattern.
    """
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise InputError(
            "a redaction pattern is no RE2 pattern",
            hint="RE2 has no look-around and no back references",
        ) from error


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
    pattern = compiled_wide(added.pattern)
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
    from assay.prompt.recognisers_address import find_addresses
    from assay.prompt.recognisers_email import find_emails
    from assay.prompt.recognisers_identifier import IdentifierFinder
    from assay.prompt.recognisers_name import find_names
    from assay.prompt.recognisers_phone import PhoneFinder, find_numbers

    finders: tuple[Finder, ...] = (
        find_emails,
        IdentifierFinder(regions),
        PhoneFinder(regions),
        find_numbers,
        find_addresses,
        find_names,
    )
    return tuple(Rule(cls=cls, find=find) for cls, find in zip(CLASSES, finders, strict=True))
