"""The retrieval bundle's contract."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.evidence.bundle import Malformed, RetrievalBundle, read_bundle
from tests.answers.bundles import bundle, chunk

FIELDS = ("chunk_id", "knowledge_id", "chunk_text", "rank", "similarity_score")
TRACE = ("request_id", "index_version", "embedding_model", "retrieval_top_k")


def reason(value) -> str | None:
    read = read_bundle(value)
    return read.reason if isinstance(read, Malformed) else None


@pytest.mark.clause("004-A1", "004-A2")
@pytest.mark.parametrize("name", FIELDS)
def test_each_field_of_a_result_is_required(name):
    """A result without one of the five fields breaks the contract."""
    assert reason(bundle(chunk(0, **{name: ...}))) == f"results[0].{name}: is missing"


@pytest.mark.clause("004-A3")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("chunk_id", 7),
        ("chunk_id", ""),
        ("chunk_id", None),
        ("chunk_id", "a\nb"),
        ("chunk_id", "a\u202eb"),
        ("knowledge_id", "a\x00b"),
        ("knowledge_id", "a\u2028b"),
        ("chunk_text", None),
        ("chunk_text", b"bytes"),
        ("chunk_text", "half \ud800"),
        ("rank", True),
        ("rank", 0.0),
        ("rank", "0"),
        ("rank", -1),
        ("similarity_score", "0.9"),
        ("similarity_score", True),
        ("similarity_score", math.nan),
        ("similarity_score", math.inf),
        ("similarity_score", 10**400),
        ("source_reference", 3),
    ],
)
def test_types_are_not_guessed(name, value):
    """`true` is no integer, `NaN` no number, `null` no text, and ids are one line."""
    assert (reason(bundle(chunk(0, **{name: value}))) or "").startswith(f"results[0].{name}: ")


@pytest.mark.clause("004-A7")
@pytest.mark.parametrize("name", TRACE)
def test_trace_fields_are_required(name):
    """A bundle that cannot be traced is refused."""
    assert (reason(bundle(**{name: ...})) or "").startswith(f"{name}: ")


@pytest.mark.clause("004-A4")
def test_an_empty_bundle_must_say_that_it_is():
    """No results is a fault unless the bundle says `no_evidence`."""
    assert reason(bundle(results=[])) == "results: empty, and the bundle does not say no_evidence"
    assert reason(bundle(results=[], no_evidence=True)) is None
    assert reason(bundle(results=[], no_evidence="yes")) == "no_evidence: must be true or false"


@pytest.mark.clause("004-S2")
@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([0, 1, 2], None),
        ([0, 4, 9], None),
        ([2, 0, 1], None),
        ([1, 2], "rank: the first must be 0"),
        ([0, 1, 1], "rank: 1 stands twice"),
    ],
)
def test_ranks_start_at_zero_and_grow(ranks, expected):
    """Gaps are allowed, repeats are not, and the order of the results does not matter."""
    results = [chunk(place, rank=rank) for place, rank in enumerate(ranks)]

    assert reason(bundle(*results)) == expected


def test_a_chunk_stands_once():
    """Two results with one chunk id would share an anchor's target."""
    twice = bundle(chunk(0), chunk(1, chunk_id="fees-0"))

    assert reason(twice) == "chunk_id: that of rank 1 stands twice"


@pytest.mark.parametrize("value", [None, [], "text", 3, {"results": {}}, {"results": [3]}])
def test_anything_else_is_a_reason_not_an_exception(value):
    """Whatever is given, the answer is a value."""
    assert reason(value)


def test_a_typed_bundle_reads_as_its_wire_form():
    """A RetrievalBundle and its JSON are the same bundle."""
    read = read_bundle(bundle())

    assert isinstance(read, RetrievalBundle)
    assert read == read_bundle(read) == read_bundle(read.to_dict())


def test_what_can_be_told_of_a_broken_bundle_is_told():
    """A malformed bundle keeps the trace fields that it has."""
    read = read_bundle(bundle(results=None, index_version=5))

    assert isinstance(read, Malformed)
    assert {"request_id", "embedding_model", "retrieval_top_k"} == set(read.facts)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from((*TRACE, "results", "no_evidence")), JSON))
def test_no_bundle_raises(value):
    """Any JSON value is read or refused."""
    assert isinstance(read_bundle(value), Malformed | RetrievalBundle)
