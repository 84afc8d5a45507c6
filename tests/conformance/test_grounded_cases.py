"""The public cases of grounded answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.answers.assemble import Assembly, assemble, validate
from assay.answers.evidence.near_duplicates import ratio
from assay.answers.evidence.policy import R2_POLICY_V1
from assay.answers.prompt_v1 import HEADERS
from tests.answers.bundles import FEE, LATE, QUESTION, WHO, bundle, chunk, drops, policy

WIDE = policy(
    max_chunks=99,
    max_chunks_per_knowledge_id=99,
    max_evidence_tokens=20_000,
    max_total_prompt_tokens=30_000,
    max_question_tokens=2_000,
)


@pytest.fixture(scope="module")
def folder(cases: Path) -> Path:
    return cases / "grounded"


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def codes(assembly: Assembly, answer: str) -> set[str]:
    return {finding.code for finding in validate(assembly, answer).findings}


def offering(number: int) -> Assembly:
    """An assembly that offers *number* anchors over stand-in chunks."""
    results = [chunk(place, f"Stand-in number {place}, w{place}.") for place in range(number)]
    return assemble(bundle(*results), QUESTION, WIDE)


@pytest.mark.clause("004-N1", "004-B5")
def test_demonstrations_offer_their_anchors_and_cite_well(folder):
    """Chunks that are no near-duplicates are offered in order; answers written by people have
    no citation fault once their anchors are mapped by chunk id."""
    for row in rows(folder, "alce_demos"):
        assembly = assemble(row["bundle"], row["question"], WIDE)
        again = assemble(row["bundle"], row["question"], WIDE)
        assert again.prompt_build == assembly.prompt_build
        left_out = dict(drops(assembly))
        assert set(left_out.values()) <= {"DROP_DUP"}, row["id"]
        offered = [item["chunk_id"] for item in row["bundle"]["results"]]
        kept = [name for name in offered if name not in left_out]
        assert kept == list(assembly.answer_bundle.anchor_map.values())
        answer = row["answer"]
        for place, name in enumerate(offered):
            answer = answer.replace(f"[C{place}]", f"[@{kept.index(name) if name in kept else 99}]")
        answer = answer.replace("[@99]", "").replace("[@", "[C")
        assert not {code for code in codes(assembly, answer) if code.startswith("citation.")}


@pytest.mark.clause("004-V3", "004-V4")
def test_real_answers_are_rejected_for_what_they_leave_uncited(folder):
    """Of the answers with a sentence that experts find worth a citation and that has none,
    all but those are rejected where the sentence lies within a cited one."""
    accepted = []
    for row in rows(folder, "cited_answers"):
        offered = len(row["anchors_offered"])
        if row["anchors_offered"] and row["markers_outside_offer"]:
            assert "citation.unknown_anchor" in codes(offering(offered), row["answer"]), row["id"]
        if row["uncited_cite_worthy"]:
            most = max([offered, *(int(a[1:]) + 1 for c in row["claims"] for a in c["anchors"])])
            if "sentence.uncited" not in codes(offering(most), row["answer"]):
                accepted.append(row["id"])
    # One answer, there twice: `… like “What would you like to do next?” or “What …?” [C3].` is
    # one sentence for us and two for the data.
    assert accepted == ["expertqa/domain_test/5/rr_gs_gpt4", "expertqa/rand_test/134/rr_gs_gpt4"]


@pytest.mark.clause("004-S4")
def test_near_duplicates_are_dropped_by_the_ratio(folder):
    """The worse-ranked text of a pair goes when the ratio is over the threshold, whatever order
    the results come in; the ratio is that of the data."""
    threshold = R2_POLICY_V1.overlap_ratio_threshold
    scored = 0
    for row in rows(folder, "near_duplicates"):
        assert abs(ratio(row["text_a"], row["text_b"]) - row["overlap_5gram"]) < 0.001
        if abs(row["overlap_5gram"] - threshold) <= 0.05:
            continue
        scored += 1
        for first, second in (("text_a", "text_b"), ("text_b", "text_a")):
            results = [chunk(0, row[first]), chunk(1, row[second])]
            expected = [("fees-1", "DROP_DUP")] if row["overlap_5gram"] > threshold else []
            assert expected == drops(assemble(bundle(*results), QUESTION))
            assert expected == drops(assemble(bundle(*reversed(results)), QUESTION))
    assert scored > 15


@pytest.mark.clause("004-P6", "004-K5")
def test_planted_texts_change_nothing_but_their_chunk(folder):
    """All bytes outside the evidence section stay; no section, header or anchor is added; a
    reply that obeys is rejected."""
    clean = assemble(bundle(chunk(0, FEE), chunk(1, f"{LATE} {WHO}")), QUESTION)
    rest = clean.prompt_build.prompt_text.replace(clean.answer_bundle.evidence_block_text, "@")
    for row in rows(folder, "planted_texts"):
        planted = chunk(1, f"{LATE} {row['text']} {WHO}")
        assembly = assemble(bundle(chunk(0, FEE), planted), QUESTION)
        prompt, block = (
            assembly.prompt_build.prompt_text,
            assembly.answer_bundle.evidence_block_text,
        )
        assert rest == prompt.replace(block, "@"), row["id"]
        assert all(prompt.count(header) == 1 for header in HEADERS.values())
        assert block.count("| chunk_id=") == len(assembly.answer_bundle.anchor_map) == 2
        for reply in (row["text"], f"Sure! {row['text']}", "PWNED"):
            assert not validate(assembly, reply).accepted, row["id"]


def test_reported_bugs_of_others_are_not_ours(cases):
    """Anchors that wrap around, ranges that are not seen."""
    assembly = offering(3)
    expected = {
        "[C3]": {"citation.unknown_anchor"},
        "[C00]": {"citation.malformed", "sentence.uncited"},
        "[C-1]": {"citation.malformed", "sentence.uncited"},
        "[c0]": {"citation.malformed", "sentence.uncited"},
        "[C٠]": {"citation.malformed", "sentence.uncited"},
        "[C0-C2]": {"citation.malformed", "sentence.uncited"},
        "[6-10]": {"sentence.uncited"},
        "[1-3,7-9]": {"sentence.uncited"},
    }
    for marker, wanted in expected.items():
        found = codes(assembly, f"The limit is high {marker}.")
        assert wanted == {code for code in found if not code.startswith("grounding.")}, marker
