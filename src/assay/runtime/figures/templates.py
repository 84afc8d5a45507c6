"""Count what a record says of its templates: versions that were edited, prompts made without one.

In      events of the registry, in the order of the record
Out     counts by hour
Pure    yes
Spec    002-F3, 002-X3, 007-F8

Such an event belongs to the hour in which it was recorded: most of them are of no call.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.record.event import StoredEvent

Tally = defaultdict[str, Counter[str]]
"""Name -> hour -> how often."""


def make_tally() -> Tally:
    """Nothing counted yet."""
    return defaultdict(Counter)


@dataclass(slots=True)
class TemplateCounting:
    """Events of drift and of the fallback prompt."""

    drift: Tally = field(default_factory=make_tally)
    """Version, or `""` where nobody can say which -> hour -> hits."""

    fallbacks: Tally = field(default_factory=make_tally)
    """Role and name -> hour -> uses."""

    def add_drift(self, event: StoredEvent) -> None:
        """A version or a context that is no longer what the record says."""
        self.drift[str(event.facts.get("id") or "")][event.at[:13]] += 1

    def add_fallback(self, event: StoredEvent) -> None:
        """A prompt of the role and the input alone, as no version was active."""
        self.fallbacks[_name_of(event.facts)][event.at[:13]] += 1

    def hours(self) -> set[str]:
        """In which something happened."""
        tallies = (self.drift, self.fallbacks)
        return {hour for tally in tallies for counts in tally.values() for hour in counts}


def _name_of(facts: Mapping[str, Any]) -> str:
    return f"{facts.get('role', '')}/{facts.get('name', '')}"
