"""Can a provider be asked here, and what does its server offer?

In      how a provider opens a model; settings; what anybody's provider says of itself
Out     Availability; names of models
Effects imports the provider's package; `fetch_names` asks its server
Spec    007-P1

A provider is looked at by opening a model of it, as a run would: there is no second judgement of
keys, addresses and packages that could say something else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from types import ModuleType
from typing import Any, Final, TypeVar

from assay.adapters.models.http_client import connection_fault
from assay.errors import AssayError, ModelUnavailableError, NotFoundError
from assay.protocols import Availability, Model

REACH_S: Final = 5.0
"""How long a server has for its list of models."""

MOST_NAMES: Final = 500
_NAME_CHARS: Final = 200
_WORDS_CHARS: Final = 400

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
            raise NotFoundError(
                f"asks {host}; it has no list of models",
                hint="where prompts are not answered either, check the path of the address",
            ) from error
        raise ModelUnavailableError(f"{host} answers {status}", hint="try again later") from error
    except (AttributeError, LookupError, TypeError, ValueError) as error:  # HTML; no JSON; 7
        raise ModelUnavailableError(
            f"{host} answers with something that is no list of models",
            hint="check the address; most end in /v1",
        ) from error
    finally:
        await client.close()
    return sorted(names)


def read_availability(said: object) -> Availability:
    """What a provider says of itself, in lines of its own; no word of it is taken on trust."""
    unread = Availability(usable=False, why="says what nobody can read")
    if not isinstance(said, Availability) or not isinstance(said.usable, bool):
        return unread
    words = (said.why, said.hint, said.host)
    if not all(isinstance(word, str) for word in words):
        return unread
    try:
        names = read_names(said.names)
    except TypeError:
        return unread
    why, hint, host = (" ".join(word.split())[:_WORDS_CHARS] for word in words)
    return Availability(usable=said.usable, why=why, hint=hint, host=host, names=names)


def read_names(said: object) -> tuple[str, ...]:
    """Names of models, each once, in their order; so many and so long as can be read.

    Raises:
        TypeError: these are no names.
    """
    if isinstance(said, str) or not isinstance(said, Iterable):
        raise TypeError("no names")
    names = list(islice(said, MOST_NAMES))
    if not all(isinstance(name, str) for name in names):
        raise TypeError("no names")
    return tuple(dict.fromkeys(name[:_NAME_CHARS] for name in names if name.strip()))


def _wait(work: Coroutine[Any, Any, T]) -> T:
    """In a loop of its own, whether or not one runs here."""
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(asyncio.run, work).result()
