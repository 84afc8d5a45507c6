"""`assay sessions list|show`: conversations and their cached state."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console

from assay.cli.options import common_options, store_option
from assay.cli.output import emit
from assay.cli.tables import plain_text, rows_table

COLUMNS = ("id", "pack", "status", "turn", "next_stage", "updated_at")


@click.group()
def command() -> None:
    """Conversations."""


@command.command("list")
@store_option
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True)
@common_options
def list_(store_url: str, limit: int, as_json: bool) -> None:
    """List sessions, the latest first."""
    from assay import wiring
    from assay.runtime.conversations.sessions import session_document

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        rows = [session_document(row) for row in runtime.sessions(limit)]
    emit(
        {"sessions": rows},
        as_json=as_json,
        human=lambda console: console.print(rows_table("sessions", rows, COLUMNS)),
    )


@command.command()
@click.argument("session_id", metavar="ID")
@store_option
@common_options
def show(session_id: str, store_url: str, as_json: bool) -> None:
    """Show where a session stands, its cached state and its latest turn.

    A session whose stored state was edited is refused (50).
    """
    from assay import wiring

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        document = runtime.session(session_id)
    emit(document, as_json=as_json, human=lambda console: _draw(console, document))


def _draw(console: Console, document: dict[str, Any]) -> None:
    from assay.flow.state import state_text

    facts = [{"field": key, "value": value} for key, value in document["session"].items()]
    console.print(rows_table("session", facts, ("field", "value")))
    console.print("\n[bold]cached state[/bold]")
    for name, slice_ in document["cached_state"].items():
        console.print(f"  {name}: {plain_text(state_text(slice_))}", markup=False)
    console.print("\n[bold]latest turn[/bold]")
    for step in document["turn"]["stages"]:
        line = f"  {step['stage']}: {step['outcome']}, attempts {step['attempts']}, {step['call']}"
        console.print(line, markup=False)
    console.print(f"  reply: {plain_text(str(document['turn']['reply']))}", markup=False)
