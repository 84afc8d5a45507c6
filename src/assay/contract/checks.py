"""The ordered set of checks that a contract puts every output to.

In      Contract
Out     checks, cheapest first
Pure    yes
Spec    interfaces.md, "The gate"; 000 H3

Finish reason, strict JSON and schema come before all of them and are the gate's own. Every
check is asked, so that a person or a correction prompt sees all faults at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from assay.core.schema import Schema
from assay.gate.gate import Check, Finding, GateContext
from assay.gate.shape import ScoreRule
from assay.prompt.blueprint import FORMATTER

if TYPE_CHECKING:
    from assay.contract.contract import Contract


def checks_of(contract: Contract) -> tuple[Check, ...]:
    """Labels, number shapes, evidence, rules, then checks that came from elsewhere."""
    evidence = () if contract.evidence is None else (contract.evidence,)
    scores = tuple(ScoreRule(pattern=pattern) for pattern in contract.scores)
    blueprint = _blueprint(contract)
    return (*contract.labels, *scores, *evidence, *blueprint, *contract.rules, *contract.extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlueprintRule:
    """The output fits the blueprint that its prompt carried (002-B2)."""

    any_shape: ClassVar[bool] = True

    schema: Schema

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterator[Finding]:  # noqa: ARG002
        """A finding `schema.KEYWORD` for every place that does not fit."""
        for fault in self.schema.faults(output):
            yield Finding(
                code=f"schema.{fault.keyword}",
                path=fault.pointer,
                message=f"does not fit the blueprint: {fault.message}",
            )


def _blueprint(contract: Contract) -> tuple[Check, ...]:
    """What a formatter was shown binds it, also where a newer version shows another blueprint."""
    template = contract.template
    if template is None or template.role != FORMATTER or template.blueprint_schema is None:
        return ()
    if template.blueprint_schema == contract.schema.document:
        return ()  # the gate puts every output to it already
    return (BlueprintRule(schema=Schema.compile(dict(template.blueprint_schema))),)
