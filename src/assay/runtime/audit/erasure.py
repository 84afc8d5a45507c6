"""Erase a subject, and say what remains all the same.

In      a store, a redactor, a subject, who asks for it and why
Out     Erasure: how many payloads are gone, and what a person should know beside
Effects store writes
Spec    002-N1; 005-P16; docs/explanation/record.md, "Erasure and retention"
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.protocols import Store
from assay.record.chain import ERASED
from assay.redaction.redactor import Redactor

GUESSABLE = (
    "the pseudonyms that stay in the record were made without a key: whoever guesses a phone "
    "number, an address or a file name can confirm the guess; set ASSAY_REDACTION_KEY before "
    "anything is recorded"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What an erasure did, and what it could not do."""

    payloads: int
    """How many were destroyed."""

    already: bool
    """Nothing was left, because the subject had been erased before."""

    remains: tuple[str, ...]
    """What is still there, and how to finish; a sentence each."""

    guessable: bool
    """Whether pseudonyms are plain digests."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "erased_payloads": self.payloads,
            "already_erased": self.already,
            "remains": list(self.remains),
            "pseudonyms_guessable": self.guessable,
        }


async def erase_subject(
    store: Store, redactor: Redactor, subject: str, *, reason: str, actor: str
) -> Erasure:
    """Destroy what is kept of *subject*: a pseudonym, or the mail address behind one.

    Raises:
        NotFoundError: the record does not know the subject.
    """
    if "@" in subject:
        subject = redactor.surrogate("EMAIL", subject.casefold())
    count = await store.erase(subject, reason=reason, actor=actor)
    told = [event.subject async for event in store.events(kind=ERASED)]
    remains = list(await store.pieces_left())
    if not redactor.keyed:
        remains.append(GUESSABLE)
    return Erasure(
        payloads=count,
        already=not count and told.count(subject) > 1,
        remains=tuple(remains),
        guessable=not redactor.keyed,
    )
