"""Send requests to a service, and read what it says as typed answers.

In      the address of a service, an access key, requests
Out     answers; `ServiceError` with the service's own code
Effects HTTP
Spec    009-H6

What has a model asked goes out under an idempotency key and is sent again, unchanged, when the
connection is lost or the service says when to come again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Self, TypeVar
from uuid import uuid4

import httpx2

from assay.client.answers import Answer
from assay.client.requests import Request
from assay.errors import AssayError, ExecutionError

T = TypeVar("T", bound=Answer)

_AGAIN: Final = frozenset({408, 429, 503, 504})
_LONGEST_WAIT_S: Final = 60.0


class ServiceError(AssayError):
    """The service answered with an error; `code` and `status` are its own."""

    def __init__(self, status: int, code: str, message: str, hint: str) -> None:
        super().__init__(message, hint=hint)
        self.code = code  # type: ignore[misc]
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """How one request is sent, and what becomes of what comes back."""

    request: httpx2.Request
    repeatable: bool

    def read(self, response: httpx2.Response, answer: type[T]) -> T:
        """The typed answer. Raises ServiceError."""
        if response.status_code < 400:
            return answer.model_validate_json(response.content)
        try:
            error = response.json()["error"]
            told = (str(error["code"]), str(error["message"]), str(error["hint"]))
        except (ValueError, KeyError, TypeError):
            told = ("unknown", f"status {response.status_code}", "is this an assay service?")
        raise ServiceError(response.status_code, *told)

    def pause_s(self, response: httpx2.Response | None, tries: int, most: int) -> float | None:
        """How long to wait before it is sent again; None: it is not."""
        if tries >= most or not self.repeatable:
            return None
        if response is None:
            return min(0.2 * 2.0**tries, 5.0)
        if response.status_code not in _AGAIN:
            return None
        told = str(response.headers.get("retry-after", ""))
        return min(float(told) if told.isdigit() else 1.0, _LONGEST_WAIT_S)


def _plan(client: httpx2.Client | httpx2.AsyncClient, asked: Request[Any]) -> _Plan:
    headers = {"idempotency-key": uuid4().hex} if asked.once else {}
    content = None
    if asked.body is not None:
        headers["content-type"] = "application/json"
        content = asked.body.model_dump_json(exclude_unset=True)
    request = client.build_request(
        asked.method, asked.path, params=dict(asked.query), headers=headers, content=content
    )
    return _Plan(request=request, repeatable=asked.once or asked.method == "GET")


def _gone(error: Exception) -> ExecutionError:
    return ExecutionError(
        f"the service cannot be reached ({type(error).__name__})", hint="check its address"
    )


class Client:
    """A service, for programs without an event loop."""

    def __init__(
        self,
        address: str,
        key: str,
        *,
        timeout_s: float = 600.0,
        tries: int = 4,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = httpx2.Client(base_url=address, headers=_headers(key), timeout=timeout_s)
        self._tries = tries
        self._sleep = sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def send(self, asked: Request[T]) -> T:
        """Send a request; the answer.

        Raises:
            ServiceError: the service answered with an error.
            ExecutionError: it cannot be reached.
        """
        plan, tries = _plan(self._client, asked), 0
        while True:
            tries += 1
            response: httpx2.Response | None = None
            gone: Exception | None = None
            try:
                response = self._client.send(plan.request)
            except httpx2.TransportError as error:
                gone = error
            pause = plan.pause_s(response, tries, self._tries)
            if pause is None:
                if response is None:
                    assert gone is not None
                    raise _gone(gone) from gone
                return plan.read(response, asked.answer)
            self._sleep(pause)


class AsyncClient:
    """A service, for programs with an event loop."""

    def __init__(self, address: str, key: str, *, timeout_s: float = 600.0, tries: int = 4) -> None:
        self._client = httpx2.AsyncClient(
            base_url=address, headers=_headers(key), timeout=timeout_s
        )
        self._tries = tries

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def send(self, asked: Request[T]) -> T:
        """As `Client.send`."""
        plan, tries = _plan(self._client, asked), 0
        while True:
            tries += 1
            response: httpx2.Response | None = None
            gone: Exception | None = None
            try:
                response = await self._client.send(plan.request)
            except httpx2.TransportError as error:
                gone = error
            pause = plan.pause_s(response, tries, self._tries)
            if pause is None:
                if response is None:
                    assert gone is not None
                    raise _gone(gone) from gone
                return plan.read(response, asked.answer)
            await asyncio.sleep(pause)


def _headers(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}", "accept": "application/json"}
