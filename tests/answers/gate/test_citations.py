"""Markers and the sentence rule."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.gate.citations import (
    check_citations,
    fold,
    look_alikes,
    markers,
    read_sentences,
    without_markers,
)

OFFERED = ("C0", "C1", "C2")


def found(text: str) -> list[tuple[str, str]]:
    marked = markers(text)
    findings = check_citations(text, marked, read_sentences(text, marked), OFFERED)
    return [(finding.code, text[finding.start : finding.stop]) for finding in findings]


def codes(text: str) -> set[str]:
    return {code for code, _ in found(text)}


@pytest.mark.clause("004-P9", "004-V3")
@pytest.mark.parametrize(
    "marker",
    [
        "[C01]",
        "[C00]",
        "[c1]",
        "[C0, C1]",
        "[C0,C1]",
        "[0, C1]",
        "[C1 ]",
        "[ C1]",
        "[C 1]",
        "[C-1]",
        "[C0-C2]",
        "[C0–C2]",
        "[C0; C1]",
        "(C1)",
        "(c 1)",
        "［C1］",
        "【C1】",
        "[Ｃ1]",
        "[C１]",
        "[C٠]",
        "[C¹]",
        "[\u0421\u0031]",  # a Cyrillic letter
        "[C\u200b1]",
        "[C1)",
        "[C1\n]",
    ],
)
def test_what_reads_as_a_marker_and_is_none_is_malformed(marker):
    """Other case, width, digits, spacing, lists and ranges are named, each as one place."""
    assert [marker] == [
        place for code, place in found(f"It is so [C0] {marker}.") if code == "citation.malformed"
    ]


@pytest.mark.clause("004-P9")
@pytest.mark.parametrize(
    "text",
    [
        "It is so [C0].",
        "It is so [C0][C1].",
        "It is so (see [C0], [C1]).",
        "In (2020) and (c. 1850) it was so [C0].",
        "Fullerene [C2H6], rule (1c) and [6-10] hold [C0].",
        "The copyright (C) holds [C0].",
        "Level C1 is needed [C0].",
    ],
)
def test_other_brackets_are_no_markers(text):
    """Years, formulas, legal references and words are left alone."""
    assert [] == found(text)


@pytest.mark.parametrize("text", ["It is so [C0.", "It is so C0].", "It is so [C0"])
def test_half_a_bracket_is_malformed(text):
    """A marker that lacks a bracket is named."""
    assert {"citation.malformed", "sentence.uncited"} == codes(text)


@pytest.mark.clause("004-P9", "004-V3")
@pytest.mark.parametrize("anchor", ["C3", "C10", "C99999999999999999999"])
def test_only_offered_anchors_count(anchor):
    """An invented anchor is unknown, however large."""
    assert [("citation.unknown_anchor", f"[{anchor}]")] == found(f"It is so [{anchor}].")


@pytest.mark.clause("004-P8", "004-V4")
@pytest.mark.parametrize(
    ("text", "uncited"),
    [
        ("It is so. It is [C0].", ["It is so."]),
        ("It is so. [C0] It is. [C1]", []),
        ("It is so.[C0] And so.", ["And so."]),
        ("He met Dr. Weber on 3. Mai at 5 p.m. [C0]", []),
        ("One thing [C0]\n\nAnother thing", ["Another thing"]),
        ("- one [C0]\n- two\n- three [C1]", ["- two"]),
        ("One C0.", ["One C0."]),
        ("One [0].", ["One [0]."]),
        ("So [C0]. and more. It is [C1].", ["and more."]),
        ("Is it so? Yes [C0].", ["Is it so?"]),
        ("It is so [C0].\n\n---\n\n", []),
        ("| a | b |\n|---|---|\n| 1 [C0] | 2 |\n| 3 | 4 |", ["| 3 | 4 |"]),
    ],
)
def test_every_factual_sentence_needs_a_marker(text, uncited):
    """Each sentence stands for itself; a marker counts for the one it follows."""
    assert uncited == [place for code, place in found(text) if code == "sentence.uncited"]


@pytest.mark.parametrize(
    ("text", "uncited"),
    [
        ("# Fees\n\nIt is so [C0].", []),
        ("**Fees**\nIt is so [C0].", []),
        ("Fees\n====\nIt is so [C0].", []),
        ("# The fee is 40.\nIt is so [C0].", ["# The fee is 40."]),
        ("**The fee is 40.**\nIt is so [C0].", ["**The fee is 40.**"]),
        ("# Fees. It is 40\nIt is so [C0].", ["# Fees.", "It is 40"]),
        ("Fees\n\nIt is so [C0].", ["Fees"]),
        ("These hold:\n- a [C0]\n- b [C1]", []),
        ("It is so [C0]. These hold:\n\n1. a [C0]\n2. b [C1]", []),
        ("These hold:\nIt is so [C0].", ["These hold:"]),
        ("These hold: many [C0]", []),
        ("These hold:", ["These hold:"]),
        ("1.\n- a [C0]", []),
    ],
)
def test_headings_and_list_introductions_are_not_factual(text, uncited):
    """Only a heading line without a sentence in it, and a line that introduces a list."""
    assert uncited == [place for code, place in found(text) if code == "sentence.uncited"]


def test_an_introduction_knows_its_items():
    """How many list items follow."""
    text = "These hold:\n- a [C0]\n- b [C1]\n\nEnd [C0]."

    assert [2, 0, 0, 0] == [item.items for item in read_sentences(text, markers(text))]


TEXT = st.text(alphabet=st.sampled_from("[]()Cc0123 .,-;\n【】［］Ｃ١İé\u200bx#:"), max_size=50)


@given(TEXT)
def test_folding_and_blanking_keep_every_place(text):
    """Offsets in the folded and in the blanked text are offsets in the answer."""
    assert len(text) == len(fold(text)) == len(without_markers(text))


@given(TEXT)
def test_a_place_is_a_marker_or_a_look_alike(text):
    """Never both, and places do not overlap."""
    spans = sorted([*((mark.start, mark.stop) for mark in markers(text)), *look_alikes(text)])

    assert all(first[1] <= second[0] for first, second in pairwise(spans))


@given(TEXT)
def test_nothing_hides_a_sentence(text):
    """Every sentence with letters is cited, not factual, or named."""
    marked = markers(text)
    read = read_sentences(text, marked)
    named = {
        finding.start
        for finding in check_citations(text, marked, read, OFFERED)
        if finding.code == "sentence.uncited"
    }
    assert {
        sentence.start for sentence in read if sentence.kind == "factual" and not sentence.anchors
    } == named
