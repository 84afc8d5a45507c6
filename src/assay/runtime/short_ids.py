"""A beginning of an id stands for the id, where only one has it.

In      a store, the id as a person typed it
Out     the whole id
Effects store reads
Spec    interfaces.md, "Command line" (shortened ids); 007-T1
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from assay.errors import AmbiguousIdError, NotFoundError
from assay.protocols import IdKind, Store

LEAST_CHARS: Final = 4
"""A shorter beginning stands for nothing."""

_SHOWN: Final = 5


async def find_id(store: Store, kind: IdKind, given: str) -> str:
    """The one id that begins with *given*; *given* itself when none does.

    Whoever reads by it then says that there is none.

    Raises:
        AmbiguousIdError: several ids begin so, and none is just that.
        NotFoundError: no id can be so, or it is shorter than a beginning may be.
    """
    if kind == "session":
        given = _one_spelling(given)
    if not _is_storable(given):
        raise NotFoundError(f"there is no {kind} {given!r}", hint="copy the id from a list")
    if len(given) < LEAST_CHARS:
        if kind == "session":  # which may be one to start: whoever starts it says what is wrong
            return given
        raise NotFoundError(
            f"{given!r} is too short for an id of a {kind}",
            hint=f"give {LEAST_CHARS} characters of it at least",
        )
    found = await store.ids_beginning(kind, given, _SHOWN + 1)
    if given in found or not found:
        return given
    if len(found) > 1:
        raise AmbiguousIdError(kind, given, found[:_SHOWN], more=len(found) > _SHOWN)
    return found[0]


def _one_spelling(given: str) -> str:
    """A session's id is a UUID: in lower case, with its hyphens when it is whole."""
    try:
        return str(UUID(given))
    except ValueError:
        return given.lower()


def _is_storable(given: str) -> bool:
    """Whether a database can look for it."""
    return "\0" not in given and not any("\ud800" <= char <= "\udfff" for char in given)
