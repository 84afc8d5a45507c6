"""Take a template body apart: literal text and the places of variables.

In      body text
Out     pieces in order; where each variable stands first
Pure    yes, one pass
Spec    interfaces.md, "Templates"
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from assay.core.yaml import Place
from assay.errors import TemplateError

NAME: Final = r"[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*"
"""A variable's name: identifiers joined by dots."""

QUOTED_CHARS: Final = 60
"""So much of what is no placeholder is quoted in an error."""

_PLACEHOLDER = re.compile(rf"\{{\{{[ \t]*({NAME})[ \t]*\}}\}}")
_REFUSED: Final = {
    "#": "a section",
    "/": "the end of a section",
    "^": "an inverted section",
    "!": "a comment",
    ">": "a partial",
    "{": "a triple brace",
}
_HINT: Final = "write {{name}}, identifiers joined by dots; {{{{ stands for a literal {{"


class Piece(NamedTuple):
    """A run of literal text, or the place of one variable."""

    text: str
    """The literal text; empty for a variable."""

    name: str | None
    """The variable's name; None for literal text."""


def take_apart(body: str, first_line: int = 1) -> tuple[tuple[Piece, ...], dict[str, Place]]:
    """The pieces of *body*, and line and column of each variable's first place.

    Args:
        first_line: Number of the body's first line in its file.

    Raises:
        TemplateError: an opening `{{` is neither a placeholder nor `{{{{`.

    Example:
        >>> take_apart("{{{{ {{a}}")[0]
        (Piece(text='{{ ', name=None), Piece(text='', name='a'))
    """
    pieces: list[Piece] = []
    places: dict[str, Place] = {}
    literal: list[str] = []
    lines = _Lines(body, first_line)
    at = 0
    while (opening := body.find("{{", at)) >= 0:
        literal.append(body[at:opening])
        if body.startswith("{{{{", opening):
            literal.append("{{")
            at = opening + 4
            continue
        match = _PLACEHOLDER.match(body, opening)
        if match is None:
            raise _refusal(body, opening, lines.place(opening))
        if before := "".join(literal):
            pieces.append(Piece(before, None))
        literal.clear()
        name = match[1]
        pieces.append(Piece("", name))
        if name not in places:
            places[name] = lines.place(opening)
        at = match.end()
    literal.append(body[at:])
    if rest := "".join(literal):
        pieces.append(Piece(rest, None))
    return tuple(pieces), places


class _Lines:
    """Line and column of offsets asked for in rising order: one pass over the body."""

    def __init__(self, body: str, first_line: int) -> None:
        self._body = body
        self._line = first_line
        self._start = 0
        self._seen = 0

    def place(self, offset: int) -> Place:
        self._line += self._body.count("\n", self._seen, offset)
        last = self._body.rfind("\n", self._seen, offset)
        if last >= 0:
            self._start = last + 1
        self._seen = offset
        return self._line, offset - self._start + 1


def _refusal(body: str, opening: int, place: Place) -> TemplateError:
    line, column = place
    sign = body[opening + 2 : opening + 3]
    if sign in _REFUSED:
        message = f"{_REFUSED[sign]} ({{{{{sign}) is refused: a template has placeholders only"
    else:
        message = f"{_quote_opening(body, opening)} is no placeholder"
    return TemplateError(message, line=line, column=column, hint=_HINT)


def _quote_opening(body: str, opening: int) -> str:
    """What stands at *opening* up to its closing braces, on one line and not long."""
    line = body[opening : opening + QUOTED_CHARS + 1].split("\n", 1)[0].rstrip("\r")
    end = line.find("}}")
    if 0 <= end <= QUOTED_CHARS - 2:
        line = line[: end + 2]
    elif len(line) > QUOTED_CHARS:
        line = f"{line[:QUOTED_CHARS]}…"
    return "".join(char if char.isprintable() else "\ufffd" for char in line)
