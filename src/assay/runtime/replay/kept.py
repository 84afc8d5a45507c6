"""What the record still holds of one call: the values needed to rebuild and to judge it.

In      a store, the id of a call
Out     KeptCall: its attempts with prompts, replies and verdicts; None where a value is gone
Effects store reads
Spec    002-N1, 002-J2 to 002-J7

Source texts and exact prompts are kept only where a master key encrypts them, under a data
key per subject. After `assay audit erase` the events and digests stay, the values are None.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.contract.material import Material
from assay.core.text.spans import Shown
from assay.errors import IntegrityError
from assay.protocols import CallRow, Store
from assay.record.event import StoredEvent


@dataclass(slots=True, kw_only=True)
class KeptAttempt:
    """One attempt as it stands on record; filled while its events are read."""

    number: int
    built: Mapping[str, Any]
    """Facts of `prompt.built`: the context snapshot."""

    prompt: bytes | None = None
    """The exact bytes; None when they were not kept or have been erased."""

    redacted: str | None = None
    artefacts: Mapping[str, bytes] = field(default_factory=dict)
    """What else was kept beside the prompt, by name."""

    answered: Mapping[str, Any] | None = None
    """Facts of `model.answered`; None when no reply is on record."""

    raw: bytes | None = None
    """The reply; None when there was none or when it has been erased."""

    judged: Mapping[str, Any] | None = None
    """Facts of `output.judged`."""

    findings: tuple[Mapping[str, Any], ...] | None = None
    spans: tuple[Mapping[str, Any], ...] | None = None

    @property
    def finish_reason(self) -> str | None:
        """Why the model stopped, as it said."""
        return None if self.answered is None else self.answered.get("finish_reason")

    @property
    def verdict(self) -> str | None:
        """`accepted`, `rejected`, or None when nothing was judged."""
        return None if self.judged is None else str(self.judged["verdict"])

    @property
    def codes(self) -> list[tuple[str, str]]:
        """Code and severity of each finding on record, in order."""
        listed = () if self.judged is None else self.judged["findings"]
        return [(str(each["code"]), str(each["severity"])) for each in listed]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCall:
    """A call as it stands on record."""

    row: CallRow
    opened: Mapping[str, Any]
    """Facts of `call.opened`."""

    material: Material | None
    """None when it was not kept (no master key) or has been erased."""

    attempts: tuple[KeptAttempt, ...]
    settled: Mapping[str, Any] | None
    """Facts of `call.settled`; None while the call is open."""

    result: dict[str, Any] | None
    """The audited result as the gate settled it; a person's correction is not it."""

    @property
    def contract_name(self) -> str:
        """Name of its contract within the pack."""
        return self.row.contract.rpartition("/")[2]

    @property
    def release(self) -> str:
        """How the template of its prompts came in: `pack`, `active`, `canary`, `fallback`."""
        return str(self.attempts[0].built.get("release", "pack")) if self.attempts else "pack"

    def shown_at(self, attempt: KeptAttempt) -> tuple[Shown, ...] | None:
        """What *attempt* showed of every source, as recorded; None without the texts."""
        if self.material is None:
            return None
        texts = self.material.texts
        views = []
        for view in attempt.built.get("shown", ()):
            if view["source"] not in texts:
                return None
            segments = tuple((int(start), int(stop)) for start, stop in view["segments"])
            views.append(
                Shown(name=view["source"], original=texts[view["source"]], segments=segments)
            )
        return tuple(views)


async def kept_call(store: Store, call_id: str) -> KeptCall:
    """Read everything that the record holds of a call.

    Raises:
        NotFoundError: there is no such call.
        UsageError: the values are encrypted and no master key is configured.
        IntegrityError: a value was changed, or is gone without an erasure.
    """
    row = await store.call(call_id)
    opened: Mapping[str, Any] = {}
    material: Material | None = None
    attempts: dict[int, KeptAttempt] = {}
    settled: Mapping[str, Any] | None = None
    result: dict[str, Any] | None = None
    async for event in store.events(call=call_id):
        if event.kind == "call.opened":
            opened = event.facts
            content = await _payload(store, event, "sources")
            material = None if content is None else Material.from_dict(json.loads(content))
        elif event.kind == "prompt.built":
            attempt = await _kept_build(store, event)
            attempts[attempt.number] = attempt
        elif event.kind == "model.answered":
            answered = _attempt(attempts, event)
            answered.answered = event.facts
            answered.raw = await _payload(store, event, "raw")
        elif event.kind == "output.judged":
            judged = _attempt(attempts, event)
            judged.judged = event.facts
            judged.findings = _list_attempts(await _payload(store, event, "findings"))
            judged.spans = _list_attempts(await _payload(store, event, "spans"))
        elif event.kind == "call.settled":
            settled = event.facts
            content = await _payload(store, event, "result")
            result = None if content is None else json.loads(content)
    return KeptCall(
        row=row,
        opened=opened,
        material=material,
        attempts=tuple(attempts[number] for number in sorted(attempts)),
        settled=settled,
        result=result,
    )


_OF_THE_PROMPT = frozenset({"prompt", "prompt_redacted", "redaction_map"})


async def _kept_build(store: Store, event: StoredEvent) -> KeptAttempt:
    redacted = await _payload(store, event, "prompt_redacted")
    artefacts: dict[str, bytes] = {}
    for name in event.commitments:
        content = None if name in _OF_THE_PROMPT else await store.payload(event.seq, name)
        if content is not None:
            artefacts[name] = content
    return KeptAttempt(
        number=int(event.facts["attempt"]),
        built=event.facts,
        prompt=await _payload(store, event, "prompt"),
        redacted=None if redacted is None else redacted.decode("utf-8"),
        artefacts=artefacts,
    )


def _attempt(attempts: Mapping[int, KeptAttempt], event: StoredEvent) -> KeptAttempt:
    number = int(event.facts["attempt"])
    if number not in attempts:
        raise IntegrityError(f"event {event.seq} speaks of attempt {number}, which was never built")
    return attempts[number]


def _list_attempts(content: bytes | None) -> tuple[Mapping[str, Any], ...] | None:
    return None if content is None else tuple(json.loads(content))


async def _payload(store: Store, event: StoredEvent, name: str) -> bytes | None:
    return await store.payload(event.seq, name) if name in event.commitments else None
