"""`assay figures`: what a record comes to, as one page, as PNG, as JSON or in the terminal.

In      a store, which calls, where to write
Out     an HTML file, PNG files, the numbers
Spec    007-F1, 007-F2, 007-F6
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from assay.cli.calls import parse_time
from assay.cli.options import common_options, store_option
from assay.cli.output import emit, plain_text, rows_table, say
from assay.cli.progress import progress_bar
from assay.cli.terminal import write_exactly
from assay.errors import InputError, UsageError

if TYPE_CHECKING:
    from assay.figures.record_figures import RecordFigures


@click.command()
@store_option
@click.option("--output", metavar="FILE.html", help="Write the page here; - for standard output.")
@click.option(
    "--png",
    metavar="FILE.png|FOLDER",
    help="All pictures on one sheet, or each in a file of its own in a folder.",
)
@click.option("--since", help="Only calls opened at or after this time (ISO 8601).")
@click.option("--until", help="Only calls opened before this time (ISO 8601).")
@click.option("--pack", help="Only calls of this pack.")
@click.option("--contract", help="Only calls of this contract (PACK/NAME).")
@common_options
def command(
    store_url: str,
    output: str | None,
    png: str | None,
    since: str | None,
    until: str | None,
    pack: str | None,
    contract: str | None,
    as_json: bool,
) -> None:
    """Outcomes, findings, latency, tokens, cost, redactions and decisions of a record.

    The page is one file: it sends no request and runs no script. Equal records and equal
    options give equal bytes.
    """
    from assay import wiring
    from assay.runtime.figures.filter import FiguresFilter

    if output == "-" and as_json:
        raise UsageError("--output - and --json both want standard output", hint="name a file")
    which = FiguresFilter(
        since=parse_time(since), until=parse_time(until), pack=pack, contract=contract
    )
    if png is not None:
        from assay.adapters.pictures import require_pictures

        require_pictures()
    with wiring.open(store_url, "none", must_exist=True) as runtime:
        shown_url = runtime.runtime.store.url
        with progress_bar("reading the record", what="events") as show_progress:
            figures = runtime.figures(which, progress=show_progress)
    files = _files(figures, output, png, shown_url)
    for file, content in files.items():
        _write_file(file, content)
    written = [str(file) for file in files]
    if output == "-":
        from assay.figures.page import figures_page

        write_exactly(figures_page(figures, store=shown_url))
    for file_name in () if as_json else written:
        say(f"written: {file_name}")
    if as_json or not (written or output):
        emit(
            {**figures.to_dict(), "written": written},
            as_json=as_json,
            human=lambda console: _draw(console, figures),
        )


def _files(
    figures: RecordFigures, output: str | None, png: str | None, store: str
) -> Mapping[Path, bytes]:
    """What is to be written where."""
    from assay.figures.page import figures_page

    files: dict[Path, bytes] = {}
    if output not in (None, "-"):
        files[Path(str(output))] = figures_page(figures, store=store).encode("utf-8")
    if png is not None:
        from assay.adapters.pictures import png_of
        from assay.figures.sheet import panel_svgs, sheet_svg

        if png.lower().endswith(".png"):
            files[Path(png)] = png_of(sheet_svg(figures))
        else:
            drawn = {"all": sheet_svg(figures), **panel_svgs(figures)}
            with progress_bar("drawing", len(drawn), what="pictures") as show:
                for number, (name, svg) in enumerate(drawn.items()):
                    show(number)
                    files[Path(png) / f"{name}.png"] = png_of(svg)
    return files


def _write_file(file: Path, content: bytes) -> None:
    """The whole file or none: what stood there stays until it is complete."""
    part: Path | None = None
    try:
        part = file.with_name(f"{file.name}.part")
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(file)
    except (OSError, ValueError) as error:
        if part is not None and not isinstance(error, ValueError):
            with suppress(OSError):
                part.unlink(missing_ok=True)
        why = getattr(error, "strerror", None) or "no such name can be"
        raise InputError(
            f"cannot write {file.name!r}: {why}", hint="name a file that can be written"
        ) from error


def _draw(console: Console, figures: RecordFigures) -> None:
    """The sums in one table, and where the pictures come from."""
    from assay.figures.sums import sums_of

    rows = [{"figure": name, "all": text} for name, text in sums_of(figures)]
    console.print(rows_table("figures", rows, ("figure", "all")))
    if figures.last is not None:
        console.print(plain_text(f"record: event {figures.last[0]}, {figures.last[1]}"))
    console.print("pictures: --output FILE.html, --png FILE.png")
