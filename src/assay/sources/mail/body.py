"""The body of a mail as one text, and a second one where its forms say different things.

In      the parts that form the body
Out     BodyText: body, other forms by name, what could not be read, notes
Pure    no clock, no randomness, no I/O: equal parts give equal texts
Spec    000, sources of evidence (`body`); 005-M8, 005-M9
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.sources.mail.alternatives import RICH, choose_form, count_words
from assay.sources.mail.forms import Forms
from assay.sources.mail.leaves import Part
from assay.sources.mail.parts import ReadPart, cut_text, read_part
from assay.sources.mail.stubs import is_stub, says_nothing
from assay.sources.reading import Note, UnreadPart

IMAGE = "the body is an image"

FEW_WORDS = 60
"""So few words beside a closed part are a banner or a footer, and no body."""


CLOSED = (
    "is encrypted",
    "is a message with restricted rights",
    "is one piece",
    "is a damaged S/MIME",
)
"""Beginnings of reasons that lie in the mail itself: what is read beside it is not its body."""


@dataclass(slots=True)
class BodyText:
    """What a body says."""

    text: str = ""

    others: dict[str, str] = field(default_factory=dict)
    """Forms that differ from `text`, by what they are: `html`, `plain`, `html (2)`."""

    notes: list[Note] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    """Why parts of it gave no text, or not all of it."""

    image: bool = False
    """It shows an image."""

    @property
    def why_closed(self) -> str:
        """Why the body is to count as not read at all; empty when what was read may be judged."""
        if not (self.unread or self.image):
            return ""
        if says_nothing(self.text) and not any(map(str.strip, self.others.values())):
            return self.unread[0] if self.unread else IMAGE if self.image else ""
        closed = [why for why in self.unread if why.startswith(CLOSED)]
        return closed[0] if closed and count_words(self.text).total() <= FEW_WORDS else ""


def read_body(parts: Sequence[Part | Forms], where: str) -> BodyText:
    """The parts that form a body as one text.

    Args:
        where: The name of the text, for notes.
    """
    body = BodyText()
    pieces: list[str] = []
    for part in parts:
        text = (
            _read_forms(part, body, where) if isinstance(part, Forms) else _read(part, body, where)
        )
        if text:
            pieces.append(text)
    if len(pieces) < 2:
        body.text = "".join(pieces)
        return body
    joined = ReadPart()
    body.text = cut_text("\n\n".join(piece.strip("\n") for piece in pieces), joined, where)
    _take(joined, body)
    return body


def unread_parts(body: BodyText, part: str) -> list[UnreadPart]:
    """What of *body* gave no text, under the name *part*."""
    return [UnreadPart(part=part, why=why) for why in dict.fromkeys(body.unread)]


def _read(part: Part, body: BodyText, where: str) -> str:
    read = read_part(part, where, quotes=True)
    _take(read, body)
    return read.text


def _take(read: ReadPart, body: BodyText) -> None:
    body.notes.extend(read.notes)
    body.image = body.image or read.image
    if read.why:
        body.unread.append(read.why)


def _read_forms(forms: Forms, body: BodyText, where: str) -> str:
    """The form that is read; the others that say something else go to `body.others`."""
    plain = read_body(forms.plain, where)
    first, *more = [read_body(parts, where) for parts in forms.rich]
    chosen = choose_form(plain.text, first.text)
    taken, other = (first, plain) if chosen.body == RICH else (plain, first)
    if first.image and says_nothing(first.text) and is_stub(plain.text):
        taken = BodyText(image=True)
    elif taken is plain and not first.text and first.unread:
        body.unread.append(f"its HTML form: {first.unread[0]}")
    if chosen.stub:
        body.notes.append(_note("alternative.stub", where))
    if chosen.second:
        body.notes.append(_note("alternative.differs", where))
        body.others[chosen.second] = other.text
        body.unread.extend(other.unread)
    seen = [count_words(plain.text), count_words(first.text)]
    for number, further in enumerate(more, start=2):
        words = count_words(further.text)
        if words and words not in seen:
            seen.append(words)
            body.others[f"{RICH} ({number})"] = further.text
    body.notes.extend(taken.notes)
    body.unread.extend(taken.unread)
    body.image = body.image or taken.image
    body.others |= taken.others
    return taken.text


_DETAILS = {
    "alternative.stub": "the plain form only points to the HTML form, which was read",
    "alternative.differs": "its plain and its HTML form say different things; both were read",
}


def _note(code: str, where: str) -> Note:
    return Note(code=code, detail=_DETAILS[code], where=where)
