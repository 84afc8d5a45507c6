"""`assay templates …`: versions, drift, figures, exchange with other tools.

In      names of versions, files
Out     one JSON document, or tables
Spec    002; interfaces.md, "Templates"
"""

from __future__ import annotations

import getpass
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from assay.cli.calls import parse_time
from assay.cli.options import common_options, read_argument, store_option
from assay.cli.output import count_of, emit, print_facts, rows_table, say, write
from assay.cli.progress import progress_bar
from assay.cli.releases import (
    by_options,
    canary,
    label,
    print_version,
    promote,
    retire,
    roll_back,
    sign,
    version_of,
)
from assay.cli.terminal import write_exactly
from assay.errors import InputError, IntegrityError, UsageError

COLUMNS = ("role", "name", "version", "state", "percent", "drifted", "signer", "author")


@click.group()
def command() -> None:
    """The template registry: versions, releases, drift."""


for _each in (promote, canary, roll_back, retire, label, sign):
    command.add_command(_each)


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
        human=lambda console: console.print(
            rows_table("templates", rows, COLUMNS, spare=("author", "signer", "percent"))
        ),
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
    emit(
        {"template": document},
        as_json=as_json,
        human=lambda console: _draw_version(console, document),
    )


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
    print_version({"template": document}, as_json, f"added {version_of(document)}")


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
    emit(document, as_json=as_json, human=lambda console: _draw_diff(console, document))


@command.command("drift")
@store_option
@click.option("--strict", is_flag=True, help="Exit with 50 when anything drifted.")
@common_options
def drift(store_url: str, strict: bool, as_json: bool) -> int:
    """Compare every version and every recorded prompt's version with what the store holds now."""
    from assay import wiring
    from assay.runtime.templates.drift import detect

    with (
        progress_bar("comparing with the record"),
        wiring.open(store_url, "none", must_exist=True) as runtime,
    ):
        report = runtime.do(detect(runtime.registry))
    document = report.to_dict()
    emit(document, as_json=as_json, human=lambda console: _draw_drift(console, document))
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

    with progress_bar("importing the template"):
        found = import_template(read_argument(file, what="template"), form, name=Path(file).stem)
        draft = found.version(role=role, name=name, number=1)
        with wiring.open(store_url, "none") as runtime:
            registry = runtime.registry
            newest = runtime.do(registry.templates.newest(draft.role, draft.name))
            version = found.version(role=role, name=name, number=newest + 1)
            work = registry.add(version, author=by or getpass.getuser(), reason=reason)
            document = runtime.do(work).to_dict(text=False)
    lines = [f"added {version_of(document)}", *(f"not carried over: {lost}" for lost in found.lost)]
    print_version({"template": document, "lost": list(found.lost)}, as_json, *lines)


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
        say(f"not carried over: {lost}")
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
    with (
        progress_bar("reading the record"),
        wiring.open(store_url, "none", must_exist=True) as runtime,
    ):
        day_ago = runtime.registry.clock.now() - timedelta(hours=24)
        found = runtime.do(
            stats.template_stats(runtime.runtime.store, day_ago=day_ago, since=parse_time(since))
        )
    if prometheus:
        write(stats.prometheus(found).rstrip("\n"))
        return
    document = found.to_dict()
    emit(document, as_json=as_json, human=lambda console: console.print_json(data=document))


# --- drawing -----------------------------------------------------------------------------------


def _draw_version(console: Console, document: dict[str, Any]) -> None:
    """One version with its text."""
    facts = {key: value for key, value in document.items() if key != "template"}
    print_facts(console, version_of(document), facts)
    console.print()
    console.print(document["template"], soft_wrap=True)


def _draw_diff(console: Console, document: dict[str, Any]) -> None:
    """What is different between two versions."""
    if document["same"]:
        console.print("no difference")
    for line in document["text"]:
        console.print(line, soft_wrap=True)
    for word in ("added", "removed"):
        if document["variables"][word]:
            console.print(f"variables {word}: {', '.join(document['variables'][word])}")
    for part in ("instructions", "schema"):
        for line in document["blueprint"][part]:
            console.print(line, soft_wrap=True)
    if document["cases"]:
        console.print(
            f"{len(document['rendered'])} of {document['cases']} golden prompts change", end="\n"
        )
    for change in document["rendered"]:
        console.print(f"case {change['case']} {change['fault']}")
        for line in change["diff"]:
            console.print(line, soft_wrap=True)


def _draw_drift(console: Console, document: dict[str, Any]) -> None:
    """What drifted."""
    console.print(
        f"{count_of(document['versions'], 'version')}, "
        f"{count_of(document['contexts'], 'prompt')} on record: "
        f"{len(document['drift'])} drifted, "
        f"{count_of(document['last_24h'], 'hit')} in the last 24 hours"
    )
    for hit in document["drift"]:
        unreadable = ", cannot be read" if hit.get("found", hit) is None else ""
        what = hit["id"] or ("without a name" if hit["kind"] == "version" else "of no version")
        console.print(f"{hit['kind']}: {what}{unreadable}", style="red")
