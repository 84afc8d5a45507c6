"""Lines and runs of lines over any text: nothing visible is lost, and no run crosses a gap."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from assay.core.text.lines import BREAKS, lines, runs

LINES = st.sampled_from(
    ["- one", "5. Mai", "am", "# Fees", "**Fees:**", "| a | b |", "|---|---|", "===", "---"]
)
PLAIN = st.sampled_from(["and so on", "The end.", "these:", "AG", "> quoted", "a" * 70, "so,"])
GAPS = st.sampled_from(["\n", "\n", "\r\n", "\n\n", "\n \n", "\u2028", "\v\x85", " "])
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(st.tuples(st.one_of(PLAIN, LINES), GAPS), max_size=12).map(
        lambda pairs: "".join(map("".join, pairs))
    ),
)
"""Anything, and lines of every kind with few gaps between them: only these are joined."""


@given(TEXTS)
@example("Title\n=====\nbody")
def test_every_visible_character_lies_in_exactly_one_line(text: str) -> None:
    """Lines come in order, hold no line break, and what lies between them is white space; the
    first stands after a gap, another only where two breaks lie before it."""
    at = 0
    for line in lines(text):
        gap = text[at : line.start]
        assert at <= line.start < line.stop <= len(text)
        assert not gap.strip()
        assert not set(text[line.start : line.stop]) & set(BREAKS)
        breaks = len(re.findall(f"\r\n|[{BREAKS}]", gap))
        assert line.blank_before is (at == 0 or breaks > 1)
        at = line.stop
    assert not text[at:].strip()


@given(TEXTS)
@example("The end.\nso on\n| a | b |\n")
@example("The end.\nso on\n\nand on")
def test_runs_are_whole_lines_and_end_at_every_gap(text: str) -> None:
    """Each line belongs to one run, runs keep the order of the lines, and a blank line, a
    heading, a rule and a table row each begin a run."""
    found = lines(text)
    joined = runs(text)
    begins = [start for start, _ in joined]
    ends = [stop for _, stop in joined]

    assert sorted(begins) == begins
    assert all(start < stop for start, stop in joined)
    assert {line.start for line in found} >= set(begins)
    assert {line.stop for line in found} >= set(ends)
    for line in found:
        assert 1 == sum(start <= line.start and line.stop <= stop for start, stop in joined)
        if line.blank_before or line.kind in {"heading", "rule", "table"}:
            assert line.start in begins
