"""The ordered set of checks that a contract puts every output to.

In      Contract
Out     checks, cheapest first
Pure    yes
Spec    interfaces.md, "The gate"; 000 H3

Finish reason, strict JSON and schema come before all of them and are the gate's own. Every
check is asked, so that a person or a correction prompt sees all faults at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.gate.gate import Check
from assay.gate.shape import ScoreRule

if TYPE_CHECKING:
    from assay.contract.contract import Contract


def checks_of(contract: Contract) -> tuple[Check, ...]:
    """Labels, number shapes, evidence, rules, then checks that came from elsewhere."""
    evidence = () if contract.evidence is None else (contract.evidence,)
    scores = tuple(ScoreRule(pattern=pattern) for pattern in contract.scores)
    return (*contract.labels, *scores, *evidence, *contract.rules, *contract.extra)
