"""A long label set is listed like a slot: by relevance, within a budget, named on record."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.catalogue import label_lines
from assay.core.text.tokens import count
from assay.flow.slots import fill_labels
from assay.gate.labels import LabelSet

WORDS = ["pension", "passport", "housing", "school", "tax", "road", "water", "licence"]


def office(number: int) -> LabelSet:
    labels = {
        f"office-{place}": f"{WORDS[place % len(WORDS)]} office {place}" for place in range(number)
    }
    return LabelSet(name="office", labels=labels)


@pytest.mark.clause("005-C22")
def test_the_labels_that_the_question_speaks_of_come_first():
    """The others are left out by name, the most relevant of them first."""
    filled = fill_labels(
        office(2000), 600, "labels.office", "How much pension is it?", "o200k_base"
    )
    shown = filled.text.split("\n")

    assert 2000 == filled.rows == len(shown) + len(filled.omitted)
    assert all("pension" in line for line in shown)
    assert count(filled.text, "o200k_base") <= 600
    assert "office-1" in filled.omitted


@given(
    st.dictionaries(st.text("ab-", min_size=1, max_size=5), st.text("xy \n", max_size=9)),
    st.integers(1, 60),
)
def test_every_label_is_listed_or_named(labels, most):
    """Nothing is lost; a set that fits is listed as the contract itself lists it."""
    kept = LabelSet(name="set", labels=labels)
    filled = fill_labels(kept, most, "labels.set", "ab", "o200k_base")

    assert set(filled.omitted) <= set(labels)
    if not filled.omitted:
        assert label_lines(kept) == filled.text
    for label, text in labels.items():
        if label not in filled.omitted:
            assert label_lines(LabelSet(name="one", labels={label: text})) in filled.text
