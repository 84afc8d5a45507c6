"""Tell the sender's own words in a mail text from what the sender merely carries along.

In      the text of a mail
Out     blocks (own, quoted, forwarded, signature, disclaimer) that tile the text
Pure    no clock, no randomness, no I/O: equal texts give equal blocks
Spec    000, "Retry policy" (the shortened input of attempt 2)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.errors import InputError

Kind = Literal["own", "quoted", "forwarded", "signature", "disclaimer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A run of a text that is all of one kind."""

    kind: Kind
    """Who speaks here: the sender (`own`), an earlier mail (`quoted`, `forwarded`), habit."""

    start: int
    """First code point."""

    stop: int
    """First code point no longer in the block; greater than `start`."""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.stop:
            raise InputError(f"block: is empty or reversed: {self.start}..{self.stop}")


def blocks(text: str) -> tuple[Block, ...]:
    """Cut *text* into blocks that touch each other and cover it; none for the empty text."""
    return (Block(kind="own", start=0, stop=len(text)),) if text else ()
