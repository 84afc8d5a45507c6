"""What the checks of a store work with.

In      nothing
Out     StorePlace; rows and events that are filled in
Pure    yes
Spec    docs/explanation/architecture.md, "The rooms"
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from typing import Any, Protocol

from assay.errors import AssayError
from assay.protocols import CallRow, Clock, KeyRing, ReviewRow, Store
from assay.record.event import EventDraft
from assay.testing.clock import START


class StorePlace(Protocol):
    """One database, empty at first."""

    async def open(self, *, clock: Clock, keyring: KeyRing | None = None) -> Store:
        """Open one more store on it; the check closes the store."""
        ...


def a_call(call_id: str, run: int, **changes: Any) -> CallRow:
    """A call row, open, with everything filled in; *changes* replace fields."""
    row = CallRow(
        id=call_id,
        kind="contract",
        run=run,
        key=f"key of {call_id}",
        contract="intake/classify",
        contract_digest="sha256:" + "c" * 64,
        model="scripted:replies.jsonl",
        input="mail.eml",
        input_digest="sha256:" + "1" * 64,
        subject="s-1",
        status="open",
        attempts=0,
        created_at=START,
    )
    return replace(row, **changes)


def a_review(review_id: str, run: int, **changes: Any) -> ReviewRow:
    """An open review; *changes* replace fields."""
    row = ReviewRow(
        id=review_id,
        run=run,
        call=None,
        input="mail.eml",
        reason="gate.rejected",
        status="open",
        opened_at=START,
    )
    return replace(row, **changes)


def an_event(kind: str = "thing.happened", **fields: Any) -> EventDraft:
    return EventDraft(kind=kind, **fields)


async def expect_error(work: Awaitable[Any], kind: type[AssayError]) -> AssayError:
    """The error of *kind* that *work* must raise."""
    try:
        await work
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")
