"""The promises of a store, each as a check that any implementation must pass.

In      StorePlace: opens stores, all of them on one and the same empty database
Out     STORE_CHECKS; a check that fails raises AssertionError
Effects those of the store
Spec    issue on the kernel, "Record"; issue on receipts, "the same conformance suite"

Example, with pytest::

    @pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
    def test_my_store(check, tmp_path):
        asyncio.run(check(MyPlace(tmp_path)))
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Protocol

from assay.adapters.keys import MasterKeys
from assay.errors import (
    AssayError,
    ConflictError,
    InputError,
    IntegrityError,
    NotFoundError,
    StoreUnavailableError,
    UsageError,
)
from assay.protocols import (
    CallFilter,
    CallRow,
    Changes,
    Clock,
    KeyRing,
    PutCall,
    PutReview,
    ReviewRow,
    Store,
)
from assay.record.event import GENESIS, EventDraft, commitment, seal
from assay.testing.clock import START, FrozenClock


class StorePlace(Protocol):
    """One database, empty at first."""

    async def open(self, *, clock: Clock, keyring: KeyRing | None = None) -> Store:
        """Open one more store on it; the check closes the store."""
        ...


def a_call(call_id: str, run: int, **changes: Any) -> CallRow:
    """A call row, open, with everything filled in; *changes* replace fields."""
    row = CallRow(
        id=call_id,
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


async def _refused(work: Awaitable[Any], kind: type[AssayError]) -> AssayError:
    try:
        await work
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


# --- runs and events ------------------------------------------------------------------------


async def runs_are_numbered_from_one(place: StorePlace) -> None:
    """Each run gets the next number and tells of itself in its first event."""
    async with await place.open(clock=FrozenClock()) as store:
        numbers = [await store.start_run("pack", {"pack": name}) for name in ("a", "b", "c")]
        assert numbers == [1, 2, 3]
        first = [event async for event in store.events(run=2)]
        assert [(event.kind, event.n, event.prev) for event in first] == [
            ("run.started", 0, GENESIS)
        ]
        assert dict(first[0].facts) == {"kind": "pack", "pack": "b"}


async def events_are_chained_in_canonical_bytes(place: StorePlace) -> None:
    """What is hashed is the RFC 8785 form of the whole event, the digest before it included."""
    clock = FrozenClock()
    async with await place.open(clock=clock) as store:
        run = await store.start_run("pack", {})
        clock.advance(11.000001)
        draft = an_event(facts={"b": [1, 0.5], "a": "ü"}, call="c-1", subject="s-1")
        (given,) = await store.commit(Changes(run=run, events=(draft,)))
        first, found = [event async for event in store.events(run=run)]
        assert found == given
        assert found.prev == first.digest
        assert found.at == "2026-01-17T08:00:11.000001Z"
        expected = seal(draft, run=run, n=1, at=found.at, prev=first.digest, commitments={})
        assert (found.body, found.digest) == expected


async def events_are_found_by_run_call_and_kind(place: StorePlace) -> None:
    """Filters combine; the order is that of appending; long streams are whole."""
    async with await place.open(clock=FrozenClock()) as store:
        one, two = await store.start_run("pack", {}), await store.start_run("pack", {})
        for run in (one, two):
            drafts = tuple(an_event(f"kind.{n % 2}", call=f"c-{n % 3}") for n in range(450))
            await store.commit(Changes(run=run, events=drafts))
        everything = [event async for event in store.events()]
        assert len(everything) == 902
        assert [event.seq for event in everything] == sorted({event.seq for event in everything})
        some = [event async for event in store.events(run=two, call="c-1", kind="kind.0")]
        assert [event.n for event in some] == [n + 1 for n in range(450) if n % 6 == 4]


async def a_run_must_be_started(place: StorePlace) -> None:
    """Events of a run that nobody started are refused."""
    async with await place.open(clock=FrozenClock()) as store:
        await _refused(store.commit(Changes(run=7, events=(an_event(),))), NotFoundError)
        assert [event async for event in store.events()] == []


async def a_transaction_is_all_or_nothing(place: StorePlace) -> None:
    """When one write of a transaction conflicts, none of its events and rows is kept."""
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})
        decided = a_review("r-1", run, status="accepted", decided_at=START, reviewer="ann")
        await store.commit(Changes(run=run, events=(an_event(),), writes=(PutReview(row=decided),)))
        failing = Changes(
            run=run,
            events=(an_event("lost", payloads={"p": b"x"}),),
            writes=(PutCall(row=a_call("c-1", run)), PutReview(row=a_review("r-1", run))),
        )
        passing = Changes(run=run, events=(an_event("kept"),))
        results = await asyncio.gather(
            store.commit(passing),
            store.commit(failing),
            store.commit(passing),
            return_exceptions=True,
        )
        assert [type(result) for result in results] == [tuple, ConflictError, tuple]
        kinds = [event.kind async for event in store.events(run=run)]
        assert kinds == ["run.started", "thing.happened", "kept", "kept"]
        await _refused(store.call("c-1"), NotFoundError)
        assert (await store.verify()).status == "unanchored"


async def a_change_needs_an_event(place: StorePlace) -> None:
    """No row changes without an event that tells of it."""
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})
        silent = Changes(run=run, writes=(PutCall(row=a_call("c-1", run)),))
        await _refused(store.commit(silent), InputError)


async def what_cannot_be_stored_is_refused(place: StorePlace) -> None:
    """NUL and lone surrogates in text, facts that are no JSON, times without a zone."""
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})
        zoneless = datetime(2026, 1, 1)  # noqa: DTZ001 - the fault that is refused
        for changes in (
            Changes(run=run, events=(an_event("a\0b"),)),
            Changes(run=run, events=(an_event(call="\ud800"),)),
            Changes(run=run, events=(an_event(facts={"x": float("nan")}),)),
            Changes(run=run, events=(an_event(facts={"x": b"bytes"}),)),
            Changes(
                run=run,
                events=(an_event(),),
                writes=(PutCall(row=a_call("c-1", run, input="\udcff.eml")),),
            ),
            Changes(
                run=run,
                events=(an_event(),),
                writes=(PutCall(row=a_call("c-1", run, created_at=zoneless)),),
            ),
        ):
            await _refused(store.commit(changes), InputError)
        assert [event.n async for event in store.events()] == [0]


async def many_writers_chain_rightly(place: StorePlace) -> None:
    """Tasks, threads and a second store, all on the same runs: no gap, no fork, none lost."""
    clock = FrozenClock()
    async with await place.open(clock=clock) as store, await place.open(clock=clock) as other:
        runs = [await store.start_run("pack", {}) for _ in range(3)]
        acknowledged: list[tuple[int, int]] = []

        async def write(through: Store, who: str, count: int) -> None:
            for i in range(count):
                events = (an_event(facts={"who": who, "i": i}),) * 2
                changes = Changes(run=runs[i % 3], events=events, durable=i % 2 == 0)
                for event in await through.commit(changes):
                    acknowledged.append((event.run, event.n))

        def in_a_thread(name: str) -> None:
            asyncio.run(write(store, name, 12))

        threads = [threading.Thread(target=in_a_thread, args=(f"t{i}",)) for i in range(2)]
        for thread in threads:
            thread.start()
        tasks = [write(store, f"a{i}", 12) for i in range(8)]
        await asyncio.gather(*tasks, *(write(other, f"b{i}", 12) for i in range(8)))
        await asyncio.gather(*(asyncio.to_thread(thread.join) for thread in threads))
        assert sorted(acknowledged) == [(run, n) for run in runs for n in range(1, 145)]
        report = await other.verify(await store.head())
        assert (report.status, report.events) == ("ok", 3 * 145)


# --- payloads -------------------------------------------------------------------------------


async def payloads_come_back_byte_for_byte(place: StorePlace) -> None:
    """Any bytes, none, and many; the event holds a salted commitment, not the digest."""
    contents = {
        "all": bytes(range(256)),
        "empty": b"",
        "nul": b"a\0b\0",
        "long": b"0123456789abcdef" * 65536,
        "ümläut name": "ä\n".encode(),
    }
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})
        drafts = (an_event(payloads=contents), an_event(payloads=contents))
        one, two = await store.commit(Changes(run=run, events=drafts))
        for name, content in contents.items():
            assert await store.payload(one.seq, name) == content
            assert one.commitments[name] != two.commitments[name]
            assert one.commitments[name] != commitment(b"", content)
        await _refused(store.payload(one.seq, "other"), NotFoundError)
        await _refused(store.payload(10**9, "all"), NotFoundError)
        assert (await store.verify()).payloads == 10


async def sealed_payloads_need_their_key(place: StorePlace) -> None:
    """Read with the key, also after a rotation; refused without, or with another."""
    old, new = b"o" * 32, b"n" * 32
    clock = FrozenClock()
    async with await place.open(clock=clock, keyring=MasterKeys([old])) as store:
        run = await store.start_run("pack", {})
        draft = an_event(payloads={"p": b"private"}, subject="s-1")
        (event,) = await store.commit(Changes(run=run, events=(draft,)))
        assert await store.payload(event.seq, "p") == b"private"
    async with await place.open(clock=clock, keyring=MasterKeys([new, old])) as store:
        assert await store.payload(event.seq, "p") == b"private"
        await store.commit(Changes(run=run, events=(draft, replace(draft, subject="s-2"))))
        assert (await store.verify()).payloads == 3
    async with await place.open(clock=clock, keyring=MasterKeys([b"x" * 32])) as store:
        await _refused(store.payload(event.seq, "p"), IntegrityError)
        assert (await store.verify()).status == "broken"
    async with await place.open(clock=clock) as store:
        await _refused(store.payload(event.seq, "p"), UsageError)
        await _refused(store.verify(), UsageError)
        await _refused(store.commit(Changes(run=run, events=(draft,))), UsageError)


async def a_key_may_come_later(place: StorePlace) -> None:
    """Payloads written in the clear stay readable; those written with a key are sealed."""
    clock = FrozenClock()
    draft = an_event(payloads={"p": b"words"}, subject="s-1")
    async with await place.open(clock=clock) as store:
        run = await store.start_run("pack", {})
        (clear,) = await store.commit(Changes(run=run, events=(draft,)))
    async with await place.open(clock=clock, keyring=MasterKeys([b"k" * 32])) as store:
        (sealed,) = await store.commit(Changes(run=run, events=(draft,)))
        for event in (clear, sealed):
            assert await store.payload(event.seq, "p") == b"words"
        assert (await store.verify()).payloads == 2
    async with await place.open(clock=clock) as store:
        assert await store.payload(clear.seq, "p") == b"words"
        await _refused(store.payload(sealed.seq, "p"), UsageError)


# --- calls and reviews ----------------------------------------------------------------------


async def calls_are_put_and_found(place: StorePlace) -> None:
    """Inserted, replaced by id, found by key (the newest) and by filters, newest first."""
    text = "ẞ ß ss é é 😀 \u202e' \" \\ %s ?  trailing  \n\t"
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})

        async def put(row: CallRow) -> None:
            await store.commit(Changes(run=run, events=(an_event(),), writes=(PutCall(row=row),)))

        rows = [
            a_call(f"c-{n}", run, key=f"k-{n % 2}", created_at=START + timedelta(hours=n))
            for n in range(4)
        ]
        for row in rows:
            await put(row)
        settled = replace(
            rows[1],
            status="settled",
            attempts=2,
            settled_at=START,
            outcome="needs_review",
            reason="gate.rejected",
            decision_digest="sha256:" + "d" * 64,
            input=text,
        )
        await put(settled)
        assert await store.call("c-1") == settled
        assert await store.find_call("k-1") == rows[3]
        assert await store.find_call("K-1") is None
        await _refused(store.call("c-9"), NotFoundError)

        async def ids(limit: int = 100, **which: Any) -> list[str]:
            return [row.id for row in await store.calls(CallFilter(**which), limit)]

        assert await ids() == ["c-3", "c-2", "c-1", "c-0"]
        assert await ids(limit=1) == ["c-3"]
        assert await ids(status="open") == ["c-3", "c-2", "c-0"]
        assert await ids(outcome="needs_review", run=run, contract="intake/classify") == ["c-1"]
        assert await ids(model="other") == []
        since, until = START + timedelta(hours=1), START + timedelta(hours=3)
        assert await ids(since=since, until=until) == ["c-2", "c-1"]


async def times_come_back_in_utc(place: StorePlace) -> None:
    """Whatever zone a time was given in, to the microsecond."""
    local = datetime(2026, 7, 1, 1, 30, 0, 123456, timezone(timedelta(hours=5, minutes=30)))
    async with await place.open(clock=FrozenClock(local)) as store:
        run = await store.start_run("pack", {})
        row = a_call("c-1", run, created_at=local)
        (event,) = await store.commit(
            Changes(run=run, events=(an_event(),), writes=(PutCall(row=row),))
        )
        assert event.at == "2026-06-30T20:00:00.123456Z"
        found = (await store.call("c-1")).created_at
        assert (found, found.tzinfo) == (local, UTC)


async def a_review_is_decided_once(place: StorePlace) -> None:
    """Two deciders at once: one wins, the other is told; the queue shows what is open."""
    clock = FrozenClock()
    async with await place.open(clock=clock) as store, await place.open(clock=clock) as other:
        run = await store.start_run("pack", {})
        waiting = a_review("r-1", run, call="c-1")
        for row in (waiting, a_review("r-2", run)):
            await store.commit(Changes(run=run, events=(an_event(),), writes=(PutReview(row=row),)))
        assert [row.id for row in await store.reviews()] == ["r-1", "r-2"]

        def decide(status: Any, reviewer: str) -> Changes:
            row = replace(waiting, status=status, reviewer=reviewer, decided_at=START)
            return Changes(run=run, events=(an_event(reviewer),), writes=(PutReview(row=row),))

        results = await asyncio.gather(
            store.commit(decide("accepted", "ann")),
            other.commit(decide("rejected", "bob")),
            return_exceptions=True,
        )
        assert sorted(type(result).__name__ for result in results) == ["ConflictError", "tuple"]
        winner = "ann" if isinstance(results[0], tuple) else "bob"
        assert (await store.review("r-1")).reviewer == winner
        assert [row.id for row in await store.reviews()] == ["r-2"]
        assert [row.id for row in await store.reviews(None)] == ["r-1", "r-2"]
        assert [row.id for row in await store.reviews("open", 0)] == []
        await _refused(store.review("r-9"), NotFoundError)
        assert (await store.verify()).status == "unanchored"


# --- proof ----------------------------------------------------------------------------------


async def a_head_anchors_what_came_before(place: StorePlace) -> None:
    """Unanchored without a remembered head; ok with one, also when the record grew since."""
    async with await place.open(clock=FrozenClock()) as store:
        empty = await store.head()
        assert empty["size"] == 0
        assert (await store.verify(empty)).status == "unanchored"
        run = await store.start_run("pack", {})
        head = await store.head()
        assert head["size"] == 1
        assert (await store.head()) == head
        await store.commit(Changes(run=run, events=(an_event(), an_event())))
        report = await store.verify(head)
        assert (report.status, report.events, report.anchored_events) == ("ok", 3, 1)
        assert (report.anchored_to, report.head) == (head["root"], (await store.head())["root"])
        assert (await store.verify()).status == "unanchored"


async def another_head_does_not_fit(place: StorePlace) -> None:
    """A longer log, another root: broken. What is no head at all is the caller's mistake."""
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})
        await store.commit(Changes(run=run, events=(an_event(),)))
        head = dict(await store.head())
        longer = await store.verify(head | {"size": 3})
        assert (longer.status, longer.first_bad_seq) == ("broken", 3)
        other = await store.verify(head | {"root": "sha256:" + "0" * 64})
        assert other.status == "broken"
        for wrong in ({}, {"size": "2", "root": head["root"]}, {"size": 2, "root": "abc"}):
            await _refused(store.verify(wrong), InputError)


