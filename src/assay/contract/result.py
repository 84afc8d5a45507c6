"""An accepted output becomes an audited result.

In      Contract, Verdict, Material, Redactor
Out     Result: evidence spans, redacted values, confirmations, thresholds; decision digest
Pure    yes
Spec    000 "audited, schema-validated results"
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.gate.gate import Finding, Verdict
from assay.prompt.redaction import Redactor

if TYPE_CHECKING:
    from assay.contract.build import Built, Material
    from assay.contract.contract import Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSpec:
    """What a contract says about its result."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What an accepted output says, ready to be stored and acted on."""

    name: str
    """The key under which a flow prints it: `classification`."""

    value: dict[str, Any]
    decision: dict[str, Any]
    """What the digest covers: result, contract, pack, template, model; no time, no run."""

    digest: str
    """Decision digest: over the RFC 8785 form of `decision`."""

    findings: tuple[Finding, ...] = ()
    """Not empty when the result breaks its own published schema: then it must not stand."""

    @property
    def accepted(self) -> bool:
        return not self.findings


def settle_result(
    contract: Contract,
    verdict: Verdict,
    material: Material,
    redactor: Redactor,
    *,
    built: Built | None = None,
    model: str = "",
) -> Result:
    """Turn the output of an accepted *verdict* into the audited result."""
    raise NotImplementedError
