"""Markers and the sentence rule."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.gate.captions import CaptionWords
from assay.answers.gate.citations import (
    check_citations,
    fold,
    look_alikes,
    markers,
    read_sentences,
    without_markers,
)

OFFERED = ("C0", "C1", "C2")


WORDS = CaptionWords(
    question="What are the fees?", texts={"C0": "It is so. Refunds are never paid. a, b"}
)


def found(text: str) -> list[tuple[str, str]]:
    marked = markers(text)
    findings = check_citations(text, marked, read_sentences(text, marked, WORDS), OFFERED)
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
        ("Fees\n----\nIt is so [C0].", []),
        ("## 1. Fees\nIt is so [C0].", []),
        ("=== Fees ===\nIt is so [C0].", []),
        ("## What are the fees?\nIt is so [C0].", []),
        ("## Summary\nIt is so [C0].", []),
        ("## The fees are paid\nIt is so [C0].", ["## The fees are paid"]),
        ("There are 2 rules:\n- a [C0]\n- b [C1]", []),
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


CLAIMS = [
    "Refunds are never paid",
    "Refunds never paid",
    "Refunds paid",
    "Fees: 40 EUR",
    "Fees up to a limit",
    "Only fees",
    "Fees since March 2024",
    "Two fees",
    "Storm damage",
]
SHAPES = {
    "heading": "## {}\n",
    "closed heading": "## {} ##\n",
    "underlined": "{}\n====\n",
    "underlined by dashes": "{}\n----\n",
    "underlined as reST does": "{}\n~~~~~~~~~~~~~~~~~~~~~~\n",
    "overlined": "======\n{}\n======\n",
    "between signs": "--- {} ---\n",
    "bold": "**{}**\n",
    "bold by underscores": "__{}__:\n",
    "bold and slanted": "***{}***\n",
    "info of a tilde fence": "~~~ {}\n",
    "info of a backtick fence": "``` {}\n",
    "info of a closed fence": "``` {}\nx\n```\n\nA [C0].\n",
    "open fence": "```\n{}\n",
    "block": "It is.[C0]\n\n```\nx\n```\n\n~~~\n{}\n~~~\n\n```\nx\n```\n\n",
    "introduction": "{}:\n- a [C0]\n\n",
    "introduction in full width": "{}：\n- a [C0]\n\n",
    "table head": "| {} | b |\n|---|---|\n| a | b [C0] |\n\n",
    "table row": "| a | b [C0] |\n|---|---|\n| {} | b |\n\n",
    "grid table": "+------+\n| {} |\n+------+\n\n",
    "quotation": "> {}\n\n",
    "quoted heading": "> ## {}\n\n",
    "comment": "<!-- {} -->\n\n",
    "comment before a sentence": "<!-- {} -->",
    "heading in tags": "<h2>{}</h2>",
    "bold in tags": "<b>{}</b>\n\n",
    "paragraph in tags": "<p>{}</p>",
    "line in tags": "<br>{}<br/>",
    "summary": "<details><summary>{}</summary>\n\n",
    "title of a tag": '<p title="{}">\n\n',
    "front matter": "---\ntitle: {}\n---\n\n",
    "footnote": "[^1]: {}\n\n",
    "title of a link": '[a]: https://a.example "{}"\n\n',
    "picture": "![{}](a.png)\n\n",
    "indented": "    {}\n\n",
    "task": "- [ ] {}\n",
    "definition": "Fees\n: {}\n\n",
    "TeX": "\\section{{{}}}\n\n",
    "invisible bullet": "\u200b- {}\n",
    "form feed": "{}\x0c",
    "vertical tab": "{}\x0b",
    "line separator": "{}\u2028",
    "paragraph separator": "{}\u2029",
}


@pytest.mark.clause("005-A1", "004-P8")
@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_markup_hides_no_claim(shape, claim):
    """What is claimed without a marker is named, before and behind a cited sentence."""
    line = SHAPES[shape].format(claim)

    assert "sentence.uncited" in codes(f"{line}It is so [C0].")
    assert "sentence.uncited" in codes(f"It is so [C0].\n\n{line}")


@pytest.mark.clause("005-A1")
@pytest.mark.parametrize(
    "text",
    [
        "~~~ Refunds",
        "~~~never",
        "Ⓡⓔⓕⓤⓝⓓⓢ ⓝⓔⓥⓔⓡ",
        "🅽🅾",
        "⠝⠕",
        "\ue000\ue001",
        "40.",
        "7)",
        "B.",
        "½",
        "____________________________",
    ],
)
def test_what_can_be_read_is_a_sentence(text):
    """Letters in boxes, numbers that count no list, names that colour no code."""
    assert "sentence.uncited" in codes(f"{text}\nIt is so [C0].")
    assert "sentence.uncited" in codes(f"It is so [C0].\n\n{text}")


@pytest.mark.clause("005-A1")
@pytest.mark.parametrize(
    "text",
    [
        "* * *",
        "----",
        "~~~",
        "```python",
        "😊",
        "<br>",
        "<!-- -->",
        "1.",
        "1.\n- It is so [C0].\n2.",
        "•",
        "\u200b",
    ],
)
def test_markup_alone_is_no_sentence(text):
    """Rules, tags, fences, pictures, numbers that count on."""
    assert [] == found(f"{text}\nIt is so [C0].")


@pytest.mark.clause("005-A1")
@pytest.mark.parametrize(
    ("text", "uncited"),
    [
        ("```\na = 1\nb = 2 [C0]\n```", []),
        ("```sh\na\n\nb\n```\n[C0]", []),
        ("Run this [C0].\n\n```sh\na\nb\n```", []),
        ("~~~~\na\n~~~\nb\n~~~~\n\nIt is so [C0].", []),
        ("```\n# a\n- b:\n- c\n```", ["# a", "- b:", "- c"]),
        ("It is so [C0].\nx [C0]\n\ny [C0]\n```\na\n```\nz\n\nIt is so [C0].", ["z"]),
        ("It is so [C0].\n\nz\n```\na\n```", ["z", "a"]),
        ("```\na\n", ["a"]),
        ("```\na\n~~~\n\nIt is so [C0].", ["a"]),
    ],
)
def test_one_marker_covers_a_fenced_block(text, uncited):
    """In it, or on the line before or behind it; a block without is text like any other."""
    assert uncited == [place for code, place in found(text) if code == "sentence.uncited"]


def test_a_block_is_held_against_what_covers_it():
    """The sentences of a block cite what the block cites."""
    text = "```\na\nb [C1]\n```\n\nSo [C0].\n\nIt is so [C2].\n\n~~~\nc\nd\n~~~"

    read = read_sentences(text, markers(text))

    assert [("C1", "C0"), ("C1",), ("C0",), ("C2",), ("C2",), ("C2",)] == [
        item.anchors for item in read
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("# Fees [C0]", "factual"), ("# Fees", "heading"), ("Fees:\n- a [C0]", "list_intro")],
)
def test_a_heading_that_cites_is_a_sentence_like_others(text, kind):
    """With a marker it may claim what its chunk says."""
    first = read_sentences(text, markers(text), WORDS)[0]

    assert (kind, True) == (first.kind, first.caption)


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
