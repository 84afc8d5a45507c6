"""Membership: what an output names must stand in a table of the pack.

In      MemberRule over a Table; an output, the state
Out     findings label.unknown
Pure    yes
Spec    000-H3; interfaces.md, "The gate" (`label.unknown`)

A table is data of a pack: agencies, services, goods. A rule holds several fields of one object
against one row, so that a right key with a wrong path is as unknown as an invented key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.core.json.pointer import PointerPattern, escape, unescape
from assay.errors import InputError
from assay.gate.gate import GateContext
from assay.gate.verdict import Finding

Row = Mapping[str, Any]

_NOTHING = object()
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of one kind, in their order."""

    name: str
    key: tuple[str, ...]
    """Columns that tell one row from all others."""

    rows: tuple[Row, ...]
    columns: tuple[str, ...]
    digest: str
    """Over all rows, derived columns included."""

    def row_key(self, row: Row) -> str:
        """The key of *row* in one text, for the record."""
        return "/".join(str(row.get(column, "")) for column in self.key)

    def find_row(self, wanted: Mapping[str, Any]) -> Row | None:
        """The first row whose columns are as *wanted*; None when there is none."""
        for row in self.rows:
            if all(row.get(column) == value for column, value in wanted.items()):
                return row
        return None

    def matching_rows(self, limits: Mapping[str, frozenset[str]]) -> tuple[Row, ...]:
        """The rows whose columns hold one of the values that *limits* gives for them."""
        return tuple(
            row
            for row in self.rows
            if all(row.get(column) in values for column, values in limits.items())
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Dotted places in the state, of which the first that is there counts."""

    paths: tuple[str, ...]

    def values(self, state: Mapping[str, Any] | None) -> frozenset[str]:
        """The texts there; none when no place is there."""
        for path in self.paths:
            found = state_at(state, path)
            if found is None:
                continue
            several = found if isinstance(found, list | tuple) else [found]
            return frozenset(value for value in several if isinstance(value, str))
        return frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysRule:
    """The keys of an object name rows, too."""

    of: str
    """JSON Pointer to that object, from the object of the rule."""

    column: str
    fields: Mapping[str, str]
    """Column -> JSON Pointer from the value under a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberRule:
    """Every object at `at` agrees with one row of `table` in all fields."""

    at: PointerPattern
    table: Table
    fields: Mapping[str, str]
    """Column -> JSON Pointer from the object."""

    keys: KeysRule | None = None
    """Then every key is looked up, together with `fields`."""

    limits: Mapping[str, Places] = field(default_factory=dict)
    """Column -> places in the state: only rows with a value that stands there."""

    alike: frozenset[str] = frozenset()
    """Columns that are compared by their words, without case, hyphens and other signs."""

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterator[Finding]:
        """Findings `label.unknown`, at the first field that no row allows."""
        rows = self.rows(context.state)
        for pointer, found in self.at.find(output):
            if not isinstance(found, dict):
                continue
            known, fault = self._narrow_rows(rows, self.fields, found, pointer)
            if fault is not None:
                yield fault
            elif self.keys is not None:
                yield from self._keys(self.keys, known, found, pointer)

    def rows(self, state: Mapping[str, Any] | None) -> tuple[Row, ...]:
        """The rows that may be named in this state."""
        limits = {column: places.values(state) for column, places in self.limits.items()}
        return self.table.matching_rows(limits)

    def _narrow_rows(
        self, rows: tuple[Row, ...], fields: Mapping[str, str], value: Any, pointer: str
    ) -> tuple[tuple[Row, ...], Finding | None]:
        for column, below in fields.items():
            said = at_pointer(value, below)
            rows = tuple(row for row in rows if self._is_same(column, row.get(column), said))
            if not rows:
                return (), self._unknown(f"{pointer}{below}", column)
        return rows, None

    def _keys(
        self, keys: KeysRule, rows: tuple[Row, ...], value: Any, pointer: str
    ) -> Iterator[Finding]:
        listed = at_pointer(value, keys.of)
        for key, below in listed.items() if isinstance(listed, dict) else ():
            place = f"{pointer}{keys.of}/{escape(key)}"
            known = tuple(row for row in rows if row.get(keys.column) == key)
            if not known:
                yield self._unknown(place, keys.column)
                continue
            _, fault = self._narrow_rows(known, keys.fields, below, place)
            if fault is not None:
                yield fault

    def _is_same(self, column: str, known: Any, said: Any) -> bool:
        if column in self.alike and isinstance(known, str) and isinstance(said, str):
            return words(known) == words(said)
        return said is not _NOTHING and type(known) is type(said) and known == said

    def _unknown(self, pointer: str, column: str) -> Finding:
        return Finding(
            code="label.unknown",
            path=pointer,
            message=f"names no {self.table.name!r} that may stand here (column {column!r})",
        )


def words(text: str) -> list[str]:
    """The words of *text*, without case."""
    return [word.casefold() for word in _WORD.findall(text)]


def at_pointer(value: Any, pointer: str) -> Any:
    """What stands at a JSON Pointer; a mark that equals nothing when nothing does."""
    for step in pointer.split("/")[1:]:
        if isinstance(value, dict):
            value = value.get(unescape(step), _NOTHING)
        elif isinstance(value, list) and step.isascii() and step.isdigit() and len(step) < 10:
            value = value[int(step)] if int(step) < len(value) else _NOTHING
        else:
            return _NOTHING
    return value


def state_at(state: Mapping[str, Any] | None, path: str) -> Any:
    """What stands at a dotted place of the state; None when nothing does.

    Raises:
        InputError: *path* does not start with `state.`.
    """
    root, _, rest = path.partition(".")
    if root != "state" or not rest:
        raise InputError(f"{path!r} is no place in the state", hint="as state.STAGE.FIELD")
    found: Any = state
    for step in rest.split("."):
        found = found.get(step) if isinstance(found, Mapping) else None
    return found
