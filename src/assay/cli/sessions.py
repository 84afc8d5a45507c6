"""`assay chat PACK`: a staged conversation, one turn or many. `assay sessions`: where they stand.

In      a pack with stages, messages; ids of sessions
Out     one JSON document a turn, or the reply with the trail of its stages; sessions
Spec    interfaces.md, "Command line" (`assay chat`, `assay sessions`); 003
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from assay.cli.candidates import complete_pack
from assay.cli.options import common_options, model_options, read_argument, store_option
from assay.cli.output import (
    emit,
    print_facts,
    rows_table,
    tell_purpose,
    terminal,
    to_json,
    value_text,
    write,
)
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.cli.arriving import Arriving
    from assay.flow.state import Step
    from assay.pack.pack import Pack
    from assay.runtime.conversations.turn import Turn
    from assay.wiring import SyncRuntime

REVIEW_EXIT = 30
COLUMNS = ("id", "pack", "status", "turn", "next_stage", "updated")
LEAVING = frozenset({"/quit", "/exit"})


@click.group()
def command() -> None:
    """Conversations."""


@command.command("list")
@store_option
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True)
@common_options
def list_(store_url: str, limit: int, as_json: bool) -> None:
    """List sessions, the latest first."""
    from assay import wiring
    from assay.runtime.conversations.sessions import session_document

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        rows = [session_document(row) for row in runtime.sessions(limit)]
        short = runtime.shorten_ids("session", [row["id"] for row in rows])
    shown = [{**row, "id": short[row["id"]], "updated": row["updated_at"][:16]} for row in rows]
    emit(
        {"sessions": rows},
        as_json=as_json,
        human=lambda console: console.print(
            rows_table("sessions", shown, COLUMNS, ids=("id",), spare=("updated",))
        ),
    )


@command.command()
@click.argument("session_id", metavar="ID")
@store_option
@common_options
def show(session_id: str, store_url: str, as_json: bool) -> None:
    """Show where a session stands, its cached state and its latest turn.

    A session whose stored state was edited is refused (50).
    """
    from assay import wiring

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        document = runtime.session(session_id)
    emit(document, as_json=as_json, human=lambda console: _draw_session(console, document))


def _draw_session(console: Console, document: dict[str, Any]) -> None:
    from assay.flow.state import state_text

    print_facts(console, "session", document["session"])
    console.print("\ncached state", style="bold")
    for name, slice_ in document["cached_state"].items():
        console.print(f"  {name}: {state_text(slice_)}")
    console.print("\nlatest turn", style="bold")
    for step in document["turn"]["stages"]:
        line = f"  {step['stage']}: {step['outcome']}, attempts {step['attempts']}, {step['call']}"
        console.print(line, soft_wrap=True)
    console.print(f"  reply: {value_text(document['turn']['reply'])}")


@click.command()
@click.argument("pack_name", metavar="PACK", shell_complete=complete_pack)
@click.option("--session", metavar="ID", help="Continue this session, or start it under this id.")
@click.option("--message", metavar="TEXT", help="One turn and no more; - reads standard input.")
@click.option(
    "--directive",
    metavar="FILE",
    help="An instruction from outside, for the stages that take one.",
)
@store_option
@model_options
@click.option("--strict", is_flag=True, help="Leave with 30 when a turn needs review.")
@common_options
def chat(
    pack_name: str,
    session: str | None,
    message: str | None,
    directive: str | None,
    store_url: str,
    model: str,
    script_log: str | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Talk through the stages of PACK; every stage is recorded before the next one begins.

    Without --message it reads a message a line until the end of input or /quit. A turn that was
    cut off is taken up by the same message: no reply that is stored is asked for again.
    """
    from assay import wiring
    from assay.cli.arriving import Arriving
    from assay.runtime.calls.context import Progress
    from assay.runtime.conversations.turn import require_conversing

    pack = wiring.load_pack(pack_name)
    told = "" if directive is None else _decode_text(read_argument(directive, what="directive"))
    one = _decode_text(read_argument("-", what="message")) if message == "-" else message
    arriving = Arriving(quiet=as_json)
    progress = Progress(hear=arriving.hear, unjudged=pack.show == "unjudged")
    with wiring.open(
        store_url, model, pack=pack, script_log=script_log, progress=progress
    ) as runtime:
        require_conversing(runtime.runtime.context.model)
        tell_purpose(runtime.runtime.context.model, pack.contracts.values())
        talk = _Talk(runtime, pack, told, arriving, as_json)
        if one is not None:
            reviews = int(talk.take_turn(session, one)[1])
        else:
            reviews = _read_messages(talk, session)
    return REVIEW_EXIT if strict and reviews else 0


def _decode_text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("the text is not UTF-8") from error


def _read_messages(talk: _Talk, session: str | None) -> int:
    """Turn after turn; a message that cannot be used is told and passed over.

    Raises:
        InputError: at the end, when there was such a message.
    """
    from assay.runtime.conversations.turn import check_texts

    console = terminal(stderr=True)
    reviews = refused = 0
    asked = sys.stdin.isatty()
    if asked:
        console.print(f"{talk.pack.name}: /quit leaves", style="dim")
    while True:
        try:
            if asked:
                console.print("> ", style="bold", end="")
            line = sys.stdin.readline()
        except UnicodeDecodeError as error:
            raise InputError("the message is not UTF-8") from error
        if not line or line.strip() in LEAVING:
            break
        if not line.strip():
            continue
        try:
            check_texts(line.rstrip("\n"))
        except InputError as error:
            console.print(f"passed over: {error}")
            refused += 1
            continue
        session, in_review = talk.take_turn(session, line.rstrip("\n"))
        reviews += in_review
    if refused:
        raise InputError(
            f"{refused} of the messages could not be used and "
            f"{'was' if refused == 1 else 'were'} passed over"
        )
    return reviews


@dataclass(frozen=True, slots=True)
class _Talk:
    """What all turns of one `assay chat` share."""

    runtime: SyncRuntime
    pack: Pack
    directive: str
    arriving: Arriving
    as_json: bool

    def take_turn(self, session: str | None, message: str) -> tuple[str, bool]:
        """One turn; the session, and whether it needs a person."""
        trail = _Trail(self.arriving, quiet=self.as_json)
        try:
            turn = self.runtime.chat(
                self.pack, session, message, directive=self.directive, watch=trail
            )
        finally:
            self.arriving.stop()
        if self.as_json:
            write(to_json(turn.to_dict()))
        else:
            _draw_turn(turn)
        return turn.session_id, turn.outcome.status == "needs_review"


class _Trail:
    """The stages on standard error, as they come and go."""

    def __init__(self, arriving: Arriving, *, quiet: bool) -> None:
        self._arriving = arriving
        self._quiet = quiet

    def __call__(self, stage: str, step: Step | None) -> None:
        if self._quiet:
            return
        if step is None:
            self._arriving.begin(stage)
            return
        tries = "" if step.attempts == 1 else f", {step.attempts} attempts"
        line = f"  {stage}: {step.outcome}{tries}  {step.call}"
        self._arriving.console.print(line, style="dim", soft_wrap=True)


def _draw_turn(turn: Turn) -> None:
    console = terminal()
    console.print(turn.reply)
    for finding in turn.findings:
        console.print(f"  {finding['code']}: {finding['message']}", style="yellow")
    state = f"session {turn.session_id}, turn {turn.turn}: {turn.outcome.status}"
    reason = f" ({turn.outcome.reason})" if turn.outcome.reason else ""
    console.print(state + reason, style="dim", soft_wrap=True)
