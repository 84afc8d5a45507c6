"""Promises about what stands beside events.

In      StorePlace: one database, empty at first
Out     checks that raise AssertionError
Effects those of the store
Spec    002-N1; docs/decisions/0006
"""

from __future__ import annotations

from dataclasses import replace

from assay.adapters.keys import MasterKeys
from assay.errors import IntegrityError, NotFoundError, UsageError
from assay.protocols import Changes
from assay.record.event import commitment
from assay.testing.clock import FrozenClock
from assay.testing.stores.samples import StorePlace, an_event, refused_with


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
        await refused_with(store.payload(one.seq, "other"), NotFoundError)
        await refused_with(store.payload(10**9, "all"), NotFoundError)
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
        await refused_with(store.payload(event.seq, "p"), IntegrityError)
        assert (await store.verify()).status == "broken"
    async with await place.open(clock=clock) as store:
        await refused_with(store.payload(event.seq, "p"), UsageError)
        await refused_with(store.verify(), UsageError)
        await refused_with(store.commit(Changes(run=run, events=(draft,))), UsageError)


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
        await refused_with(store.payload(sealed.seq, "p"), UsageError)
