"""Options that several commands share, and how a file argument is read.

In      command line words
Out     click decorators; bytes of files or of standard input
Spec    interfaces.md, "Command line"
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.candidates import complete_model
from assay.core.amounts import read_amount
from assay.errors import InputError, UsageError
from assay.files import read_bounded

if TYPE_CHECKING:
    from pydantic import BaseModel

    from assay.pack.pack import Pack

Decorated = Callable[..., Any]

DEFAULT_STORE = "sqlite:///.assay/assay.db"
DEFAULT_MODEL = "extractive"
MAX_ARGUMENT_BYTES = 1 << 30
"""More than any command takes in one file; a device would never end."""


def common_options(command: Decorated) -> Decorated:
    """`--json` and `--debug`, which every command takes."""
    command = click.option(
        "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error."
    )(command)
    return click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON document on standard output."
    )(command)


def store_option(command: Decorated) -> Decorated:
    """`--store URL`, or ASSAY_STORE."""
    return click.option(
        "--store",
        "store_url",
        default=lambda: _setting("ASSAY_STORE") or DEFAULT_STORE,
        show_default=DEFAULT_STORE,
        metavar="URL",
        help="Where the record lives: sqlite:///PATH or postgresql://…",
    )(command)


def model_options(command: Decorated) -> Decorated:
    """`--model PROVIDER:NAME`, or ASSAY_MODEL; `--script-log FILE`."""
    command = click.option(
        "--script-log",
        type=click.Path(dir_okay=False),
        help="With scripted: write each request to this file, a JSON object a line.",
    )(command)
    return click.option(
        "--model",
        default=lambda: _setting("ASSAY_MODEL") or DEFAULT_MODEL,
        show_default=DEFAULT_MODEL,
        metavar="PROVIDER:NAME",
        shell_complete=complete_model,
        help="What answers: openai:NAME, anthropic:NAME, embedded, embedded:FILE.gguf, "
        "extractive, scripted:FILE, recorded:FILE.",
    )(command)


def class_option(command: Decorated) -> Decorated:
    """`--class`, beside `--pack`, for calls that were made under a class."""
    return click.option(
        "--class",
        "class_name",
        metavar="MODULE:CLASS",
        help="The class of pydantic that the call was made under; its module is imported.",
    )(command)


def pack_or_class(folder: str | None, class_name: str | None) -> Pack | type[BaseModel] | None:
    """What `--pack` or `--class` names.

    Raises:
        UsageError: both are given, or the class cannot be found.
    """
    if folder is not None and class_name is not None:
        raise UsageError("a call is of a pack or of a class", hint="--pack or --class, not both")
    if class_name is not None:
        from assay.wiring.classes import load_class

        return load_class(class_name)
    if folder is not None:
        from assay import wiring

        return wiring.load_pack(folder)
    return None


def parse_amount(text: str | None, option: str) -> Decimal | None:
    """An amount of money as given on the command line.

    Raises:
        UsageError: it is none.
    """
    amount = read_amount(text)
    if text is not None and amount is None:
        raise UsageError(f"{option}: {text!r} is no amount", hint="digits alone, as 5 or 0.25")
    return amount


def _setting(name: str) -> str:
    """A variable of the environment, or of the settings file under it."""
    from assay.wiring import environment

    return environment().get(name, "")


def read_argument(name: str, *, what: str) -> bytes:
    """The bytes of file *name*; `-` is standard input.

    Raises:
        InputError: the file is missing, a folder, or cannot be read.
    """
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return read_bounded(Path(name), MAX_ARGUMENT_BYTES)
    except OSError as error:
        raise InputError(
            f"{what}: cannot read {name!r} ({error.strerror or 'not a readable file'})",
            hint="name an existing file, or - for standard input",
        ) from error
    except ValueError as error:  # a NUL in the name
        raise InputError(f"{what}: {name!r} is no file name") from error
