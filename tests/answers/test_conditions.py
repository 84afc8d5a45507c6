"""Conditions on what is known of a passage, and the metadata that they name."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.conditions import filter_bundle, meets, read_conditions
from assay.answers.evidence.bundle import RetrievalBundle, read_bundle
from assay.answers.evidence.metadata import read_metadata
from assay.errors import InputError
from tests.runtime.answers.test_ask import bundle, chunk

FACTS = {"page": "3", "title": "Rules", "heading": "Fees > Parking", "file": "docs/rules.md"}


@pytest.mark.clause("008-R7")
@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ({"page": 3}, True),
        ({"page": "3", "title": "Rules"}, True),
        ({"page": 4}, False),
        (["page=3", "title=Rules"], True),
        (["page!=3"], False),
        (["author!=Weber"], True),
        (["author=Weber"], False),
        (["heading=Fees"], True),
        (["heading=Fees > Parking"], True),
        (["heading=Fee"], False),
        (["file=rules.md"], True),
        (["file=docs/rules.md"], True),
        (["file=ules.md"], False),
        ("title=Rules", True),
        ([], True),
    ],
)
def test_a_condition_is_equality_or_its_contrary(where, holds):
    """All must hold; a heading holds for what stands below it, a name for the file it ends."""
    assert holds == meets(FACTS, read_conditions(where))


@pytest.mark.clause("008-R7")
@pytest.mark.parametrize("where", [["page"], ["=3"], ["!=3"], {"page": [3]}, {"page": None}])
def test_what_is_no_condition_is_refused_with_how_to_write_one(where):
    """Nothing is guessed of it."""
    with pytest.raises(InputError, match="where: ") as caught:
        read_conditions(where)
    assert "page" in (caught.value.hint or "")


def described(*metadata: dict) -> RetrievalBundle:
    chunks = [
        {**chunk(rank, f"Text {rank}.", 0.9 - rank / 10), "metadata": each}
        for rank, each in enumerate(metadata)
    ]
    read = read_bundle(bundle(*chunks))
    assert isinstance(read, RetrievalBundle)
    return read


@pytest.mark.clause("008-R7")
def test_a_bundle_keeps_the_results_that_meet_them_ranked_anew():
    """Order and scores stay, ranks begin at 0; none left is no evidence."""
    given = described({"page": 1}, {"page": 2}, {"page": 2, "title": "Draft"})
    kept = filter_bundle(given, read_conditions({"page": 2}))

    assert [("ch-1", 0), ("ch-2", 1)] == [(each.chunk_id, each.rank) for each in kept.results]
    assert isinstance(read_bundle(kept.to_dict()), RetrievalBundle)
    assert filter_bundle(given, read_conditions({"page": 9})).no_evidence
    assert filter_bundle(given, ()) is given


@pytest.mark.clause("008-R7")
def test_a_key_that_no_result_has_is_told_with_those_there_are():
    """It is more likely a slip than a wish, with = and with !=."""
    for where in ({"pag": 2}, ["pag!=2"]):
        with pytest.raises(InputError, match="'pag'") as caught:
            filter_bundle(described({"page": 1}), read_conditions(where))
        assert "page" in (caught.value.hint or "")


@pytest.mark.clause("008-R7")
def test_metadata_survives_the_wire_form():
    """Written, read and written again it is the same; a bundle without any is as it was."""
    given = described({"page": 1, "title": "Fees", "author": "A. Weber"})

    assert {"author": "A. Weber", "page": "1", "title": "Fees"} == given.results[0].metadata
    assert given == read_bundle(given.to_dict())
    assert "metadata" not in read_bundle(bundle()).to_dict()["results"][0]


@pytest.mark.clause("008-R7")
def test_only_what_is_flat_and_short_is_metadata():
    """Nested, endless, unprintable and unencodable values are left out, dates are text."""
    day = datetime.date(2024, 5, 1)
    given = {"page": 3, "final": True, "of": 0.5, "day": day, "tags": ["a"], "box": {"x": 1}}
    odd = {"long": "x" * 1000, "nan": float("nan"), "bell": "\a", "lone": "\ud800", "none": None}

    assert {"page": "3", "final": "true", "of": "0.5", "day": "2024-05-01"} == read_metadata(
        {**given, **odd, 3: "key", "": "empty", "k" * 500: "long"}
    )


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@pytest.mark.clause("008-R7")
@given(anything)
def test_no_metadata_breaks_a_bundle(value):
    """Whatever a store keeps beside a passage: it is read or left out, and read twice alike."""
    found = read_metadata(value)
    one = {**chunk(0, "Text."), "metadata": value}

    assert found == read_metadata(found)
    assert isinstance(read_bundle(bundle(one)), RetrievalBundle)
