"""`assay assemble|validate|ask`: evidence and prompt, verdict on an answer, and the whole of it.

In      a question; a retrieval bundle, an assembly, or files and folders
Out     one JSON document, or the evidence, the verdict, the answer with the passages it cites
Spec    004; interfaces.md, "Command line", "Answers"
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from assay.cli.candidates import complete_pack
from assay.cli.options import common_options, model_options, read_argument, store_option
from assay.cli.output import COLOURS, emit, plain_text, rows_table, say, tell_purpose, terminal
from assay.cli.progress import progress_bar
from assay.errors import InputError, PackError, UsageError

if TYPE_CHECKING:
    from assay.runtime.answers.ask import Answered

FAILED_EXIT = 10
REJECTED_EXIT = 20
REVIEW_EXIT = 30

MAX_BUNDLE_BYTES = 256 << 20
"""256 MiB: a bundle is retrieval's output, not a model's."""


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
def assemble(bundle: str, question: str, policy_file: str | None, as_json: bool) -> int:
    """Assemble the answer bundle and the prompt from BUNDLE, a RetrievalBundle in JSON.

    BUNDLE is a file, or - for standard input. Leaves with 0 when there is a prompt or no
    evidence, and with 10 when a contract is broken (the document says which).
    """
    from assay.answers import assemble as answers
    from assay.core.json.strict import Refused, parse

    policy = _read_policy(policy_file)
    parsed = parse(read_argument(bundle, what="bundle"), max_bytes=MAX_BUNDLE_BYTES)
    if isinstance(parsed, Refused):
        assembly = answers.refuse(f"bundle: is no strict JSON ({parsed.code})", policy)
    else:
        assembly = answers.assemble(parsed.value, question, policy)
    document = assembly.to_dict()
    emit(document, as_json=as_json, human=lambda console: _draw_assembly(console, document))
    return FAILED_EXIT if assembly.status == "FAILED" else 0


def _draw_assembly(console: Console, document: dict[str, Any]) -> None:
    answer, prompt = document["answer_bundle"], document["prompt_build"]
    status = answer["assembly_status"]
    colours = {"OK": "green", "NO_EVIDENCE": "yellow", "FAILED": "red"}
    console.print(status, style=colours[status])
    if answer["failure_reason"]:
        console.print(answer["failure_reason"])
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
        console.print(prompt["prompt_text"])


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
def validate(assembly: str, answer: str, policy_file: str | None, as_json: bool) -> int:
    """Judge ANSWER (a file, or standard input) against ASSEMBLY.

    ASSEMBLY is what `assay assemble --json` printed. Leaves with 0 when the answer passes and
    with 20 when it is rejected.
    """
    from assay.answers import assemble as answers
    from assay.core.json.strict import Refused, parse_object

    if assembly == answer == "-":
        raise UsageError("ASSEMBLY and ANSWER cannot both be standard input")
    policy = _read_policy(policy_file)
    parsed = parse_object(read_argument(assembly, what="assembly"), max_bytes=MAX_BUNDLE_BYTES)
    if isinstance(parsed, Refused):
        raise InputError(
            f"assembly: no JSON object ({parsed.code})",
            hint="give what `assay assemble --json` printed",
        )
    result = answers.validate(parsed.value, read_argument(answer, what="answer"), policy)
    document = result.to_dict()
    emit(document, as_json=as_json, human=lambda console: _draw_validation(console, document))
    return 0 if result.accepted else REJECTED_EXIT


def _draw_validation(console: Console, document: dict[str, Any]) -> None:
    passed = document["validation_status"] == "PASSED"
    console.print(document["validation_status"], style="green" if passed else "red")
    if document["failure_reason"]:
        console.print(document["failure_reason"])
    if document["findings"]:
        columns = ("code", "severity", "start", "stop", "message")
        console.print(rows_table("findings", document["findings"], columns))
    if document["validated_answer_text"] is not None:
        console.print(document["validated_answer_text"])


@click.command()
@click.argument("question", metavar="QUESTION")
@click.option(
    "--docs",
    "docs",
    multiple=True,
    metavar="PATH",
    help="A file or folder to answer from (text, office files, PDF, mail, code); repeatable.",
)
@click.option("--bundle", "bundle", metavar="FILE", help="A RetrievalBundle in JSON instead.")
@click.option(
    "--policy",
    "policy_file",
    metavar="FILE",
    help="A whole selection policy, YAML or JSON. Default: that of the pack.",
)
@click.option(
    "--pack",
    "pack_name",
    default="grounded",
    shell_complete=complete_pack,
    show_default=True,
    metavar="PACK",
    help="A pack of answers, by name or folder: its policy, and the models that may be asked.",
)
@click.option(
    "--top-k",
    default=20,
    show_default=True,
    type=click.IntRange(min=1, max=1000),
    help="Passages to retrieve from --docs.",
)
@click.option(
    "--where",
    "where",
    multiple=True,
    metavar="KEY=VALUE",
    help="Only passages with this page, title, heading, file or metadata; KEY!=VALUE for all"
    " others; repeatable.",
)
@store_option
@model_options
@click.option("--strict", is_flag=True, help="Leave with 30 when the answer needs review.")
@click.option(
    "--locked", is_flag=True, help="Refuse a pack that is not what its pack.lock says (50)."
)
@click.option("--again", is_flag=True, help="Ask the model even for what is settled already.")
@common_options
def ask(
    question: str,
    docs: tuple[str, ...],
    bundle: str | None,
    policy_file: str | None,
    pack_name: str,
    top_k: int,
    where: tuple[str, ...],
    store_url: str,
    model: str,
    script_log: str | None,
    strict: bool,
    locked: bool,
    again: bool,
    as_json: bool,
) -> int:
    """Answer QUESTION from documents, every sentence with its source; or refuse.

    An answer that does not pass every check is never shown: it waits for a person
    (`assay review list`). The same question of the same documents is not sent twice.
    """
    from assay import wiring
    from assay.cli.arriving import ArrivingText
    from assay.runtime.calls.context import Progress

    if bool(docs) == (bundle is not None):
        raise UsageError("give --docs or --bundle, and not both")
    if question == "-":
        if bundle == "-":
            raise UsageError("QUESTION and --bundle cannot both be standard input")
        question = read_argument("-", what="question").decode("utf-8", "surrogateescape")
    policy = _read_policy(policy_file)
    pack = wiring.load_pack(pack_name, locked=locked)
    given = None if bundle is None else _read_bundle(bundle, policy)
    arriving = ArrivingText()
    watched = terminal(stderr=True).is_terminal and not as_json
    with (
        progress_bar("reading documents", what="files") as show_progress,
        wiring.open(
            store_url,
            model,
            script_log=script_log,
            progress=Progress(
                hear=lambda heard: show_progress(None, None, arriving.line(heard), at_once=True),
                unjudged=pack.show == "unjudged",
            )
            if watched
            else None,
        ) as runtime,
    ):
        tell_purpose(runtime.runtime.context.model)
        answered = runtime.ask(
            question,
            docs=list(dict.fromkeys(docs)),
            bundle=given,
            policy=policy,
            pack=pack,
            top_k=top_k,
            where=where,
            again=again,
            progress=lambda done, total, name: show_progress(
                done, total, plain_text(name)[-40:] or "done"
            ),
        )
    for each in answered.left_out:
        say(f"left out: {each.file}: {each.reason}")
    emit(answered.to_dict(), as_json=as_json, human=lambda console: _draw_answer(console, answered))
    return REVIEW_EXIT if strict and answered.outcome.status == "needs_review" else 0


def _read_bundle(name: str, policy: Any) -> Any:
    """The JSON value of a bundle file; the FAILED assembly of one that is no strict JSON."""
    from assay.answers.assemble import refuse
    from assay.core.json.strict import Refused, parse

    parsed = parse(read_argument(name, what="bundle"), max_bytes=MAX_BUNDLE_BYTES)
    if isinstance(parsed, Refused):
        return refuse(f"bundle: is no strict JSON ({parsed.code})", policy)
    # `null` is a bundle that is no object; None would mean that none was given.
    return {} if parsed.value is None else parsed.value


def _draw_answer(console: Console, answered: Answered) -> None:
    status = answered.outcome.status
    if answered.answer is not None:
        console.print(answered.answer, soft_wrap=True)
    elif status == "accepted":
        console.print("The answer was accepted, and its content has been erased since.")
    else:
        console.print("No answer passed every check.", style=COLOURS["needs_review"])
        why = answered.outcome.reason or ""
        codes: list[str] = []
        if answered.validation is not None:
            codes = list(dict.fromkeys(each.code for each in answered.validation.findings))
        elif answered.assembly.failure_reason:
            codes = [answered.assembly.failure_reason]
        console.print(": ".join([why, ", ".join(codes)]).rstrip(": "))
        console.print("A person decides: assay review list")
    for citation in answered.citations:
        head = Text(f"\n[{citation['anchor']}] ", style="bold")
        head.append(plain_text(_where_cited(citation)), style="not bold")
        console.print(head)
        console.print(Padding(_with_carrying_parts(citation), (0, 0, 0, 4)))
    if answered.nearest is not None:
        console.print(_missed(answered.nearest), style="dim", soft_wrap=True)
    told = f"\n{status}, call {answered.call}"
    told += ", settled before" if answered.reused else ""
    console.print(told, style="dim", soft_wrap=True)


def _missed(nearest: Mapping[str, Any]) -> str:
    """Which passage came nearest to a question that a gate stopped, and by how much it missed.

    Rounded down, so that what missed never looks as if it had passed.
    """
    name = plain_text(nearest["file"] or nearest["source_reference"] or nearest["chunk_id"])
    page = "" if nearest["page"] is None or nearest["file"] is None else f", page {nearest['page']}"
    score = math.floor(nearest["similarity_score"] * 100) / 100
    return f"nearest passage: {name}{page}, {score:.2f} of {nearest['threshold']:.2f} needed"


def _where_cited(citation: Any) -> str:
    page = "" if citation["page"] is None else f", page {citation['page']}"
    below = f", under {citation['heading']}" if citation["heading"] else ""
    if citation["file"] is None:
        return f"{citation['source_reference']}{page}{below}"
    where = f"{citation['file']}{page}, {citation['start']}..{citation['stop']}"
    if citation["source_start"] is not None:
        where += f" (carried by {citation['source_start']}..{citation['source_stop']})"
    return where + below


def _with_carrying_parts(citation: Any) -> Text:
    """The text of a cited passage, dim but for what carries the answer."""
    text, shown, last = citation["text"], Text(), 0
    spans = {(m["span"]["start"], m["span"]["stop"]) for m in citation["markers"] if m["span"]}
    for start, stop in sorted(spans):
        shown.append(plain_text(text[last : max(last, start)]), style="dim")
        shown.append(plain_text(text[max(last, start) : stop]))
        last = max(last, stop)
    return shown.append(plain_text(text[last:]), style="dim")


def _read_policy(name: str | None) -> Any:
    """The policy of a file; None when there is none.

    Raises:
        InputError: the file cannot be read, or the policy is refused.
    """
    from assay.answers.evidence.policy import read_policy
    from assay.pack.document import read_yaml

    if name is None:
        return None
    try:
        document = read_yaml("policy", read_argument(name, what="policy"))
    except PackError as error:
        raise InputError(str(error), hint=error.hint) from error
    return read_policy(document.value)
