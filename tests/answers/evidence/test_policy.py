"""Selection policies."""

from __future__ import annotations

import pytest
import yaml

from assay.answers import assemble
from assay.answers.evidence.policy import R2_POLICY_V1, REQUIRED, SelectionPolicy, read_policy
from assay.errors import InputError
from tests.answers.bundles import QUESTION, bundle, policy
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
        ("negation", "maybe"),
        ("negation", True),
        ("support_floor", "0.4"),
        ("support_floor", 1.01),
        ("support_floor", -0.1),
        ("support_floor", float("nan")),
        ("support_floor", True),
        ("support_floor", None),
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


@pytest.mark.clause("005-A2", "005-A4")
def test_the_keys_of_the_gate_are_no_part_of_the_identity():
    """R2_POLICY_V1 is itself with any floor, and as it was recorded before there was one."""
    mild = read_policy({**R2_POLICY_V1.to_dict(), "support_floor": 0, "negation": "note"})

    assert mild.policy_version == "R2_POLICY_V1"
    assert (mild.support_floor, mild.negation) == (0.0, "note")
    assert R2_POLICY_V1 == read_policy({**R2_POLICY_V1.to_dict(), "negation": "reject"})
    assert set(R2_POLICY_V1.to_dict()).isdisjoint({"support_floor", "negation"})
    assert mild == read_policy(mild.to_dict())
    assert mild.digest != R2_POLICY_V1.digest
    assert (
        "sha256:7793a920df7cf10072c4980f8732032bc2b9c3db095fb3c0beb43231311c3ebb"
        == R2_POLICY_V1.digest
    )


@pytest.mark.clause("005-A2", "005-A4")
def test_the_trace_says_what_the_gate_asks_for():
    """Both keys stand in the trace, defaults too, and change no prompt."""
    mild = {**policy(), "support_floor": 0.25, "negation": "note"}
    one = assemble.assemble(bundle(), QUESTION, policy())
    other = assemble.assemble(bundle(), QUESTION, mild)

    assert {"support_floor": 0.41, "negation": "reject"}.items() <= one.answer_bundle.trace.items()
    assert {"support_floor": 0.25, "negation": "note"}.items() <= other.answer_bundle.trace.items()
    assert one.prompt_build == other.prompt_build
