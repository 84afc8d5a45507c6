"""What the gate answers: findings, spans, a verdict.

In      nothing
Out     Finding, LocatedAt, Reading, Verdict
Pure    values only
Spec    000 H1-H4; interfaces.md, "The gate"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, Self

from typing_extensions import TypeVar

from assay.errors import InputError
from assay.figures.outcome_html import outcome_html

Severity = Literal["reject", "note"]

ValueT = TypeVar("ValueT", default=Any)
"""What a contract makes of an accepted output: an instance of its class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault (`reject`) or remark (`note`) about one place of an output."""

    code: str
    """Stable and dotted; all are listed in `assay.gate.codes`."""

    severity: Severity = "reject"
    """`reject` forbids acceptance; `note` does not."""

    path: str = ""
    """JSON Pointer into the output; empty means the whole, and in prose there is none."""

    start: int | None = None
    """In prose, the first code point that it is about; None in an output that is JSON."""

    stop: int | None = None
    """In prose, the first code point that it is no longer about."""

    message: str
    """What is wrong, for people; of the output it quotes nothing but markers, of a source
    nothing."""

    def __post_init__(self) -> None:
        if (self.start is None) != (self.stop is None) or (self.path and self.start is not None):
            raise InputError("a finding has a path, or a start and a stop")

    def to_dict(self) -> dict[str, Any]:
        """The fields as interfaces.md prints them: `path` in JSON, `start` and `stop` in prose."""
        place: dict[str, Any] = {"path": self.path}
        if self.start is not None:
            place = {"start": self.start, "stop": self.stop}
        return {"code": self.code, "severity": self.severity, **place, "message": self.message}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Self:
        """The finding that `to_dict` wrote."""
        return cls(
            code=kept["code"],
            severity=kept["severity"],
            path=kept.get("path", ""),
            start=kept.get("start"),
            stop=kept.get("stop"),
            message=kept["message"],
        )


class LocatedAt(NamedTuple):
    """Where the snippet at one place of the output lies in a source.

    A tuple with names, as a verdict holds many and a frozen dataclass takes four times as
    long to make.
    """

    path: str
    """JSON Pointer to the snippet in the output."""

    source: str
    """Name of the source."""

    start: int
    """First code point in the full original of the source."""

    stop: int
    """Exclusive."""

    match: Literal["exact", "folded"]
    """Character by character, or in the folded view."""

    occurrences: int
    """How often it stands in what was shown of all sources; the span is the first."""

    digest: str
    """Over the UTF-8 of the original slice."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as interfaces.md prints them."""
        return self._asdict()


class Reading(NamedTuple):
    """What a check that reads the whole output makes of it."""

    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Generic[ValueT]):
    """The gate's answer."""

    findings: tuple[Finding, ...]
    """All that was found, in the order of the obligations above."""

    output: dict[str, Any] | None
    """What the text says, when accepted; None when rejected, so that nobody uses it."""

    spans: tuple[LocatedAt, ...] = ()
    """One for each snippet that was found, also when something else was rejected."""

    value: ValueT | None = None
    """The instance of the contract's class, when accepted; None for a contract without one."""

    @property
    def accepted(self) -> bool:
        """True only when there is an output and no finding of severity `reject`."""
        return self.output is not None and not any(
            finding.severity != "note" for finding in self.findings
        )

    def to_dict(self) -> dict[str, Any]:
        """The document of `assay gate --json`."""
        return {
            "verdict": "accepted" if self.accepted else "rejected",
            "findings": [finding.to_dict() for finding in self.findings],
            "output": self.output,
            "spans": [span.to_dict() for span in self.spans],
        }

    def _repr_html_(self) -> str:
        """What a notebook shows: findings and output; the texts are not the verdict's to show."""
        document = self.to_dict()
        return outcome_html(
            title="gate",
            status=document["verdict"],
            findings=document["findings"],
            result=self.output,
        )
