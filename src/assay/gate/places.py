"""The rules of single places, put to a value while it arrives.

In      place rules, a schema; the keys and values of one reply in their order
Out     GrowingFault with a JSON Pointer as soon as no continuation can be accepted
Pure    yes
Spec    000 H2-H4; interfaces.md, "Models", "The gate"

What a rule says of a whole value, it says itself (`labels`, `snippets`, `scores`); here is only
where the value stands and when it is known well enough. What asks for more than one place (rules
of a contract, alternatives of a schema) is left to the gate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from assay.core.json.growing import GrowingFault
from assay.core.json.pointer import PatternSet, PatternState, PointerPattern, escape
from assay.core.json.schema_faults import TEXTS
from assay.core.json.schema_places import SchemaPlace, first_misfit

__all__ = ["PlaceReader", "PlaceRule"]

CodeAndMessage = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceRule:
    """What holds for every value at the places of one pattern."""

    pattern: PointerPattern
    kind: str = ""
    """The one kind of value that can be right, as in `JsonReader.begins`; empty for any."""

    wrong_kind: CodeAndMessage = ("", "")
    options: tuple[str, ...] = ()
    """The strings that are right, sorted; empty where others may be."""

    no_option: CodeAndMessage = ("", "")
    twice: CodeAndMessage | None = None
    """What is said of a string that stands a second time in one list; None allows it."""

    judge: Callable[[Any, str], CodeAndMessage | None] | None = None
    """Asked of a value that has ended, with the number as it is written."""

    is_counted: bool = False
    """A value here is what `too_few` counts."""

    too_few: CodeAndMessage | None = None
    """Said of a value at or under which nothing was counted; None asks for nothing."""


class _Frame:
    """An object or array that is open."""

    __slots__ = ("before", "index", "is_array", "key", "names", "place", "seen", "state", "wanting")

    def __init__(
        self,
        kind: str,
        place: SchemaPlace | None,
        state: PatternState | None,
        wanting: list[CodeAndMessage],
        before: int,
    ) -> None:
        self.is_array = kind == "array"
        self.place = place
        self.state = state
        self.key = ""
        self.index = -1
        self.names: set[str] = set()
        self.seen: set[tuple[int, str]] = set()
        self.wanting = wanting
        self.before = before


@lru_cache(maxsize=256)
def _start_of(patterns: tuple[str, ...]) -> PatternState:
    """Where a walk along *patterns* starts: the same for every reply to a contract."""
    return PatternSet.of([PointerPattern.compile(text) for text in patterns]).start


class PlaceReader:
    """Reads along (`JsonReader`), knows where it is, and asks the rules of that place."""

    def __init__(self, rules: Sequence[PlaceRule], root: SchemaPlace | None) -> None:
        self._rules = rules
        self._start: PatternState | None = _start_of(tuple(rule.pattern.text for rule in rules))
        self._root = root
        self._frames: list[_Frame] = []
        self._counted = 0
        self._place: SchemaPlace | None = None
        self._numbers: tuple[int, ...] = ()
        self._wanting: list[CodeAndMessage] = []
        self._before = 0
        self._text = ""
        self._length = 0
        self._options: list[tuple[tuple[str, ...], CodeAndMessage]] = []

    def begins(self, kind: str) -> bool:
        """See `JsonReader`."""
        frames = self._frames
        if not frames and kind in ("array", "string"):
            raise _not_object()
        place, state = self._enter(frames[-1]) if frames else (self._root, self._start)
        self._place = place
        self._numbers = state.numbers if state is not None else ()
        if kind == "" or (not frames and kind != "object"):
            return False
        self._before = self._counted
        self._wanting = []
        for number in self._numbers:
            rule = self._rules[number]
            if rule.kind and rule.kind != kind:
                raise self._fault(rule.wrong_kind)
            self._counted += rule.is_counted
            if rule.too_few is not None:
                self._wanting.append(rule.too_few)
        if place is not None:
            self._refuse(place.begins(kind))
        if kind == "string":
            return self._begin_string()
        if kind in ("object", "array"):
            frames.append(_Frame(kind, place, state, self._wanting, self._before))
        return False

    def key(self, name: str) -> None:
        """See `JsonReader`."""
        frame = self._frames[-1]
        frame.key = name
        frame.names.add(name)
        if frame.place is not None and frame.place.forbids(name):
            raise self._fault(_schema("additionalProperties"), -1)

    def grows(self, more: str) -> None:
        """See `JsonReader`."""
        self._length += len(more)
        found: list[tuple[int, CodeAndMessage]] = []
        if self._options:
            self._text += more
            for options, no_option in self._options:
                at = first_misfit(self._text, options)
                if at is not None:
                    found.append((at, no_option))
        place = self._place
        if place is not None and place.max_length is not None and self._length > place.max_length:
            said = ("schema.maxLength", place.limit_text("maxLength"))
            found.append((int(place.max_length) + 1, said))
        if found:  # what comes first in the text, however it was cut
            raise self._fault(min(found, key=lambda fault: fault[0])[1])

    def ends(self, value: Any, written: str) -> None:
        """See `JsonReader`."""
        if not self._frames:
            raise _not_object()
        if value.__class__ is str:
            for options, no_option in self._options:
                if value not in options:
                    raise self._fault(no_option)
        if self._place is not None:
            self._refuse(self._place.ends(value))
        for number in self._numbers:
            self._judge(number, value, written)
        if self._wanting and self._counted == self._before:
            raise self._fault(self._wanting[0])

    def closes(self) -> None:
        """See `JsonReader`."""
        frame = self._frames.pop()
        place = frame.place
        if place is not None:
            self._refuse(
                place.counts(frame.index + 1) if frame.is_array else place.lacks(frame.names)
            )
        if frame.wanting and self._counted == frame.before:
            raise self._fault(frame.wanting[0])

    def _enter(self, frame: _Frame) -> tuple[SchemaPlace | None, PatternState | None]:
        """Place and state of the value that begins in *frame*."""
        place, state = frame.place, frame.state
        if not frame.is_array:
            return (
                None if place is None else place.child(frame.key),
                None if state is None else state.after(frame.key),
            )
        frame.index += 1
        if place is not None and place.max_items is not None and frame.index >= place.max_items:
            raise self._fault(("schema.maxItems", place.limit_text("maxItems")), -1)
        return (
            None if place is None else place.item(),
            None if state is None else state.after(str(frame.index)),
        )

    def _begin_string(self) -> bool:
        self._text, self._length = "", 0
        self._options = [
            (rule.options, rule.no_option)
            for rule in map(self._rules.__getitem__, self._numbers)
            if rule.no_option[0]
        ]
        place = self._place
        if place is None:
            return bool(self._options)
        self._options += [(options, _schema(keyword)) for keyword, options in place.options]
        return bool(self._options) or place.max_length is not None

    def _judge(self, number: int, value: Any, written: str) -> None:
        rule = self._rules[number]
        if rule.judge is not None:
            said = rule.judge(value, written)
            if said is not None:
                raise self._fault(said)
        if rule.twice is not None:
            lists = [frame for frame in self._frames if frame.is_array]
            if lists:
                if (number, value) in lists[-1].seen:
                    raise self._fault(rule.twice)
                lists[-1].seen.add((number, value))

    def _refuse(self, fault: CodeAndMessage | None) -> None:
        if fault is not None:
            raise self._fault((f"schema.{fault[0]}", fault[1]))

    def _fault(self, said: CodeAndMessage, stop: int | None = None) -> GrowingFault:
        """A fault of the value under way, or of what is open around it."""
        steps = [
            f"/{frame.index}" if frame.is_array else f"/{escape(frame.key)}"
            for frame in self._frames[:stop]
        ]
        return GrowingFault(*said, path="".join(steps))


def _schema(keyword: str) -> CodeAndMessage:
    return f"schema.{keyword}", TEXTS[keyword]


def _not_object() -> GrowingFault:
    return GrowingFault("json.not_object", "the reply is no JSON object")
