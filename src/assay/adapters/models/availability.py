"""Can a provider be asked here, and what does its server offer?

In      how a provider opens a model; settings
Out     Availability; names of models
Effects imports the provider's package; `fetch_names` asks its server
Spec    007-P1

A provider is looked at by opening a model of it, as a run would: there is no second judgement of
keys, addresses and packages that could say something else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any, Final, TypeVar

from assay.adapters.models.http_client import connection_fault
from assay.errors import AssayError, ModelUnavailableError, NotFoundError
from assay.protocols import Availability, Model

REACH_S: Final = 5.0
"""How long a server has for its list of models."""

MOST_NAMES: Final = 500
_NAME_CHARS: Final = 200

T = TypeVar("T")


def look_by_opening(
    open_model: Callable[..., Model], name: str, environ: Mapping[str, str]
) -> Availability:
    """What opening a model called *name* comes to; nothing is sent."""
    try:
        model = open_model(name, environ=environ)
    except AssayError as error:
        return Availability(usable=False, why=error.message, hint=error.hint)
    host = str(model.identity.get("host", ""))
    _wait(model.aclose())
    return Availability(usable=True, why=f"asks {host}; key set, not tried", host=host)


def fetch_names(client: Any, sdk: ModuleType, host: str) -> list[str]:
    """The names of the models that a server lists, through the client of its SDK, which is closed.

    Raises:
        ModelUnavailableError: it cannot be reached, or refuses the key.
        NotFoundError: it has no such list; it may answer prompts all the same.
    """
    return _wait(_fetch(client, sdk, host))


async def _fetch(client: Any, sdk: ModuleType, host: str) -> list[str]:
    names: list[str] = []
    try:
        async with asyncio.timeout(REACH_S):
            async for one in client.with_options(timeout=REACH_S, max_retries=0).models.list():
                name = getattr(one, "id", None)
                if isinstance(name, str):
                    names.append(name[:_NAME_CHARS])
                if len(names) >= MOST_NAMES:
                    break
    except (TimeoutError, sdk.APITimeoutError) as error:
        raise ModelUnavailableError(
            f"{host} does not answer within {REACH_S:g} s", hint="check the address and the proxy"
        ) from error
    except sdk.APIConnectionError as error:
        told = connection_fault(error, host)
        raise ModelUnavailableError(
            f"{host} cannot be reached", hint=told.hint or "check the address and the proxy"
        ) from error
    except sdk.APIStatusError as error:
        status = error.status_code
        if status in (401, 403):
            raise ModelUnavailableError(
                f"{host} refuses the key ({status})", hint="check the key"
            ) from error
        if status in (404, 405, 501):
            raise NotFoundError(f"asks {host}; it has no list of models") from error
        raise ModelUnavailableError(f"{host} answers {status}", hint="try again later") from error
    finally:
        await client.close()
    return sorted(names)


def _wait(work: Coroutine[Any, Any, T]) -> T:
    """In a loop of its own, whether or not one runs here."""
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(asyncio.run, work).result()
