"""`assay run PACK INPUT…`: bring files through a pack's flow.

In      a pack, files and folders
Out     one JSON line an input, or a table with the evidence shown in the text
Spec    interfaces.md, "Command line"
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from assay.cli.evidence import show_evidence
from assay.cli.options import common_options, model_options, store_option
from assay.cli.output import to_json, write
from assay.cli.tables import one_line, outcome_table

if TYPE_CHECKING:
    from assay.pack.pack import Pack
    from assay.runtime.calls.run import ItemOutcome
    from assay.wiring.documents import Documents

REVIEW_EXIT = 30
SHOW_EVIDENCE_UP_TO = 12


@click.command()
@click.argument("pack_name", metavar="PACK")
@click.argument("inputs", metavar="INPUT…", nargs=-1, required=True)
@store_option
@model_options
@click.option("--strict", is_flag=True, help="Leave with 30 when an outcome needs review.")
@click.option("--again", is_flag=True, help="Ask the model even for what is settled already.")
@click.option("--max-input-tokens", type=click.IntRange(min=0), help="Budget of this run.")
@click.option("--max-output-tokens", type=click.IntRange(min=0), help="Budget of this run.")
@click.option("--max-total-tokens", type=click.IntRange(min=0), help="Budget of this run.")
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
    again: bool,
    max_input_tokens: int | None,
    max_output_tokens: int | None,
    max_total_tokens: int | None,
    documents: str | None,
    evidence: bool | None,
    as_json: bool,
) -> int:
    """Run PACK's flow over files or folders; every outcome is recorded.

    PACK is a bundled pack's name or a folder. A second run goes on where the first one
    stopped: what is settled under the same contract, model and bytes is not sent again.
    """
    from assay import wiring
    from assay.runtime.calls.budget import RunBudget
    from assay.runtime.calls.inputs import find_inputs

    pack = wiring.load_pack(pack_name)
    budget = RunBudget(
        max_input_tokens=_least(max_input_tokens, pack.budget.max_input_tokens),
        max_output_tokens=_least(max_output_tokens, pack.budget.max_output_tokens),
        max_total_tokens=_least(max_total_tokens, pack.budget.max_total_tokens),
    )
    library = _documents(pack, documents)
    from_input = [sys.stdin.buffer.read()] if "-" in inputs else []
    paths = [name for name in inputs if name != "-"]
    found = find_inputs(paths, pack.source) if paths else None
    files = [str(path) for path in found.taken] if found else []
    for path in found.skipped if found else ():
        click.echo(one_line(f"skipped: {path}"), err=True)
    done = reviews = 0
    with (
        wiring.open(store_url, model, pack=pack, script_log=script_log) as runtime,
        _progress(len(files) + len(from_input)) as progress,
    ):
        for outcome in runtime.run(pack, [*from_input, *files], again=again, budget=budget):
            next(progress)
            written = library.write(outcome) if library else ()
            if as_json:
                write(to_json(outcome.to_dict()))
            else:
                _say(outcome, len(files) <= SHOW_EVIDENCE_UP_TO if evidence is None else evidence)
            for path in written:
                click.echo(one_line(f"written: {path}"), err=True)
            done += 1
            reviews += outcome.outcome.status == "needs_review"
        drifted = sorted(runtime.registry.rendered_drifted)
    for name in drifted:
        click.echo(
            one_line(
                f"warning: template {name} was edited in the store since it was added, and was "
                "sent as it stands (assay templates drift; ASSAY_STRICT_TEMPLATES=1 refuses it)"
            ),
            err=True,
        )
    if not as_json:
        console = Console(highlight=False)
        console.print(
            f"{done} inputs: {done - reviews} settled, {reviews} for review (assay review list)"
        )
    return REVIEW_EXIT if strict and reviews else 0


def _documents(pack: Pack, folder: str | None) -> Documents | None:
    if folder is None:
        return None
    from assay.wiring.documents import Documents

    return Documents(pack, Path(folder))


def _least(wanted: int | None, allowed: int | None) -> int | None:
    limits = [limit for limit in (wanted, allowed) if limit is not None]
    return min(limits) if limits else None


def _say(outcome: ItemOutcome, evidence: bool) -> None:
    console = Console(highlight=False)
    console.print(outcome_table(outcome))
    if evidence:
        show_evidence(console, outcome)


class _progress:  # noqa: N801 - reads as a verb where it is used
    """A bar on standard error, only where a person watches it."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._console = Console(stderr=True)

    def __enter__(self) -> Iterator[None]:
        self._bar: Progress | None = None
        if self._console.is_terminal and self._total > 1:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=self._console,
                transient=True,
            )
            self._bar.start()
            task = self._bar.add_task("inputs", total=self._total)
            return self._ticks(self._bar, task)
        return self._silence()

    @staticmethod
    def _ticks(bar: Progress, task: Any) -> Iterator[None]:
        while True:
            bar.advance(task)
            yield

    @staticmethod
    def _silence() -> Iterator[None]:
        while True:
            yield

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
