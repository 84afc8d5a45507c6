"""A batch over a network: calls a second at many in flight, beside the bare SDK and Instructor.

A server of its own process on the loopback answers each chat completion after 50 ms. The same
2,000 mails go through the bare `openai` SDK, through Instructor where it is installed, and through
`classify` of the intake pack with gate, redaction and durable record. Then 200 mails, 1 and 16 in
flight.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

from bench_call import CLASSIFY, mail

from assay.wiring import aopen, load_pack

LATENCY_S = 0.05
IN_FLIGHT = 64

ANSWER = json.dumps(
    {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "bench",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": CLASSIFY},
            }
        ],
        "usage": {"prompt_tokens": 2500, "completion_tokens": 300, "total_tokens": 2800},
    }
).encode()


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection: every request is read whole and answered after the latency."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    await reader.readexactly(int(line.partition(b":")[2]))
            await asyncio.sleep(LATENCY_S)
            writer.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                b"content-length: %d\r\n\r\n" % len(ANSWER) + ANSWER
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def serve() -> None:
    """The server, until its process is ended; its port is the first line that it says."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "serve", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(await process.stdout.readline())}/v1"
    finally:
        process.kill()
        await process.wait()


class Measured:
    """Calls a second, and the processor's time of this process for each."""

    def __init__(self, calls: int) -> None:
        self._calls = calls

    def __enter__(self) -> Self:
        self._started, self._busy = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.rate = self._calls / (time.perf_counter() - self._started)
        self.cpu_ms = (time.process_time() - self._busy) * 1000 / self._calls

    def __str__(self) -> str:
        return f"{self.rate:6.0f} calls/s, {self.cpu_ms:5.2f} ms of processor a call"


async def at_once(work: Callable[[bytes], Awaitable[object]], inputs: Iterable[bytes]) -> None:
    """*work* on all *inputs*, as many in flight as everybody has here."""
    places = asyncio.Semaphore(IN_FLIGHT)

    async def one(given: bytes) -> None:
        async with places:
            await work(given)

    await asyncio.gather(*(one(given) for given in inputs))


async def bare(url: str, mails: list[bytes]) -> Measured:
    """Calls a second of the SDK alone."""
    import openai

    async with openai.AsyncOpenAI(api_key="none", base_url=url, max_retries=0) as client:

        async def ask(given: bytes) -> None:
            await client.chat.completions.create(
                model="bench", messages=[{"role": "user", "content": given.decode()}]
            )

        await at_once(ask, mails[:IN_FLIGHT])
        with Measured(len(mails)) as measured:
            await at_once(ask, mails)
        return measured


async def instructor_rate(url: str, mails: list[bytes]) -> Measured | None:
    """Calls a second of Instructor on the same answers; None where it is not installed."""
    try:
        import instructor
    except ImportError:
        return None
    import openai
    from pydantic import BaseModel

    class Labelled(BaseModel):
        label: str
        confidence: float
        evidence_snippets: list[str]

    class Classification(BaseModel):
        intents: list[Labelled]
        primary_intent: str
        product_line: Labelled
        urgency: Labelled
        risk_flags: list[Labelled]

    async with openai.AsyncOpenAI(api_key="none", base_url=url, max_retries=0) as client:
        asking = instructor.from_openai(client, mode=instructor.Mode.JSON)

        async def ask(given: bytes) -> None:
            await asking.chat.completions.create(
                model="bench",
                response_model=Classification,
                messages=[{"role": "user", "content": given.decode()}],
            )

        await at_once(ask, mails[:IN_FLIGHT])
        with Measured(len(mails)) as measured:
            await at_once(ask, mails)
        return measured


async def ours(url: str, mails: list[bytes], folder: Path, parallel: int) -> Measured:
    """Calls a second of a whole run: read, redacted, recorded, asked, judged, settled."""
    pack = replace(load_pack("intake"), flow=("classify",))
    environ = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": url}
    store = f"sqlite:///{folder / f'{len(mails)}-{parallel}.db'}"
    async with aopen(store, "openai:bench", environ=environ) as runtime:
        async for _ in runtime.run(pack, [mail(-1 - n) for n in range(8)], parallel=parallel):
            pass
        with Measured(len(mails)) as measured:
            async for outcome in runtime.run(pack, mails, parallel=parallel):
                assert outcome.outcome.status == "accepted", outcome.to_dict()
        return measured


async def compare(count: int) -> None:
    mails = [mail(number) for number in range(count)]
    with tempfile.TemporaryDirectory() as name:
        async with serving() as url:
            sdk = await bare(url, mails)
            print(f"bare SDK, no record:    {sdk}")
            peer = await instructor_rate(url, mails)
            said = "not installed: pip install instructor" if peer is None else str(peer)
            print(f"Instructor, no record:  {said}")
            rate = await ours(url, mails, Path(name), IN_FLIGHT)
            print(f"assay, gate and record: {rate}")
            print(f"ratio to the bare SDK: {rate.rate / sdk.rate:.2f}")
            if peer is not None:
                print(f"ratio to Instructor: {rate.rate / peer.rate:.2f}")
            few = mails[: max(1, count // 10)]
            alone = await ours(url, few, Path(name), 1)
            beside = await ours(url, few, Path(name), 16)
            print(f"{len(few)} mails one by one:      {alone}")
            print(f"{len(few)} mails, 16 in flight:   {beside}")
            print(f"ratio: {beside.rate / alone.rate:.1f}")


def main() -> int:
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve())
        return 0
    print(f"{IN_FLIGHT} in flight, a server on the loopback that takes {LATENCY_S * 1000:.0f} ms")
    asyncio.run(compare(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000))
    return 0


if __name__ == "__main__":
    sys.exit(main())
