"""Source code is its own text, cut where functions, classes and sections begin."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.sources.document import Document, Unreadable, read_document
from assay.sources.documents.code import LANGUAGES
from assay.sources.documents.passages import MAX_PASSAGE_CHARS

pytestmark = pytest.mark.clause("008-S2")

BODY = (
    "    return 'some words that make a function long enough to stand alone, and a few more words'"
)
PYTHON = f'''"""A module."""
import os

# What a zone costs.
@cached
def fee(zone):
{BODY}


class Car:
    """A car of somebody, with a docstring that is long enough to stand on its own feet here."""

    def drive(self):
    {BODY}


if __name__ == "__main__":
    print(fee("A"), "this line stands below the class and belongs to none of its functions, no")
'''
SCRIPT = """// The fee of a zone.
export async function fee(zone) {
  const inner = (a) => { return "what lies within a function has its name, and no other name"; };
  return inner(zone) + "and so on and so forth until it is long enough to stand alone";
}

class Car extends Thing {
  /** Drives. */
  async drive(to, from) {
    return "some words that make a function long enough to stand alone, and a few more words";
  }
}
"""
JAVA = """public class Car {
    private int wheels = 4; // and a comment that makes this long enough to stand on its own feet ..

    public void drive(String to) throws Fault {
        for (int at = 0; at < 3; at++) {
            go("some words that make a function long enough to stand alone, and a few more");
        }
    }
}
"""
GO = """package cars

// Drive goes there.
func (c *Car) Drive(to string) error {
\treturn errors.New("some words that make a function long enough to stand alone, and a few more")
}
"""
SETTINGS = """[tool.one]
text = "some words that make a section long enough to stand alone, and a few more words, and more"

[tool.two]
text = "some words that make a section long enough to stand alone, and a few more words, and more"
"""
YAML = """fees:
  zone: "some words that make a section long enough to stand alone, and a few more words, and more"
dogs:
- "some words that make a section long enough to stand alone, and a few more words, and more"
"""
SQL = """CREATE TABLE IF NOT EXISTS fees (
  zone TEXT, -- some words that make a table long enough to stand alone, and a few more words
  price INT
);
"""


def document(name: str, text: str) -> Document:
    """The document that *text* is; fails the test when it is none."""
    read = read_document(name, text.encode())
    assert isinstance(read, Document)
    return read


@pytest.mark.parametrize(
    ("names", "name", "text"),
    [
        (["", "fee", "Car", "Car.drive", ""], "a.py", PYTHON),
        (["", "fee", "Car", "Car.drive", ""], "a.py", PYTHON + "\nprint broken ("),
        (["fee", "Car", "Car.drive"], "a.js", SCRIPT),
        (["Car", "Car.drive"], "a.java", JAVA),
        (["", "Drive"], "a.go", GO),
        (["tool.one", "tool.two"], "a.toml", SETTINGS),
        (["fees", "dogs"], "a.yaml", YAML),
        (["fees"], "a.sql", SQL),
    ],
)
def test_a_passage_of_code_has_the_name_of_what_it_declares(names, name, text):
    """Functions, methods, sections; what is no function any more has no name."""
    found = [passage.heading for passage in document(name, text).passages]

    assert [each for each in names if each] == [each for each in dict.fromkeys(found) if each]


def test_comments_and_decorators_stand_with_what_they_are_about():
    """The comment above a function often answers the question."""
    passage = next(p for p in document("a.py", PYTHON).passages if p.heading == "fee")

    assert passage.text.startswith("# What a zone costs.\n@cached\ndef fee(zone):")


def test_a_passage_knows_its_line():
    """Counted as editors do, whatever the line ends."""
    read = read_document("a.py", PYTHON.replace("\n", "\r\n").encode())

    assert isinstance(read, Document)
    lines = PYTHON.split("\n")
    assert all(
        lines[(passage.line or 0) - 1].strip() == passage.text.split("\n")[0]
        for passage in read.passages
    )


def test_prose_whose_text_is_the_file_has_lines_and_other_documents_have_none():
    """A line of a table that was spelled out is no line of the file."""
    assert [1] == [passage.line for passage in document("a.txt", "text").passages]
    assert [None] == [passage.line for passage in document("a.md", "text").passages]


def test_a_long_function_is_cut_at_lines():
    """Never within one, while lines are short; each part has the name."""
    body = "\n".join(f"    value_{number} = {number}" for number in range(300))
    found = document("a.py", f"def long():\n{body}\n").passages

    assert len(found) > 2
    assert {"long"} == {passage.heading for passage in found}
    assert all(line.strip() in body + "def long():" for p in found for line in p.text.split("\n"))
    assert all(len(passage.text) <= MAX_PASSAGE_CHARS for passage in found)


def test_our_own_sources_are_cut_without_loss():
    """Every character but white space is in one passage."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        read = document(path.name, path.read_text("utf-8"))
        assert read.text == path.read_text("utf-8")
        edges = [0, *(edge for p in read.passages for edge in (p.start, p.stop)), len(read.text)]
        gaps = [read.text[a:b] for a, b in pairwise(edges)][::2]
        assert not "".join(gaps).strip()


def test_minified_code_is_said_to_be_none():
    """Nobody looks for an answer there."""
    read = read_document("a.js", b"a=1;" * 3_000)

    assert isinstance(read, Unreadable)
    assert "minified" in read.reason


def test_a_notebook_is_its_cells():
    """Text and code; what the code gave is left out, and said."""
    cells = [
        {"cell_type": "markdown", "source": ["# Fees\n", "\n", "| Zone | Fee |\n|-|-|\n| A | 1 |"]},
        {"cell_type": "code", "source": "fee = 1", "outputs": [{"text": "SECRET"}]},
        7,
    ]
    book = {"cells": cells, "metadata": {"language_info": {"name": "python"}}}
    read = document("a.ipynb", json.dumps(book))

    assert "# Fees\n\nZone: A; Fee: 1.\n\n```python\nfee = 1\n```" == read.text
    assert ["notebook.output"] == [note.code for note in read.notes]
    assert "Fees" == read.title


@pytest.mark.parametrize("text", ["{", "[]", '{"cells": 3}', "[" * 100_000])
def test_a_broken_notebook_says_so(text):
    """Deep nesting is no way to end the program."""
    assert isinstance(read_document("a.ipynb", text.encode()), Unreadable)


@given(
    st.lists(
        st.sampled_from(
            ["def a():", "  class B {", "fn c() {", "}", "    x", "", "@d", "// e", "[f]", "g:",
             '  "h": 1,', "CREATE TABLE i (", "((((", '"""', "\t", "j() {", "\x0c", "\\"]
        ),
        max_size=14,
    ).map("\n".join),
    st.sampled_from(sorted(LANGUAGES)),
)  # fmt: skip
def test_any_lines_of_any_language_are_cut_without_loss(text, ending):
    """Equal texts give equal passages; the text is the file's own."""
    read = read_document(f"a.{ending}", text.encode())

    assert read == read_document(f"a.{ending}", text.encode())
    if isinstance(read, Document):
        assert read.text == text
        kept = "".join("".join(passage.text.split()) for passage in read.passages)
        assert kept == "".join(text.split())
