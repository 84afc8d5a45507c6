"""The one way to a terminal: foreign text reaches it as text and never as a command to it.

In      text of any origin: replies, names of files, messages of errors
Out     standard output and standard error, in UTF-8; what would move the cursor, change the
        screen or turn the direction of writing is shown as `·`
Spec    interfaces.md, "Command line"

Every command prints through what stands here. A console of rich is made by `terminal` alone: it
knows no mark-up, so that brackets of foreign text style nothing and link nowhere, and it cleans
each piece that it draws, whoever forgot to.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable
from typing import Any, Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

__all__ = [
    "PlainFormatter",
    "escape_json",
    "one_line",
    "plain_text",
    "say",
    "terminal",
    "write",
    "write_exactly",
]

# C0 but tab and line feed, DEL, C1, marks of direction, separators of lines and paragraphs, lone
# surrogates, interlinear annotation, tags.
_CONTROL: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def plain_text(text: str) -> str:
    """Foreign text made harmless for a terminal: control characters become `·`.

    Its length stays, so that offsets into it still fit.
    """
    return _CONTROL.sub("·", text)


def one_line(text: str) -> str:
    """As `plain_text`, and line ends and tabs too: what stands in a line of its own stays in it."""
    return plain_text(text).replace("\n", "·").replace("\t", "·")


def escape_json(text: str) -> str:
    """JSON with what `plain_text` replaces written as `\\uXXXX`: the same document."""
    return _CONTROL.sub(lambda match: _escape(match[0]), text)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def write(text: str) -> None:
    """Write *text* and a line end to standard output as UTF-8, whatever the locale says."""
    sys.stdout.buffer.write(plain_text(text).encode("utf-8") + b"\n")
    sys.stdout.buffer.flush()


def say(line: str) -> None:
    """One line on standard error."""
    sys.stderr.buffer.write(one_line(line).encode("utf-8") + b"\n")
    sys.stderr.buffer.flush()


def write_exactly(text: str) -> None:
    """*text* on standard output, to the byte; a terminal gets it as `plain_text`."""
    watched = sys.stdout.isatty()
    shown = plain_text(text) if watched else text
    sys.stdout.buffer.write(shown.encode("utf-8", "backslashreplace"))
    if watched and not text.endswith("\n"):
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


class _Terminal(Console):
    """A console that draws no control character which it did not make itself."""

    def render_str(self, text: str, **how: Any) -> Text:
        """Whatever is handed over as a string, before rich takes some of it away unseen."""
        return super().render_str(plain_text(text), **how)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of *renderable*, their texts cleaned."""
        for segment in super().render(renderable, options):
            if segment.control or not _CONTROL.search(segment.text):
                yield segment
            else:
                yield Segment(plain_text(segment.text), segment.style)


def terminal(*, stderr: bool = False) -> Console:
    """The console for a person, on standard output or on standard error."""
    how: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
    return _Terminal(stderr=stderr, **how)


class PlainFormatter(logging.Formatter):
    """Lines of the log, harmless for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, its traceback included."""
        return plain_text(super().format(record))
