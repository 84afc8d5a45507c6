"""Count what people decided: whether it was the model's output, and whether its confidences held.

In      events of calls and their reviews, in the order of the record; a store
Out     Agreement and Calibration
Effects store reads: the outputs of decided cases, many at once
Spec    007-F9, 007-F10

A case belongs to the hour in which its call was opened, as all of a call does. What cannot be read
(erased, expired, encrypted under a key that is not here, told with surrogates) is counted apart.
Of each review a few numbers are kept, of its texts nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from assay.contract.outcome import Reason
from assay.errors import MasterKeyError, UsageError
from assay.figures.review_figures import WAYS, Agreement, Calibration, ConfidenceBin
from assay.protocols import Store
from assay.record.event import StoredEvent
from assay.runtime.figures.periods import Periods
from assay.runtime.figures.statements import Compared, are_equal, compare_outputs
from assay.runtime.figures.sums import spread_counts
from assay.runtime.figures.templates import Tally, make_tally

Takes = Callable[[str, str], bool]
"""Whether a call of a contract, opened at a moment, is counted."""

BINS: Final = 10
_AT_ONCE: Final = 50
"""Cases whose texts are in memory together: a reply can have a million characters."""

_PARTS: Final = 1_000_000


@dataclass(slots=True)
class Reply:
    """What a model said last for a call: where it stands, and whether it can be compared."""

    seq: int | None = None
    hidden: bool = False
    """Its prompt had surrogates in place of values, and so may the reply."""


@dataclass(slots=True)
class _Decision:
    accepted: bool
    person: str
    output: int | None
    """The event that the person's output stands beside; None where none was handed in."""


@dataclass(slots=True)
class _Case:
    """A review that is counted."""

    call: str
    hour: str
    reply: Reply
    decision: _Decision | None = None
    before: _Decision | None = None
    """The decision that was taken back last."""


@dataclass(slots=True)
class ReviewCounting:
    """Reviews of the calls that are counted."""

    _cases: dict[str, _Case] = field(default_factory=dict)
    _held: set[str] = field(default_factory=set)
    """Reviews of results that stand, and whose call is no longer at hand."""

    def open(self, event: StoredEvent, hour: str, reply: Reply) -> None:
        """A case of a call that was opened in *hour*."""
        self._cases[str(event.facts["review"])] = _Case(event.call or "", hour, reply)

    def open_held(self, event: StoredEvent) -> None:
        """A case of a call that was settled before, or is not counted: which, is asked later."""
        if event.facts.get("reason") == Reason.INPUT_SHORTENED:
            self.open(event, "", Reply())
            self._held.add(str(event.facts["review"]))

    def decide(self, event: StoredEvent) -> None:
        """What a person made of a case."""
        case = self._cases.get(str(event.facts["review"]))
        if case is not None:
            case.decision = _Decision(
                accepted=event.facts["decision"] == "accepted",
                person=str(event.facts.get("reviewer", "")),
                output=event.seq if "output" in event.commitments else None,
            )

    def reopen(self, event: StoredEvent) -> None:
        """The decision was taken back."""
        case = self._cases.get(str(event.facts["review"]))
        if case is not None and case.decision is not None:
            case.before, case.decision = case.decision, None

    def withdraw(self, event: StoredEvent) -> None:
        """Nobody waits for it any more."""
        review = str(event.facts["review"])
        self._cases.pop(review, None)
        self._held.discard(review)

    # --- the end --------------------------------------------------------------------------------

    async def read(self, store: Store, takes: Takes) -> Decided:
        """Compare what was decided with what was said.

        Raises:
            IntegrityError: a text was edited, or is gone without an erasure.
        """
        for review in sorted(self._held):
            await self._find_call(store, review, takes)
        decided = Decided(waiting=sum(case.decision is None for case in self._cases.values()))
        cases = [case for case in self._cases.values() if case.decision is not None]
        for first in range(0, len(cases), _AT_ONCE):
            batch = cases[first : first + _AT_ONCE]
            seqs = [seq for case in batch for seq in _outputs_of(case)]
            outputs = await _read_payloads(store, "output", seqs)
            replies = [case.reply.seq for case in batch if case.reply.seq is not None]
            raws = await _read_payloads(store, "raw", replies)
            for case in batch:
                decided.add(case, outputs, raws)
        return decided

    async def _find_call(self, store: Store, review: str, takes: Takes) -> None:
        """The hour and the last reply of a call that was settled before its review was opened."""
        case = self._cases[review]
        reply = Reply()
        async for event in store.events(call=case.call):
            if event.kind == "call.opened":
                if not takes(str(event.facts["contract"]), event.at):
                    del self._cases[review]
                    return
                case.hour = event.at[:13]
            else:
                note_reply(reply, event)
        case.reply = reply


def note_reply(reply: Reply, event: StoredEvent) -> None:
    """Keep in *reply* what an event of its call says of it."""
    if event.kind == "prompt.built":
        reply.hidden = bool(event.facts.get("hidden"))
    elif event.kind == "model.answered":
        reply.seq = event.seq if "raw" in event.commitments else None


