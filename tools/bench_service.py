"""How many requests a second the service answers, beside a bare FastAPI echo in the same run.

    python tools/bench_service.py [--seconds S] [--connections N,…]

In      nothing: a service and an echo are started here, each in a process of its own, on loopback
Out     a table on standard output: requests a second, p50 and p99 in milliseconds, and the ratio
        of the requests a second to those of the echo
Pure    no: reads a clock, starts processes

`/v1/gate` judges a reply against the mail that it quotes, `/v1/render` fills a template,
`/v1/runs` brings a fresh input to its recorded outcome with a scripted model; the echo parses a
body of the same size with a model of pydantic and returns it. Rows take turns, so that a busy
machine slows all of them alike. The client is one process and takes its own share of the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import httpx2

from assay.runtime.access.keys import make_key
from assay.wiring.service import open_keys

ECHO = """
import sys, uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
class Body(BaseModel):
    contract: str
    output: str
    sources: dict[str, str]
app = FastAPI()
@app.post("/echo")
async def echo(body: Body) -> Body:
    return body
uvicorn.run(app, port=int(sys.argv[1]), log_level="error")
"""
MAIL = "Ein Rohr ist geplatzt, die Küche steht unter Wasser. Bitte schicken Sie jemanden. " * 12
REPLY = json.dumps({"label": "water", "evidence_snippets": ["die Küche steht unter Wasser"]})
ROUNDS = 2


@dataclass
class Row:
    """One address under one number of connections."""

    name: str
    base: str
    path: str
    body: Callable[[], bytes]
    headers: dict[str, str]
    seconds: float = 0.0
    took_ms: list[float] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        return len(self.took_ms) / self.seconds

    def quantile(self, share: float) -> float:
        ordered = sorted(self.took_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def press(row: Row, connections: int, seconds: float) -> None:
    """Ask as fast as answers come, over so many connections."""
    limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)
    async with httpx2.AsyncClient(base_url=row.base, limits=limits, timeout=120) as client:
        end = time.perf_counter() + seconds

        async def ask() -> None:
            while time.perf_counter() < end:
                start = time.perf_counter()
                answer = await client.post(row.path, content=row.body(), headers=row.headers)
                assert answer.status_code == 200, answer.text[:300]
                row.took_ms.append(1_000 * (time.perf_counter() - start))

        start = time.perf_counter()
        await asyncio.gather(*(ask() for _ in range(connections)))
        row.seconds += time.perf_counter() - start


@contextmanager
def running(*words: str, cwd: Path, environ: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A Python program in a process of its own."""
    import os

    with subprocess.Popen(
        [sys.executable, *words],
        cwd=cwd,
        env={**os.environ, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.wait(60)


def write_pack(place: Path) -> None:
    """A contract of one call: a label and a quote."""
    from tests.runtime.tiny import write_pack as write_tiny

    write_tiny(place / "tiny")


async def key_for(store: str) -> str:
    """An access key that no quota holds up."""
    async with open_keys(store) as (runtime, service):
        _, secret = await make_key(
            runtime.context, service, name="bench", role="admin", by="bench", per_minute=1_000_000
        )
    return secret


def wait_for(address: str) -> None:
    """Until something answers there."""
    for _ in range(200):
        try:
            httpx2.get(address, timeout=1)
        except httpx2.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit(f"nothing answers at {address}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--connections", default="1,16,128")
    given = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_pack(place)
        line = json.dumps({"text": REPLY, "finish_reason": "stop"}) + "\n"
        (place / "replies.jsonl").write_text(line * 200_000)
        store = f"sqlite:///{place}/bench.db"
        headers = {
            "authorization": f"Bearer {asyncio.run(key_for(store))}",
            "content-type": "application/json",
        }
        words = ["-m", "assay.cli.main", "serve", "--port", "0", "--store", store, "--json"]
        words += ["--model", f"scripted:{place}/replies.jsonl"]
        environ = {"ASSAY_SERVE_PACKS": f"{place}/tiny", "ASSAY_CONFIG": ""}
        environ |= {"ASSAY_SERVE_AT_ONCE": "128", "ASSAY_SERVE_PER_MINUTE": "1000000"}
        echo_port = "8399"
        (place / "echo.py").write_text(ECHO)
        with (
            running(*words, cwd=place, environ=environ) as process,
            running("echo.py", echo_port, cwd=place, environ={}),
        ):
            assert process.stdout is not None
            base = json.loads(process.stdout.readline())["address"]
            echo = f"http://127.0.0.1:{echo_port}"
            wait_for(f"{echo}/openapi.json")
            for connections in map(int, given.connections.split(",")):
                tell_rows(measure(base, echo, headers, connections, given.seconds), connections)
    return 0


def measure(
    base: str, echo: str, headers: dict[str, str], connections: int, seconds: float
) -> list[Row]:
    """The rows under so many connections, in turns."""
    gate = json.dumps(
        {"contract": "tiny/triage", "output": REPLY, "sources": {"text": MAIL}}
    ).encode()
    template = json.dumps(
        {"body": "Dear {{name}}, {{text}}", "variables": {"name": "A", "text": MAIL}}
    )
    numbers = count()

    def fresh_run() -> bytes:
        text = f"{MAIL} {connections} {next(numbers)} {time.time_ns()}"
        return json.dumps({"pack": "tiny", "inputs": [{"name": "a", "text": text}]}).encode()

    plain = {"content-type": "application/json"}
    rows = [
        Row("echo (FastAPI)", echo, "/echo", lambda: gate, plain),
        Row("/v1/gate", base, "/v1/gate", lambda: gate, headers),
        Row("/v1/render", base, "/v1/render", lambda: template, headers),
        Row("/v1/runs", base, "/v1/runs", fresh_run, headers),
    ]
    for _ in range(ROUNDS):
        for row in rows:
            asyncio.run(press(row, connections, seconds / ROUNDS))
    return rows


def tell_rows(rows: list[Row], connections: int) -> None:
    """One table."""
    print(f"\n{connections} connections")
    print(f"{'':16} {'a second':>9} {'p50 ms':>8} {'p99 ms':>8} {'of echo':>8}")
    echo = rows[0].per_second
    for row in rows:
        print(
            f"{row.name:16} {row.per_second:9.0f} {row.quantile(0.5):8.1f} "
            f"{row.quantile(0.99):8.1f} {row.per_second / echo:8.2f}"
        )


if __name__ == "__main__":
    sys.exit(main())
