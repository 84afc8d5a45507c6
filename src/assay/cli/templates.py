"""`assay templates …`: versions, releases, drift, signatures, exchange with other tools."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from assay.cli.calls import moment
from assay.cli.options import common_options, read_argument, store_option
from assay.cli.output import emit, write
from assay.cli.redact import write_exactly
from assay.cli.tables import plain_text, rows_table
from assay.cli.templates_view import draw, draw_diff, draw_drift, version_of
from assay.errors import InputError, IntegrityError, UsageError

COLUMNS = ("role", "name", "version", "state", "percent", "drifted", "signer", "author")


@click.group()
def command() -> None:
    """The template registry: versions, releases, drift."""


def by_options(decorated: Callable[..., Any]) -> Callable[..., Any]:
    """`--by` and `--reason` of a move."""
    decorated = click.option("--reason", default="", help="Why; kept with the move.")(decorated)
    return click.option("--by", help="Who; default: the user of this machine.")(decorated)


@command.command("list")
@store_option
@click.option("--role", help="Only templates of this role.")
@click.option("--name", help="Only templates of this name.")
@common_options
def list_(store_url: str, role: str | None, name: str | None, as_json: bool) -> None:
    """List all versions with their state."""
    from assay import wiring

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        found = runtime.do(runtime.registry.versions(role, name))
    rows = [each.to_dict(text=False) for each in found]
    emit(
        {"templates": rows},
        as_json=as_json,
        human=lambda console: console.print(rows_table("templates", rows, COLUMNS)),
    )


@command.command("show")
@click.argument("reference", metavar="ROLE/NAME@VERSION")
@store_option
@common_options
def show(reference: str, store_url: str, as_json: bool) -> None:
    """Show one version (a number, active, canary or a label) with its text."""
    from assay import wiring
    from assay.templates.version import Reference

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        found = runtime.do(runtime.registry.find(Reference.parse(reference)))
    document = found.to_dict()
    emit({"template": document}, as_json=as_json, human=lambda console: draw(console, document))


@command.command("add")
@click.argument("file")
@store_option
@by_options
@common_options
def add(file: str, store_url: str, by: str | None, reason: str, as_json: bool) -> None:
    """Add the version in FILE (front matter and body). It is released by `promote`, not by this."""
    from assay import wiring
    from assay.templates.template import parse_template

    version = parse_template(read_argument(file, what="template"), file=file)
    with wiring.open(store_url, "none") as runtime:
        work = runtime.registry.add(version, author=by or getpass.getuser(), reason=reason)
        document = runtime.do(work).to_dict(text=False)
    _print_version({"template": document}, as_json, f"added {version_of(document)}")


@command.command("diff")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@store_option
@click.option("--pack", "pack_name", help="Render this pack's golden cases with both.")
@common_options
def diff(before: str, after: str, store_url: str, pack_name: str | None, as_json: bool) -> None:
    """Compare two versions: text, variables, blueprint, prompts of golden cases.

    A and B are versions in the registry (ROLE/NAME@VERSION) or template files.
    """
    from assay import wiring
    from assay.cli.render import find_template
    from assay.runtime.templates.diff import compare

    pack = None if pack_name is None else wiring.load_pack(pack_name)
    found = compare(find_template(before, store_url)[0], find_template(after, store_url)[0], pack)
    document = found.to_dict()
    emit(document, as_json=as_json, human=lambda console: draw_diff(console, document))


@command.command("promote")
@click.argument("reference", metavar="ROLE/NAME@VERSION")
@store_option
@click.option(
    "--require-backtest",
    is_flag=True,
    help="Refuse while recorded accepted calls would turn with this version.",
)
@click.option("--pack", "pack_name", help="For --require-backtest: the pack of the calls.")
@by_options
@common_options
def promote(
    reference: str,
    store_url: str,
    require_backtest: bool,
    pack_name: str | None,
    by: str | None,
    reason: str,
    as_json: bool,
) -> None:
    """Make a version the active one; the one before it stays for audit and roll back."""
    from assay import wiring
    from assay.runtime.templates.releases import Releases
    from assay.templates.version import Reference

    wanted = Reference.parse(reference)
    with wiring.open(store_url, "none", must_exist=True) as runtime:
        backtest = None
        if require_backtest:
            from assay.wiring.templates import backtest_for

            backtest = backtest_for(runtime.runtime, pack_name)
        work = Releases(registry=runtime.registry).promote(
            wanted, _move(by, reason), backtest=backtest
        )
        document = runtime.do(work).to_dict(text=False)
    _print_version({"template": document}, as_json, f"{version_of(document)} is active")


@command.command("canary")
@click.argument("reference", metavar="ROLE/NAME@VERSION")
@click.argument("percent", type=click.IntRange(0, 100))
@store_option
@by_options
@common_options
def canary(
    reference: str, percent: int, store_url: str, by: str | None, reason: str, as_json: bool
) -> None:
    """Give a version to PERCENT in a hundred runs and sessions; 0 ends it."""
    from assay.templates.version import Reference

    wanted = Reference.parse(reference)
    document = _move_release(
        store_url, lambda releases, move: releases.canary(wanted, percent, move), by, reason
    )
    _print_version(
        {"template": document},
        as_json,
        f"{version_of(document)} is {document['state']}, {percent} %",
    )


@command.command("rollback")
@click.argument("template", metavar="ROLE/NAME")
@store_option
@by_options
@common_options
def rollback(template: str, store_url: str, by: str | None, reason: str, as_json: bool) -> None:
    """Return to the version that was active before the one that is."""
    from assay.templates.version import Reference

    wanted = Reference.parse(template)
    document = _move_release(
        store_url,
        lambda releases, move: releases.roll_back(wanted.role, wanted.name, move),
        by,
        reason,
    )
    _print_version({"template": document}, as_json, f"{version_of(document)} is active again")


@command.command("retire")
@click.argument("reference", metavar="ROLE/NAME@VERSION")
@store_option
@by_options
@common_options
def retire(reference: str, store_url: str, by: str | None, reason: str, as_json: bool) -> None:
    """Take a version out of use for good; it stays for audit and replay."""
    from assay.templates.version import Reference

    wanted = Reference.parse(reference)
    document = _move_release(
        store_url, lambda releases, move: releases.retire(wanted, move), by, reason
    )
    _print_version({"template": document}, as_json, f"{version_of(document)} is retired")


@command.command("label")
@click.argument("reference", metavar="ROLE/NAME@VERSION")
@click.argument("label")
@store_option
@by_options
@common_options
def label_(
    reference: str, label: str, store_url: str, by: str | None, reason: str, as_json: bool
) -> None:
    """Give a version a LABEL of your own, or move the label to it."""
    from assay.templates.version import Reference

    wanted = Reference.parse(reference)
    document = _move_release(
        store_url, lambda releases, move: releases.label(wanted, label, move), by, reason
    )
    _print_version(
        {"template": document, "label": label}, as_json, f"{label} is {version_of(document)}"
    )


@command.command("sign")
@click.argument("reference", metavar="ROLE/NAME@VERSION")
@click.option(
    "--key",
    required=True,
    metavar="FILE",
    help="Ed25519 private key: PEM, or 32 bytes in hex or Base64.",
)
@store_option
@by_options
@common_options
def sign(
    reference: str, key: str, store_url: str, by: str | None, reason: str, as_json: bool
) -> None:
    """Sign a version. With ASSAY_TEMPLATE_KEYS set, only versions so signed render."""
    from assay.templates.signing import SigningKey
    from assay.templates.version import Reference

    wanted = Reference.parse(reference)
    secret = SigningKey.parse(read_argument(key, what="key"))
    document = _move_release(
        store_url, lambda releases, move: releases.sign(wanted, secret, move), by, reason
    )
    _print_version(
        {"template": document}, as_json, f"{version_of(document)} is signed by {document['signer']}"
    )


@command.command("drift")
@store_option
@click.option("--strict", is_flag=True, help="Exit with 50 when anything drifted.")
@common_options
def drift(store_url: str, strict: bool, as_json: bool) -> int:
    """Compare every version and every recorded prompt's version with what the store holds now."""
    from assay import wiring
    from assay.runtime.templates.drift import detect

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        report = runtime.do(detect(runtime.registry))
    document = report.to_dict()
    emit(document, as_json=as_json, human=lambda console: draw_drift(console, document))
    return IntegrityError.exit_code if strict and report.found else 0


