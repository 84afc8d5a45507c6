"""CSV and TSV become a sentence for each row, whoever wrote them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.sources.document import Document, read_document
from assay.sources.documents.delimited import read_delimited
from assay.sources.reading import MAX_TEXT_CHARS

pytestmark = pytest.mark.clause("008-S1", "008-S5")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Zone: A; Price: 1,5.\n\nZone: B; Price: 2,5.", "Zone;Price\nA;1,5\nB;2,5\n"),
        ("Zone: A, B; Price: 1.", 'Zone,Price\n"A, B",1\n'),
        ('Name: Old "Town"; Age: 7.', 'Name,Age\n"Old ""Town""",7\n'),
        ("Name: two lines; Age: 7.", 'Name,Age\n"two\nlines",7\n'),
        ("a: 1; b: 2.", "a\tb\n1\t2\n"),
        ("a: 1; b: 2.", "a|b\n1|2\n"),
        ("a: 1; b: 2.", "sep=:\na:b\n1:2\n"),
        ("Report 2024\n\na: 1; b: 2.", "Report 2024\n\na,b\n1,2\n"),
        ("Report\n\na: 1; b: 2.\n\nc: 3; d: 4; e: 5.", "Report;\na;b\n1;2\n;\nc;d;e\n3;4;5\n"),
        ("1: 2.\n\n3: 4.", "1,2\n3,4\n"),
        ("one\n\ntwo", "one\ntwo\n"),
        ("city: Paris; country: France.", "city,country\nParis,France\n"),
        ("a: 1; b: 2; more.", "a,b\n1,2,more\n"),
    ],
)
def test_a_row_is_a_sentence(said, text):
    """The rows tell what stands between the cells and whether the first of them names columns."""
    assert said == read_delimited(text).text


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_charset_is_found_out(charset):
    """Spreadsheets export in the charset of their country."""
    read = read_document("a.csv", "Straße;Größe\nWeg;3\n".encode(charset))

    assert isinstance(read, Document)
    assert "Straße: Weg; Größe: 3." == read.text


def test_quotes_that_do_not_match_swallow_no_rows():
    """The rest of the file is not one cell, and the guess is said."""
    read = read_delimited('a,b,c\n1,5" wide,x\n2,3,y\n')

    assert 'a: 1; b: 5" wide; c: x.\n\na: 2; b: 3; c: y.' == read.text
    assert ["table.quotes"] == [note.code for note in read.notes]


def test_a_huge_file_is_read_as_far_as_there_is_room():
    """And says after which row it ends."""
    read = read_delimited("zone,price\n" + "somewhere,12\n" * 200_000)

    assert len(read.text) <= MAX_TEXT_CHARS
    assert "table.cut" in [note.code for note in read.notes]


def test_a_cell_of_a_megabyte_is_no_fault():
    """The reader of the standard library refuses cells of more than 128 KB."""
    assert read_delimited('a,b\n1,"' + "x" * 200_000 + '"\n').text.startswith("a: 1; b: ")


@given(st.text('ab1,;\t|"\n \r\x00', max_size=60))
def test_any_text_is_read(text):
    """Nothing raises, and equal texts give equal text."""
    assert read_delimited(text) == read_delimited(text)
