"""Template versions: strict variables, one pass, no logic.

In      body text, declared variables, values
Out     TemplateVersion; Rendered: text with byte sections
Pure    yes; linear in template, names and values
Spec    002 "Data Model", "Strict Variable Contract", "Blueprint Injection", "Fallback Prompt";
        interfaces.md, "Templates"
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from assay.core.canonical import canonical, digest, digest_json
from assay.errors import InputError, PromptTemplateError, TemplateError
from assay.prompt.frontmatter import FrontMatter, Place, decode, has_front_matter, split

NAME = r"[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*"
"""A variable's name: identifiers joined by dots."""

FORMATTER = "formatter"
"""The one role whose prompts carry a blueprint."""

OPTIONAL_PREFIX = "input."
"""Slots of this namespace may be absent and are then the empty string."""

LITERAL = "template"
"""Name of the sections that stand in the template itself."""

BLUEPRINT = "blueprint"
"""Name of the section that the blueprint adds."""

FIELDS = frozenset(
    {"name", "role", "version", "variables", "blueprint_schema", "blueprint_instructions"}
)
"""Keys of the front matter; the first four are required."""

_REQUIRED = ("name", "role", "version", "variables")
_NAME = re.compile(NAME)
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]*")
_PLACEHOLDER = re.compile(rf"\{{\{{[ \t]*({NAME})[ \t]*\}}\}}")
_REFUSED = {
    "#": "a section",
    "/": "the end of a section",
    "^": "an inverted section",
    "!": "a comment",
    ">": "a partial",
    "{": "a triple brace",
}


class Piece(NamedTuple):
    """A run of literal text, or the place of one variable."""

    text: str
    """The literal text; empty for a variable."""

    name: str | None
    """The variable's name; None for literal text."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A template with its values put in."""

    text: str
    sections: tuple[Section, ...]
    """Tile the text in order, in bytes of its UTF-8."""

    variables: tuple[str, ...]
    """Names of the variables put in, in the order declared."""


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
    places: Mapping[tuple[str | int, ...], Place] = MappingProxyType({}),
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
    _check_labels(name, role, version, places)
    pieces, used = _take_apart(body, first_line)
    declared = tuple(used) if variables is None else tuple(variables)
    _check_declared(declared, used, places)
    schema = _json_object(blueprint_schema, places)
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
    parts = split(decode(data))
    _check_fields(parts)
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
    lengths = {name: _length(name, value) for name, value in variables.items()}
    for piece in _with_blueprint(template):
        if piece.text:
            text, name, size = piece.text, piece.name or LITERAL, len(piece.text.encode())
        else:
            name = piece.name or LITERAL
            text, size = variables.get(name, ""), lengths.get(name, 0)
        texts.append(text)
        sections.append(Section(name=name, start=at, stop=at + size))
        at += size
    return Rendered(text="".join(texts), sections=tuple(sections), variables=template.variables)


def fallback_prompt(role: str, variables: Mapping[str, Any]) -> Rendered:
    """The prompt of a role that has no active template: the role and the input as JSON.

    Raises:
        InputError: the variables are no JSON.

    Spec: 002 "Fallback Prompt"
    """
    try:
        written = json.dumps(dict(variables), sort_keys=True, ensure_ascii=False, allow_nan=False)
        head, body, end = f"ROLE: {role}\nINPUT: ", written, "\n"
        sizes = [len(part.encode("utf-8")) for part in (head, body, end)]
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError("the variables of the fallback prompt are no JSON") from error
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


def blueprint_text(template: TemplateVersion) -> str:
    """What the blueprint adds to a prompt; empty for every role but `formatter`.

    Spec: 002 "Blueprint Injection (Formatter Role)"
    """
    if template.role != FORMATTER:
        return ""
    parts: list[str] = []
    instructions = template.blueprint_instructions.strip()
    if instructions:
        parts.append(f"STRUCTURE BLUEPRINT INSTRUCTIONS\n{instructions}")
    if template.blueprint_schema:
        parts.append("SCHEMA JSON:\n" + canonical(dict(template.blueprint_schema)).decode())
    return "".join(f"\n\n{part}" for part in parts)


def _with_blueprint(template: TemplateVersion) -> Iterator[Piece]:
    yield from template.pieces
    added = blueprint_text(template)
    if added:
        yield Piece(added, BLUEPRINT)


