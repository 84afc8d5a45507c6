"""Fit what decides whether a piece of the evidence answers a question, and show what it is worth.

    python tools/fit_answers.py [--cases FOLDER] [--words]

Prints the weights of a logistic regression beside those that stand in the source
(adapters/models/extractive/answers/weighing.py), and with each what becomes of the questions: the
gate of retrieval counted in, the best piece alone. Seen are the public questions, those of
fit_answers.yaml and the dev halves of quality_questions.yaml; what is held back is not.

A piece is right where it holds the words that answer; of the public questions, whose answers are
written anew, where it stands in a right text and shares words enough with the answer. What is in
doubt is left out, and each question weighs the same.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml
from public_data import CASES, read_retrieval_questions

from assay.adapters.embeddings import SentenceEmbeddings
from assay.adapters.models.extractive.answer import read_candidates
from assay.adapters.models.extractive.answers.question import read_question
from assay.adapters.models.extractive.answers.weighing import (
    FEATURES,
    WITH_VECTORS,
    WORDS_ALONE,
    Candidate,
    Measured,
    Passage,
    measure,
    probability,
)
from assay.adapters.retrievers.folder import FolderRetriever
from assay.answers.assemble import assemble
from assay.answers.gate.content_words import content_words

TOOLS: Final = Path(__file__).resolve().parent
OF_VECTORS: Final = frozenset({"nearness", "foreign", "foreign_nearness"})
RIDGE: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with what is known of its answer; without files and key nothing answers it."""

    text: str
    group: str
    files: tuple[str, ...] = ()
    key: str = ""
    """Words of a text that answers."""

    quote: str = ""
    """What answers, as it stands there."""

    answer: str = ""
    """What answers, in other words."""

    @property
    def answerable(self) -> bool:
        return bool(self.files or self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A question, its evidence and the pieces that come into question."""

    asked: Asked
    passages: tuple[Passage, ...]
    measured: tuple[Measured, ...]

    def is_right_text(self, piece: Candidate) -> bool:
        passage = next(each for each in self.passages if each.anchor == piece.anchor)
        if self.asked.key:
            return self.asked.key in passage.text.casefold()
        return any(file in passage.title for file in self.asked.files)

    def is_right(self, piece: Candidate) -> bool | None:
        """None in doubt."""
        if not self.asked.answerable or not self.is_right_text(piece):
            return False
        if self.asked.quote:
            return self.asked.quote.casefold() in piece.piece.text.casefold()
        if self.asked.key:
            return None if self.asked.key in piece.piece.text.casefold() else False
        said, wanted = (
            {word.key for word in content_words(text, None)}
            for text in (piece.piece.text, self.asked.answer)
        )
        told = len(said & wanted)
        if told >= 0.25 * len(wanted) and told >= 0.3 * len(said):
            return True
        return None if told >= 0.15 * len(wanted) else False


def public_questions(cases: Path, folder: Path) -> list[Asked]:
    """Writes the texts into *folder*."""
    asked = [
        Asked(
            text=row["question"],
            group="public",
            files=tuple(row["relevant"]),
            answer=row["answer"],
        )
        for row in read_retrieval_questions(cases, folder)
    ]
    more = yaml.safe_load((TOOLS / "fit_answers.yaml").read_bytes())
    asked += [Asked(text=e["question"], group="public", key=e["key"]) for e in more["answerable"]]
    asked += [Asked(text=text, group="public") for text in more["unanswerable"]]
    return asked + [Asked(text=e["question"], group="public") for e in _dev("public")]


def own_questions(folder: Path) -> list[Asked]:
    """Copies the files into *folder*."""
    for file in sorted((TOOLS / "quality_documents").iterdir()):
        (folder / file.name).write_bytes(file.read_bytes())
    asked = [
        Asked(text=e["question"], group="own", files=(e["file"],), quote=e["quote"])
        for e in _dev("answerable")
    ]
    return asked + [Asked(text=e["question"], group="own") for e in _dev("unanswerable")]


def _dev(key: str) -> list[dict[str, Any]]:
    listed = yaml.safe_load((TOOLS / "quality_questions.yaml").read_bytes())
    return [each for each in listed[key] if each["split"] == "dev"]


async def find(
    questions: Sequence[Asked], docs: Path, index: Path, embeddings: SentenceEmbeddings | None
) -> list[Found]:
    """The pieces of each question, from retrieval on; none where its gate stops the question."""
    retriever = FolderRetriever(index, embeddings, load=False)
    found = []
    for asked in questions:
        bundle = (await retriever.retrieve(asked.text, [str(docs)], top_k=20)).bundle
        evidence = assemble(bundle, asked.text).answer_bundle.selected_evidence
        passages = tuple(
            Passage(anchor=e.citation_anchor, text=e.sanitized_text, title=e.source_reference)
            for e in evidence
        )
        measured = measure(
            asked.text, read_question(asked.text), passages, read_candidates(passages), embeddings
        )
        found.append(Found(asked=asked, passages=passages, measured=tuple(measured)))
    return found


def fit(found: Sequence[Found], names: Sequence[str]) -> dict[str, float]:
    """A ridge regression of the logit, by Newton's method with halved steps."""
    rows, right, weights = [], [], []
    for each in found:
        judged = [(one, each.is_right(one.candidate)) for one in each.measured]
        for truth in (True, False):
            alike = [one for one, verdict in judged if verdict is truth]
            rows += [[one.features[name] for name in names] for one in alike]
            right += [float(truth)] * len(alike)
            weights += [3 / len(alike)] * len(alike)
    x, y, w = np.array(rows), np.array(right), np.array(weights)
    ridge = np.array([0.0 if name == "bias" else RIDGE for name in names])

    def loss(at: Any) -> float:
        z = x @ at
        return float((w * (np.logaddexp(0, z) - y * z)).sum() + 0.5 * (ridge * at * at).sum())

    at = np.zeros(len(names))
    for _ in range(60):
        p = 1 / (1 + np.exp(-np.clip(x @ at, -30, 30)))
        slope = x.T @ (w * (p - y)) + ridge * at
        bend = (x.T * (w * p * (1 - p))) @ x + np.diag(ridge + 1e-6)
        step = np.linalg.solve(bend, slope)
        while loss(at - step) > loss(at) and np.abs(step).max() > 1e-6:
            step /= 2
        at = at - step
    return dict(zip(names, at.tolist(), strict=True))


def show(found: Sequence[Found], weights: Mapping[str, float]) -> None:
    """What becomes of the questions of each group with these weights."""
    print("  " + ", ".join(f"{name} {value:.2f}" for name, value in weights.items()))
    for group in dict.fromkeys(each.asked.group for each in found):
        ends = {True: [0, 0, 0], False: [0, 0, 0]}
        for each in found:
            if each.asked.group != group:
                continue
            best = max(
                each.measured, key=lambda one: probability(one.features, weights), default=None
            )
            answers = best is not None and probability(best.features, weights) >= 0.5
            right = best is not None and each.is_right_text(best.candidate)
            ends[each.asked.answerable][2 if not answers else 0 if right else 1] += 1
        (right, wrong, refused), (_, answered, rightly) = ends[True], ends[False]
        print(
            f"  {group}: answered from a right text {right}, from another {wrong}, "
            f"refused {refused}; unanswerable: refused {rightly}, answered {answered}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--words", action="store_true", help="without vectors")
    given = parser.parse_args()
    embeddings = None if given.words else SentenceEmbeddings.create()
    found: list[Found] = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("public", "own"):
            docs = Path(scratch, name)
            docs.mkdir()
            asked = public_questions(given.cases, docs) if name == "public" else own_questions(docs)
            found += asyncio.run(find(asked, docs, Path(scratch, "index"), embeddings))
    names = [name for name in FEATURES if not given.words or name not in OF_VECTORS]
    print("as they stand")
    show(found, WORDS_ALONE if given.words else WITH_VECTORS)
    print("as they are fitted")
    show(found, fit(found, names))


if __name__ == "__main__":
    main()
