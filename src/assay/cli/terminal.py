"""The one way to a terminal: foreign text reaches it as text and never as a command to it.

In      text of any origin: replies, names of files, messages of errors
Out     standard output and standard error; what would move the cursor, change the screen or turn
        the direction of writing is shown as `·`
Spec    interfaces.md, "Command line"; 005-P17, 007-T5

Every command prints through what stands here. A console of rich is made by `terminal` alone: it
knows no mark-up, so that brackets of foreign text style nothing and link nowhere, and it cleans
each piece that it draws, whoever forgot to.

Documents for programs are UTF-8 whatever the terminal says. What a person reads is in the
terminal's encoding, with ASCII in place of signs that it does not have: no text ends a command.
"""

from __future__ import annotations

import codecs
import logging
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any, Final

from rich.console import Console, ConsoleDimensions, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from assay.core.text.controls import CONTROLS, replace_controls

__all__ = [
    "NobodyReadsError",
    "PlainFormatter",
    "escape_json",
    "foreign_prints_aside",
    "one_line",
    "open_streams",
    "plain_text",
    "say",
    "silence_stdout",
    "terminal",
    "terminal_width",
    "write",
    "write_exactly",
]

VARIABLES: Final = {
    "COLUMNS": "Characters in a line of the terminal, instead of what it says itself.",
}
"""What is read from the environment here, for the page on settings."""

LEAST_WIDTH: Final = 20
"""In a narrower terminal lines are of this length, and it breaks them itself."""


def plain_text(text: str) -> str:
    """Foreign text made harmless for a terminal: control characters become `·`.

    Its length stays, so that offsets into it still fit.
    """
    return replace_controls(text)


def one_line(text: str) -> str:
    """As `plain_text`, and line ends and tabs too: what stands in a line of its own stays in it."""
    return plain_text(text).replace("\n", "·").replace("\t", "·")


def escape_json(text: str) -> str:
    """JSON with what `plain_text` replaces written as `\\uXXXX`: the same document."""
    return CONTROLS.sub(lambda match: _escape(match[0]), text)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


_IN_ASCII: Final = {
    **dict.fromkeys("·•", "."), **dict.fromkeys("–—−‐‑─━", "-"), **dict.fromkeys("‘’‚", "'"),
    **dict.fromkeys("“”„«»", '"'), "…": "...", "≤": "<=", "≥": ">=", "→": "->", "│": "|", "┃": "|",
    "×": "x", "\xa0": " ",
}  # fmt: skip
_ENCODING_ERRORS: Final = "assay.in_ascii"


def _replace_unencodable(error: UnicodeError) -> tuple[str, int]:
    """For what an encoding does not have: our own signs in ASCII, letters as `\\xfc`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    replaced = (_IN_ASCII.get(c) or c.encode("ascii", "backslashreplace").decode() for c in text)
    return "".join(replaced), error.end


codecs.register_error(_ENCODING_ERRORS, _replace_unencodable)


def open_streams() -> None:
    """Make the three streams fit for any terminal, whatever the process was started with.

    A stream that was closed is nowhere: its number would go to the next file that is opened, and
    what is printed into that file. What an encoding lacks is replaced.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_ENCODING_ERRORS)


def silence_stdout() -> None:
    """Nobody reads it any more: what is still to come goes nowhere, without a word."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@contextmanager
def foreign_prints_aside() -> Iterator[None]:
    """What code of other packages prints goes to standard error: standard output is a document."""
    with redirect_stdout(sys.stderr):
        yield


class NobodyReadsError(Exception):
    """Whoever read standard output has what they wanted: the command ends, and says nothing."""


def write(text: str) -> None:
    """Write *text* and a line end to standard output as UTF-8, whatever the locale says.

    Raises:
        NobodyReadsError: the other end of the pipe is closed.
    """
    _write_bytes(plain_text(text).encode("utf-8") + b"\n")


def _write_bytes(data: bytes) -> None:
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        raise NobodyReadsError from error


def say(line: str) -> None:
    """One line on standard error. That nobody can read it is no fault of what is going on."""
    encoding = sys.stderr.encoding or "utf-8"
    with suppress(OSError, ValueError):
        sys.stderr.buffer.write(one_line(line).encode(encoding, _ENCODING_ERRORS) + b"\n")
        sys.stderr.buffer.flush()


def write_exactly(text: str) -> None:
    """*text* on standard output, to the byte; a terminal gets it as `plain_text`."""
    watched = sys.stdout.isatty()
    shown = plain_text(text) if watched else text
    end = b"\n" if watched and not text.endswith("\n") else b""
    _write_bytes(shown.encode("utf-8", "backslashreplace") + end)


class _Terminal(Console):
    """A console that draws no control character which it did not make itself."""

    def on_broken_pipe(self) -> None:
        """Standard output is read to where somebody wanted it; standard error is not the work.

        Raises:
            NobodyReadsError: it is standard output.
        """
        self.quiet = True
        if not self.stderr:
            raise NobodyReadsError

    def render_str(self, text: str, **how: Any) -> Text:
        """Whatever is handed over as a string, before rich takes some of it away unseen."""
        return super().render_str(plain_text(text), **how)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of *renderable*, their texts cleaned."""
        for segment in super().render(renderable, options):
            if segment.control or not CONTROLS.search(segment.text):
                yield segment
            else:
                yield Segment(plain_text(segment.text), segment.style)


def terminal_width() -> int:
    """Characters in a line: COLUMNS, else as the terminal says, else 80; 20 at least."""
    wanted = os.environ.get("COLUMNS", "")
    width = int(wanted) if re.fullmatch("[0-9]{1,6}", wanted) else 0
    for number in (1, 2, 0):
        if not width:
            with suppress(OSError):
                width = os.get_terminal_size(number).columns
    return max(width or 80, LEAST_WIDTH)


def terminal(*, stderr: bool = False) -> Console:
    """The console for a person, on standard output or on standard error."""
    how: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
    console = _Terminal(stderr=stderr, **how)
    width = terminal_width()
    if console.width != width:  # too narrow, or a dumb one, of which rich takes no width
        console.size = ConsoleDimensions(width, console.height)
    return console


class PlainFormatter(logging.Formatter):
    """Lines of the log, harmless for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, its traceback included."""
        return plain_text(super().format(record))
