"""One sentence for people on each way to end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.detail import detail_of, rejection_facts, shortened_detail, unreadable_detail
from assay.contract.outcome import Reason
from assay.core.json.schema import Schema
from assay.gate.verdict import Finding

SCHEMA = Schema.compile(
    {"type": "object", "properties": {"intents": {"type": "array", "items": {"type": "object"}}}}
)


@pytest.mark.clause("005-M10")
@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_its_sentence(reason):
    """A reason that is added without a sentence is found here; none needs facts to be said."""
    sentence = detail_of(reason)

    assert sentence is not None
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_what_is_accepted_needs_no_sentence():
    """There is nothing to explain."""
    assert None is detail_of(None)


@pytest.mark.clause("005-M10")
@pytest.mark.parametrize(
    ("reason", "facts", "sentence"),
    [
        (
            Reason.GATE_REJECTED,
            {"rejected": {"attempts": 2, "code": "label.unknown", "path": "/intents/0/label"}},
            "The gate rejected all 2 attempts, the last one for label.unknown at /intents/0/label.",
        ),
        (
            Reason.GATE_REJECTED,
            {"rejected": {"attempts": 1, "code": "json.invalid", "path": ""}},
            "The gate rejected the only attempt for json.invalid.",
        ),
        (Reason.GATE_REJECTED, {"rejected": {"attempts": 3}}, "The gate rejected all 3 attempts."),
        (
            Reason.BUDGET_EXCEEDED,
            {"budget": {"scope": "contract", "tokens": 350, "limit": 400}},
            "The prompt does not fit its 400 tokens even when shortened; "
            "without any text of the input it has 350.",
        ),
        (
            Reason.BUDGET_EXCEEDED,
            {"budget": {"scope": "run", "max_input_tokens": 10, "input_tokens": 9}},
            "The budget of the run has no room for this call (9 of 10 input tokens are used).",
        ),
        (
            Reason.BUDGET_EXCEEDED,
            {"budget": {"scope": "contract", "limit": "max_total_tokens", "input_tokens": 7}},
            "One more attempt could break max_total_tokens; 7 tokens are used.",
        ),
        (
            Reason.BUDGET_EXCEEDED,
            {"budget": {"scope": "provider", "limit": "context_length_exceeded"}},
            "The model's server refused the prompt as too long (context_length_exceeded).",
        ),
        (
            Reason.BUDGET_EXCEEDED,
            {"budget": {"scope": "provider", "limit": ""}},
            "The model's server refused the prompt as too long.",
        ),
        (
            Reason.GAVE_UP,
            {"failure": "bad_request"},
            "The model gave no reply to this input (bad_request).",
        ),
    ],
)
def test_a_sentence_says_what_is_known(reason, facts, sentence):
    """Numbers and codes, where the facts hold them."""
    assert sentence == detail_of(reason, facts)


def test_an_unreadable_input_says_why():
    """What the reader said, as a sentence."""
    assert "The input could not be read: encrypted." == unreadable_detail("encrypted.")


def test_a_shortened_input_says_how_much():
    """The number of characters, so that a person knows what is left to read."""
    assert "without 6872 characters of the input" in shortened_detail(6872)


@pytest.mark.clause("005-M10")
@given(st.text(max_size=30))
def test_no_key_that_a_model_invented_is_repeated(key):
    """A step of a path that the schema does not declare may be anything, also somebody's name."""
    step = key.replace("~", "~0").replace("/", "~1")
    finding = Finding(code="schema.type", path=f"/intents/0/{step}", message="is wrong")
    facts = rejection_facts(2, [finding], SCHEMA)
    known = key == "intents" or (key.isascii() and key.isdigit())

    assert f"/intents/0/{key if known else '…'}" == facts["path"]


def test_notes_are_no_reason():
    """The first finding that rejects is named, whatever notes stand before it."""
    note = Finding(code="label.no_value", severity="note", message="m")
    fault = Finding(code="label.unknown", path="/intents", message="m")

    assert "label.unknown" == rejection_facts(1, [note, fault], SCHEMA)["code"]
