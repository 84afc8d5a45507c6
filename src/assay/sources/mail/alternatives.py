"""Of several forms of one text, choose what is read, and keep both where they differ.

In      the text of each form, the plain one first
Out     Chosen: the body, and a second text where the forms say different things
Pure    no clock, no randomness, no I/O
Spec    005-M9: what the sender's reader would have shown is what is read

The plain form is the body, since it is what its sender typed, unless it is a stub. The forms
are compared by words and numbers: case, order, links, footers and placeholders are no
difference. A form that says far more, or something else at greater length, is what a reader
reads: it is the body then, and the plain form the second text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from assay.sources.mail.stubs import cosmetic_lines, is_stub, strip_links

MORE = 2
"""So many times the words of the other form make a form the body."""

LITTLE = 0.3
"""A plain form that shares less of its words with a longer form is about something else."""

PLAIN, RICH = "plain", "html"

_WORD = re.compile(r"[^\W_]+")


_LINK_WORDS = frozenset(
    """
    here link image logo photo icon hier bild ici lien aquí aqui enlace imagen qui immagine imagem
    afbeelding tutaj obraz här odkaz zde
    """.split()  # noqa: SIM905
)
"""What one form writes where the other has only a link or a picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is read of the forms of one text."""

    body: str
    """The form that is the body: `plain` or `html`."""

    second: str
    """The other form where it says something else; empty where it does not."""

    stub: bool
    """The plain form gave way because it says nothing."""


def choose_form(plain: str, rich: str) -> Chosen:
    """What to read of *plain* and *rich*, the texts of the two forms.

    Example:
        >>> choose_form("Until 31 May.", "Until 30 June.").second
        'html'
    """
    if not rich.strip():
        return Chosen(body=PLAIN, second="", stub=False)
    if _fold(plain) == _fold(rich):
        return Chosen(body=PLAIN, second="", stub=False)
    if not plain.strip() or is_stub(plain):
        return Chosen(body=RICH, second="", stub=bool(plain.strip()))
    ours, theirs = count_words(plain), count_words(rich)
    if not theirs or _differ_only_cosmetically(plain, rich, ours, theirs):
        return Chosen(body=PLAIN, second="", stub=False)
    if not ours:
        return Chosen(body=RICH, second="", stub=True)
    shared = (ours & theirs).total()
    another = shared < LITTLE * ours.total() and theirs.total() > ours.total()
    if another or theirs.total() > MORE * ours.total():
        return Chosen(body=RICH, second=PLAIN, stub=False)
    return Chosen(body=PLAIN, second=RICH, stub=False)


def count_words(text: str) -> Counter[str]:
    """The words and numbers of *text*, folded; links and placeholders aside."""
    return Counter(_fold(strip_links(text)))


def _fold(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _differ_only_cosmetically(
    plain: str, rich: str, ours: Counter[str], theirs: Counter[str]
) -> bool:
    """Does each form say what the other says, but for lines written for programs?"""
    for text, more in ((plain, ours - theirs), (rich, theirs - ours)):
        said = [word for word in more if word not in _LINK_WORDS]
        if said and (more - count_words("\n".join(cosmetic_lines(text)))).keys() & set(said):
            return False
    return True
