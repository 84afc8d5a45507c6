"""Weigh one model output: finish reason, strict JSON, schema, then every check.

In      raw output, what the model was shown, the compiled schema, checks
Out     Verdict: findings, the output when accepted, spans of its evidence
Pure    yes
Spec    000 H1-H4; interfaces.md, "The gate"
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from assay.core.schema import Schema
from assay.core.text import Shown

Severity = Literal["reject", "note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault (`reject`) or remark (`note`) about one place of an output."""

    code: str
    severity: Severity = "reject"
    path: str = ""
    """JSON Pointer into the output; empty means the whole."""

    message: str

    def to_dict(self) -> dict[str, str]:
        return {
            "code": self.code,
            "severity": self.severity,
            "path": self.path,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedAt:
    """Where the snippet at one place of the output lies in a source."""

    path: str
    source: str
    start: int
    stop: int
    match: Literal["exact", "folded"]
    occurrences: int
    digest: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "source": self.source,
            "start": self.start,
            "stop": self.stop,
            "match": self.match,
            "occurrences": self.occurrences,
            "digest": self.digest,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The gate's answer. `output` is None unless accepted."""

    findings: tuple[Finding, ...]
    output: dict[str, Any] | None
    spans: tuple[LocatedAt, ...] = ()

    @property
    def accepted(self) -> bool:
        return self.output is not None and all(f.severity != "reject" for f in self.findings)

    def to_dict(self) -> dict[str, Any]:
        return {
            "verdict": "accepted" if self.accepted else "rejected",
            "findings": [finding.to_dict() for finding in self.findings],
            "output": self.output,
            "spans": [span.to_dict() for span in self.spans],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GateContext:
    """What an output is weighed against, beside the contract."""

    shown: tuple[Shown, ...] = ()
    state: Mapping[str, Any] | None = None
    input: Mapping[str, Any] = field(default_factory=dict)
    raw: bytes = b""
    """The output as it came; `judge` fills it in."""


class Check(Protocol):
    """One question about one output; reads, never repairs. A check may also yield spans."""

    def __call__(
        self, output: dict[str, Any], context: GateContext
    ) -> Iterable[Finding | LocatedAt]: ...


def judge(
    raw: bytes | str,
    context: GateContext,
    checks: Sequence[Check],
    *,
    schema: Schema,
    finish_reason: str | None = None,
    refusals: Sequence[str] = (),
) -> Verdict:
    raise NotImplementedError
