"""Re-hash the whole record in one pass and name the first event that does not hold.

In      a snapshot of the tables, keys for sealed payloads, perhaps an anchor
Out     VerifyReport
Effects reads only; memory does not grow with the record
Spec    interfaces.md, "Command line" (`assay audit verify`); docs/decisions/0005 and 0006

Streams run side by side in order of `seq`. What is checked of each event, in this order:

1  no event of the log is missing before it
2  its body has its digest, its columns repeat its body
3  it continues its run; runs are numbered without a gap
4  its payloads, salted, are what it committed to, under the key of its own subject; those that
   are gone, an erasure vouches for; those whose key is not at hand are counted as unchecked
5  the rows that it vouches for say what it vouched for
6  its place in the log holds its leaf hash; kept nodes, state and anchor follow from the leaves

The pass ends at the first flaw. What cannot even be read is a flaw too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import Connection, func, inspect, select, text
from sqlalchemy.exc import DBAPIError

from assay.adapters.stores.events.sealing import Keys, unseal
from assay.adapters.stores.events.verify_rows import VouchedRows
from assay.adapters.stores.events.verify_streams import END, Flaw, LogWalk, RowsBySeq, Streams
from assay.adapters.stores.faults import is_damage
from assay.adapters.stores.rows import blob
from assay.adapters.stores.schema import record
from assay.errors import InputError, IntegrityError, MasterKeyError, UsageError
from assay.protocols import VerifyReport
from assay.record.chain import UNLINKED, Chains, RunEntry, read_body, read_event, vouches

_EVENTS = "SELECT seq, digest, body, run, n, kind, at, call, subject, prev FROM events ORDER BY seq"
_PAYLOADS = "SELECT seq, name, sealed_by, content, erased_by FROM payloads ORDER BY seq"
_RUNS = "SELECT run, kind, started_at, events, head FROM runs ORDER BY run"
_VIEWS = text("SELECT name FROM temp.sqlite_master WHERE type = 'view'")
_SALT_LENGTH = b"\x00\x20"


def verify(connection: Connection, *, keys: Keys, anchor: Mapping[str, Any] | None) -> VerifyReport:
    """Check everything in the snapshot of *connection*.

    Args:
        connection: Its statements must all see the same state.
        keys: Open sealed payloads.
        anchor: A remembered head: `size` and `root`. An empty one anchors nothing.

    Raises:
        InputError: the anchor is no head.
    """
    remembered = read_anchor(anchor)
    missing = _missing_table(connection)
    if missing is not None:
        return broken(0, None, missing)
    flaw: Flaw | None = None
    audit = _Audit(connection, keys, remembered)
    try:
        with Streams(connection) as streams:
            audit.run(streams)
    except Flaw as found:
        flaw = found
    except DBAPIError as error:
        if not (is_damage(error) or "decode" in str(error.orig)):
            raise
        flaw = Flaw(audit.last + 1, "the database is damaged at or after this event")
    except IntegrityError as error:
        flaw = Flaw(audit.at, error.message)
    except (InputError, TypeError, ValueError, KeyError, AttributeError, OverflowError):
        flaw = Flaw(audit.at, "what is recorded of it cannot be read")
    if flaw is not None:
        return broken(audit.passed, flaw.seq, flaw.why)
    return VerifyReport(
        status="unanchored" if remembered is None else "ok",
        events=audit.passed,
        first_bad_seq=None,
        first_bad_why=None,
        head=None if audit.log.unplaced else written_digest(audit.log.root()),
        anchored_to=None if remembered is None else written_digest(remembered[1]),
        anchored_events=0 if remembered is None else remembered[0],
        payloads=audit.payloads,
        erased=audit.erased,
        unchecked=audit.unchecked,
        unchecked_why=audit.unchecked_why,
        unsequenced=audit.log.unplaced,
    )


def _missing_table(connection: Connection) -> str | None:
    """The first table, or column of one, that the record should have and has not."""
    there = {
        table: {column["name"] for column in columns}
        for (_, table), columns in inspect(connection).get_multi_columns().items()
    }
    if connection.dialect.name == "sqlite":  # tables of an older form are seen through views
        for view in connection.execute(_VIEWS).scalars().all():
            columns = connection.execute(text(f'PRAGMA temp.table_info("{view}")'))
            there[view] = {column.name for column in columns}
    for name, table in sorted(record.METADATA.tables.items()):
        if name not in there:
            return f"the table {name} is missing"
        gone = sorted(set(table.columns.keys()) - there[name])
        if gone:
            return f"the table {name} has no column {gone[0]}"
    return None


def broken(events: int, seq: int | None, why: str) -> VerifyReport:
    """The report of a record that does not hold after its first *events*."""
    return VerifyReport(
        status="broken",
        events=events,
        first_bad_seq=seq,
        first_bad_why=why,
        head=None,
        anchored_to=None,
    )


def read_anchor(anchor: Mapping[str, Any] | None) -> tuple[int, bytes] | None:
    """Size and root of a remembered head; None for none and for that of an empty record."""
    if anchor is None:
        return None
    size, root = anchor.get("size"), anchor.get("root")
    try:
        if type(size) is not int or size < 0 or not isinstance(root, str):
            raise ValueError
        head, _, digits = root.partition(":")
        raw = bytes.fromhex(digits)
        if head != "sha256" or len(digits) != 64 or len(raw) != 32:
            raise ValueError
    except ValueError as error:
        raise InputError(
            "the anchor is no head of a record",
            hint='it holds {"size": N, "root": "sha256:…"} as `head` gave it',
        ) from error
    return (size, raw) if size else None


def written_digest(root: bytes) -> str:
    """A hash as digests are written."""
    return "sha256:" + root.hex()


class _Audit:
    """One pass."""

    def __init__(
        self, connection: Connection, keys: Keys, anchor: tuple[int, bytes] | None
    ) -> None:
        self._connection = connection
        self._keys = keys
        self._anchor = anchor
        self.at = 0
        self.last = 0
        self.passed = 0
        self.payloads = 0
        self.erased = 0
        self.unchecked = 0
        self.unchecked_why: str | None = None
        self._erasure = lru_cache(maxsize=256)(self._read_erasure)
        self._owner = lru_cache(maxsize=1024)(self._read_owner)

    def run(self, streams: Streams) -> None:
        chains = Chains()
        runs = RowsBySeq(streams.open(_RUNS), "a run")
        beside = RowsBySeq(streams.open(_PAYLOADS, large=3), "a payload")
        rows = VouchedRows(streams)
        self.log = log = LogWalk(streams, self._anchor)
        row_due = rows.next_due()
        try:
            for row in streams.open(_EVENTS):
                seq, digest, body, run, n = row[:5]
                self.at = seq
                if log.due < seq:
                    raise log.missing()
                said, flaw = read_event(body, digest, row[3:])
                if flaw is not None:
                    raise Flaw(seq, flaw)
                entry = self._entry(runs, run) if n == 0 else None
                flaw = chains.follow(said, digest, entry)
                if flaw is not None:
                    raise self._first_changed(seq, said, digest, flaw)
                if said["payloads"] or beside.at <= seq:
                    self._check_payloads(seq, digest, said, beside.take(seq))
                if said.get("rows") or row_due <= seq:
                    rows.check(seq, said)
                    row_due = rows.next_due()
                log.pass_event(seq, sha256(b"\x00" + body).digest(), run, n)
                self.last = seq
                self.passed += 1
        except Flaw:
            rows.settle()  # a row of an earlier event may be lost; that comes first
            raise
        rows.finish()
        beside.finish()
        self.at = self.last + 1
        log.finish(self.last)
        cut = chains.unfinished_run()
        if cut is not None:
            raise Flaw(self.at, cut)
        if runs.at != END:
            raise Flaw(self.at, f"run {runs.at} is recorded and has no events")

    def _first_changed(self, seq: int, said: Mapping[str, Any], digest: str, flaw: str) -> Flaw:
        """Which event to name where a link is broken: the one whose other side holds was not
        changed, so the other one was."""
        run, n = said["run"], said["n"]
        if flaw != UNLINKED.format(run):
            return Flaw(seq, flaw)
        events, runs = record.events.c, record.runs.c
        after = self._connection.execute(
            select(events.digest, events.body).where(events.run == run, events.n == n + 1)
        ).one_or_none()
        if after is None:
            head = select(runs.head).where(runs.run == run, runs.events == n + 1)
            fits = self._connection.execute(head).scalar_one_or_none() == digest
        else:
            following = read_body(blob(after.body), after.digest)
            fits = following is not None and following.get("prev") == digest
        before = self._connection.execute(
            select(events.seq).where(events.run == run, events.n == n - 1)
        ).scalar_one_or_none()
        if not fits or before is None:
            return Flaw(seq, flaw)
        whole = select(func.count()).select_from(record.events).where(events.seq < before)
        self.passed = self._connection.execute(whole).scalar_one()
        return Flaw(before, f"it was changed: event {seq} follows another one in run {run}")

    def _entry(self, runs: RowsBySeq, run: int) -> RunEntry | None:
        if runs.at != run:
            return None
        (row,) = runs.take(run)
        _, kind, started_at, events, head = row
        if type(events) is not int:  # SQLite keeps any type in any column
            raise Flaw(self.at, f"what is recorded of run {run} cannot be read")
        return RunEntry(run=run, kind=kind, started_at=started_at, events=events, head=head)

    def _check_payloads(
        self, seq: int, digest: str, said: Mapping[str, Any], rows: list[Any]
    ) -> None:
        committed = dict(said["payloads"])
        for _, name, sealed_by, content, erased_by in rows:
            commitment = committed.pop(name, None)
            if commitment is None:
                raise Flaw(seq, f"it committed to no payload {name!r}, and one stands beside it")
            if (content is None) != (erased_by is not None) or (erased_by and sealed_by):
                raise Flaw(seq, f"its payload {name!r} is neither there nor erased")
            if content is None:
                self._check_erased(seq, name, said, erased_by)
                self.erased += 1
                continue
            if sealed_by is not None and self._owner(sealed_by) != (said["subject"] or ""):
                raise Flaw(seq, f"its payload {name!r} hangs on the key of another subject")
            try:
                cipher = None if sealed_by is None else self._cipher(sealed_by)
            except (UsageError, MasterKeyError) as error:  # no key, or another one: no flaw
                self.unchecked += 1
                self.unchecked_why = self.unchecked_why or error.message
                continue
            salted = unseal(cipher, content, digest=digest, name=name)
            hashed = sha256(_SALT_LENGTH)
            hashed.update(salted)
            if "sha256:" + hashed.hexdigest() != commitment:
                raise Flaw(seq, f"its payload {name!r} was edited")
            self.payloads += 1
        for name in committed:
            raise Flaw(seq, f"its payload {name!r} is gone, and no erasure says why")

    def _check_erased(
        self, seq: int, name: str, said: Mapping[str, Any], erased_by: int | None
    ) -> None:
        erasure = None if erased_by is None else self._erasure(erased_by)
        later = erased_by is not None and self._place(erased_by) > self._place(seq)
        if erasure is None or not later or not vouches(erasure, said):
            raise Flaw(seq, f"its payload {name!r} is gone, and no erasure says why")

    def _place(self, seq: int) -> tuple[int, int]:
        """Where event *seq* stands in the log, which is anchored; those without a place, last."""
        place = self._connection.execute(
            select(record.log.c.idx).where(record.log.c.seq == seq)
        ).scalar_one_or_none()
        return (1, seq) if place is None else (0, place)

    def _cipher(self, sealed_by: int) -> AESGCM:
        return self._keys.cipher(self._connection, sealed_by)

    def _read_owner(self, sealed_by: int) -> str | None:
        """Whose data key it is; an erasure of the wrong one would destroy what has to stay."""
        subjects = record.subjects
        return self._connection.execute(
            select(subjects.c.subject).where(subjects.c.id == sealed_by)
        ).scalar_one_or_none()

    def _read_erasure(self, seq: int) -> Mapping[str, Any] | None:
        events = record.events
        row = self._connection.execute(
            select(events.c.digest, events.c.body).where(events.c.seq == seq)
        ).one_or_none()
        if row is None:
            return None
        return read_body(blob(row.body), row.digest)


def damaged_table(connection: Connection) -> str | None:
    """The first table of a SQLite database whose pages or indexes are broken.

    A broken index would otherwise go unseen. The pages of `payloads` are left out: the pass reads
    them from the first byte to the last.
    """
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'payloads'"
    name: str = "sqlite_master"
    try:
        for name in connection.exec_driver_sql(tables).scalars().all():
            check = f"PRAGMA main.integrity_check({name})"
            if connection.exec_driver_sql(check).scalars().first() != "ok":
                return name
    except DBAPIError as error:
        if not is_damage(error):
            raise
        return name
    return None
