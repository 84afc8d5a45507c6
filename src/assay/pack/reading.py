"""YAML and JSON files as plain values that remember which line they stand on.

In      file name and bytes
Out     Document: the value, and the line of each place in it
Pure    yes; time and memory are linear in the file: aliases are refused
Spec    interfaces.md, "Packs" (faults have file and line)

Of what YAML writes without quotes only `true`, `false`, `null` and decimal numbers are more
than text, so `no`, `on`, `012` and `2026-01-17` stay what they look like. Anchors, aliases,
tags, merge keys and a key that stands twice are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from typing import Any, Final, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from assay.core.json.strict import Refused, parse
from assay.errors import PackError

Path = tuple[str | int, ...]
"""Keys and list places from the root of a document."""

T = TypeVar("T", bound=BaseModel)

MAX_BYTES: Final = 8 << 20
MAX_DEPTH: Final = 64

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BIG: Final = 2**53
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_TEXT_TAG: Final = "tag:yaml.org,2002:str"
_PLAIN_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}"
    for name in ("str", "int", "float", "bool", "null", "timestamp", "value", "merge")
)
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
    text = decode(file, data)
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        what = error.problem or error.context or "bad syntax"
        raise PackError(f"is no YAML: {what}", file=file, line=line) from error
    except yaml.YAMLError as error:  # a character that YAML does not allow
        at = getattr(error, "position", 0)
        line = text.count("\n", 0, at if isinstance(at, int) else 0) + 1
        raise PackError("is no YAML: a character is not allowed", file=file, line=line) from error
    except RecursionError as error:
        raise PackError(f"has more than {MAX_DEPTH} levels", file=file, line=1) from error
    lines: dict[Path, int] = {(): 1}
    value = None if node is None else _Walk(file, lines).value(node, ())
    return Document(file=file, value=value, lines=lines)


class _Walk:
    """Turns YAML nodes into values, keeping lines; refuses what a plain reader would miss."""

    def __init__(self, file: str, lines: dict[Path, int]) -> None:
        self._file = file
        self._lines = lines
        self._seen: set[int] = set()

    def value(self, node: yaml.Node, path: Path) -> Any:
        if id(node) in self._seen:
            raise self._fault("an alias is refused", node)
        self._seen.add(id(node))
        if len(path) > MAX_DEPTH:
            raise self._fault(f"has more than {MAX_DEPTH} levels", node)
        self._lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode) and node.tag == "tag:yaml.org,2002:map":
            return dict(self._pairs(node, path))
        if isinstance(node, yaml.SequenceNode) and node.tag == "tag:yaml.org,2002:seq":
            return [self.value(item, (*path, place)) for place, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode) and node.tag in _PLAIN_TAGS:
            return self._scalar(node)
        raise self._fault("a tag is refused", node)

    def _pairs(self, node: yaml.MappingNode, path: Path) -> Iterator[tuple[str, Any]]:
        seen: set[str] = set()
        for key, item in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else None
            if not isinstance(name, str) or (not key.style and name == "<<"):
                raise self._fault("a key that is no text is refused", key)
            if name in seen:
                raise self._fault(f"key {name!r} stands twice", key)
            seen.add(name)
            self._lines[(*path, name)] = key.start_mark.line + 1
            yield name, self.value(item, (*path, name))

    def _scalar(self, node: yaml.ScalarNode) -> str | int | float | bool | None:
        text: str = node.value
        if node.style or node.tag == _TEXT_TAG:  # quoted, a block, or text for certain
            return text
        if text in _NULLS:
            return None
        if text in _TRUE or text in _FALSE:
            return text in _TRUE
        if not _FLOAT.fullmatch(text):
            return text
        number = float(text)
        if not isfinite(number) or abs(number) >= _BIG:
            raise self._fault("a number that JSON cannot carry: quote it to make it text", node)
        return int(text) if _INT.fullmatch(text) else number

    def _fault(self, message: str, node: yaml.Node) -> PackError:
        return PackError(message, file=self._file, line=node.start_mark.line + 1)


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
            hint = near(str(place[-1]), known) if len(place) == len(path) + 1 else ""
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


def near(name: str, known: Iterable[str]) -> str:
    """A hint that names what *name* was probably meant to be, or what there is."""
    names = sorted(known)
    found = get_close_matches(name, names, n=1)
    return f"did you mean {found[0]!r}?" if found else f"known: {', '.join(names) or 'none'}"
