"""`assay replay CALL…`: rebuild recorded prompts and judge the replies again; no model is called.
`assay backtest CONTRACT_OR_TEMPLATE`: which recorded outcomes a candidate would turn.

In      ids of recorded calls; a candidate contract or template, a filter
Out     one JSON document a call, or a table; counts and examples
Spec    interfaces.md, "Command line" (`assay replay`, `assay backtest`); 002-N2, 002-N3
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from assay.cli.calls import parse_time
from assay.cli.candidates import complete_model
from assay.cli.options import (
    class_option,
    common_options,
    pack_or_class,
    read_argument,
    store_option,
)
from assay.cli.output import emit, findings_table, rows_table, terminal, to_json, write
from assay.cli.progress import progress_bar

if TYPE_CHECKING:
    from assay.runtime.replay.replay import Replayed

DIFFERS_EXIT = 50
REVIEW_EXIT = 30


@click.command()
@click.argument("calls", metavar="CALL…", nargs=-1, required=True)
@store_option
@click.option("--pack", "folder", help="Folder of the pack, when it is not a bundled one.")
@class_option
@click.option(
    "--input", "input_file", help="The original input of the calls, when its texts were not kept."
)
@click.option("--strict", is_flag=True, help="Leave with 50 when anything differs.")
@common_options
def replay(
    calls: tuple[str, ...],
    store_url: str,
    folder: str | None,
    class_name: str | None,
    input_file: str | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Rebuild the prompts of each CALL and judge its stored replies again.

    Prompts can be rebuilt when the call was made with ASSAY_MASTER_KEY set, so that its
    source texts were kept, and when they have not been erased since; or with the original
    input, whose digest is on record.
    """
    from assay import wiring

    pack = pack_or_class(folder, class_name)
    original = None if input_file is None else read_argument(input_file, what="input")
    differs = False
    with (
        progress_bar("replaying", len(calls), what="calls") as show_progress,
        wiring.open(store_url, "none", must_exist=True) as runtime,
    ):
        for number, call in enumerate(calls):
            show_progress(number)
            replayed = runtime.replay(call, pack, original=original)
            differs = differs or replayed.differs
            if as_json:
                write(to_json(replayed.to_dict()))
            else:
                _draw_replay(terminal(), replayed)
    return DIFFERS_EXIT if strict and differs else 0


def _draw_replay(console: Console, replayed: Replayed) -> None:
    console.print(replayed.call, style="bold", soft_wrap=True)
    first = replayed.first_difference
    where = ""
    if first is not None:
        byte = "" if first.byte is None else f" from byte {first.byte}"
        section = "" if first.section is None else f" in section {first.section}"
        where = f": attempt {first.attempt}{byte}{section}, cause: {first.cause.value}"
    console.print(f"  prompt   {replayed.prompt}{where}")
    if replayed.redacted != replayed.prompt:
        console.print(f"  redacted {replayed.redacted}")
    if replayed.schema is not None:
        console.print(f"  schema   {replayed.schema}")
    partly = " (without the source texts)" if replayed.without_sources else ""
    console.print(f"  verdict  {replayed.verdict}{partly}")
    console.print(f"  result   {replayed.result}")
    console.print(f"  contract {replayed.contract}")
    if replayed.verdict == "changed" and replayed.findings:
        console.print(findings_table([finding.to_dict() for finding in replayed.findings]))


@click.command()
@click.argument("candidate", metavar="CONTRACT_OR_TEMPLATE")
@store_option
@click.option("--pack", "folder", help="Folder of the candidate pack, or of the template's pack.")
@click.option("--since", help="Only calls made at or after this time (ISO 8601).")
@click.option("--until", help="Only calls made before this time (ISO 8601).")
@click.option("--outcome", help="Only calls that ended so: accepted, needs_review, no_evidence.")
@click.option(
    "--model",
    shell_complete=complete_model,
    metavar="PROVIDER:NAME",
    help="Ask this model with the candidate's prompts, instead of judging stored replies.",
)
@click.option("--strict", is_flag=True, help="Leave with 30 when an accepted call would turn.")
@common_options
def backtest(
    candidate: str,
    store_url: str,
    folder: str | None,
    since: str | None,
    until: str | None,
    outcome: str | None,
    model: str | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Put recorded calls to a candidate; print which outcomes would change.

    The candidate is PACK/NAME (PACK may be a folder with a changed contract), a template
    file, or a template version of the store as ROLE/NAME@VERSION.
    """
    from assay import wiring
    from assay.protocols import CallFilter
    from assay.runtime.replay import backtest as backtests
    from assay.wiring.backtests import candidates, sort_references, template_of

    meant = sort_references(candidate, folder)
    which = CallFilter(since=parse_time(since), until=parse_time(until), outcome=outcome)
    with (
        progress_bar("testing recorded calls", what="calls") as show_progress,
        wiring.open(store_url, model or "none", must_exist=True) as runtime,
    ):
        template = runtime.do(template_of(runtime.runtime, meant))
        tests = [
            runtime.do(
                backtests.backtest(
                    runtime.runtime.context,
                    each,
                    which,
                    rerun=model is not None,
                    progress=show_progress,
                )
            )
            for each in candidates(meant, template)
        ]
        documents = [tested.to_dict() for tested in tests]
        turning = [each["call"] for tested in documents for each in tested["examples"]]
        short = runtime.shorten_ids("call", turning)
    turned = sum(tested.would_turn for tested in tests)
    document = documents[0] if len(documents) == 1 else {"would_turn": turned, "tests": documents}
    emit(document, as_json=as_json, human=lambda console: _draw_backtest(console, documents, short))
    return REVIEW_EXIT if strict and turned else 0


def _draw_backtest(
    console: Console, documents: list[dict[str, Any]], short: Mapping[str, str]
) -> None:
    for document in documents:
        facts = [
            {"what": key, "count": value}
            for key, value in (
                ("calls on record", document["calls"]),
                ("tested", document["tested"]),
                *((f"skipped: {why}", n) for why, n in document["skipped"].items()),
                *((f"prompts that {how}", n) for how, n in document["prompts"].items()),
                *document["changes"].items(),
            )
        ]
        console.print(rows_table(document["contract"], facts, ("what", "count")))
        if document["examples"]:
            columns = ("call", "from", "to", "reason", "codes", "asks_again")
            rows = [{**each, "call": short[each["call"]]} for each in document["examples"]]
            console.print(rows_table("calls that would turn", rows, columns, ids=("call",)))
