"""Anchors and the evidence block."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.assemble import assemble
from assay.answers.evidence.assembly import AnswerBundle
from assay.core.text.tokens import count
from assay.errors import InputError
from tests.answers.bundles import FEE, LATE, QUESTION, bundle, chunk, drops, policy, register


@pytest.mark.clause("004-P5", "004-N1", "004-E1")
def test_the_block_is_written_to_the_letter():
    """Header line, line feed, text; a blank line between two chunks."""
    answer = assemble(
        bundle(chunk(0, FEE), chunk(3, LATE, source_reference="a]b")), QUESTION
    ).answer_bundle

    assert answer.evidence_block_text == (
        f"[C0 | chunk_id=fees-0 | knowledge_id=doc-0 | source=Fee schedule]\n{FEE}\n\n"
        f"[C1 | chunk_id=fees-3 | knowledge_id=doc-3 | source=a_b]\n{LATE}"
    )


@pytest.mark.clause("004-N2", "004-A6")
def test_every_anchor_leads_to_its_chunk():
    """Anchors count from 0 in the order of the block, and map to chunk ids."""
    answer = assemble(bundle(), QUESTION).answer_bundle

    assert {"C0": "fees-0", "C1": "fees-1", "C2": "fees-2"} == dict(answer.anchor_map)
    assert ["C0", "C1", "C2"] == [item.citation_anchor for item in answer.selected_evidence]
    assert {
        "chunk_id",
        "knowledge_id",
        "rank",
        "similarity_score",
        "citation_anchor",
        "sanitized_text",
        "source_reference",
        "truncated",
    } == set(answer.selected_evidence[0].to_dict())


@pytest.mark.clause("004-E2", "004-S6")
def test_rendering_stops_at_the_first_chunk_that_does_not_fit():
    """A later, shorter chunk does not slip in: all that follow carry the code."""
    results = [chunk(n, register(f"e{n}", 20)) for n in range(3)]
    assembly = assemble(
        bundle(*results, chunk(3, "Short.")),
        QUESTION,
        policy(max_evidence_tokens=900, max_chunk_token_ratio=1.0),
    )
    answer = assembly.answer_bundle

    assert [("fees-2", "DROP_BUDGET"), ("fees-3", "DROP_BUDGET")] == drops(assembly)
    assert 2 == answer.assembly_metrics["budget_dropped_count"]
    assert count(answer.evidence_block_text) <= 900


@given(
    st.lists(
        st.text(alphabet=st.sampled_from("ab .,/\n-é中\U0001f600[(1"), min_size=1, max_size=30),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(["o200k_base", "cl100k_base"]),
    st.sampled_from([0.35, 0.004]),
)
def test_the_tokens_of_the_parts_are_those_of_block_and_prompt(texts, tokenizer, ratio):
    """Counting part by part, each once, gives what counting the whole gives."""
    results = [chunk(n, text) for n, text in enumerate(texts)]
    chosen = policy(tokenizer=tokenizer, max_chunks=9, max_chunk_token_ratio=ratio)
    assembly = assemble(bundle(*results), QUESTION, chosen)
    answer, prompt = assembly.answer_bundle, assembly.prompt_build

    counted = answer.assembly_metrics["evidence_token_count"]
    assert count(answer.evidence_block_text, tokenizer) == counted
    if assembly.status == "OK":
        whole = count(prompt.prompt_text, tokenizer) + 800
        assert whole == prompt.token_counts["total_prompt_tokens"]


@pytest.mark.clause("004-E3")
def test_without_evidence_there_is_no_block():
    """NO_EVIDENCE has no text, no anchors and no evidence."""
    answer = assemble(bundle(no_evidence=True), QUESTION).answer_bundle

    assert ("", {}, ()) == (
        answer.evidence_block_text,
        answer.anchor_map,
        answer.selected_evidence,
    )


@pytest.mark.clause("004-A9")
def test_an_ok_bundle_without_its_parts_cannot_be_made():
    """OK needs trace, block and anchors; any other status may have none of the evidence."""
    good = assemble(bundle(), QUESTION).answer_bundle
    parts = {name: getattr(good, name) for name in AnswerBundle.__slots__}
    for broken in (
        {"trace": {}},
        {"evidence_block_text": ""},
        {"anchor_map": {}},
        {"selected_evidence": ()},
        {"selected_evidence": good.selected_evidence[1:]},
        {"assembly_status": "NO_EVIDENCE"},
    ):
        with pytest.raises(InputError):
            AnswerBundle(**{**parts, **broken})
