"""How a command speaks: one JSON document for programs, or text for people.

In      a document, or an error
Out     standard output (documents, tables), standard error (one error line, progress)
Spec    interfaces.md, "Command line"
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from rich.console import Console

from assay.errors import AssayError


def to_json(document: Any) -> str:
    """One line of JSON; text outside ASCII stays readable."""
    return json.dumps(document, ensure_ascii=False)


def write(text: str) -> None:
    """Write *text* and a line end to standard output as UTF-8, whatever the locale says."""
    # Lone surrogates cannot stand in our documents, but a file name of the caller may hold one.
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
    sys.stdout.buffer.flush()


def emit(document: Mapping[str, Any], *, as_json: bool, human: Callable[[Console], None]) -> None:
    """Print *document* for a program, or let *human* draw it for a person."""
    if as_json:
        write(to_json(document))
    else:
        human(Console(highlight=False))


def complain(error: AssayError, *, as_json: bool) -> None:
    """The one error line, and with `--json` the error document beside it."""
    hint = f" ({error.hint})" if error.hint else ""
    line = f"error[{error.code}]: {error}{hint}".replace("\n", " ")
    sys.stderr.buffer.write(line.encode("utf-8", "backslashreplace") + b"\n")
    sys.stderr.buffer.flush()
    if as_json:
        write(to_json({"error": error.to_dict()}))
