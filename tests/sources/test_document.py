"""Files of a folder become passages that know their page and place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.sources.document import Document, read_document
from assay.sources.documents.passages import MAX_PASSAGE_CHARS, cut_passages, page_of
from assay.sources.reading import MAX_INPUT_BYTES, MAX_TEXT_CHARS, Unreadable
from tests.sources import making


def document(name: str, data: bytes) -> Document:
    """The document that *data* is; fails the test when it is none."""
    read = read_document(name, data)
    assert isinstance(read, Document)
    return read


@pytest.mark.parametrize(
    ("text", "name", "data"),
    [
        ("# Limit\n\n40 EUR.\n", "a.md", b"# Limit\r\n\r\n40 EUR.\r\n"),
        ("grün", "a.txt", "grün".encode()),
        ("Limit\n\n40 EUR.", "a.html", b"<h1>Limit</h1><p>40 EUR.</p>"),
        ("40 EUR.", "a.pdf", making.pdf(making.text_page("40 EUR."))),
        ("40 EUR.", "misnamed.txt", making.pdf(making.text_page("40 EUR."))),
        ("40 EUR.", "a.docx", making.docx(making.paragraph("40 EUR."))),
        ("Limit\n\n40 EUR.", "a.eml", b"Subject: Limit\n\n40 EUR.\n"),
    ],
)
def test_every_format_becomes_text(text, name, data):
    """The ending of the name says what a file is; a PDF says so itself."""
    assert text == document(name, data).text


def test_a_passage_names_its_page():
    """No passage goes over the end of a page, and blank pages count."""
    pages = [making.text_page("first page"), b"", making.text_page("third page")]
    read = document("a.pdf", making.pdf(*pages))

    assert [("first page", 1), ("third page", 3)] == [(p.text, p.page) for p in read.passages]
    assert [1, 3] == [page_of(read.pages, passage.start) for passage in read.passages]


def test_formats_without_pages_name_none():
    """None is not page 1."""
    assert [None] == [passage.page for passage in document("a.md", b"x").passages]


def test_paragraphs_are_joined_up_to_the_bound():
    """Short ones read better together; none is cut while it fits."""
    paragraph = "It is a rule of forty characters, about. "
    read = document("a.txt", "\n\n".join([paragraph * 15] * 5).encode())

    assert [2, 2, 1] == [passage.text.count("\n\n") + 1 for passage in read.passages]


def test_long_paragraphs_are_cut_at_sentence_ends():
    """Each passage ends with a full stop."""
    read = document("a.txt", b"The limit is 3.50 EUR. " * 200)

    assert len(read.passages) > 2
    assert all(passage.text.endswith("EUR.") for passage in read.passages)


def test_a_heading_begins_a_passage():
    """Once the passage before it has something to say."""
    body = "Some words that fill a section. " * 20
    read = document("a.md", f"# One\n\n{body}\n\n## Two\n\n{body}\n".encode())

    assert ["# One", "## Two"] == [passage.text.split("\n")[0] for passage in read.passages]


@pytest.mark.parametrize(
    ("reason", "name", "data"),
    [
        ("empty", "a.txt", b""),
        ("empty", "a.md", b" \n \n"),
        ("no text", "a.html", b"<p></p>"),
        ("binary", "a.txt", bytes(range(256)) * 4),
        ("encrypted", "a.pdf", making.encrypted_pdf()),
        ("damaged", "a.pdf", b"%PDF-1.4 x"),
        ("no PDF", "a.pdf", b"x"),
        ("damaged", "a.docx", b"x"),
        ("no text", "a.eml", b"MIME-Version: 1.0\n\n"),
        ("allowed", "a.txt", b"x" * (MAX_INPUT_BYTES + 1)),
    ],
)
def test_what_cannot_be_read_says_why(reason, name, data):
    """A clear line each; the rest of a folder goes on."""
    read = read_document(name, data)

    assert isinstance(read, Unreadable)
    assert reason in read.reason


def test_a_huge_text_is_cut_with_a_note():
    """What was left out is said."""
    read = document("a.txt", b"Hello there. " * 100_000)

    assert MAX_TEXT_CHARS == len(read.text)
    assert ["text.cut"] == [note.code for note in read.notes]


@settings(deadline=None)
@given(
    st.one_of(
        st.text(max_size=300),
        st.lists(
            st.sampled_from(
                ["A sentence here. ", "word ", "\n\n", "\n", "# Head\n", "x" * 900, " " * 90]
            ),
            max_size=40,
        ).map("".join),
    )
)
def test_passages_hold_everything_but_white_space(text):
    """In order, without overlap, none too long, each a slice of the text."""
    position = 0
    for passage in cut_passages(text):
        assert passage.text == text[passage.start : passage.stop]
        assert passage.text == passage.text.strip()
        assert 0 < len(passage.text) <= MAX_PASSAGE_CHARS
        assert not text[position : passage.start].strip()
        position = passage.stop
    assert not text[position:].strip()


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["a.md", "a.html", "a.pdf", "a.docx", "a.eml", "a"]), st.binary(max_size=200)
)
def test_any_file_is_a_document_or_unreadable(name, data):
    """Nothing raises, and equal bytes give equal documents."""
    assert read_document(name, data) == read_document(name, data)