def _take_apart(body: str, first_line: int) -> tuple[tuple[Piece, ...], dict[str, tuple[int, int]]]:
    """The pieces of *body*, and where each variable stands first (line, column)."""
    pieces: list[Piece] = []
    places: dict[str, tuple[int, int]] = {}
    literal: list[str] = []
    place = _Places(body, first_line)
    at = 0
    while (opening := body.find("{{", at)) >= 0:
        literal.append(body[at:opening])
        if body.startswith("{{{{", opening):
            literal.append("{{")
            at = opening + 4
            continue
        match = _PLACEHOLDER.match(body, opening)
        if match is None:
            line, column = place.of(opening)
            raise _refusal(body, opening, line, column)
        if before := "".join(literal):
            pieces.append(Piece(before, None))
        literal.clear()
        name = match[1]
        pieces.append(Piece("", name))
        if name not in places:
            places[name] = place.of(opening)
        at = match.end()
    literal.append(body[at:])
    if rest := "".join(literal):
        pieces.append(Piece(rest, None))
    return tuple(pieces), places


class _Places:
    """Line and column of offsets asked for in rising order: one pass over the body."""

    def __init__(self, body: str, first_line: int) -> None:
        self._body = body
        self._line = first_line
        self._start = 0
        self._seen = 0

    def of(self, offset: int) -> tuple[int, int]:
        self._line += self._body.count("\n", self._seen, offset)
        last = self._body.rfind("\n", self._seen, offset)
        if last >= 0:
            self._start = last + 1
        self._seen = offset
        return self._line, offset - self._start + 1


def _refusal(body: str, opening: int, line: int, column: int) -> TemplateError:
    sign = body[opening + 2 : opening + 3]
    if sign in _REFUSED and sign:
        return TemplateError(
            f"{_REFUSED[sign]} ({{{{{sign}) is refused: a template has placeholders only",
            line=line,
            column=column,
            hint="write {{name}}; {{{{ stands for a literal {{",
        )
    return TemplateError(
        "{{ opens no placeholder",
        line=line,
        column=column,
        hint="a name is identifiers joined by dots; {{{{ stands for a literal {{",
    )


def _check_fields(parts: FrontMatter) -> None:
    fields = parts.fields
    for key in fields:
        if key not in FIELDS:
            line, column = parts.places[(key,)]
            raise TemplateError(
                f"key {key!r} is not known",
                line=line,
                column=column,
                hint=f"known: {sorted(FIELDS)}",
            )
    for key in _REQUIRED:
        if key not in fields:
            raise TemplateError(f"the front matter lacks {key!r}", line=1, column=1)
    if not isinstance(fields["variables"], list | None):
        raise _fault("variables must be a list of names", parts.places, "variables")
    if not isinstance(fields.get("blueprint_instructions"), str | None):
        raise _fault("blueprint_instructions must be text", parts.places, "blueprint_instructions")


def _fault(
    message: str, places: Mapping[tuple[str | int, ...], Place], *path: str | int
) -> TemplateError:
    line, column = places.get(path, (0, 0))
    return TemplateError(message, line=line, column=column)


def _check_labels(
    name: Any, role: Any, version: Any, places: Mapping[tuple[str | int, ...], Place]
) -> None:
    for what, label in (("name", name), ("role", role)):
        if not isinstance(label, str) or not _LABEL.fullmatch(label):
            raise _fault(
                f"the {what} must start with a letter and hold only letters, digits, _ . -",
                places,
                what,
            )
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version < 2**53:
        raise _fault("the version must be a whole number from 1", places, "version")


def _check_declared(
    declared: tuple[Any, ...],
    used: Mapping[str, Place],
    places: Mapping[tuple[str | int, ...], Place],
) -> None:
    seen: set[str] = set()
    for index, name in enumerate(declared):
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise _fault(
                f"variable {index} is no name: identifiers joined by dots",
                places,
                "variables",
                index,
            )
        if name in seen:
            raise _fault(f"variable {name!r} is declared twice", places, "variables", index)
        seen.add(name)
    for name, (line, column) in used.items():
        if name not in seen:
            raise TemplateError(
                f"variable {name!r} is not declared",
                line=line,
                column=column,
                hint="list it under variables",
            )
    for index, name in enumerate(declared):
        if name not in used:
            raise _fault(
                f"variable {name!r} is declared but stands nowhere in the body",
                places,
                "variables",
                index,
            )


def _json_object(
    schema: Mapping[str, Any] | None, places: Mapping[tuple[str | int, ...], Place]
) -> dict[str, Any] | None:
    if schema is None:
        return None
    if not isinstance(schema, Mapping):
        raise _fault("blueprint_schema must be an object", places, "blueprint_schema")
    try:
        copy = json.loads(canonical(dict(schema)))
    except (InputError, TypeError, ValueError, RecursionError) as error:
        raise _fault("blueprint_schema is no JSON", places, "blueprint_schema") from error
    assert isinstance(copy, dict)
    return copy


def _kind(value: Any) -> str:
    return "null" if value is None else type(value).__name__


def _length(name: str, value: str) -> int:
    try:
        return len(value.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise InputError(f"variable {name!r} holds a lone surrogate: no UTF-8") from error
