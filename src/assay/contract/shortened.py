"""How much of its input a call did not show the model, and whose words these were.

In      what an attempt left out, as built or as it stands on record
Out     Shortened; None when everything was shown
Pure    yes
Spec    005-M10; interfaces.md, "Beside these fields"

Quotes of earlier mails, signatures and disclaimers are no own words. What is forwarded counts as
the sender's own: it is what they hand in to be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from assay.contract.material import Built
from assay.errors import InputError

CARRIED: Final = frozenset({"quoted", "signature", "disclaimer"})
"""Kinds of blocks that may go without a word of the sender's being lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortened:
    """What the accepted attempt of a call did not show the model."""

    omitted_chars: int
    """Code points of the originals, white space at the edges aside; greater than 0."""

    own_words: bool
    """True when more than quotes, signatures and disclaimers went."""

    def __post_init__(self) -> None:
        if self.omitted_chars < 1:
            raise InputError("shortened by nothing is not shortened")

    @classmethod
    def of_record(cls, omitted: Iterable[Mapping[str, Any]]) -> Self | None:
        """What the parts that an attempt left out come to.

        Args:
            omitted: As `prompt.built` lists them: `kind`, `start`, `stop`.

        Example:
            >>> Shortened.of_record([{"kind": "quoted", "start": 10, "stop": 25}])
            Shortened(omitted_chars=15, own_words=False)
        """
        parts = [(str(part["kind"]), int(part["stop"]) - int(part["start"])) for part in omitted]
        chars = sum(length for _, length in parts)
        if chars < 1:
            return None
        return cls(omitted_chars=chars, own_words=any(kind not in CARRIED for kind, _ in parts))

    @classmethod
    def of_built(cls, built: Built | None) -> Self | None:
        """What the attempt that was built so left out."""
        omitted = () if built is None else built.omitted
        return cls.of_record([omission.to_dict() for omission in omitted])

    @classmethod
    def largest(cls, several: Iterable[Self | None]) -> Self | None:
        """Of an input, from those of its calls: the most characters, own words if any lost some."""
        there = [each for each in several if each is not None]
        if not there:
            return None
        return cls(
            omitted_chars=max(each.omitted_chars for each in there),
            own_words=any(each.own_words for each in there),
        )

    def to_dict(self) -> dict[str, Any]:
        """`{"omitted_chars", "own_words"}` as `assay run --json` prints them."""
        return {"omitted_chars": self.omitted_chars, "own_words": self.own_words}