@command.command("import")
@click.argument("file")
@click.option(
    "--from",
    "form",
    required=True,
    type=click.Choice(["dotprompt", "langfuse", "mlflow"]),
    help="What the file is.",
)
@click.option("--role", help="Of the new version, when the file does not say it.")
@click.option("--name", help="Of the new version; default: as the file calls it.")
@store_option
@by_options
@common_options
def import_(
    file: str,
    form: str,
    role: str | None,
    name: str | None,
    store_url: str,
    by: str | None,
    reason: str,
    as_json: bool,
) -> None:
    """Add the template in FILE, of another tool, as the next version; lists what gets lost."""
    from assay import wiring
    from assay.templates.exchange import import_template

    found = import_template(read_argument(file, what="template"), form, name=Path(file).stem)
    draft = found.version(role=role, name=name, number=1)
    with wiring.open(store_url, "none") as runtime:
        registry = runtime.registry
        newest = runtime.do(registry.templates.newest(draft.role, draft.name))
        version = found.version(role=role, name=name, number=newest + 1)
        work = registry.add(version, author=by or getpass.getuser(), reason=reason)
        document = runtime.do(work).to_dict(text=False)
    lines = [f"added {version_of(document)}", *(f"not carried over: {lost}" for lost in found.lost)]
    _print_version({"template": document, "lost": list(found.lost)}, as_json, *lines)


