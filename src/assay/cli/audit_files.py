"""`assay audit receipt|export|check-export|retention`: what leaves the record, and what goes."""

from __future__ import annotations

import getpass
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from assay.cli.options import common_options, read_argument, store_option
from assay.cli.output import count_of, emit, say, to_json, write
from assay.cli.progress import progress_bar
from assay.errors import InputError


@click.command("receipt")
@click.argument("call_id", metavar="CALL")
@store_option
@click.option("--output", help="Write the receipt to this file.")
@click.option(
    "--texts", help="Write the source texts into this new folder, for who may see them (if kept)."
)
@common_options
def receipt(
    call_id: str, store_url: str, output: str | None, texts: str | None, as_json: bool
) -> None:
    """Write one JSON file that proves a decision far from the store.

    It is signed through a checkpoint (ASSAY_SIGNING_KEY); tools/verify_receipt.py checks it.
    """
    from assay import wiring
    from assay.runtime.audit.receipts import make_receipt
    from assay.runtime.replay.kept import kept_material
    from assay.wiring.auditing import audit_keys

    keys = audit_keys(wiring.Settings.from_environment())
    with (
        progress_bar("proving the call"),
        wiring.open(store_url, "none", must_exist=True) as runtime,
    ):
        context = runtime.runtime.context
        call_id = runtime.find_id("call", call_id)
        document = runtime.do(
            make_receipt(context.store, context.record, keys, call_id, clock=context.clock)
        )
        if texts is not None:
            kept = runtime.do(kept_material(context.store, call_id))
            _write_texts(Path(texts), kept.texts)
    if output is None:
        write(to_json(document, indent=None if as_json else 2))
        return
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    try:
        Path(output).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"cannot write {output!r}") from error
    signed = document["checkpoint"].rpartition("\n\n")[2] != ""
    told = f"{output}: {'signed' if signed else 'unsigned: no key is set (ASSAY_SIGNING_KEY)'}"
    emit(document, as_json=as_json, human=lambda console: console.print(told))


@click.command("export")
@store_option
@click.option("--since", help="From this time on (ISO 8601).")
@click.option("--until", help="Up to, without, this time (ISO 8601).")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "csv", "parquet"]),
    default="jsonl",
    show_default=True,
)
@click.option("--output", help="A new folder; default: assay-export-TIME.")
@common_options
def export(
    store_url: str,
    since: str | None,
    until: str | None,
    form: str,
    output: str | None,
    as_json: bool,
) -> None:
    """Write events and a manifest of digests into a folder; contents stay in the store."""
    from assay import wiring
    from assay.cli.calls import parse_time
    from assay.runtime.audit.export import export as export_events

    with (
        progress_bar("exporting", what="events") as show_progress,
        wiring.open(store_url, "none", must_exist=True) as runtime,
    ):
        context = runtime.runtime.context
        name = output or context.clock.now().strftime("assay-export-%Y%m%dT%H%M%SZ")
        manifest = runtime.do(
            export_events(
                context.store,
                context.record,
                Path(name),
                form=form,
                clock=context.clock,
                since=parse_time(since),
                until=parse_time(until),
                progress=show_progress,
            )
        )
    document = {"folder": name, "manifest": manifest}
    rows = manifest["files"][0]["rows"]
    emit(
        document,
        as_json=as_json,
        human=lambda console: console.print(f"{count_of(rows, 'event')} in {name}"),
    )


@click.command("check-export")
@click.argument("folder")
@common_options
def check_export(folder: str, as_json: bool) -> None:
    """Check that an export is what was written: every byte, every event."""
    from assay.runtime.audit.export import check_export as check

    with progress_bar("checking the export", what="events") as show_progress:
        manifest = check(Path(folder), progress=show_progress)
    rows = manifest["files"][0]["rows"]
    emit(
        {"status": "ok", "events": rows, "log": manifest["log"]},
        as_json=as_json,
        human=lambda console: console.print(f"ok: {count_of(rows, 'event')}"),
    )


@click.command("retention")
@click.argument("rules")
@store_option
@click.option("--apply", is_flag=True, help="Do it; without, only say what would go.")
@click.option("--dry-run", is_flag=True, help="Only say what would go; the default.")
@click.option("--actor", help="Who; default: the user of this machine.")
@common_options
def retention(
    rules: str, store_url: str, apply: bool, dry_run: bool, actor: str | None, as_json: bool
) -> None:
    """Let old payloads go by the rules in a YAML file (- for standard input).

    rules: [{kinds: [model.answered], keep_days: 200, reason: "..."}]. Events and proofs stay.
    """
    from assay import wiring
    from assay.runtime.audit.retention import read_rules, retain

    if apply and dry_run:
        raise click.UsageError("--apply and --dry-run exclude each other")
    read = read_rules(read_argument(rules, what="retention rules"))
    with (
        progress_bar("looking for what is old"),
        wiring.open(store_url, "none", must_exist=True) as runtime,
    ):
        context = runtime.runtime.context
        applied = runtime.do(
            retain(
                context.store,
                read,
                clock=context.clock,
                actor=actor or getpass.getuser(),
                dry_run=not apply,
            )
        )
        remains = list(runtime.do(context.store.pieces_left())) if apply else []
    for rest in remains:
        say(f"remains: {rest}")
    document = {
        "dry_run": not apply,
        "rules": [each.to_dict() for each in applied],
        "remains": remains,
    }
    emit(document, as_json=as_json, human=lambda console: _draw(console, document))


def _write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """A file for each source, and on standard error how the verifier is told of it."""
    try:
        folder.mkdir(parents=True)
        for number, (name, text) in enumerate(texts.items()):
            safe = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)[:60]
            file = folder / f"{number}-{safe}.txt"
            file.write_bytes(text.encode("utf-8"))
            say(f"--source {shlex.quote(f'{name}={file}')}")
    except OSError as error:
        raise InputError(f"cannot write into {folder.name!r}", hint="name a new folder") from error


def _draw(console: Console, document: dict[str, Any]) -> None:
    for rule in document["rules"]:
        kinds = ", ".join(rule["kinds"])
        many = rule["payloads"]
        verb = "would go" if document["dry_run"] else "is gone" if many == 1 else "are gone"
        told = f"{kinds}: {count_of(many, 'payload')} {verb} (before {rule['before']})"
        console.print(told)
        if rule["under_six_months"]:
            console.print("  kept for less than six months: see docs/reference/ai-act.md")
