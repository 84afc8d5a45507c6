"""`assay calls list|show`: what was asked, answered and decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import click
from rich.console import Console

from assay.cli.options import common_options, store_option
from assay.cli.output import (
    emit,
    plain_text,
    print_facts,
    rows_table,
    stopped_sentences,
)
from assay.errors import UsageError

SPARE = ("attempts", "status", "model", "cost")


@click.group()
def command() -> None:
    """Recorded calls."""


@command.command("list")
@store_option
@click.option("--contract", help="Only calls of this contract (PACK/NAME).")
@click.option("--outcome", help="accepted, no_evidence or needs_review.")
@click.option("--status", type=click.Choice(["open", "settled"]), help="open: not answered yet.")
@click.option("--run", type=int, help="Only calls of this run.")
@click.option("--input", "given", help="Only calls about this file, named as it was to run.")
@click.option("--since", help="Only calls made at or after this time (ISO 8601).")
@click.option("--limit", default=100, show_default=True, type=click.IntRange(min=1))
@common_options
def list_(
    store_url: str,
    contract: str | None,
    outcome: str | None,
    status: str | None,
    run: int | None,
    given: str | None,
    since: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List recorded calls, newest first."""
    from assay import wiring
    from assay.protocols import CallFilter
    from assay.runtime.calls.file_names import recorded_name
    from assay.runtime.documents import call_document

    which = CallFilter(
        contract=contract, outcome=outcome, status=status, run=run, since=parse_time(since)
    )
    with wiring.open(store_url, "none", must_exist=True) as runtime:
        if given is not None:
            which = replace(which, input=recorded_name(given, runtime.runtime.context.redactor))
        found = runtime.calls(which, limit)
        costs = runtime.costs(found)
        short = runtime.shorten_ids("call", [row.id for row in found])
    rows = [{**call_document(row), "cost": costs[row.id]} for row in found]
    columns = ("id", "contract", "model", "input", "status", "outcome", "reason", "attempts")
    shown = [{**row, "id": short[row["id"]], "cost": _cost_text(row["cost"])} for row in rows]
    emit(
        {"calls": rows},
        as_json=as_json,
        human=lambda console: console.print(
            rows_table("calls", shown, (*columns, "cost"), ids=("id",), spare=SPARE)
        ),
    )


def _cost_text(cost: dict[str, Any] | None) -> str:
    """An estimate is marked; what is not known says so."""
    if cost is None:
        return "unknown"
    if cost["currency"] is None:
        return "–"
    return f"{'≤ ' if cost['estimated'] else ''}{cost['amount']} {cost['currency']}"


@command.command("show")
@click.argument("call_id", metavar="ID")
@store_option
@click.option("--prompt", is_flag=True, help="Show the redacted prompt of each attempt.")
@click.option("--raw", is_flag=True, help="Show what the model answered.")
@common_options
def show(call_id: str, store_url: str, prompt: bool, raw: bool, as_json: bool) -> None:
    """Show one call with all its events."""
    from assay import wiring

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        document = runtime.call(call_id)
    hidden = {"sources", "variables", "prompt"}
    if not prompt:
        hidden |= {"prompt_redacted", "redaction_map"}
    if not raw:
        hidden |= {"raw"}
    for event in document["events"]:
        for name in hidden & event["payloads"].keys():
            del event["payloads"][name]
    emit(document, as_json=as_json, human=lambda console: _draw(console, document))


def _draw(console: Console, document: dict[str, Any]) -> None:
    call = {**document["call"], "use": _use_text(document["call"]["use"])}
    print_facts(console, "call", call)
    stopped = stopped_sentences(document["events"])
    for event in document["events"]:
        console.print(f"\n{event['seq']}  {event['kind']}  {event['at']}", style="bold")
        if event["seq"] in stopped:
            console.print(f"  {stopped[event['seq']]}", style="yellow")
        facts: dict[str, Any] = {}
        for key, value in {**event["facts"], **event["payloads"]}.items():
            if isinstance(value, str) and "\n" in value:
                print_facts(console, "", facts, indent=2)
                console.print(f"  {key}:\n{plain_text(value)}", soft_wrap=True)
                facts = {}
            else:
                facts[key] = _roles(value) if key == "parts" else value
        print_facts(console, "", facts, indent=2)


def _roles(parts: Sequence[Mapping[str, Any]]) -> str:
    """Which code points of the prompt went out in which role."""
    return ", ".join(f"{part['role']} {part['start']} to {part['stop']}" for part in parts)


def _use_text(use: dict[str, Any]) -> str:
    """Counts that are not nought, and the cost of all attempts."""
    counts = [
        f"{use[name]} {name.replace('_', ' ')}"
        for name in use
        if name.endswith("_tokens") and use[name]
    ]
    costs = [_cost_text(total) for total in use["cost"]["totals"]]
    if use["cost"]["unknown"]:
        costs.append("unknown")
    cost = f"cost {' + '.join(costs)}" if costs else "nothing was sent"
    return ", ".join([*counts, f"{use['latency_ms']} ms", cost])


def parse_time(text: str | None) -> datetime | None:
    """An ISO 8601 time as given on the command line; without a zone it is UTC."""
    if text is None:
        return None
    try:
        given = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is no ISO 8601 time", hint="as 2026-01-31T12:00:00Z") from error
    return given if given.tzinfo else given.replace(tzinfo=UTC)
