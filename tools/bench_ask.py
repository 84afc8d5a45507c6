"""Indexing and asking, beside what LangChain, LlamaIndex and Haystack keep in memory.

    python tools/bench_ask.py [--passages 10000] [--embedded-passages 60]

Words of every passage and one vector of it are indexed; a query is by words and by meaning.
The vectors of the large index are drawn, not computed, for all alike: a sentence model takes
the same time whoever calls it, and is measured by itself on real text. Peers are rows only
where they are installed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from assay.adapters.embeddings import DIMENSIONS, SentenceEmbeddings
from assay.adapters.models.extractive.answer import terms
from assay.adapters.retrievers.folder import FolderRetriever, pieces
from assay.adapters.retrievers.index import Known
from assay.adapters.retrievers.index_file import open_index
from assay.core.json.canonical import digest
from assay.sources.documents.passages import Passage

PER_FILE = 100
QUESTION = "When is the fee for a new card due?"


class Drawn:
    """Unit vectors from a seed, one for each text."""

    name = "drawn"
    identity: ClassVar = {"drawn": 1}

    def embed(self, texts: Any) -> Any:
        rows = [
            np.random.default_rng(abs(hash(text)) % 2**32).standard_normal(DIMENSIONS)
            for text in texts
        ]
        matrix = np.asarray(rows, dtype=np.float32)
        return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def passages(count: int) -> list[str]:
    draw = random.Random(20260117)
    known = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(3, 9))) for _ in range(8000)]
    known += ["fee", "card", "due", "new"]
    return [" ".join(draw.choices(known, k=60)).capitalize() + "." for _ in range(count)]


def ours(texts: list[str], place: Path) -> tuple[float, float]:
    drawn = Drawn()
    vectors = drawn.embed(texts)
    began = perf_counter()
    with open_index(place / "bench.db", drawn.identity) as index:
        for first in range(0, len(texts), PER_FILE):
            part = texts[first : first + PER_FILE]
            known = Known(
                size=1, modified_ns=1, seen_ns=1, digest=digest(str(first)), unreadable=None
            )
            cut = [Passage(text=text, start=0, stop=len(text), page=None) for text in part]
            stems = [" ".join(sorted(terms(text))) for text in part]
            rows = [vectors[n : n + 1] for n in range(first, first + len(part))]
            index.replace_file(f"file-{first}", known, cut, stems, rows)
        indexed = perf_counter() - began
        vector = drawn.embed([QUESTION])[0]
        words = sorted(terms(QUESTION))
        asked = timed(lambda: index.search(words, vector, 20))
    return indexed, asked


def langchain(texts: list[str]) -> tuple[float, float]:
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore

    drawn = Drawn()
    vectors = dict(zip(texts, drawn.embed(texts).tolist(), strict=True))

    class Given(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [vectors[text] for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return drawn.embed([text])[0].tolist()

    store = InMemoryVectorStore(Given())
    began = perf_counter()
    store.add_texts(texts)
    indexed = perf_counter() - began
    return indexed, timed(lambda: store.similarity_search_with_score(QUESTION, k=20))


def llama_index(texts: list[str]) -> tuple[float, float]:
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores import SimpleVectorStore
    from llama_index.core.vector_stores.types import VectorStoreQuery

    drawn = Drawn()
    vectors = drawn.embed(texts).tolist()
    store = SimpleVectorStore()
    began = perf_counter()
    pairs = zip(texts, vectors, strict=True)
    store.add([TextNode(text=text, embedding=vector) for text, vector in pairs])
    indexed = perf_counter() - began
    query = VectorStoreQuery(
        query_embedding=drawn.embed([QUESTION])[0].tolist(), similarity_top_k=20
    )
    return indexed, timed(lambda: store.query(query))


def haystack(texts: list[str]) -> tuple[float, float]:
    from haystack import Document
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    drawn = Drawn()
    vectors = drawn.embed(texts).tolist()
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    began = perf_counter()
    pairs = zip(texts, vectors, strict=True)
    store.write_documents([Document(content=text, embedding=vector) for text, vector in pairs])
    indexed = perf_counter() - began
    vector = drawn.embed([QUESTION])[0].tolist()

    def both() -> None:
        store.embedding_retrieval(vector, top_k=20)
        store.bm25_retrieval(QUESTION, top_k=20)

    return indexed, timed(both)


def timed(work: Callable[[], Any], rounds: int = 5) -> float:
    work()
    spent = []
    for _ in range(rounds):
        began = perf_counter()
        work()
        spent.append(perf_counter() - began)
    return median(spent)


def real(count: int, place: Path) -> None:
    """The whole way on real files: reading, cutting, vectors, words; and again unchanged."""
    import asyncio

    embeddings = SentenceEmbeddings.create()
    folder = place / "docs"
    folder.mkdir()
    text = "The applicant hands in the form within thirty days of the decision, with proof. "
    for number in range(count):
        body = "".join(f"{number}.{line} {text}" for line in range(15))
        (folder / f"{number}.txt").write_text(body, encoding="utf-8")
    retriever = FolderRetriever(place / "index", embeddings)
    began = perf_counter()
    asyncio.run(retriever.retrieve(QUESTION, [str(folder)], top_k=20))
    first = perf_counter() - began
    again = timed(lambda: asyncio.run(retriever.retrieve(QUESTION, [str(folder)], top_k=20)))
    each = len(pieces((folder / "0.txt").read_text(encoding="utf-8")))
    print(f"\n{count} files of {len(body)} characters, {each} vectors each, sentence model:")
    print(f"first time {first:.1f} s ({first / count * 1000:.0f} ms a passage)")
    print(f"unchanged, question included {again * 1000:.0f} ms")


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--passages", type=int, default=10_000)
    options.add_argument("--embedded-passages", type=int, default=60)
    given = options.parse_args()
    texts = passages(given.passages)
    rows: list[tuple[str, tuple[float, float] | None]] = []
    with tempfile.TemporaryDirectory() as place:
        rows.append(("assay: words and vectors, on disk", ours(texts, Path(place))))
        for name, peer in (
            ("LangChain: vectors, in memory", langchain),
            ("LlamaIndex: vectors, in memory", llama_index),
            ("Haystack: vectors and BM25, in memory", haystack),
        ):
            try:
                rows.append((name, peer(texts)))
            except ImportError:
                rows.append((name, None))
        base = rows[0][1]
        assert base is not None
        print(f"{given.passages} passages   {'indexing':>22} {'query':>20}")
        for name, figures in rows:
            if figures is None:
                print(f"{name:<38} not installed")
                continue
            indexed, asked = figures
            print(
                f"{name:<38} {indexed:7.2f} s {indexed / base[0]:6.2f}x"
                f" {asked * 1000:9.1f} ms {asked / base[1]:6.2f}x"
            )
        real(given.embedded_passages, Path(place))
    return 0


if __name__ == "__main__":
    sys.exit(main())
