"""The whole call without its model: build, redact, record, judge, settle, durable commit.

One typical classification: a mail of 8 KB, an output of 2 KB. The peer is Instructor's whole
call (no record at all) where it is installed. Then 10,000 mails in one run: throughput and
peak memory after 1,000 and after all of them.
"""

from __future__ import annotations

import asyncio
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assay.protocols import ModelReply, ModelRequest
from assay.runtime.calls.inputs import read_item
from assay.runtime.calls.run import ItemOutcome
from assay.wiring import aopen, load_pack

SENTENCES = (
    "I would like to report water damage in the kitchen of our flat.",
    "The pipe under the sink burst on 19 January 2026 and the floor is ruined.",
    "My policy number is 77-4410293 and I am at home in the evenings.",
    "Please tell me which papers you need and how long it will take.",
)
ROOMS = ("hall", "bathroom", "cellar", "bedroom", "corridor", "larder", "study", "attic")
DAMAGE = ("is wet to the height of a hand", "smells of mould", "has lost its plaster")
FILLER = [
    f"The {room} {damage}, as the photograph number {number} shows, and our neighbour saw it too."
    for number, (room, damage) in enumerate(
        ((room, damage) for room in ROOMS for damage in DAMAGE), start=1
    )
]
BODY = "\n".join([*SENTENCES, *(FILLER * 5)])[:8000]
QUOTES = list(SENTENCES)


def labelled(label: str, confidence: float) -> dict[str, object]:
    return {"label": label, "confidence": confidence, "evidence_snippets": QUOTES[:2]}


CLASSIFY = json.dumps(
    {
        "intents": [
            labelled("INTENT_CLAIM_NEW", 0.91),
            labelled("INTENT_DOCUMENT_SUBMISSION", 0.71),
            labelled("INTENT_COVERAGE_QUESTION", 0.61),
        ],
        "primary_intent": "INTENT_CLAIM_NEW",
        "product_line": labelled("PROD_HOME", 0.88),
        "urgency": labelled("URG_NORMAL", 0.77),
        "risk_flags": [labelled("RISK_PRIVACY_SENSITIVE", 0.8)],
    }
)
EXTRACT = json.dumps({"entities": []})
IDENTIFY = json.dumps({"keys": []})


class Instant:
    """Answers at once with what is asked for."""

    name = "instant:bench"
    identity = {"kind": "bench"}  # noqa: RUF012
    needs_plan = False

    async def complete(self, request: ModelRequest) -> ModelReply:
        text = EXTRACT if "entities" in request.prompt[:600] else CLASSIFY
        return ModelReply(text=text, finish_reason="stop")

    async def aclose(self) -> None:
        return None


def mail(number: int) -> bytes:
    return (
        f"From: sender{number}@example.org\nSubject: Water damage {number}\n"
        f"Content-Type: text/plain; charset=utf-8\n\n{number}. {BODY}\n"
    ).encode()


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def single(folder: Path, rounds: int) -> list[float]:
    """Milliseconds of each whole classification call."""
    pack = load_pack("intake")
    only = replace(pack, flow=("classify",))
    took = []
    async with aopen(f"sqlite:///{folder / 'single.db'}", "none", environ={}) as runtime:
        context = replace(runtime.context, model=Instant())
        # Reading the mail is no part of the call.
        items = [read_item(f"{n}.eml", mail(n), "mail", context.redactor) for n in range(rounds)]
        outcomes = type(runtime)(context=context).run(only, items)
        started = time.perf_counter()
        async for outcome in outcomes:
            took.append((time.perf_counter() - started) * 1000)
            assert outcome.outcome.status == "accepted", outcome.to_dict()
            started = time.perf_counter()
    return took


def many(folder: Path, count: int) -> None:
    """One scripted run over *count* mails through all three contracts."""
    script = folder / "script.jsonl"
    with script.open("w", encoding="utf-8") as file:
        for _ in range(count):
            for text in (CLASSIFY, EXTRACT, IDENTIFY):
                file.write(json.dumps({"text": text, "finish_reason": "stop"}) + "\n")

    async def go() -> None:
        pack = load_pack("intake")
        early = 0.0
        async with aopen(f"sqlite:///{folder / 'many.db'}", f"scripted:{script}") as runtime:
            started = time.perf_counter()
            done = 0
            outcomes: Iterator[ItemOutcome] = runtime.run(pack, (mail(n) for n in range(count)))
            async for _ in outcomes:
                done += 1
                if done == count // 10:
                    early = peak_mib()
            seconds = time.perf_counter() - started
        size = (folder / "many.db").stat().st_size / 1024 / 1024
        print(f"{count} mails, 3 calls each, one run: {count / seconds:.0f} mails/s")
        print(f"peak memory: {early:.0f} MiB after a tenth, {peak_mib():.0f} MiB at the end")
        print(f"store: {size:.0f} MiB, {size * 1024 / count:.1f} KiB a mail")

    asyncio.run(go())


def instructor_ms(rounds: int) -> list[float] | None:
    """Milliseconds of Instructor's whole call on the same output, over a stub transport."""
    try:
        import httpx
        import instructor
        import openai
        from pydantic import BaseModel
    except ImportError:
        return None

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

    answer = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": CLASSIFY},
            }
        ],
    }
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=answer))
    client = openai.OpenAI(
        api_key="none", http_client=httpx.Client(transport=transport), base_url="http://stub/v1"
    )
    asking = instructor.from_openai(client, mode=instructor.Mode.JSON)
    took = []
    for number in range(rounds):
        started = time.perf_counter()
        asking.chat.completions.create(
            model="stub",
            response_model=Classification,
            messages=[{"role": "user", "content": f"{number} {BODY}"}],
        )
        took.append((time.perf_counter() - started) * 1000)
    return took


def row(name: str, took: list[float]) -> None:
    quantiles = statistics.quantiles(took[len(took) // 10 :], n=100)
    print(f"{name:<44} p50 {quantiles[49]:7.2f} ms   p99 {quantiles[98]:7.2f} ms")


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours = asyncio.run(single(folder, 600))
        row("assay: whole call, recorded, committed", ours)
        theirs = instructor_ms(600)
        if theirs is None:
            print("Instructor is not installed: pip install instructor")
        else:
            row("Instructor: whole call, no record", theirs)
            print(f"ratio of medians: {statistics.median(ours) / statistics.median(theirs):.2f}")
        many(folder, count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
