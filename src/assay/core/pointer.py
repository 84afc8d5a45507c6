"""JSON Pointers with wildcards: which places of a value a contract speaks of.

In      a pattern such as `/intents/*/label` or `/**/evidence_snippets/*`; a JSON value
Out     (JSON Pointer, value) for every place that the pattern names, in document order
Pure    yes
Spec    interfaces.md, "Packs"; RFC 6901

A pattern is compiled to a deterministic automaton over the steps of a pointer, so a value
is walked once, each place is found once however many ways lead to it, and branches that no
longer can match are not entered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

from assay.errors import InputError

_ANY = "*"
_DEEP = "**"


class _State:
    """A set of positions in the pattern that a walk may have reached."""

    __slots__ = ("accepts", "digits", "leaf", "named", "other")

    def __init__(self, *, accepts: bool) -> None:
        self.accepts = accepts
        """The pattern ends here: this place is named by it."""
        self.named: dict[str, tuple[str, _State]] = {}
        """Step -> (the step as a pointer writes it, where it leads)."""
        self.other: _State | None = None
        """Where every other step leads; None is a dead end."""
        self.digits = False
        """Some named step may be an index, so items of arrays are not all alike."""
        self.leaf = False
        """Some step from here ends the pattern, so plain values count too."""


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

    _start: _State = field(repr=False, compare=False, hash=False)

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
        steps = tuple(text.split("/")[1:])
        return cls(text=text, _start=_automaton(steps))

    def find(self, value: Any) -> Iterator[tuple[str, Any]]:
        """Every place of *value* that the pattern names, as (JSON Pointer, value there)."""
        return iter(self.matches(value))

    def matches(self, value: Any) -> list[tuple[str, Any]]:
        """As `find`, all at once."""
        found: list[tuple[str, Any]] = []
        if self._start.accepts:
            found.append(("", value))
        kind = value.__class__
        if kind is dict or kind is list:
            _walk(value, self._start, "", found)
        return found


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


def _walk(node: Any, state: _State, prefix: str, found: list[tuple[str, Any]]) -> None:
    """Append what lies under *node*, a dict or a list reached in *state*, to *found*."""
    other, leaf = state.other, state.leaf
    if node.__class__ is dict:
        named = state.named
        if other is None:
            # Only named keys lead on. With one name there is nothing to order; with several
            # the document decides the order.
            if len(named) == 1:
                ((key, (step, after)),) = named.items()
                if key in node:
                    _visit(node[key], after, f"{prefix}/{step}", found)
            else:
                for key, child in node.items():
                    if key in named:
                        step, after = named[key]
                        _visit(child, after, f"{prefix}/{step}", found)
            return
        for key, child in node.items():
            kind = child.__class__
            inner = kind is dict or kind is list
            if not (inner or leaf):
                continue
            if key in named:
                step, after = named[key]
            else:
                step, after = escape(key), other
            if after.accepts:
                found.append((f"{prefix}/{step}", child))
            if inner:
                _walk(child, after, f"{prefix}/{step}", found)
        return
    if state.digits:
        for index, child in enumerate(node):
            _, leads = state.named.get(str(index), ("", other))
            if leads is not None:
                _visit(child, leads, f"{prefix}/{index}", found)
        return
    if other is None:
        return
    accepts = other.accepts
    for index, child in enumerate(node):
        if accepts:
            found.append((f"{prefix}/{index}", child))
        kind = child.__class__
        if kind is dict or kind is list:
            _walk(child, other, f"{prefix}/{index}", found)


def _visit(child: Any, state: _State, pointer: str, found: list[tuple[str, Any]]) -> None:
    if state.accepts:
        found.append((pointer, child))
    kind = child.__class__
    if kind is dict or kind is list:
        _walk(child, state, pointer, found)


def _automaton(steps: tuple[str, ...]) -> _State:
    """Subset construction over positions 0..len(steps); the last one accepts."""
    end = len(steps)

    def closed(positions: set[int]) -> frozenset[int]:
        # `**` may stand for no step at all.
        for position in sorted(positions):
            reach = position
            while reach < end and steps[reach] == _DEEP:
                reach += 1
                positions.add(reach)
        return frozenset(positions)

    def after(positions: frozenset[int], step: str | None) -> frozenset[int]:
        following: set[int] = set()
        for position in positions:
            if position == end:
                continue
            wanted = steps[position]
            if wanted == _DEEP:
                following.add(position)
            elif wanted == _ANY or (step is not None and wanted == step):
                following.add(position + 1)
        return closed(following)

    names = sorted({step for step in steps if step not in (_ANY, _DEEP)})
    states: dict[frozenset[int], _State] = {}

    def build(positions: frozenset[int]) -> _State | None:
        if not positions:
            return None
        if positions in states:
            return states[positions]
        state = states[positions] = _State(accepts=end in positions)
        state.other = build(after(positions, None))
        for name in names:
            target = build(after(positions, name))
            if target is not None and target is not state.other:
                state.named[unescape(name)] = (name, target)
        state.digits = any(name.isascii() and name.isdigit() for name in state.named)
        ends = [target for _, target in state.named.values()]
        if state.other is not None:
            ends.append(state.other)
        state.leaf = any(target.accepts for target in ends)
        return state

    start = build(closed({0}))
    assert start is not None
    return start
