"""What an installation demands of templates, and who gets which version.

In      released versions, a session or run
Out     Governance; the version that is chosen; facts for the record
Pure    yes, but for `stamp`, which asks the clock it is given
Spec    002-N2, 002-T5, 002-V3, 002-F1; docs/decisions/0004
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from assay.errors import InputError
from assay.protocols import Clock
from assay.templates.template import TemplateVersion
from assay.templates.version import PutTemplate, Registered, ReleaseRow, TemplateRow, version_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Governance:
    """What an installation demands of the templates that render."""

    strict: bool = False
    """A drifted version never renders."""

    require: bool = False
    """There is no fallback prompt: without an active version a call is refused."""

    trusted: tuple[str, ...] = ()
    """Public keys; when there is one, only versions signed under one of them render."""

    two_person: bool = False
    """Who added a version may not release it."""

    @property
    def fallback(self) -> bool:
        """May a prompt be made without a template?"""
        return not (self.require or self.trusted or self.two_person)

    def with_pack(self, *, strict: bool, require: bool) -> Governance:
        """A pack can only ask for more."""
        return replace(self, strict=self.strict or strict, require=self.require or require)


def choose(rows: Sequence[Registered], assignment: str) -> Registered | None:
    """The canary for those that are drawn, the active version for all others."""
    by_state = {found.release.state: found for found in rows}
    canary = by_state.get("canary")
    if canary is not None:
        share = canary.release.percent or 0
        if canary_place(canary.row.role, canary.row.name, assignment) < share:
            return canary
    return by_state.get("active")


def canary_place(role: str, name: str, assignment: str) -> int:
    """The place of a session or run among a hundred; the same in every process, for ever.

    Who has the canary at ten per cent has it at twenty, too.
    """
    said = f"assay canary\n{role}\n{name}\n{assignment}".encode()
    return int.from_bytes(sha256(said).digest()[:8], "big") % 100


def addition(
    version: TemplateVersion, *, author: str, now: str, active: bool, file: str
) -> tuple[PutTemplate, dict[str, Any]]:
    """The rows of a version that is added, and what its event says.

    Raises:
        InputError: a text cannot be stored.
    """
    name = version_id(version.role, version.name, version.version)
    schema = version.blueprint_schema
    row = TemplateRow(
        id=name,
        role=version.role,
        name=version.name,
        version=version.version,
        body=require_storable(version.body),
        variables=version.variables,
        sha256=version.sha256,
        fields_sha256=version.fields_sha256,
        blueprint_schema=None if schema is None else dict(schema),
        blueprint_instructions=require_storable(version.blueprint_instructions),
        author=require_storable(author),
        created_at=now,
        updated_at=now,
    )
    release = ReleaseRow(
        id=name,
        role=version.role,
        name=version.name,
        version=version.version,
        state="active" if active else "added",
        percent=None,
        replaced=None,
        moves=0,
        changed_at=now,
        changed_by=author,
    )
    facts = {
        **{"id": name, "role": version.role, "name": version.name, "version": version.version},
        "sha256": version.sha256,
        "fields_sha256": version.fields_sha256,
        "author": author,
        "state": release.state,
        "file": file,
    }
    return PutTemplate(row=row, release=release), facts


def drift_facts(found: Registered) -> dict[str, Any]:
    """What the event of a drift says: the digests on record and those found."""
    return {
        **version_facts(found),
        "recorded": {
            "sha256": found.recorded_sha256,
            "fields_sha256": found.recorded_fields_sha256,
        },
        "found": {"sha256": found.found_sha256, "fields_sha256": found.found_fields_sha256},
    }


def reason_payload(reason: str) -> dict[str, bytes]:
    """A person's reason as a payload: it may name people."""
    return {"reason": reason.encode("utf-8")} if reason else {}


def stamp(clock: Clock) -> str:
    """Now, as the registry writes times: RFC 3339, UTC, microseconds."""
    return clock.now().isoformat(timespec="microseconds").replace("+00:00", "Z")


def version_facts(found: Registered) -> dict[str, Any]:
    row = found.row
    return {"id": row.id, "role": row.role, "name": row.name, "version": row.version}


def require_storable(text: str) -> str:
    if "\0" in text:
        raise InputError("a text of the template holds a NUL character", hint="remove it")
    return text
