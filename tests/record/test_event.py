"""The bytes of an event are the canonical JSON of what it says."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.json.canonical import canonical, digest
from assay.errors import InputError
from assay.record.event import EventDraft, commitment, seal

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
facts = st.dictionaries(
    texts,
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | texts | st.lists(texts),
    max_size=4,
)


@given(
    kind=texts,
    facts=facts,
    call=st.none() | texts,
    subject=st.none() | texts,
    at=texts,
    prev=texts,
    commitments=st.dictionaries(texts, texts, max_size=3),
    rows=st.dictionaries(texts, texts, max_size=3),
    run=st.integers(1, 2**40),
    n=st.integers(0, 2**40),
)
def test_a_sealed_event_is_canonical(
    kind, facts, call, subject, at, prev, commitments, rows, run, n
):
    """Written piece by piece, it is what RFC 8785 makes of the whole."""
    draft = EventDraft(kind=kind, facts=facts, call=call, subject=subject)
    body, sealed = seal(draft, run=run, n=n, at=at, prev=prev, commitments=commitments, rows=rows)

    whole = {
        **{"v": 1, "run": run, "n": n, "kind": kind, "at": at, "prev": prev, "call": call},
        **{"subject": subject, "facts": facts, "payloads": commitments},
        **({"rows": rows} if rows else {}),
    }
    assert canonical(whole) == body
    assert digest(body) == sealed
    assert whole == json.loads(body)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 2**53, b"x", {1: 2}, "\ud800", object()]
)
def test_facts_are_json(value: object) -> None:
    """What JSON cannot say is refused before anything is written."""
    draft = EventDraft(kind="k", facts={"x": value})
    with pytest.raises(InputError):
        seal(draft, run=1, n=0, at="", prev="", commitments={})


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40))
def test_a_commitment_is_to_one_salt_and_one_content(
    salt: bytes, content: bytes, more: bytes
) -> None:
    """Moving bytes from the content into the salt gives another commitment."""
    assert commitment(salt, content) == commitment(salt, content)
    if more:
        assert commitment(salt, more + content) != commitment(salt + more, content)
        assert commitment(salt, content + more) != commitment(salt, content)
