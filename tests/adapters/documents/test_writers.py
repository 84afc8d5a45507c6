"""Writers of documents: text stays text in every format, and equal documents give equal bytes."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from io import BytesIO

import docx as word
import pypdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from assay.adapters.documents.document import Block, Document, Section, clean, read_structure
from assay.adapters.documents.docx import render_docx
from assay.adapters.documents.html import render_html
from assay.adapters.documents.markdown import render_markdown
from assay.adapters.documents.pdf import render_pdf
from assay.errors import InputError

HOSTILE = (
    "<script>alert(1)</script>",
    "**bold** _it_ `code` ~~gone~~",
    "# heading",
    "1. first",
    "2) second",
    "- item",
    "+ item",
    "=====",
    "-----",
    "> quote",
    "| a | b |",
    "[link](https://example.org)",
    "![image](x.png)",
    "<https://example.org>",
    "https://example.org www.example.org a@example.org",
    "&amp; &#60;b&#62;",
    "\\escaped\\",
    "```",
    "    code",
    "[^1]: note",
    "{{draft}} ${x} <b>&</b> </main>",
    '" onload="x',
)


def document(*texts: str, title: str = "A title", kind: str = "paragraph") -> Document:
    text = tuple(clean(text) for text in texts)
    blocks = (
        tuple(Block(kind="paragraph", text=(each,)) for each in text)
        if kind == "paragraph"
        else (Block(kind="list", text=text),)
    )
    inner = Section(number="1.1", heading="Inner", blocks=blocks, sections=())
    outer = Section(number="1", heading="Outer", blocks=(), sections=(inner,))
    return Document(title=clean(title), sections=(outer,))


class Reader(HTMLParser):
    """Tags and texts of a page, as a browser would see them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag in ("p", "li", "h1", "h2", "h3"):
            self._open.append(tag)
            self.texts.append("")

    def handle_endtag(self, tag):
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data):
        if self._open:
            self.texts[-1] += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


def rendered(source: bytes) -> Reader:
    parser = MarkdownIt("gfm-like", {"html": True, "linkify": False})
    return read(parser.render(source.decode("utf-8")))


@pytest.mark.clause("002-N4")
@pytest.mark.parametrize("kind", ["paragraph", "list"])
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_in_markdown_and_html(text, kind):
    """What looks like markup renders as the characters it is, and as nothing else."""
    made = document(text, title=text, kind=kind)
    allowed = {"h1", "h2", "h3", "p", "ul", "li"}
    for reader in (rendered(render_markdown(made)), read(render_html(made).decode("utf-8"))):
        tags = set(reader.tags) - {"html", "head", "meta", "title", "style", "body", "main"}
        assert tags - {"section"} <= allowed
        assert [clean(text), "1 Outer", "1.1 Inner", clean(text)] == reader.texts


@given(st.lists(st.text(min_size=1, max_size=40).filter(clean), min_size=1, max_size=3))
def test_any_text_comes_back_from_markdown_and_html(texts):
    """Whatever was written is what a reader of the format reads."""
    made = document(*texts)
    expected = [clean(text) for text in texts]

    assert expected == rendered(render_markdown(made)).texts[3:]
    assert expected == read(render_html(made).decode("utf-8")).texts[3:]


@given(st.text(max_size=60))
def test_cleaned_text_is_one_line_that_every_format_holds(text):
    """No control characters, no line breaks, no turned direction; cleaning twice is cleaning."""
    cleaned = clean(text)

    assert clean(cleaned) == cleaned
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", cleaned)
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_in_docx_and_pdf(text):
    """The readers find the very characters, in a paragraph of its style."""
    made = document(text, title=text, kind="list")
    paragraphs = word.Document(BytesIO(render_docx(made))).paragraphs
    pages = pypdf.PdfReader(BytesIO(render_pdf(made))).pages
    found = "".join(page.extract_text() for page in pages)

    assert [clean(text)] == [p.text for p in paragraphs if p.style.name == "List Bullet"]
    assert "".join(clean(text).split()) in "".join(found.split())
    assert not any("/Annots" in page for page in pages)


@pytest.mark.parametrize("write", [render_markdown, render_html, render_docx, render_pdf])
def test_equal_documents_give_equal_bytes(write):
    """Nothing of the time, the machine or the process gets into a file."""
    made = document("Grüße, 340 people.", "Second.")

    assert write(made) == write(made)


def test_what_the_font_of_the_pdf_lacks_is_shown_as_its_code_point():
    """A character without a glyph is not lost in silence."""
    reader = pypdf.PdfReader(BytesIO(render_pdf(document("Water is 水 here."))))

    assert "Water is [U+6C34] here." in reader.pages[0].extract_text()
    assert "水" in render_markdown(document("水")).decode("utf-8")


def test_a_long_document_goes_over_many_pages():
    """Text is set over as many pages as it takes, with nothing lost on the way."""
    made = document(*(f"Paragraph number {n} of many. " + "Word " * 80 for n in range(200)))
    reader = pypdf.PdfReader(BytesIO(render_pdf(made)))
    found = " ".join(page.extract_text() for page in reader.pages)

    assert len(reader.pages) > 10
    assert list(range(200)) == [int(n) for n in re.findall(r"Paragraph number (\d+) of", found)]


# --- reading the structure ------------------------------------------------------------------


def section(number: str = "1", heading: str = "H", **more):
    return {"number": number, "heading": heading, "blocks": [], **more}


@pytest.mark.clause("002-N4")
def test_numbers_decide_the_order_not_the_keys():
    """JSON with sorted keys lays out like JSON in the order in which it was written."""
    numbers = {"zebra": "2", "apple": "10", "mango": "1"}
    sections = {key: section(number, key) for key, number in numbers.items()}
    made = read_structure({"title": "T", "sections": sections})

    assert ["1 mango", "2 zebra", "10 apple"] == [each.title for each in made.sections]


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({}, "/title"),
        ({"title": 3}, "/title"),
        ({"title": "T", "sections": "none"}, "/sections"),
        ({"title": "T", "sections": [3]}, "/sections/0"),
        ({"title": "T", "sections": [section("x")]}, "/sections/0"),
        ({"title": "T", "sections": {"a": section("")}}, "/sections"),
        ({"title": "T", "sections": [section(heading=None)]}, "/sections/0/heading"),
        ({"title": "T", "sections": [section(blocks=[{"kind": "x"}])]}, "/sections/0/blocks/0"),
        (
            {"title": "T", "sections": [section(blocks=[{"kind": "list", "text": [1]}])]},
            "/sections/0/blocks/0/text/0",
        ),
    ],
)
def test_what_is_no_document_is_refused_with_its_place(value, place):
    """The place is named; no text is quoted."""
    with pytest.raises(InputError) as caught:
        read_structure(value)
    assert place in str(caught.value)


def test_a_document_without_end_is_refused():
    """Deeper than the formats have headings is an error, not a recursion."""
    value = section()
    for _ in range(50):
        value = section(sections=[value])
    with pytest.raises(InputError):
        read_structure({"title": "T", "sections": [value]})
