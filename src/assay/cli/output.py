"""How a command speaks: one JSON document for programs, or text and tables for people.

In      a document, outcomes and rows, or an error
Out     standard output (documents, tables), standard error (one error line)
Spec    interfaces.md, "Command line"
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.cli.terminal import escape_json, one_line, plain_text, say, terminal, write
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.contract.job import Weighed
    from assay.contract.shortened import Shortened
    from assay.runtime.calls.run import ItemOutcome

__all__ = [
    "COLOURS",
    "complain",
    "emit",
    "findings_table",
    "one_line",
    "outcome_table",
    "plain_text",
    "rows_table",
    "say",
    "terminal",
    "to_json",
    "write",
]

COLOURS = {"accepted": "green", "no_evidence": "yellow", "needs_review": "red"}


def to_json(document: Any, *, indent: int | None = None) -> str:
    """JSON, in one line unless *indent* is given.

    Text outside ASCII stays readable; control characters and marks of direction are escaped.
    """
    return escape_json(json.dumps(document, ensure_ascii=False, indent=indent))


def emit(document: Mapping[str, Any], *, as_json: bool, human: Callable[[Console], None]) -> None:
    """Print *document* for a program, or let *human* draw it for a person."""
    if as_json:
        write(to_json(document))
    else:
        human(terminal())


def complain(error: AssayError, *, as_json: bool) -> None:
    """The one error line, and with `--json` the error document beside it."""
    hint = f" ({error.hint})" if error.hint else ""
    say(f"error[{error.code}]: {error}{hint}".replace("\n", " "))
    if as_json:
        write(to_json({"error": error.to_dict()}))


# --- tables ------------------------------------------------------------------------------------


def outcome_table(outcome: ItemOutcome) -> Table:
    """One input: what became of each call, and what was found."""
    status = outcome.outcome.status
    title = Text(plain_text(outcome.input), style="bold")
    title.append(f"  {status}", style=COLOURS.get(status, ""))
    if outcome.outcome.reason:
        title.append(f"  {outcome.outcome.reason}")
    if outcome.detail:
        title.append(f"\n{plain_text(outcome.detail)}")
    if outcome.reused:
        title.append("  (settled before)", style="dim")
    if outcome.erased:
        title.append("  content erased since; --again asks anew", style="yellow")
    table = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    cut = outcome.shortened is not None
    columns = ("contract", "outcome", "attempts", *(("not shown",) if cut else ()), "result")
    for column in columns:
        table.add_column(column, overflow="fold")
    for call in outcome.calls:
        table.add_row(
            call.contract,
            Text(call.outcome.status, style=COLOURS.get(call.outcome.status, "")),
            str(call.attempts),
            *((_cut_text(call.shortened),) if cut else ()),
            _summary(call.result, call.weighed),
        )
    if outcome.unread:
        read = [f"not read: {part.part}: {part.why}" for part in outcome.unread]
        table.caption = Text(plain_text("\n".join(read)), style="yellow")
        table.caption_justify = "left"
    return table


def _cut_text(shortened: Shortened | None) -> Text:
    """How many characters a call did not show, and whether own words were among them."""
    if shortened is None:
        return Text("–")
    text = f"{shortened.omitted_chars} characters"
    own = shortened.own_words
    return Text(text + (", own words" if own else ""), style="yellow" if own else "")


def _summary(result: Mapping[str, Any] | None, weighed: Weighed | None) -> str:
    if result is None:
        codes = [f.code for f in weighed.findings] if weighed is not None else []
        return ", ".join(dict.fromkeys(codes)) or "–"
    return "; ".join(
        f"{name}: {_value_text(value)}" for name, value in result.items() if _value_text(value)
    )


def _value_text(value: Any) -> str:
    """The label, kind or text that stands for a value of a result, whatever its shape."""
    if isinstance(value, Mapping):
        words = [str(v) for k, v in value.items() if isinstance(v, str | bool | float | int)]
        return " ".join(words)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_value_text(each) for each in value)
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


def stopped_sentences(events: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Number of the event of each reply that was stopped while it arrived -> that, and why."""
    sentences: dict[int, str] = {}
    for event in events:
        facts = event["facts"]
        stream = (facts.get("details") or {}).get("stream") or {}
        if event["kind"] != "model.answered" or not stream.get("stopped"):
            continue
        said = f"stopped while it arrived, after {stream['chars']} characters"
        said += f" (about {stream['output_tokens_estimate']} tokens;"
        said += f" at most {stream['saved_tokens_at_most']} saved)"
        why = _first_finding(events, facts["attempt"])
        sentences[event["seq"]] = f"{said}: {why}" if why else said
    return sentences


def _first_finding(events: Sequence[Mapping[str, Any]], attempt: int) -> str:
    """Code and place of what an attempt was rejected for first."""
    for event in events:
        if event["kind"] == "output.judged" and event["facts"].get("attempt") == attempt:
            findings = event["payloads"].get("findings") or event["facts"]["findings"]
            for finding in findings:
                if finding["code"] != "output.stopped":
                    path = finding.get("path")
                    return f"{finding['code']} at {path}" if path else finding["code"]
    return ""
