"""`assay ask QUESTION (--docs PATH… | --bundle FILE)`: a validated answer with its sources.

In      a question; files and folders, or a retrieval bundle
Out     one JSON document, or the answer with the passages it cites
Spec    004; interfaces.md, "Command line"
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from assay.cli.assemble import MAX_BUNDLE_BYTES, read_policy_file
from assay.cli.options import common_options, model_options, read_argument, store_option
from assay.cli.output import emit
from assay.cli.tables import COLOURS, one_line, plain_text

if TYPE_CHECKING:
    from assay.answers.retrieval import Progress
    from assay.runtime.answers.ask import Answered

REVIEW_EXIT = 30


@click.command()
@click.argument("question", metavar="QUESTION")
@click.option(
    "--docs",
    "docs",
    multiple=True,
    metavar="PATH",
    help="A file or folder to answer from (.md .txt .html .pdf .docx .eml); repeatable.",
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
@store_option
@model_options
@click.option("--strict", is_flag=True, help="Leave with 30 when the answer needs review.")
@click.option("--again", is_flag=True, help="Ask the model even for what is settled already.")
@common_options
def command(
    question: str,
    docs: tuple[str, ...],
    bundle: str | None,
    policy_file: str | None,
    pack_name: str,
    top_k: int,
    store_url: str,
    model: str,
    script_log: str | None,
    strict: bool,
    again: bool,
    as_json: bool,
) -> int:
    """Answer QUESTION from documents, every sentence with its source; or refuse.

    An answer that does not pass every check is never shown: it waits for a person
    (`assay review list`). The same question of the same documents is not sent twice.
    """
    from assay import wiring
    from assay.errors import UsageError

    if bool(docs) == (bundle is not None):
        raise UsageError("give --docs or --bundle, and not both")
    if question == "-":
        if bundle == "-":
            raise UsageError("QUESTION and --bundle cannot both be standard input")
        question = read_argument("-", what="question").decode("utf-8", "surrogateescape")
    policy = read_policy_file(policy_file)
    pack = wiring.load_pack(pack_name)
    given = None if bundle is None else _bundle(bundle, policy)
    with (
        wiring.open(store_url, model, script_log=script_log) as runtime,
        _progress() as progress,
    ):
        answered = runtime.ask(
            question,
            docs=_several_sources(docs),
            bundle=given,
            policy=policy,
            pack=pack,
            top_k=top_k,
            again=again,
            progress=progress,
        )
    for each in answered.left_out:
        click.echo(one_line(f"left out: {each.file}: {each.reason}"), err=True)
    emit(answered.to_dict(), as_json=as_json, human=lambda console: _draw(console, answered))
    return REVIEW_EXIT if strict and answered.outcome.status == "needs_review" else 0


def _bundle(name: str, policy: Any) -> Any:
    """The JSON value of a bundle file; the FAILED assembly of one that is no strict JSON."""
    from assay.answers.assemble import refuse
    from assay.core.json.strict import Refused, parse

    parsed = parse(read_argument(name, what="bundle"), max_bytes=MAX_BUNDLE_BYTES)
    if isinstance(parsed, Refused):
        return refuse(f"bundle: is no strict JSON ({parsed.code})", policy)
    # `null` is a bundle that is no object; None would mean that none was given.
    return {} if parsed.value is None else parsed.value


def _several_sources(docs: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(docs))


def _draw(console: Console, answered: Answered) -> None:
    status = answered.outcome.status
    if answered.answer is not None:
        console.print(plain_text(answered.answer), markup=False, soft_wrap=True)
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
        console.print(plain_text(": ".join([why, ", ".join(codes)]).rstrip(": ")), markup=False)
        console.print("A person decides: assay review list")
    for citation in answered.citations:
        head = Text(f"\n[{citation['anchor']}] ", style="bold")
        head.append(plain_text(_where_cited(citation)), style="not bold")
        console.print(head)
        console.print(Padding(Text(plain_text(citation["text"]), style="dim"), (0, 0, 0, 4)))
    told = f"\n{status}, call {answered.call}"
    console.print(told + (", settled before" if answered.reused else ""), style="dim")


def _where_cited(citation: Any) -> str:
    if citation["file"] is None:
        return str(citation["source_reference"])
    page = "" if citation["page"] is None else f", page {citation['page']}"
    return f"{citation['file']}{page}, {citation['start']}..{citation['stop']}"


@contextmanager
def _progress() -> Iterator[Progress]:
    """A bar on standard error, only where a person watches it."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total, name: None  # noqa: ARG005
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task("reading documents", total=None)

        def show_progress(done: int, total: int, name: str) -> None:
            label = plain_text(name)[-40:] or "done"
            bar.update(task, completed=done, total=total, description=label)

        yield show_progress
