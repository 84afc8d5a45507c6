"""Drift: texts that are no longer what was added, or what a prompt was made from.

In      all versions and all recorded contexts, read from the store afresh
Out     DriftReport; contexts of a call
Effects store reads; one event for each hit
Spec    002-X1, 002-X2 "Template Drift Detection"
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from assay.contract.prompt import TemplateRef
from assay.protocols import Changes
from assay.record.event import EventDraft, StoredEvent
from assay.runtime.templates.policy import drift_facts
from assay.runtime.templates.registry import RUN_KIND, Registry
from assay.runtime.templates.role_prompt import JobContext, TemplateSource
from assay.templates.version import Registered, Unreadable, version_id

DRIFT = "template.drift"
DAY = timedelta(hours=24)
_NAMED = 20
"""So many events that cannot be read are named; all are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftReport:
    """What was looked at and what was found."""

    versions: int
    """How many stand in the registry."""

    contexts: int
    """How many recorded prompts name a version of it."""

    hits: tuple[Mapping[str, Any], ...]
    """`kind` is `version` (not what was added), `context` (not what prompts were made from) or
    `gone`; `id`, the digests, and for contexts how many. `found` is None for what cannot be read;
    `id` as well, when not even its name can."""

    last_24h: int
    """Events of drift in the last 24 hours, those of this report among them."""

    @property
    def found(self) -> bool:
        return bool(self.hits)

    def to_dict(self) -> dict[str, Any]:
        return {
            "versions": self.versions,
            "contexts": self.contexts,
            "drift": [dict(hit) for hit in self.hits],
            "last_24h": self.last_24h,
        }


async def detect(registry: Registry) -> DriftReport:
    """Compare every version and every context with what the store holds now.

    What cannot be read has drifted, too: it is a hit whose `found` is null, and hides nothing
    that stands beside it.
    """
    versions: dict[str, Registered | Unreadable] = {}
    hits: list[dict[str, Any]] = []
    unnamed = 0
    for found in await registry.templates.scan():
        if isinstance(found, Unreadable):
            hits.append({"kind": "version", **_left_of(found), "recorded": None, "found": None})
            if found.id is None:
                unnamed += 1
            else:
                versions[found.id] = found
        else:
            versions[found.row.id] = found
            if found.drifted:
                hits.append({"kind": "version", **drift_facts(found)})
    seen: Counter[tuple[str, str, str]] = Counter()
    spoilt: list[int] = []
    async for seq, event in _recorded_digest(registry, "prompt.built"):
        made_from = None if event is None else _made_from(event)
        if made_from is None:
            spoilt.append(seq)
        elif made_from:
            seen[made_from] += 1
    for made_from, count in sorted(seen.items()):
        hit = _compare_version(versions.get(made_from[0]), *made_from)
        if hit is not None:
            hits.append({**hit, "contexts": count})
    if spoilt:
        hits.append(
            {
                **{"kind": "context", "id": None, "recorded": None, "found": None},
                **{"contexts": len(spoilt), "events": spoilt[:_NAMED]},
            }
        )
    if hits:
        run = await registry.store.start_run(RUN_KIND, {"move": "drift"})
        events = tuple(EventDraft(kind=DRIFT, facts=hit) for hit in hits)
        await registry.store.commit(Changes(run=run, events=events))
    return DriftReport(
        versions=len(versions) + unnamed,
        contexts=sum(seen.values()) + len(spoilt),
        hits=tuple(hits),
        last_24h=await hits_since(registry, registry.clock.now() - DAY),
    )


async def hits_since(registry: Registry, since: datetime) -> int:
    """How many events of drift there are from *since* on (002-X3).

    One that cannot be read counts: nobody can say when it was.
    """
    count = 0
    async for _, event in _recorded_digest(registry, DRIFT):
        count += event is None or datetime.fromisoformat(event.at) >= since
    return count


async def _recorded_digest(
    registry: Registry, kind: str
) -> AsyncIterator[tuple[int, StoredEvent | None]]:
    after = -1
    while page := await registry.templates.recorded_events(kind, after):
        for found in page:
            yield found
        after = page[-1][0]


def _made_from(event: StoredEvent) -> tuple[str, str, str] | tuple[()] | None:
    """Id and digests of what a prompt was made from; () for the fallback, None for nonsense."""
    try:
        named: Mapping[str, Any] | None = event.facts.get("template")
        if named is None:
            return ()
        name = version_id(named["role"], named["name"], named["version"])
        digests = named["sha256"], named.get("fields_sha256", "")
    except (AttributeError, KeyError, TypeError):
        return None
    return (name, *digests) if all(isinstance(each, str) for each in digests) else None


def _compare_version(
    found: Registered | Unreadable | None, name: str, sha256: str, fields_sha256: str
) -> dict[str, Any] | None:
    recorded = {"sha256": sha256, "fields_sha256": fields_sha256}
    if found is None:
        return {"kind": "gone", "id": name, "recorded": recorded}
    if isinstance(found, Unreadable):
        return {"kind": "context", "id": name, "recorded": recorded, "found": None}
    if sha256 == found.found_sha256 and fields_sha256 in ("", found.found_fields_sha256):
        return None
    now = {"sha256": found.found_sha256, "fields_sha256": found.found_fields_sha256}
    return {"kind": "context", "id": name, "recorded": recorded, "found": now}


def _left_of(found: Unreadable) -> dict[str, Any]:
    """What the row still says of itself."""
    return {"id": found.id, "role": found.role, "name": found.name, "version": found.version}


async def contexts(
    registry: Registry, call: str, source: TemplateSource | None = None
) -> tuple[JobContext, ...]:
    """What the record keeps of each prompt of a call; read back, never computed again.

    Raises:
        NotFoundError: there is no such call.
    """
    store = registry.store
    await store.call(call)
    found = []
    async for event in store.events(call=call, kind="prompt.built"):
        facts = event.facts
        named: Mapping[str, Any] | None = facts.get("template")
        redacted = await store.payload(event.seq, "prompt_redacted")
        mapping = await store.payload(event.seq, "redaction_map")
        found.append(
            JobContext(
                job=call,
                attempt=facts["attempt"],
                prompt_template=None if named is None else TemplateRef(**named),
                prompt_version=None if named is None else named["version"],
                rendered_prompt_redacted=None if redacted is None else redacted.decode("utf-8"),
                template_sha256=None if named is None else named["sha256"],
                redaction_map={} if mapping is None else json.loads(mapping),
                model_params=facts["model_params"],
                snippet_ids=tuple(facts.get("snippet_ids", ())),
                retrieval_metrics=facts.get("retrieval_metrics", {}),
                release=facts.get("release"),
                source=source,
            )
        )
    return tuple(found)
