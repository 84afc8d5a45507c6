"""`assay assemble BUNDLE --question Q`: selects evidence and builds the prompt; calls no model."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console

from assay.cli.options import common_options, read_argument
from assay.cli.output import emit
from assay.cli.tables import plain_text, rows_table

FAILED_EXIT = 10


@click.command()
@click.argument("bundle", metavar="BUNDLE", default="-")
@click.option("--question", required=True, metavar="Q", help="The question, as the user asked it.")
@click.option(
    "--policy",
    "policy_file",
    metavar="FILE",
    help="A whole selection policy, YAML or JSON. Default: R2_POLICY_V1.",
)
@common_options
def command(bundle: str, question: str, policy_file: str | None, as_json: bool) -> int:
    """Assemble the answer bundle and the prompt from BUNDLE, a RetrievalBundle in JSON.

    BUNDLE is a file, or - for standard input. Leaves with 0 when there is a prompt or no
    evidence, and with 10 when a contract is broken (the document says which).
    """
    from assay.answers.assemble import assemble, refuse
    from assay.core.json.strict import Refused, parse

    policy = read_policy_file(policy_file)
    parsed = parse(read_argument(bundle, what="bundle"), max_bytes=MAX_BUNDLE_BYTES)
    if isinstance(parsed, Refused):
        assembly = refuse(f"bundle: is no strict JSON ({parsed.code})", policy)
    else:
        assembly = assemble(parsed.value, question, policy)
    document = assembly.to_dict()
    emit(document, as_json=as_json, human=lambda console: _draw(console, document))
    return FAILED_EXIT if assembly.status == "FAILED" else 0


MAX_BUNDLE_BYTES = 256 << 20
"""256 MiB: a bundle is retrieval's output, not a model's."""


def read_policy_file(name: str | None) -> Any:
    """The policy of a file; None when there is none.

    Raises:
        InputError: the file cannot be read, or the policy is refused.
    """
    from assay.answers.evidence.policy import read_policy
    from assay.errors import InputError, PackError
    from assay.pack.document import read_yaml

    if name is None:
        return None
    try:
        document = read_yaml("policy", read_argument(name, what="policy"))
    except PackError as error:
        raise InputError(str(error), hint=error.hint) from error
    return read_policy(document.value)


def _draw(console: Console, document: dict[str, Any]) -> None:
    answer, prompt = document["answer_bundle"], document["prompt_build"]
    status = answer["assembly_status"]
    colours = {"OK": "green", "NO_EVIDENCE": "yellow", "FAILED": "red"}
    console.print(status, style=colours[status])
    if answer["failure_reason"]:
        console.print(plain_text(answer["failure_reason"]), markup=False)
    if answer["selected_evidence"]:
        columns = ("citation_anchor", "chunk_id", "rank", "similarity_score", "truncated")
        console.print(rows_table("evidence", answer["selected_evidence"], columns))
    if answer["assembly_metrics"]["drops"]:
        drops = answer["assembly_metrics"]["drops"]
        console.print(rows_table("left out", drops, ("chunk_id", "code")))
    if prompt["prompt_text"]:
        counts = prompt["token_counts"]
        console.print(
            f"{counts['total_prompt_tokens']} tokens, the reserve for the answer included"
        )
        console.print(plain_text(prompt["prompt_text"]), markup=False)
