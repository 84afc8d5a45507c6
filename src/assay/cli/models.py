"""`assay models`: what can be asked here, and why not."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console

from assay.cli.options import common_options
from assay.cli.output import emit

SHOWN_NAMES = 40


@click.command()
@click.option("--reach", is_flag=True, help="Ask each server for its list of models.")
@common_options
def command(reach: bool, as_json: bool) -> None:
    """List every published provider: can it be asked here, and what is missing if not.

    Packages, keys, addresses and weights are looked at; no prompt is sent and no secret shown.
    With --reach each server that has a key is asked which models it has, with a short limit.
    """
    from assay import wiring
    from assay.adapters.models.registry import look_at_providers

    states = look_at_providers(wiring.environment(), reach=reach)
    document = {"models": [state.to_dict() for state in states]}
    emit(document, as_json=as_json, human=lambda console: _draw(console, document["models"]))


def _draw(console: Console, rows: list[dict[str, Any]]) -> None:
    """A block each: hints are commands to copy, and a table would break them."""
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        state, style = ("yes", "green") if row["usable"] else ("no ", "yellow")
        console.print(f"{row['name']:<{width}}  {state}  {row['why']}", style=style, soft_wrap=True)
        indent = " " * (width + 7)
        if row["hint"]:
            console.print(f"{indent}{row['hint']}", soft_wrap=True)
        for name in row["names"]:
            console.print(f"{indent}--model {row['provider']}:{name}", soft_wrap=True)
        listed = row["models"] or []
        for name in listed[:SHOWN_NAMES]:
            console.print(f"{indent}--model {row['provider']}:{name}", soft_wrap=True)
        if len(listed) > SHOWN_NAMES:
            console.print(f"{indent}and {len(listed) - SHOWN_NAMES} more (--json lists all)")
