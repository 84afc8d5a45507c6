"""Template versions as a registry keeps them: the version, its release, what is on record.

In      fields
Out     TemplateRow, ReleaseRow, Registered, Unreadable, Reference; the writes that change them
Pure    yes; times are RFC 3339 text
Spec    002 "Data Model", "Versioning Strategy"; interfaces.md, "Templates"

The text of a version never changes. Which version is in use is a release, a row of its own:
a text edited behind the registry's back is drift, an edited release breaks the record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from assay.core.json.canonical import digest
from assay.errors import InputError, TemplateError
from assay.templates.parts import split_parts
from assay.templates.template import Part, TemplateVersion, fields_digest, make_template

State = Literal["added", "active", "canary", "former", "retired"]
"""`added`: never released; `former`: was active or a canary; `retired`: never again."""

ACTIVE: Final = "active"
CANARY: Final = "canary"

_REFERENCE = re.compile(
    r"(?P<role>[A-Za-z][A-Za-z0-9_.\-]*)/(?P<name>[A-Za-z][A-Za-z0-9_.\-]*)(?:@(?P<which>[^@/\s]+))?"
)
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,127}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateRow:
    """One version as it stands in the store now, whatever was done to it."""

    id: str
    """`ROLE/NAME@VERSION`."""

    role: str
    name: str
    version: int
    body: str
    variables: tuple[str, ...]
    sha256: str
    """Of the body, as the row claims."""

    fields_sha256: str
    """Of every field, as the row claims."""

    blueprint_schema: Mapping[str, Any] | None
    blueprint_instructions: str
    author: str
    """Who added it."""

    created_at: str
    updated_at: str
    """Of the last signature."""

    signature: str | None = None
    """Base64, Ed25519 over `signing.message`."""

    signer: str | None = None
    """The public key that it was made for, 64 hex digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRow:
    """What a version is used for."""

    id: str
    """`ROLE/NAME@VERSION`."""

    role: str
    name: str
    version: int
    state: State
    percent: int | None
    """Of a canary: how many in a hundred sessions or runs get it."""

    replaced: int | None
    """The version that was active before this one was; what a roll back returns to."""

    moves: int
    """Grows with every change: who changes the row names the value that was read."""

    changed_at: str
    changed_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRow:
    """A name of the user's own for one version of a template."""

    id: str
    """`ROLE/NAME@LABEL`."""

    role: str
    name: str
    label: str
    version: int
    changed_at: str
    changed_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A version with its release, and the digests that the record gives it."""

    row: TemplateRow
    release: ReleaseRow
    recorded_sha256: str
    """Of the text as it was added, from the event that tells of it."""

    recorded_fields_sha256: str

    @property
    def drifted(self) -> bool:
        """Is what stands there now not what was added?"""
        return self.found_sha256 != self.recorded_sha256 or self.fields_drifted

    @property
    def fields_drifted(self) -> bool:
        row = self.row
        claimed = (row.sha256, row.fields_sha256)
        recorded = (self.recorded_sha256, self.recorded_fields_sha256)
        return claimed != recorded or self.found_fields_sha256 != self.recorded_fields_sha256

    @property
    def found_sha256(self) -> str:
        """Of the text that stands there now."""
        return digest(self.row.body)

    @property
    def found_fields_sha256(self) -> str:
        row = self.row
        return fields_digest(
            name=row.name,
            role=row.role,
            version=row.version,
            body=row.body,
            variables=row.variables,
            blueprint_schema=row.blueprint_schema,
            blueprint_instructions=row.blueprint_instructions,
        )

    def template(self) -> TemplateVersion:
        """What stands there now, as a version that can be rendered.

        Raises:
            TemplateError: it was edited and is no template any more.
        """
        row = self.row
        return make_template(
            name=row.name,
            role=row.role,
            version=row.version,
            body=row.body,
            variables=row.variables,
            blueprint_schema=row.blueprint_schema,
            blueprint_instructions=row.blueprint_instructions,
            declared_in=row.id,
        )

    def to_dict(self, *, text: bool = True) -> dict[str, Any]:
        """As commands and the service print it."""
        row, release = self.row, self.release
        document: dict[str, Any] = {
            "role": row.role,
            "name": row.name,
            "version": row.version,
            "state": release.state,
            "percent": release.percent,
            "sha256": self.recorded_sha256,
            "fields_sha256": self.recorded_fields_sha256,
            "drifted": self.drifted,
            "variables": list(row.variables),
            "author": row.author,
            "created_at": row.created_at,
            "updated_at": max(row.updated_at, release.changed_at),
            "signer": row.signer,
        }
        if text:
            schema = row.blueprint_schema
            document |= {
                "template": row.body,
                "parts": self._parts(),
                "blueprint_schema": None if schema is None else dict(schema),
                "blueprint_instructions": row.blueprint_instructions,
            }
        return document

    def _parts(self) -> list[dict[str, Any]] | None:
        """The slices of the body, in code points; None when it was edited into no template."""
        body = self.row.body
        try:
            split = split_parts(body)
        except TemplateError:
            return None
        if split is None:
            return []
        system = Part(role="system", start=split.system_start, stop=split.system_stop)
        user = Part(role="user", start=split.user_start, stop=len(body))
        return [system.to_dict(), user.to_dict()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A version that was edited into something that is none any more: what can still be told.

    Every field is None where the row does not give it.
    """

    id: str | None
    """`ROLE/NAME@VERSION`."""

    role: str | None
    name: str | None
    version: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """`ROLE/NAME@WHICH`: a number, `active`, `canary`, or a label."""

    role: str
    name: str
    which: str = ACTIVE

    @classmethod
    def parse(cls, text: str) -> Reference:
        """Read a reference; `@active` when it says no version.

        Raises:
            InputError: it has another form.

        Example:
            >>> Reference.parse("planner/planner.base@3").version
            3
        """
        found = _REFERENCE.fullmatch(text)
        if found is None:
            raise InputError(
                f"{text!r} names no template", hint="as ROLE/NAME@VERSION: planner/planner.base@1"
            )
        which = found["which"] or ACTIVE
        reference = cls(role=found["role"], name=found["name"], which=which)
        if reference.version is None and not _LABEL.fullmatch(which):
            raise InputError(f"{text!r}: after @ stands a version, active, canary or a label")
        return reference

    @property
    def version(self) -> int | None:
        """The number, when it is one. A label can never be taken for it: see `check_label`."""
        if self.which.isascii() and self.which.isdigit() and not self.which.startswith("0"):
            return int(self.which) if len(self.which) < 16 else None
        return None

    def __str__(self) -> str:
        return f"{self.role}/{self.name}@{self.which}"


def check_label(label: str) -> str:
    """A label that can be told from a version and from a state.

    Raises:
        InputError: it cannot.
    """
    if label in (ACTIVE, CANARY) or not _LABEL.fullmatch(label):
        raise InputError(
            f"{label!r} is no label for a version",
            hint="start it with a letter; active and canary are moves, digits are versions",
        )
    return label


def version_id(role: str, name: str, version: int) -> str:
    """`ROLE/NAME@VERSION`."""
    return f"{role}/{name}@{version}"


# --- writes ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PutTemplate:
    """Insert a version with its first release; a version that stands there conflicts."""

    row: TemplateRow
    release: ReleaseRow


@dataclass(frozen=True, slots=True, kw_only=True)
class PutRelease:
    """Change a release; conflicts when it was moved since, or when two would be active."""

    row: ReleaseRow
    expected: int
    """`moves` as it was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutSignature:
    """Set the signature of a version; conflicts when the version is gone."""

    row: TemplateRow
    """The version as it was read and checked, with its signature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutLabel:
    """Set a label, or move it to another version."""

    row: LabelRow
