"""Events of one exchange: what came back, and how it was judged.

In      Execution, its cost, Weighed
Out     EventDraft
Pure    yes
Spec    000-B2; 002-N3; docs/explanation/record.md
"""

from __future__ import annotations

from assay.contract.cut import FACT, InputCut
from assay.contract.job import Weighed
from assay.core.json.canonical import canonical, digest
from assay.gate.gate import RULES_VERSION
from assay.record.event import EventDraft
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.execution import Execution
from assay.runtime.costs.cost import Cost


def answered_event(
    execution: Execution,
    attempt: int,
    budget: RunBudget,
    cost: Cost | None,
    cut: InputCut | None = None,
) -> EventDraft:
    """What came back, and what it cost by the prices of that day; None is not known.

    Args:
        cut: What the server left out of the prompt without a word.
    """
    raw = execution.raw or b""
    facts = {
        **execution.telemetry(),
        "attempt": attempt,
        "raw_sha256": digest(raw),
        "run_usage": budget.to_dict(),
        "cost": None if cost is None else cost.to_dict(),
        **({} if cut is None else {FACT: cut.to_dict()}),
    }
    return EventDraft(kind="model.answered", facts=facts, payloads={"raw": raw})


def judged_event(weighed: Weighed, attempt: int, library: str) -> EventDraft:
    """How a reply was judged, under which version of the rules and by which library."""
    # A path or message may name keys that the model invented: codes alone are facts.
    return EventDraft(
        kind="output.judged",
        facts={
            "attempt": attempt,
            "verdict": "accepted" if weighed.accepted else "rejected",
            "rules": RULES_VERSION,
            "library": library,
            "findings": [
                {"code": finding.code, "severity": finding.severity} for finding in weighed.findings
            ],
        },
        payloads={
            "findings": canonical([finding.to_dict() for finding in weighed.findings]),
            "spans": canonical([dict(span) for span in weighed.spans]),
        },
    )
