"""Files of a folder become passages that know their page and place."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.sources.document import PROSE_SUFFIXES, Document, read_document
from assay.sources.documents.passages import MAX_PASSAGE_CHARS, cut_passages, page_of
from assay.sources.reading import LEFT_OUT_CODES, MAX_INPUT_BYTES, MAX_TEXT_CHARS, Unreadable
from tests.sources import making


def document(name: str, data: bytes) -> Document:
    """The document that *data* is; fails the test when it is none."""
    read = read_document(name, data)
    assert isinstance(read, Document)
    return read


HTML_TABLE = b"<p>T</p><table><tr><th>Zone<th>Fee<tr><td>A<td>1</table>"


@pytest.mark.clause("008-S1", "008-S2")
@pytest.mark.parametrize(
    ("text", "name", "data"),
    [
        ("# Limit\n\n40 EUR.\n", "a.md", b"# Limit\r\n\r\n40 EUR.\r\n"),
        ("grün", "a.txt", "grün".encode()),
        ("Limit\n\n40 EUR.", "a.html", b"<h1>Limit</h1><p>40 EUR.</p>"),
        ("40 EUR.", "a.pdf", making.pdf(making.text_page("40 EUR."))),
        ("40 EUR.", "misnamed.txt", making.pdf(making.text_page("40 EUR."))),
        ("40 EUR.", "a.docx", making.docx(making.paragraph("40 EUR."))),
        ("Zone: A; Fee: 1.", "a.md", b"| Zone | Fee |\n|--|--|\n| A | 1 |"),
        ("Zone: A; Fee: 1.", "a.csv", b"Zone,Fee\r\nA,1\r\n"),
        ("Zone: A; Fee: 1.", "a.TSV", b"Zone\tFee\nA\t1"),
        ("Zone: A; Fee: 1.\n", "a.rst", b"====  ===\nZone  Fee\n====  ===\nA     1\n====  ==="),
        ("T\n\nZone: A; Fee: 1.", "a.html", HTML_TABLE),
        ("Sheet1\n\nhello", "a.xlsx", making.xlsx(making.sheet_rows(("hello",)))),
        ("hello", "a.pptx", making.pptx(making.shape("hello"))),
        ("hello\n", "a.rtf", b"{\\rtf1\\ansi hello\\par}"),
        ("def a(): ...\n", "a.py", b"def a(): ...\n"),
        ("| a | b |\n|---|---|", "a.txt", b"| a | b |\n|---|---|"),
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
        ("damaged", "a.xlsx", b"x"),
        ("no PowerPoint", "a.pptx", making.xlsx(making.sheet_rows(("hello",)))),
        ("save it as .docx", "a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
        ("encrypted or old", "a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
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


@pytest.mark.clause("008-S4")
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.md", b"# Head\n\nHello there.\n" * 70_000),
        ("a.rst", b"Hello there.\n" * 100_000),
        ("a.html", b"<p>Hello there.</p>" * 100_000),
        ("a.py", b"hello = 'there'\n" * 100_000),
        ("a.csv", b"Hello,there,you\n" + b"x,y,z\n" * 100_000),
        ("a.rtf", b"{\\rtf1 " + b"Hello there. " * 100_000 + b"}"),
        ("a.docx", making.docx(making.paragraph("Hello there. " * 100) * 900)),
        ("a.pptx", making.pptx(*[making.shape("Hello there. " * 1_000)] * 100)),
        ("a.pdf", making.pdf(*[making.text_page("Hello there. " * 5_000)] * 20)),
    ],
)
def test_whatever_is_cut_is_said_without_its_content(name, data):
    """In every format, by a code that means that something was left out."""
    read = document(name, data)

    assert len(read.text) <= MAX_TEXT_CHARS
    assert {note.code for note in read.notes} & LEFT_OUT_CODES
    assert not any("Hello" in note.detail for note in read.notes)
    assert all(len(note.detail) <= 200 for note in read.notes)


@pytest.mark.clause("008-S3")
@pytest.mark.parametrize(
    ("title", "metadata", "name", "data"),
    [
        ("Fees", {"author": "Me", "language": "en"}, "a.html", b"<html lang=en><title>Fees</title>"
         b"<meta name=Author content=Me><h1>Other</h1>"),
        ("Other", {}, "a.html", b"<h1>Other</h1><p>x"),
        ("Fees", {}, "a.md", b"intro\n\n# Fees\n"),
        ("Fees", {"author": "Me"}, "a.md", b"---\ntitle: Fees\nauthor: Me\n---\ntext\n"),
        ("Fees", {"version": "2"}, "a.rst", b"Fees\n====\n\n:Version: 2\n"),
        (None, {"language": "python"}, "a.py", b"x = 1"),
        (None, {}, "a.csv", b"a,b\n1,2"),
        (None, {}, "a.txt", b"# text"),
        ("Fees", {"date": "2024-01-31T09:00:00+01:00", "from": "A Weber <a@example.com>",
                  "language": "en", "to": "b@example.com"}, "a.eml",
         b"Subject: Fees\nFrom: A Weber <a@example.com>\nTo: b@example.com\n"
         b"Date: Wed, 31 Jan 2024 09:00:00 +0100\n\nThis is the text of the mail and you know it"
         b" as well as the others do.\n"),
    ],
)  # fmt: skip
def test_a_document_keeps_its_title_and_what_it_says_of_itself(title, metadata, name, data):
    """What can be filtered by later must not be lost when it is read."""
    read = document(name, data)

    assert (title, metadata) == (read.title, dict(read.metadata))


@pytest.mark.clause("008-S3")
def test_the_properties_of_a_pdf_are_kept():
    """Title, author, and dates as dates."""
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(making.pdf(making.text_page("x"))))
    writer.add_metadata({"/Title": "Fees", "/Author": "Me", "/CreationDate": "D:20240131090000Z"})
    out = io.BytesIO()
    writer.write(out)
    read = document("a.pdf", out.getvalue())

    assert "Fees" == read.title
    assert ("Me", "2024-01-31") == (read.metadata["author"], read.metadata["created"])


@pytest.mark.clause("008-S3")
def test_metadata_is_bounded_and_of_one_line():
    """A file says of itself what it likes: neither megabytes nor control characters come in."""
    front = "".join(f"key{number}: {'x' * 5_000}\n" for number in range(90))
    read = document("a.md", f"---\ntitle: a\x07\u202eb\x9b\n{front}---\ntext\n".encode())

    assert "a b" == read.title
    assert 20 == len(read.metadata)
    assert {300} == {len(value) for value in read.metadata.values()}


@pytest.mark.clause("008-S3")
@pytest.mark.parametrize(
    ("name", "template"),
    [
        ("a.md", "# Fees\n\n{0}\n\n## Parking\n\n{0}\n\n## Dogs\n\n{0}\n\n# End\n\n{0}\n"),
        ("a.rst", "Fees\n====\n\n{0}\n\nParking\n-------\n\n{0}\n\nDogs\n----\n\n{0}\n\n"
         "End\n===\n\n{0}\n"),
        ("a.html", "<h1>Fees</h1>{0}<h2>Parking</h2>{0}<h2>Dogs</h2>{0}<h1>End</h1>{0}"),
    ],
)  # fmt: skip
def test_a_passage_knows_the_headings_above_it(name, template):
    """As a path, in every format that has headings."""
    read = document(name, template.format("Some words that fill a section. " * 20).encode())

    assert ["Fees", "Fees > Parking", "Fees > Dogs", "End"] == [p.heading for p in read.passages]


@pytest.mark.clause("008-S3")
def test_a_passage_over_several_sections_has_what_they_have_in_common():
    """A heading above a part of it alone would say something false of the rest."""
    short = document("a.md", b"# Fees\n\n## A\n\ntext\n\n## B\n\ntext\n")
    apart = document("a.md", b"## A\n\ntext\n\n## B\n\ntext\n")

    assert ["Fees"] == [passage.heading for passage in short.passages]
    assert [""] == [passage.heading for passage in apart.passages]


@pytest.mark.clause("008-S1", "008-S3")
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.xlsx", making.xlsx(making.sheet_rows(("Prices",), ("Zone", "Fee", "Day"),
                                                 *[("some zone", "12", "Monday")] * 200))),
        ("a.csv", b"Prices\nZone,Fee,Day\n" + b"some zone,12,Monday\n" * 200),
        ("a.html", b"<table><caption>Prices</caption><tr><th>Zone<th>Fee<th>Day"
         + b"<tr><td>some zone<td>12<td>Monday" * 200 + b"</table><p>End"),
        ("a.md", b"# Prices\n\n|Zone|Fee|Day|\n|--|--|--|\n" + b"|some zone|12|Monday|\n" * 200),
    ],
)  # fmt: skip
def test_a_long_table_is_cut_between_rows_and_keeps_its_caption(name, data):
    """Each passage of it begins and ends with a whole row, and says what it is a part of."""
    found = document(name, data).passages
    row = "Zone: some zone; Fee: 12; Day: Monday."

    assert len(found) > 4
    for passage in found[1:-1]:
        assert {row} == set(passage.text.split("\n\n"))
        assert passage.heading.endswith("Prices")


def test_sentences_of_scripts_without_spaces_are_cut_at_their_ends():
    """Japanese and Chinese end sentences by 。！？; Thai is cut at its spaces."""
    japanese = document(
        "a.txt", "駐車場の料金は一時間で五百円です。犬は無料！本当に？".encode() * 90
    )
    thai = document("a.txt", ("ค่าจอดรถชั่วโมงละห้าสิบบาท " * 200).encode())

    assert all(passage.text[-1] in "。！？" for passage in japanese.passages)
    assert len(thai.passages) > 2
    assert all(passage.text.endswith("บาท") for passage in thai.passages)


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
    st.sampled_from(
        [*(f"a{ending}" for ending in sorted(PROSE_SUFFIXES)), "a.ipynb", "a.py", "a.js", "a", "."]
    ),
    st.one_of(
        st.binary(max_size=200), st.text("a|-\n#=<>,;{}[]\x00\\\"'` :", max_size=80).map(str.encode)
    ),
)
def test_any_file_is_a_document_or_unreadable(name, data):
    """Nothing raises, and equal bytes give equal documents."""
    assert read_document(name, data) == read_document(name, data)
