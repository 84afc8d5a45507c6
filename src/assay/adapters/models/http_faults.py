"""What went wrong on the wire, in the terms of `ModelFault`.

In      HTTP status, headers and error body of a provider; its connection errors
Out     ModelFault with kind, transience and the wait the server asks for
Pure    yes: the `Date` header of the reply itself is the clock of a dated `Retry-After`
Spec    004 R3 "only retry transient failures"
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import Any

from assay.adapters.models.provider_errors import error_inside, read_error, status_inside
from assay.errors import ModelUnavailableError, UsageError
from assay.protocols import ModelFault, ModelReply

DEADLINE_SETTING = "ASSAY_MODEL_DEADLINE_S"
VARIABLES = {
    DEADLINE_SETTING: "Wall-clock limit of one request of `openai:` and `anthropic:`, in seconds; "
    "default 300.",
}
"""What is read from the environment here, for the page on settings."""

_DEADLINE_S = 300.0


def raise_or_filtered(
    status: int, headers: Mapping[str, str], body: object, *, sent: Mapping[str, Any]
) -> ModelReply:
    """The empty reply of an input that the provider's filter refused; raises for all else.

    Raises:
        ModelFault: what the error answer stands for (`provider_errors.read_error`).
    """
    found = read_error(status, body, wait_s=retry_after_s(headers), sent=sent)
    if isinstance(found, ModelFault):
        raise found
    return ModelReply(
        text="", finish_reason="content_filter", details={"provider_code": found.code}
    )


def refused_inside(
    answer: object, headers: Mapping[str, str], *, sent: Mapping[str, Any]
) -> ModelReply | None:
    """As `raise_or_filtered` for an error object inside a 200; None where there is none."""
    error = error_inside(answer)
    if error is None:
        return None
    return raise_or_filtered(status_inside(error), headers, {"error": error}, sent=sent)


def broken_reply(what: str) -> ModelFault:
    """A 2xx answer that is no reply: a proxy's page, `{}`, an error in disguise."""
    return ModelFault("server", transient=True, hint=f"the server's answer {what}")


def parse_answer(body: bytes) -> dict[str, Any]:
    """The JSON object that an answer, or one event of a stream, is."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise broken_reply("is no JSON") from error
    if not isinstance(answer, dict):
        raise broken_reply("is no object")
    return answer


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks to wait; None when it does not, or not in a form that counts."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * scale
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        now = parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None


@asynccontextmanager
async def deadline(limit_s: float) -> AsyncIterator[None]:
    """A limit on the whole exchange: a server that drips bytes meets it too.

    Raises:
        ModelFault: `timeout`, when the limit is reached.
    """
    try:
        async with asyncio.timeout(limit_s):
            yield
    except TimeoutError as error:
        raise ModelFault("timeout", transient=True) from error


def deadline_setting(environ: Mapping[str, str]) -> float:
    """`ASSAY_MODEL_DEADLINE_S`, 300 by default. Raises UsageError for what is no duration."""
    text = environ.get(DEADLINE_SETTING, "")
    try:
        seconds = float(text) if text else _DEADLINE_S
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds > 0):
        raise UsageError(f"{DEADLINE_SETTING} is no number of seconds", hint="write it like 120")
    return seconds


def missing_sdk(package: str) -> ModelUnavailableError:
    """The provider's package is not installed."""
    return ModelUnavailableError(
        f"the package {package!r} is not installed", hint=f"pip install 'assay[{package}]'"
    )


def missing_key(setting: str, note: str = "") -> ModelUnavailableError:
    """A key is not in the settings; nothing was sent."""
    return ModelUnavailableError(f"auth: {setting} is not set", hint=f"export {setting}=…{note}")


def silence_debug_lines(logger: str) -> None:
    """Keep an SDK's debug lines, which quote whole prompts, out of every log (004 R3)."""
    log = logging.getLogger(logger)
    log.setLevel(max(log.level, logging.INFO))


def token_count(value: object) -> int | None:
    """A token count as reported, or None for what is none; `512.0` is the number 512."""
    if type(value) is float and value.is_integer() and value < 2**53:
        value = int(value)
    return value if type(value) is int and value >= 0 else None
