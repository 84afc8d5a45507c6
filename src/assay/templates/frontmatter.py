"""YAML front matter: data before a body, with the place of every fault.

In      bytes of a file
Out     FrontMatter: the mapping, where each key and list item stands, the body byte for byte
Pure    yes; aliases are refused and depth is bounded, so the time is linear
Spec    interfaces.md, "Templates"

Only JSON values come out. What YAML can say beyond them (dates, sets, tags, anchors, keys
that are no strings) is a fault with line and column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from assay.errors import TemplateError

Place = tuple[int, int]
"""Line and column, from 1."""

Places = Mapping[tuple[str | int, ...], Place]
"""Where each value stands in the file, by its path of keys and indexes."""

MAX_BYTES = 1 << 20
"""A longer front matter is refused: it is data about a template, no data store."""

MAX_DEPTH = 64

_FENCE = re.compile(r"---[ \t]*\r?(?:\n|\Z)")
_CLOSING = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SCALARS = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What stood before the body."""

    fields: Mapping[str, Any]
    """JSON values by key."""

    places: Places

    body: str
    first_line: int
    """Number of the body's first line in the file, from 1."""


def decode(data: bytes) -> str:
    """The text of a template file: UTF-8 without byte order mark.

    Raises:
        TemplateError: at the first byte that is no UTF-8.
    """
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise TemplateError(
            "the file starts with a byte order mark",
            line=1,
            column=1,
            hint="save it as UTF-8 without byte order mark",
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        raise TemplateError(
            "the file is not UTF-8", line=line, column=column, hint="save it as UTF-8"
        ) from error


def has_front_matter(text: str) -> bool:
    """Whether the first line opens front matter."""
    return _FENCE.match(text) is not None


def split(text: str) -> FrontMatter:
    """Take the front matter off *text*.

    Raises:
        TemplateError: there is none, it is not closed, or it is no mapping of JSON values.

    Example:
        >>> split("---\\nname: a\\n---\\nBody\\n").body
        'Body\\n'
    """
    opening = _FENCE.match(text)
    if opening is None:
        raise TemplateError(
            "the file has no front matter", line=1, column=1, hint="start it with a line ---"
        )
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise TemplateError(
            "the front matter is not closed", line=1, column=1, hint="close it with a line ---"
        )
    head = text[opening.end() : closing.start()]
    if len(head) > MAX_BYTES:
        raise TemplateError(f"the front matter is longer than {MAX_BYTES} characters", line=1)
    fields, places = _load(head)
    return FrontMatter(
        fields=fields,
        places=places,
        body=text[closing.end() :],
        first_line=text.count("\n", 0, closing.end()) + 1,
    )


def _load(head: str) -> tuple[dict[str, Any], dict[tuple[str | int, ...], Place]]:
    try:
        _forbid_depth_and_aliases(head)
        node = yaml.compose(head, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 2, mark.column + 1) if mark else (1, 1)
        raise TemplateError(
            f"the front matter is no YAML: {error.problem or error.context or 'bad syntax'}",
            line=line,
            column=column,
        ) from error
    except yaml.YAMLError as error:
        raise TemplateError("the front matter is no YAML: a character is not allowed") from error
    if not isinstance(node, yaml.MappingNode):
        raise TemplateError("the front matter is no mapping", line=2, column=1)
    places: dict[tuple[str | int, ...], Place] = {}
    fields = _value(node, (), places, _LOADER(""))
    assert isinstance(fields, dict)
    return fields, places


def _forbid_depth_and_aliases(head: str) -> None:
    depth = 0
    for event in yaml.parse(head, Loader=_LOADER):
        if isinstance(event, yaml.AliasEvent):
            raise _fault("an alias, which is refused", event.start_mark)
        if getattr(event, "anchor", None):
            raise _fault("an anchor, which is refused", event.start_mark)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise _fault(f"more than {MAX_DEPTH} levels", event.start_mark)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _value(
    node: yaml.Node,
    path: tuple[str | int, ...],
    places: dict[tuple[str | int, ...], Place],
    loader: Any,
) -> Any:
    places[path] = _place(node.start_mark)
    if isinstance(node, yaml.SequenceNode) and node.tag == "tag:yaml.org,2002:seq":
        return [_value(item, (*path, i), places, loader) for i, item in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode) and node.tag == "tag:yaml.org,2002:map":
        return dict(_pairs(node, path, places, loader))
    if isinstance(node, yaml.ScalarNode):
        try:
            value = loader.construct_object(node)
        except (yaml.YAMLError, ValueError) as error:
            raise _fault("a value that is no JSON", node.start_mark) from error
        if isinstance(value, _SCALARS):
            return value
    raise _fault("a value that is no JSON (quote a date to make it text)", node.start_mark)


def _pairs(
    node: yaml.MappingNode,
    path: tuple[str | int, ...],
    places: dict[tuple[str | int, ...], Place],
    loader: Any,
) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for key, value in node.value:
        name = _value(key, path, {}, loader)
        if not isinstance(name, str):
            raise _fault("a key that is no text", key.start_mark)
        if name in seen:
            raise _fault(f"key {name!r} twice", key.start_mark)
        seen.add(name)
        yield name, _value(value, (*path, name), places, loader)


def _place(mark: Any) -> Place:
    return mark.line + 2, mark.column + 1  # the opening fence is line 1 of the file


def _fault(message: str, mark: Any) -> TemplateError:
    line, column = _place(mark)
    return TemplateError(f"the front matter holds {message}", line=line, column=column)
