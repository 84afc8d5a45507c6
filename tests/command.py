"""The `assay` command as tests run it.

In this process as a rule: everything from the words on is the same, and a start of Python for
each command is spared. In a process of its own where only that tells: exit codes as a shell sees
them, pipes that break, signals.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest import mock

from assay.cli.main import run
from tests.processes import run_python, start_python, surroundings

MODULE = ("-m", "assay.cli.main")


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What a command left."""

    code: int
    """Its exit code."""

    raw: bytes
    """Standard output, byte for byte."""

    err: str
    """Standard error."""

    @property
    def out(self) -> str:
        """Standard output."""
        return self.raw.decode("utf-8")

    @property
    def document(self) -> Any:
        """The one JSON document, in one line, on standard output."""
        (line,) = self.documents
        return line

    @property
    def documents(self) -> list[Any]:
        """The JSON Lines on standard output, which hold nothing else."""
        return [json.loads(line) for line in self.out.splitlines()]


def assay(
    place: Path, *words: str, stdin: bytes = b"", process: bool = False, **environ: str
) -> Ran:
    """Run a command in the folder *place* and wait for its end.

    Args:
        stdin: What it reads; nothing, unless told.
        process: In a process of its own.
        environ: The settings it runs with; it has no others.
    """
    if process:
        done = run_python(*MODULE, *words, cwd=place, stdin=stdin, environ=environ)
        return Ran(code=done.returncode, raw=done.stdout, err=done.stderr.decode("utf-8"))
    given, out, err = (
        TextIOWrapper(BytesIO(data), "utf-8", write_through=True) for data in (stdin, b"", b"")
    )
    with (
        mock.patch.dict(os.environ, surroundings(environ), clear=True),
        mock.patch("sys.stdin", given),
        mock.patch.object(logging.getLogger(), "handlers", []),
        chdir(place),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = run([*words])
    raw, said = (stream.buffer.getvalue() for stream in (out, err))  # type: ignore[attr-defined]
    return Ran(code=code, raw=raw, err=said.decode("utf-8"))


@contextmanager
def started(place: Path, *words: str, **environ: str) -> Iterator[subprocess.Popen[str]]:
    """A command in a process of its own that something is going to happen to."""
    with start_python(*MODULE, *words, cwd=place, environ=environ) as process:
        yield process
