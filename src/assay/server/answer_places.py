"""What asking says of an answer and the record does not keep: where its passages stand in files.

In      an Answered, as it was asked
Out     AnswerPlaces, for the page that shows the answer from the record
Effects none beyond this process: its latest answers, no text of them
Spec    009-R6

An answer is shown at the address of its call, by whichever process. The one that asked can name
the line of each passage and the files that were not read; another one counts those files.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from assay.answers.retrieval import LeftOut
from assay.runtime.answers.ask import Answered

_MOST_KEPT: Final = 200
_PLACE: Final = ("file", "page", "line")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPlaces:
    """Of one answer."""

    left_out: tuple[LeftOut, ...]
    passages: Mapping[str, Mapping[str, Any]]
    """File, page and line by the id of a chunk."""

    def add_to(self, answered: Answered) -> Answered:
        """*answered* from the record, with what was known when it was asked."""
        nearest = answered.nearest
        return replace(
            answered,
            left_out=self.left_out,
            citations=tuple(self._add_place(each) for each in answered.citations),
            nearest=None if nearest is None else self._add_place(nearest),
        )

    def _add_place(self, passage: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**passage, **self.passages.get(passage["chunk_id"], {})}


@dataclass(slots=True)
class LatestPlaces:
    """Those of the answers that this process asked for last."""

    _kept: OrderedDict[str, AnswerPlaces] = field(default_factory=OrderedDict)

    def keep(self, answered: Answered) -> None:
        """Keep what *answered* says of files."""
        passages = [*answered.citations, *([answered.nearest] if answered.nearest else [])]
        self._kept[answered.call] = AnswerPlaces(
            left_out=answered.left_out,
            passages={each["chunk_id"]: {name: each[name] for name in _PLACE} for each in passages},
        )
        self._kept.move_to_end(answered.call)
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)

    def find(self, call: str) -> AnswerPlaces | None:
        """Of a call; None where another process asked, or long ago."""
        return self._kept.get(call)
