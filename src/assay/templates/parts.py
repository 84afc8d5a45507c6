"""The parts of a template's body: a system part, then the user part.

In      a body, as it is written
Out     PartSplit: where the two lines stand that begin the parts; None for one user message
Pure    yes, one pass
Spec    interfaces.md, "Templates"

A part begins with a line of the template's own text, `=== system ===` or `=== user ===`, and is
read from the body before any value is put in: no placeholder spans lines, so no value can make or
move a part. A body that has one of the lines must have both, the first of them at its beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple
from unicodedata import category

from assay.errors import TemplateError

SYSTEM_LINE: Final = "=== system ==="
USER_LINE: Final = "=== user ==="
LINES: Final = (SYSTEM_LINE, USER_LINE)

_HINT: Final = (
    f"a body with parts is a line {SYSTEM_LINE!r}, the system part, a line {USER_LINE!r}, "
    "the user part"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartSplit:
    """Where the parts of a body lie, in code points of it; the last one ends where it ends."""

    system_start: int
    """Behind the line `=== system ===` and its line end."""

    system_stop: int
    """Where the line `=== user ===` begins: the line end before it belongs to the system part."""

    user_start: int
    """Behind that line and its line end."""


class _Line(NamedTuple):
    start: int
    stop: int
    """Behind its line end."""

    number: int
    mark: str


def split_parts(body: str, first_line: int = 1) -> PartSplit | None:
    """Where the parts of *body* lie; None when it is one user message.

    Args:
        first_line: Number of the body's first line in its file.

    Raises:
        TemplateError: with line and column: a line that begins a part is not the only thing on
            its line, the lines are not these two in this order with the first at the beginning,
            or a part holds nothing.

    Example:
        >>> split_parts("=== system ===\\nBe brief.\\n=== user ===\\n{{q}}")
        PartSplit(system_start=15, system_stop=25, user_start=38)
        >>> split_parts("Be brief. {{q}}") is None
        True
    """
    marks = list(_marks(body, first_line))
    if not marks:
        return None
    first = marks[0]
    if first.mark != SYSTEM_LINE or first.start != 0:
        raise _fault(f"{first.mark!r} does not follow a system part", first)
    if len(marks) == 1:
        raise _fault(f"there is no line {USER_LINE!r} behind the system part", first)
    second = marks[1]
    if second.mark != USER_LINE or len(marks) > 2:
        extra = second if second.mark != USER_LINE else marks[2]
        raise _fault(f"a second line {extra.mark!r}: a body has one part of a role", extra)
    for role, mark, text in (
        ("system", first, body[first.stop : second.start]),
        ("user", second, body[second.stop :]),
    ):
        if not text.strip():
            raise _fault(f"the {role} part is empty", mark)
    return PartSplit(system_start=first.stop, system_stop=second.start, user_start=second.stop)


def begins_part(text: str) -> bool:
    """Whether a line of *text* would begin a part if it stood in a body.

    Example:
        >>> begins_part("He wrote:\\n=== user ===\\n"), begins_part("x === user ===")
        (True, False)
    """
    try:
        return next(_marks(text, 1), None) is not None
    except TemplateError:
        return True


def _marks(body: str, first_line: int) -> Iterator[_Line]:
    """The lines that begin a part; raises where something is hidden beside or within one."""
    if "===" not in body:
        return  # nearly every body
    at = 0
    for number, line in enumerate(body.split("\n"), start=first_line):
        text = line.removesuffix("\r")
        stop = min(at + len(line) + 1, len(body))
        if text in LINES and (text == line or stop > at + len(line)):
            yield _Line(at, stop, number, text)
        elif "===" in line:
            # Other line ends than LF and CR LF, blanks, and signs that nobody sees: a role must
            # not hang on them.
            before = 0
            for piece in line.splitlines(keepends=True):
                mark = "".join(char for char in piece if category(char) != "Cf").strip()
                if mark in LINES:
                    column = before + piece.index("=") + 1
                    raise _fault(
                        f"{mark!r} must stand alone on its line, with nothing beside or within it",
                        _Line(at, stop, number, mark),
                        column=column,
                    )
                before += len(piece)
        at += len(line) + 1


def _fault(message: str, line: _Line, *, column: int = 1) -> TemplateError:
    return TemplateError(message, line=line.number, column=column, hint=_HINT)
