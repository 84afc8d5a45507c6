"""One text that a mail holds in several forms: plain, HTML, Rich Text.

In      the parts of each form, in the order of the mail
Out     Forms: the plain one and the others, of which a reader saw one
Pure    no clock, no randomness, no I/O
Spec    005-M9; RFC 2046 5.1.4
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.sources.mail.leaves import Part

MAX_FORMS = 10
"""Most forms beside the plain one that are compared."""

_AMP = "text/x-amp-html"
RICH_MEDIA = (
    "text/html",
    "application/xhtml+xml",
    "text/rtf",
    "application/rtf",
    "text/enriched",
    "text/richtext",
    _AMP,
)
"""Kinds of text that are a form beside the plain one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """One text in several forms, of which a mail program shows one."""

    plain: tuple[Part, ...]
    """Empty where no form is plain."""

    rich: tuple[tuple[Part, ...], ...]
    """Each a form of its own, first the one that most readers show; at least one."""


def join_forms(forms: Sequence[Sequence[Part | Forms]]) -> list[Part | Forms]:
    """*forms* of one text as a part of a body; those that say nothing are left out.

    A form that has several forms itself counts as each of them, so that none is lost.
    """
    speaking = [form for form in forms if speaks(form)]
    if len(speaking) == 1:
        return list(speaking[0])
    plain: list[Part] = []
    rich: list[tuple[Part, ...]] = []
    for form in speaking:
        several = any(isinstance(part, Forms) for part in form)
        if several or all(_media(part) not in RICH_MEDIA for part in form):
            plain.extend(_flatten(form, 0))
        if several:
            rich.extend(tuple(_flatten(form, number)) for number in range(1, _count(form) + 1))
        elif any(_media(part) in RICH_MEDIA for part in form):
            rich.append(tuple(_flatten(form, 0)))
    if not rich:
        return list(plain)
    # The last form is the richest, and the one that readers show; few show AMP.
    amp = [form for form in rich if any(part.media == _AMP for part in form)]
    ordered = [*reversed([form for form in rich if form not in amp]), *amp][:MAX_FORMS]
    return [Forms(plain=tuple(plain), rich=tuple(ordered))]


def add_form(body: Sequence[Part | Forms], packed: Sequence[Part | Forms]) -> list[Part | Forms]:
    """*body* with what a container says beside it as other forms of it."""
    own = [tuple(_flatten(body, number)) for number in range(1, _count(body) + 1)]
    others = [tuple(_flatten(packed, number)) for number in range(_count(packed) + 1)]
    rich = (own + others)[:MAX_FORMS]
    return [Forms(plain=tuple(_flatten(body, 0)), rich=tuple(rich))]


def speaks(parts: Sequence[Part | Forms]) -> bool:
    """Is there anything in *parts* to read, or to say that it cannot be read?"""
    return any(isinstance(part, Forms) or part.closed or part.data.strip() for part in parts)


def _count(parts: Sequence[Part | Forms]) -> int:
    """How many forms beside the plain one *parts* have."""
    return max((len(part.rich) for part in parts if isinstance(part, Forms)), default=0)


def _media(part: Part | Forms) -> str:
    return "" if isinstance(part, Forms) else part.media


def _flatten(parts: Sequence[Part | Forms], number: int) -> list[Part]:
    """*parts* with one form of each text that has several: the plain one is number 0."""
    flat: list[Part] = []
    for part in parts:
        if isinstance(part, Part):
            flat.append(part)
        elif number == 0:
            flat.extend(part.plain)
        else:
            flat.extend(part.rich[min(number, len(part.rich)) - 1])
    return flat
