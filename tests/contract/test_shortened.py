"""How much an attempt did not show, and whose words these were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.attempts import omitted_parts, spoken_segments
from assay.contract.shortened import CARRIED, Shortened
from assay.core.text.spans import Shown
from assay.errors import InputError

KINDS = ("own", "forwarded", "quoted", "signature", "disclaimer")


def part(kind: str, chars: int) -> dict[str, object]:
    return {"source": "body", "kind": kind, "start": 7, "stop": 7 + chars}


@pytest.mark.clause("005-M10")
@pytest.mark.parametrize(
    ("kind", "own_words"),
    [("own", True), ("forwarded", True), ("quoted", False), ("signature", False)],
)
def test_quotes_signatures_and_disclaimers_are_no_own_words(kind, own_words):
    """What is forwarded is what the sender hands in to be read, so it counts as theirs."""
    assert Shortened(omitted_chars=5, own_words=own_words) == Shortened.of_record([part(kind, 5)])


@pytest.mark.clause("005-M10")
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 1000)), max_size=8))
def test_all_that_is_left_out_is_counted(parts):
    """The characters add up, and one part of own words is enough to say so."""
    found = Shortened.of_record([part(kind, chars) for kind, chars in parts])

    assert (found is None) == (not parts)
    if found is not None:
        assert sum(chars for _, chars in parts) == found.omitted_chars
        assert any(kind not in CARRIED for kind, _ in parts) == found.own_words


def test_the_value_of_an_input_hides_no_own_words():
    """The largest of all calls: own words lost by a short cut are not hidden by a long quote."""
    several = [
        None,
        Shortened(omitted_chars=900, own_words=False),
        Shortened(omitted_chars=3, own_words=True),
    ]

    assert Shortened(omitted_chars=900, own_words=True) == Shortened.largest(several)
    assert None is Shortened.largest([None, None])


def test_nothing_left_out_is_no_shortening():
    """There is no value that says that nothing was left out: that is None."""
    with pytest.raises(InputError):
        Shortened(omitted_chars=0, own_words=False)
    assert None is Shortened.of_record([])


@pytest.mark.clause("005-M10")
def test_a_mail_that_only_carries_loses_own_words_when_that_is_cut():
    """Where the sender says nothing, what they carry is all that the mail says."""
    text = "> The cellar is flooded.\n> My lawyer will write to you.\n"
    shown = Shown(name="body", original=text, segments=((0, 24),))

    assert ["own"] == [block.kind for block in omitted_parts(shown)]


@given(st.text(st.sampled_from("ab \n>-.äß"), max_size=200))
def test_what_counts_as_said_lies_in_the_text_in_order(text):
    """Segments are not empty, do not overlap and stay within the text."""
    position = 0
    for start, stop in spoken_segments(text):
        assert position <= start < stop <= len(text)
        position = stop
