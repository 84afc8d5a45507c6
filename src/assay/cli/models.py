"""`assay models`: what can be asked here, and why not."""

from __future__ import annotations

from shlex import quote
from typing import Any

import click
from rich.console import Console

from assay.cli.options import common_options
from assay.cli.output import emit
from assay.cli.terminal import foreign_prints_aside, one_line

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

    with foreign_prints_aside():
        states = look_at_providers(wiring.environment(), reach=reach)
    document = {"models": [state.to_dict() for state in states]}
    emit(document, as_json=as_json, human=lambda console: _draw(console, document["models"]))


def _draw(console: Console, rows: list[dict[str, Any]]) -> None:
    """A block each: hints are commands to copy, and a table would break them."""
    width = max((len(one_line(row["name"])) for row in rows), default=0)
    indent = " " * (width + 7)
    for row in rows:
        state, style = ("yes", "green") if row["usable"] else ("no ", "yellow")
        line = one_line(f"{row['name']:<{width}}  {state}  {row['why']}")
        console.print(line, style=style, soft_wrap=True)
        lines = [row["hint"]] if row["hint"] else []
        listed = row["models"] or []
        for name in (*row["names"][:SHOWN_NAMES], *listed[:SHOWN_NAMES]):
            lines.append(f"--model {quote(row['provider'] + ':' + name)}")
        if len(listed) > SHOWN_NAMES:
            lines.append(f"and {len(listed) - SHOWN_NAMES} more (--json lists all)")
        for told in lines:
            console.print(indent + one_line(told), soft_wrap=True)
