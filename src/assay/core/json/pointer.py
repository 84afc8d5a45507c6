"""JSON Pointers with wildcards: which places of a value a contract speaks of.

In      patterns such as `/intents/*/label` or `/**/evidence_snippets/*`; a JSON value
Out     (JSON Pointer, value) for every place that a pattern names, in document order
Pure    yes
Spec    interfaces.md, "Packs"; RFC 6901

Patterns are compiled to a deterministic automaton over the steps of a pointer, so a value is
walked once, each place is found once however many ways lead to it, and branches that no
longer can match are not entered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from assay.errors import InputError

_ANY = "*"
_DEEP = "**"

Place = tuple[str, Any, tuple[int, ...]]
"""A JSON Pointer, the value there, and the numbers of the patterns that name it."""


class PatternState:
    """A set of positions in the patterns that a walk may have reached.

    A step leads to `named[step]` or, when that is not there, to `other`.
    """

    __slots__ = ("digits", "named", "numbers", "other")

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self.numbers = numbers
        """The patterns that end here: this place is named by them."""
        self.named: dict[str, tuple[str, PatternState]] = {}
        """Step -> (the step as a pointer writes it, where it leads)."""
        self.other: PatternState | None = None
        """Where every other step leads; None is a dead end."""
        self.digits = False
        """Some named step may be an index, so items of arrays are not all alike."""

    def after(self, step: str) -> PatternState | None:
        """Where a key, or an index written as one, leads; None where no pattern leads on."""
        named = self.named.get(step)
        return self.other if named is None else named[1]


def escape(step: str) -> str:
    """Write one step of a JSON Pointer (RFC 6901, section 4)."""
    if "~" in step or "/" in step:
        return step.replace("~", "~0").replace("/", "~1")
    return step


def unescape(step: str) -> str:
    """Read one step of a JSON Pointer."""
    return step.replace("~1", "/").replace("~0", "~") if "~" in step else step


@dataclass(frozen=True, slots=True, kw_only=True)
class PointerPattern:
    """A JSON Pointer in which `*` is any one step and `**` any number of steps, none included.

    `*` stands for a key of an object as well as for an index of an array. A key that is
    itself spelt `*` cannot be named.
    """

    text: str
    """The pattern as it was written."""

    _start: PatternState = field(repr=False, compare=False, hash=False)

    @classmethod
    def compile(cls, text: str) -> Self:
        """Read a pattern.

        Raises:
            InputError: the pattern is not empty and does not start with `/`, or holds a `~`
                that is followed by neither `0` nor `1`.

        Example:
            >>> pattern = PointerPattern.compile("/intents/*/label")
            >>> list(pattern.find({"intents": [{"label": "A"}, {"label": "B"}]}))
            [('/intents/0/label', 'A'), ('/intents/1/label', 'B')]
        """
        if text and not text.startswith("/"):
            raise InputError(
                f"pointer pattern {text!r} does not start with a slash",
                hint="write /intents/*/label or /**/evidence_snippets/*",
            )
        if "~" in text.replace("~0", "").replace("~1", ""):
            raise InputError(
                f"pointer pattern {text!r} holds a bare tilde",
                hint="write ~0 for a tilde and ~1 for a slash within a key",
            )
        return cls(text=text, _start=_automaton([text]))

    def find(self, value: Any) -> Iterator[tuple[str, Any]]:
        """Every place of *value* that the pattern names, as (JSON Pointer, value there)."""
        return ((pointer, found) for pointer, found, _ in _places(self._start, value))

    def places(self, value: Any) -> list[Place]:
        """As `find`, all at once, in the form of `PatternSet.places`."""
        return _places(self._start, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternSet:
    """Several patterns that are looked for in one walk; numbered from 0 in their order."""

    patterns: tuple[PointerPattern, ...]

    start: PatternState = field(repr=False, compare=False, hash=False)

    @classmethod
    def of(cls, patterns: Sequence[PointerPattern]) -> Self:
        """Put *patterns* together."""
        return cls(
            patterns=tuple(patterns), start=_automaton([pattern.text for pattern in patterns])
        )

    def places(self, value: Any) -> list[Place]:
        """Every place that some pattern names, in document order, outer before inner."""
        return _places(self.start, value)


def innermost_array(pointer: str, value: Any) -> str | None:
    """The pointer of the deepest array on the way to *pointer* in *value*, if any."""
    node, here, found = value, "", None
    for step in pointer.split("/")[1:]:
        if isinstance(node, list):
            found = here
            node = node[int(step)]
        else:
            node = node[unescape(step)]
        here = f"{here}/{step}"
    return found


def _places(start: PatternState, value: Any) -> list[Place]:
    found: list[Place] = []
    if start.numbers:
        found.append(("", value, start.numbers))
    kind = value.__class__
    if kind is dict:
        _walk_object(value, start, "", found)
    elif kind is list:
        _walk_array(value, start, "", found)
    return found


def _walk_object(
    node: dict[str, Any], state: PatternState, prefix: str, found: list[Place]
) -> None:
    """Append what lies under *node*, reached in *state*, to *found*."""
    named, other = state.named, state.other
    if other is None and len(named) == 1:
        # The commonest case: one name leads on.
        ((key, _),) = named.items()
        children: Any = ((key, node[key]),) if key in node else ()
    else:
        children = node.items()
    for key, child in children:
        kind = child.__class__
        named_step = named.get(key)
        if named_step is not None:
            step, after = named_step
        elif other is not None and (kind is list or kind is dict or other.numbers):
            step = escape(key) if "~" in key or "/" in key else key
            after = other
        else:
            continue
        pointer = f"{prefix}/{step}"
        if after.numbers:
            found.append((pointer, child, after.numbers))
        if kind is list:
            _walk_array(child, after, pointer, found)
        elif kind is dict:
            _walk_object(child, after, pointer, found)


def _walk_array(node: list[Any], state: PatternState, prefix: str, found: list[Place]) -> None:
    """As `_walk_object`."""
    if state.digits:
        for index, child in enumerate(node):
            after = state.named.get(str(index), ("", state.other))[1]
            if after is not None:
                _visit(child, after, f"{prefix}/{index}", found)
        return
    other = state.other
    if other is None:
        return
    numbers = other.numbers
    for index, child in enumerate(node):
        kind = child.__class__
        if numbers:
            pointer = f"{prefix}/{index}"
            found.append((pointer, child, numbers))
        elif kind is dict or kind is list:
            pointer = f"{prefix}/{index}"
        if kind is dict:
            _walk_object(child, other, pointer, found)
        elif kind is list:
            _walk_array(child, other, pointer, found)


def _visit(child: Any, state: PatternState, pointer: str, found: list[Place]) -> None:
    if state.numbers:
        found.append((pointer, child, state.numbers))
    kind = child.__class__
    if kind is dict:
        _walk_object(child, state, pointer, found)
    elif kind is list:
        _walk_array(child, state, pointer, found)


def _automaton(patterns: Sequence[str]) -> PatternState:
    """Subset construction over (pattern, position); the last position of each accepts."""
    steps = [tuple(pattern.split("/")[1:]) for pattern in patterns]
    names = sorted({step for pattern in steps for step in pattern} - {_ANY, _DEEP})
    states: dict[frozenset[tuple[int, int]], PatternState] = {}

    def pass_deep(positions: set[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        # `**` may stand for no step at all.
        reached = set(positions)
        for number, position in positions:
            pattern, reach = steps[number], position
            while reach < len(pattern) and pattern[reach] == _DEEP:
                reach += 1
                reached.add((number, reach))
        return frozenset(reached)

    def after(
        positions: frozenset[tuple[int, int]], step: str | None
    ) -> frozenset[tuple[int, int]]:
        following: set[tuple[int, int]] = set()
        for number, position in positions:
            if position == len(steps[number]):
                continue
            wanted = steps[number][position]
            if wanted == _DEEP:
                following.add((number, position))
            elif wanted == _ANY or (step is not None and wanted == step):
                following.add((number, position + 1))
        return pass_deep(following)

    def build(positions: frozenset[tuple[int, int]]) -> PatternState | None:
        if not positions:
            return None
        if positions in states:
            return states[positions]
        ended = {number for number, position in positions if position == len(steps[number])}
        state = states[positions] = PatternState(tuple(sorted(ended)))
        state.other = build(after(positions, None))
        for name in names:
            target = build(after(positions, name))
            if target is not None and target is not state.other:
                state.named[unescape(name)] = (name, target)
        state.digits = any(name.isascii() and name.isdigit() for name in state.named)
        return state

    start = build(pass_deep({(number, 0) for number in range(len(steps))}))
    return PatternState(()) if start is None else start
