"""Selection policies."""

from __future__ import annotations

import pytest
import yaml

from assay.answers import assemble
from assay.answers.evidence.policy import R2_POLICY_V1, REQUIRED, SelectionPolicy, read_policy
from assay.errors import InputError
from tests.answers.bundles import policy
from tests.conftest import ROOT

FILE = ROOT / "src/assay/packs/grounded/policies/R2_POLICY_V1.yaml"


@pytest.mark.clause("004-S1")
def test_the_numbers_are_the_specifications():
    """R2_POLICY_V1 has the snapshot of R2.2."""
    expected = {
        "max_chunks": 6,
        "max_chunks_per_knowledge_id": 2,
        "max_evidence_tokens": 2200,
        "reserved_output_tokens": 800,
        "max_total_prompt_tokens": 3500,
        "max_chunk_token_ratio": 0.35,
        "overlap_ratio_threshold": 0.80,
        "ordering_mode": "rank_strict",
        "sanitization_mode": "safe_normalize_v1",
        "strict_no_evidence": True,
        "policy_version": "R2_POLICY_V1",
    }
    assert expected == {name: R2_POLICY_V1.to_dict()[name] for name in expected}
    assert set(expected) == set(REQUIRED)
    assert 770 == R2_POLICY_V1.max_chunk_tokens


def test_the_packs_policy_is_the_default():
    """The pack's file and the built-in policy are one."""
    assert R2_POLICY_V1 == read_policy(yaml.safe_load(FILE.read_text(encoding="utf-8")))


def test_what_stands_beside_the_specification_has_defaults():
    """A policy of the snapshot's fields alone is whole."""
    short = {name: policy()[name] for name in REQUIRED}

    assert read_policy(policy()) == read_policy(short)


@pytest.mark.parametrize("name", REQUIRED)
def test_a_policy_is_a_whole_policy(name):
    """No field of the snapshot may be missing."""
    value = policy()
    del value[name]
    with pytest.raises(InputError, match=name):
        read_policy(value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ordering_mode", "score"),
        ("sanitization_mode", "none"),
        ("strict_no_evidence", False),
        ("strict_no_evidence", 1),
        ("max_chunks", -1),
        ("max_chunks", True),
        ("max_chunks", 6.0),
        ("max_chunk_token_ratio", 0),
        ("max_chunk_token_ratio", 1.5),
        ("overlap_ratio_threshold", float("nan")),
        ("overlap_ratio_threshold", "0.8"),
        ("top_similarity_threshold", None),
        ("tokenizer", "words"),
        ("unsupported_entities", "maybe"),
        ("policy_version", ""),
        ("policy_version", "a\nb"),
        ("max_chunk", 6),
    ],
)
def test_modes_and_numbers_out_of_range_are_refused(name, value):
    """A mode that is not supported, a wrong type, a number out of range, an unknown field."""
    with pytest.raises(InputError, match=name):
        read_policy({**policy(), name: value})


@pytest.mark.parametrize("name", ["max_chunks", "tokenizer", "top_similarity_threshold"])
def test_r2_policy_v1_cannot_be_changed(name):
    """A policy that calls itself R2_POLICY_V1 and differs from it is refused."""
    other = {"max_chunks": 7, "tokenizer": "cl100k_base", "top_similarity_threshold": 0.4}
    with pytest.raises(InputError, match="R2_POLICY_V1"):
        read_policy({**R2_POLICY_V1.to_dict(), name: other[name]})


@pytest.mark.parametrize("value", [None, [], "R2_POLICY_V1", 3])
def test_a_policy_is_a_mapping(value):
    """Anything else is no policy."""
    with pytest.raises(InputError):
        read_policy(value)


def test_a_policy_has_a_digest():
    """Every field enters the digest that stands in the trace."""
    changed = SelectionPolicy(policy_version="TEST", max_chunks=5)

    assert changed.digest != SelectionPolicy(policy_version="TEST").digest
    assert changed == read_policy(changed)
    assert (
        assemble.assemble({}, "?", changed).answer_bundle.trace["policy_digest"] == changed.digest
    )
