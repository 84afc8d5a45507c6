"""`assay backtest CONTRACT_OR_TEMPLATE`: which recorded outcomes a candidate would turn.

In      a candidate contract or template, a filter
Out     counts and examples
Spec    interfaces.md, "Command line" (`assay backtest`); 002-N2
"""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console

from assay.cli.calls import moment
from assay.cli.options import common_options, store_option
from assay.cli.output import emit
from assay.cli.tables import rows_table

REVIEW_EXIT = 30


@click.command()
@click.argument("candidate", metavar="CONTRACT_OR_TEMPLATE")
@store_option
@click.option("--pack", "folder", help="Folder of the candidate pack, or of the template's pack.")
@click.option("--since", help="Only calls made at or after this time (ISO 8601).")
@click.option("--until", help="Only calls made before this time (ISO 8601).")
@click.option("--outcome", help="Only calls that ended so: accepted, needs_review, no_evidence.")
@click.option(
    "--model",
    metavar="PROVIDER:NAME",
    help="Ask this model with the candidate's prompts, instead of judging stored replies.",
)
@click.option("--strict", is_flag=True, help="Leave with 30 when an accepted call would turn.")
@common_options
def command(
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
    from assay.runtime.replay.backtest import backtest
    from assay.wiring.backtests import candidates, sort_references, template_of

    meant = sort_references(candidate, folder)
    which = CallFilter(since=moment(since), until=moment(until), outcome=outcome)
    with wiring.open(store_url, model or "none", must_exist=True) as runtime:
        template = runtime.do(template_of(runtime.runtime, meant))
        tests = [
            runtime.do(backtest(runtime.runtime.context, each, which, rerun=model is not None))
            for each in candidates(meant, template)
        ]
    documents = [tested.to_dict() for tested in tests]
    turned = sum(tested.would_turn for tested in tests)
    document = documents[0] if len(documents) == 1 else {"would_turn": turned, "tests": documents}
    emit(document, as_json=as_json, human=lambda console: _draw(console, documents))
    return REVIEW_EXIT if strict and turned else 0


def _draw(console: Console, documents: list[dict[str, Any]]) -> None:
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
            console.print(rows_table("calls that would turn", document["examples"], columns))
