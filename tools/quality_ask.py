"""How often the right passage is found, and how well the gates part questions; no pass marks.

    python tools/quality_ask.py [--cases FOLDER] [--names] [--model extractive|embedded]

Three tables: recall on the service index (asked by name, by ten words in a row out of the
middle of an overview, by eight scattered words of it); how many questions the thresholds of
R2_POLICY_V1 let pass, answerable ones and unrelated ones; and questions about the project's
own docs/, asked as a user would, answered from end to end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any

from public_data import CASES

from assay.adapters.retrievers.folder import FolderRetriever
from assay.answers.assemble import assemble
from assay.wiring import aopen

ROOT = Path(__file__).resolve().parent.parent
_SMALL = "a an and are as at be by for from in is it of on or that the this to who with"
SMALL = frozenset(_SMALL.split())

ABOUT_OURSELVES = (
    ("Why are integers beyond 2^53 rejected?", "0003-integers-beyond-2-53.md"),
    ("What must the system section of the prompt demand?", "004-answer-assembly.md"),
    ("When is a near-duplicate dropped?", "004-answer-assembly.md"),
    ("What happens when nothing is left after selection?", "004-answer-assembly.md"),
    ("Which environment variable sets the redaction key?", "settings.md"),
    ("Where does the record live by default?", "settings.md"),
    ("What does the finding code citation.unknown_anchor mean?", "finding-codes.md"),
    ("What does evidence.not_found mean?", "finding-codes.md"),
    ("What is the exit code when the model is unreachable?", "errors.md"),
    ("Which files does a pack consist of?", "write-a-pack.md"),
    ("How do I write a rule of a contract?", "write-a-pack.md"),
    ("What does the command assay doctor do?", "commands.md"),
    ("How does the second attempt differ from the first?", "000-prompt-contract.md"),
    ("How many tries does one exchange get?", "settings.md"),
)
ABOUT_OTHER_THINGS = (
    "What is the boiling point of mercury?",
    "Who won the football world cup in 1990?",
    "How do I bake sourdough bread?",
    "What is the capital of Mongolia?",
    "When does the next train to Lyon leave?",
    "Can I bring my dog to the hotel?",
    "What are the side effects of ibuprofen?",
    "How tall is the Eiffel tower?",
)


def questions(overview: str, name: str) -> dict[str, str]:
    words = re.findall(r"\w+", overview)
    middle = words[len(words) // 2 :][:10]
    scattered = [word for word in words if word.lower() not in SMALL][::3][:8]
    return {
        "by name": f"What is {name}?",
        "by ten words in a row": " ".join(middle) + "?",
        "by eight scattered words": " ".join(scattered) + "?",
    }


def _twin(question: str, row: dict[str, Any], rows: list[dict[str, Any]]) -> bool:
    """Whether another service's text holds every word of the question: nothing can decide."""
    wanted = set(re.findall(r"\w+", question.lower()))
    return any(
        wanted <= set(re.findall(r"\w+", f"what is {other['name']} {other['overview']}".lower()))
        for other in rows
        if other is not row
    )


