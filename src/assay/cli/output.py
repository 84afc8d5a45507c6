"""How a command speaks: one JSON document for programs, or text and tables for people.

In      a document, outcomes and rows, or an error
Out     standard output (documents, tables), standard error (one error line)
Spec    interfaces.md, "Command line"
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from assay.cli.tables import COLOURS, Rows, count_of, print_facts, rows_table, value_text
from assay.cli.terminal import (
    NobodyReadsError,
    escape_json,
    one_line,
    plain_text,
    say,
    terminal,
    write,
)
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.contract.contract import Contract
    from assay.contract.job import Weighed
    from assay.contract.shortened import Shortened
    from assay.protocols import Model
    from assay.runtime.calls.run import ItemOutcome

__all__ = [
    "COLOURS",
    "complain",
    "count_of",
    "emit",
    "findings_table",
    "one_line",
    "outcome_table",
    "plain_text",
    "print_facts",
    "rows_table",
    "say",
    "terminal",
    "to_json",
    "value_text",
    "write",
]


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
        with suppress(OSError, NobodyReadsError):  # it was said on standard error
            write(to_json({"error": error.to_dict()}))


# --- tables ------------------------------------------------------------------------------------


def outcome_table(outcome: ItemOutcome) -> Rows:
    """One input: what became of each call, and what was found."""
    status = outcome.outcome.status
    title = Text(one_line(outcome.input), style="bold")
    title.append(f"  {status}", style=COLOURS.get(status, ""))
    if outcome.outcome.reason:
        title.append(f"  {outcome.outcome.reason}")
    if outcome.detail:
        title.append(f"\n{plain_text(outcome.detail)}", style="not bold")
    if outcome.reused:
        title.append("  (settled before)", style="dim")
    if outcome.erased:
        title.append("  content erased since; --again asks anew", style="yellow")
    cut = outcome.shortened is not None
    rows = [
        [
            Text(call.contract),
            Text(call.outcome.status, style=COLOURS.get(call.outcome.status, "")),
            Text(str(call.attempts)),
            *((_cut_text(call.shortened),) if cut else ()),
            Text(plain_text(_summary(call.result, call.weighed))),
        ]
        for call in outcome.calls
    ]
    read = [f"not read: {part.part}: {part.why}" for part in outcome.unread]
    return Rows(
        title=title,
        columns=("contract", "outcome", "attempts", *(("not shown",) if cut else ()), "result"),
        rows=rows,
        caption=Text(plain_text("\n".join(read)), style="yellow") if read else None,
        say_none=False,
    )


def _cut_text(shortened: Shortened | None) -> Text:
    """How many characters a call did not show, and whether own words were among them."""
    if shortened is None:
        return Text("–")
    text = count_of(shortened.omitted_chars, "character")
    own = shortened.own_words
    return Text(text + (", own words" if own else ""), style="yellow" if own else "")


def _summary(result: Mapping[str, Any] | None, weighed: Weighed | None) -> str:
    if result is None:
        codes = [f.code for f in weighed.findings] if weighed is not None else []
        return ", ".join(dict.fromkeys(codes)) or "–"
    words = {name: _result_text(value) for name, value in result.items() if value is not None}
    return "; ".join(f"{name}: {text}" for name, text in words.items() if text) or "–"


def _result_text(value: Any) -> str:
    """The label, kind or text that stands for a value of a result, whatever its shape."""
    if isinstance(value, Mapping):
        return " ".join(filter(None, (_named_text(name, each) for name, each in value.items())))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_result_text(each) for each in value)
    return "" if value is None else value_text(value)


def _named_text(name: str, value: Any) -> str:
    """A value beside others of one object; of what is so or not so, the name is what it says."""
    if isinstance(value, bool):
        words = name.replace("_", " ")
        return words if value else "" if name == "below_threshold" else f"not {words}"
    return str(value) if isinstance(value, str | float | int) else ""


def findings_table(findings: Iterable[Mapping[str, Any]]) -> Rows:
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
        said = f"stopped while it arrived, after {count_of(stream['chars'], 'character')}"
        said += f" (about {count_of(stream['output_tokens_estimate'], 'token')};"
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


def tell_purpose(model: Model, contracts: Iterable[Contract] = ()) -> None:
    """Say on standard error what a model is for, where that is less than to decide, and that it
    has no room for all that *contracts* may ask of it."""
    purpose = model.identity.get("purpose")
    if purpose:
        say(f"{model.name}: {purpose}; expect reviews (`assay models` lists others)")
    room = model.identity.get("context_tokens")
    if not isinstance(room, int):
        return
    asked = {
        each.reference: each.budget.max_input_tokens + each.budget.max_output_tokens
        for each in contracts
    }
    most = max(asked, key=lambda name: asked[name], default="")
    if most and asked[most] > room:
        say(
            f"{model.name}: has room for {room} tokens, and {most} may ask for {asked[most]}; "
            "inputs that are too long for it go to a person (ASSAY_EMBEDDED_CONTEXT makes room)"
        )
