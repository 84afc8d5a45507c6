"""Payloads at rest: salted, and encrypted under a data key per subject when there is a key ring.

In      contents, the event they belong to, the subject they are about
Out     what stands in `payloads.content`; the same content back
Effects rows of `subjects` on the connection given; random salts, keys and nonces
Spec    002-N1; docs/decisions/0006 (an event commits to `salt || content`)

A stored content is `salt || content`, or `nonce || AES-GCM(salt || content)` with the event's
digest and the payload's name as associated data, so that no ciphertext fits another place. The
salt is encrypted too: a backup whose data key is destroyed does not even confirm a guess.

A writer holds a shared lock on the subject's row until it commits; an erasure takes the row
away. So no payload is ever written under a key that is already destroyed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from secrets import token_bytes
from threading import Lock

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import Connection, bindparam, exists, select, update
from sqlalchemy.dialects import postgresql, sqlite

from assay.adapters.stores.rows import blob
from assay.adapters.stores.schema.record import subjects
from assay.adapters.stores.statements import Statement
from assay.errors import IntegrityError, UsageError
from assay.protocols import KeyRing

SALT_BYTES = 32
_NONCE_BYTES = 12
_CACHED_KEYS = 1024
_NAMES_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class LockedSubject:
    """The row of one subject, held until the transaction ends."""

    id: int
    cipher: AESGCM | None
    """None: contents of this subject stand in the clear."""

    @property
    def sealed_by(self) -> int | None:
        return None if self.cipher is None else self.id


def fresh_salt() -> bytes:
    """A fresh salt."""
    return token_bytes(SALT_BYTES)


def seal(holder: LockedSubject, salt: bytes, content: bytes, *, digest: str, name: str) -> bytes:
    """What to store for *content* beside the event with *digest*."""
    whole = salt + content
    if holder.cipher is None:
        return whole
    nonce = token_bytes(_NONCE_BYTES)
    return nonce + holder.cipher.encrypt(nonce, whole, _bound_to(digest, name))


def unseal(cipher: AESGCM | None, stored: bytes, *, digest: str, name: str) -> bytes:
    """`salt || content` again.

    Raises:
        IntegrityError: the bytes were changed, or belong elsewhere.
    """
    if cipher is None:
        return stored
    nonce, sealed = stored[:_NONCE_BYTES], stored[_NONCE_BYTES:]
    try:
        return cipher.decrypt(nonce, sealed, _bound_to(digest, name))
    except (InvalidTag, ValueError) as error:
        raise IntegrityError(f"payload {name!r} cannot be decrypted: it was changed") from error


def _bound_to(digest: str, name: str) -> bytes:
    return f"{digest}\0{name}".encode()


class Keys:
    """The data keys of all subjects, as far as the key ring opens them."""

    def __init__(self, keyring: KeyRing | None) -> None:
        self._keyring = keyring
        self._lock = Lock()
        self._opened: OrderedDict[int, AESGCM] = OrderedDict()
        self._may_write_plain = False

    def lock_subjects(
        self, connection: Connection, names: Iterable[str]
    ) -> dict[str, LockedSubject]:
        """Lock the rows of these subjects against erasure; create those that are missing.

        Raises:
            UsageError: the store encrypts, but there is no key ring.
            IntegrityError: the key ring cannot open a data key.
        """
        wanted = sorted(set(names))
        if not wanted:
            return {}
        if self._keyring is None and not self._may_write_plain:
            if connection.execute(_ANY_WRAPPED).scalar():
                raise UsageError(
                    "the store encrypts its payloads, but no master key is configured",
                    hint="set ASSAY_MASTER_KEY to the key the store was written with",
                )
            self._may_write_plain = True
        # An erasure may take a row away between its making and its locking: then make it again.
        while True:
            held = self._select(connection, wanted)
            missing = [name for name in wanted if name not in held]
            bare = [
                name
                for name, (_, key_id, _) in held.items()
                if key_id is None and self._keyring is not None
            ]
            if not missing and not bare:
                break
            if missing:
                self._insert(connection, missing)
            if bare:
                self._wrap_bare(connection, bare)
        return {
            name: LockedSubject(row_id, self._cipher(row_id, key_id, wrapped))
            for name, (row_id, key_id, wrapped) in held.items()
        }

    def cipher(self, connection: Connection, sealed_by: int) -> AESGCM:
        """The data key that sealed a payload, for reading.

        Raises:
            UsageError: there is no key ring.
            IntegrityError: the data key is gone or cannot be opened.
        """
        with self._lock:
            known = self._opened.get(sealed_by)
        if known is not None:
            return known
        row = connection.execute(_BY_ID, {"wanted": sealed_by}).first()
        if row is None or row.wrapped is None:
            raise IntegrityError("the data key of a payload is gone, and no erasure says why")
        opened = self._cipher(sealed_by, row.key_id, row.wrapped)
        if opened is None:  # unreachable while `wrapped` is set; keeps the types honest
            raise IntegrityError("the data key of a payload cannot be opened")
        return opened

    def forget(self) -> None:
        """Drop opened keys from memory, after an erasure."""
        with self._lock:
            self._opened.clear()

    def _cipher(self, row_id: int, key_id: str | None, wrapped: bytes | None) -> AESGCM | None:
        if key_id is None or wrapped is None:
            return None
        with self._lock:
            known = self._opened.get(row_id)
            if known is not None:
                self._opened.move_to_end(row_id)
                return known
        if self._keyring is None:
            raise UsageError(
                "the payloads are encrypted, and no master key is configured",
                hint="set ASSAY_MASTER_KEY to the key the store was written with",
            )
        opened = AESGCM(self._keyring.unwrap(key_id, blob(wrapped)))
        with self._lock:
            self._opened[row_id] = opened
            if len(self._opened) > _CACHED_KEYS:
                self._opened.popitem(last=False)
        return opened

    def _select(
        self, connection: Connection, names: list[str]
    ) -> dict[str, tuple[int, str | None, bytes | None]]:
        sqlite_holds_all = connection.dialect.name == "sqlite"
        if len(names) == 1:
            only = _HELD_ONE if sqlite_holds_all else _HELD_ONE_LOCKED
            row = only.first(connection, {"name": names[0]})
            return {} if row is None else {names[0]: (row[0], row[1], row[2])}
        statement = _HELD if sqlite_holds_all else _HELD_LOCKED
        return {
            row.subject: (row.id, row.key_id, row.wrapped)
            for start in range(0, len(names), _NAMES_AT_ONCE)
            for row in connection.execute(
                statement, {"names": names[start : start + _NAMES_AT_ONCE]}
            )
        }

    def _insert(self, connection: Connection, names: list[str]) -> None:
        _INSERT.run_many(connection, [{"subject": name, **self._wrapped_key()} for name in names])

    def _wrap_bare(self, connection: Connection, names: list[str]) -> None:
        for name in names:
            connection.execute(_WRAP_BARE, {"of": name, **self._wrapped_key()})

    def _wrapped_key(self) -> dict[str, str | bytes | None]:
        if self._keyring is None:
            return {"key_id": None, "wrapped": None}
        key = AESGCM.generate_key(bit_length=256)
        return {"key_id": self._keyring.key_id, "wrapped": self._keyring.wrap(key)}


_ANY_WRAPPED = select(exists().where(subjects.c.wrapped.is_not(None)))
_HELD = (
    select(subjects)
    .where(subjects.c.subject.in_(bindparam("names", expanding=True)))
    .order_by(subjects.c.id)
)
_HELD_LOCKED = _HELD.with_for_update(read=True)
_SELECT_ONE = select(subjects.c.id, subjects.c.key_id, subjects.c.wrapped).where(
    subjects.c.subject == bindparam("name")
)
_HELD_ONE = Statement(_SELECT_ONE)
_HELD_ONE_LOCKED = Statement(_SELECT_ONE.with_for_update(read=True))
_INSERT = Statement(
    {
        name: dialect.insert(subjects)
        .values({column: bindparam(column) for column in ("subject", "key_id", "wrapped")})
        .on_conflict_do_nothing()
        for name, dialect in (("sqlite", sqlite), ("postgresql", postgresql))
    }
)
_BY_ID = select(subjects.c.key_id, subjects.c.wrapped).where(subjects.c.id == bindparam("wanted"))
_WRAP_BARE = (
    update(subjects)
    .where(subjects.c.subject == bindparam("of"), subjects.c.wrapped.is_(None))
    .values(key_id=bindparam("key_id"), wrapped=bindparam("wrapped"))
)