# --- erasure --------------------------------------------------------------------------------


async def an_erasure_takes_one_subject(place: StorePlace) -> None:
    """Its payloads are gone, all others stay, and every proof still holds."""
    await _erasure(place, None)


async def an_erasure_takes_sealed_payloads(place: StorePlace) -> None:
    """The same with data keys; the subject may come again, under a new key."""
    await _erasure(place, MasterKeys([b"k" * 32]))


async def _erasure(place: StorePlace, keyring: KeyRing | None) -> None:
    clock = FrozenClock()
    async with await place.open(clock=clock, keyring=keyring) as store:
        run = await store.start_run("pack", {})
        drafts = tuple(
            an_event(payloads={"p": f"about {subject}".encode(), "q": b""}, subject=subject)
            for subject in ("s-1", "s-2", None, "s-1")
        )
        one, two, nobody, again = await store.commit(Changes(run=run, events=drafts))
        head = await store.head()
        assert await store.erase("s-1", reason="asked to", actor="ann") == 4
        assert [await store.payload(event.seq, "p") for event in (one, two, nobody, again)] == [
            None,
            b"about s-2",
            b"about None",
            None,
        ]
        report = await store.verify(head)
        assert (report.status, report.payloads, report.erased) == ("ok", 4, 4)
        (told,) = [event async for event in store.events(kind="subject.erased")]
        assert told.subject == "s-1"
        assert dict(told.facts) == {"payloads": 4, "reason": "asked to", "actor": "ann"}
        assert (told.run, told.n) == (run + 1, 1)
        (later,) = await store.commit(Changes(run=run, events=(drafts[0],)))
        assert await store.payload(later.seq, "p") == b"about s-1"
        assert (await store.verify(head)).status == "ok"
        assert await store.erase("s-1", reason="again", actor="ann") == 2
        assert (await store.verify(head)).erased == 6
        await _refused(store.erase("nobody", reason="r", actor="a"), NotFoundError)


