"""Indexing and asking, beside what LangChain, LlamaIndex, Haystack and bm25s keep in memory.

    python tools/bench_ask.py [--passages 10000 100000] [--real 60] [--processor] [--json]

All get the same passages and the same ready vectors, one for each passage; what a sentence model
takes is the same whoever calls it, and is measured by itself in the end, on files. A page is 3,000
characters. Every row is a process of its own; its memory is what its peak lies above the texts and
vectors it was handed. Peers are rows only where they are installed.

What each row contains:

- assay: terms, passages, words and vectors written to one SQLite file, durably, a transaction for
  each file of a hundred passages, and the vectors evened out. A question opens that file as a new
  question does, finds by words and by meaning, fuses both, and says of each of twenty passages how
  likely it answers. From 50,000 passages on usearch compares the vectors, where it is installed.
- assay, words alone: the same without vectors.
- bm25s: English stop words and stems, where PyStemmer is installed; words alone.
- LangChain: InMemoryVectorStore, and its BM25Retriever where langchain-community is installed. The
  latter stems nothing and is words alone.
- LlamaIndex: SimpleVectorStore; vectors alone.
- Haystack: InMemoryDocumentStore, asked by vector and by BM25; the two are not fused.

Only the rows of assay keep anything: the others index everything anew in each process. With
--processor, seconds of the processor are counted instead of the clock's, where other work disturbs
the machine; what is waited for, as the disk, is then left out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

from assay.adapters.embeddings import DIMENSIONS, SentenceEmbeddings
from assay.adapters.retrievers.folder import FolderRetriever
from assay.adapters.retrievers.index import Entry, Known
from assay.adapters.retrievers.index_file import open_index
from assay.adapters.retrievers.terms import passage_terms
from assay.sources.documents.passages import Passage

PAGE = 3_000
PER_FILE = 100
TOP = 20
QUESTION = "When is the fee for a new card due?"
SMALL = ("the", "of", "and", "to", "in", "is", "for", "that", "with", "on", "are", "be", "by")
TELLING = ("fee", "card", "due", "new")

Row = tuple[float, float]
"""Seconds to index, seconds of one question."""


class Clock:
    """What seconds are counted by, the same for all rows."""

    now: Callable[[], float] = staticmethod(perf_counter)


def passages(count: int) -> list[str]:
    """Sixty words each, a few of them common and most of them rare, as in any language."""
    draw = random.Random(20260117)
    known = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(3, 9))) for _ in range(20_000)]
    known[:0] = SMALL
    for place, word in zip((100, 200, 400, 800), TELLING, strict=True):
        known[place] = word
    weights = np.cumsum([1.0 / (rank + 10) for rank in range(len(known))]).tolist()
    return [
        " ".join(draw.choices(known, cum_weights=weights, k=60)).capitalize() + "."
        for _ in range(count)
    ]


def vectors_of(count: int) -> Any:
    """Drawn, of length 1; the last row is the question's."""
    rows = np.random.default_rng(20260117).standard_normal((count + 1, DIMENSIONS), np.float32)
    # Without a second matrix on the way, which would hide memory that a row takes later.
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


def assay(texts: list[str], vectors: Any) -> Row:
    return _ours(texts, vectors)


def assay_words(texts: list[str], vectors: Any) -> Row:  # noqa: ARG001 - all are called alike
    return _ours(texts, None)


def _ours(texts: list[str], vectors: Any) -> Row:
    with tempfile.TemporaryDirectory() as place:
        path, identity = Path(place) / "bench.db", {"drawn": vectors is not None}
        began = Clock.now()
        with open_index(path, identity) as index:
            for first in range(0, len(texts), PER_FILE):
                known = Known(size=1, modified_ns=1, seen_ns=1, digest=f"{first}", unreadable=None)
                entries = [
                    Entry(
                        passage=Passage(text=text, start=0, stop=len(text), page=None),
                        terms=passage_terms(text),
                        vectors=None if vectors is None else vectors[row : row + 1],
                    )
                    for row, text in enumerate(texts[first : first + PER_FILE], start=first)
                ]
                index.replace_file(f"file-{first}", known, entries)
            if vectors is not None:
                index.keep_general(lambda: vectors[:100].mean(0))
                index.nearest()
        indexed = Clock.now() - began

        def ask() -> None:
            with open_index(path, identity) as index, index.reading():
                index.version()
                near = None if vectors is None else index.nearest()
                asked = None if vectors is None else vectors[-1]
                assert len(index.search(QUESTION, asked, near, TOP)) == TOP

        return indexed, timed(ask)


