"""`assay audit …`: the record; what it says, whether it holds, what is taken out of it."""

from __future__ import annotations

import asyncio
import getpass
import json
import os
from pathlib import Path
from secrets import token_bytes
from typing import Any

import click
from rich.console import Console

from assay.cli.audit_files import check_export, export, receipt, retention
from assay.cli.options import common_options, read_argument, store_option
from assay.cli.output import count_of, emit, say, to_json, write
from assay.cli.progress import progress_bar
from assay.errors import InputError, IntegrityError, StoreUnavailableError

BROKEN_EXIT = IntegrityError.exit_code


@click.group()
def command() -> None:
    """The record: what happened, whether it still holds, what was erased."""


command.add_command(receipt)
command.add_command(export)
command.add_command(check_export)
command.add_command(retention)


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

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        if call_id is not None:
            call_id = runtime.find_id("call", call_id)
            runtime.do(runtime.runtime.store.call(call_id))  # says so when there is none
        short: dict[str, str] = {}
        for event in runtime.events(run=run, call=call_id, kind=kind):
            if as_json:
                document = json.loads(event.body) | {"seq": event.seq, "digest": event.digest}
                write(to_json(document))
            else:
                if event.call and event.call not in short:
                    short |= runtime.shorten_ids("call", [event.call])
                write(
                    f"{event.seq:>6}  run {event.run}.{event.n}  {event.at[:19]}  {event.kind:<18}"
                    f"  {short.get(event.call or '', '')}".rstrip()
                )


@command.command("verify")
@store_option
@click.option("--anchor", help="A file or URL with a checkpoint that was kept elsewhere.")
@click.option("--key", "keys", multiple=True, help="File with public keys that are trusted.")
@click.option("--tsa-roots", help="Certificates to check time-stamps against.")
@common_options
def verify(
    store_url: str, anchor: str | None, keys: tuple[str, ...], tsa_roots: str | None, as_json: bool
) -> int:
    """Re-hash every event and payload; compare with a remembered head where one is given.

    Without --anchor the best that can be said is `unanchored`: unbroken, but perhaps rebuilt.
    Payloads whose master key is not at hand are `unchecked`; the status speaks for the rest.
    """
    from assay import wiring
    from assay.adapters.stores.faults import NO_DATABASE
    from assay.runtime.audit.checkpoints import read_anchor, unreadable_report, verify_record
    from assay.wiring.auditing import audit_keys, stamp_check

    settings = wiring.Settings.from_environment()
    trusted = audit_keys(settings, keys)
    remembered = None if anchor is None else read_anchor(_bytes(anchor), trusted)
    roots = settings.tsa_roots if tsa_roots is None else tsa_roots
    check = None if roots is None else stamp_check(roots)
    try:
        with (
            progress_bar("checking every event and payload"),
            wiring.open(store_url, "none", must_exist=True) as runtime,
        ):
            context = runtime.runtime.context
            found = runtime.do(
                verify_record(
                    context.store, context.record, trusted, anchor=remembered, stamp_check=check
                )
            )
    except (IntegrityError, StoreUnavailableError) as error:
        # What cannot even be opened as a record is a verdict too; what is out of reach is none.
        if isinstance(error, StoreUnavailableError) and error.message != NO_DATABASE:
            raise
        found = unreadable_report(error.message, remembered)
    document = found.to_dict()
    emit(document, as_json=as_json, human=lambda console: _draw(console, document))
    return BROKEN_EXIT if found.report.status == "broken" else 0


@command.command("checkpoint")
@store_option
@click.option("--output", help="Write the checkpoint to this file or URL as well; keep it there.")
@click.option("--timestamp", metavar="URL", help="RFC 3161 authority to ask.")
@common_options
def checkpoint(store_url: str, output: str | None, timestamp: str | None, as_json: bool) -> None:
    """Sign the head of the record and keep it; in another place it proves what stood here.

    Signed with ASSAY_SIGNING_KEY. Without a key the head is printed unsigned.
    """
    from assay import wiring
    from assay.runtime.audit.checkpoints import make_checkpoint
    from assay.wiring.auditing import audit_keys, stamper_at

    settings = wiring.Settings.from_environment()
    keys = audit_keys(settings)
    authority = settings.tsa_url if timestamp is None else timestamp
    with wiring.open(store_url, "none", must_exist=True) as runtime:
        context = runtime.runtime.context
        made = runtime.do(
            make_checkpoint(
                context.store,
                context.record,
                keys,
                clock=context.clock,
                stamper=None if not authority else stamper_at(authority),
            )
        )
    if output is not None:
        _print_report(output, made.file())
        if made.token is not None and "://" not in output:
            _print_report(f"{output}.tsr", made.token)
    document = made.to_dict()
    emit(document, as_json=as_json, human=lambda console: _draw_head(console, document))


