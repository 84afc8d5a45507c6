"""Each row of a table is a sentence that stands on its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.text.sentences import sentences
from assay.sources.documents.tables import Cell, Table, row_sentences
from assay.sources.reading import MAX_TEXT_CHARS

pytestmark = pytest.mark.clause("008-S1")


def rows(*lines: tuple[str | Cell, ...], header: int | None = None, named: bool = False):
    """The sentences of a table."""
    cells = [[Cell(text=c) if isinstance(c, str) else c for c in line] for line in lines]
    return list(row_sentences(Table(rows=cells, header=header, named=named)).rows)


ZONES = ("Zone", "Price", "Valid")


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        (["Zone: A; Price: 12 EUR; Valid: 2 hours."], [ZONES, ("A", "12 EUR", "2 hours")]),
        (["Zone: A; Valid: 2 hours."], [ZONES, ("A", "", "2 hours")]),
        (["Open; Mo: 9; Tu: 10."], [("", "Mo", "Tu"), ("Open", "9", "10")]),
        (["Opening: 9-17.", "Phone: 030 12."], [("Opening", "9-17"), ("Phone", "030 12")]),
        (["Thing: Beer; Price: 3,50 €."], [("Thing", "Price"), ("Beer", "3,50 €")]),
        (["1; 2; 3.", "4; 5; 6."], [("1", "2", "3"), ("4", "5", "6")]),
        (
            ["区域: A; 価格: 安い; 備考: 十二円。"],
            [("区域", "価格", "備考"), ("A", "安い", "十二円")],
        ),
        (["Zone: A; Price: free! Really?"], [("Zone:", "Price", "x"), ("A", "free! Really?")]),
        (["a.", "b."], [("a",), ("b",)]),
        ([], []),
        ([], [("", ""), ("", "")]),
    ],
)
def test_a_row_names_its_columns(said, lines):
    """What a column is called is found out where the format does not say it."""
    assert said == rows(*lines)


def test_header_rows_that_lie_above_each_other_are_one_name():
    """`Price` above `Adult` and `Child`; a cell over two columns is told once, with both names."""
    head = Cell(text="Price", across=2, head=True)
    first = (Cell(text="Zone", down=2, head=True), head)
    second = (Cell(text="Adult", head=True), Cell(text="Child", head=True))

    assert [
        "Zone: A; Price / Adult: 2; Price / Child: 1.",
        "Zone: B; Price / Adult, Price / Child: free.",
    ] == rows(first, second, ("A", "2", "1"), ("B", Cell(text="free", across=2)))


def test_a_merged_cell_is_told_in_each_row_that_it_covers():
    """Nobody sees the row above when one row is quoted."""
    assert ["Zone: A; Day: Mo; Fee: 1.", "Zone: A; Day: Tu; Fee: 2."] == rows(
        ("Zone", "Day", "Fee"), (Cell(text="A", down=2), "Mo", "1"), ("Tu", "2")
    )


def test_a_row_of_one_cell_stands_above_the_rows_that_follow():
    """`Winter` over the whole width is said again with each row below it."""
    assert ["Winter.", "Winter; Zone: A; Day: Mo; Fee: 1."] == rows(
        ("Zone", "Day", "Fee"), (Cell(text="Winter", across=3),), ("A", "Mo", "1")
    )


def test_a_wide_row_becomes_sentences_that_begin_with_its_first_cell():
    """None longer than a passage, none without its label."""
    found = rows(
        tuple(f"column {number}" for number in range(150)), ("A", *["some value"] * 149), header=1
    )

    assert len(found) > 1
    assert all(each.startswith("column 0: A; ") and len(each) < 1_200 for each in found)


@given(
    st.lists(
        st.lists(
            st.builds(
                Cell,
                text=st.text("Ab1 .;:|\n?。", max_size=12),
                across=st.sampled_from([0, 1, 2, 10**9]),
                down=st.sampled_from([0, 1, 3, 10**9]),
                head=st.booleans(),
            ),
            max_size=5,
        ),
        max_size=6,
    ),
    st.sampled_from([None, 0, 1, 3]),
)
def test_any_table_is_sentences_without_line_breaks(lines, header):
    """Bounded however far its cells claim to reach; equal tables give equal text."""
    table = Table(rows=lines, header=header)
    found = row_sentences(table)

    assert found == row_sentences(table)
    assert all(each == " ".join(each.split()) and each for each in found.rows)


def test_rows_with_an_empty_line_between_them_are_sentences():
    """Abbreviations at their ends, and small letters behind them, join none."""
    found = rows(("zone", "unit", "note"), ("a", "m", "approx."), ("b", "km", "e.g. x"), header=1)
    text = "\n\n".join(found)

    assert found == [text[start:stop] for start, stop in sentences(text)]


def test_a_table_ends_where_the_text_does():
    """Names of columns that are repeated a million times fill no memory, and it is said."""
    found = row_sentences(
        Table(rows=[[Cell(text="n" * 500)] * 9, *[[Cell(text="x")] * 9] * 20_000], header=1)
    )

    assert sum(map(len, found.rows)) < 2 * MAX_TEXT_CHARS
    assert "of 20000 rows" in found.cut
