"""YAML as JSON values that remember where they stand.

In      text
Out     YamlDocument: the value, line and column of every place in it; or YamlFault
Pure    yes; depth is bounded and aliases are refused, so time and memory are linear
Spec    interfaces.md, "Packs" (faults have file and line) and "Templates"

Only JSON values come out. What YAML can say beyond them is a fault with its place: anchors,
aliases, tags, merge keys, a second document, keys that are no text, a key that stands twice.
A key is the text that is written, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, Literal

import yaml

Path = tuple[str | int, ...]
"""Keys and list places from the root of a document."""

Place = tuple[int, int]
"""Line and column, from 1."""

Places = Mapping[Path, Place]

MAX_DEPTH: Final = 64
"""Mappings and lists within each other."""

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BIG: Final = 2**53
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_STANDARD: Final = "tag:yaml.org,2002:"
_TEXT: Final = f"{_STANDARD}str"
_PLAIN = frozenset(
    _STANDARD + name
    for name in ("str", "int", "float", "bool", "null", "timestamp", "value", "merge")
)
_JSON_SCALARS = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlDocument:
    """A text, read."""

    value: Any
    """JSON; None for a text that holds nothing."""

    places: Places
    """Where each value begins."""

    keys: Places
    """Where the key of each value of a mapping begins, by the path of the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlFault:
    """Why a text is not read."""

    message: str
    """What the text is or holds: `is no YAML: …`, `holds an alias, which is refused`."""

    line: int
    column: int


class _Refused(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, message: str, mark: Any) -> None:
        super().__init__(message)
        self.fault = YamlFault(message=message, line=mark.line + 1, column=mark.column + 1)


def parse_yaml(
    text: str, *, scalars: Literal["json", "yaml-1.1"] = "json"
) -> YamlDocument | YamlFault:
    """Read one YAML document; never raises.

    Args:
        scalars: What a value without quotes can be. `json`: `true`, `false`, `null` and decimal
            numbers, all else is text, so `no`, `012` and `2026-01-17` stay what they look like.
            `yaml-1.1`: what every other reader of YAML makes of it (`no` is false, `012` is ten);
            what is no JSON then, like a date, is a fault.

    Example:
        >>> parse_yaml("a: [no, 1]").value
        {'a': ['no', 1]}
        >>> parse_yaml("a: *b")
        YamlFault(message='holds an alias, which is refused', line=1, column=4)
    """
    try:
        reader = _Reader(_LOADER(text), scalars)
        return reader.read_document()
    except _Refused as refused:
        return refused.fault
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        what = error.problem or error.context or "bad syntax"
        return YamlFault(message=f"is no YAML: {what}", line=line, column=column)
    except yaml.YAMLError as error:
        at = getattr(error, "position", 0)  # in bytes
        before = text.encode("utf-8", "replace")[:at].decode("utf-8", "replace")
        return YamlFault(
            message="is no YAML: a character is not allowed",
            line=before.count("\n") + 1,
            column=len(before) - before.rfind("\n"),
        )


class _Reader:
    """Builds the value from the parser's events; no more than one node is held twice."""

    def __init__(self, loader: Any, scalars: str) -> None:
        self._loader = loader
        self._read_scalar = _json_scalar if scalars == "json" else self._yaml_scalar
        self._places: dict[Path, Place] = {}
        self._keys: dict[Path, Place] = {}

    def read_document(self) -> YamlDocument:
        self._next()  # the stream starts
        value = None
        if not self._ends(yaml.StreamEndEvent):
            self._next()  # the document starts
            value = self._value(self._next(), (), 0)
            self._next()  # the document ends
            if not self._ends(yaml.StreamEndEvent):
                raise _Refused("holds another document", self._next().start_mark)
        return YamlDocument(value=value, places=self._places, keys=self._keys)

    def _next(self) -> Any:
        return self._loader.get_event()

    def _ends(self, kind: type[yaml.Event]) -> bool:
        return bool(self._loader.check_event(kind))

    def _value(self, event: Any, path: Path, depth: int) -> Any:
        mark = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise _Refused("holds an alias, which is refused", mark)
        if event.anchor:
            raise _Refused("holds an anchor, which is refused", mark)
        self._places[path] = (mark.line + 1, mark.column + 1)
        if isinstance(event, yaml.ScalarEvent):
            return self._read_scalar(self._scalar_node(event))
        kind = "map" if isinstance(event, yaml.MappingStartEvent) else "seq"
        if event.tag not in (None, "!", _STANDARD + kind):
            raise _Refused("holds a tag, which is refused", mark)
        if depth == MAX_DEPTH:
            raise _Refused(f"holds more than {MAX_DEPTH} levels", mark)
        if kind == "map":
            return dict(self._pairs(path, depth + 1))
        return list(self._items(path, depth + 1))

    def _items(self, path: Path, depth: int) -> Iterator[Any]:
        index = 0
        while not self._ends(yaml.SequenceEndEvent):
            yield self._value(self._next(), (*path, index), depth)
            index += 1
        self._next()

    def _pairs(self, path: Path, depth: int) -> Iterator[tuple[str, Any]]:
        seen: set[str] = set()
        while not self._ends(yaml.MappingEndEvent):
            key = self._next()
            mark = key.start_mark
            if getattr(key, "anchor", None):
                what = "alias" if isinstance(key, yaml.AliasEvent) else "anchor"
                raise _Refused(f"holds an {what}, which is refused", mark)
            if not isinstance(key, yaml.ScalarEvent) or (key.value == "<<" and not key.style):
                raise _Refused("holds a key that is no text", mark)
            if key.tag not in (None, "!", _TEXT):
                raise _Refused("holds a tag, which is refused", mark)
            name = key.value
            if name in seen:
                raise _Refused(f"holds key {name!r} twice", mark)
            seen.add(name)
            self._keys[(*path, name)] = (mark.line + 1, mark.column + 1)
            yield name, self._value(self._next(), (*path, name), depth)
        self._next()

    def _scalar_node(self, event: Any) -> yaml.ScalarNode:
        tag = event.tag
        if tag is None or tag == "!":
            tag = self._loader.resolve(yaml.ScalarNode, event.value, event.implicit)
        return yaml.ScalarNode(tag, event.value, event.start_mark, event.end_mark, event.style)

    def _yaml_scalar(self, node: yaml.ScalarNode) -> Any:
        try:
            value = self._loader.construct_object(node)
        except (yaml.YAMLError, ValueError, LookupError, AttributeError) as error:
            # What `!!int ""`, `!!bool x` and `!!timestamp x` lead PyYAML into.
            raise _Refused("holds a value that is no JSON", node.start_mark) from error
        if not isinstance(value, _JSON_SCALARS):
            message = "holds a value that is no JSON (quote a date to make it text)"
            raise _Refused(message, node.start_mark)
        return value


def _json_scalar(node: yaml.ScalarNode) -> str | int | float | bool | None:
    text: str = node.value
    if node.tag not in _PLAIN:
        raise _Refused("holds a tag, which is refused", node.start_mark)
    if node.style or node.tag == _TEXT:  # quoted, a block, or text for certain
        return text
    if text in _NULLS:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if not _FLOAT.fullmatch(text):
        return text
    number = float(text)
    if not isfinite(number) or abs(number) >= _BIG:
        message = "holds a number that JSON cannot carry: quote it to make it text"
        raise _Refused(message, node.start_mark)
    return int(text) if _INT.fullmatch(text) else number