def bm25s(texts: list[str], vectors: Any) -> Row:  # noqa: ARG001
    import bm25s as peer

    stemmer = None
    if find_spec("Stemmer"):
        from Stemmer import Stemmer

        stemmer = Stemmer("english")

    def cut(what: Any) -> Any:
        return peer.tokenize(what, stopwords="en", stemmer=stemmer, show_progress=False)

    began = Clock.now()
    store = peer.BM25()
    store.index(cut(texts), show_progress=False)
    indexed = Clock.now() - began
    return indexed, timed(lambda: store.retrieve(cut([QUESTION]), k=TOP, show_progress=False))


def langchain(texts: list[str], vectors: Any) -> Row:
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore

    class Given(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return list(vectors[: len(texts)].tolist())

        def embed_query(self, text: str) -> list[float]:  # noqa: ARG002
            return list(vectors[-1].tolist())

    store = InMemoryVectorStore(Given())
    began = Clock.now()
    store.add_texts(texts)
    indexed = Clock.now() - began
    return indexed, timed(lambda: store.similarity_search_with_score(QUESTION, k=TOP))


def langchain_bm25(texts: list[str], vectors: Any) -> Row:  # noqa: ARG001
    from langchain_community.retrievers import BM25Retriever

    began = Clock.now()
    store = BM25Retriever.from_texts(texts, k=TOP)
    indexed = Clock.now() - began
    return indexed, timed(lambda: store.invoke(QUESTION))


def llama_index(texts: list[str], vectors: Any) -> Row:
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores import SimpleVectorStore
    from llama_index.core.vector_stores.types import VectorStoreQuery

    store = SimpleVectorStore()
    began = Clock.now()
    pairs = zip(texts, vectors.tolist(), strict=False)
    store.add([TextNode(text=text, embedding=vector) for text, vector in pairs])
    indexed = Clock.now() - began
    query = VectorStoreQuery(query_embedding=vectors[-1].tolist(), similarity_top_k=TOP)
    return indexed, timed(lambda: store.query(query))


def haystack(texts: list[str], vectors: Any) -> Row:
    from haystack import Document
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    began = Clock.now()
    pairs = zip(texts, vectors.tolist(), strict=False)
    store.write_documents([Document(content=text, embedding=vector) for text, vector in pairs])
    indexed = Clock.now() - began
    asked = vectors[-1].tolist()

    def both() -> None:
        store.embedding_retrieval(asked, top_k=TOP)
        store.bm25_retrieval(QUESTION, top_k=TOP)

    return indexed, timed(both)


ROWS: dict[str, Callable[[list[str], Any], Row]] = {
    "assay: words and vectors, on disk": assay,
    "assay: words alone, on disk": assay_words,
    "bm25s: words alone": bm25s,
    "LangChain: vectors alone": langchain,
    "LangChain: words alone": langchain_bm25,
    "LlamaIndex: vectors alone": llama_index,
    "Haystack: vectors, and words": haystack,
}


def timed(work: Callable[[], Any], *, rounds: int = 5, most_s: float = 20.0) -> float:
    """The median of *rounds*, of fewer where they take long; the first one is not counted."""
    work()
    spent: list[float] = []
    while len(spent) < rounds and sum(spent) < most_s:
        began = Clock.now()
        work()
        spent.append(Clock.now() - began)
    return median(spent)


def peak_mb() -> float:
    # Linux hands `ru_maxrss` on to new processes; what this one alone had at its peak stands here.
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_here(name: str, count: int) -> None:
    """One row, in this process; prints null where the peer is not installed."""
    texts, vectors = passages(count), vectors_of(count)
    before = peak_mb()
    try:
        indexed, asked = ROWS[name](texts, vectors)
    except ImportError:
        print("null")
        return
    pages = sum(map(len, texts)) / PAGE
    print(json.dumps({"pages_s": pages / indexed, "ms": asked * 1000, "mb": peak_mb() - before}))


def compare(count: int, more: Sequence[str] = ()) -> dict[str, dict[str, float] | str]:
    """All rows, each in its own process."""
    found: dict[str, dict[str, float] | str] = {}
    for name in ROWS:
        command = [sys.executable, __file__, "--row", name, "--passages", str(count), *more]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode:
            found[name] = (ended.stderr.strip().splitlines() or [f"ended {ended.returncode}"])[-1]
        else:
            found[name] = json.loads(ended.stdout.splitlines()[-1]) or "not installed"
    return found


def show(count: int, found: dict[str, dict[str, float] | str]) -> None:
    """Figures, and each as a multiple of the first row's."""
    usearch = "" if find_spec("usearch") else ", without usearch"
    print(f"\n{count:,} passages{usearch}")
    print(f"{'':<34} {'pages a second':>17} {'one question':>20} {'memory':>18}")
    base = next(iter(found.values()))
    for name, row in found.items():
        if isinstance(row, str) or isinstance(base, str):
            print(f"{name:<34} {row}")
            continue
        parts = [
            f"{row[key]:{width}.{digits}f}{unit} {row[key] / base[key]:6.2f}x"
            for key, width, digits, unit in (
                ("pages_s", 9, 0, ""),
                ("ms", 9, 1, " ms"),
                ("mb", 7, 0, " MB"),
            )
        ]
        print(f"{name:<34} {'  '.join(parts)}")


def real(count: int, place: Path) -> dict[str, float]:
    """The whole way on files: reading, cutting, vectors, words; then again, unchanged."""
    folder = place / "docs"
    folder.mkdir()
    text = "The applicant hands in the form within thirty days of the decision, with proof. "
    for number in range(count):
        lines = (f"{number}.{line} {text}" for line in range(PAGE // (len(text) + 5)))
        (folder / f"{number}.txt").write_text("".join(lines), encoding="utf-8")
    retriever = FolderRetriever(place / "index", SentenceEmbeddings.create())

    def ask() -> None:
        asyncio.run(retriever.retrieve(QUESTION, [str(folder)], top_k=TOP))

    began = Clock.now()
    ask()
    first = Clock.now() - began
    pages = sum(file.stat().st_size for file in folder.iterdir()) / PAGE
    return {"pages_s": pages / first, "ms": timed(ask) * 1000}


def main(given: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--passages", type=int, nargs="+", default=[10_000, 100_000])
    options.add_argument("--real", type=int, default=60, help="pages that get true vectors")
    options.add_argument("--row", choices=ROWS, help="this row alone, in this process")
    options.add_argument("--processor", action="store_true", help="count its seconds alone")
    options.add_argument("--json", action="store_true")
    asked = options.parse_args(given)
    if asked.processor:
        Clock.now = staticmethod(process_time)
    if asked.row:
        run_here(asked.row, asked.passages[0])
        return 0
    told: dict[str, Any] = {}
    for count in asked.passages:
        told[str(count)] = compare(count, ["--processor"] * asked.processor)
        if not asked.json:
            show(count, told[str(count)])
    if asked.real:
        with tempfile.TemporaryDirectory() as place:
            told["real"] = real(asked.real, Path(place))
        if not asked.json:
            print(f"\n{asked.real} pages in files, with the sentence model of this package")
            print(f"{told['real']['pages_s']:.1f} pages a second at first; unchanged, a question")
            print(f"with its vector takes {told['real']['ms']:.0f} ms")
    if asked.json:
        print(json.dumps(told, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