@command.command("keygen")
@click.argument("file")
@common_options
def keygen(file: str, as_json: bool) -> None:
    """Make an Ed25519 key: FILE is the secret (for ASSAY_SIGNING_KEY), FILE.pub is for all.

    To rotate, append the new secret to the old file for a while: both sign.
    """
    from assay.record.keys import key_files

    secret, public = key_files(token_bytes(32))
    try:
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(secret)
        Path(f"{file}.pub").write_bytes(public)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot write {file!r}", hint="name a file that is not there") from error
    document = {"secret": file, "public": f"{file}.pub"}
    emit(
        document,
        as_json=as_json,
        human=lambda console: console.print(f"secret {file}, public {file}.pub"),
    )


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
    from assay.runtime.audit.erasure import erase_subject

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        context = runtime.runtime.context
        erasure = runtime.do(
            erase_subject(
                context.store,
                context.redactor,
                subject,
                reason=reason,
                actor=actor or getpass.getuser(),
            )
        )
    already, count = erasure.already, erasure.payloads
    told = "already erased: nothing was left" if already else f"{count_of(count, 'payload')} erased"
    for rest in erasure.remains:
        say(f"remains: {rest}")
    emit(erasure.to_dict(), as_json=as_json, human=lambda console: console.print(told))


def _bytes(place: str) -> bytes:
    from assay.wiring.auditing import is_address, send_bytes

    if is_address(place):
        return asyncio.run(send_bytes("GET", place))
    return read_argument(place, what="anchor")


def _print_report(place: str, content: bytes) -> None:
    from assay.wiring.auditing import is_address, send_bytes

    if is_address(place):
        asyncio.run(send_bytes("PUT", place, content, content_type="text/plain; charset=utf-8"))
        return
    try:
        Path(place).write_bytes(content)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot write {place!r}") from error


def _draw_head(console: Console, document: dict[str, Any]) -> None:
    if document["signed"] and not document["kept"]:
        say("the store is read-only: it does not keep this checkpoint")
    if document["checkpoint"] is not None:
        console.print(document["checkpoint"], end="", soft_wrap=True)
        return
    console.print_json(data={name: document[name] for name in ("origin", "size", "root")})
    console.print("unsigned: no key is set (ASSAY_SIGNING_KEY; assay audit keygen makes one)")


def _draw(console: Console, document: dict[str, Any]) -> None:
    colour = {"ok": "green", "unanchored": "yellow", "broken": "red"}[document["status"]]
    console.print(f"{document['status']}: {count_of(document['events'], 'event')}", style=colour)
    if document["first_bad"]:
        seq, why = document["first_bad"]["seq"], document["first_bad"]["why"]
        console.print(why if seq is None else f"first bad event {seq}: {why}")
    if document["payloads_unchecked"]:
        many, why = document["payloads_unchecked"], document["payloads_why"]
        console.print(f"payloads: unchecked, {many} of them: {why}")
    if document["unsequenced"]:
        console.print(
            f"{count_of(document['unsequenced'], 'event')} without a place in the log yet, and the "
            "store could not be written: there is no head over all events"
        )
    if document["status"] == "unanchored":
        console.print("unbroken, but there is no remembered head to compare with (--anchor)")
    if document["status"] == "ok":
        anchored, left = document["anchored_events"], document["unanchored_events"]
        signed = "signed" if document["anchor"]["signed"] else "unsigned, as good as its keeping"
        console.print(f"anchored: the first {count_of(anchored, 'event')} ({signed})")
        console.print(f"unanchored: {count_of(left, 'event')} after them")
