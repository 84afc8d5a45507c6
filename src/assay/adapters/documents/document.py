"""A structured document: what all writers write, freed of what no format can hold.

In      the JSON value that a formatter's contract accepted
Out     Document: title and numbered sections with blocks of plain text
Pure    yes
Spec    002-N4

    {"title": "…", "sections": {"need": {"number": "2.1", "heading": "Need",
     "blocks": [{"kind": "paragraph", "text": ["A sentence.", "Another."]}],
     "sections": {…}}}}

`sections` is a list, or an object whose sections carry a number and stand in its order, so that
JSON with sorted keys lays out the same. Text is text: nothing in it is markup for any writer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from assay.errors import InputError

DEEPEST: Final = 6
"""Levels of headings that every format has."""

_BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A paragraph, whose pieces follow each other, or a list, whose pieces are its items."""

    kind: Literal["paragraph", "list"]
    text: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and what stands under it."""

    number: str
    """As in `2.1`; empty for none."""

    heading: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...]

    @property
    def title(self) -> str:
        """The heading with its number."""
        return f"{self.number} {self.heading}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What is written."""

    title: str
    sections: tuple[Section, ...]


def read_structure(value: Mapping[str, Any]) -> Document:
    """The document that a JSON value describes.

    Raises:
        InputError: it describes none; the message names the place, never the text.
    """
    return Document(
        title=_text(value.get("title"), "/title"),
        sections=_sections(value.get("sections"), "/sections", 1),
    )


def clean(text: str) -> str:
    """*text* on one line, without what formats cannot hold or what turns its direction.

    Example:
        >>> clean(" a\\x00\\n b\\u202e ")
        'a b'
    """
    spaced = "".join(" " if char.isspace() else char for char in text)
    kept = "".join(char for char in spaced if char not in _BIDI and _is_printable(char))
    return " ".join(kept.split())


def _is_printable(char: str) -> bool:
    point = ord(char)
    return unicodedata.category(char) not in ("Cc", "Cs") and point & 0xFFFE != 0xFFFE


def _sections(value: Any, at: str, level: int) -> tuple[Section, ...]:
    if value is None:
        return ()
    if level > DEEPEST - 1:
        raise InputError(f"the document is deeper than {DEEPEST - 1} levels at {at}")
    if isinstance(value, Mapping):
        named = [(_section(item, f"{at}/{key}", level), key) for key, item in value.items()]
        if not all(section.number for section, _ in named):
            raise InputError(f"a section without a number has no place at {at}")
        return tuple(section for section, _ in sorted(named, key=_place))
    if isinstance(value, list):
        return tuple(_section(item, f"{at}/{n}", level) for n, item in enumerate(value))
    raise InputError(f"there are no sections at {at}")


def _place(named: tuple[Section, str]) -> tuple[Sequence[int], str]:
    return [int(part) for part in named[0].number.split(".")], named[1]


def _section(value: Any, at: str, level: int) -> Section:
    if not isinstance(value, Mapping):
        raise InputError(f"there is no section at {at}")
    number = value.get("number", "")
    parts = number.split(".") if isinstance(number, str) and number else []
    if not isinstance(number, str) or not all(p.isascii() and p.isdigit() for p in parts):
        raise InputError(f"the number of the section at {at} is none")
    blocks = value.get("blocks", [])
    if not isinstance(blocks, list):
        raise InputError(f"there are no blocks at {at}/blocks")
    return Section(
        number=number,
        heading=_text(value.get("heading"), f"{at}/heading"),
        blocks=tuple(_block(block, f"{at}/blocks/{n}") for n, block in enumerate(blocks)),
        sections=_sections(value.get("sections"), f"{at}/sections", level + 1),
    )


def _block(value: Any, at: str) -> Block:
    kind = value.get("kind") if isinstance(value, Mapping) else None
    pieces = value.get("text") if isinstance(value, Mapping) else None
    if kind not in ("paragraph", "list") or not isinstance(pieces, list):
        raise InputError(f"there is no block at {at}")
    texts = tuple(_text(piece, f"{at}/text/{n}") for n, piece in enumerate(pieces))
    if kind == "list":
        return Block(kind="list", text=tuple(text for text in texts if text))
    return Block(kind="paragraph", text=(" ".join(text for text in texts if text),))


def _text(value: Any, at: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"there is no text at {at}")
    return clean(value)