# --- life -----------------------------------------------------------------------------------


async def a_store_opens_again(place: StorePlace) -> None:
    """What was acknowledged is there for the next one who opens it."""
    clock = FrozenClock()
    async with await place.open(clock=clock) as store:
        run = await store.start_run("pack", {})
        head = await store.head()
    async with await place.open(clock=clock) as store:
        assert await store.start_run("pack", {}) == run + 1
        assert (await store.verify(head)).status == "ok"


async def a_closed_store_says_so(place: StorePlace) -> None:
    """Closing finishes what was begun; afterwards nothing is taken on."""
    store = await place.open(clock=FrozenClock())
    run = await store.start_run("pack", {})
    begun = [
        asyncio.ensure_future(store.commit(Changes(run=run, events=(an_event(),))))
        for _ in range(20)
    ]
    await asyncio.sleep(0)
    await store.aclose()
    assert sorted([event.n for task in begun for event in await task]) == list(range(1, 21))
    await store.aclose()
    await _refused(store.commit(Changes(run=run, events=(an_event(),))), StoreUnavailableError)
    await _refused(store.call("c-1"), StoreUnavailableError)


StoreCheck = Callable[[StorePlace], Awaitable[None]]

STORE_CHECKS: tuple[StoreCheck, ...] = (
    runs_are_numbered_from_one,
    events_are_chained_in_canonical_bytes,
    events_are_found_by_run_call_and_kind,
    a_run_must_be_started,
    a_transaction_is_all_or_nothing,
    a_change_needs_an_event,
    what_cannot_be_stored_is_refused,
    many_writers_chain_rightly,
    payloads_come_back_byte_for_byte,
    sealed_payloads_need_their_key,
    a_key_may_come_later,
    calls_are_put_and_found,
    times_come_back_in_utc,
    a_review_is_decided_once,
    a_head_anchors_what_came_before,
    another_head_does_not_fit,
    an_erasure_takes_one_subject,
    an_erasure_takes_sealed_payloads,
    a_store_opens_again,
    a_closed_store_says_so,
)
"""Every promise; a name is what it says."""
