"""`assay redact [FILE] [--region CC]…`: the redacted view of a text."""

from __future__ import annotations

import click

from assay.cli.options import common_options, read_argument
from assay.cli.output import emit
from assay.cli.terminal import write_exactly
from assay.errors import InputError, UsageError
from assay.redaction.redactor import DEFAULT_REGIONS, Redactor
from assay.wiring.packs import redactor_for
from assay.wiring.settings import Settings, environment

KEY_VARIABLE = "ASSAY_REDACTION_KEY"
RECOGNISER_VARIABLES = ("ASSAY_RECOGNISER", "ASSAY_RECOGNISER_MODEL")


@click.command()
@click.argument("file", metavar="[FILE]", default="-")
@click.option(
    "--region",
    "regions",
    multiple=True,
    metavar="CC",
    help="Whose national telephone numbers and identifiers to look for, as in DE. Repeatable; "
    f"default: {' '.join(DEFAULT_REGIONS)}.",
)
@common_options
def command(file: str, regions: tuple[str, ...], as_json: bool) -> None:
    """Print FILE (or standard input) with surrogates in place of personal data.

    Equal values get equal surrogates. Set ASSAY_REDACTION_KEY to make them under a key; without
    it they are plain digests, and short values such as telephone numbers can be guessed.
    """
    redactor = redactor_of(regions)
    view = redactor.redact(read_text(file, what="text"))
    emit(view.to_dict(), as_json=as_json, human=lambda _: write_exactly(view.text))


def redactor_of(regions: tuple[str, ...] = ()) -> Redactor:
    """The redactor under the key, and with the outside recogniser, of the environment.

    Raises:
        UsageError: a region is unknown, or the recogniser is not installed.
    """
    found = environment()
    asked = {
        name: found.get(name, "")
        for name in (KEY_VARIABLE, f"{KEY_VARIABLE}_FILE", *RECOGNISER_VARIABLES)
    }
    chosen = tuple(code.upper() for code in regions) or DEFAULT_REGIONS
    try:
        return redactor_for(None, Settings.from_environment(asked), chosen)
    except InputError as error:
        raise UsageError(str(error), hint=error.hint) from error


def read_text(file: str, *, what: str) -> str:
    """The text of *file*, line ends untouched.

    Raises:
        InputError: it cannot be read, or is not UTF-8.
    """
    try:
        return read_argument(file, what=what).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{what}: byte {error.start} is not UTF-8", hint="convert the file to UTF-8"
        ) from error
