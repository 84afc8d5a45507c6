"""`assay validate ASSEMBLY [ANSWER]`: judges an answer against its assembly; calls no model."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console

from assay.cli.assemble import MAX_BUNDLE_BYTES, read_policy_file
from assay.cli.options import common_options, read_argument
from assay.cli.output import emit
from assay.cli.tables import plain_text, rows_table
from assay.errors import InputError, UsageError

REJECTED_EXIT = 20


@click.command()
@click.argument("assembly", metavar="ASSEMBLY")
@click.argument("answer", metavar="[ANSWER]", default="-")
@click.option(
    "--policy",
    "policy_file",
    metavar="FILE",
    help="A whole selection policy, YAML or JSON; says what unsupported names do.",
)
@common_options
def command(assembly: str, answer: str, policy_file: str | None, as_json: bool) -> int:
    """Judge ANSWER (a file, or standard input) against ASSEMBLY.

    ASSEMBLY is what `assay assemble --json` printed. Leaves with 0 when the answer passes and
    with 20 when it is rejected.
    """
    from assay.answers.assemble import validate
    from assay.core.json.strict import Refused, parse_object

    if assembly == answer == "-":
        raise UsageError("ASSEMBLY and ANSWER cannot both be standard input")
    policy = read_policy_file(policy_file)
    parsed = parse_object(read_argument(assembly, what="assembly"), max_bytes=MAX_BUNDLE_BYTES)
    if isinstance(parsed, Refused):
        raise InputError(
            f"assembly: no JSON object ({parsed.code})",
            hint="give what `assay assemble --json` printed",
        )
    result = validate(parsed.value, read_argument(answer, what="answer"), policy)
    document = result.to_dict()
    emit(document, as_json=as_json, human=lambda console: _draw(console, document))
    return 0 if result.accepted else REJECTED_EXIT


def _draw(console: Console, document: dict[str, Any]) -> None:
    passed = document["validation_status"] == "PASSED"
    console.print(document["validation_status"], style="green" if passed else "red")
    if document["failure_reason"]:
        console.print(document["failure_reason"], markup=False)
    if document["findings"]:
        columns = ("code", "severity", "start", "stop", "message")
        console.print(rows_table("findings", document["findings"], columns))
    if document["validated_answer_text"] is not None:
        console.print(plain_text(document["validated_answer_text"]), markup=False)
