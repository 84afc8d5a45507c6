"""Agreement of `extractive` and `embedded` with labelled mail, by language; no pass marks.

    python tools/quality_intake.py [--cases FOLDER] [--model NAME]...
        [--mails gold|own|dev|held]... [--each] [--private]

Four sets of mails: the seven of the public cases with their gold; `own`, 26 invented ones that
lexicon and thresholds were chosen with, so figures there flatter; `dev` and `held`, thirty more
each in six languages, of which `held` was kept from whoever wrote lexicon and examples.

A set of labels counts when it is exactly the right one; `found` when the primary intent is one of
those meant; F1 is over all labels. Beside each count, in brackets: what the best constant answer
to this measure reaches, the same to every mail of the set. What a rejected reply would have said
counts for nothing. The flag of an unsupported language is set by no model and has its own column.

With --private every model is asked twice, the second time as a contract with `send: redacted`
asks: what it costs that the model sees surrogates in place of personal data. --each prints the
disagreements, of `held` none.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from labelled_mails import FILES, Labelled, gold_mails, invented_mails
from public_data import CASES

from assay.adapters.models.registry import open_model
from assay.contract.contract import Contract
from assay.contract.contract_job import ContractJob
from assay.contract.job import Weighed
from assay.contract.material import Built, Material
from assay.errors import ExecutionError
from assay.protocols import Model, ModelRequest, Parameters
from assay.redaction.redactor import Redactor
from assay.wiring import load_pack

SETS = ("gold", *FILES)
SLOW = {"embedded": ("gold", "dev")}
"""Sets for models that need seconds a mail, unless others are asked for."""

JUDGED = ("primary_intent", "product_line", "urgency", "risk_flag")
"""Label sets whose confidence the pack holds against a threshold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one mail got; nothing where the reply was rejected and a person has to look."""

    mail: Labelled
    accepted: bool
    got: Mapping[str, Any] = field(default_factory=dict)
    sure: Sequence[tuple[str, bool, bool]] = ()
    """Label set, whether the label is right, whether its confidence reaches the threshold."""

    seconds: float = 0.0
    """What the labels alone took."""


@dataclass(slots=True)
class Report:
    """What one model reached on one set of mails."""

    answers: list[Answer] = field(default_factory=list)
    calls: int = 0
    accepted: int = 0
    hidden: int = 0


# --- asking -----------------------------------------------------------------------------------


async def ask(model: Model, contract: Contract, material: Material, report: Report) -> Weighed:
    """The first attempt of one contract, as the gate judges it."""
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
    report.hidden += sum(built.hidden.counts(built.prompt.text).values()) if built.hidden else 0
    report.calls += 1
    report.accepted += weighed.accepted
    return weighed


def labels_of(value: Mapping[str, Any]) -> dict[str, Any]:
    """What a result of `classify` chose, by label set."""
    return {
        "intent": {each["label"] for each in value["intents"]},
        "primary_intent": value["primary_intent"]["label"],
        "product_line": value["product_line"]["label"],
        "urgency": value["urgency"]["label"],
        "risk_flag": {each["label"] for each in value["risk_flags"]},
    }


def sureness(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[tuple[str, bool, bool]]:
    """Each label that a model chose: its set, whether it is right, whether it is sure enough."""
    one = {name: [value[name]] for name in JUDGED if name != "risk_flag"}
    several = {"risk_flag": [each for each in value["risk_flags"] if "signals" not in each]}
    return [
        (
            name,
            item["label"] in (wanted[name] if name == "risk_flag" else {wanted[name]}),
            not item.get("below_threshold"),
        )
        for name, items in {**one, **several}.items()
        for item in items
    ]


async def measure(
    model: Model, mails: Sequence[Labelled], *, send: Literal["text", "redacted"]
) -> Report:
    """Put every mail through `classify`; those whose entities are known through the others too."""
    pack = load_pack("intake")
    classify, extract, identify = (
        replace(pack.contract(name), send=send) for name in ("classify", "extract", "identify")
    )
    report = Report()
    for mail in mails:
        start = perf_counter()
        weighed = await ask(model, classify, mail.material, report)
        seconds = perf_counter() - start
        got: dict[str, Any] = {}
        sure: Sequence[tuple[str, bool, bool]] = ()
        if weighed.result is not None:
            got = labels_of(weighed.result.value)
            sure = sureness(weighed.result.value, mail.wanted)
        if "entity_type" in mail.wanted:
            facts = (await ask(model, extract, mail.material, report)).result
            entities = facts.value["entities"] if facts is not None else []
            got["entity_type"] = {each["entity_type"] for each in entities}
            await ask(model, identify, mail.material, report)
        accepted = weighed.result is not None
        report.answers.append(
            Answer(mail=mail, accepted=accepted, got=got, sure=sure, seconds=seconds)
        )
    return report


# --- scoring ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Measure:
    """One column: a count of mails, or F1."""

    title: str
    read: Callable[[Mapping[str, Any]], Any]
    """What is compared, of what a mail should get or got."""

    kind: Literal["exact", "found", "f1"] = "exact"
    given: Callable[[Mapping[str, Any]], Any] | None = None
    """What is compared of what it got, where that is something else."""

    def score(self, wanted: Sequence[Any], got: Sequence[Any]) -> float:
        """What answers *got* reach; None is none, and right for nothing."""
        if self.kind == "found":
            return sum(one in several for several, one in zip(wanted, got, strict=True))
        if self.kind == "exact":
            return sum(one == other for one, other in zip(wanted, got, strict=True))
        given = [frozenset() if each is None else each for each in got]
        found = sum(len(one & other) for one, other in zip(wanted, given, strict=True))
        total = sum(map(len, wanted)) + sum(map(len, given))
        return 2 * found / total if total else 1.0

    def constant(self, wanted: Sequence[Any]) -> Any:
        """The answer that, given to all, reaches most; equal ones by name."""
        if self.kind == "exact":
            return _most(wanted)
        single = Counter(label for each in wanted for label in each)
        order = sorted(single, key=lambda label: (-single[label], label))
        if self.kind == "found":
            return order[0] if order else None
        choices = [frozenset(order[:size]) for size in range(len(order) + 1)]
        return max(choices, key=lambda each: self.score(wanted, [each] * len(wanted)))

    def column(self, answers: Sequence[Answer], everybody: Sequence[Answer]) -> str:
        """A cell: the count of *answers*, and the constant of *everybody* on them."""
        wanted = [self.read(each.mail.wanted) for each in answers]
        given = self.given or self.read
        got = [given(each.got) if each.accepted else None for each in answers]
        best = self.constant([self.read(each.mail.wanted) for each in everybody])
        reached = (self.score(wanted, got), self.score(wanted, [best] * len(wanted)))
        form = ".2f" if self.kind == "f1" else ".0f"
        return f"{reached[0]:{form}} ({reached[1]:{form}})"


def _most(values: Sequence[Hashable]) -> Any:
    counts = Counter(values)
    return min(counts, key=lambda each: (-counts[each], str(_plain(each))), default=None)


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value


def measures(contract: Contract) -> list[Measure]:
    """The columns; what the contract sets by the language alone is no model's flag."""
    by_language = {
        rule.item[rule.label]
        for rule in (contract.result.signals if contract.result else ())
        if rule.languages is not None
    }

    def flags(labels: Mapping[str, Any]) -> frozenset[str]:
        return frozenset(labels.get("risk_flag", ())) - by_language

    def intents(labels: Mapping[str, Any]) -> frozenset[str]:
        return frozenset(labels.get("intent", ()))

    def single(name: str) -> Callable[[Mapping[str, Any]], Any]:
        return lambda labels: labels.get(name)

    return [
        Measure("intents", intents),
        Measure("intents F1", intents, "f1"),
        Measure("found", intents, "found", single("primary_intent")),
        Measure("primary", single("primary_intent")),
        Measure("product", single("product_line")),
        Measure("urgency", single("urgency")),
        Measure("flags", flags),
        Measure("flags F1", flags, "f1"),
        Measure("language", lambda labels: bool(by_language & set(labels.get("risk_flag", ())))),
    ]


