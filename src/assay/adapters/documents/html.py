"""A document as one HTML page that loads nothing and runs nothing.

In      Document
Out     UTF-8 bytes; equal documents give equal bytes
Pure    yes
Spec    002-N4
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from assay.adapters.documents.document import Block, Document, Section

_STYLE: Final = (
    "body{font:1rem/1.5 sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem}"
    "h1,h2,h3{line-height:1.2}"
)


def render_html(document: Document) -> bytes:
    """Write *document*; a policy in the page forbids whatever an escape might have missed."""
    title = escape(document.title)
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta http-equiv="Content-Security-Policy"'
        " content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f"<style>{_STYLE}</style>",
        "</head>",
        "<body>",
        "<main>",
        f"<h1>{title}</h1>",
    ]
    for section in document.sections:
        lines += _section(section, 2)
    lines += ["</main>", "</body>", "</html>", ""]
    return "\n".join(lines).encode("utf-8")


def _section(section: Section, level: int) -> Iterator[str]:
    yield "<section>"
    yield f"<h{level}>{escape(section.title)}</h{level}>"
    for block in section.blocks:
        yield from _block(block)
    for inner in section.sections:
        yield from _section(inner, level + 1)
    yield "</section>"


def _block(block: Block) -> Iterator[str]:
    if block.kind == "list":
        yield "<ul>"
        yield from (f"<li>{escape(item)}</li>" for item in block.text)
        yield "</ul>"
    else:
        yield from (f"<p>{escape(text)}</p>" for text in block.text)
