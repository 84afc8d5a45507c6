"""How calls ended whose prompt a version of a template made: what a canary is judged by.

In      the events of a store, read on from where they were read before
Out     TemplateOutcomes of a role and a name: calls by version and outcome, fallbacks
Effects store reads
Spec    002-F3, 002-V2

A call counts for the version that made its last prompt. What a person decided since is not the
version's doing: counted is what the gate came to. An event that was edited counts for nothing.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from assay.protocols import TemplateStore
from assay.record.event import StoredEvent

Named = tuple[str, str]
"""Role and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateOutcomes:
    """What became of calls that asked for one template."""

    versions: dict[int, Counter[str]]
    """Version -> outcome -> settled calls."""

    prompts: int
    """Made from it."""

    fallbacks: int
    """Made without it, as no version was active."""


@dataclass(slots=True)
class OutcomeCounts:
    """Counts over a record that grows: each event is read once.

    Keep it as long as the store is open; whoever asks first waits for the whole record.
    """

    templates: TemplateStore
    _read_to: dict[str, int] = field(default_factory=dict)
    _made_by: dict[str, tuple[Named, int]] = field(default_factory=dict)
    """Open calls, and the version of their last prompt."""

    _ended: list[StoredEvent] = field(default_factory=list)
    """Read, and not counted yet: who asked may have gone meanwhile."""

    _settled: dict[Named, dict[int, Counter[str]]] = field(default_factory=dict)
    _prompts: Counter[Named] = field(default_factory=Counter)
    _fallbacks: Counter[Named] = field(default_factory=Counter)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def count(self, role: str, name: str) -> TemplateOutcomes:
        """The counts of a template, as the record stands now."""
        async with self._lock:
            await self._read_on()
        named = role, name
        return TemplateOutcomes(
            versions={
                version: Counter(counts) for version, counts in self._settled.get(named, {}).items()
            },
            prompts=self._prompts[named],
            fallbacks=self._fallbacks[named],
        )

    async def _read_on(self) -> None:
        # Ends are read first: whatever ended by then has all of its prompts among those read next.
        async for event in self._unread("call.settled"):
            self._ended.append(event)
        async for event in self._unread("prompt.built"):
            self._note_prompt(event)
        for event in self._ended:
            made = self._made_by.pop(event.call or "", None)
            if made is not None:
                named, version = made
                counts = self._settled.setdefault(named, {}).setdefault(version, Counter())
                counts[str(event.facts["outcome"])] += 1
        self._ended.clear()
        async for event in self._unread("template.fallback"):
            self._fallbacks[str(event.facts["role"]), str(event.facts["name"])] += 1

    def _note_prompt(self, event: StoredEvent) -> None:
        template = event.facts.get("template")
        if template is None:
            self._made_by.pop(event.call or "", None)
            return
        named = str(template["role"]), str(template["name"])
        self._prompts[named] += 1
        self._made_by[event.call or ""] = named, int(template["version"])

    async def _unread(self, kind: str) -> AsyncIterator[StoredEvent]:
        while page := await self.templates.recorded_events(kind, self._read_to.get(kind, -1)):
            for _, event in page:
                if event is not None:
                    yield event
            self._read_to[kind] = page[-1][0]
