"""`assay templates promote|canary|rollback|retire|label|sign`: what moves a version.

In      names of versions, who moves them and why
Out     one JSON document, or a line
Spec    002 "Versioning Strategy"; interfaces.md, "Templates"
"""

from __future__ import annotations

import getpass
from collections.abc import Callable
from typing import Any

import click
from rich.console import Console

from assay.cli.options import common_options, read_argument, store_option
from assay.cli.output import emit


def by_options(decorated: Callable[..., Any]) -> Callable[..., Any]:
    """`--by` and `--reason` of a move."""
    decorated = click.option("--reason", default="", help="Why; kept with the move.")(decorated)
    return click.option("--by", help="Who; default: the user of this machine.")(decorated)


def version_of(document: dict[str, Any]) -> str:
    """`ROLE/NAME@VERSION`."""
    return f"{document['role']}/{document['name']}@{document['version']}"


def print_version(document: dict[str, Any], as_json: bool, *lines: str) -> None:
    """Print *document*, or *lines* for a person."""

    def human(console: Console) -> None:
        for line in lines:
            console.print(line, soft_wrap=True)

    emit(document, as_json=as_json, human=human)


@click.command("promote")
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
    print_version({"template": document}, as_json, f"{version_of(document)} is active")


@click.command("canary")
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
    print_version(
        {"template": document},
        as_json,
        f"{version_of(document)} is {document['state']}, {percent} %",
    )


@click.command("rollback")
@click.argument("template", metavar="ROLE/NAME")
@store_option
@by_options
@common_options
def roll_back(template: str, store_url: str, by: str | None, reason: str, as_json: bool) -> None:
    """Return to the version that was active before the one that is."""
    from assay.templates.version import Reference

    wanted = Reference.parse(template)
    document = _move_release(
        store_url,
        lambda releases, move: releases.roll_back(wanted.role, wanted.name, move),
        by,
        reason,
    )
    print_version({"template": document}, as_json, f"{version_of(document)} is active again")


@click.command("retire")
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
    print_version({"template": document}, as_json, f"{version_of(document)} is retired")


@click.command("label")
@click.argument("reference", metavar="ROLE/NAME@VERSION")
@click.argument("label")
@store_option
@by_options
@common_options
def label(
    reference: str, label: str, store_url: str, by: str | None, reason: str, as_json: bool
) -> None:
    """Give a version a LABEL of your own, or move the label to it."""
    from assay.templates.version import Reference

    wanted = Reference.parse(reference)
    document = _move_release(
        store_url, lambda releases, move: releases.label(wanted, label, move), by, reason
    )
    print_version(
        {"template": document, "label": label}, as_json, f"{label} is {version_of(document)}"
    )


@click.command("sign")
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
    print_version(
        {"template": document}, as_json, f"{version_of(document)} is signed by {document['signer']}"
    )


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
