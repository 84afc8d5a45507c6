"""How often the right passage is found, and questions answered or refused rightly; no pass marks.

    python tools/quality_ask.py [--cases FOLDER] [--set own|office|public] [--split dev|held|all]
                                [--names]

Three sets. `public`: the 232 texts of grounded/retrieval with 100 questions, and 75 questions of
the same field that they do not answer. `own` and `office`: the files of tools/quality_documents
and tools/quality_office, in eight languages and as many formats, with the questions of
quality_questions.yaml and quality_office.yaml. Half of the questions are held back from whoever
chooses numbers; --names lists what went wrong among the others.

For each: recall in five and ten files and mean reciprocal rank, beside bm25s (where it is
installed), this index's words alone, its vectors alone, and the plain fusion of bm25s (else the
words) and vectors by reciprocal ranks; what the gate of R2_POLICY_V1 lets pass; and what
`extractive` answers from end to end, by language and kind.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from office_files import write_office_files
from public_data import CASES, read_retrieval_questions

from assay.adapters.embeddings import SentenceEmbeddings
from assay.adapters.retrievers.folder import FolderRetriever
from assay.answers.assemble import assemble
from assay.wiring import aopen

TOOLS = Path(__file__).resolve().parent
DEEP = 200
EMBEDDINGS = SentenceEmbeddings.create()
CELLS = " / "
"""Stands in a quote between the cells of a row that matter."""

Ordering = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question; without files nothing answers it."""

    text: str
    files: frozenset[str]
    language: str
    kind: str
    split: str
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What became of one question."""

    question: Question
    orders: dict[str, list[str]]
    """Files, best first, by who ordered them."""

    passed: bool
    """Whether the gate let it pass."""

    end: str


def public(cases: Path, folder: Path) -> list[Question]:
    """Writes the texts into *folder*."""
    answerable = [
        Question(
            text=row["question"],
            files=frozenset(row["relevant"]),
            language="en",
            kind="text",
            split="dev",
        )
        for row in read_retrieval_questions(cases, folder)
    ]
    return answerable + _questions(_listed("questions")["public"]) + _office("public")


def own(_: Path, folder: Path) -> list[Question]:
    """Copies the files into *folder*."""
    _copy(TOOLS / "quality_documents", folder)
    listed = _listed("questions")
    return _questions(listed["answerable"] + listed["unanswerable"])


def office(_: Path, folder: Path) -> list[Question]:
    """Copies the files into *folder* and writes those beside them that are no text."""
    _copy(TOOLS / "quality_office", folder)
    for name in write_office_files(folder):
        print(f"office: {name} is left out, the library that writes it is not installed")
    there = {file.name for file in folder.iterdir()}
    return [question for question in _office("office") if question.files <= there]


def _copy(source: Path, folder: Path) -> None:
    for file in sorted(source.iterdir()):
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())


def _office(name: str) -> list[Question]:
    return _questions(row for row in _listed("office") if row["set"] == name)


def _listed(name: str) -> Any:
    return yaml.safe_load((TOOLS / f"quality_{name}.yaml").read_bytes())


def _questions(rows: Iterable[dict[str, Any]]) -> list[Question]:
    return [
        Question(
            text=row["question"],
            files=frozenset([row["file"]] if "file" in row else ()),
            language=row["language"],
            kind=row.get("kind", "none"),
            split=row["split"],
            quote=row.get("quote", ""),
        )
        for row in rows
    ]


def fuse_plainly(*orders: Sequence[str]) -> list[str]:
    """Reciprocal ranks with 60, the yardstick."""
    scores: dict[str, float] = defaultdict(float)
    for order in orders:
        for rank, file in enumerate(order):
            scores[file] += 1 / (61 + rank)
    return sorted(scores, key=lambda file: (-scores[file], file))


class Ranks:
    """Recall and mean reciprocal rank of one way to order files."""

    def __init__(self) -> None:
        self.asked = 0
        self.five = self.ten = self.reciprocal = 0.0

    def add(self, order: list[str], wanted: frozenset[str]) -> None:
        """One question more."""
        self.asked += 1
        self.five += len(wanted & set(order[:5])) / len(wanted)
        self.ten += len(wanted & set(order[:10])) / len(wanted)
        ranks = [rank for rank, file in enumerate(order, start=1) if file in wanted]
        self.reciprocal += 1 / ranks[0] if ranks else 0.0

    def __str__(self) -> str:
        parts = (self.five, self.ten, self.reciprocal)
        return "  ".join(f"{part / max(self.asked, 1):.3f}" for part in parts)


async def ask_all(questions: list[Question], place: Path) -> list[Asked]:
    """Every question, found and answered."""
    docs = [str(place / "docs")]
    hybrid = FolderRetriever(place / "index")
    words = FolderRetriever(place / "words", load=False)
    environ = {"ASSAY_INDEX": str(place / "index")}
    await hybrid.retrieve("warm", docs, top_k=1)
    index = next((place / "index").glob("*.db"))
    by_bm25 = bm25(index)
    asked = []
    async with aopen(f"sqlite:///{place / 'a.db'}", "extractive", environ=environ) as runtime:
        for question in questions:
            found = await hybrid.retrieve(question.text, docs, top_k=DEEP)
            orders = {"this retriever": _files(found.bundle)}
            if question.files:
                by_words = _files((await words.retrieve(question.text, docs, top_k=DEEP)).bundle)
                by_meaning = by_raw_cosine(index, question.text)
                if by_bm25 is not None:
                    orders["bm25s"] = by_bm25(question.text)
                orders["its words alone"] = by_words
                orders["its vectors alone"] = by_meaning
                orders["plain fusion"] = fuse_plainly(orders.get("bm25s", by_words), by_meaning)
            asked.append(
                Asked(
                    question=question,
                    orders=orders,
                    passed=assemble(found.bundle, question.text).status == "OK",
                    end=end_of(question, await runtime.ask(question.text, docs=docs)),
                )
            )
    return asked


def _files(bundle: Any) -> list[str]:
    names = (Path((chunk.source_reference or "").split(", page")[0]) for chunk in bundle.results)
    return list(dict.fromkeys(name.name for name in names))


def bm25(index: Path) -> Ordering | None:
    """Files by bm25s over the passages of *index*, as it comes; None where it is not installed."""
    try:
        import bm25s
    except ImportError:
        return None
    with closing(sqlite3.connect(index)) as db:
        rows = db.execute(
            "SELECT f.name, p.text FROM passages p JOIN files f ON f.id = p.file ORDER BY p.id"
        ).fetchall()
    peer = bm25s.BM25()
    quiet = {"show_progress": False}
    peer.index(bm25s.tokenize([text for _, text in rows], stopwords=None, **quiet), **quiet)

    def order(question: str) -> list[str]:
        tokens = bm25s.tokenize([question], stopwords=None, **quiet)
        places, scores = peer.retrieve(tokens, k=min(DEEP, len(rows)), **quiet)
        found = zip(places[0], scores[0], strict=True)
        return list(dict.fromkeys(Path(rows[at][0]).name for at, score in found if score > 0))

    return order


def by_raw_cosine(index: Path, question: str) -> list[str]:
    """Files by the raw cosine of their nearest piece, as the index holds it."""
    vector = EMBEDDINGS.embed([question])[0]
    best: dict[str, float] = {}
    with closing(sqlite3.connect(index)) as db:
        rows = db.execute(
            "SELECT f.name, v.numbers FROM vectors v JOIN passages p ON p.id = v.passage"
            " JOIN files f ON f.id = p.file"
        )
        for name, numbers in rows:
            pieces = np.frombuffer(numbers, dtype=np.float16).reshape(-1, len(vector))
            near = float((pieces.astype(np.float32) @ vector).max())
            best[name] = max(near, best.get(name, -1.0))
    return [Path(name).name for name in sorted(best, key=lambda name: (-best[name], name))]


def end_of(question: Question, answered: Any) -> str:
    """What became of it, in words."""
    if answered.outcome.status == "no_evidence":
        return "refused"
    if answered.outcome.status != "accepted":
        return "to a person"
    if not question.files:
        return "answered"
    cited = {Path(each["file"] or "").name for each in answered.citations}
    if not cited & question.files:
        return "wrong file"
    text = " ".join((answered.answer or "").split())
    quoted = all(part in text for part in question.quote.split(CELLS))
    return "right words" if question.quote and quoted else "right file"


def show(title: str, asked: list[Asked], *, kinds: bool) -> None:
    """Print the figures of one set and split."""
    answerable = [each for each in asked if each.question.files]
    others = [each for each in asked if not each.question.files]
    print(f"\n{title}: {len(answerable)} questions, and {len(others)} without an answer")
    ways: dict[str, Ranks] = defaultdict(Ranks)
    for each in answerable:
        for way, order in each.orders.items():
            ways[way].add(order, each.question.files)
    if ways:
        print(f"{'':<20} R@5    R@10   MRR")
    for way, ranks in ways.items():
        print(f"{way:<20} {ranks}")
    if ways and "bm25s" not in ways:
        print(f"{'bm25s':<20} not installed")
    passed = sum(each.passed for each in answerable)
    slipped = sum(each.passed for each in others)
    print(f"gate: {passed} answerable pass, {len(answerable) - passed} are stopped;", end=" ")
    print(f"{len(others) - slipped} unanswerable are stopped, {slipped} pass")
    ends: dict[str, Counter[str]] = defaultdict(Counter)
    for each in answerable:
        ends["answerable"][each.end] += 1
    for each in others:
        ends["unanswerable"][each.end] += 1
    for group in ("kind", "language") if kinds else ():
        for each in sorted(answerable, key=lambda each: getattr(each.question, group)):
            ends[f"  {getattr(each.question, group)}"][each.end] += 1
    for name, counts in ends.items():
        print(f"{name:<14} " + ", ".join(f"{end} {n}" for end, n in counts.most_common()))


def show_names(asked: list[Asked]) -> None:
    """What went wrong among the questions that whoever tunes may see."""
    for each in asked:
        if each.question.split == "dev":
            if each.question.files and not each.passed:
                print(f"    stopped at the gate: {each.question.text}")
            elif each.end in ("wrong file", "answered", "refused") and (
                each.question.files or each.end == "answered"
            ):
                print(f"    {each.end}: {each.question.text}")


async def main(given: argparse.Namespace) -> None:
    """The sets that are here, one after the other."""
    splits = ("dev", "held") if given.split == "all" else (given.split,)
    for name, load in {"own": own, "office": office, "public": public}.items():
        if given.set not in (None, name):
            continue
        if name == "public" and not (given.cases / "grounded" / "retrieval").is_dir():
            print(f"NO TEST DATA: {given.cases.name}; set --cases")
            continue
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            (place / "docs").mkdir()
            questions = load(given.cases, place / "docs")
            asked = await ask_all([each for each in questions if each.split in splits], place)
        for split in splits:
            part = [each for each in asked if each.question.split == split]
            show(f"{name}, {split}", part, kinds=name != "public" and len(splits) == 1)
        if len(splits) > 1:
            show(f"{name}, all", asked, kinds=name != "public")
        if given.names:
            show_names(asked)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=Path, default=CASES)
    options.add_argument("--set", choices=("own", "office", "public"))
    options.add_argument("--split", choices=("dev", "held", "all"), default="all")
    options.add_argument("--names", action="store_true")
    asyncio.run(main(options.parse_args()))
