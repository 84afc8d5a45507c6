"""Rules of a contract, in the Common Expression Language.

In      Rule; an output, the state, the input
Out     a finding when the assertion is false, errs, or is no boolean
Pure    yes
Spec    interfaces.md, "The gate" (rules)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from assay.gate.gate import Finding, GateContext, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One assertion over `output`, `state` and `input`; make it with `Rule.compile`."""

    id: str
    code: str
    assert_text: str
    severity: Severity = "reject"
    message: str = ""

    @classmethod
    def compile(
        cls,
        *,
        id: str,  # noqa: A002
        assert_text: str,
        code: str = "",
        severity: Severity = "reject",
        message: str = "",
    ) -> Self:
        """Raises InputError when *assert_text* is no CEL. `code` defaults to `rule.ID`."""
        raise NotImplementedError

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterator[Finding]:
        raise NotImplementedError
