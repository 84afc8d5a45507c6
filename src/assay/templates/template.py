"""Template versions: strict variables, one pass, no logic.

In      body text, declared variables, values
Out     TemplateVersion; Rendered: text with byte sections
Pure    yes; linear in template, names and values
Spec    002 "Data Model", "Strict Variable Contract", "Blueprint Injection", "Fallback Prompt";
        interfaces.md, "Templates"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

from assay.core.json.canonical import digest, digest_json
from assay.core.yaml import Places
from assay.errors import InputError, PromptTemplateError
from assay.templates.blueprint import blueprint_text, fallback_parts
from assay.templates.fields import check_fields, check_labels, check_variables, json_object
from assay.templates.frontmatter import decode, has_front_matter, split_front_matter
from assay.templates.parts import split_parts
from assay.templates.placeholders import Piece, take_apart

OPTIONAL_PREFIX: Final = "input."
"""Slots of this namespace may be absent and are then the empty string."""

LITERAL: Final = "template"
"""Name of the sections that stand in the template itself."""

BLUEPRINT: Final = "blueprint"
"""Name of the section that the blueprint adds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Where a piece of a prompt lies."""

    name: str
    """`template` for literal text, `blueprint`, else the variable's name."""

    start: int
    """First byte of the prompt's UTF-8 that belongs to it."""

    stop: int
    """First byte that no longer does; equal to `start` for an empty value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A slice of a prompt that goes out in a role of its own."""

    role: Literal["system", "user"]
    start: int
    """First code point of the prompt."""

    stop: int
    """Exclusive."""

    def to_dict(self) -> dict[str, Any]:
        return {"role": self.role, "start": self.start, "stop": self.stop}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Where the system part of a body gives way to the user part: within a literal piece."""

    system_start: int
    """First code point of the system part; what stands before is the line that begins it."""

    piece: int
    """Index of the piece that holds the line `=== user ===`."""

    system_stop: int
    """First code point of that piece which is no longer the system part's."""

    user_start: int
    """First code point of it which is the user part's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateVersion:
    """One immutable version of a template. Made by `parse_template` or `make_template`."""

    name: str
    role: str
    version: int
    """1 or more."""

    body: str
    variables: tuple[str, ...]
    """Exactly the names in the body, in the order declared."""

    sha256: str
    """Digest of the body's UTF-8: what drift compares first."""

    fields_sha256: str
    """Digest of every field that shapes a prompt: an edited blueprint is drift too."""

    blueprint_schema: Mapping[str, Any] | None = None
    """JSON; appended for the role `formatter` only."""

    blueprint_instructions: str = ""
    declared_in: str = ""
    """File it was read from; not part of any digest."""

    pieces: tuple[Piece, ...] = field(repr=False, compare=False, default=())
    """The body, taken apart once."""

    turn: Turn | None = field(repr=False, compare=False, default=None)
    """Where the system part ends and the user part begins; None for one user message."""

    places: Places = field(repr=False, compare=False, default_factory=dict)
    """Where the declared fields stand in that file, for faults that are found later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A template with its values put in."""

    text: str
    sections: tuple[Section, ...]
    """Tile the text in order, in bytes of its UTF-8."""

    variables: tuple[str, ...]
    """Names of the variables put in, in the order declared."""

    parts: tuple[Part, ...] = ()
    """The slices that have a role of their own; none is one user message."""


def make_template(
    *,
    name: str,
    role: str,
    version: int,
    body: str,
    variables: Sequence[str] | None = None,
    blueprint_schema: Mapping[str, Any] | None = None,
    blueprint_instructions: str = "",
    declared_in: str = "",
    first_line: int = 1,
    places: Places = MappingProxyType({}),
) -> TemplateVersion:
    """Check every field and seal a version.

    Args:
        variables: The declared names; None declares exactly those of the body.
        first_line: Number of the body's first line in its file, for faults.
        places: Where the declared fields stand in that file, for faults.

    Raises:
        TemplateError: with line and column where the fault has a place.

    Spec: 002 "Data Model"; interfaces.md, "Templates"
    """
    check_labels(name, role, version, places)
    pieces, used = take_apart(body, first_line)
    turn = _turn(body, first_line)
    declared = tuple(used) if variables is None else tuple(variables)
    check_variables(declared, used, places)
    schema = json_object(blueprint_schema, places)
    sealed = fields_digest(
        name=name,
        role=role,
        version=version,
        body=body,
        variables=declared,
        blueprint_schema=schema,
        blueprint_instructions=blueprint_instructions,
    )
    return TemplateVersion(
        name=name,
        role=role,
        version=version,
        body=body,
        variables=declared,
        sha256=digest(body),
        fields_sha256=sealed,
        blueprint_schema=None if schema is None else MappingProxyType(schema),
        blueprint_instructions=blueprint_instructions,
        declared_in=declared_in,
        pieces=pieces,
        turn=turn,
        places=places,
    )


def parse_template(data: bytes, *, file: str = "") -> TemplateVersion:
    """Read a template file: front matter, then the body byte for byte.

    Args:
        data: UTF-8 without byte order mark.
        file: Its name, kept in `declared_in`.

    Raises:
        TemplateError: with line and column in the file.

    Spec: interfaces.md, "Templates"
    """
    parts = split_front_matter(decode(data))
    check_fields(parts)
    fields = parts.fields
    return make_template(
        name=fields["name"],
        role=fields["role"],
        version=fields["version"],
        body=parts.body,
        variables=fields["variables"] or (),
        blueprint_schema=fields.get("blueprint_schema"),
        blueprint_instructions=fields.get("blueprint_instructions") or "",
        declared_in=file,
        first_line=parts.first_line,
        places=parts.places,
    )


