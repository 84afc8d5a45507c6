"""PDF and DOCX files become text within bounds, or say in a line why not."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.sources.documents import pdf as pdf_module
from assay.sources.documents.docx import read_docx
from assay.sources.documents.outline import Laid
from assay.sources.documents.pdf import Pages, read_pdf
from assay.sources.reading import MAX_TEXT_CHARS, Unreadable
from tests.sources import making


def test_each_page_of_a_pdf_is_a_text():
    """Passages name the page they stand on."""
    pages = read_pdf(making.pdf(making.text_page("first"), making.text_page("second")))

    assert isinstance(pages, Pages)
    assert ("first", "second") == pages.texts


def test_a_page_without_text_stays_in_its_place():
    """Page numbers must not move when a page is a picture."""
    pages = read_pdf(making.pdf(b"", making.text_page("second")))

    assert isinstance(pages, Pages)
    assert ("", "second") == pages.texts


@pytest.mark.parametrize(
    ("reason", "data"),
    [
        ("no PDF", b"hello"),
        ("no PDF", b""),
        ("damaged", b"%PDF-1.4\n1 0 obj\n<<"),
        ("damaged", b"%PDF-1.4" + b"[" * 10_000),
        ("without text", making.pdf(b"")),
        ("encrypted", making.encrypted_pdf()),
    ],
)
def test_a_pdf_that_cannot_be_read_says_why(reason, data):
    """One line for people, nothing of the content, no exception."""
    read = read_pdf(data)

    assert isinstance(read, Unreadable)
    assert reason in read.reason


def test_a_pdf_bomb_is_bounded():
    """A small file that unpacks to a hundred megabytes is not unpacked."""
    read = read_pdf(making.pdf(b" " * 100_000_000, compress=True))

    assert isinstance(read, Unreadable)


def test_a_pdf_that_draws_without_end_is_cut(monkeypatch):
    """What was read before the bound stays, with a note."""
    monkeypatch.setattr(pdf_module, "MAX_CONTENT_BYTES", 200)
    pages = read_pdf(making.pdf(*[making.text_page("short")] * 20))

    assert isinstance(pages, Pages)
    assert 0 < len(pages.texts) < 20
    assert ["pdf.cut"] == [note.code for note in pages.notes]


@settings(deadline=None, max_examples=30)
@given(st.binary(max_size=300), st.integers(0, 600))
def test_a_damaged_pdf_never_raises(noise, place):
    """Bytes overwritten anywhere give pages or a reason."""
    data = making.pdf(making.text_page("first"))
    broken = data[:place] + noise + data[place + len(noise) :]

    assert isinstance(read_pdf(broken), Pages | Unreadable)


def test_a_docx_is_read_in_order():
    """Paragraphs, then a table row by row, then notes."""
    table = "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>".format(
        making.paragraph("Limit"), making.paragraph("40 EUR")
    )
    read = read_docx(
        making.docx(making.paragraph("One.") + table, footnotes=making.paragraph("Note."))
    )

    assert isinstance(read, Laid)
    assert "One.\n\nLimit\n\n40 EUR\n\nNote." == read.text


@pytest.mark.clause("008-S1")
def test_a_table_of_a_docx_is_read_row_by_row():
    """Merged cells are told in every row; the header may be marked or not."""

    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{making.paragraph(text)}</w:tc>"

    def row(*cells: str) -> str:
        return f"<w:tr>{''.join(cells)}</w:tr>"

    begins, goes_on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    table = (
        row(cell("Zone"), cell("Day"), cell("Fee"))
        + row(cell("A", begins), cell("Mo"), cell("1"))
        + row(cell("", goes_on), cell("Tu"), cell("2"))
        + row(cell("closed", '<w:gridSpan w:val="3"/>'))
    )
    read = read_docx(making.docx(making.paragraph("One.") + f"<w:tbl>{table}</w:tbl>"))

    assert isinstance(read, Laid)
    assert "One.\n\nZone: A; Day: Mo; Fee: 1.\n\nZone: A; Day: Tu; Fee: 2.\n\nclosed." == read.text


@pytest.mark.clause("008-S3")
def test_headings_of_a_docx_are_told_by_their_styles():
    """Whatever language the styles are called in: their own names are English."""
    heading = making.paragraph("Fees").replace(
        "<w:p>", '<w:p><w:pPr><w:pStyle w:val="b1"/></w:pPr>'
    )
    styles = '<w:style w:styleId="b1"><w:name w:val="heading 1"/></w:style>'
    read = read_docx(making.docx(heading + making.paragraph("Text."), styles=styles))

    assert isinstance(read, Laid)
    assert [("Fees", 1, 0)] == [(h.title, h.level, h.start) for h in read.headings]


@pytest.mark.clause("008-S4")
def test_pictures_of_a_docx_and_pages_without_text_are_said():
    """Nobody believes that what is drawn was read."""
    picture = "<w:p><w:r><w:drawing><w:blip/></w:drawing></w:r></w:p>"
    read = read_docx(making.docx(making.paragraph("One.") + picture))
    pages = read_pdf(making.pdf(making.text_page("first"), b"", making.text_page("third")))

    assert isinstance(read, Laid)
    assert isinstance(pages, Pages)
    assert ["picture.unread"] == [note.code for note in read.notes]
    assert ["pages without text (pictures, or empty): 2"] == [note.detail for note in pages.notes]


def test_hidden_text_of_a_docx_is_left_out_and_counted():
    """As in HTML: what a person does not see is the place for planted instructions."""
    read = read_docx(
        making.docx(making.paragraph("seen") + making.paragraph("PLANTED", "<w:vanish/>"))
    )

    assert isinstance(read, Laid)
    assert "seen" == read.text
    assert ["text.hidden"] == [note.code for note in read.notes]
    assert read.notes[0].detail.startswith("7 ")


def _archive(name: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("reason", "data"),
    [
        ("damaged", b""),
        ("damaged", b"PK\x03\x04 and no more"),
        ("no Word", _archive("other.xml", b"<x/>")),
        ("damaged", _archive("word/document.xml", b"<x")),
        ("without text", making.docx("")),
        ("encrypted", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
        ("more than", _archive("word/document.xml", b"<x>" + b"<y/>" * 1_600_000)),
        ("damaged", making.docx("<w:tbl><w:tr><w:tc>" * 2_000)),
    ],
)
def test_a_docx_that_cannot_be_read_says_why(reason, data):
    """No exception, whatever stands in the archive."""
    read = read_docx(data)

    assert isinstance(read, Unreadable)
    assert reason in read.reason


def test_entities_of_a_docx_are_not_expanded():
    """Neither a file on the machine nor a text that doubles itself comes in this way."""
    doctype = '<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY f SYSTEM "file:///etc/hostname">]>'
    body = making.paragraph("a&a;&f;b").encode()
    root = f'{doctype}<w:d xmlns:w="{making.WORD}">'.encode()
    read = read_docx(_archive("word/document.xml", root + body + b"</w:d>"))

    assert "haha" not in getattr(read, "text", "")


def test_a_long_docx_is_cut():
    """Beyond the bound the text ends, and says so."""
    read = read_docx(making.docx(making.paragraph("x" * 50) * 20_000))

    assert isinstance(read, Laid)
    assert MAX_TEXT_CHARS == len(read.text)
    assert ["text.cut"] == [note.code for note in read.notes]
