"""Throw structured nonsense at assembly and validation: nothing may crash, hang or grow.

    python tools/fuzz_citations.py [--seconds 60] [--seed 1] [--growth]

Chunks, questions and answers are made of the pieces that the rules look for: markers and their
look-alikes, headings, fences, tables, tags, quotations, scripts, invisible characters. A case fails
when something raises, when a check fails itself, when the verdict on the printed document differs
from that on the value, or when a place lies outside the answer. `--growth` measures each piece,
repeated, at two sizes; what more than triples when the size doubles is named.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

from fuzzing import STEEP, Growth, make_parser, measure_growth, print_growth

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


NOTED_S = 0.2
"""Work that is over sooner is too short to tell how it grows."""


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


def growths(size: int) -> Iterator[Growth]:
    """Of each piece repeated to *size*: as an answer, and as a chunk."""
    assembly = assemble(bundle_of(["The fee is 40 EUR."]), "What is the fee?", POLICY)
    kinds: dict[str, Callable[[str], object]] = {
        "answer": lambda text: validate(assembly, text),
        "chunk": lambda text: assemble(bundle_of([text]), "What is the fee?", POLICY),
    }
    repeated = [*PIECES, *(f"{one} [C0]. " for one in PIECES), *(f"{one}\n" for one in PIECES)]
    for kind, work in kinds.items():
        for piece in repeated:
            text = piece * (size // len(piece))
            yield measure_growth(f"{kind} {piece!r}", work, text, text * 2)


def main() -> int:
    """Fuzz, or measure growth."""
    parser = make_parser(__doc__)
    parser.add_argument("--growth", action="store_true", help="measure growth instead")
    parser.add_argument("--size", type=int, default=50_000, help="characters, for growth")
    given = parser.parse_args()
    if not given.growth:
        return 1 if fuzz(given.seconds, given.seed) else 0
    found = list(growths(given.size))
    print_growth(found, most=20)
    return 1 if any(each.ratio > STEEP and each.twice > NOTED_S for each in found) else 0


if __name__ == "__main__":
    sys.exit(main())
