"""Places in the prompt lead back to the text as it was retrieved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.evidence.sanitize import safe_normalize_v1
from assay.answers.evidence.source_map import map_to_source

MESSY = st.text(st.sampled_from("ab. \t\n\r\x00\u00ad\u200bé\ufeff\u3000"), max_size=60)


@pytest.mark.clause("008-A5")
@given(MESSY | st.text(max_size=60), st.data())
def test_each_place_of_a_sanitised_text_leads_back(retrieved, data):
    """The part that is led back to, sanitised itself, is what stood in the prompt."""
    whole = safe_normalize_v1(retrieved)
    shown = whole[: data.draw(st.integers(0, len(whole)))]
    found = map_to_source(retrieved, shown)

    assert found is not None
    for at in range(len(shown)):
        start, stop = found.span(at, at + 1)
        original = retrieved[start:stop]
        same = original == shown[at] or (shown[at], original) in {(" ", "\t"), ("\n", "\r")}
        assert stop == start + 1
        assert same
    if shown:
        start, stop = found.span(0, len(shown))
        assert safe_normalize_v1(shown) == safe_normalize_v1(retrieved[start:stop])


@pytest.mark.clause("008-A5")
def test_what_does_not_follow_from_the_source_has_no_place_in_it():
    """A text that was changed otherwise, an empty span, one beyond the end."""
    found = map_to_source("a\tb", "a b")

    assert map_to_source("The fee is 40 EUR.", "The fee is 45 EUR.") is None
    assert (None, None) == (found.span(1, 1), found.span(2, 4))
    assert (0, 3) == found.span(0, 3)
