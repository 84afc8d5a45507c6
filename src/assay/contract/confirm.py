"""Confirm an identity key without asking anybody: form, check digits, presence in the input.

In      a key's value, the rule for its kind, the texts and facts of the input
Out     Confirmation: yes or no, and the first reason against it
Pure    yes
Spec    000 IdentityAssist; 005-G13; interfaces.md, `assay run` ("reported as unconfirmed")

A key that cannot be confirmed stays in the result and says so: keys advise, they decide
nothing, so an unconfirmed one is never a rejection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import re2
import stdnum.bic
import stdnum.ean
import stdnum.iban
import stdnum.imei
import stdnum.isin
import stdnum.lei
import stdnum.luhn
import stdnum.verhoeff

from assay.contract.foreign_forms import FORMS, Range, foreign_ranges
from assay.errors import InputError
from assay.redaction.redactor import Redactor

Why = Literal["found", "no_rule", "form", "check_digits", "not_in_input"]

CHECK_DIGITS: Final[Mapping[str, Callable[[str], bool]]] = {
    "bic": stdnum.bic.is_valid,
    "ean": stdnum.ean.is_valid,
    "iban": stdnum.iban.is_valid,
    "imei": stdnum.imei.is_valid,
    "isin": stdnum.isin.is_valid,
    "lei": stdnum.lei.is_valid,
    "luhn": stdnum.luhn.is_valid,
    "verhoeff": stdnum.verhoeff.is_valid,
}
"""Kinds of check digits that a pack can name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRule:
    """What a genuine key of one kind looks like."""

    pattern: str
    """RE2, matched against the whole value once the characters of `ignore` are dropped."""

    check: str | None = None
    """Name of the check digits, one of CHECK_DIGITS."""

    ignore: str = ""
    """Characters that writers put in or leave out, such as the spaces of an account number."""

    facts: tuple[str, ...] = ()
    """Facts of the input in which the key may stand instead of a text, such as `from`."""

    never: tuple[str, ...] = ()
    """What a key of the kind is not, though its pattern would fit: of `foreign_forms.FORMS`."""

    compiled: Any = field(repr=False, compare=False)

    @classmethod
    def compile(
        cls,
        *,
        pattern: str,
        check: str | None = None,
        ignore: str = "",
        facts: tuple[str, ...] = (),
        never: tuple[str, ...] = (),
    ) -> KeyRule:
        """Check and seal a rule.

        Raises:
            InputError: the pattern is no RE2, or check digits or forms have no such name.
        """
        for name in never:
            if name not in FORMS:
                raise InputError(f"form {name!r} does not exist", hint=f"known: {list(FORMS)}")
        if check is not None and check not in CHECK_DIGITS:
            raise InputError(
                f"check digits {check!r} do not exist", hint=f"known: {sorted(CHECK_DIGITS)}"
            )
        options = re2.Options()
        options.log_errors = False
        try:
            compiled = re2.compile(pattern, options)
        except re2.error as error:
            raise InputError(f"pattern {pattern!r} is no RE2 expression") from error
        return cls(
            pattern=pattern,
            check=check,
            ignore=ignore,
            facts=facts,
            never=never,
            compiled=compiled,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """Whether a key holds, and why."""

    confirmed: bool
    reason: Why
    """`found` when confirmed, else the first test that failed."""


def confirm(
    value: str,
    rule: KeyRule | None,
    texts: Mapping[str, str],
    facts: Mapping[str, Any],
    redactor: Redactor | None = None,
) -> Confirmation:
    """Test one key: is there a rule, does the form fit, do the digits hold, is it there.

    Args:
        value: The key as the model wrote it.
        rule: None when the pack has no rule for the kind.
        texts: The whole source texts, also what this attempt was not shown.
        facts: Facts of the input; strings and lists of strings are looked at.
        redactor: Finds what is a phone, an account or an address in the texts; the built-in rules
            when None.

    Example:
        >>> rule = KeyRule.compile(pattern="[0-9]{2}-[0-9]{7}")
        >>> confirm("45-1234567", rule, {"body": "Nr. 45-1234567."}, {}).reason
        'found'
        >>> confirm("45-1234567", rule, {"body": "Nr. 45-12345678."}, {}).reason
        'not_in_input'
    """
    if rule is None:
        return Confirmation(confirmed=False, reason="no_rule")
    bare = "".join(char for char in value if char not in rule.ignore)
    if not bare or rule.compiled.fullmatch(bare) is None:
        return Confirmation(confirmed=False, reason="form")
    if rule.check is not None and not CHECK_DIGITS[rule.check](bare):
        return Confirmation(confirmed=False, reason="check_digits")
    sought = _as_a_whole(bare, rule.ignore)
    if any(sought.search(text) for text in _facts(facts, rule.facts)):
        return Confirmation(confirmed=True, reason="found")
    reason: Why = "not_in_input"
    for text in texts.values():
        places = [match.span() for match in sought.finditer(text)]
        if not places:
            continue
        foreign = foreign_ranges(text, rule.never, redactor or Redactor()) if rule.never else []
        if not all(_overlaps(place, foreign) for place in places):
            return Confirmation(confirmed=True, reason="found")
        reason = "form"  # it stands there as a date, a phone, …
    return Confirmation(confirmed=False, reason=reason)


def _overlaps(place: Range, ranges: Sequence[Range]) -> bool:
    return any(start < place[1] and place[0] < stop for start, stop in ranges)


def _facts(facts: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        fact = facts.get(name)
        items = fact if isinstance(fact, list | tuple) else [fact]
        found += [item for item in items if isinstance(item, str)]
    return tuple(found)


def _as_a_whole(bare: str, ignore: str) -> re.Pattern[str]:
    """A pattern for *bare* where it is not part of a longer number, word or address."""
    gap = f"[{re.escape(ignore)}]*" if ignore else ""
    body = gap.join(re.escape(char) for char in bare)
    before = r"(?<!\w)" + (r"(?<!\d[-./])" if bare[0].isdigit() else r"(?<!\w[-+._])")
    after = r"(?!\w)" + (r"(?![-./]\d)" if bare[-1].isdigit() else r"(?![-+._@]\w)")
    return re.compile(before + body + after, re.IGNORECASE)
