"""Surrogates of one call: what is sent instead of its texts, and the way back.

In      a reply in which surrogates stand
Out     Surrogates, Hidden; the reply with the values, as the gate judges it
Pure    yes
Spec    interfaces.md, "Templates" (`send: redacted`)

Values are put back inside the strings of a reply alone, and only for whole surrogates. A
surrogate that this call never sent, a part of one or an altered one is a finding: it would be
read as a value, and is none. A value itself is a finding where the prompt does not show it: what
was not sent cannot have been read. The reply itself stays on record as it came.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from assay.contract.masking import Mask, mask_slice
from assay.core.json.pointer import escape
from assay.core.json.strict import Refused, parse_object
from assay.core.text.spans import Shown
from assay.gate.gate import GateContext
from assay.gate.verdict import Finding

UNKNOWN: Final = "redaction.unknown_surrogate"
UNSEEN: Final = "redaction.unseen_value"

CUT: Final = 4
"""So many signs of a surrogate's beginning or end are one that was cut."""

UNSENT: Final = 3
"""A value of fewer letters and digits may stand in a reply by chance."""

GAP: Final = "\x00"
"""Stands in a text where a surrogate was taken out."""

_LONGEST: Final = 64
_DIGEST: Final = re.compile(r"(?=([0-9a-f]{10}))")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_MEMBER: Final = re.compile(r"[ \t\r\n]*:")


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

    heads: frozenset[str] = field(repr=False)
    """First letters of the surrogates at hand: what is left where a quotation cuts one."""

    tails: frozenset[str] = field(repr=False)
    """Last letters of them, and the digits alone."""

    digits: frozenset[str] = field(repr=False, default=frozenset())
    """How the digits of each begin, behind the line that sets them off."""

    def restore(self, text: str) -> str:
        """*text* with the values in place of all surrogates that this call sent."""
        return self.pattern.sub(lambda match: self.values.get(match[0], match[0]), text)

    def is_foreign(self, text: str) -> bool:
        """Whether *text* holds a surrogate that was not sent, or what is left of one."""
        found = [match[0] for match in self.pattern.finditer(text)]
        if any(each not in self.values and each not in self.standing for each in found):
            return True
        rest = self.pattern.sub(GAP, text)
        if any(match[0] not in self.standing for match in self.parts.finditer(rest)):
            return True
        folded = rest.lower()
        if any(match in self.tails for match in _DIGEST.findall(folded)):
            return True
        lengths = range(CUT, _LONGEST)
        if any(digits in folded for digits in self.digits):
            return True
        return any(
            rest[:size] in self.tails
            or (rest[-size:] in self.heads and rest[-size:] not in self.standing)
            for size in lengths
        )

    def restore_reply(self, raw: bytes, prompt: str | None) -> tuple[bytes, tuple[Finding, ...]]:
        """The reply as if the model had read the values, and what is wrong with its surrogates.

        Args:
            prompt: What was sent; None where it is not at hand, and nothing is said of values.

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
        if prompt is not None:
            findings += tuple(self._unseen(parsed.value, prompt))
        whole = "".join([*parts, text[at:]])
        return whole.encode("utf-8", "surrogatepass"), findings

    def _unseen(self, output: Any, prompt: str) -> Iterator[Finding]:
        """Where a value stands that the prompt hides, or the bare name of its class."""
        sent = self.pattern.sub(GAP, prompt).lower()
        hidden = {value.lower() for value in self.values.values()}
        words = [each for each in hidden if sum(map(str.isalnum, each)) >= UNSENT]
        words += [name for name in self._class_names() if "_" in name]
        words = [each for each in sorted(words) if each not in sent]
        if not words:
            return
        written = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")
        for pointer, each, _ in _strings(output, ""):
            if written.search(self.pattern.sub(GAP, each).lower()):
                yield Finding(
                    code=UNSEEN, path=pointer, message="holds what the model was not sent"
                )

    def _class_names(self) -> set[str]:
        return {each[1:].rpartition("_")[0].lower() for each in self.values}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """What a call sends instead of its texts. Made by `private.hide`.

    Slots, signals, quotes and question are those of the material as they are sent.
    """

    slots: Mapping[str, str] = field(repr=False)
    signals: tuple[str, ...] = field(repr=False)
    quotes: Mapping[str, str] = field(repr=False)
    question: str | None = field(repr=False)

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
        """Findings `redaction.unknown_surrogate` and `redaction.unseen_value`."""
        yield from self.findings


def cut_ends(surrogates: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The heads and the tails of *surrogates*."""
    heads: set[str] = set()
    tails: set[str] = set()
    for surrogate in surrogates:
        heads.update(surrogate[:size] for size in range(CUT, len(surrogate)))
        tails.update(surrogate[-size:] for size in range(CUT, len(surrogate)))
        tails.add(surrogate[-11:-1])
    return frozenset(heads), frozenset(tails)


def digit_heads(surrogates: Iterable[str]) -> frozenset[str]:
    """`_` and the first digits of each of *surrogates*, which stand in no other word."""
    return frozenset(each[-12 : -11 + CUT] for each in surrogates)


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
