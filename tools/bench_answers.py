"""How long answer assembly and validation take, beside what a user would pick instead.

In      nothing: bundles of 10, 100 and 1,000 chunks of 1,500 characters are made here
Out     a table on standard output: milliseconds, and the ratio to assay in the same run
Pure    no: reads a clock

One in five chunks nearly repeats another. Each row is measured in turn with every other, so
that a busy machine slows all of them alike. Rows of peers appear when they are installed; what
each of them contains is said in `peers_answers.py`.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from time import perf_counter
from typing import Any

from assay.answers.assemble import assemble, validate
from assay.core.text.tokens import count

if __package__:
    from tools.peers_answers import peers
else:
    from peers_answers import peers

SIZES = (10, 100, 1000)
CHARS = 1500
QUESTION = "What does the fee amount to, and when is it due?"
ROUNDS = {10: 40, 100: 12, 1000: 5}
_SEED = 20_260_117
_LETTERS = "etaoinshrdlucmfwypvbgk"


class Words:
    """Words and texts from a small generator of its own: the same in every run."""

    def __init__(self) -> None:
        self._state = _SEED
        self._known = [self._word() for _ in range(4000)]

    def _next(self, below: int) -> int:
        self._state = (self._state * 1103515245 + 12345) % 2**31
        return (self._state >> 8) % below

    def _word(self) -> str:
        return "".join(_LETTERS[self._next(len(_LETTERS))] for _ in range(2 + self._next(8)))

    def text(self, chars: int) -> str:
        """Sentences of ten words, some with an amount."""
        parts: list[str] = []
        while sum(map(len, parts)) + len(parts) < chars:
            words = [self._known[self._next(4000)] for _ in range(10)]
            amount = f" {10 + self._next(90)} EUR" if self._next(4) == 0 else ""
            parts.append(" ".join(words).capitalize() + amount + ".")
        return " ".join(parts)


def bundle(size: int) -> dict[str, Any]:
    """A retrieval bundle; every fifth chunk is the one before with a word changed."""
    words = Words()
    texts: list[str] = []
    for place in range(size):
        if place % 5 == 4:
            before = texts[-1].split(" ")
            before[len(before) // 2] = "changed"
            texts.append(" ".join(before))
        else:
            texts.append(words.text(CHARS))
    return {
        "request_id": f"bench-{size}",
        "index_version": "bench",
        "embedding_model": "none",
        "retrieval_top_k": size,
        "results": [
            {
                "chunk_id": f"chunk-{place}",
                "knowledge_id": f"doc-{place // 3}",
                "chunk_text": text,
                "rank": place,
                "similarity_score": 0.95 - place / (2 * size),
                "source_reference": f"Document {place // 3}",
            }
            for place, text in enumerate(texts)
        ],
    }


def rows(value: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    """What is measured for one bundle."""
    texts = [item["chunk_text"] for item in value["results"]]
    measured: dict[str, Callable[[], Any]] = {
        "assay: assemble and build": lambda: assemble(value, QUESTION),
        "counting the tokens of everything": lambda: [count(text) for text in texts],
    }
    return measured | peers(value, QUESTION)


def milliseconds(measured: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The best of *rounds*, each row in turn with the others."""
    best = dict.fromkeys(measured, float("inf"))
    for _ in range(rounds):
        for name, run in measured.items():
            gc.collect()
            start = perf_counter()
            run()
            best[name] = min(best[name], (perf_counter() - start) * 1000)
    return best


def answer_for(assembly: Any, words: int) -> str:
    """An answer of about *words* words, all of it copied from the evidence and cited."""
    parts: list[str] = []
    for item in assembly.answer_bundle.selected_evidence:
        for sentence in item.sanitized_text.split(". "):
            if sum(len(part.split()) for part in parts) >= words:
                return " ".join(parts)
            parts.append(f"{sentence.rstrip('.')} [{item.citation_anchor}].")
    return " ".join(parts)


def peak_mib(run: Callable[[], Any]) -> float:
    """The most memory that *run* holds at once beyond what was there."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def main() -> int:
    """Print the tables."""
    print(f"assembly: chunks of {CHARS} characters, one in five a near-duplicate")
    print(f"{'':52}{'chunks':>8}{'ms':>10}{'x assay':>10}")
    for size in SIZES:
        value = bundle(size)
        found = milliseconds(rows(value), ROUNDS[size])
        own = found["assay: assemble and build"]
        for name, spent in found.items():
            print(f"{name:52}{size:8}{spent:10.2f}{spent / own:10.2f}")
    value = bundle(1000)
    print(f"memory of assembly, 1000 chunks: {peak_mib(lambda: assemble(value, QUESTION)):.1f} MiB")
    assembly = assemble(bundle(10), QUESTION)
    answer = answer_for(assembly, 300)
    verdict = validate(assembly, answer)
    spent = milliseconds({"validate": lambda: validate(assembly, answer)}, 60)["validate"]
    print(
        f"validation of {len(answer.split())} words ({verdict.validation_status}): {spent:.2f} ms"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
