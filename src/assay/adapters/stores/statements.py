"""A statement of SQLAlchemy Core, compiled once for each kind of database and run by its text.

In      a Core statement, values by the names of its parameters
Out     rows as plain tuples
Effects on the connection given

Core compiles and caches by itself, yet looks each statement up, types its parameters and
describes its rows anew each time; for the dozen small statements of every commit that costs
more than the database does. Here values go to the driver and rows come back as they are: use it
for numbers, texts and bytes alone, inside a transaction that SQLAlchemy began.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.elements import ClauseElement

Values = Mapping[str, Any]
Row = tuple[Any, ...]


class Statement:
    """One statement with named parameters, ready for either database.

    Its methods raise what SQLAlchemy would: an `sqlalchemy.exc.DBAPIError`.
    """

    def __init__(self, core: ClauseElement | Mapping[str, ClauseElement]) -> None:
        """*core*: for all databases, or one statement by the name of each dialect."""
        self._core = core
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, connection: Connection, values: Values | None = None) -> list[Row]:
        """Run it once; all its rows."""
        compiled = self._for(connection)
        with _cursor(connection, compiled.text) as cursor:
            cursor.execute(compiled.text, compiled.bind(values or {}))
            return list(cursor.fetchall())

    def first(self, connection: Connection, values: Values | None = None) -> Row | None:
        """Run it once; its first row, or None."""
        found = self.rows(connection, values)
        return found[0] if found else None

    def run_many(self, connection: Connection, many: Sequence[Values]) -> None:
        """Run it for every one of *many*, which gives no rows; with none, not at all."""
        if not many:
            return
        compiled = self._for(connection)
        with _cursor(connection, compiled.text) as cursor:
            cursor.executemany(compiled.text, [compiled.bind(values) for values in many])

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

    def bind(self, values: Values) -> Any:
        """The values in the driver's own form; those that the statement fixes are filled in."""
        if self._order is None:
            return {**self._fixed, **values}
        fixed = self._fixed
        return tuple(values[name] if name in values else fixed[name] for name in self._order)


@contextmanager
def _cursor(connection: Connection, text: str) -> Iterator[Any]:
    kinds: Any = connection.dialect.loaded_dbapi
    try:
        with closing(connection.connection.cursor()) as cursor:
            yield cursor
    except kinds.Error as error:
        raise DBAPIError.instance(
            text, None, error, kinds.Error, hide_parameters=True, dialect=connection.dialect
        ) from error