# --- tables -----------------------------------------------------------------------------------


def by_language(report: Report, columns: Sequence[Measure]) -> list[str]:
    """A line for each language and one for all: counts, the constant's in brackets."""
    everybody = report.answers
    titles = "".join(f"{each.title:>13}" for each in columns)
    lines = [f"{'':<5}{'mails':>6}{'accepted':>10}{titles}"]
    languages = list(dict.fromkeys(each.mail.language for each in everybody))
    for language in (*languages, "all"):
        answers = [each for each in everybody if language in ("all", each.mail.language)]
        cells = "".join(f"{each.column(answers, everybody):>13}" for each in columns)
        accepted = sum(each.accepted for each in answers)
        lines.append(f"{language:<5}{len(answers):>6}{accepted:>10}{cells}")
    return lines


def by_confidence(report: Report) -> list[str]:
    """How many labels are right at or above the pack's threshold, and below it."""
    lines = [f"{'confidence':<18}{'at or above':>24}{'below it':>24}"]
    found = [each for answer in report.answers for each in answer.sure]
    for name in (*JUDGED, "all"):
        cells = ""
        for reached in (True, False):
            there = [
                right
                for label_set, right, sure in found
                if name in ("all", label_set) and sure is reached
            ]
            share = f" ({sum(there) / len(there):.2f})" if there else ""
            cells += f"{f'right {sum(there)} of {len(there)}{share}':>24}"
        lines.append(f"{name:<18}{cells}")
    return lines


