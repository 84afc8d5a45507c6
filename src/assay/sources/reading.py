"""What every reader of foreign bytes may answer, and how far it goes.

In      nothing
Out     Note, Unreadable, and the bounds that keep reading finite
Pure    no clock, no randomness, no I/O
Spec    interfaces.md, "Command line" (`input.unreadable`, `unread`)

A reader never raises for what it was given: it answers with what it read, and notes on what
it had to guess or leave out, or with `Unreadable`. Bounds are counts, never seconds, so that
equal bytes give equal answers on a slow machine too.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_INPUT_BYTES = 50 * 1024 * 1024
"""Largest file that is opened at all."""

MAX_TEXT_CHARS = 1_000_000
"""Longest single text (body, attachment, document); what lies behind is left out, with a note."""


LEFT_OUT_CODES = frozenset(
    {
        "notebook.output",
        "part.unreadable",
        "pdf.cut",
        "pdf.page",
        "picture.unread",
        "sheet.formula",
        "sheet.hidden",
        "slide.hidden",
        "table.cut",
        "text.cut",
    }
)
"""Codes of notes that say that something which a person can see in a file was not read. Text
that a person does not see either (`text.hidden`) is not among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something a reader guessed or left out; says so, and stops nothing."""

    code: str
    """Stable and dotted, as `charset.unknown`."""

    detail: str
    """For people: what was claimed, what was done; never more than 200 code points."""

    where: str = ""
    """The name of the text concerned (`subject`, `body`, `attachment:NAME`), or empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Bytes out of which no text could be had; ends as the outcome `input.unreadable`."""

    reason: str
    """One line for people; holds nothing of the content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadPart:
    """A part of an input that gave no text; what is judged was judged without it."""

    part: str
    """`body`, or `attachment:NAME`."""

    why: str
    """One line for people; holds nothing of the content."""

    def to_dict(self) -> dict[str, str]:
        """As it stands in `unread` of an outcome."""
        return {"part": self.part, "why": self.why}


def hidden_note(hidden: int, where: str) -> list[Note]:
    """A note on text that a person would not have seen; none when there was none."""
    if not hidden:
        return []
    detail = f"{hidden} code points are invisible to a reader and were left out"
    return [Note(code="text.hidden", detail=detail, where=where)]


def cut_note(whole: int | None = None) -> Note:
    """A note on a text that goes on behind the bound; *whole* is its length where it is known."""
    total = f"{whole} code points" if whole else "longer than is allowed"
    detail = f"{total}; the first {MAX_TEXT_CHARS} were kept"
    return Note(code="text.cut", detail=detail)
