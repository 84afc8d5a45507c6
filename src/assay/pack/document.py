"""A file of a pack: its value, the line of every place in it, and its typed form.

In      file name and bytes, YAML or JSON
Out     Document; an instance of a form; PackError with file and line
Pure    yes; time and memory are linear in the file
Spec    interfaces.md, "Packs" (faults have file and line)

Of what YAML writes without quotes only `true`, `false`, `null` and decimal numbers are more
than text, so `no`, `on`, `012` and `2026-01-17` stay what they look like.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from assay.core.json.pointer import PointerPattern
from assay.core.json.strict import Refused, parse
from assay.core.yaml import MAX_DEPTH, Path, YamlFault, parse_yaml
from assay.errors import AssayError, PackError

T = TypeVar("T", bound=BaseModel)

MAX_BYTES: Final = 8 << 20

_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file, read."""

    file: str
    value: Any
    lines: Mapping[Path, int]
    """Line of each key and list item, from 1."""

    def line(self, *path: str | int) -> int:
        """The line of the nearest place at or above *path* that the file has."""
        for length in range(len(path), -1, -1):
            if (line := self.lines.get(path[:length])) is not None:
                return line
        return 1

    def fault(self, message: str, *path: str | int, hint: str = "") -> PackError:
        """An error about the place *path* of this file."""
        return PackError(message, file=self.file, line=self.line(*path), hint=hint)

    def pattern(self, text: str, *path: str | int) -> PointerPattern:
        """Compile the pointer pattern *text*, which stands at *path*.

        Raises:
            PackError: it is none.
        """
        try:
            return PointerPattern.compile(text)
        except AssayError as error:
            raise self.fault(str(error), *path) from error


def decode(file: str, data: bytes) -> str:
    """The text of a pack file: UTF-8 without byte order mark, at most MAX_BYTES.

    Raises:
        PackError: with the line where it stops being so.
    """
    if len(data) > MAX_BYTES:
        raise PackError(f"is larger than {MAX_BYTES} bytes", file=file)
    if data.startswith(b"\xef\xbb\xbf"):
        raise PackError("starts with a byte order mark", file=file, line=1, hint="save it without")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PackError("is not UTF-8", file=file, line=line) from error


def read_yaml(file: str, data: bytes) -> Document:
    """Read a YAML file.

    Raises:
        PackError: with the line of the first fault.
    """
    read = parse_yaml(decode(file, data))
    if isinstance(read, YamlFault):
        raise PackError(read.message, file=file, line=read.line)
    places = {**read.places, **read.keys}
    lines = {path: line for path, (line, _) in places.items()} | {(): 1}
    return Document(file=file, value=read.value, lines=lines)


def read_json(file: str, data: bytes) -> Document:
    """Read a JSON file under the rules that model outputs are read by.

    Raises:
        PackError: with the line of the fault where one can be told.
    """
    text = decode(file, data)
    parsed = parse(data, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH)
    if isinstance(parsed, Refused):
        message = f"is no strict JSON: {parsed.message} ({parsed.code})"
        raise PackError(message, file=file, line=_line_of_fault(text))
    lines, _ = _json_lines(text)
    return Document(file=file, value=parsed.value, lines=lines)


def _line_of_fault(text: str) -> int:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno
    except (ValueError, RecursionError):
        return 1
    _, repeated = _json_lines(text)
    return repeated or 1


def _json_lines(text: str) -> tuple[dict[Path, int], int]:
    """Lines of all places of a valid JSON text, and the line of the first repeated key, or 0."""
    lines: dict[Path, int] = {}
    repeated = 0
    path: list[str | int] = []
    open_objects: list[bool] = []
    line, at = 1, 0
    key_next = False
    for token in _JSON_TOKEN.finditer(text):
        line += text.count("\n", at, token.start())
        at = token.start()
        sign = token[0]
        if sign in "}]":
            open_objects.pop()
            path.pop()
            key_next = False
        elif sign == ",":
            key_next = open_objects[-1]
            if not key_next:
                path[-1] = int(path[-1]) + 1
        elif sign == ":":
            key_next = False
        elif key_next:
            path[-1] = json.loads(sign)
            if tuple(path) in lines and not repeated:
                repeated = line
            lines.setdefault(tuple(path), line)
        else:
            lines.setdefault(tuple(path), line)
            if sign in "{[":
                open_objects.append(sign == "{")
                key_next = sign == "{"
                path.append("" if key_next else 0)
    return lines, repeated


def validate_form(document: Document, model: type[T], *path: str | int, value: Any = None) -> T:
    """Put a document, or one place of it, into the typed form of its kind.

    Args:
        path: The place; empty for the whole document.
        value: What stands there; the whole document when *path* is empty.

    Raises:
        PackError: for the first fault, with its line.
    """
    content = value if path else document.value
    if not isinstance(content, dict):
        raise document.fault("must be a mapping", *path)
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = _place(document, path, first["loc"], first["type"])
        where = ".".join(str(step) for step in place)
        if first["type"] == "extra_forbidden":
            known = [field.alias or name for name, field in model.model_fields.items()]
            hint = suggest_name(str(place[-1]), known) if len(place) == len(path) + 1 else ""
            raise document.fault(f"key {where!r} is not known", *place, hint=hint) from error
        if first["type"] == "missing":
            raise document.fault(f"{where!r} is missing", *place) from error
        raise document.fault(f"{where or 'the file'}: {first['msg']}", *place) from error


def _place(document: Document, path: Path, loc: tuple[str | int, ...], kind: str) -> Path:
    """The place in the file: *loc* without the names of branches of a union."""
    place = path
    for number, step in enumerate(loc):
        absent = kind == "missing" and number == len(loc) - 1
        if absent or (*place, step) in document.lines:
            place = (*place, step)
    return place


def suggest_name(name: str, known: Iterable[str]) -> str:
    """A hint that names what *name* was probably meant to be, or what there is."""
    names = sorted(known)
    found = get_close_matches(name, names, n=1)
    return f"did you mean {found[0]!r}?" if found else f"known: {', '.join(names) or 'none'}"
