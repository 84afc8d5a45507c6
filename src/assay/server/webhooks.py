"""Tell another program of reviews, drift and releases, by signed requests.

In      the record, an address, a secret
Out     one POST for each thing, in the order of the record
Effects requests; a position in the store, so that nothing is left out after a restart
Spec    009-B4; Standard Webhooks 1.0

Of the processes that share a store one sends, and says every few seconds that it does, also while
a receiver keeps it waiting; half a minute after it has died another one goes on. What the receiver
does not take within the tries below is told of in the log, and the next thing is sent. Nothing
here holds a text or the name of an input: ids, codes, and who did it.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

import httpx2

from assay.errors import AssayError
from assay.protocols import ReviewFilter
from assay.record.event import StoredEvent
from assay.server.service import Service

_log = logging.getLogger("assay.server")

KINDS: Final = frozenset(
    {
        "review.opened",
        "review.decided",
        "review.reopened",
        "review.handed_on",
        "review.withdrawn",
        "template.drift",
        "template.promoted",
        "template.canary",
        "template.rolled_back",
        "template.retired",
    }
)
OVERDUE: Final = "review.overdue"
_TOLD: Final = frozenset(
    {"review", "reason", "decision", "reviewer", "by", "to", "role", "name", "version", "percent"}
)
_PAUSES_S: Final = (0.0, 1.0, 5.0, 30.0, 120.0)
_LOOK_S: Final = 2.0
_DEAD_AFTER: Final = timedelta(seconds=30)
"""Who was not seen for so long is taken to be dead, and another process goes on."""

_BEAT_S: Final = 5.0
_BATCH: Final = 100
_TIMEOUT_S: Final = 20.0


def sign(secret: str, message_id: str, at: int, body: bytes) -> str:
    """The signature of a message: `v1,` and the Base64 of its HMAC-SHA256.

    A secret that begins with `whsec_` is Base64 behind that; another is taken as it is.
    """
    text = secret.removeprefix("whsec_")
    key = secret.encode()
    if text != secret:
        with suppress(ValueError):
            key = base64.b64decode(text, validate=True)
    signed = f"{message_id}.{at}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, sha256).digest()).decode()


def message_of(event: StoredEvent) -> dict[str, Any]:
    """What is told of an event."""
    data = {name: value for name, value in event.facts.items() if name in _TOLD}
    told = {**data, "call": event.call, "seq": event.seq}
    return {"type": event.kind, "timestamp": event.at, "data": told}


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhooks:
    """Sends what the record says, from where it was left."""

    service: Service
    url: str
    secret: str

    async def run(self) -> None:
        """Until it is cancelled."""
        try:
            async with httpx2.AsyncClient(timeout=_TIMEOUT_S, follow_redirects=False) as client:
                while True:
                    try:
                        await self._look(client)
                    except AssayError as error:
                        _log.warning("webhooks wait: %s", error.code)
                    await asyncio.sleep(_LOOK_S)
        finally:
            with suppress(AssayError):
                await self.service.kept.stop_following(self.service.runtime.context.owner)

    async def _look(self, client: httpx2.AsyncClient) -> None:
        size = int((await self.service.runtime.store.head())["size"])
        async with self._followed("webhooks", str(size)) as position:
            if position is None:
                return
            await self._send_events(client, int(position))
        async with self._followed("webhooks overdue", "") as after:
            if after is not None:
                await self._send_overdue(client, after)

    @asynccontextmanager
    async def _followed(self, name: str, start: str) -> AsyncIterator[str | None]:
        """The position to go on from, held as long as this goes on; None while another has it."""
        position = await self._follow(name, start)
        holding = asyncio.create_task(self._hold(name, start))
        try:
            yield position
        finally:
            holding.cancel()
            with suppress(asyncio.CancelledError):
                await holding

    async def _hold(self, name: str, start: str) -> None:
        while True:
            await asyncio.sleep(_BEAT_S)
            with suppress(AssayError):
                await self._follow(name, start)

    async def _follow(self, name: str, start: str) -> str | None:
        context = self.service.runtime.context
        now = context.clock.now()
        return await self.service.kept.follow(name, context.owner, now, now - _DEAD_AFTER, start)

    async def _advance(self, name: str, position: str) -> bool:
        context = self.service.runtime.context
        return await self.service.kept.advance(name, context.owner, position, context.clock.now())

    async def _send_events(self, client: httpx2.AsyncClient, first: int) -> None:
        while True:
            events = await self.service.runtime.store.placed_events(first, _BATCH)
            for event in events:
                if event.kind in KINDS:
                    await self.send(client, f"evt_{event.digest[-32:]}", message_of(event))
                first += 1
                if event.kind in KINDS and not await self._advance("webhooks", str(first)):
                    return
            if events and not await self._advance("webhooks", str(first)):
                return
            if len(events) < _BATCH:
                return

    async def _send_overdue(self, client: httpx2.AsyncClient, after: str) -> None:
        service = self.service
        settings = service.settings
        due = service.runtime.context.clock.now() - timedelta(hours=settings.review_due_hours)
        which = ReviewFilter(opened_before=due, after=after or None)
        for row in await service.runtime.store.reviews(which, _BATCH):
            data = {"review": row.id, "reason": row.reason, "call": row.call}
            opened = row.opened_at.isoformat()
            message = {"type": OVERDUE, "timestamp": opened, "data": data}
            await self.send(client, f"due_{row.id}", message)
            if not await self._advance("webhooks overdue", row.id):
                return

    async def send(
        self, client: httpx2.AsyncClient, message_id: str, message: Mapping[str, Any]
    ) -> bool:
        """Send one message, several times where it must be; whether it was taken."""
        body = json.dumps(message).encode()
        for pause in _PAUSES_S:
            await asyncio.sleep(pause)
            at = int(self.service.runtime.context.clock.now().timestamp())
            headers = {
                "content-type": "application/json",
                "webhook-id": message_id,
                "webhook-timestamp": str(at),
                "webhook-signature": sign(self.secret, message_id, at, body),
            }
            try:
                response = await client.post(self.url, content=body, headers=headers)
            except httpx2.HTTPError as error:
                _log.warning("webhook %s: %s", message["type"], type(error).__name__)
                continue
            if response.status_code < 300:
                return True
            _log.warning("webhook %s: status %d", message["type"], response.status_code)
            if response.status_code == 410:
                break
        _log.error("webhook %s was not taken: %s", message["type"], message_id)
        return False
