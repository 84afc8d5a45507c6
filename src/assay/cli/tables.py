"""Tables for people: outcomes, calls, reviews, findings.

In      outcomes and rows
Out     rich tables; no control characters of foreign text reach the terminal
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from assay.contract.job import Weighed
from assay.runtime.calls.run import ItemOutcome

COLOURS = {"accepted": "green", "no_evidence": "yellow", "needs_review": "red"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain_text(text: str) -> str:
    """Foreign text made harmless for a terminal: control characters become `·`."""
    return _CONTROL.sub("·", text)


def one_line(text: str) -> str:
    """As `plain_text`, and line ends and tabs too: what stands in a line of its own stays in it."""
    return plain_text(text).replace("\n", "·").replace("\t", "·")


def outcome_table(outcome: ItemOutcome) -> Table:
    """One input: what became of each call, and what was found."""
    status = outcome.outcome.status
    title = Text(plain_text(outcome.input), style="bold")
    title.append(f"  {status}", style=COLOURS.get(status, ""))
    if outcome.outcome.reason:
        title.append(f"  {outcome.outcome.reason}")
    if outcome.reused:
        title.append("  (settled before)", style="dim")
    if outcome.erased:
        title.append("  content erased since; --again asks anew", style="yellow")
    table = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    for column in ("contract", "outcome", "attempts", "result"):
        table.add_column(column, overflow="fold")
    for call in outcome.calls:
        table.add_row(
            call.contract,
            Text(call.outcome.status, style=COLOURS.get(call.outcome.status, "")),
            str(call.attempts),
            plain_text(_summary(call.result, call.weighed)),
        )
    return table


def _summary(result: Mapping[str, Any] | None, weighed: Weighed | None) -> str:
    if result is None:
        codes = [str(f["code"]) for f in weighed.findings] if weighed is not None else []
        return ", ".join(dict.fromkeys(codes)) or "–"
    return "; ".join(
        f"{name}: {_brief_value(value)}" for name, value in result.items() if _brief_value(value)
    )


def _brief_value(value: Any) -> str:
    """The label, kind or text that stands for a value of a result, whatever its shape."""
    if isinstance(value, Mapping):
        words = [str(v) for k, v in value.items() if isinstance(v, str | bool | float | int)]
        return " ".join(words)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_brief_value(each) for each in value)
    return str(value)


def rows_table(title: str, rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> Table:
    """Rows of documents as a table of the named fields."""
    table = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        cells = []
        for column in columns:
            value = row.get(column)
            text = "" if value is None else plain_text(str(value))
            cells.append(Text(text, style=COLOURS.get(text, "")))
        table.add_row(*cells)
    return table


def findings_table(findings: Iterable[Mapping[str, Any]]) -> Table:
    """The gate's findings: code, place, message."""
    return rows_table("findings", findings, ("code", "severity", "path", "message"))
