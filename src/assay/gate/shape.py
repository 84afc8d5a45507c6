"""Numbers as they were written: scores with exactly two decimals.

In      ScoreRule; an output and its raw bytes
Out     findings score.precision
Pure    yes
Spec    interfaces.md, "Strictness" (score precision); 003 (score precision)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.core.json.pointer import PointerPattern
from assay.core.json.strict import lexemes
from assay.gate.gate import Finding, GateContext

_TWO_DECIMALS = re.compile(r"(?:0|[1-9][0-9]*)\.[0-9]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRule:
    """Every value at *pattern* is a number written with exactly two decimals.

    `0.87`, `0.90` and `1.00` are; `0.9`, `0.870`, `9e-1`, `1`, `-0.50` and `"0.90"` are not.
    Which range is allowed, the schema says.
    """

    any_shape: ClassVar[bool] = True

    pattern: PointerPattern
    """Where scores stand."""

    def __call__(
        self,
        output: dict[str, Any],  # noqa: ARG002 - every check has it
        context: GateContext,
    ) -> Iterable[Finding]:
        """Findings `score.precision`, judged on the text of the reply, not on the value."""
        return [
            Finding(
                code="score.precision",
                path=pointer,
                message="must be a number with exactly two decimals, as in 0.90",
            )
            for pointer, number, _ in self.pattern.places(lexemes(context.raw))
            if number.__class__ in _NO_LEXEME or not _TWO_DECIMALS.fullmatch(str(number))
        ]


# What `lexemes` gives for anything but a number with a fraction or an exponent.
_NO_LEXEME = frozenset({str, int, bool, type(None), dict, list})
