"""The public sentence cases, and the sentence rule end to end."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from assay.answers.assemble import assemble, validate
from assay.core.text.sentences import sentences
from tests.answers.bundles import QUESTION, bundle, chunk

LAST_MARK = re.compile(r"[.!?…]+[\"'”’»“)\]]*\Z")


@pytest.fixture(scope="module")
def rows(cases: Path) -> list[dict[str, Any]]:
    text = (cases / "sentences" / "golden_rules.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.clause("004-V4")
def test_every_required_rule_is_exact(rows):
    """English, German and Spanish: the same list of sentences, text for text."""
    required = [row for row in rows if row["required"]]
    wrong = [
        row["id"]
        for row in required
        if [squeezed(row["text"][start:stop]) for start, stop in sentences(row["text"])]
        != [squeezed(sentence) for sentence in row["sentences"]]
    ]
    assert len(required) > 40
    assert wrong == []


def places(row: dict[str, Any]) -> list[tuple[int, int]]:
    """Where the sentences of a case stand in its text."""
    found, at = [], 0
    for sentence in row["sentences"]:
        match = re.compile(r"\s+".join(map(re.escape, sentence.split()))).search(row["text"], at)
        assert match, row["id"]
        found.append(match.span())
        at = match.end()
    return found


def marked(row: dict[str, Any], spans: list[tuple[int, int]], without: int | None) -> str:
    """The text with ` [C0]` before the last mark of every sentence but one."""
    parts, last = [], 0
    for number, (start, stop) in enumerate(spans):
        sentence = row["text"][start:stop]
        mark = LAST_MARK.search(sentence)
        at = mark.start() if mark else len(sentence)
        whole = sentence if number == without else f"{sentence[:at]} [C0]{sentence[at:]}"
        parts += [row["text"][last:start], whole]
        last = stop
    return "".join([*parts, row["text"][last:]])


def uncited(assembly: Any, answer: str) -> list[str]:
    return [
        squeezed(answer[finding.start : finding.stop])
        for finding in validate(assembly, answer).findings
        if finding.code == "sentence.uncited"
    ]


@pytest.mark.clause("004-P8", "004-V4")
def test_each_sentence_is_missed_by_itself(rows):
    """With a marker in every sentence none is uncited; without one, exactly that one is."""
    tried = 0
    for row in rows:
        if not row["required"]:
            continue
        spans = places(row)
        assembly = assemble(bundle(chunk(0, row["text"])), QUESTION)
        assert uncited(assembly, marked(row, spans, None)) == [], row["id"]
        for number in range(len(spans)):
            expected = [squeezed(row["sentences"][number])]
            assert expected == uncited(assembly, marked(row, spans, number)), row["id"]
            tried += 1
    assert tried > 80
