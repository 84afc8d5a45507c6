"""Give every committed event its place in the Merkle log, in batches, each exactly once.

In      the notes that committers leave in `log_pending`
Out     rows of `log` and `log_nodes`, the frontier in `log_state`; proofs from them
Effects on the connection given
Spec    docs/decisions/0005; RFC 9162, 2.1

A committer leaves a note of its events in its own transaction and waits for nobody. Whoever
sequences holds `log_state`, takes the notes it can see, and removes exactly those: an event whose
transaction is still open is not skipped, it comes later, and a crash undoes all or nothing.

Only the nodes of each eighth level are kept; those between are hashed from at most 255 of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, delete, exists, insert, select, update

from assay.adapters.stores.rows import blob
from assay.adapters.stores.schema import record
from assay.errors import InputError, IntegrityError, NotFoundError
from assay.record.tree import (
    Frontier,
    NodeReader,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_at,
)

STRIDE = 8
"""Levels between nodes that are kept."""

_NOTES = 1000


def give_places(connection: Connection, *, wait: bool = True) -> int:
    """Take one batch of notes into the log; returns how many notes, 0 when none is left.

    Args:
        connection: Inside a writing transaction; the caller commits.
        wait: False returns 0 at once when somebody else is sequencing.
    """
    state = record.log_state
    statement = select(state.c.size, state.c.frontier).where(state.c.id == 1)
    if connection.dialect.name != "sqlite":
        statement = statement.with_for_update(skip_locked=not wait)
    row = connection.execute(statement).one_or_none()
    if row is None:
        if wait:
            raise IntegrityError("the state of the log is gone", hint="run `assay audit verify`")
        return 0
    notes = connection.execute(_NOTES_WAITING).scalars().all()
    if not notes:
        return 0
    edge = _frontier(row.size, row.frontier)
    places: list[dict[str, Any]] = []
    kept: list[dict[str, Any]] = []
    for seq, body in connection.execute(_EVENTS_OF_NOTES, {"notes": notes}):
        if not isinstance(body, bytes):
            raise IntegrityError(f"event {seq} is no event", hint="run `assay audit verify`")
        leaf = leaf_hash(body)
        places.append({"idx": edge.size, "seq": seq, "leaf": leaf})
        kept += [
            {"level": level, "idx": index, "hash": value}
            for level, index, value in edge.append(leaf)
            if level % STRIDE == 0
        ]
    if places:
        connection.execute(insert(record.log), places)
    if kept:
        connection.execute(insert(record.nodes), kept)
    connection.execute(_FORGET, [{"note": note} for note in notes])
    connection.execute(_MOVE, {"to": edge.size, "edge": edge.to_bytes()})
    return len(notes)


def is_waiting(connection: Connection) -> bool:
    """Whether events that are committed have no place yet."""
    return bool(connection.execute(select(exists().select_from(record.pending))).scalar())


def read_head(connection: Connection) -> tuple[int, bytes]:
    """Size and root of the log as it stands."""
    row = connection.execute(_STATE).one_or_none()
    if row is None:
        raise IntegrityError("the state of the log is gone", hint="run `assay audit verify`")
    edge = _frontier(row.size, row.frontier)
    return edge.size, edge.root()


def prove(connection: Connection, seq: int, size: int | None) -> Mapping[str, Any]:
    """That event *seq* stands in the log of *size* events (default: all).

    Returns:
        `index`, `size`, `leaf`, `root` and `proof`: 32-byte hashes, from the leaf up.

    Raises:
        NotFoundError: the event has no place in the log yet.
        InputError: the log had not that size, or not yet that event.
    """
    row = connection.execute(
        select(record.log.c.idx, record.log.c.leaf).where(record.log.c.seq == seq)
    ).one_or_none()
    if row is None:
        raise NotFoundError(f"event {seq} has no place in the log")
    size = _check_head(connection, size)
    if row.idx >= size:
        raise InputError(f"the log of {size} events does not hold event {seq} yet")
    node = node_reader(connection)
    return {
        "index": row.idx,
        "size": size,
        "leaf": blob(row.leaf),
        "root": root_at(size, node),
        "proof": inclusion_proof(row.idx, size, node),
    }


def prove_growth(connection: Connection, first: int, second: int | None) -> Mapping[str, Any]:
    """That the log of *second* events (default: all) begins with the log of *first*.

    Returns:
        `first`, `second`, their `first_root` and `second_root`, and `proof`.

    Raises:
        InputError: the log never had these sizes.
    """
    second = _check_head(connection, second)
    if not 0 < first <= second:
        raise InputError("growth can be proved from a size above 0 to a larger one only")
    node = node_reader(connection)
    return {
        "first": first,
        "second": second,
        "first_root": root_at(first, node),
        "second_root": root_at(second, node),
        "proof": consistency_proof(first, second, node),
    }


def node_reader(connection: Connection) -> NodeReader:
    """Reads nodes from the tables; those that are not kept are hashed from those that are."""

    def node(level: int, index: int) -> bytes:
        base = level - level % STRIDE
        first, count = index << (level - base), 1 << (level - base)
        bounds = {"level": base, "first": first, "stop": first + count}
        rows = connection.execute(_LEAVES if base == 0 else _KEPT, bounds).scalars().all()
        if len(rows) != count:
            raise IntegrityError("the log lacks nodes", hint="run `assay audit verify`")
        hashes = [blob(row) for row in rows]
        while len(hashes) > 1:
            pairs = zip(hashes[::2], hashes[1::2], strict=True)
            hashes = [node_hash(left, right) for left, right in pairs]
        return hashes[0]

    return node


def _check_head(connection: Connection, size: int | None) -> int:
    whole, _ = read_head(connection)
    if size is None:
        return whole
    if not 0 < size <= whole:
        raise InputError(f"the log has {whole} events, not {size}")
    return size


def _frontier(size: int, data: bytes) -> Frontier:
    try:
        return Frontier.from_bytes(size, blob(data))
    except (ValueError, TypeError, AttributeError) as error:  # SQLite keeps any type anywhere
        raise IntegrityError(
            "the state of the log is damaged", hint="run `assay audit verify`"
        ) from error


_STATE = select(record.log_state.c.size, record.log_state.c.frontier).where(
    record.log_state.c.id == 1
)
_NOTES_WAITING = select(record.pending.c.id).order_by(record.pending.c.id).limit(_NOTES)
_EVENTS_OF_NOTES = (
    select(record.events.c.seq, record.events.c.body)
    .select_from(
        record.pending.join(
            record.events,
            (record.events.c.run == record.pending.c.run)
            & (record.events.c.n >= record.pending.c.first)
            & (record.events.c.n < record.pending.c.stop),
        )
    )
    .where(record.pending.c.id.in_(bindparam("notes", expanding=True)))
    .order_by(record.pending.c.id, record.events.c.n)
)
_FORGET = delete(record.pending).where(record.pending.c.id == bindparam("note"))
_MOVE = (
    update(record.log_state)
    .where(record.log_state.c.id == 1)
    .values(size=bindparam("to"), frontier=bindparam("edge"))
)
_LEAVES = (
    select(record.log.c.leaf)
    .where(record.log.c.idx >= bindparam("first"), record.log.c.idx < bindparam("stop"))
    .order_by(record.log.c.idx)
)
_KEPT = (
    select(record.nodes.c.hash)
    .where(
        record.nodes.c.level == bindparam("level"),
        record.nodes.c.idx >= bindparam("first"),
        record.nodes.c.idx < bindparam("stop"),
    )
    .order_by(record.nodes.c.idx)
)
