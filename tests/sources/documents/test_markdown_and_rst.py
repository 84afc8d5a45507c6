"""Markdown and reStructuredText are their own text, with tables spelled out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.sources.documents.markdown import read_markdown
from assay.sources.documents.rst import read_rst

pytestmark = pytest.mark.clause("008-S1", "008-S3")


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\ntext | with a bar\n\n---\n\n- item\n",
        "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n",
        "| no | rule |\n| 1 | 2 |\n",
        "a | b\n--- | ---- | ---\n",
    ],
)
def test_markdown_without_tables_is_the_file_itself(text):
    """Code blocks and lone bars are no tables."""
    assert text == read_markdown(text).text


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Zone: A; Fee: 1.", "| Zone | Fee |\n|---|---|\n| A | 1 |"),
        ("Zone: A; Fee: 1.", "Zone | Fee\n:-- | --:\nA | 1"),
        ("Zone: A|B; Fee: 1 net.", "| Zone | Fee |\n|-|-|\n| A\\|B | 1<br>net |"),
        ("Zone: A.", "> | Zone | Fee |\n> |---|---|\n> | A | |"),
        ("x: 1.", "| | |\n|---|---|\n| x | 1 |"),
        ("Zone: A; Fee: 1.", "| Zone | Fee |\n|---|---|\n| A | 1 | spare |"),
        ("t\n\nZone: A.\n\nt", "t\n| Zone |\n|---|\n| A |\nt"),
    ],
)
def test_a_row_of_markdown_is_a_sentence(said, text):
    """As GitHub reads tables; what surrounds them keeps its place."""
    assert said == read_markdown(text).text


def test_headings_title_and_front_matter_of_markdown():
    """A `#` within code is none; the title of the front matter goes before the first heading."""
    front = "---\ntitle: House rules\nAuthor: 'A. Weber'\n---\n"
    read = read_markdown(f"{front}# Fees *now*\n```\n# no\n```\nParking\n-------\ntext\n")

    assert [("Fees now", 1), ("Parking", 2)] == [(h.title, h.level) for h in read.headings]
    assert ["# ", "Pa"] == [read.text[h.start : h.start + 2] for h in read.headings]
    assert ("House rules", {"author": "A. Weber"}) == (read.title, dict(read.metadata))


GRID = """\
+-------+-------+-----+
| Zone  | Price | Day |
+=======+=======+=====+
| A     | 12    | Mo  |
|       +-------+-----+
|       | 13    | Tu  |
+-------+-------+-----+
| both          | We  |
+-------+-------+-----+
"""
SIMPLE = "=====  =====\nZone   Price\n=====  =====\nA      5 EUR\n       net\n=====  =====\n"
CSV = '.. csv-table:: Fees\n   :header: "Zone", "Price"\n\n   "A", 12\n   "B", 3\n'
LIST = (
    ".. list-table::\n   :header-rows: 1\n\n   * - Zone\n     - Price\n"
    "   * - A\n     - 1\n       net\n"
)


LITERAL = "Code::\n\n  =====  =====\n  a      b\n  =====  =====\n\nEnd."


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "Zone: A; Price: 12; Day: Mo.\n\nZone: A; Price: 13; Day: Tu.\n\n"
            "Zone, Price: both; Day: We.",
            GRID,
        ),
        ("Zone: A; Price: 5 EUR net.", SIMPLE),
        ("Fees\n\nZone: A; Price: 12.\n\nZone: B; Price: 3.", CSV),
        ("Zone: A; Price: 1 net.", LIST),
        (LITERAL, LITERAL),
    ],
)
def test_the_tables_of_rst_are_sentences(said, text):
    """Grids with merged cells, simple ones, directives; what is a literal stays one."""
    assert said.strip() == read_rst(text).text.strip()


def test_sections_of_rst_nest_in_the_order_in_which_their_lines_appear():
    """The signs mean nothing of their own."""
    read = read_rst("=====\nRules\n=====\n\n:Author: A. Weber\n\nFees\n~~~~\n\ntext\n\nB\n====\n")

    assert [("Rules", 1), ("Fees", 2)] == [(h.title, h.level) for h in read.headings][:2]
    assert ("Rules", {"author": "A. Weber"}) == (read.title, dict(read.metadata))


def test_rst_without_tables_is_the_file_itself():
    """Whatever it is made of."""
    text = "Title\n=====\n\n.. note:: x\n\n  y\n\nCode::\n\n  z\n\nEnd\n"

    assert text == read_rst(text).text


@given(
    st.lists(
        st.sampled_from(
            ["| a | b |", "|---|---|", "```", "# H", "a", "", "====", "=== ===", "+--+--+", "::",
             "| x | y |", ".. csv-table:: t", ".. list-table::", "  * - q", "    - r", "+==+==+",
             "|  |  |", "+  +--+", "---", "> | a |", "\\|"]
        ),
        max_size=14,
    ).map("\n".join),
    st.sampled_from([read_markdown, read_rst]),
)  # fmt: skip
def test_any_lines_are_read_and_headings_stand_in_the_text(text, read):
    """Nothing raises; equal texts give equal text; where a heading begins, its title is."""
    found = read(text)

    assert found == read(text)
    assert all(found.text[each.start :].strip() for each in found.headings)
    assert [each.start for each in found.headings] == sorted(h.start for h in found.headings)
