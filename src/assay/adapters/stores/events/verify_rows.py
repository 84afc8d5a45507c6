"""Whether index rows still say what the event of their transaction vouched for.

In      rows of calls, reviews, sessions and the registry, the bodies of events as they pass by
Out     a Flaw at the event whose row was edited, deleted, moved or made up
Effects reads only; a bounded number of names in memory
Spec    docs/decisions/0006: an edit, a deletion, an insertion is found
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Table, select

from assay.adapters.stores.events.verify_streams import Flaw, RowsBySeq, Streams
from assay.adapters.stores.rows import (
    CALL_FIELDS,
    LABEL_FIELDS,
    RELEASE_FIELDS,
    REVIEW_FIELDS,
    SESSION_FIELDS,
    TEMPLATE_FIELDS,
)
from assay.adapters.stores.schema import record, templates
from assay.adapters.stores.vouching import (
    BY_FACTS,
    is_told,
    signatures_of_first_release,
    vouched_rows,
)

_TABLES: Mapping[str, tuple[Table, tuple[str, ...]]] = {
    "calls": (record.calls, CALL_FIELDS),
    "reviews": (record.reviews, REVIEW_FIELDS),
    "templates": (templates.templates, TEMPLATE_FIELDS),
    "template_releases": (templates.releases, RELEASE_FIELDS),
    "template_labels": (templates.labels, LABEL_FIELDS),
    "sessions": (record.sessions, SESSION_FIELDS),
}
_BATCH = 256


class VouchedRows:
    """Takes the rows along in order of the event that vouches for them.

    An event names each row that its transaction wrote. Either the row still stands as it was
    written then, or a later event wrote it again; the later one is looked up in batches.
    """

    def __init__(self, streams: Streams) -> None:
        self._connection = streams.connection
        self._beside = {
            name: RowsBySeq(_rows(streams, name, fields), f"a row of {name}")
            for name, (_, fields) in _TABLES.items()
        }
        self._replaced: dict[str, dict[str, int]] = {name: {} for name in _TABLES}
        self._signatures: Mapping[str, Mapping[str, Any]] | None = None

    def next_due(self) -> int:
        """The seq of the next event that a row names."""
        return min(beside.at for beside in self._beside.values())

    def check(self, seq: int, said: Mapping[str, Any]) -> None:
        """The event *seq* with the body *said* vouches for rows."""
        vouched = vouched_rows(said)
        found = set()
        for table, beside in self._beside.items():
            fields = _TABLES[table][1]
            for row in beside.take(seq):
                values = dict(zip(fields, row[1:], strict=True))
                name = f"{table}/{values['id']}"
                if name not in vouched:
                    raise Flaw(seq, f"it vouches for no row {name}, and the row names it")
                signed = self._signed(values["id"]) if vouched[name] == BY_FACTS else {}
                if not is_told(values, vouched[name], said, signed):
                    raise Flaw(seq, f"the row {name} was edited after it")
                found.add(name)
        for name in vouched:
            table, _, row_id = name.partition("/")
            if name not in found and table in _TABLES:
                self._replaced[table][row_id] = seq
                if len(self._replaced[table]) >= _BATCH:
                    self.settle()

    def settle(self) -> None:
        """Look up the rows that events vouched for and that did not stand beside them."""
        for table, waiting in self._replaced.items():
            if not waiting:
                continue
            columns = _TABLES[table][0].c
            statement = select(columns.id, columns.vouched_by).where(columns.id.in_(list(waiting)))
            later = {row.id: row.vouched_by for row in self._connection.execute(statement)}
            lost = [(seq, row) for row, seq in waiting.items() if later.get(row, 0) <= seq]
            waiting.clear()
            if lost:
                seq, row = min(lost)
                raise Flaw(seq, f"the row {table}/{row} that it vouches for is gone or set back")

    def _signed(self, version: str) -> Mapping[str, Any]:
        if self._signatures is None:
            self._signatures = signatures_of_first_release(self._connection)
        return self._signatures.get(version, {})

    def finish(self) -> None:
        """After the last event: no row may be left."""
        self.settle()
        for beside in self._beside.values():
            beside.finish()


def _rows(streams: Streams, table: str, fields: tuple[str, ...]) -> Iterator[Any]:
    quoted = ", ".join(f'"{name}"' for name in ("vouched_by", *fields))
    return streams.open(f"SELECT {quoted} FROM {table} ORDER BY vouched_by")  # noqa: S608
