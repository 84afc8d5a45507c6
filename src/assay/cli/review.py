"""`assay review list|show|decide`: the human queue."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from assay.cli.options import (
    class_option,
    common_options,
    pack_or_class,
    read_argument,
    store_option,
)
from assay.cli.output import (
    count_of,
    emit,
    findings_table,
    print_facts,
    rows_table,
    stopped_sentences,
)
from assay.cli.terminal import say, write
from assay.errors import InputError, UsageError

if TYPE_CHECKING:
    from assay.protocols import ReviewRow, Store

REJECTED_EXIT = 20
SPARE = ("reviewer", "status", "opened", "call")


@click.group()
def command() -> None:
    """The human queue."""


@command.command("list")
@store_option
@click.option(
    "--status",
    type=click.Choice(["open", "accepted", "rejected", "withdrawn", "all"]),
    default="open",
    show_default=True,
)
@click.option("--limit", default=100, show_default=True, type=click.IntRange(min=1))
@common_options
def list_(store_url: str, status: str, limit: int, as_json: bool) -> None:
    """List the cases that wait for a person, oldest first.

    A case whose call was asked again is withdrawn: what the new call came to counts.
    """
    from assay import wiring
    from assay.runtime.documents import review_document
    from assay.runtime.reviews.case import details

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        found = runtime.reviews(None if status == "all" else status, limit)
        rows = [review_document(row) for row in found]
        short = runtime.shorten_ids("review", [row.id for row in found])
        calls = runtime.shorten_ids("call", [row.call for row in found if row.call])
        whys = runtime.do(details(runtime.runtime.context, found))
    shown = [
        {
            **row,
            "id": short[row["id"]],
            "call": calls.get(row["call"]),
            "opened": row["opened_at"][:16],
            "detail": whys[row["id"]],
        }
        for row in rows
    ]
    columns = ("id", "input", "reason", "detail", "status", "call", "opened", "reviewer")
    emit(
        {"reviews": rows},
        as_json=as_json,
        human=lambda console: console.print(
            rows_table("reviews", shown, columns, ids=("id", "call"), spare=SPARE)
        ),
    )


@command.command("show")
@click.argument("review_id", metavar="ID")
@store_option
@common_options
def show(review_id: str, store_url: str, as_json: bool) -> None:
    """Show one case: why it is here, what was asked, what the model said."""
    from assay import wiring
    from assay.runtime.documents import review_document
    from assay.runtime.reviews.case import case_document, read_case

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        whole = runtime.find_id("review", review_id)
        case = runtime.do(read_case(runtime.runtime.context, whole))
        call = None if case.row.call is None else runtime.call(case.row.call)
    document = {"review": review_document(case.row), **case_document(case), "call": call}
    emit(document, as_json=as_json, human=lambda console: _draw(console, document))


def _draw(console: Console, document: dict[str, Any]) -> None:
    print_facts(console, "review", document["review"])
    if document["withdrawn_by"]:
        console.print(f"withdrawn: asked again by call {document['withdrawn_by']}", soft_wrap=True)
    if document["detail"]:
        console.print(document["detail"])
    if document["unread"]:
        console.print(rows_table("not read", document["unread"], ("part", "why")))
    for part in document["omitted"]:
        chars = part["stop"] - part["start"]
        place = f"{part['source']} {part['start']}..{part['stop']}"
        line = f"\nnot shown to the model ({part['kind']}): {place}, {count_of(chars, 'character')}"
        console.print(line)
        console.print(part["text_redacted"] or "(the text is not kept)")
    if document["call"] is None:
        return
    stopped = stopped_sentences(document["call"]["events"])
    for event in document["call"]["events"]:
        payloads = event["payloads"]
        if event["kind"] == "prompt.built":
            console.print(f"\nattempt {event['facts']['attempt']}, as asked (redacted):")
            console.print(payloads["prompt_redacted"] or "(erased)", soft_wrap=True)
        elif event["kind"] == "model.answered":
            console.print("\nas answered:")
            console.print(payloads["raw"] or "(erased)", soft_wrap=True)
            if event["seq"] in stopped:
                console.print(stopped[event["seq"]], style="yellow")
        elif event["kind"] == "output.judged" and payloads.get("findings"):
            console.print(findings_table(payloads["findings"]))


@command.command("decide")
@click.argument("review_id", metavar="ID")
@store_option
@click.option("--accept", "accept", is_flag=True, help="Let the corrected output stand.")
@click.option("--reject", "reject", is_flag=True, help="Withhold it.")
@click.option("--output", help="To accept: a file with the corrected output (- for stdin).")
@click.option("--reason", required=True, help="Why; kept with the decision.")
@click.option("--reviewer", help="Who decides; default: the user of this machine.")
@click.option("--pack", "pack_name", help="The call's pack, when it is no bundled one.")
@class_option
@click.option("--input", "original", help="The original input, when its texts are not stored.")
@common_options
def decide(
    review_id: str,
    store_url: str,
    accept: bool,
    reject: bool,
    output: str | None,
    reason: str,
    reviewer: str | None,
    pack_name: str | None,
    class_name: str | None,
    original: str | None,
    as_json: bool,
) -> int:
    """Accept a corrected output, or reject the case. What is accepted passes the gate first.

    The results of a shortened input (input.shortened) are accepted as they are without --output;
    rejecting withholds them.
    """
    from assay import wiring
    from assay.contract.outcome import Reason
    from assay.runtime.conversations.sessions import session_document
    from assay.runtime.documents import review_document
    from assay.runtime.reviews.decision import Decision

    if accept == reject:
        raise UsageError("a decision is one of two", hint="give --accept or --reject")
    decision = Decision(
        accept=accept,
        reviewer=reviewer or getpass.getuser(),
        reason=reason,
        output=None if output is None else read_argument(output, what="output"),
    )
    with wiring.open(store_url, "none", must_exist=True) as runtime:
        row = runtime.review(review_id)
        if accept and output is None and row.reason != Reason.INPUT_SHORTENED:
            raise UsageError("to accept, give the corrected output", hint="--output FILE")
        pack = pack_or_class(pack_name, class_name)
        original_bytes = None if original is None else read_argument(original, what="input")
        if accept and output is not None and original_bytes is None:
            original_bytes = _where_it_was(runtime.do(_name_of_input(runtime.runtime.store, row)))
        try:
            decided = runtime.decide(review_id, decision, pack=pack, original=original_bytes)
        except InputError:
            if original is not None or original_bytes is None:
                raise
            # The file that stood there has changed since: only the store may still know.
            decided = runtime.decide(review_id, decision, pack=pack)
    weighed = decided.weighed
    verdict = None if weighed is None else weighed.to_dict()
    document = {
        "review": review_document(decided.review),
        "verdict": verdict,
        "result": decided.result,
        "session": None if decided.session is None else session_document(decided.session),
    }
    emit(document, as_json=as_json, human=lambda console: _print_decision(console, document))
    return 0 if decided.taken else REJECTED_EXIT


async def _name_of_input(store: Store, row: ReviewRow) -> str:
    """The file's name, where it was kept sealed; rows of the first release hold it."""
    if row.call is not None:
        async for event in store.events(call=row.call, kind="call.opened"):
            if "input" in event.commitments:
                name = await store.payload(event.seq, "input")
                return row.input if name is None else name.decode("utf-8", "surrogateescape")
    return row.input


