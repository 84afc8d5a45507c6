"""Mixed traffic of many clients on several processes, and what was acknowledged to them."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from tests.loopback import Handler, openai_text
from tests.runtime.tiny import GOOD, UNKNOWN_LABEL

PAUSE_S = 0.3
COME_AGAIN = frozenset({409, 429, 503, 504})
"""Statuses that ask for the same request again."""

DOUBTFUL = "Please look twice."
"""What the model below has no right reply to."""


def play_model(handler: Handler) -> None:
    """A model that answers rightly but for texts that are marked as doubtful."""
    doubtful = DOUBTFUL in json.dumps(handler.asked.body)
    openai_text(UNKNOWN_LABEL if doubtful else GOOD)(handler)


@dataclass
class Traffic:
    """Clients that ask one thing after the other, wherever somebody listens."""

    addresses: list[str]
    """Where processes of the service listen; may change meanwhile."""

    key: str
    outcomes: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What was acknowledged of each input, by its text."""

    decided: dict[str, str] = field(default_factory=dict)
    """The status that was acknowledged of each review, by its id."""

    seen: Counter[str] = field(default_factory=Counter)
    """How many requests were answered, by kind."""

    refused: Counter[int] = field(default_factory=Counter)
    """How often somebody was told to come again, by status; 0 is a lost connection."""

    async def press(self, clients: int, goes_on: Callable[[int], bool]) -> None:
        """So many clients at once, each for as long as *goes_on* says of its number of turns."""
        headers = {"authorization": f"Bearer {self.key}"}
        limits = httpx2.Limits(max_connections=clients, max_keepalive_connections=clients)
        async with httpx2.AsyncClient(headers=headers, timeout=180, limits=limits) as client:

            async def work(who: int) -> None:
                turn = 0
                while goes_on(turn):
                    await self._take_turn(client, who, turn)
                    turn += 1

            async with asyncio.TaskGroup() as group:
                for who in range(clients):
                    group.create_task(work(who))

    async def _take_turn(self, client: httpx2.AsyncClient, who: int, turn: int) -> None:
        text = f"There is water in the cellar. Client {who}, turn {turn}."
        match turn % 5:
            case 0 | 1:
                await self._run(client, who, text)
            case 2:
                outcome = await self._run(client, who, f"{text} {DOUBTFUL}")
                review = await self._find_review(client, who, outcome["calls"][0])
                await self._decide(client, who, review, accept=bool(who % 2))
            case 3:
                body = {"contract": "tiny/triage", "output": GOOD, "sources": {"text": text}}
                answer = await self._ask(client, who, "POST", "/v1/gate", body)
                assert answer["verdict"] == "accepted", answer
            case _:
                listed = await self._ask(client, who, "GET", "/v1/calls?limit=20")
                assert len(listed["calls"]) <= 20
                await self._ask(client, who, "GET", "/v1/reviews?limit=20")

    async def _run(self, client: httpx2.AsyncClient, who: int, text: str) -> dict[str, Any]:
        body = {"pack": "tiny", "inputs": [{"name": "mail.txt", "text": text}]}
        answer = await self._ask(client, who, "POST", "/v1/runs", body, key=text)
        assert text not in self.outcomes
        self.outcomes[text] = answer["outcomes"][0]
        return answer["outcomes"][0]

    async def _find_review(self, client: httpx2.AsyncClient, who: int, call: str) -> str:
        """The review that waits for *call*."""
        events = (await self._ask(client, who, "GET", f"/v1/calls/{call}"))["events"]
        (opened,) = (each for each in events if each["kind"] == "review.opened")
        return str(opened["facts"]["review"])

    async def _decide(
        self, client: httpx2.AsyncClient, who: int, review: str, *, accept: bool
    ) -> None:
        body = {"accept": accept, "reason": "looked twice"} | ({"output": GOOD} if accept else {})
        address = f"/v1/reviews/{review}/decision"
        answer = await self._ask(client, who, "POST", address, body, key=f"decide {review}")
        assert review not in self.decided
        self.decided[review] = answer["review"]["status"]

    async def _ask(
        self,
        client: httpx2.AsyncClient,
        who: int,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
    ) -> Any:
        """The same again until it is answered."""
        headers = {} if key is None else {"idempotency-key": key}
        for turn in range(2_000):
            address = self.addresses[(who + turn) % len(self.addresses)]
            try:
                answer = await client.request(method, address + path, json=body, headers=headers)
            except httpx2.TransportError:
                self.refused[0] += 1
                await asyncio.sleep(PAUSE_S)
                continue
            if answer.status_code == 200:
                kind = path.partition("?")[0].split("/")[2]
                self.seen[f"{method} {kind}"] += 1
                return answer.json()
            assert answer.status_code in COME_AGAIN, f"{answer.status_code} {answer.text}"
            self.refused[answer.status_code] += 1
            await asyncio.sleep(PAUSE_S)
        raise AssertionError("nobody answered")


def memory_of(process: int) -> float:
    """What *process* holds in memory, in MB."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1_024
    raise AssertionError("the process has ended")
