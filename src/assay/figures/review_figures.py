"""The figures of what people decided, as values: agreement with the model, calibration.

In      counts
Out     Agreement, Calibration; `to_dict` is their part of `assay figures --json`
Pure    yes
Spec    007-F9, 007-F10
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from assay.figures.intervals import Share, make_share

Counts = tuple[int, ...]
"""One number for each period."""

WAYS: Final = ("kept", "label", "elsewhere", "rejected", "unread")
"""How a decided case stands to the model's output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Cases that persons decided, by the period in which their call was opened."""

    kept: Counts = ()
    """Accepted with the model's output: the same JSON value."""

    label: Counts = ()
    """Accepted with another label in some object."""

    elsewhere: Counts = ()
    """Accepted with the same labels and another value."""

    rejected: Counts = ()
    unread: Counts = ()
    """Accepted, but one of the two outputs cannot be read: erased, expired, encrypted."""

    waiting: int = 0
    """Not decided at the end of the record."""

    pairs: int = 0
    """Cases that were decided again by another person, and can be compared."""

    agreed: int = 0
    """Of them, those in which both decided alike."""

    pairs_unread: int = 0

    @property
    def decided(self) -> int:
        return sum(sum(getattr(self, way)) for way in WAYS)

    @property
    def known(self) -> int:
        """Decided cases of which it is known whether the model's output was kept."""
        return self.decided - sum(self.unread)

    @property
    def whole(self) -> Share:
        """Kept, of those that are known."""
        return make_share(sum(self.kept), self.known)

    @property
    def shares(self) -> tuple[Share, ...]:
        """The same for each period."""
        known = (self.kept, self.label, self.elsewhere, self.rejected)
        return tuple(make_share(numbers[0], sum(numbers)) for numbers in zip(*known, strict=True))

    def to_dict(self) -> dict[str, Any]:
        return {
            "decided": self.decided,
            **{way: list(getattr(self, way)) for way in WAYS},
            "waiting": self.waiting,
            "kept_share": share_document(self.whole),
            "two_persons": {
                "cases": self.pairs,
                "agreed": self.agreed,
                "share": share_document(make_share(self.agreed, self.pairs)),
                "unread": self.pairs_unread,
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceBin:
    """Labels that a model stated with about the same confidence."""

    low: float
    high: float
    """Not in it, but for the last bin."""

    statements: int
    confirmed: int
    stated: float
    """The mean of what was stated; nought where nothing was."""

    @property
    def share(self) -> Share:
        return make_share(self.confirmed, self.statements)

    def to_dict(self) -> dict[str, Any]:
        return {
            "from": self.low,
            "to": self.high,
            "statements": self.statements,
            "confirmed": self.confirmed,
            "mean_confidence": round(self.stated, 6) if self.statements else None,
            "share": share_document(self.share),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What models stated of labels in accepted cases, and what persons confirmed of it."""

    bins: tuple[ConfidenceBin, ...] = ()
    cases: int = 0
    """Accepted cases with a labelled confidence."""

    silent: int = 0
    """Accepted cases without one."""

    unread: int = 0
    """Accepted cases of which an output cannot be read."""

    @property
    def statements(self) -> int:
        return sum(each.statements for each in self.bins)

    @property
    def whole(self) -> Share:
        return make_share(sum(each.confirmed for each in self.bins), self.statements)

    def to_dict(self) -> dict[str, Any]:
        return {
            "cases": self.cases,
            "without_confidence": self.silent,
            "unread": self.unread,
            "statements": self.statements,
            "bins": [each.to_dict() for each in self.bins],
        }


def share_document(share: Share) -> dict[str, Any]:
    """A share and its interval, rounded as a page would never need finer."""
    return {
        "value": None if share.value is None else round(share.value, 6),
        "low": round(share.low, 6),
        "high": round(share.high, 6),
    }
