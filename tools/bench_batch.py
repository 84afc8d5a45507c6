"""A batch over a network: calls a second at many in flight, beside the bare SDK and Instructor.

A server of its own process on the loopback answers each chat completion after 50 ms. All send the
same 2,000 prompts, those of `classify` of the intake pack:

- the bare `openai` SDK is handed each prompt ready and parses the answer into the SDK's own model;
- Instructor, where it is installed, is handed each prompt ready, adds the schema, and validates the
  answer against a model of the same fields;
- assay is handed the bytes of a mail: it reads it, builds the prompt and its redacted view, commits
  both before it sends prompt and schema, judges the reply with its evidence, and commits that.

Then 200 mails by assay, 1 and 16 in flight.
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

from assay.contract.contract_job import ContractJob
from assay.contract.material import Built
from assay.redaction.redactor import Redactor
from assay.runtime.calls.context import Item
from assay.runtime.calls.inputs import read_item
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


async def at_once(work: Callable[[str], Awaitable[object]], inputs: Iterable[str]) -> None:
    """*work* on all *inputs*, as many in flight as everybody has here."""
    places = asyncio.Semaphore(IN_FLIGHT)

    async def one(given: str) -> None:
        async with places:
            await work(given)

    await asyncio.gather(*(one(given) for given in inputs))


def prompts_of(mails: Iterable[bytes]) -> list[str]:
    """What assay sends about each mail."""
    contract, redactor = load_pack("intake").contract("classify"), Redactor()
    prompts = []
    for number, given in enumerate(mails):
        item = read_item(f"{number}.eml", given, "mail", redactor)
        assert isinstance(item, Item), item
        job = ContractJob(contract=contract, material=item.material, redactor=redactor)
        built = job.build(1, ())
        assert isinstance(built, Built), built
        prompts.append(built.prompt.text)
    return prompts


async def bare(url: str, prompts: list[str]) -> Measured:
    """Calls a second of the SDK alone."""
    import openai

    async with openai.AsyncOpenAI(api_key="none", base_url=url, max_retries=0) as client:

        async def ask(prompt: str) -> None:
            await client.chat.completions.create(
                model="bench", messages=[{"role": "user", "content": prompt}]
            )

        await at_once(ask, prompts[:IN_FLIGHT])
        with Measured(len(prompts)) as measured:
            await at_once(ask, prompts)
        return measured


async def instructor_rate(url: str, prompts: list[str]) -> Measured | None:
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

        async def ask(prompt: str) -> None:
            await asking.chat.completions.create(
                model="bench",
                response_model=Classification,
                messages=[{"role": "user", "content": prompt}],
            )

        await at_once(ask, prompts[:IN_FLIGHT])
        with Measured(len(prompts)) as measured:
            await at_once(ask, prompts)
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
    prompts = prompts_of(mails)
    with tempfile.TemporaryDirectory() as name:
        async with serving() as url:
            sdk = await bare(url, prompts)
            print(f"bare SDK, no record:    {sdk}")
            peer = await instructor_rate(url, prompts)
            said = "not installed: pip install instructor" if peer is None else str(peer)
            print(f"Instructor, no record:  {said}")
            rate = await ours(url, mails, Path(name), IN_FLIGHT)
            print(f"assay, gate and record: {rate}")
            for name_of, other in (("the bare SDK", sdk), ("Instructor", peer)):
                if other is not None:
                    print(
                        f"ratio to {name_of}: {rate.rate / other.rate:.2f} of its calls/s, "
                        f"{rate.cpu_ms / other.cpu_ms:.1f} times its processor"
                    )
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
