"""The figures of claims, and the list of those that words alone cannot tell."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.loading import load_tool


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return load_tool("quality_claims")


@pytest.mark.clause("005-A7")
def test_what_words_cannot_tell_is_listed_and_passes(tool):
    """Each claim of the list has a reason and is accepted; one that is rejected leaves it."""
    listed = tool.read_rows(tool.BEYOND_WORDS)

    assert listed
    for row in listed:
        assert row["reason"]
        assert tool.judge_claim(row["chunk"], row["answer"]).accepted, row


@pytest.mark.clause("005-A7", "005-A4", "005-A2")
def test_every_claim_is_told_but_those_of_the_list(tool, cases):
    """No supported claim is rejected; an unsupported one passes only where the list has it."""
    listed = {(row["chunk"], row["answer"]) for row in tool.read_rows(tool.BEYOND_WORDS)}
    wrong = []
    for number, row in enumerate(tool.read_rows(cases / "reports" / "claims.jsonl"), start=1):
        expected = row["supported"] or (row["chunk"], row["answer"]) in listed
        if tool.judge_claim(row["chunk"], row["answer"]).accepted != expected:
            wrong.append((number, row["answer"]))

    assert [] == wrong


@pytest.mark.clause("005-A7")
def test_the_figures_tell_both_sides_by_kind(tool, cases):
    """Supported accepted and unsupported rejected, each with single checks switched off."""
    lines = list(tool.claim_table(cases, misses=False))
    relation = next(line for line in lines if line.startswith("relation: unsupported"))
    shares = [share for share in relation.split() if "/" in share]
    found = [int(share.partition("/")[0]) for share in shares]

    assert any(line.startswith("all: supported, accepted") for line in lines)
    assert any(line.startswith("all: unsupported, rejected") for line in lines)
    assert len(tool.SETTINGS) == len(found)
    assert found[0] > found[2] > found[3]


@pytest.mark.clause("005-A7")
def test_answers_keep_their_sentences_when_they_are_cited(tool):
    """Each sentence gets every marker, and none that it had."""
    assert "One [C0][C1].\n\nTwo [C0][C1]." == tool.cite("One [C3]. Two.", 2)