async def services(cases: Path, place: Path, *, names: bool) -> None:
    rows = [json.loads(line) for line in _lines(cases / "services/usagov_service_index.jsonl")]
    folder = place / "services"
    folder.mkdir()
    for row in rows:
        text = f"# {row['name']}\n\n{row['overview']}\n"
        (folder / f"{row['serviceKey']}.md").write_text(text, encoding="utf-8")
    retriever = FolderRetriever(place / "index")
    began = perf_counter()
    await retriever.retrieve("warm", [str(folder)], top_k=1)
    print(f"{len(rows)} services indexed in {perf_counter() - began:.1f} s\n")
    first, fifth, passed = Counter(), Counter(), Counter()
    decidable, decided = Counter(), Counter()
    for row in rows:
        for kind, question in questions(row["overview"], row["name"]).items():
            found = await retriever.retrieve(question, [str(folder)], top_k=20)
            keys = [Path(chunk.source_reference or "").stem for chunk in found.bundle.results]
            first[kind] += keys[:1] == [row["serviceKey"]]
            if not _twin(question, row, rows):
                decidable[kind] += 1
                decided[kind] += keys[:1] == [row["serviceKey"]]
            fifth[kind] += row["serviceKey"] in keys[:5]
            passed[kind] += assemble(found.bundle, question).status == "OK"
            if names and keys[:1] != [row["serviceKey"]]:
                print(f"    {row['serviceKey']} ({kind}): first is {keys[:1]}")
    print(
        f"{'asked':<26} {'first':>8} {'first, if decidable':>22} {'in five':>8}"
        f" {'over the gate':>14}"
    )
    for kind in first:
        print(
            f"{kind:<26} {_share(first[kind], len(rows)):>8}"
            f" {_share(decided[kind], decidable[kind]):>15} of {decidable[kind]:>3}"
            f" {_share(fifth[kind], len(rows)):>8} {_share(passed[kind], len(rows)):>14}"
        )
    utterances = [json.loads(line) for line in _lines(cases / "services/clinc150_sample.jsonl")]
    let, total = Counter(), Counter()
    for row in utterances:
        kind = row["kind"]
        total[kind] += 1
        found = await retriever.retrieve(row["text"], [str(folder)], top_k=20)
        if assemble(found.bundle, row["text"]).status == "OK":
            let[kind] += 1
            if names:
                print(f"    let through: {row['text']!r}")
    print("\nquestions that these services do not answer, let through by the gates")
    for kind in total:
        print(f"{kind:<28} {_share(let[kind], total[kind])}   of {total[kind]}")


async def ourselves(place: Path, model: str, *, names: bool) -> None:
    docs = str(ROOT / "docs")
    ends: dict[str, Counter[str]] = {"answerable": Counter(), "unrelated": Counter()}
    first = fifth = gate = 0
    environ = {"ASSAY_INDEX": str(place / "index")}
    store = f"sqlite:///{place / 'assay.db'}"
    async with aopen(store, model, environ=environ) as runtime:
        for question, file in ABOUT_OURSELVES:
            assert runtime.retriever is not None
            found = await runtime.retriever.retrieve(question, [docs], top_k=20)
            files = [Path(chunk.source_reference or "").name for chunk in found.bundle.results]
            first += files[:1] == [file]
            fifth += file in files[:5]
            gate += assemble(found.bundle, question).status == "OK"
            told = await runtime.ask(question, docs=[docs])
            ends["answerable"][_end(told)] += 1
            if names:
                print(f"    {question}\n        {files[:3]}\n        {_end(told)}: {told.answer}")
        for question in ABOUT_OTHER_THINGS:
            told = await runtime.ask(question, docs=[docs])
            ends["unrelated"][_end(told)] += 1
            if names:
                print(f"    {question}\n        {_end(told)}: {told.answer}")
    asked = len(ABOUT_OURSELVES)
    print(f"\nour own docs/, answered by {model}")
    print(f"right file first {_share(first, asked)}, in five {_share(fifth, asked)},")
    print(f"over the gate {_share(gate, asked)}, of {asked}")
    for kind, counts in ends.items():
        print(f"{kind:<12} " + ", ".join(f"{end} {n}" for end, n in sorted(counts.items())))


def _end(told: Any) -> str:
    if told.outcome.status == "no_evidence":
        return "stopped at the gate" if told.execution is None else "refused by the model"
    return str(told.outcome.status)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:7.1%}" if whole else "      –"


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--cases", type=Path, default=CASES)
    options.add_argument("--names", action="store_true")
    options.add_argument("--model", default="extractive")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        if (given.cases / "services").is_dir():
            asyncio.run(services(given.cases, Path(place), names=given.names))
        else:
            print(f"NO TEST DATA: {given.cases.name}; set --cases")
        asyncio.run(ourselves(Path(place), given.model, names=given.names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
