"""Scores: numbers that are written with exactly two decimals.

In      ScoreRule; an output with its text
Out     findings score.precision
Pure    yes
Spec    interfaces.md, "Strictness" (score precision); 003 (score precision)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.core.json.pointer import PointerPattern
from assay.core.json.strict import lexemes
from assay.gate.gate import GateContext
from assay.gate.places import PlaceRule
from assay.gate.verdict import Finding

_TWO_DECIMALS = re.compile(r"(?:0|[1-9][0-9]*)\.[0-9]{2}")
_IMPRECISE = ("score.precision", "must be a number with exactly two decimals, as in 0.90")
# What `lexemes` gives for anything but a number with a fraction or an exponent.
_NO_LEXEME = frozenset({str, int, bool, type(None), dict, list})


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRule:
    """Every value at *pattern* is a number written with exactly two decimals.

    `0.87`, `0.90` and `1.00` are; `0.9`, `0.870`, `9e-1`, `1`, `-0.50` and `"0.90"` are not.
    Which range is allowed, the schema says.

    Spec: interfaces.md, "Strictness" (score precision); 003 (score precision)
    """

    any_shape: ClassVar[bool] = True

    pattern: PointerPattern
    """Where scores stand."""

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterator[Finding]:  # noqa: ARG002
        """Findings `score.precision`, judged on the text of the reply, not on the value."""
        for pointer, number in self.pattern.find(lexemes(context.raw)):
            if number.__class__ in _NO_LEXEME or not _TWO_DECIMALS.fullmatch(str(number)):
                code, message = _IMPRECISE
                yield Finding(code=code, path=pointer, message=message)

    def growing(self, context: GateContext) -> tuple[PlaceRule, ...]:  # noqa: ARG002
        """What of this is known while a reply arrives."""
        rule = PlaceRule(
            pattern=self.pattern, kind="number", wrong_kind=_IMPRECISE, judge=_precision_fault
        )
        return (rule,)


def _precision_fault(value: Any, written: str) -> tuple[str, str] | None:  # noqa: ARG001
    return None if _TWO_DECIMALS.fullmatch(written) else _IMPRECISE
