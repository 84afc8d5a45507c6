"""A document as PDF, through ReportLab.

In      Document
Out     bytes; equal documents give equal bytes under one version of the library
Pure    but for the library's font files
Spec    002-N4

The fonts are embedded (Bitstream Vera, which comes with the library and knows the Latin
script). A character that they lack is written as its code point, `[U+6F22]`: nothing is lost
in silence. Markdown, HTML and DOCX hold every script.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from io import BytesIO
from itertools import count
from typing import Any, Final
from xml.sax.saxutils import escape

from assay.adapters.documents.document import Document, Section

_FONT: Final = "Vera"
_BOLD: Final = "VeraBd"
_SIZES: Final = (20, 15, 12.5, 11, 10.5, 10)
_MARGIN: Final = 62


def render_pdf(document: Document) -> bytes:
    """Write *document* on A4 pages with an outline."""
    from reportlab.lib.pagesizes import A4
    from reportlab.platypus import SimpleDocTemplate

    written = BytesIO()
    pages = SimpleDocTemplate(
        written,
        pagesize=A4,
        leftMargin=_MARGIN,
        rightMargin=_MARGIN,
        topMargin=_MARGIN,
        bottomMargin=_MARGIN,
        title=document.title,
        author="",
        subject="",
        creator="assay",
        lang="en",
        invariant=1,
    )
    numbers = count()
    flow: list[Any] = [_heading(document.title, 0, next(numbers))]
    for section in document.sections:
        flow += _section(section, 1, numbers)
    pages.build(flow)
    return written.getvalue()


def _section(section: Section, level: int, numbers: Iterator[int]) -> list[Any]:
    flow: list[Any] = [_heading(section.title, level, next(numbers))]
    for block in section.blocks:
        if block.kind == "list":
            flow += [_paragraph(item, bullet="\u2022") for item in block.text]
        else:
            flow += [_paragraph(text) for text in block.text]
    for inner in section.sections:
        flow += _section(inner, level + 1, numbers)
    return flow


def _heading(text: str, level: int, number: int) -> Any:
    from reportlab.platypus import Paragraph

    class Heading(Paragraph):  # type: ignore[misc]
        """A heading that puts itself into the outline when it is drawn."""

        def draw(self) -> None:
            place = f"heading-{number}"
            self.canv.bookmarkPage(place)
            self.canv.addOutlineEntry(text, place, level, closed=False)
            super().draw()

    return Heading(_escape_markup(text), _styles()[f"h{level}"])


def _paragraph(text: str, bullet: str | None = None) -> Any:
    from reportlab.platypus import Paragraph

    return Paragraph(
        _escape_markup(text), _styles()["list" if bullet else "text"], bulletText=bullet
    )


def _escape_markup(text: str) -> str:
    """*text* for the library, which reads markup in it; what the font lacks as code points."""
    from reportlab.pdfbase.pdfmetrics import getFont

    _styles()  # registers the fonts
    glyphs = getFont(_FONT).face.charToGlyph
    shown = (char if ord(char) in glyphs else f"[U+{ord(char):04X}]" for char in text)
    return escape("".join(shown))


@cache
def _styles() -> dict[str, Any]:
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfbase.pdfmetrics import registerFont
    from reportlab.pdfbase.ttfonts import TTFont

    for name in (_FONT, _BOLD):
        registerFont(TTFont(name, f"{name}.ttf"))
    text = ParagraphStyle(
        "text", fontName=_FONT, bulletFontName=_FONT, fontSize=10, leading=14.5, spaceAfter=6
    )
    styles = {
        "text": text,
        "list": ParagraphStyle("list", parent=text, leftIndent=14, bulletIndent=3, spaceAfter=3),
    }
    for level, size in enumerate(_SIZES):
        styles[f"h{level}"] = ParagraphStyle(
            f"h{level}",
            parent=text,
            fontName=_BOLD,
            fontSize=size,
            leading=size * 1.25,
            spaceBefore=size * 0.7,
            spaceAfter=size * 0.35,
            keepWithNext=1,
        )
    return styles
