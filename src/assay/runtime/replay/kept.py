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
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from assay.contract.kept import KeptAttempt, KeptCall
from assay.contract.material import Material
from assay.errors import InputError, IntegrityError
from assay.gate.verdict import Finding
from assay.protocols import Store
from assay.record.event import StoredEvent
from assay.templates.template import TemplateVersion

FindTemplate = Callable[[str, str, int], Awaitable[TemplateVersion | None]]
"""(role, name, version) -> the version as the store holds it now; None when it has none."""


async def kept_call(
    store: Store, call_id: str, find_template: FindTemplate | None = None
) -> KeptCall:
    """Read everything that the record holds of a call.

    Args:
        find_template: Looks up the template version that its prompts name.

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
            listed = _list_attempts(await _payload(store, event, "findings"))
            judged.findings = None if listed is None else tuple(map(Finding.from_dict, listed))
            judged.spans = _list_attempts(await _payload(store, event, "spans"))
        elif event.kind == "call.settled":
            settled = event.facts
            content = await _payload(store, event, "result")
            result = None if content is None else json.loads(content)
    kept = KeptCall(
        id=row.id,
        run=row.run,
        kind=row.kind,
        reference=row.contract,
        contract_digest=row.contract_digest,
        input=row.input,
        input_digest=row.input_digest,
        opened=opened,
        material=material,
        attempts=tuple(attempts[number] for number in sorted(attempts)),
        settled=settled,
        result=result,
    )
    named = next((a.built["template"] for a in kept.attempts if a.built.get("template")), None)
    if find_template is None or named is None:
        return kept
    found = await find_template(named["role"], named["name"], int(named["version"]))
    return replace(kept, template=found)


async def kept_material(store: Store, call_id: str) -> Material:
    """The source texts of a call as they stood in the record.

    Raises:
        InputError: they were not kept (no master key at the time) or have been erased.
    """
    async for event in store.events(call=call_id, kind="call.opened"):
        content = await _payload(store, event, "sources")
        if content is not None:
            return Material.from_dict(json.loads(content))
    raise InputError(
        "the source texts of this call are not in the store",
        hint="set ASSAY_MASTER_KEY to have them kept",
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
