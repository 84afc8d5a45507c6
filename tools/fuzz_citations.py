"""Throw structured nonsense at assembly and validation: nothing may crash, hang or grow.

    python tools/fuzz_citations.py [--seconds 60] [--seed 1] [--growth]

Chunks, questions and answers are made of the pieces that the rules look for: markers and their
look-alikes, headings, fences, tables, tags, quotations, scripts, invisible characters. A case fails
when something raises, when a check fails itself, when the verdict on the printed document differs
from that on the value, or when a place lies outside the answer. `--growth` measures each piece,
repeated, at two sizes; what more than triples when the size doubles is named.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from time import monotonic, process_time
from typing import Any

from assay.answers.assemble import Assembly, assemble, validate
from assay.answers.evidence.policy import R2_POLICY_V1

POLICY = R2_POLICY_V1.to_dict() | {
    "policy_version": "FUZZ",
    "max_evidence_tokens": 400_000,
    "max_total_prompt_tokens": 500_000,
    "max_chunk_token_ratio": 1.0,
}
PIECES = [
    *(
        "[C0]",
        "[C1]",
        "[C9]",
        "[C01]",
        "[c0]",
        "[С0]",
        "［Ｃ０］",
        "【C0】",
        "(C0)",
        "[C0",
        "C0]",
        "[C",
    ),
    *(
        "[",
        "]",
        "(",
        ")",
        "「",
        "」",
        "『",
        "』",
        "“",
        "”",
        "»",
        "«",
        "'",
        '"',
        "。」",
        "。”",
        "！』",
    ),
    *(
        "# ",
        "## a\n",
        "**a**\n",
        "__a__\n",
        "***",
        "*",
        "_",
        "> ",
        "- ",
        "1. ",
        "1.\n",
        "a)\n",
        "• ",
    ),
    *("\n", "\n\n", "\r\n", "\x0c", "\x0b", "\u2028", "\u2029", "\x85", "\t", " ", "  ", "\u00a0"),
    *(
        "```\n",
        "~~~\n",
        "````\n",
        "~~~ a\n",
        "```a```\n",
        "===\n",
        "---\n",
        "|---|\n",
        "| a | b |\n",
    ),
    *("<br>", "<p>", "</p>", "<!-- ", " -->", "<h2>", "<", ">", "<think>", "</think>", "<|a|>"),
    *(
        ".",
        ". ",
        "!",
        "?",
        "...",
        "…",
        "。",
        "؟",
        "।",
        "።",
        "։",
        "។",
        ":",
        "：",
        ";",
        ",",
        "・",
        "-",
    ),
    *(
        "The fee is 40 EUR",
        "refunds are never paid",
        "See p. 5 of Dr. Weber",
        "z. B. ",
        "e.g. ",
        "3. Mai",
    ),
    *(
        "the prompt ",
        "the provided context ",
        "according to the sources ",
        "Evidence ",
        "let me think ",
    ),
    *(
        "step by step ",
        "chunk_id",
        "chunk-0",
        "doc 0",
        "NO_EVIDENCE: ",
        "=== USER QUESTION ===",
        "| chunk_id=",
    ),
    *(
        "страхование",
        "退款从不支付",
        "払い戻しは",
        "จ่ายเงิน ",
        "تأمين",
        "बीमा",
        "ασφάλεια",
        "보험은 ",
    ),
    *(
        "\u0301",
        "\u200b",
        "\u200d",
        "\u00ad",
        "\ufeff",
        "\u202e",
        "\ufe0f",
        "\U000e0041",
        "\ue000",
        "😊",
    ),
    *("½", "²", "Ⓐ", "🅰", "⠝", "𝐂", "ﷺ", "İ", "ß", "ǅ", "0", "12", "1,000.5", "A", "a", "x" * 50),
]


def text_of(chance: random.Random, most: int) -> str:
    """A text of up to *most* pieces, now and then with one of them many times."""
    made = [chance.choice(PIECES) for _ in range(chance.randint(0, most))]
    if made and chance.random() < 0.1:
        made.insert(chance.randrange(len(made)), chance.choice(PIECES) * chance.randint(2, 300))
    if chance.random() < 0.2:
        made.append("".join(chr(chance.randint(1, 0x2FFF)) for _ in range(chance.randint(1, 20))))
    return "".join(made)


def bundle_of(texts: list[str]) -> dict[str, Any]:
    """A bundle with these chunks."""
    results = [
        {
            "chunk_id": f"chunk-{place}",
            "knowledge_id": f"doc {place}",
            "chunk_text": text,
            "rank": place,
            "similarity_score": 0.9,
        }
        for place, text in enumerate(texts)
    ]
    return {
        "request_id": "fuzz",
        "index_version": "none",
        "embedding_model": "none",
        "retrieval_top_k": len(texts),
        "results": results,
    }


def faults_of(assembly: Assembly, answer: str) -> Iterator[str]:
    """What went wrong with one case."""
    result = validate(assembly, answer)
    for finding in result.findings:
        if finding.code == "check.error":
            yield f"check.error: {finding.message}"
        if not 0 <= (finding.start or 0) <= (finding.stop or 0) <= len(answer):
            yield f"{finding.code} lies outside: {finding.start}..{finding.stop}"
    if result.to_dict() != validate(assembly.to_dict(), answer).to_dict():
        yield "the document is judged otherwise than the value"
    if result.accepted and any(finding.severity == "reject" for finding in result.findings):
        yield "accepted with a fault"


def fuzz(seconds: float, seed: int) -> int:
    """Try cases until the time is over; the number of faults."""
    chance = random.Random(seed)
    count: Counter[str] = Counter()
    faults = 0
    end = monotonic() + seconds
    while monotonic() < end:
        texts = [text_of(chance, 30) or "The fee is 40 EUR." for _ in range(chance.randint(1, 4))]
        question = text_of(chance, 5) or "What is the fee?"
        answer = text_of(chance, 60)
        if chance.random() < 0.3:
            answer = chance.choice(texts) + " [C0]" + answer
        try:
            assembly = assemble(bundle_of(texts), question, POLICY)
            count[assembly.status] += 1
            found = list(faults_of(assembly, answer))
        except Exception as error:  # what is looked for
            found = [f"{type(error).__name__}: {error}"]
        for fault in found:
            faults += 1
            print(f"FAULT {fault}\n  {texts=}\n  {question=}\n  {answer=}")
    print(
        f"{sum(count.values())} cases in {seconds:g} s, seed {seed}: {dict(count)}; {faults} faults"
    )
    return faults


def seconds_for(work: Callable[[str], object], text: str) -> float:
    """How long one run takes; the shortest of three where it is short."""
    times: list[float] = []
    while len(times) < 3 and sum(times) < 0.3:
        start = process_time()
        work(text)
        times.append(process_time() - start)
    return min(times)


def growth(size: int) -> int:
    """Each piece repeated to *size* and twice that; the number that more than triple."""
    assembly = assemble(bundle_of(["The fee is 40 EUR."]), "What is the fee?", POLICY)
    kinds: dict[str, Callable[[str], object]] = {
        "answer": lambda text: validate(assembly, text),
        "chunk": lambda text: assemble(bundle_of([text]), "What is the fee?", POLICY),
    }
    steep = 0
    for kind, work in kinds.items():
        worst = (0.0, "")
        for piece in [
            *PIECES,
            *(f"{one} [C0]. " for one in PIECES),
            *(f"{one}\n" for one in PIECES),
        ]:
            times = [seconds_for(work, piece * (n // len(piece))) for n in (size, 2 * size)]
            ratio = times[1] / max(times[0], 1e-4)
            worst = max(worst, (ratio, piece))
            if ratio > 3 and times[1] > 0.2:
                steep += 1
                print(f"STEEP {kind} {piece!r}: {times[0]:.3f} s, {times[1]:.3f} s, x{ratio:.1f}")
            if times[1] > 5:
                print(f"SLOW  {kind} {piece!r}: {times[1]:.1f} s")
        print(f"{kind}: steepest x{worst[0]:.1f} with {worst[1]!r}")
    return steep


def main() -> int:
    """Fuzz, or measure growth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--growth", action="store_true", help="measure growth instead")
    parser.add_argument("--size", type=int, default=50_000, help="characters, for growth")
    given = parser.parse_args()
    faults = growth(given.size) if given.growth else fuzz(given.seconds, given.seed)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
