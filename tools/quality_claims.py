"""What the gate of answers lets through and what it wrongly stops, by kind; no pass marks.

    python tools/quality_claims.py [--cases FOLDER] [--misses]

Claims: supported ones accepted and unsupported ones rejected, by kind. Foreign answers: those of
another question of the same set, prose and code. Right answers: how many are lost. Every figure
stands beside its price with single checks switched off, so that each check shows what it brings
and what it costs. Natural answers: those of twelve languages that are judged wrongly, by point.
Then the claims that words alone cannot tell, with the reason.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from public_data import CASES

from assay.answers.assemble import Assembly, ValidationResult, assemble, validate
from assay.answers.evidence.policy import R2_POLICY_V1
from assay.core.text.sentences import sentences

BEYOND_WORDS = Path(__file__).resolve().parent / "claims_beyond_words.jsonl"
"""Claims that no table of words tells: kind, chunk, answer, reason. None of them is supported."""

NATURAL = (
    Path(__file__).resolve().parents[1] / "tests" / "answers" / "gate" / "natural_answers.jsonl"
)
"""Documents with right and wrong answers as people and models write them."""

_WIDE = {
    "policy_version": "QUALITY",
    "max_chunks": 99,
    "max_chunks_per_knowledge_id": 99,
    "overlap_ratio_threshold": 1.0,
    "max_chunk_token_ratio": 1.0,
    "max_evidence_tokens": 200_000,
    "max_total_prompt_tokens": 300_000,
    "max_question_tokens": 2_000,
}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "all checks": {},
    "no support": {"support_floor": 0.0},
    "no negation": {"negation": "note"},
    "neither": {"support_floor": 0.0, "negation": "note"},
    "names rejected": {"unsupported_entities": "reject"},
}
"""Columns: what of the policy is changed."""

_NAMES = frozenset({"grounding.entity", "grounding.acronym"})
_OFF: Mapping[str, frozenset[str]] = {
    "all checks": _NAMES,
    "no support": _NAMES | {"grounding.support"},
    "no negation": _NAMES | {"grounding.negation"},
    "neither": _NAMES | {"grounding.support", "grounding.negation"},
    "names rejected": frozenset(),
}
"""The codes that do not count in each column: checks know nothing of each other."""


def policy(changes: Mapping[str, Any]) -> dict[str, Any]:
    """A policy wide enough that every chunk is evidence, with *changes*."""
    return {**R2_POLICY_V1.to_dict(), **_WIDE, **changes}


def offering(chunks: Sequence[str], question: str = "What is asked?") -> Assembly:
    """An assembly that offers *chunks* for *question* as C0, C1 … as they are."""
    results = [
        {
            "chunk_id": f"claim-chunk-{place}",
            "knowledge_id": f"claim-source-{place}",
            "chunk_text": text,
            "rank": place,
            "similarity_score": 0.9,
        }
        for place, text in enumerate(chunks)
    ]
    return assemble(
        {
            "request_id": "quality",
            "index_version": "none",
            "embedding_model": "none",
            "retrieval_top_k": len(chunks),
            "results": results,
        },
        question,
        policy({}),
    )


def judge_claim(
    chunk: str, claim: str, changes: Mapping[str, Any] | None = None
) -> ValidationResult:
    """The verdict on *claim*, cited to *chunk*."""
    answer = f"{claim.rstrip().rstrip('.。')} [C0]."
    return validate(offering([chunk]), answer, policy(changes or {}))


def read_rows(file: Path) -> list[dict[str, Any]]:
    """The lines of a case file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True, slots=True)
class _Set:
    """Questions with their chunks and a right answer each."""

    name: str
    chunks: tuple[tuple[str, ...], ...]
    answers: tuple[str, ...]
    sources: tuple[frozenset[str], ...]
    """What two questions must not share for one to be foreign to the other."""


def _code(cases: Path) -> _Set:
    folder = cases / "grounded" / "retrieval"
    texts = {row["file"]: row["text"] for row in read_rows(folder / "passages.jsonl")}
    asked = read_rows(folder / "questions.jsonl")
    return _Set(
        "code",
        tuple(tuple(texts[file] for file in row["relevant"]) for row in asked),
        tuple(row["answer"] for row in asked),
        tuple(frozenset(row["relevant"]) for row in asked),
    )


def _prose(cases: Path) -> _Set:
    asked = [
        row
        for row in read_rows(cases / "grounded" / "alce_demos.jsonl")
        if "interact" not in row["id"]
    ]
    return _Set(
        "prose",
        tuple(tuple(each["chunk_text"] for each in row["bundle"]["results"]) for row in asked),
        tuple(row["answer"] for row in asked),
        tuple(frozenset({row["question"]}) for row in asked),
    )


def cite(answer: str, number: int) -> str:
    """*answer*, each sentence cited to all of *number* chunks."""
    markers = "".join(f"[C{place}]" for place in range(number))
    bare = answer
    for place in range(99):
        bare = bare.replace(f" [C{place}]", "").replace(f"[C{place}]", "")
    return "\n\n".join(
        f"{bare[start:stop].rstrip('.')} {markers}." for start, stop in sentences(bare)
    )


