"""YAML front matter: data before a body, with the place of every fault.

In      bytes of a file
Out     FrontMatter: the mapping, where each key and list item stands, the body byte for byte
Pure    yes, in linear time
Spec    interfaces.md, "Templates"

Only JSON values come out. Values without quotes mean what they mean to every reader of YAML 1.1,
as other tools write front matter, too; what YAML can say beyond JSON (dates, sets, tags, anchors)
is a fault with line and column.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.core.yaml import Places, YamlFault, parse_yaml
from assay.errors import TemplateError

MAX_BYTES = 1 << 20
"""A longer front matter is refused: it is data about a template, no data store."""

_FENCE = re.compile(r"---[ \t]*\r?(?:\n|\Z)")
_CLOSING = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What stood before the body."""

    fields: Mapping[str, Any]
    """JSON values by key."""

    places: Places
    """Where each value stands in the file, by its path of keys and indexes."""

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


def split_front_matter(text: str) -> FrontMatter:
    """Take the front matter off *text*.

    Raises:
        TemplateError: there is none, it is not closed, or it is no mapping of JSON values.

    Example:
        >>> split_front_matter("---\\nname: a\\n---\\nBody\\n").body
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
    fields, places = _read_fields(head)
    return FrontMatter(
        fields=fields,
        places=places,
        body=text[closing.end() :],
        first_line=text.count("\n", 0, closing.end()) + 1,
    )


def _read_fields(head: str) -> tuple[dict[str, Any], Places]:
    read = parse_yaml(head, scalars="yaml-1.1")
    if isinstance(read, YamlFault):
        raise TemplateError(
            f"the front matter {read.message}", line=read.line + 1, column=read.column
        )
    if not isinstance(read.value, dict):
        raise TemplateError("the front matter is no mapping", line=2, column=1)
    # The opening fence is line 1 of the file.
    return read.value, {path: (line + 1, column) for path, (line, column) in read.places.items()}