@dataclass(slots=True)
class Decided:
    """What decided cases come to."""

    waiting: int = 0
    ways: Tally = field(default_factory=make_tally)
    """`kept`, `label`, `elsewhere`, `rejected`, `unread` -> hour -> cases."""

    pairs: int = 0
    """Cases that two persons decided, and of which both decisions can be compared."""

    agreed: int = 0
    pairs_unread: int = 0
    calibrated: int = 0
    """Accepted cases whose model's output could be read and states a confidence."""

    silent: int = 0
    """Accepted cases whose model's output could be read and states none."""

    unread: int = 0
    """Accepted cases whose outputs cannot be read."""

    statements: Counter[int] = field(default_factory=Counter)
    confirmed: Counter[int] = field(default_factory=Counter)
    stated: Counter[int] = field(default_factory=Counter)
    """Bin -> the sum of what was stated, in millionths."""

    def add(
        self, case: _Case, outputs: Mapping[int, bytes | None], raws: Mapping[int, bytes | None]
    ) -> None:
        """One decided case, with what could be read of it."""
        decision = case.decision
        assert decision is not None
        if case.before is not None and case.before.person != decision.person:
            self._add_pair(case.before, decision, outputs)
        if not decision.accepted:
            self.ways["rejected"][case.hour] += 1
            return
        compared = _compare(case, decision, outputs, raws)
        if compared is None:
            self.ways["kept" if decision.output is None else "unread"][case.hour] += 1
            self.unread += 1
            return
        self.ways[compared.change][case.hour] += 1
        self._add_statements(compared)

    def _add_pair(
        self, first: _Decision, second: _Decision, outputs: Mapping[int, bytes | None]
    ) -> None:
        agreed: bool | None = first.accepted == second.accepted
        if first.accepted and second.accepted:
            one, other = (_read_output(each, outputs) for each in (first, second))
            agreed = None if one is None or other is None else one == other or are_equal(one, other)
        if agreed is None:
            self.pairs_unread += 1
        else:
            self.pairs += 1
            self.agreed += agreed

    def _add_statements(self, compared: Compared) -> None:
        self.calibrated += bool(compared.statements)
        self.silent += not compared.statements
        for each in compared.statements:
            place = min(round(each.confidence * _PARTS) * BINS // _PARTS, BINS - 1)
            self.statements[place] += 1
            self.confirmed[place] += each.confirmed
            self.stated[place] += round(each.confidence * _PARTS)

    # --- as figures -----------------------------------------------------------------------------

    def agreement(self, axis: Periods) -> Agreement:
        """How cases were decided, by the periods of an axis."""
        return Agreement(
            **{way: spread_counts(self.ways[way], axis) for way in WAYS},
            waiting=self.waiting,
            pairs=self.pairs,
            agreed=self.agreed,
            pairs_unread=self.pairs_unread,
        )

    def calibration(self) -> Calibration:
        """What was stated beside what was confirmed."""
        return Calibration(
            bins=tuple(
                ConfidenceBin(
                    low=place / BINS,
                    high=(place + 1) / BINS,
                    statements=self.statements[place],
                    confirmed=self.confirmed[place],
                    stated=self.stated[place] / (_PARTS * (self.statements[place] or 1)),
                )
                for place in range(BINS)
            ),
            cases=self.calibrated,
            silent=self.silent,
            unread=self.unread,
        )


def _read_output(decision: _Decision, outputs: Mapping[int, bytes | None]) -> bytes | None:
    """What was accepted: nothing handed in is the same as it, and is empty."""
    return b"" if decision.output is None else outputs.get(decision.output)


def _compare(
    case: _Case,
    decision: _Decision,
    outputs: Mapping[int, bytes | None],
    raws: Mapping[int, bytes | None],
) -> Compared | None:
    raw = None if case.reply.seq is None else raws.get(case.reply.seq)
    if raw is None or (case.reply.hidden and decision.output is not None):
        return None
    if decision.output is None:
        return compare_outputs(raw, None)
    output = outputs.get(decision.output)
    return None if output is None else compare_outputs(raw, output)


def _outputs_of(case: _Case) -> Iterable[int]:
    for decision in (case.decision, case.before):
        if decision is not None and decision.output is not None:
            yield decision.output


async def _read_payloads(
    store: Store, name: str, seqs: Sequence[int]
) -> Mapping[int, bytes | None]:
    """What can be read of them here.

    Raises:
        IntegrityError: one was edited, or is gone without an erasure.
    """
    if not seqs:
        return {}
    try:
        return await store.payloads(name, seqs)
    except (UsageError, MasterKeyError):  # some are under a key that is not here
        return {seq: content async for seq, content in _read_singly(store, name, seqs)}


async def _read_singly(
    store: Store, name: str, seqs: Sequence[int]
) -> AsyncIterator[tuple[int, bytes | None]]:
    for seq in seqs:
        try:
            yield seq, await store.payload(seq, name)
        except (UsageError, MasterKeyError):
            yield seq, None