def parse_body(data: bytes, *, file: str = "") -> TemplateVersion:
    """Read a file that is a body only: its variables are those that stand in it.

    Raises:
        TemplateError: as `parse_template`.
    """
    return make_template(name="file", role="none", version=1, body=decode(data), declared_in=file)


def is_version(data: bytes) -> bool:
    """Whether a template file says which version it is, or is a body only."""
    return has_front_matter(data[:64].decode("utf-8", "replace"))


def fields_digest(
    *,
    name: str,
    role: str,
    version: int,
    body: str,
    variables: Sequence[str],
    blueprint_schema: Mapping[str, Any] | None,
    blueprint_instructions: str,
) -> str:
    """The digest over every field of a version, also of one whose text no longer parses."""
    return digest_json(
        {
            "name": name,
            "role": role,
            "version": version,
            "template": body,
            "variables": list(variables),
            "blueprint_schema": None if blueprint_schema is None else dict(blueprint_schema),
            "blueprint_instructions": blueprint_instructions,
        }
    )


def render(template: TemplateVersion, variables: Mapping[str, Any]) -> Rendered:
    """Put *variables* into *template*: one pass, values are inert text.

    Args:
        variables: Exactly the declared names, each a string. Names under `input.` may be
            absent and count as the empty string.

    Raises:
        PromptTemplateError: names all that are missing, not declared, or no strings.

    Example:
        >>> version = make_template(name="t", role="writer", version=1, body="To {{who}}.")
        >>> render(version, {"who": "{{who}}"}).text
        'To {{who}}.'

    Spec: 002 "Strict Variable Contract"; interfaces.md, "Templates"
    """
    declared = frozenset(template.variables)
    missing = [name for name in declared - variables.keys() if not name.startswith(OPTIONAL_PREFIX)]
    unexpected = [str(name) for name in variables.keys() - declared]
    wrong = [
        (name, _kind(value))
        for name, value in variables.items()
        if name in declared and not isinstance(value, str)
    ]
    if missing or unexpected or wrong:
        raise PromptTemplateError(
            template.name, missing=missing, unexpected=unexpected, wrong_type=wrong
        )
    texts: list[str] = []
    sections: list[Section] = []
    at = 0
    turn, before = template.turn, 0
    lengths = {name: _length(name, value) for name, value in variables.items()}
    for index, piece in enumerate(_with_blueprint(template)):
        if turn is not None and index == turn.piece:
            before = sum(map(len, texts))
        if piece.text:
            text, name, size = piece.text, piece.name or LITERAL, len(piece.text.encode())
        else:
            name = piece.name or LITERAL
            text, size = variables.get(name, ""), lengths.get(name, 0)
        texts.append(text)
        sections.append(Section(name=name, start=at, stop=at + size))
        at += size
    joined = "".join(texts)
    return Rendered(
        text=joined,
        sections=tuple(sections),
        variables=template.variables,
        parts=() if turn is None else _parts(turn, before, len(joined)),
    )


def system_variables(template: TemplateVersion) -> tuple[str, ...]:
    """The variables that stand in the system part, in the order declared; none without one."""
    if template.turn is None:
        return ()
    placed = {piece.name for piece in template.pieces[: template.turn.piece]}
    return tuple(name for name in template.variables if name in placed)


def fallback_prompt(role: str, variables: Mapping[str, Any]) -> Rendered:
    """The prompt of a role that has no active template: the role and the input as JSON.

    Raises:
        InputError: the variables are no JSON.

    Spec: 002 "Fallback Prompt"
    """
    head, body, end = fallback_parts(role, variables)
    sizes = [len(part.encode("utf-8")) for part in (head, body, end)]
    first, second = sizes[0], sizes[0] + sizes[1]
    return Rendered(
        text=head + body + end,
        sections=(
            Section(name=LITERAL, start=0, stop=first),
            Section(name="input", start=first, stop=second),
            Section(name=LITERAL, start=second, stop=second + sizes[2]),
        ),
        variables=tuple(sorted(variables)),
    )


def _turn(body: str, first_line: int) -> Turn | None:
    split = split_parts(body, first_line)
    if split is None:
        return None
    # No placeholder spans lines: the text before a line falls into the same pieces by itself,
    # and the last of them is literal, for it ends a line.
    pieces, _ = take_apart(body[: split.system_stop])
    stop = len(pieces[-1].text)
    return Turn(
        system_start=split.system_start,
        piece=len(pieces) - 1,
        system_stop=stop,
        user_start=stop + split.user_start - split.system_stop,
    )


def _parts(turn: Turn, before: int, end: int) -> tuple[Part, ...]:
    """Args: *before* is how many code points stand in front of the piece that turns."""
    return (
        Part(role="system", start=turn.system_start, stop=before + turn.system_stop),
        Part(role="user", start=before + turn.user_start, stop=end),
    )


def _with_blueprint(template: TemplateVersion) -> Iterator[Piece]:
    yield from template.pieces
    added = blueprint_text(
        template.role, template.blueprint_instructions, template.blueprint_schema
    )
    if added:
        yield Piece(added, BLUEPRINT)


def _kind(value: Any) -> str:
    return "null" if value is None else type(value).__name__


def _length(name: str, value: str) -> int:
    try:
        return len(value.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise InputError(f"variable {name!r} holds a lone surrogate: no UTF-8") from error