@command.command("export")
@click.argument("reference", metavar="ROLE/NAME@VERSION")
@click.option(
    "--to",
    "form",
    type=click.Choice(["dotprompt", "assay"]),
    default="dotprompt",
    show_default=True,
    help="assay is a template file of our own.",
)
@click.option("--output", metavar="FILE", help="Write here instead of to standard output.")
@store_option
@common_options
def export(reference: str, form: str, output: str | None, store_url: str, as_json: bool) -> None:
    """Write a version as a file."""
    from assay import wiring
    from assay.templates.exchange import export_assay, export_dotprompt
    from assay.templates.version import Reference

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        found = runtime.do(runtime.registry.find(Reference.parse(reference)))
    version = found.template()
    exported = export_dotprompt(version) if form == "dotprompt" else export_assay(version)
    if output is not None:
        try:
            Path(output).write_bytes(exported.text.encode("utf-8"))
        except OSError as error:
            raise InputError(f"cannot write {output!r} ({error.strerror})") from error
    document = {
        "template": found.to_dict(text=False),
        "text": exported.text,
        "lost": list(exported.lost),
    }
    for lost in exported.lost:
        click.echo(f"not carried over: {lost}", err=True)
    if as_json or output is None:
        emit(document, as_json=as_json, human=lambda _: write_exactly(exported.text))


@command.command("stats")
@store_option
@click.option("--since", help="Only what happened at or after this time (ISO 8601).")
@click.option("--prometheus", is_flag=True, help="Print in the format that Prometheus scrapes.")
@common_options
def stats(store_url: str, since: str | None, prometheus: bool, as_json: bool) -> None:
    """Figures: drift, fallbacks, redactions, prompt lengths, verdicts by version.

    --json and --prometheus are two forms of the same figures: give one of them.
    """
    from assay import wiring
    from assay.runtime.templates import stats

    if prometheus and as_json:
        raise UsageError(
            "--prometheus prints no JSON", hint="give --json or --prometheus, not both"
        )
    with wiring.open(store_url, "none", must_exist=True) as runtime:
        day_ago = runtime.registry.clock.now() - timedelta(hours=24)
        found = runtime.do(
            stats.template_stats(runtime.runtime.store, day_ago=day_ago, since=moment(since))
        )
    if prometheus:
        write(stats.prometheus(found).rstrip("\n"))
        return
    document = found.to_dict()
    emit(document, as_json=as_json, human=lambda console: console.print_json(data=document))


def _move(by: str | None, reason: str) -> Any:
    from assay.runtime.templates.releases import Move

    return Move(by=by or getpass.getuser(), reason=reason)


def _move_release(
    store_url: str, work: Callable[[Any, Any], Any], by: str | None, reason: str
) -> dict[str, Any]:
    """Carry out a move; the version after it."""
    from assay import wiring
    from assay.runtime.templates.releases import Releases

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        found = runtime.do(work(Releases(registry=runtime.registry), _move(by, reason)))
    document: dict[str, Any] = found.to_dict(text=False)
    return document


def _print_version(document: dict[str, Any], as_json: bool, *lines: str) -> None:
    def human(console: Console) -> None:
        for line in lines:
            console.print(plain_text(line), markup=False, soft_wrap=True)

    emit(document, as_json=as_json, human=human)
