"""Every promise of a store, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio

import pytest

from assay.testing.stores import STORE_CHECKS, StoreCheck, StorePlace


@pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: str(check.__name__))
def test_the_store_keeps_its_promise(check: StoreCheck, place: StorePlace) -> None:
    """The conformance suite that any store must pass."""
    asyncio.run(check(place))
