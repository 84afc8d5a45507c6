"""Score sentence ends, near-duplicates and citation checks on the public cases; no pass marks.

    python tools/quality_grounded.py [--cases FOLDER] [--misses]

Scored as the READMEs beside the cases say.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from public_data import CASES

from assay.answers.assemble import Assembly, assemble, validate
from assay.answers.evidence.near_duplicates import ratio
from assay.answers.evidence.policy import R2_POLICY_V1
from assay.core.text.sentences import sentences
from assay.gate.verdict import Finding

WIDE = R2_POLICY_V1.to_dict() | {
    "policy_version": "QUALITY",
    "max_chunks": 99,
    "max_evidence_tokens": 20_000,
    "max_total_prompt_tokens": 30_000,
}


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    """The lines of a case file."""
    lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def squeezed(text: str) -> str:
    return " ".join(text.split())


def ends(listed: Sequence[str]) -> set[int]:
    """Where sentences end, in characters that are no white space."""
    found, at = set(), 0
    for sentence in listed:
        at += len("".join(sentence.split()))
        found.add(at)
    return found


def sentence_table(folder: Path, misses: bool) -> Iterator[str]:
    """Exact matches for each language and set, false ends and missed ends."""
    exact: Counter[str] = Counter()
    number: Counter[str] = Counter()
    false: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for row in rows(folder, "golden_rules"):
        key = f"{row['lang']} {row['set']}{' (required)' if row['required'] else ''}"
        found = [row["text"][start:stop] for start, stop in sentences(row["text"])]
        same = [*map(squeezed, found)] == [*map(squeezed, row["sentences"])]
        number[key] += 1
        exact[key] += same
        false[key] += len(ends(found) - ends(row["sentences"]))
        missed[key] += len(ends(row["sentences"]) - ends(found))
        if misses and not same:
            yield f"  {row['id']}: {found}"
    yield f"{'sentence ends':36}{'exact':>12}{'false ends':>12}{'missed ends':>13}"
    for key in sorted(number, key=lambda name: ("required" not in name, name)):
        share = f"{exact[key]}/{number[key]}"
        yield f"{key:36}{share:>12}{false[key]:12}{missed[key]:13}"


def offering(number: int) -> Assembly:
    """An assembly that offers *number* anchors over stand-in chunks."""
    results = [
        {
            "chunk_id": f"stand-in-{place}",
            "knowledge_id": f"document-{place}",
            "chunk_text": f"Stand-in number {place}, w{place}.",
            "rank": place,
            "similarity_score": 0.9,
        }
        for place in range(number)
    ]
    return assemble(
        {
            "request_id": "quality",
            "index_version": "none",
            "embedding_model": "none",
            "retrieval_top_k": number,
            "results": results,
        },
        "What is asked?",
        WIDE,
    )


def cited_table(folder: Path, misses: bool) -> Iterator[str]:
    """What becomes of real answers, sentence by sentence."""
    count: Counter[str] = Counter()
    for row in rows(folder, "cited_answers"):
        answer, claims = row["answer"], row["claims"]
        most = max(
            [len(row["anchors_offered"]), *(int(a[1:]) + 1 for c in claims for a in c["anchors"])]
        )
        findings = validate(offering(most), answer).findings
        uncited = [finding for finding in findings if finding.code == "sentence.uncited"]
        count["answers"] += 1
        count["rejected for an uncited sentence"] += bool(uncited)
        if row["uncited_cite_worthy"]:
            count["with a sentence worth a citation and without one"] += 1
            count["  of these rejected"] += bool(uncited)
            if misses and not uncited:
                yield f"  accepted: {row['id']}"
        elif row["uncited_not_cite_worthy"]:
            count["whose only uncited sentences need no citation"] += 1
            count["  of these rejected all the same (the price of the rule)"] += bool(uncited)
        for claim in claims:
            if not claim["anchors"]:
                kind = "worth a citation" if claim["cite_worthy"] else "not worth one"
                count[f"uncited sentences {kind}"] += 1
                count[f"  {kind}: named"] += _named(answer, claim["text"], uncited)
        if row["markers_outside_offer"] and row["anchors_offered"]:
            codes = {
                f.code for f in validate(offering(len(row["anchors_offered"])), answer).findings
            }
            count["answers with markers outside the offer"] += 1
            count["  of these with citation.unknown_anchor"] += "citation.unknown_anchor" in codes
        count["answers with citation.malformed"] += any(
            finding.code == "citation.malformed" for finding in findings
        )
    yield "cited answers"
    yield from (f"{name:64}{number:8}" for name, number in count.items())


def _named(answer: str, claim: str, uncited: Sequence[Finding]) -> bool:
    """Whether an uncited sentence lies where *claim* stands, white space aside."""
    where = "".join(answer.split()).find("".join(claim.split()))
    if where < 0:
        return False
    dense = [place for place, char in enumerate(answer) if not char.isspace()]
    start, stop = dense[where], dense[where + len("".join(claim.split())) - 1] + 1
    return any((each.start or 0) < stop and start < (each.stop or 0) for each in uncited)


def demo_table(folder: Path) -> Iterator[str]:
    """Answers written by people, with what is found in them."""
    yield "demonstrations (answers by people; grounding findings to be looked at by hand)"
    for row in rows(folder, "alce_demos"):
        assembly = assemble(row["bundle"], row["question"], WIDE)
        offered = [item["chunk_id"] for item in row["bundle"]["results"]]
        anchors = {name: anchor for anchor, name in assembly.answer_bundle.anchor_map.items()}
        answer = row["answer"]
        for place, name in enumerate(offered):
            answer = answer.replace(f"[C{place}]", f"[@{anchors.get(name, '')}]")
        answer = answer.replace("[@]", "").replace("[@", "[")
        result = validate(assembly, answer)
        found = Counter(f"{finding.code} ({finding.severity})" for finding in result.findings)
        metrics = result.grounding_metrics
        yield (
            f"{row['id']:32}{result.validation_status:8}"
            f" numbers {metrics['numbers_grounded']}/{metrics['numbers_checked']}"
            f" dates {metrics['dates_grounded']}/{metrics['dates_checked']}"
            f" names {metrics['entities_grounded']}/{metrics['entities_checked']}"
            f"  {', '.join(f'{code} x{n}' for code, n in found.items())}"
        )


def duplicate_table(folder: Path) -> Iterator[str]:
    """Pairs decided as the ratio of the data says, of those not too close to call."""
    right = scored = 0
    for row in rows(folder, "near_duplicates"):
        if abs(row["overlap_5gram"] - R2_POLICY_V1.overlap_ratio_threshold) <= 0.05:
            continue
        scored += 1
        repeats = ratio(row["text_a"], row["text_b"]) >= R2_POLICY_V1.overlap_ratio_threshold
        right += repeats == (row["overlap_5gram"] > R2_POLICY_V1.overlap_ratio_threshold)
    yield f"near-duplicates: {right}/{scored} pairs"


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--misses", action="store_true", help="print what went wrong")
    given = parser.parse_args()
    if not given.cases.is_dir():
        print("NO TEST DATA: the folder of cases is absent; give it with --cases")
        return 0
    grounded, ends_of = given.cases / "grounded", given.cases / "sentences"
    for table in (
        sentence_table(ends_of, given.misses),
        cited_table(grounded, given.misses),
        demo_table(grounded),
        duplicate_table(grounded),
    ):
        print("\n".join(table), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
