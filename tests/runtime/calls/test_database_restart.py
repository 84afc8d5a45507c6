"""PostgreSQL goes down in the middle of a call: told as 40, nothing lost, taken up again."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.errors import StoreUnavailableError
from assay.protocols import ModelReply, ModelRequest
from assay.runtime.runtime import Runtime
from assay.wiring import aopen
from tests import postgres
from tests.runtime.tiny import GOOD, TEXT, script, tiny_pack

ROUNDS = 10 if os.environ.get("ASSAY_CHAOS") else 1


@pytest.fixture
def server() -> Iterator[postgres.Server]:
    """A server that may be stopped."""
    try:
        with postgres.running(own=True) as own:
            yield own
    except postgres.NoServer as reason:
        reason.end_test()


class Pulling:
    """A model during whose exchange something happens to the database."""

    name = "scripted:pulling"
    needs_plan = False
    identity: Mapping[str, Any] = {"kind": "pulling"}

    def __init__(self, happen: Any) -> None:
        self.happen = happen
        self.asked = 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.asked += 1
        await asyncio.to_thread(self.happen)
        return ModelReply(text=GOOD, finish_reason="stop")

    async def aclose(self) -> None:
        return None


async def ask(url: str, folder: Path, model: Pulling, text: bytes) -> list:
    async with aopen(url, script(folder), environ={}) as runtime:
        with_model = Runtime(context=replace(runtime.context, model=model))
        return [each async for each in with_model.run(tiny_pack(), [text])]


@pytest.mark.chaos
def test_a_database_that_stops_during_an_exchange(server: postgres.Server, tmp_path: Path) -> None:
    """The outcome cannot be recorded: exit 40. The next run takes the open call up and ends it."""
    with server.database() as url:
        for number in range(ROUNDS):
            text = TEXT + f" Case {number}.".encode()
            stopping = Pulling(server.stop)
            with pytest.raises(StoreUnavailableError) as told:
                asyncio.run(ask(url, tmp_path, stopping, text))
            assert 40 == told.value.exit_code
            server.start()
            calm = Pulling(lambda: None)
            (outcome,) = asyncio.run(ask(url, tmp_path, calm, text))
            assert ("accepted", 1) == (outcome.outcome.status, calm.asked)
            asyncio.run(look(url, tmp_path, outcome.calls[0].call))


@pytest.mark.chaos
def test_a_database_that_restarts_during_an_exchange(
    server: postgres.Server, tmp_path: Path
) -> None:
    """Back before the outcome is written: either it is recorded, or the run says 40; never half."""
    with server.database() as url:
        for number in range(ROUNDS):
            text = TEXT + f" Case {number}.".encode()
            try:
                outcomes = asyncio.run(ask(url, tmp_path, Pulling(server.restart), text))
            except StoreUnavailableError:  # exit code 40
                outcomes = asyncio.run(ask(url, tmp_path, Pulling(lambda: None), text))
            (outcome,) = outcomes
            assert "accepted" == outcome.outcome.status
            asyncio.run(look(url, tmp_path, outcome.calls[0].call))


async def look(url: str, folder: Path, call: str) -> None:
    """The record verifies; the call was opened once, its prompt built once, settled once."""
    async with aopen(url, script(folder), environ={}) as runtime:
        assert "unanchored" == (await runtime.verify()).status
        events = runtime.store.events(call=call)
        # Whether the call had to be taken up again depends on when the database went.
        kinds = [event.kind async for event in events if event.kind != "call.resumed"]
        assert [
            "call.opened",
            "prompt.built",
            "model.answered",
            "output.judged",
            "call.settled",
        ] == kinds
