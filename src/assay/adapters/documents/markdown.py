"""A document as CommonMark, in which the text of the document is nothing but text.

In      Document
Out     UTF-8 bytes; equal documents give equal bytes
Pure    yes
Spec    002-N4
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from assay.adapters.documents.document import Block, Document, Section

_INLINE: Final = re.compile(r"([\\`*_\[\]<>&|~#@$^])")
_LINK: Final = re.compile(r"://|\bwww\.", re.IGNORECASE)
_MARKER: Final = re.compile(r"^(?:([-+=])|([0-9]+)([.)])(?=\s|$))")
"""What opens a list, a rule or an underlined heading at the start of a line."""


def render_markdown(document: Document) -> bytes:
    """Write *document*; every character that could mean something is escaped."""
    lines = [f"# {escape(document.title)}", ""]
    for section in document.sections:
        lines += _section(section, 2)
    return "\n".join(lines).encode("utf-8")


def escape(text: str) -> str:
    """One line of text that renders as itself.

    Example:
        >>> escape("1. <b> & *c*")
        '1\\\\. \\\\<b\\\\> \\\\& \\\\*c\\\\*'
    """
    safe = _INLINE.sub(r"\\\1", text)
    safe = _LINK.sub(lambda found: found[0].replace(":", "\\:").replace(".", "\\."), safe)
    return _MARKER.sub(
        lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", safe
    )


def _section(section: Section, level: int) -> Iterator[str]:
    yield f"{'#' * level} {escape(section.title)}"
    yield ""
    for block in section.blocks:
        yield from _block(block)
    for inner in section.sections:
        yield from _section(inner, level + 1)


def _block(block: Block) -> Iterator[str]:
    if block.kind == "list":
        yield from (f"- {escape(item)}" for item in block.text)
    else:
        yield from (escape(text) for text in block.text)
    yield ""
