"""`assay gate CONTRACT [OUTPUT]`: judge one model output; no model is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from assay.cli.candidates import complete_contract
from assay.cli.options import common_options, read_argument
from assay.cli.output import COLOURS, complain, emit, findings_table, rows_table
from assay.errors import InputError, PackError, UsageError

if TYPE_CHECKING:
    from assay.contract.contract import Contract

REJECTED_EXIT = 20


@click.command()
@click.argument("contract_name", metavar="CONTRACT", shell_complete=complete_contract)
@click.argument("output", metavar="[OUTPUT]", default="-")
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="NAME=FILE",
    help="A source text that evidence may quote; in the order of search. Repeatable.",
)
@click.option(
    "--labels", "labels_file", help="A JSON object: the label sets that a class takes, by name."
)
@click.option("--state", "state_file", help="A JSON object: the state that rules may read.")
@click.option("--input", "input_file", help="A JSON object: the input that rules may read.")
@click.option("--finish-reason", help="Why the model stopped, as it reported.")
@common_options
def command(
    contract_name: str,
    output: str,
    sources: tuple[str, ...],
    labels_file: str | None,
    state_file: str | None,
    input_file: str | None,
    finish_reason: str | None,
    as_json: bool,
) -> int:
    """Judge OUTPUT (a file, or standard input) against CONTRACT, which is PACK/NAME.

    CONTRACT may be a class of pydantic, as MODULE:CLASS; its module is imported.

    Leaves with 0 when the output is accepted and with 20 when it is rejected.
    """
    from assay.contract.contract import judge

    try:
        contract = _read_contract(contract_name, _object(labels_file, "labels"))
    except PackError as error:  # here it is an input that is wrong, nobody asked to verify it
        complain(error, as_json=as_json)
        return InputError.exit_code
    named = dict(_source(word) for word in sources)
    verdict = judge(
        contract,
        read_argument(output, what="output"),
        sources=named,
        state=_object(state_file, "state"),
        input=_object(input_file, "input"),
        finish_reason=finish_reason,
    )
    document = verdict.to_dict()
    emit(document, as_json=as_json, human=lambda console: _draw(console, document))
    return 0 if verdict.accepted else REJECTED_EXIT


def _read_contract(name: str, labels: dict[str, Any] | None) -> Contract:
    from assay import wiring
    from assay.contract.contract import Contract
    from assay.wiring.classes import load_class

    if ":" in name and "/" not in name:
        return Contract.from_model(load_class(name), labels=labels)
    if labels is not None:
        raise UsageError("a contract of a pack has its labels", hint="leave --labels out")
    return wiring.load_contract(name)


def _source(word: str) -> tuple[str, str]:
    name, equals, file = word.partition("=")
    if not equals or not name:
        raise UsageError(f"--source {word!r} is not NAME=FILE")
    try:
        return name, read_argument(file, what=f"source {name}").decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"source {name!r} is not UTF-8 text") from error


def _object(file: str | None, what: str) -> dict[str, Any] | None:
    from assay.core.json.strict import Refused, parse_object

    if file is None:
        return None
    parsed = parse_object(read_argument(file, what=what))
    if isinstance(parsed, Refused):
        raise InputError(f"{what}: no JSON object ({parsed.code})")
    value: dict[str, Any] = parsed.value
    return value


def _draw(console: Console, document: dict[str, Any]) -> None:
    verdict = document["verdict"]
    console.print(verdict, style="green" if verdict == "accepted" else COLOURS["needs_review"])
    if document["findings"]:
        console.print(findings_table(document["findings"]))
    if document["spans"]:
        columns = ("path", "source", "start", "stop", "match", "occurrences")
        console.print(rows_table("evidence", document["spans"], columns))
