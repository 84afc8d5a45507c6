"""`assay audit log|verify|checkpoint|erase`: the record."""

from __future__ import annotations

import getpass
import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from assay.cli.options import common_options, read_argument, store_option
from assay.cli.output import emit, to_json, write
from assay.errors import InputError, IntegrityError

BROKEN_EXIT = IntegrityError.exit_code


@click.group()
def command() -> None:
    """The record: what happened, whether it still holds, what was erased."""


@command.command("log")
@store_option
@click.option("--run", type=int, help="Only events of this run.")
@click.option("--call", "call_id", help="Only events of this call.")
@click.option("--kind", help="Only events of this kind.")
@common_options
def log(
    store_url: str, run: int | None, call_id: str | None, kind: str | None, as_json: bool
) -> None:
    """Print the events in order; with --json one object a line."""
    from assay import wiring

    with wiring.open(store_url, "none") as runtime:
        for event in runtime.events(run=run, call=call_id, kind=kind):
            if as_json:
                document = json.loads(event.body) | {"seq": event.seq, "digest": event.digest}
                write(to_json(document))
            else:
                write(
                    f"{event.seq:>7}  run {event.run}.{event.n}  {event.at}  {event.kind:<18}"
                    f"{event.call or ''}"
                )


@command.command("verify")
@store_option
@click.option("--anchor", help="A file that `assay audit checkpoint` wrote earlier.")
@common_options
def verify(store_url: str, anchor: str | None, as_json: bool) -> int:
    """Re-hash every event and payload; compare with a remembered head where one is given."""
    from assay import wiring

    remembered = None if anchor is None else _anchor(anchor)
    with wiring.open(store_url, "none") as runtime:
        report = runtime.verify(remembered)
    document = report.to_dict()
    emit(document, as_json=as_json, human=lambda console: _draw(console, document))
    return BROKEN_EXIT if report.status == "broken" else 0


@command.command("checkpoint")
@store_option
@click.option("--output", help="Write the head to this file as well; keep it elsewhere.")
@common_options
def checkpoint(store_url: str, output: str | None, as_json: bool) -> None:
    """Print the head of the record; kept in another place it proves what stood here."""
    from assay import wiring

    with wiring.open(store_url, "none") as runtime:
        head = dict(runtime.head())
    if output is not None:
        try:
            Path(output).write_text(json.dumps(head) + "\n", encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {output!r} ({error.strerror})") from error
    emit(head, as_json=as_json, human=lambda console: console.print_json(data=head))


@command.command("erase")
@click.argument("subject")
@store_option
@click.option("--reason", required=True, help="Why; kept with the erasure.")
@click.option("--actor", help="Who; default: the user of this machine.")
@common_options
def erase(subject: str, store_url: str, reason: str, actor: str | None, as_json: bool) -> None:
    """Destroy what is kept of SUBJECT (its pseudonym, or a mail address).

    The record of everything else still verifies; the erasure is itself an event.
    """
    from assay import wiring

    with wiring.open(store_url, "none") as runtime:
        count = runtime.erase(subject, reason=reason, actor=actor or getpass.getuser())
    document = {"erased_payloads": count}
    emit(document, as_json=as_json, human=lambda console: console.print(f"{count} payloads erased"))


def _anchor(file: str) -> dict[str, Any]:
    try:
        value = json.loads(read_argument(file, what="anchor"))
    except ValueError as error:
        raise IntegrityError(f"anchor {file!r} is no checkpoint", hint="see --help") from error
    if not isinstance(value, dict):
        raise IntegrityError(f"anchor {file!r} is no checkpoint", hint="see --help")
    return value


def _draw(console: Console, document: dict[str, Any]) -> None:
    colour = {"ok": "green", "unanchored": "yellow", "broken": "red"}[document["status"]]
    console.print(f"{document['status']}: {document['events']} events", style=colour)
    if document["first_bad"]:
        console.print(f"first bad event {document['first_bad']['seq']}", end=": ")
        console.print(document["first_bad"]["why"], markup=False)
    if document["status"] == "unanchored":
        console.print("unbroken, but there is no remembered head to compare with (--anchor)")
