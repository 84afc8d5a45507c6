"""Promises about heads, proofs and verification.

In      StorePlace: one database, empty at first
Out     checks that raise AssertionError
Effects those of the store
Spec    RFC 9162, 2.1; docs/decisions/0005
"""

from __future__ import annotations

import asyncio

from assay.errors import InputError
from assay.protocols import Changes, PutCall
from assay.record.tree import leaf_hash, verify_consistency, verify_inclusion
from assay.testing.clock import FrozenClock
from assay.testing.stores.samples import StorePlace, a_call, an_event, expect_error


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
            await expect_error(store.verify(wrong), InputError)


async def a_record_is_verified_while_it_grows(place: StorePlace) -> None:
    """Writers do not wait for a verification, and it never takes a half-written state for flaw."""
    clock = FrozenClock()
    async with await place.open(clock=clock) as store, await place.open(clock=clock) as other:
        runs = [await store.start_run("pack", {}) for _ in range(4)]
        done = False

        async def write(run: int) -> None:
            for i in range(40):
                row = a_call(f"c-{run}-{i % 5}", run, attempts=i)
                event = an_event(payloads={"p": b"x"}, subject="s-1")
                await store.commit(Changes(run=run, events=(event,), writes=(PutCall(row=row),)))

        async def watch() -> list[str | None]:
            found = []
            while not done:
                head = await other.head()
                found.append((await other.verify(head)).first_bad_why)
            return found

        watching = asyncio.ensure_future(watch())
        await asyncio.gather(*map(write, runs))
        done = True
        found = await watching
        assert found == [None] * len(found) != []


async def proofs_hold(place: StorePlace) -> None:
    """Of each event in the newest log and in older ones, and of the growth between them."""
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})
        await store.commit(Changes(run=run, events=(an_event(),) * 4))
        old = await store.head()
        await store.commit(Changes(run=run, events=(an_event(),) * 6))
        new = await store.head()
        for head in (old, new):
            for event in [event async for event in store.events()][: head["size"]]:
                proof = await store.prove(event.seq, head["size"])
                assert "sha256:" + proof["root"].hex() == head["root"]
                assert proof["leaf"] == leaf_hash(event.body)
                assert verify_inclusion(
                    proof["index"], proof["size"], proof["leaf"], proof["proof"], proof["root"]
                )
        growth = await store.prove_growth(old["size"])
        roots = growth["first_root"], growth["second_root"]
        assert ["sha256:" + root.hex() for root in roots] == [old["root"], new["root"]]
        assert verify_consistency(5, 11, *roots, growth["proof"])
