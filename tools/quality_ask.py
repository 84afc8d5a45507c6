"""How often the right passage is found, and questions answered or refused rightly; no pass marks.

    python tools/quality_ask.py [--cases FOLDER] [--split dev|held|all] [--names]

Two sets. `public`: the 232 texts of grounded/retrieval with 100 questions, and 30 questions of the
same field that they do not answer. `own`: the files of tools/quality_documents, in eight languages,
with the questions of tools/quality_questions.yaml, of which half are held back from whoever
chooses numbers; --names lists what went wrong among the others.

For each: recall in five and ten files and mean reciprocal rank, beside the words alone, the
vectors alone and their plain fusion by reciprocal ranks; what the gate of R2_POLICY_V1 lets pass;
and what `extractive` answers from end to end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import tempfile
from collections import Counter, defaultdict
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from public_data import CASES

from assay.adapters.embeddings import SentenceEmbeddings
from assay.adapters.retrievers.folder import FolderRetriever
from assay.answers.assemble import assemble
from assay.wiring import aopen

TOOLS = Path(__file__).resolve().parent
DEEP = 200
EMBEDDINGS = SentenceEmbeddings.create()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question; without files nothing answers it."""

    text: str
    files: frozenset[str]
    language: str
    kind: str
    split: str
    quote: str = ""


def public(cases: Path, folder: Path) -> list[Question]:
    """Writes the texts into *folder*."""
    place = cases / "grounded" / "retrieval"
    for row in _rows(place / "passages.jsonl"):
        (folder / row["file"]).write_text(row["text"], encoding="utf-8")
    answerable = [
        Question(
            text=row["question"],
            files=frozenset(row["relevant"]),
            language="en",
            kind="text",
            split="dev",
        )
        for row in _rows(place / "questions.jsonl")
    ]
    return answerable + [_question(row) for row in _listed()["public"]]


def own(folder: Path) -> list[Question]:
    """Copies the files into *folder*."""
    for file in sorted((TOOLS / "quality_documents").iterdir()):
        (folder / file.name).write_bytes(file.read_bytes())
    return [_question(row) for key in ("answerable", "unanswerable") for row in _listed()[key]]


def _listed() -> dict[str, list[dict[str, Any]]]:
    return yaml.safe_load((TOOLS / "quality_questions.yaml").read_bytes())


def _question(row: dict[str, Any]) -> Question:
    return Question(
        text=row["question"],
        files=frozenset([row["file"]] if "file" in row else ()),
        language=row["language"],
        kind=row.get("kind", "none"),
        split=row["split"],
        quote=row.get("quote", ""),
    )


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def fuse_plainly(*orders: list[str]) -> list[str]:
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


async def measure(name: str, questions: list[Question], place: Path, *, names: bool) -> None:
    """Print the figures of one set."""
    docs = [str(place / "docs")]
    hybrid = FolderRetriever(place / "index")
    words = FolderRetriever(place / "words", load=False)
    ways: dict[str, Ranks] = defaultdict(Ranks)
    gate: Counter[tuple[bool, bool]] = Counter()
    for asked in questions:
        found = await hybrid.retrieve(asked.text, docs, top_k=DEEP)
        files = _files(found.bundle)
        passed = assemble(found.bundle, asked.text).status == "OK"
        gate[bool(asked.files), passed] += 1
        if not asked.files:
            continue
        by_words = _files((await words.retrieve(asked.text, docs, top_k=DEEP)).bundle)
        ways["this retriever"].add(files, asked.files)
        ways["words alone"].add(by_words, asked.files)
        by_meaning = by_raw_cosine(next((place / "index").glob("*.db")), asked.text)
        ways["raw vectors alone"].add(by_meaning, asked.files)
        ways["their plain fusion"].add(fuse_plainly(by_words, by_meaning), asked.files)
        if names and asked.split == "dev" and not passed:
            print(f"    stopped at the gate: {asked.text}")
    print(f"\n{name}: {sum(1 for q in questions if q.files)} questions, and", end=" ")
    print(f"{sum(1 for q in questions if not q.files)} without an answer")
    print(f"{'':<22} R@5    R@10   MRR")
    for way, ranks in ways.items():
        print(f"{way:<22} {ranks}")
    print(f"gate: {gate[True, True]} answerable pass, {gate[True, False]} are stopped;", end=" ")
    print(f"{gate[False, False]} unanswerable are stopped, {gate[False, True]} pass")
    await _answers(questions, docs, place, names=names)


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


async def _answers(questions: list[Question], docs: list[str], place: Path, *, names: bool) -> None:
    """What `extractive` makes of them."""
    ends: dict[str, Counter[str]] = defaultdict(Counter)
    environ = {"ASSAY_INDEX": str(place / "index")}
    async with aopen(f"sqlite:///{place / 'a.db'}", "extractive", environ=environ) as runtime:
        for asked in questions:
            told = await runtime.ask(asked.text, docs=docs)
            cited = {Path(each["file"] or "").name for each in told.citations}
            if told.outcome.status == "no_evidence":
                end = "refused"
            elif told.outcome.status != "accepted":
                end = "to a person"
            elif asked.files:
                end = "right file" if cited & asked.files else "wrong file"
            else:
                end = "answered"
            if end == "right file" and asked.quote:
                end = "right words" if asked.quote in (told.answer or "") else "right file"
            groups = ["answerable" if asked.files else "unanswerable"]
            groups += [f"  {asked.language}", f"  {asked.kind}"] if asked.files else []
            for group in groups:
                ends[group][end] += 1
            wrong = ("refused", "wrong file") if asked.files else ("answered",)
            if names and asked.split == "dev" and end in wrong:
                print(f"    {end}: {asked.text} | {(told.answer or '')[:90]!r}")
    for group, counts in sorted(ends.items(), key=lambda item: item[0].strip() != "answerable"):
        print(f"{group:<14} " + ", ".join(f"{end} {n}" for end, n in counts.most_common()))


def _files(bundle: Any) -> list[str]:
    names = (Path((chunk.source_reference or "").split(", page")[0]) for chunk in bundle.results)
    return list(dict.fromkeys(name.name for name in names))


async def main(given: argparse.Namespace) -> None:
    """Both sets, or the one that is here."""
    for name in ("own", "public"):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            (place / "docs").mkdir()
            if name == "own":
                questions = own(place / "docs")
            elif (given.cases / "grounded" / "retrieval").is_dir():
                questions = public(given.cases, place / "docs")
            else:
                print(f"NO TEST DATA: {given.cases.name}; set --cases")
                continue
            kept = [each for each in questions if given.split in ("all", each.split)]
            await measure(f"{name} ({given.split})", kept, place, names=given.names)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=Path, default=CASES)
    options.add_argument("--split", choices=("dev", "held", "all"), default="all")
    options.add_argument("--names", action="store_true")
    asyncio.run(main(options.parse_args()))
