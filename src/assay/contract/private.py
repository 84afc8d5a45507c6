"""Keep personal data out of the prompt of one call.

In      Material and a redactor
Out     Hidden
Pure    yes: equal inputs give equal surrogates
Spec    interfaces.md, "Templates" (`send: redacted`)

What redaction finds in any text of a call is hidden in all of them, in whatever case it is
written. A surrogate stands for one spelling of one value, so that a quotation leads back to the
very characters of its place. A text that looks like a surrogate and stood there before stays as
it is and is nobody's value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from assay.contract.catalogue import LABELS
from assay.contract.masking import Mask, mask_slice
from assay.contract.material import Material
from assay.contract.surrogates import GAP, Hidden, Surrogates, cut_ends, digit_heads
from assay.redaction.redactor import Redactor

_HEAD: Final = 3
"""Shorter values are not looked for beyond the places where redaction found them."""


def hide(material: Material, redactor: Redactor, known: Iterable[tuple[str, str]] = ()) -> Hidden:
    """Everything of *material* that goes into a prompt, without personal data.

    Labels that a slot lists are text of the pack and stay as they are.

    Args:
        known: Class and value of what is personal data in the prompt beside what redaction
            finds in the texts alone.
    """
    texts: dict[tuple[str, str], str] = {
        **{("text", name): text for name, text in material.texts.items()},
        **{("heading", name): name for name in material.texts},
        **{
            ("slot", name): text
            for name, text in material.slots.items()
            if not name.startswith(LABELS)
        },
        **{("signal", str(place)): text for place, text in enumerate(material.signals)},
        **{("quote", name): text for name, text in material.quotes.items()},
        ("question", ""): material.question or "",
    }
    finder = _Finder(redactor, list(texts.values()), known)
    masks = {place: finder.masks(text) for place, text in texts.items()}
    sent = {place: mask_slice(text, 0, len(text), masks[place]) for place, text in texts.items()}
    surrogates = finder.surrogates(sent.values())
    return Hidden(
        slots={name: sent.get(("slot", name), text) for name, text in material.slots.items()},
        signals=tuple(sent["signal", str(place)] for place in range(len(material.signals))),
        quotes={name: sent["quote", name] for name in material.quotes},
        question=None if material.question is None else sent["question", ""],
        masks={name: masks["text", name] for name in material.texts},
        headings={name: sent["heading", name] for name in material.texts},
        surrogates=surrogates,
    )


class _Finder:
    """What to hide in the texts of one call, and under which surrogate."""

    def __init__(
        self, redactor: Redactor, texts: Sequence[str], known: Iterable[tuple[str, str]]
    ) -> None:
        self._redactor = redactor
        names = "|".join(sorted(redactor.classes))
        self._whole = re.compile(rf"\[({names})_[0-9a-f]{{10}}\]")
        self._parts = re.compile(rf"\[(?:{names})_|(?:{names})_[0-9a-f]{{6,}}(?!\w)", re.IGNORECASE)
        self._standing = {match[0] for text in texts for match in self._whole.finditer(text)}
        self._values: dict[str, str] = {}
        self._given: dict[tuple[str, str], str] = {}
        self._classes: dict[str, str] = {}
        self._found: dict[str, list[tuple[int, int, str]]] = {}
        for text in texts:
            if text not in self._found:
                spans = redactor.redact(text).spans
                self._found[text] = [(span.start, span.stop, span.cls) for span in spans]
                for span in spans:
                    self._classes.setdefault(_lower(text[span.start : span.stop]), span.cls)
        for cls, value in known:
            self._classes.setdefault(_lower(value), cls)
        self._by_head: dict[str, list[str]] = {}
        for value in sorted(self._classes, key=len, reverse=True):
            if len(value) >= _HEAD and sum(map(str.isalnum, value)) >= _HEAD:
                self._by_head.setdefault(value[:_HEAD], []).append(value)

    def masks(self, text: str) -> tuple[Mask, ...]:
        """Of *text*, one of those that were handed in."""
        found = [*self._found[text], *self._repeated(text)]
        return tuple(
            Mask(start=start, stop=stop, surrogate=self._surrogate(cls, text[start:stop]))
            for start, stop, cls in sorted(found)
        )

    def surrogates(self, sent: Iterable[str]) -> Surrogates:
        """The way back, once all masks are made."""
        beside = {
            match[0] for text in sent for match in self._parts.finditer(self._whole.sub(GAP, text))
        }
        heads, tails = cut_ends(self._values)
        return Surrogates(
            values=dict(self._values),
            standing=frozenset(self._standing | beside),
            pattern=self._whole,
            parts=self._parts,
            heads=heads,
            tails=tails,
            digits=digit_heads(self._values),
        )

    def _surrogate(self, cls: str, value: str) -> str:
        """The redactor's own, unless it stands in a text or for another value already."""
        given = self._given.get((cls, value))
        salt = value
        while given is None:
            made = self._redactor.surrogate(cls, salt)
            if made not in self._standing and self._values.get(made, value) == value:
                given = self._given[cls, value] = made
                self._values[made] = value
            salt += GAP
        return given

    def _repeated(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where a value that was found elsewhere stands in *text*, as a word of its own."""
        lowered = _lower(text)
        taken = [(start, stop) for start, stop, _ in self._found[text]]
        taken += [match.span() for match in self._whole.finditer(text)]
        at = 0
        for start, stop in [*sorted(taken), (len(text), len(text))]:
            place = at
            while place < start:
                value = self._value_at(lowered, place, start)
                if value:
                    yield place, place + len(value), self._classes[value]
                place += len(value) or 1
            at = max(at, stop)

    def _value_at(self, text: str, place: int, end: int) -> str:
        """The longest known value that begins here and ends at a word's end; or nothing."""
        for value in self._by_head.get(text[place : place + _HEAD], ()):
            stop = place + len(value)
            if (
                stop <= end
                and text.startswith(value, place)
                and not (place and text[place - 1].isalnum() and value[0].isalnum())
                and not (stop < len(text) and text[stop].isalnum() and value[-1].isalnum())
            ):
                return value
        return ""


def _lower(text: str) -> str:
    """Small letters, each in the place of its own."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)