def _where_it_was(name: str) -> bytes | None:
    try:
        return read_argument(name, what="input")
    except InputError:
        return None


def _print_decision(console: Console, document: dict[str, Any]) -> None:
    status = document["review"]["status"]
    if status == "open":
        console.print("not taken: the corrected output does not pass the gate")
        console.print(findings_table(document["verdict"]["findings"]))
    else:
        console.print(f"{status} by {document['review']['reviewer']}")
        if document["session"] is not None:
            told = document["session"]
            stands = f"before {told['next_stage']}" if told["next_stage"] else "at the turn's end"
            console.print(f"session {told['id']} stands {stands}", soft_wrap=True)
        if document["result"] is not None:
            print_facts(console, "result", document["result"])


@command.command("export")
@store_option
@click.option(
    "--as",
    "form",
    type=click.Choice(["examples"]),
    required=True,
    help="examples: sentences by label, as the pack's examples.yaml holds them.",
)
@click.option("--pack", "pack_name", default="intake", show_default=True, help="Of which pack.")
@click.option("--limit", default=1_000, show_default=True, type=click.IntRange(min=1))
@common_options
def export(store_url: str, form: str, pack_name: str, limit: int, as_json: bool) -> None:  # noqa: ARG001
    """Write what accepted reviews teach, in its redacted view, oldest first.

    Put what you want to keep into the pack's examples.yaml, and run `assay pack lock`.
    """
    from assay import wiring
    from assay.runtime.reviews.examples import decided_examples

    pack = wiring.load_pack(pack_name)
    with wiring.open(store_url, "none", must_exist=True) as runtime:
        rows = runtime.reviews("accepted", limit)
        found = runtime.do(
            decided_examples(runtime.runtime.context, rows, pack.name, find_pack=lambda _: pack)
        )
    document = {
        "pack": pack.name,
        "reviews": found.reviews,
        "passed_over": dict(found.passed_over),
        "examples": found.examples,
    }
    for review, why in found.passed_over.items():
        say(f"review {review} gave none: {why}")
    emit(document, as_json=as_json, human=lambda _: write(_as_yaml(found.examples)))


def _as_yaml(examples: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    import yaml

    plain = {
        name: {label: list(texts) for label, texts in labels.items()}
        for name, labels in examples.items()
    }
    return yaml.safe_dump(plain, allow_unicode=True, sort_keys=False, width=100).rstrip("\n")
