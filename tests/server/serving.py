"""A real `assay serve` in a process of its own, on the loopback, for tests of the service."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from tests.parts import require_part
from tests.processes import read_line, start_python

(httpx2,) = require_part("server", "httpx2")
require_part("server", "fastapi", "uvicorn", "python_multipart")

from assay.runtime.access.keys import make_key  # noqa: E402
from assay.wiring.service import open_keys  # noqa: E402
from tests.runtime.tiny import write_pack  # noqa: E402

T = TypeVar("T")

ROLES = ("viewer", "operator", "reviewer", "approver", "admin")
MASTER_KEY = "7a" * 32


def make_keys(store: str, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """A key of each role, by its role; the person is called as the role."""

    async def make() -> dict[str, str]:
        found = {}
        async with open_keys(store) as (runtime, service):
            for role in ROLES:
                _, found[role] = await make_key(
                    runtime.context, service, name=role, role=role, by="tests"
                )
        return found

    return run_aside(make())


def run_aside(work: Coroutine[Any, Any, T]) -> T:
    """Run *work* on a thread of its own: who drives a browser has a loop running already."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@dataclass
class Serving:
    """A service that runs."""

    address: str
    store: str
    keys: dict[str, str]
    process: Any
    place: Path
    lines: list[str]
    """What it said on standard error so far."""

    clients: list[Any] = field(default_factory=list)

    def as_role(self, role: str | None = "admin") -> Any:
        """A client that speaks as somebody; None is nobody."""
        headers = {} if role is None else {"authorization": f"Bearer {self.keys[role]}"}
        client = httpx2.Client(base_url=self.address, headers=headers, timeout=120)
        self.clients.append(client)
        return client


@contextmanager
def serving(
    place: Path,
    model: str = "extractive",
    *,
    store: str | None = None,
    keys: dict[str, str] | None = None,
    **environ: str,
) -> Iterator[Serving]:
    """`assay serve` on a store in *place*, with the pack `tiny` beside the bundled ones."""
    write_pack(place / "tiny")
    store = store or f"sqlite:///{place}/service.db"
    keys = keys or make_keys(store)
    words = ("serve", "--port", "0", "--store", store, "--model", model, "--json", "--debug")
    surroundings = {
        "ASSAY_SERVE_PACKS": f"{place / 'tiny'} intake services grounded",
        "ASSAY_MASTER_KEY": MASTER_KEY,
        **environ,
    }
    with start_python("-m", "assay.cli.main", *words, cwd=place, environ=surroundings) as process:
        lines: list[str] = []
        # A pipe that nobody reads would hold the service up.
        reading = Thread(target=lambda: lines.extend(iter(process.stderr.readline, "")))
        reading.start()
        address = json.loads(read_line(process))["address"]
        found = Serving(address, store, keys, process, place, lines)
        try:
            yield found
        finally:
            for client in found.clients:
                client.close()
            process.terminate()
            process.wait(timeout=60)
            reading.join()


def error_of(response: Any) -> tuple[int, str]:
    """Status and code of an error, whose shape is the one that is promised."""
    error = response.json()["error"]
    for_openai = response.request.url.path.startswith("/openai/")
    assert {"code", "message", "hint", *(("type", "param") if for_openai else ())} == set(error)
    assert set(response.json()) == {"error"}
    return response.status_code, error["code"]
