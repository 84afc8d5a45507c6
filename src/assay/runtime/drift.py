"""Drift: texts that are no longer what was added, or what a prompt was made from.

In      all versions and all recorded contexts, read from the store afresh
Out     DriftReport; contexts of a call
Effects store reads; one event for each hit
Spec    002 "Template Drift Detection"; issue on the registry, item 6
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from assay.prompt.prompt import TemplateRef
from assay.prompt.registered import version_id
from assay.protocols import Changes
from assay.record.event import EventDraft
from assay.runtime.governance import drift_facts
from assay.runtime.registry import RUN_KIND, Registry
from assay.runtime.role_prompt import JobContext, TemplateSource

DRIFT = "template.drift"
DAY = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftReport:
    """What was looked at and what was found."""

    versions: int
    """How many stand in the registry."""

    contexts: int
    """How many recorded prompts name a version of it."""

    hits: tuple[Mapping[str, Any], ...]
    """`kind` is `version` (not what was added), `context` (not what prompts were made from) or
    `gone`; `id`, the digests, and for contexts how many."""

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
    """Compare every version and every context with what the store holds now."""
    versions = {found.row.id: found for found in await registry.versions()}
    hits: list[dict[str, Any]] = [
        {"kind": "version", **drift_facts(found)} for found in versions.values() if found.drifted
    ]
    seen: Counter[tuple[str, str, str]] = Counter()
    async for event in registry.store.events(kind="prompt.built"):
        named: Mapping[str, Any] | None = event.facts.get("template")
        if named is None:
            continue
        name = version_id(named["role"], named["name"], named["version"])
        seen[name, named["sha256"], named.get("fields_sha256", "")] += 1
    for (name, sha256, fields_sha256), count in sorted(seen.items()):
        found = versions.get(name)
        recorded = {"sha256": sha256, "fields_sha256": fields_sha256}
        if found is None:
            hits.append({"kind": "gone", "id": name, "recorded": recorded, "contexts": count})
        elif sha256 != found.found_sha256 or fields_sha256 not in ("", found.found_fields_sha256):
            now = {"sha256": found.found_sha256, "fields_sha256": found.found_fields_sha256}
            hits.append(
                {
                    "kind": "context",
                    "id": name,
                    "recorded": recorded,
                    "found": now,
                    "contexts": count,
                }
            )
    if hits:
        run = await registry.store.start_run(RUN_KIND, {"move": "drift"})
        events = tuple(EventDraft(kind=DRIFT, facts=hit) for hit in hits)
        await registry.store.commit(Changes(run=run, events=events))
    return DriftReport(
        versions=len(versions),
        contexts=sum(seen.values()),
        hits=tuple(hits),
        last_24h=await hits_since(registry, registry.clock.now() - DAY),
    )


async def hits_since(registry: Registry, since: datetime) -> int:
    """How many events of drift there are from *since* on (002-X3)."""
    count = 0
    async for event in registry.store.events(kind=DRIFT):
        count += datetime.fromisoformat(event.at) >= since
    return count


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
