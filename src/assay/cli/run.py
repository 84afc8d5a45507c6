"""`assay run PACK INPUT…`: bring files through a pack's flow.

In      a pack, files and folders
Out     one JSON line an input, or a table with the evidence shown in the text
Spec    interfaces.md, "Command line"
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from assay.cli.candidates import complete_pack
from assay.cli.interrupts import settling_first
from assay.cli.options import common_options, model_options, parse_amount, store_option
from assay.cli.output import (
    count_of,
    outcome_table,
    plain_text,
    say,
    tell_purpose,
    terminal,
    to_json,
    write,
)
from assay.cli.run_progress import RunProgress, run_progress
from assay.errors import ModelUnavailableError
from assay.files import kind_of_file

if TYPE_CHECKING:
    from assay.pack.pack import Pack
    from assay.runtime.calls.run import ItemOutcome
    from assay.wiring.documents import Documents

Limit = TypeVar("Limit", int, Decimal)

REVIEW_EXIT = 30
INTERRUPTED_EXIT = 130
SHOW_EVIDENCE_UP_TO = 12

CONTEXT_CHARS = 1500
"""A text longer than this is shown around its evidence only."""


@click.command()
@click.argument("pack_name", metavar="PACK", shell_complete=complete_pack)
@click.argument("inputs", metavar="INPUT…", nargs=-1, required=True)
@store_option
@model_options
@click.option("--strict", is_flag=True, help="Leave with 30 when an outcome needs review.")
@click.option(
    "--locked", is_flag=True, help="Refuse a pack that is not what its pack.lock says (50)."
)
@click.option("--again", is_flag=True, help="Ask the model even for what is settled already.")
@click.option(
    "--parallel",
    type=click.IntRange(min=1),
    metavar="N",
    help="Inputs in flight (default: 8 for a model over a network, 1 for others).",
)
@click.option("--max-input-tokens", type=click.IntRange(min=0), help="Budget of this run.")
@click.option("--max-output-tokens", type=click.IntRange(min=0), help="Budget of this run.")
@click.option("--max-total-tokens", type=click.IntRange(min=0), help="Budget of this run.")
@click.option("--max-cost", metavar="AMOUNT", help="Budget of this run, in the price's currency.")
@click.option(
    "--documents",
    metavar="DIR",
    help="Write the documents that the pack delivers into this folder.",
)
@click.option(
    "--evidence/--no-evidence",
    default=None,
    help=f"Show the evidence in the text (default: for up to {SHOW_EVIDENCE_UP_TO} inputs).",
)
@common_options
def command(
    pack_name: str,
    inputs: tuple[str, ...],
    store_url: str,
    model: str,
    script_log: str | None,
    strict: bool,
    locked: bool,
    again: bool,
    parallel: int | None,
    max_input_tokens: int | None,
    max_output_tokens: int | None,
    max_total_tokens: int | None,
    max_cost: str | None,
    documents: str | None,
    evidence: bool | None,
    as_json: bool,
) -> int:
    """Run PACK's flow over files or folders; every outcome is recorded.

    PACK is a bundled pack's name or a folder. A second run goes on where the first one
    stopped: what is settled under the same contract, model and bytes is not sent again.
    The first ctrl-C settles what is under way, the second one stops at once.
    """
    from assay import wiring
    from assay.runtime.calls.budget import RunBudget
    from assay.runtime.calls.inputs import find_inputs

    pack = wiring.load_pack(pack_name, locked=locked)
    pack.require_flow()
    budget = RunBudget(
        max_input_tokens=_smaller_limit(max_input_tokens, pack.budget.max_input_tokens),
        max_output_tokens=_smaller_limit(max_output_tokens, pack.budget.max_output_tokens),
        max_total_tokens=_smaller_limit(max_total_tokens, pack.budget.max_total_tokens),
        max_cost=_smaller_limit(parse_amount(max_cost, "--max-cost"), pack.budget.max_cost),
    )
    library = _open_documents(pack, documents)
    from_input = [sys.stdin.buffer.read()] if "-" in inputs else []
    paths = [name for name in inputs if name != "-"]
    found = find_inputs(paths, pack.source) if paths else None
    files = list(found.taken) if found else []
    for path in found.skipped if found else ():
        kind = kind_of_file(path)
        if kind is None and path.is_dir():
            kind = "a link to a folder"
        say(f"skipped: {path}{f' ({kind})' if kind else ''}")
    progress = RunProgress(budget)
    total = len(files) + len(from_input)
    with (
        run_progress(progress, total) as pause,
        wiring.open(store_url, model, pack=pack, script_log=script_log) as runtime,
        settling_first() as interrupt,
    ):
        tell_purpose(runtime.runtime.context.model, pack.contracts.values())
        show = len(files) <= SHOW_EVIDENCE_UP_TO if evidence is None else evidence
        try:
            for outcome in runtime.run(
                pack,
                [*from_input, *files],
                again=again,
                budget=budget,
                parallel=parallel,
                halted=interrupt,
            ):
                progress.note(outcome)
                written = library.write(outcome) if library else ()
                with pause():
                    if as_json:
                        write(to_json(outcome.to_dict()))
                    else:
                        _print_outcome(outcome, show)
                    for path in written:
                        say(f"written: {path}")
        except ModelUnavailableError:
            if not interrupt.asked:
                raise
        drifted = sorted(runtime.registry.rendered_drifted)
    for name in drifted:
        say(
            f"warning: template {name} was edited in the store since it was added, and was "
            "sent as it stands (assay templates drift; ASSAY_STRICT_TEMPLATES=1 refuses it)"
        )
    if not as_json:
        console = terminal()
        spent = f"; cost: {budget.spending}" if budget.spending.exchanges else ""
        done, reviews = progress.done, progress.reviews
        console.print(
            f"{count_of(done, 'input')}: {done - reviews} settled, "
            f"{reviews} for review (assay review list){spent}"
        )
    if interrupt.asked:
        say(_left_text(files, max(0, total - progress.done)))
        return INTERRUPTED_EXIT
    return REVIEW_EXIT if strict and progress.reviews else 0


def _left_text(files: Sequence[Path], left: int) -> str:
    if any(path.suffix.lower() == ".mbox" for path in files):  # nobody counted what it holds
        return "interrupted: what was settled stays; the same command goes on with the rest"
    rest = "input is left; the same command goes on with it"
    if left != 1:
        rest = "inputs are left; the same command goes on with them"
    return f"interrupted: {left} {rest}"


def _open_documents(pack: Pack, folder: str | None) -> Documents | None:
    if folder is None:
        return None
    from assay.wiring.documents import Documents

    return Documents(pack, Path(folder))


def _smaller_limit(wanted: Limit | None, allowed: Limit | None) -> Limit | None:
    limits = [limit for limit in (wanted, allowed) if limit is not None]
    return min(limits) if limits else None


def _print_outcome(outcome: ItemOutcome, evidence: bool) -> None:
    console = terminal()
    console.print(outcome_table(outcome))
    if evidence:
        show_evidence(console, outcome)


# --- evidence ----------------------------------------------------------------------------------


def show_evidence(console: Console, outcome: ItemOutcome) -> None:
    """Print every source that holds evidence, underlined where it was quoted."""
    marks: dict[str, list[tuple[int, int, str]]] = {}
    for label, span in _spans(outcome.result or {}):
        marks.setdefault(span["source"], []).append((span["start"], span["stop"], label))
    for source, text in outcome.texts.items():
        if source in marks:
            title = Text(plain_text(source))  # a string would be read as mark-up
            console.print(Panel(_mark_spans(text, marks[source]), title=title, title_align="left"))


def _mark_spans(text: str, marks: list[tuple[int, int, str]]) -> Text:
    # `plain` keeps lengths, so that spans still fit.
    first = max(0, min(start for start, _, _ in marks) - CONTEXT_CHARS // 2)
    last = max(stop for _, stop, _ in marks) + CONTEXT_CHARS // 2
    if len(text) <= CONTEXT_CHARS:
        first, last = 0, len(text)
    shown = Text(plain_text(text[first:last]))
    for start, stop, _ in marks:
        shown.stylize("underline bold", start - first, stop - first)
    labels = sorted({(start, stop, label) for start, stop, label in marks})
    for start, stop, label in labels:
        shown.append(f"\n  {start}..{stop}  {label}", style="dim")
    return shown


def _spans(value: Any, label: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each evidence span of a result with the label that it supports."""
    if isinstance(value, Mapping):
        own = next(
            (str(v) for k, v in value.items() if isinstance(v, str) and k != "value_redacted"),
            label,
        )
        for key, each in value.items():
            if key == "evidence" and isinstance(each, list):
                for span in each:
                    yield own, span
            else:
                yield from _spans(each, own)
    elif isinstance(value, list):
        for each in value:
            yield from _spans(each, label)