def _stopped(assembly: Assembly, answer: str, number: int) -> frozenset[str]:
    """The codes that stop *answer* when names stop it too."""
    strict = policy({"unsupported_entities": "reject"})
    result = validate(assembly, cite(answer, number), strict)
    return frozenset(each.code for each in result.findings if each.severity == "reject")


def claim_table(cases: Path, misses: bool) -> Iterator[str]:
    """Both counts by kind, with all checks and with single ones switched off."""
    counts: dict[str, Counter[tuple[str, bool]]] = {name: Counter() for name in SETTINGS}
    total: Counter[tuple[str, bool]] = Counter()
    for number, row in enumerate(read_rows(cases / "reports" / "claims.jsonl"), start=1):
        kind, supported = row["kind"].split()[0], row["supported"]
        total[kind, supported] += 1
        for name, changes in SETTINGS.items():
            result = judge_claim(row["chunk"], row["answer"], changes)
            right = result.accepted == supported
            counts[name][kind, supported] += right
            if misses and name == "all checks" and not right:
                codes = [each.code for each in result.findings]
                yield f"  line {number}: {row['chunk']} | {row['answer']} | {codes}"
    columns = "".join(f"{name:>18}" for name in SETTINGS)
    yield f"{'claims':34}{columns}"
    for (kind, supported), number in sorted(total.items(), key=lambda item: str(item[0])):
        what = f"{kind}: {'supported, accepted' if supported else 'unsupported, rejected'}"
        yield f"{what:34}" + _shares(counts, (kind, supported), number)
    for supported in (True, False):
        number = sum(n for (_, is_so), n in total.items() if is_so == supported)
        for count in counts.values():
            count["", supported] = sum(
                number for (kind, is_so), number in count.items() if kind and is_so == supported
            )
        what = f"all: {'supported, accepted' if supported else 'unsupported, rejected'}"
        yield f"{what:34}" + _shares(counts, ("", supported), number)


def _shares(counts: Mapping[str, Counter[tuple[str, bool]]], key: Any, number: int) -> str:
    return "".join(f"{f'{count[key]}/{number}':>18}" for count in counts.values())


def answer_table(each: _Set) -> Iterator[str]:
    """Answers to another question rejected; right answers lost, by the check that stops them."""

    @cache
    def assembly(place: int) -> Assembly:
        return offering(each.chunks[place])

    places = range(len(each.answers))
    pairs = [(a, b) for a in places for b in places if not each.sources[a] & each.sources[b]]
    pairs = pairs[:: max(1, len(pairs) // 600)]
    foreign = [_stopped(assembly(a), each.answers[b], len(each.chunks[a])) for a, b in pairs]
    right = [_stopped(assembly(a), each.answers[a], len(each.chunks[a])) for a in places]
    yield f"{each.name:20}{'foreign rejected':>20}{'right lost':>16}   by"
    for name, off in _OFF.items():
        rejected = sum(bool(codes - off) for codes in foreign)
        lost = [codes - off for codes in right if codes - off]
        by = Counter(code for codes in lost for code in codes)
        listed = ", ".join(f"{code} {number}" for code, number in by.most_common())
        both = f"{f'{rejected} of {len(pairs)}':>18}{f'{len(lost)} of {len(right)}':>16}"
        yield f"  {name:20}{both}   {listed}"


def natural_table(misses: bool) -> Iterator[str]:
    """Right answers lost and wrong ones passed, by point, as the gate judges them now."""
    total: Counter[tuple[str, bool]] = Counter()
    accepted: Counter[tuple[str, bool]] = Counter()
    missed = []
    for row in read_rows(NATURAL):
        assembly = offering(row["chunks"], row["question"])
        for each in row["answers"]:
            passes = validate(assembly, each["answer"], policy({})).accepted
            for point in (each["point"], "all"):
                total[point, each["right"]] += 1
                accepted[point, each["right"]] += passes
            if passes != each["right"]:
                missed.append(f"  {row['document']}: {each['answer']!r}")
    yield f"{'natural answers':20}{'right lost':>18}{'wrong passed':>18}"
    for point in sorted({point for point, _ in total}):
        right, wrong = total[point, True], total[point, False]
        lost = f"{right - accepted[point, True]} of {right}"
        yield f"  {point:18}{lost:>18}{f'{accepted[point, False]} of {wrong}':>18}"
    yield from missed if misses else ()


def beyond_table() -> Iterator[str]:
    """Claims that words alone cannot tell: each is wrong and passes."""
    yield "claims that words alone cannot tell (each is unsupported and passes)"
    for row in read_rows(BEYOND_WORDS):
        passes = judge_claim(row["chunk"], row["answer"]).accepted
        yield f"  {row['kind']:28}{'passes' if passes else 'REJECTED':10}{row['reason']}"


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--misses", action="store_true", help="print what went wrong")
    given = parser.parse_args()
    if given.cases.is_dir():
        print("\n".join(claim_table(given.cases, given.misses)), end="\n\n")
        for each in (_prose(given.cases), _code(given.cases)):
            print("\n".join(answer_table(each)), end="\n\n")
    else:
        print("NO TEST DATA: the folder of cases is absent; give it with --cases")
    print("\n".join(natural_table(given.misses)), end="\n\n")
    print("\n".join(beyond_table()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
