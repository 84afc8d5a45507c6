"""Options that several commands share, and how a file argument is read.

In      command line words
Out     click decorators; bytes of files or of standard input
Spec    interfaces.md, "Command line"
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from assay.errors import InputError

Decorated = Callable[..., Any]


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
        envvar="ASSAY_STORE",
        default="sqlite:///.assay/assay.db",
        show_default=True,
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
        envvar="ASSAY_MODEL",
        default="extractive",
        show_default=True,
        metavar="PROVIDER:NAME",
        help="What answers: openai:NAME, anthropic:NAME, embedded, embedded:FILE.gguf, "
        "extractive, scripted:FILE, recorded:FILE.",
    )(command)


def read_argument(name: str, *, what: str) -> bytes:
    """The bytes of file *name*; `-` is standard input.

    Raises:
        InputError: the file is missing, a folder, or cannot be read.
    """
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InputError(
            f"{what}: cannot read {name!r} ({error.strerror or 'not a readable file'})",
            hint="name an existing file, or - for standard input",
        ) from error
    except ValueError as error:  # a NUL in the name
        raise InputError(f"{what}: {name!r} is no file name") from error
