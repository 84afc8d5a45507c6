"""Promises about ids that are shortened.

In      StorePlace: one database, empty at first
Out     checks that raise AssertionError
Effects those of the store
Spec    007-T1
"""

from __future__ import annotations

from assay.protocols import Changes, PutCall, PutReview
from assay.testing.clock import FrozenClock
from assay.testing.stores.samples import StorePlace, a_call, a_review, an_event

_CALLS = ("abcd-1", "abcd-2", "abcdef0123456789", "ABCD", "ab%d", "ab_d", "zz\\%", "éa", "é", "z")


async def ids_are_found_by_their_beginnings(place: StorePlace) -> None:
    """Character for character, in the order of bytes: no sign stands for another, no case folds."""
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})
        for each in _CALLS:
            writes = (PutCall(row=a_call(each, run)), PutReview(row=a_review(f"r-{each}", run)))
            await store.commit(Changes(run=run, events=(an_event(),), writes=writes))

        async def look_up(start: str, limit: int = 100) -> list[str]:
            return list(await store.ids_beginning("call", start, limit))

        assert await look_up("abcd") == ["abcd-1", "abcd-2", "abcdef0123456789"]
        assert await look_up("abcd-") == ["abcd-1", "abcd-2"]
        assert await look_up("abcd", 2) == ["abcd-1", "abcd-2"]
        assert await look_up("AB") == ["ABCD"]
        assert await look_up("ab%") == ["ab%d"]
        assert await look_up("ab_") == ["ab_d"]
        assert await look_up("zz\\") == ["zz\\%"]
        assert await look_up("%") == await look_up("_") == await look_up("abcd-11") == []
        assert await look_up("é") == ["é", "éa"]
        assert await look_up("") == sorted(_CALLS)
        assert list(await store.ids_beginning("review", "r-abcd-", 9)) == ["r-abcd-1", "r-abcd-2"]
        assert list(await store.ids_beginning("session", "abcd", 9)) == []


async def ids_are_shortened_while_they_differ(place: StorePlace) -> None:
    """As short as leaves each its own, never shorter than wanted, whole where another begins so."""
    ids = ("0123456789", "01234567ab", "01234567abc", "0123456-x", "f" * 32, "f" * 9 + "0" * 23)
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})
        writes = tuple(PutCall(row=a_call(each, run)) for each in ids)
        await store.commit(Changes(run=run, events=(an_event(),), writes=writes))

        assert await store.shorten_ids("call", ids) == {
            "0123456789": "012345678",
            "01234567ab": "01234567ab",
            "01234567abc": "01234567abc",
            "0123456-x": "0123456-",
            "f" * 32: "f" * 10,
            "f" * 9 + "0" * 23: "f" * 9 + "0",
        }
        assert await store.shorten_ids("call", ids[:1], least=4) == {"0123456789": "012345678"}
        assert await store.shorten_ids("call", ids[4:5], least=12) == {"f" * 32: "f" * 12}
        assert await store.shorten_ids("call", []) == {}
