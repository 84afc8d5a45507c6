"""`assay replay CALL…`: rebuild recorded prompts and judge the replies again; no model is called.

In      ids of recorded calls
Out     one JSON document a call, or a table
Spec    interfaces.md, "Command line" (`assay replay`); 002-N3
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.console import Console

from assay.cli.options import common_options, read_argument, store_option
from assay.cli.output import to_json, write
from assay.cli.tables import findings_table, plain_text

if TYPE_CHECKING:
    from assay.runtime.replay.replay import Replayed

DIFFERS_EXIT = 50


@click.command()
@click.argument("calls", metavar="CALL…", nargs=-1, required=True)
@store_option
@click.option("--pack", "folder", help="Folder of the pack, when it is not a bundled one.")
@click.option(
    "--input", "input_file", help="The original input of the calls, when its texts were not kept."
)
@click.option("--strict", is_flag=True, help="Leave with 50 when anything differs.")
@common_options
def command(
    calls: tuple[str, ...],
    store_url: str,
    folder: str | None,
    input_file: str | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Rebuild the prompts of each CALL and judge its stored replies again.

    Prompts can be rebuilt when the call was made with ASSAY_MASTER_KEY set, so that its
    source texts were kept, and when they have not been erased since; or with the original
    input, whose digest is on record.
    """
    from assay import wiring

    pack = None if folder is None else wiring.load_pack(folder)
    original = None if input_file is None else read_argument(input_file, what="input")
    differs = False
    with wiring.open(store_url, "none", must_exist=True) as runtime:
        for call in calls:
            replayed = runtime.replay(call, pack, original=original)
            differs = differs or replayed.differs
            if as_json:
                write(to_json(replayed.to_dict()))
            else:
                _draw(Console(highlight=False), replayed)
    return DIFFERS_EXIT if strict and differs else 0


def _draw(console: Console, replayed: Replayed) -> None:
    console.print(f"[bold]{replayed.call}[/bold]")
    first = replayed.first_difference
    where = ""
    if first is not None:
        byte = "" if first.byte is None else f" from byte {first.byte}"
        section = "" if first.section is None else f" in section {plain_text(first.section)}"
        where = f": attempt {first.attempt}{byte}{section}, cause: {first.cause.value}"
    console.print(f"  prompt   {replayed.prompt}{where}", markup=False)
    if replayed.redacted != replayed.prompt:
        console.print(f"  redacted {replayed.redacted}", markup=False)
    partly = " (without the source texts)" if replayed.without_sources else ""
    console.print(f"  verdict  {replayed.verdict}{partly}", markup=False)
    console.print(f"  result   {replayed.result}", markup=False)
    console.print(f"  contract {replayed.contract}", markup=False)
    if replayed.verdict == "changed" and replayed.findings:
        console.print(findings_table([dict(finding) for finding in replayed.findings]))
