"""One request goes ahead of the others until a server has taken one."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.anthropic import AnthropicModel
from assay.adapters.models.first_requests import FirstRequests
from assay.adapters.models.openai import OpenAIModel
from assay.protocols import ModelRequest, Parameters
from tests.loopback import Handler, answer, anthropic_text, openai_text, serving

pytestmark = pytest.mark.clause("006-M2")

REFUSAL = {"error": {"message": "temperature is not supported", "param": "temperature"}}


def choosy(good):
    """A server that takes no temperature, and answers everything else."""

    def play(handler: Handler) -> None:
        (answer(400, REFUSAL) if "temperature" in handler.asked.body else good)(handler)

    return play


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_of_many_in_flight_one_is_refused(provider):
    """All ask at once with a temperature; one refusal is enough for all of them."""
    opened = OpenAIModel if provider == "openai" else AnthropicModel
    good = openai_text("{}") if provider == "openai" else anthropic_text("{}")

    async def go(url: str) -> None:
        kind = provider.upper()
        environ = {f"{kind}_API_KEY": "none", f"{kind}_BASE_URL": url}
        model = opened.create("tiny", environ=environ)
        parameters = Parameters(temperature=0.0, max_output_tokens=10)
        requests = (
            ModelRequest(prompt=f"{n}?", prompt_sha256="0", parameters=parameters)
            for n in range(16)
        )
        replies = await asyncio.gather(*map(model.complete, requests))
        await model.aclose()
        assert [reply.text for reply in replies] == ["{}"] * 16

    with serving(choosy(good)) as server:
        asyncio.run(go(f"{server.url}/v1" if provider == "openai" else server.url))

    assert sum("temperature" in seen.body for seen in server.seen) == 1
    assert len(server.seen) == 17


@given(ends=st.lists(st.sampled_from(["through", "failed"]), min_size=1, max_size=12))
def test_one_goes_ahead_until_one_has_gone_through(ends):
    """A failure hands the lead to the next; after a success nobody waits; nobody is left behind."""

    async def go() -> tuple[list[int], list[str]]:
        first, under_way, seen, done = FirstRequests(), 0, [], []

        async def ask(end: str) -> None:
            nonlocal under_way
            async with first.turn("a") as went_through:
                under_way += 1
                if "through" not in done:
                    seen.append(under_way)
                await asyncio.sleep(0)
                if end == "through":
                    went_through()
                    done.append(end)
                    await asyncio.sleep(0)
                under_way -= 1
                if end == "failed":
                    done.append(end)
                    raise ConnectionError

        await asyncio.gather(*(ask(end) for end in ends), return_exceptions=True)
        return seen, done

    seen, done = asyncio.run(go())
    assert set(seen) == {1}
    assert sorted(done) == sorted(ends)


def test_a_slow_request_ahead_holds_nobody_for_long():
    """When patience ends the others go, although nothing has gone through."""

    async def go() -> list[str]:
        first, order = FirstRequests(patience_s=0.01), []
        over = asyncio.Event()

        async def slow() -> None:
            async with first.turn("a"):
                await over.wait()
                order.append("slow")

        async def other() -> None:
            async with first.turn("a"):
                order.append("other")

        ahead = asyncio.create_task(slow())
        await asyncio.sleep(0)
        await asyncio.gather(other(), other())
        over.set()
        await ahead
        return order

    assert asyncio.run(go()) == ["other", "other", "slow"]


def test_requests_of_another_kind_go_their_own_way():
    """Another schema may be refused for reasons of its own."""

    async def go() -> None:
        first = FirstRequests(patience_s=60)
        async with first.turn("a"), asyncio.timeout(30), first.turn("b"):
            pass

    asyncio.run(go())
