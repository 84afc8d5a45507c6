"""A statement of SQLAlchemy Core, compiled once for each kind of database and run by its text.

In      a Core statement, values by the names of its parameters
Out     the rows
Effects on the connection given
Spec    issue on the kernel, "Speed and memory"

Core compiles and caches by itself, yet looks the statement up, binds and types its parameters
anew each time; for the dozen small statements of every commit that costs more than the database
does. Values go to the driver as they are: use it for numbers, texts and bytes alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, CursorResult
from sqlalchemy.sql.elements import ClauseElement

Values = Mapping[str, Any]


class Statement:
    """One statement with named parameters, ready for either database."""

    def __init__(self, core: ClauseElement | Mapping[str, ClauseElement]) -> None:
        """*core*: for all databases, or one statement by the name of each dialect."""
        self._core = core
        self._compiled: dict[str, _Compiled] = {}

    def run(self, connection: Connection, values: Values | None = None) -> CursorResult[Any]:
        """Run it once."""
        compiled = self._for(connection)
        return connection.exec_driver_sql(compiled.text, compiled.bound(values or {}))

    def run_each(self, connection: Connection, rows: Sequence[Values]) -> None:
        """Run it for every one of *rows*; with none, not at all."""
        if rows:
            compiled = self._for(connection)
            connection.exec_driver_sql(compiled.text, [compiled.bound(row) for row in rows])

    def _for(self, connection: Connection) -> _Compiled:
        name = connection.dialect.name
        known = self._compiled.get(name)
        if known is None:
            core = self._core[name] if isinstance(self._core, Mapping) else self._core
            known = self._compiled[name] = _Compiled(core, connection)
        return known


class _Compiled:
    """What one kind of driver is handed."""

    def __init__(self, core: ClauseElement, connection: Connection) -> None:
        made: Any = core.compile(dialect=connection.dialect)
        self.text = str(made)
        self._fixed = dict(made.params)
        self._order = tuple(made.positiontup) if made.positional else None

    def bound(self, values: Values) -> Any:
        """The values in the driver's own form; those that the statement fixes are filled in."""
        if self._order is None:
            return {**self._fixed, **values}
        fixed = self._fixed
        return tuple(values[name] if name in values else fixed[name] for name in self._order)
