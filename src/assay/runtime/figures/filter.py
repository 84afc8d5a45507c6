"""Which calls of a record are counted.

In      two moments, a pack, a contract
Out     FiguresFilter
Pure    yes
Spec    007-F2
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresFilter:
    """Which calls are counted; None leaves a field open."""

    since: datetime | None = None
    """First moment at which a call was opened."""

    until: datetime | None = None
    """First moment that is too late."""

    pack: str | None = None
    contract: str | None = None
    """`PACK/NAME`."""

    def takes(self, contract: str, at: str) -> bool:
        """Whether a call of *contract* that was opened *at* is counted."""
        return self.takes_time(at) and (
            (self.pack is None or contract.rpartition("/")[0] == self.pack)
            and (self.contract is None or contract == self.contract)
        )

    def takes_time(self, at: str) -> bool:
        """Whether the moment *at*, as events write it, lies between the two."""
        return (self.since is None or at >= _as_recorded(self.since)) and (
            self.until is None or at < _as_recorded(self.until)
        )

    def to_dict(self) -> dict[str, str]:
        """What was asked for, and nothing else."""
        times = {"since": self.since, "until": self.until}
        said = {name: _as_recorded(at) for name, at in times.items() if at is not None}
        names = {"pack": self.pack, "contract": self.contract}
        return said | {name: value for name, value in names.items() if value is not None}


def _as_recorded(at: datetime) -> str:
    """A moment as events write it, so that texts compare as times do."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"
