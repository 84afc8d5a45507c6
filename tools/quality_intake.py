"""Agreement of `extractive` and `embedded` with labelled mail, by label set; no pass marks.

    python tools/quality_intake.py [--cases FOLDER] [--model NAME]... [--mails gold|own]... [--each]
        [--private]

Two sets of mails: the seven of the public cases with their gold, and those of
tools/quality_mails.yaml, invented here (the thresholds of `embedded` were chosen on these, so
its figures there flatter it). Sets of labels are scored by the share of mails with exactly the
right set and by F1 over all labels; single labels by the share of mails that got the right one.

With --private every model is asked twice, the second time as a contract with `send: redacted`
asks: what it costs that the model sees surrogates in place of personal data.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import yaml
from public_data import CASES

from assay.adapters.models.registry import open_model
from assay.contract.contract import Contract
from assay.contract.contract_job import ContractJob
from assay.contract.material import Built, Material
from assay.errors import ExecutionError
from assay.protocols import Model, ModelRequest, Parameters
from assay.redaction.redactor import Redactor
from assay.sources.mail.message import Message, read_message
from assay.wiring import load_pack

ROOT = Path(__file__).resolve().parent.parent
SEVERAL = ("intent", "risk_flag", "entity_type")
SINGLE = ("primary_intent", "product_line", "urgency")


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A mail and what it should get; label sets that are absent are not scored."""

    name: str
    material: Material
    wanted: Mapping[str, Any]


@dataclass(slots=True)
class Score:
    """Counts over the mails of one set."""

    mails: int = 0
    right: int = 0
    found: int = 0
    spurious: int = 0
    missed: int = 0

    def add(self, got: set[str], wanted: set[str]) -> None:
        """One mail more."""
        self.mails += 1
        self.right += got == wanted
        self.found += len(got & wanted)
        self.spurious += len(got - wanted)
        self.missed += len(wanted - got)

    @property
    def f1(self) -> float | None:
        """None when nothing was wanted and nothing was given."""
        total = 2 * self.found + self.spurious + self.missed
        return 2 * self.found / total if total else None


@dataclass(slots=True)
class Report:
    """What one model reached on one set of mails."""

    scores: dict[str, Score] = field(default_factory=dict)
    calls: int = 0
    accepted: int = 0
    hidden: int = 0
    seconds: list[float] = field(default_factory=list)


def gold_mails(cases: Path) -> Iterator[Labelled]:
    """The public mails, their attachments put in as parts."""
    folder = cases / "intake"
    for file in sorted((folder / "mails").glob("*.eml")):

        def read(kind: str, file: Path = file) -> Any:
            return json.loads((folder / "gold" / f"{file.stem}.{kind}.json").read_bytes())

        normalised = json.loads((folder / "normalised" / f"{file.stem}.json").read_bytes())
        found = read("classification")
        yield Labelled(
            name=file.stem[:8],
            material=material_of(with_attachments(file, normalised["attachment_ids"], folder)),
            wanted={
                "intent": {each["label"] for each in found["intents"]},
                "primary_intent": found["primary_intent"]["label"],
                "product_line": found["product_line"]["label"],
                "urgency": found["urgency"]["label"],
                "risk_flag": {each["label"] for each in found["risk_flags"]},
                "entity_type": {each["entity_type"] for each in read("extraction")["entities"]},
            },
        )


def with_attachments(file: Path, attachments: Sequence[str], folder: Path) -> bytes:
    """The mail as it came; with the attachments that it names as parts of it."""
    if not attachments:
        return file.read_bytes()
    old = message_from_bytes(file.read_bytes(), policy=policy.default)
    new = EmailMessage()
    for name in ("From", "To", "Subject", "Message-ID"):
        new[name] = old[name]
    new.set_content(old.get_content())
    for number in attachments:
        meta = json.loads((folder / "attachments" / f"{number}.meta.json").read_bytes())
        text = (folder / "attachments" / f"{number}.txt").read_text(encoding="utf-8")
        new.add_attachment(text, filename=meta["filename"])
    return new.as_bytes()


def own_mails(contract: Contract) -> Iterator[Labelled]:
    """The invented mails; their primary intent follows from the set's priority."""
    (priority,) = {
        rule.set.priority for rule in contract.labels if rule.pattern.text == "/primary_intent"
    }
    for index, mail in enumerate(yaml.safe_load((ROOT / "tools/quality_mails.yaml").read_bytes())):
        yield Labelled(
            name=f"own-{index:02}",
            material=Material(texts={"subject": mail["subject"], "body": mail["body"]}),
            wanted={
                "intent": set(mail["intent"]),
                "primary_intent": min(mail["intent"], key=priority.index),
                "product_line": mail["product_line"],
                "urgency": mail["urgency"],
                "risk_flag": set(mail["risk_flag"]),
            },
        )


def material_of(data: bytes) -> Material:
    """What a run makes of a mail."""
    message = read_message(data)
    assert isinstance(message, Message)
    return Material(texts=message.texts, signals=message.automatic, input=message.facts)


