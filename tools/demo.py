"""The main job in one go: real mail in, audited outcomes out.

Runs the mails of examples/mails with `extractive`; with `--embedded` one of them with `embedded`
as well; then one with scripted replies: one that must be asked for again, one that no gate can
accept, one that is stopped while it arrives. Shows the queue and verifies the record. Everything
is recorded in a fresh folder, named at the end.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.rule import Rule

import assay
from assay.cli.output import outcome_table, rows_table, stopped_sentences
from assay.cli.run import show_evidence
from assay.runtime.calls.run import ItemOutcome
from assay.runtime.documents import review_document

ROOT = Path(__file__).resolve().parent.parent
MAILS = ROOT / "examples" / "mails"
FENCE = "```"


def main() -> int:
    console = Console(highlight=False)
    folder = Path(tempfile.mkdtemp(prefix="assay-demo-"))
    store = f"sqlite:///{folder / 'assay.db'}"
    # Source texts are kept where they are encrypted: the review desk shows the mails.
    key = folder / "master.key"
    key.touch(mode=0o600)
    key.write_text(secrets.token_hex(32), encoding="ascii")
    os.environ["ASSAY_MASTER_KEY_FILE"] = str(key)
    pack = assay.load_pack("intake")
    started = time.monotonic()

    console.print(Rule("1. A dozen mails, model `extractive`"))
    console.print(
        "`extractive` is no language model: it learns labels from the pack's example\n"
        "sentences, beside its lexicon, and quotes the sentence that decided. The gate judges\n"
        "it like any other.\n"
    )
    outcomes: dict[str, ItemOutcome] = {}
    with assay.open(store, "extractive") as runtime:
        for outcome in runtime.run(pack, [str(MAILS)]):
            outcomes[Path(outcome.input).name] = outcome
            console.print(outcome_table(outcome))
        first = outcomes["own-burst-pipe.eml"]
        replies = [_raw(runtime.call(call.call)) for call in first.calls]
    console.print(Rule("An accepted outcome, with its evidence in the text"))
    show_evidence(console, first)

    if "--embedded" in sys.argv[1:]:
        console.print(Rule("One mail, model `embedded`"))
        console.print(
            "`embedded` is a real language model of 135 million parameters (SmolLM2) whose\n"
            "weights came inside a package. It writes under grammars drawn from the contract, and\n"
            "cannot break the form. That is what it proves; its choices are worth nothing.\n"
        )
        with assay.open(store, "embedded") as runtime:
            for outcome in runtime.run(pack, [str(MAILS / "own-burst-pipe.eml")]):
                console.print(outcome_table(outcome))

    console.print(Rule("2. A reply that a second attempt saved"))
    console.print(
        "`scripted` plays back replies from a file. The first one here stands between code\n"
        "fences, as models like to write; nothing is stripped: the attempt fails, and a second\n"
        "prompt (temperature 0.0, quoted parts of the mail left out) is sent.\n"
    )
    fenced = f"{FENCE}json\n{replies[0]}\n{FENCE}"
    script = _script(folder / "second-attempt.jsonl", [fenced, *replies])
    with assay.open(store, f"scripted:{script}") as runtime:
        for outcome in runtime.run(pack, [str(MAILS / "own-burst-pipe.eml")]):
            console.print(outcome_table(outcome))

    console.print(Rule("3. A reply that goes to a person"))
    console.print("Both attempts quote words that do not stand in the mail.\n")
    invented = _spoil(replies[0])
    script = _script(folder / "review.jsonl", [invented, invented, *replies[1:]])
    with assay.open(store, f"scripted:{script}") as runtime:
        for outcome in runtime.run(pack, [str(MAILS / "own-burst-pipe.eml")]):
            console.print(outcome_table(outcome))

    console.print(Rule("4. A reply that was stopped while it arrived"))
    console.print(
        "A provider that streams sends a few characters at a time. The gate reads along and ends\n"
        "the exchange at the first one after which nothing can be accepted: here a quote that\n"
        "stands nowhere in the mail. The rest is neither read nor paid for.\n"
    )
    with assay.open(store, _streamed(folder / "stopped.jsonl", invented, replies)) as runtime:
        for outcome in runtime.run(pack, [str(MAILS / "own-burst-pipe.eml")]):
            console.print(outcome_table(outcome))
            events = runtime.call(outcome.calls[0].call)["events"]
            for sentence in stopped_sentences(events).values():
                console.print(f"first attempt, a reply of {len(invented)} characters: {sentence}")
        queue = [review_document(row) for row in runtime.reviews()]
        console.print(Rule("The queue, and the record"))
        columns = ("id", "input", "reason", "status")
        console.print(rows_table("assay review list", queue, columns))
        report = runtime.verify(runtime.head())
    console.print(f"record: {report.status}, {report.events} events verified")
    console.print(f"took {time.monotonic() - started:.0f} s; the record is {folder / 'assay.db'}")
    console.print(f"look on: .venv/bin/assay calls list --store {store}", soft_wrap=True)
    console.print(
        f"decide what waits, in a browser: ASSAY_MASTER_KEY_FILE={key} "
        f".venv/bin/assay serve --store {store}",
        soft_wrap=True,
    )
    return 0 if report.status == "ok" else 1


def _raw(document: dict[str, object]) -> str:
    """What the model answered in the last attempt of a recorded call."""
    events = document["events"]
    assert isinstance(events, list)
    answers = [e["payloads"]["raw"] for e in events if e["kind"] == "model.answered"]
    return str(answers[-1])


def _spoil(reply: str) -> str:
    """The reply with every quote replaced by words that no mail holds."""
    output = json.loads(reply)
    for item in [*output["intents"], output["product_line"], output["urgency"]]:
        item["evidence_snippets"] = ["words that nobody wrote in this mail"]
    return json.dumps(output)


def _streamed(file: Path, invented: str, replies: list[str]) -> str:
    """A model whose first reply arrives four characters at a time; the others come at once."""
    pieces = [invented[at : at + 4] for at in range(0, len(invented), 4)]
    lines = [{"pieces": pieces, "finish_reason": "stop"}, *({"text": each} for each in replies)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return f"scripted:{file}"


def _script(file: Path, replies: list[str]) -> Path:
    lines = [json.dumps({"text": reply, "finish_reason": "stop"}) for reply in replies]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


if __name__ == "__main__":
    sys.exit(main())
