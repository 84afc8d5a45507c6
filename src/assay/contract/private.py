"""A prompt without personal data: surrogates on the way out, the values again on the way back.

In      Material and a redactor; a reply in which surrogates stand
Out     Hidden: what is sent instead of each text; the reply with the values, as the gate judges it
Pure    yes: equal inputs give equal surrogates
Spec    interfaces.md, "Templates" (`send: redacted`); docs/decisions on private prompts

What redaction finds in any text of a call is hidden in all of them, in whatever case it is
written. A surrogate stands for one spelling of one value, so that a quotation leads back to the
very characters of its place. A text that looks like a surrogate and stood there before stays as
it is and is nobody's value.

Values are put back inside the strings of a reply alone, and only for whole surrogates. A
surrogate that this call never sent, a part of one or an altered one is a finding: it would be
read as a value, and is none. The reply itself stays on record as it came.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from assay.contract.catalogue import LABELS
from assay.contract.masking import Mask, mask_slice
from assay.contract.material import Material
from assay.core.json.pointer import escape
from assay.core.json.strict import Refused, parse_object
from assay.core.text.spans import Shown
from assay.gate.gate import Finding, GateContext
from assay.redaction.redactor import Redactor

UNKNOWN: Final = "redaction.unknown_surrogate"

_HEAD: Final = 3
"""Shorter values are not looked for beyond the places where redaction found them."""

_CUT: Final = 4
"""So many signs of a surrogate's beginning or end are one that was cut."""

_LONGEST: Final = 64
_DIGEST: Final = re.compile(r"(?=([0-9a-f]{10}))")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_MEMBER: Final = re.compile(r"[ \t\r\n]*:")
_GAP: Final = "\x00"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surrogates:
    """The way back from the surrogates of one call. It holds personal data and is never stored."""

    values: Mapping[str, str] = field(repr=False)
    """Surrogate -> the very characters that it stands for."""

    standing: frozenset[str] = frozenset()
    """What stood in the texts and looks like a surrogate, or like a part of one."""

    pattern: re.Pattern[str]
    """A whole surrogate of any class."""

    parts: re.Pattern[str]
    """What may be left of one, whatever its case."""

    ends: frozenset[str] = field(repr=False)
    """First letters of the surrogates at hand, and last ones, where a quotation may cut them."""

    def restore(self, text: str) -> str:
        """*text* with the values in place of all surrogates that this call sent."""
        return self.pattern.sub(lambda match: self.values.get(match[0], match[0]), text)

    def is_foreign(self, text: str) -> bool:
        """Whether *text* holds a surrogate that was not sent, or what is left of one."""
        found = [match[0] for match in self.pattern.finditer(text)]
        if any(each not in self.values and each not in self.standing for each in found):
            return True
        rest = self.pattern.sub(_GAP, text)
        if any(match[0] not in self.standing for match in self.parts.finditer(rest)):
            return True
        folded = rest.lower()
        if any(match in self.ends for match in _DIGEST.findall(folded)):
            return True
        lengths = range(_CUT, _LONGEST)
        return any(rest[:size] in self.ends or rest[-size:] in self.ends for size in lengths)

    def restore_reply(self, raw: bytes) -> tuple[bytes, tuple[Finding, ...]]:
        """The reply as if the model had read the values, and what is wrong with its surrogates.

        Everything outside the strings, and every string without a surrogate, keeps its bytes:
        what the gate refuses in a reply it refuses here too. What is no JSON object stays whole.
        """
        parsed = parse_object(raw)
        if isinstance(parsed, Refused):
            return raw, ()
        text = parsed.raw.decode("utf-8")
        parts: list[str] = []
        at = 0
        for match in _STRING.finditer(text):
            if _MEMBER.match(text, match.end()):
                continue  # a name of a member
            value = json.loads(match[0])
            restored = self.restore(value)
            if restored != value:
                parts += [text[at : match.start()], json.dumps(restored, ensure_ascii=False)]
                at = match.end()
        findings = tuple(
            Finding(code=UNKNOWN, path=pointer, message="holds a surrogate that was not sent so")
            for pointer, each, is_name in _strings(parsed.value, "")
            if self.is_foreign(each) or (is_name and self.pattern.search(each))
        )
        whole = "".join([*parts, text[at:]])
        return whole.encode("utf-8", "surrogatepass"), findings


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """What a call sends instead of its texts. Made by `hide`."""

    material: Material = field(repr=False)
    """As it is sent: slots, signals, question and quotes without personal data."""

    masks: Mapping[str, Sequence[Mask]]
    """By source: what is hidden, in code points of the original."""

    headings: Mapping[str, str]
    """By source: its name as it may be sent."""

    surrogates: Surrogates

    def slice(self, view: Shown, start: int, stop: int) -> str:
        """What is sent of `view.original[start:stop]`."""
        return mask_slice(view.original, start, stop, self.masks.get(view.name, ()))

    def views(self, shown: Iterable[Shown]) -> tuple[Shown, ...]:
        """What was sent of each source, as texts of their own."""
        return tuple(self._view(view) for view in shown)

    def _view(self, view: Shown) -> Shown:
        pieces = [self.slice(view, start, stop) for start, stop in view.segments]
        segments: list[tuple[int, int]] = []
        at = 0
        for piece in pieces:
            segments.append((at, at + len(piece)))
            at += len(piece) + 1
        return Shown(name=view.name, original="\n".join(pieces), segments=tuple(segments))

    def counts(self, prompt: str) -> dict[str, int]:
        """How many values of each class a prompt leaves out."""
        found: dict[str, int] = {}
        for match in self.surrogates.pattern.finditer(prompt):
            if match[0] in self.surrogates.values:
                found[match[1]] = found.get(match[1], 0) + 1
        return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class ForeignSurrogates:
    """A check that gives what `restore_reply` found."""

    any_shape: ClassVar[bool] = True

    findings: tuple[Finding, ...]

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterator[Finding]:  # noqa: ARG002
        """Findings `redaction.unknown_surrogate`."""
        yield from self.findings


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
        material=replace(
            material,
            slots={name: sent.get(("slot", name), text) for name, text in material.slots.items()},
            signals=tuple(sent["signal", str(place)] for place in range(len(material.signals))),
            quotes={name: sent["quote", name] for name in material.quotes},
            question=None if material.question is None else sent["question", ""],
        ),
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
            match[0] for text in sent for match in self._parts.finditer(self._whole.sub(_GAP, text))
        }
        return Surrogates(
            values=dict(self._values),
            standing=frozenset(self._standing | beside),
            pattern=self._whole,
            parts=self._parts,
            ends=frozenset(end for surrogate in self._values for end in _cut_ends(surrogate)),
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
            salt += _GAP
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


def _cut_ends(surrogate: str) -> Iterator[str]:
    """Its first letters and its last ones, and the digits alone."""
    yield surrogate[-11:-1]
    for size in range(_CUT, len(surrogate)):
        yield surrogate[:size]
        yield surrogate[-size:]


def _lower(text: str) -> str:
    """Small letters, each in the place of its own."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _strings(value: Any, pointer: str) -> Iterator[tuple[str, str, bool]]:
    """Every string with its place, and whether it is the name of a member."""
    if isinstance(value, str):
        yield pointer, value, False
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _strings(item, f"{pointer}/{place}")
    elif isinstance(value, dict):
        for name, item in value.items():
            yield pointer, name, True
            yield from _strings(item, f"{pointer}/{escape(name)}")
