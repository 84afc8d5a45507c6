"""Promises about what stands beside events, and about what is taken away.

In      StorePlace: one database, empty at first
Out     checks that raise AssertionError
Effects those of the store
Spec    002-N1; docs/decisions/0006
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from assay.adapters.keys import MasterKeys
from assay.errors import InputError, MasterKeyError, NotFoundError, UsageError
from assay.protocols import Changes, KeyRing
from assay.record.event import commitment
from assay.testing.clock import START, FrozenClock
from assay.testing.stores.samples import StorePlace, an_event, expect_error


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
        await expect_error(store.payload(one.seq, "other"), NotFoundError)
        await expect_error(store.payload(10**9, "all"), NotFoundError)
        assert (await store.verify()).payloads == 10


async def sealed_payloads_need_their_key(place: StorePlace) -> None:
    """Read with the key, also after a rotation; without it, or with another, the rest verifies."""
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
        await expect_error(store.payload(event.seq, "p"), MasterKeyError)
        assert (await store.verify()).status != "broken"  # a wrong key breaks no record
    async with await place.open(clock=clock) as store:
        await expect_error(store.payload(event.seq, "p"), UsageError)
        assert (await store.verify()).status != "broken"
        await expect_error(store.commit(Changes(run=run, events=(draft,))), UsageError)


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
        await expect_error(store.payload(sealed.seq, "p"), UsageError)


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
        seqs = [event.seq for event in (one, two, nobody, again)]
        assert await store.payloads("p", seqs) == {
            seq: await store.payload(seq, "p") for seq in seqs
        }
        assert await store.payloads("other", seqs) == {}
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
        await expect_error(store.erase("nobody", reason="r", actor="a"), NotFoundError)


async def old_payloads_expire_by_kind(place: StorePlace) -> None:
    """Those of the named kinds, from before the given moment; a dry run only counts."""
    clock = FrozenClock()
    ring = MasterKeys([b"k" * 32])
    async with await place.open(clock=clock, keyring=ring) as store:
        run = await store.start_run("pack", {})
        seqs = {}
        for day in range(3):
            for kind in ("raw", "result"):
                draft = an_event(kind, payloads={"p": b"x", "q": b"y"}, subject="s-1")
                (event,) = await store.commit(Changes(run=run, events=(draft,)))
                seqs[kind, day] = event.seq
            clock.advance(86_400)
        before = START + timedelta(days=2)

        async def expire(until: datetime, *, dry_run: bool = False) -> int:
            return await store.expire(
                ["raw"], until, reason="rule 7", actor="cron", dry_run=dry_run
            )

        assert await expire(before, dry_run=True) == 4
        assert await store.payload(seqs["raw", 0], "p") == b"x"
        head = await store.head()
        assert await expire(before) == 4
        assert await expire(before) == 0
        gone = [key for key, seq in seqs.items() if await store.payload(seq, "p") is None]
        assert gone == [("raw", 0), ("raw", 1)]
        report = await store.verify(head)
        assert (report.status, report.payloads, report.erased) == ("ok", 8, 4)
        await expect_error(expire(clock.now() + timedelta(seconds=1)), InputError)
        assert await store.erase("s-1", reason="asked to", actor="ann") == 8
        assert (await store.verify(head)).erased == 12