def by_flag(report: Report) -> str:
    """How many mails that should have each flag got it, or go to a person; how many wrongly."""
    cells = []
    for flag in sorted({each for answer in report.answers for each in _flags_of(answer)}):
        meant = [each for each in report.answers if flag in each.mail.wanted["risk_flag"]]
        got = [each for each in report.answers if flag in each.got.get("risk_flag", ())]
        found = [each for each in meant if each in got or not each.accepted]
        wrong = [each for each in got if each not in meant]
        note = f" and {len(wrong)} wrongly" if wrong else ""
        cells.append(f"{flag.removeprefix('RISK_')} {len(found)} of {len(meant)}{note}")
    return f"flagged, or sent to a person: {'; '.join(cells)}"


def _flags_of(answer: Answer) -> set[str]:
    return set(answer.mail.wanted["risk_flag"]) | set(answer.got.get("risk_flag", ()))


def show(title: str, report: Report, columns: Sequence[Measure]) -> None:
    """Everything about one model and one set of mails."""
    print(f"\n{title}")
    print("\n".join(by_language(report, columns)))
    print("\n".join(by_confidence(report)))
    print(by_flag(report))
    if any("entity_type" in each.mail.wanted for each in report.answers):
        wanted = [frozenset(each.mail.wanted["entity_type"]) for each in report.answers]
        got = [frozenset(each.got.get("entity_type", ())) for each in report.answers]
        exact = Measure("entities", dict).score(wanted, got)
        f1 = Measure("entities", dict, "f1").score(wanted, got)
        print(f"entity types exact {exact:.0f} of {len(wanted)}, F1 {f1:.2f}")
    times = sorted(1000 * each.seconds for each in report.answers)
    print(
        f"replies accepted {report.accepted} of {report.calls}, values hidden {report.hidden}, "
        f"milliseconds a mail to classify: {times[len(times) // 2]:.0f} (most {times[-1]:.0f})"
    )


def show_each(report: Report) -> None:
    """Every disagreement, a line each."""
    for answer in report.answers:
        for name, wanted in answer.mail.wanted.items():
            got = answer.got.get(name)
            if got != wanted:
                print(f"    {answer.mail.name} {answer.mail.language} {name}: {got} for {wanted}")


async def main(arguments: argparse.Namespace) -> int:
    """Measure and print; 1 when nothing could be measured."""
    models: dict[str, Model] = {}
    for name in arguments.model or ("extractive", "embedded"):
        try:
            models[name] = open_model(name, environ={})
        except ExecutionError as error:
            print(f"{name}: {error} ({error.hint})")
    classify = load_pack("intake").contract("classify")
    sets: dict[str, list[Labelled]] = {}
    for name in arguments.mails or SETS:
        if name != "gold":
            sets[name] = list(invented_mails(name, classify))
        elif (arguments.cases / "intake").is_dir():
            sets[name] = list(gold_mails(arguments.cases))
        else:
            print(f"gold: no folder {arguments.cases / 'intake'}")
    columns = measures(classify)
    print("labels by language; in brackets the best constant answer")
    for title, mails in sets.items():
        for name, model in models.items():
            if not arguments.mails and title not in SLOW.get(name, SETS):
                continue
            for send in ("text", "redacted") if arguments.private else ("text",):
                report = await measure(model, mails, send=send)
                star = "" if send == "text" else ", redacted"
                show(f"### {name}{star}, {title}", report, columns)
                if arguments.each and title != "held":
                    show_each(report)
    for model in models.values():
        await model.aclose()
    return 0 if models and sets else 1


def run() -> int:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--model", action="append", help="default: extractive and embedded")
    parser.add_argument(
        "--mails", action="append", choices=SETS, help="default: all four; gold and dev of embedded"
    )
    parser.add_argument("--each", action="store_true", help="print every disagreement")
    parser.add_argument("--private", action="store_true", help="ask redacted as well")
    return asyncio.run(main(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(run())