async def ask(
    model: Model, contract: Contract, material: Material, report: Report
) -> dict[str, Any] | None:
    """The first attempt of one contract; None when the gate rejects it."""
    job = ContractJob(contract=contract, material=material, redactor=Redactor())
    built = job.build(1, ())
    assert isinstance(built, Built)
    request = ModelRequest(
        prompt=built.prompt.text,
        prompt_sha256=built.prompt.sha256,
        parameters=Parameters(temperature=0.0, max_output_tokens=contract.budget.max_output_tokens),
        plan=job.plan(built),
    )
    reply = await model.complete(request)
    raw = reply.text if isinstance(reply.text, bytes) else reply.text.encode()
    weighed = job.weigh(raw, built, reply.finish_reason)
    verdict = weighed.verdict
    assert verdict is not None
    report.hidden += sum(built.hidden.counts(built.prompt.text).values()) if built.hidden else 0
    report.calls += 1
    report.accepted += weighed.accepted
    return verdict.output if weighed.accepted else None


def answers(
    contract: Contract, output: Mapping[str, Any] | None, facts: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What was chosen, by label set; nothing where a reply was rejected."""
    got: dict[str, Any] = {}
    if output is not None:
        labels = {each["label"] for each in output["intents"]}
        priority = next(rule.set.priority for rule in contract.labels if rule.set.name == "intent")
        got["intent"] = labels
        got["primary_intent"] = min(labels, key=priority.index, default=None)
        got["product_line"] = output["product_line"]["label"]
        got["urgency"] = output["urgency"]["label"]
        got["risk_flag"] = {each["label"] for each in output["risk_flags"]}
    if facts is not None:
        got["entity_type"] = {each["entity_type"] for each in facts["entities"]}
    return got


async def measure(
    model: Model, mails: Sequence[Labelled], *, each: bool, send: Literal["text", "redacted"]
) -> Report:
    """Put every mail through the three contracts of the intake."""
    pack = load_pack("intake")
    classify, extract, identify = (
        replace(pack.contract(name), send=send) for name in ("classify", "extract", "identify")
    )
    report = Report()
    for mail in mails:
        start = perf_counter()
        output = await ask(model, classify, mail.material, report)
        facts = await ask(model, extract, mail.material, report)
        await ask(model, identify, mail.material, report)
        report.seconds.append(perf_counter() - start)
        got = answers(classify, output, facts)
        for name, wanted in mail.wanted.items():
            score = report.scores.setdefault(name, Score())
            if name in SEVERAL:
                score.add(set(got.get(name, ())), set(wanted))
            else:
                score.add({got[name]} if got.get(name) else set(), {wanted})
            if each and got.get(name) != wanted:
                print(f"    {mail.name} {name}: {got.get(name)} for {wanted}")
    return report


def show(title: str, reports: Mapping[str, Report]) -> None:
    """One table: a line for each label set, two columns for each model."""
    print(f"\n{title}")
    print(f"{'':<18}" + "".join(f"{name + ' exact':>18}{'F1':>7}" for name in reports))
    for name in (*SEVERAL, *SINGLE):
        cells = ""
        for report in reports.values():
            score = report.scores.get(name)
            if score is None:
                continue
            f1 = score.f1 if name in SEVERAL else None
            cells += f"{score.right:>12} of {score.mails:<2}{'' if f1 is None else f'{f1:.2f}':>7} "
        if cells:
            print(f"{name:<18}{cells}")
    for line, value in (
        ("accepted replies", lambda r: f"{r.accepted} of {r.calls}"),
        ("values hidden", lambda r: f"{r.hidden}"),
        ("seconds a mail", lambda r: f"{sorted(r.seconds)[len(r.seconds) // 2]:.1f}"),
    ):
        print(f"{line:<18}" + "".join(f"{value(report):>17}{'':>8}" for report in reports.values()))


async def main(arguments: argparse.Namespace) -> int:
    """Measure and print; 1 when nothing could be measured."""
    models: dict[str, Model] = {}
    for name in arguments.model or ("extractive", "embedded"):
        try:
            models[name] = open_model(name, environ={})
        except ExecutionError as error:
            print(f"{name}: {error} ({error.hint})")
    sets: dict[str, list[Labelled]] = {}
    if "gold" in arguments.mails and (arguments.cases / "intake").is_dir():
        sets["the public mails with gold"] = list(gold_mails(arguments.cases))
    if "own" in arguments.mails:
        sets["invented mails"] = list(own_mails(load_pack("intake").contract("classify")))
    for title, mails in sets.items():
        reports = {
            name if send == "text" else f"{name}*": await measure(
                model, mails, each=arguments.each, send=send
            )
            for name, model in models.items()
            for send in (("text", "redacted") if arguments.private else ("text",))
        }
        show(f"{title} ({len(mails)})", reports)
    for model in models.values():
        await model.aclose()
    return 0 if models and sets else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--model", action="append", help="default: extractive and embedded")
    parser.add_argument("--mails", action="append", choices=("gold", "own"))
    parser.add_argument("--each", action="store_true", help="print every disagreement")
    parser.add_argument("--private", action="store_true", help="ask redacted as well (a star)")
    chosen = parser.parse_args()
    chosen.mails = chosen.mails or ["gold", "own"]
    sys.exit(asyncio.run(main(chosen)))
