"""`assay pack new|verify|lock|graph`: make, check, seal and draw packs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from assay.cli.candidates import complete_pack
from assay.cli.options import common_options
from assay.cli.output import complain, emit, write
from assay.cli.terminal import say
from assay.errors import InputError, ModelUnavailableError, PackError, UsageError

if TYPE_CHECKING:
    from assay.flow.picture import Diagram
    from assay.pack.pack import Pack


@click.group()
def command() -> None:
    """Packs: folders of contracts, templates, labels, policies and golden cases."""


@command.command()
@click.argument("name")
@click.option("--into", default=".", metavar="FOLDER", help="Where the new folder is made.")
@common_options
def new(name: str, into: str, as_json: bool) -> None:
    """Write a small pack that works into the new folder NAME."""
    from assay.adapters.folders import bundled_packs
    from assay.adapters.new_pack import new_pack

    folder = Path(into) / name
    files = new_pack(name)
    if name in bundled_packs():
        raise UsageError(
            f"{name!r} is a pack that comes with assay, which its name would lead to",
            hint="choose another name",
        )
    if folder.exists():
        raise UsageError(f"{str(folder)!r} exists already", hint="choose another name")
    for file, data in files.items():
        _write(folder / file, data)
    document = {"pack": name, "folder": str(folder), "files": sorted(files)}
    emit(document, as_json=as_json, human=lambda console: _draw_new(console, folder, files))


@command.command()
@click.argument("pack", shell_complete=complete_pack)
@click.option("--locked", is_flag=True, help="A pack without pack.lock is a fault, too.")
@common_options
def verify(pack: str, locked: bool, as_json: bool) -> int:
    """Check digests, schemas, templates, rules, stages and golden cases of PACK.

    Every pointer of a contract must meet a value in the reply of a golden case. Leaves with 60
    when anything is wrong, each fault with its file and line.
    """
    from assay.adapters.entry_points import PublishedChecks
    from assay.adapters.folders import read_pack_folder
    from assay.pack.verify import verify_pack

    files, hint = read_pack_folder(pack)
    found = verify_pack(files, name_hint=hint, checks=PublishedChecks(), lock_required=locked)
    document = found.to_dict()
    if found.holds:
        document["examples"] = examples = _examples(found.pack)
        emit(
            document,
            as_json=as_json,
            human=lambda console: _draw_verified(console, found.pack, found.golden, examples),
        )
        return 0
    first = found.faults[0]
    if as_json:
        emit(
            {**document, "error": {"code": first.code, "message": str(first), "hint": first.hint}},
            as_json=True,
            human=lambda _: None,
        )
    for fault in found.faults:
        complain(fault, as_json=False)
    return PackError.exit_code


@command.command()
@click.argument("pack", shell_complete=complete_pack)
@common_options
def lock(pack: str, as_json: bool) -> None:
    """Write the digest of every file of PACK into its pack.lock; the pack must read.

    What is learnt from its examples.yaml is written into examples.learned first.
    """
    from assay.adapters.entry_points import PublishedChecks
    from assay.adapters.folders import pack_folder, read_pack_folder
    from assay.pack.examples import LEARNED
    from assay.pack.lock import LOCK, lock_text
    from assay.pack.read import read_pack

    files, hint = read_pack_folder(pack)
    found = read_pack(files, name_hint=hint, checks=PublishedChecks())
    lock_text(files)  # what cannot be locked is told before anything is learnt
    learned = _learned(found)
    if learned is not None and learned != files.get(LEARNED):
        files[LEARNED] = learned
        _write(pack_folder(pack) / LEARNED, learned)
        found = read_pack(files, name_hint=hint, checks=PublishedChecks())
    target = pack_folder(pack) / LOCK
    _write(target, lock_text(files))
    count = len(files.keys() - {LOCK})
    document = {
        "pack": found.name,
        "version": found.version,
        "digest": found.digest,
        "lock": str(target),
        "files": count,
    }
    emit(
        document,
        as_json=as_json,
        human=lambda console: console.print(
            f"{target}: {count} files, {found.digest}", soft_wrap=True
        ),
    )


@command.command()
@click.argument("pack", shell_complete=complete_pack)
@click.option(
    "--format",
    "form",
    type=click.Choice(["mermaid", "svg", "json"]),
    default="mermaid",
    show_default=True,
    help="What to write.",
)
@click.option("--output", metavar="FILE", help="Write to FILE instead of standard output.")
@common_options
def graph(pack: str, form: str, output: str | None, as_json: bool) -> None:
    """Draw the flow of PACK: its stages, its contracts in their order, or the way of an answer."""
    from assay import wiring
    from assay.flow.picture import draw_mermaid, draw_svg
    from assay.pack.diagram import pack_diagram

    found = wiring.load_pack(pack)
    drawn = pack_diagram(found)
    document: dict[str, Any] = {
        "pack": found.name,
        **_flow_of(found, drawn),
        "nodes": [
            {"name": node.name, "kind": node.kind, "note": node.note} for node in drawn.nodes
        ],
        "takes": [
            {"from": origin, "to": name, "text": text, "place": place}
            for name, contract in found.contracts.items()
            for text, place in contract.earlier.items()
            for origin in found.flow
            if found.contracts[origin].result_name == place.partition("/")[0]
        ],
        "mermaid": draw_mermaid(drawn),
        "svg": draw_svg(drawn),
    }
    if form == "json":
        as_json = True
    text = document["svg"] if form == "svg" else document["mermaid"]
    if output is not None:
        _write(Path(output), text.encode("utf-8"))
        document["written"] = output
    shown = f"{output}: written" if output is not None else text.rstrip("\n")
    emit(document, as_json=as_json, human=lambda _: write(shown))


def _flow_of(pack: Pack, drawn: Diagram) -> dict[str, Any]:
    """What leads where, with every value of a field that does."""
    steps = [node.name for node in drawn.nodes if node.kind == "step"]
    edges = [
        (arrow.origin, ", ".join(arrow.labels) if not pack.flow else "", arrow.target)
        for arrow in drawn.arrows
        if not arrow.takes
    ]
    if pack.stages is not None:
        edges = list(pack.stages.edges())
    ends = [node.name for node in drawn.nodes if node.kind == "end"]
    return {
        "start": drawn.arrows[0].origin if drawn.arrows else None,
        "end": ends[0] if ends else None,
        "stages": steps,
        "edges": [
            {"from": origin, "value": value, "to": target} for origin, value, target in edges
        ],
    }


def _learned(pack: Pack) -> bytes | None:
    """What `examples.learned` has to hold; None where there is nothing to learn, or nothing to
    learn with."""
    from assay.wiring.learning import examples_of, learn_pack, learned_file

    count = examples_of(pack)
    if not count:
        return None
    say(f"learning from {count} examples")
    try:
        return learned_file(learn_pack(pack))
    except ModelUnavailableError as error:
        say(f"warning: examples.learned is left as it is: {error} ({error.hint})")
        return None


def _examples(pack: Pack | None) -> list[dict[str, Any]] | None:
    """How well the labels of held-out examples are found; None where that cannot be told here."""
    from assay.wiring.learning import examples_of, learn_pack

    if pack is None or not examples_of(pack):
        return []
    try:
        taught = learn_pack(pack)
    except ModelUnavailableError as error:
        say(f"warning: the examples are not tried: {error} ({error.hint})")
        return None
    if not all(one.kept for one in taught):
        say(
            "warning: examples.learned is not of these examples: every start learns them again;"
            " `assay pack lock` keeps what is learnt"
        )
    return [row for one in taught for row in one.to_rows()]


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"cannot write {str(path)!r} ({reason})") from error


def _draw_new(console: Console, folder: Path, files: dict[str, bytes]) -> None:
    console.print(f"{folder}: {len(files)} files")
    console.print(f"next: assay pack verify {folder}; change it; assay pack lock {folder}")


def _draw_verified(
    console: Console, pack: Any, golden: int, examples: list[dict[str, Any]] | None
) -> None:
    from assay.flow.picture import draw_mermaid
    from assay.pack.diagram import pack_diagram
    from assay.pack.lock import LOCK

    console.print(f"{pack.name} {pack.version} holds", style="green")
    for name, value in (
        ("digest", pack.digest),
        ("lock", f"{len(pack.files) - 1} files" if LOCK in pack.files else "none yet"),
        ("golden cases", str(golden)),
        ("contracts", ", ".join(pack.contracts) or "none"),
        ("templates", ", ".join(pack.templates) or "none"),
        ("label sets", ", ".join(pack.label_sets) or "none"),
    ):
        console.print(f"{name:<13} {value}", soft_wrap=True)
    for warning in pack.warnings:
        console.print(f"warning: {warning}", style="yellow", soft_wrap=True)
    for row in examples or ():
        weak = sorted(
            (counts["found"] / counts["examples"], label) for label, counts in row["labels"].items()
        )
        worst = ", ".join(f"{label} {share:.0%}" for share, label in weak[:2])
        console.print(
            f"examples of {row['set']}: {row['agreement']:.0%} of {row['examples']} found when"
            f" held out; least: {worst}",
            soft_wrap=True,
        )
    if pack.stages is not None or pack.flow:
        console.print(draw_mermaid(pack_diagram(pack)))
