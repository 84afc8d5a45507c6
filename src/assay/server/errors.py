"""Every error as the one document that interfaces.md pins.

In      exceptions of the runtime, of FastAPI, of Starlette
Out     `{"error": {"code", "message", "hint"}}` with the status of the error
Spec    interfaces.md, "HTTP"; 009-H2

An exception that nobody raised on purpose is told by its type alone: its text may quote an input.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from assay.client.bodies import FIELDS
from assay.errors import AssayError, ExecutionError, InputError, NotAllowedError, UsageError
from assay.server.said import leave_out_values

_log = logging.getLogger("assay.server")

RETRY_AFTER_S: Final = 5
"""When to come again where nothing better is known."""


class BadRequestError(InputError):
    """The body or a parameter is not what the API says."""

    code = "request.invalid"


class TooLargeError(UsageError):
    """The request is longer than the service takes."""

    code = "request.too_large"
    http_status = 413


class SlowRequestError(UsageError):
    """The request did not arrive in time."""

    code = "request.slow"
    http_status = 408


class SlowAnswerError(ExecutionError):
    """The answer took too long; what was begun goes on."""

    code = "answer.slow"
    http_status = 504


class NotSignedInError(NotAllowedError):
    """Nobody stands behind the request."""

    code = "not_signed_in"
    http_status = 401


class MayNotError(NotAllowedError):
    """Whoever asks has no permission for this."""

    code = "may_not"
    http_status = 403


class TooManyError(UsageError):
    """More requests than the caller's quota, or than there is room for."""

    code = "too_many"
    http_status = 429

    def __init__(self, message: str, *, hint: str = "", after_s: float = RETRY_AFTER_S) -> None:
        super().__init__(message, hint=hint)
        self.after_s = after_s


class IdempotencyError(UsageError):
    """The idempotency key stands for another request, or that request is still being answered."""

    code = "idempotency.conflict"
    http_status = 409


class RefusedError(UsageError):
    """What the framework refuses by itself."""

    def __init__(self, code: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code  # type: ignore[misc]


def error_body(error: AssayError) -> dict[str, Any]:
    """The one shape of every error, without values of the request that it is an answer to."""
    said = error.to_dict()
    return {
        "error": {
            **said,
            "message": leave_out_values(said["message"]),
            "hint": leave_out_values(said["hint"]),
        }
    }


def error_headers(error: AssayError) -> dict[str, str]:
    """What goes out beside an error: when to come again, how to sign in."""
    if isinstance(error, TooManyError):
        return {"retry-after": str(max(1, round(error.after_s)))}
    if error.http_status == 503:
        return {"retry-after": str(RETRY_AFTER_S)}
    if error.http_status == 401:
        return {"www-authenticate": 'Bearer realm="assay"'}
    return {}


def error_response(error: AssayError) -> Response:
    return JSONResponse(
        error_body(error), status_code=error.http_status, headers=error_headers(error)
    )


_OF_STATUS: Final[Mapping[int, tuple[str, str]]] = {
    404: ("not_found", "there is nothing at this address"),
    405: ("method.not_allowed", "this address takes another method"),
    406: ("request.invalid", "no form of the answer that is asked for exists"),
    415: ("request.invalid", "the body is of a kind that is not taken"),
}


def bad_request(error: RequestValidationError) -> BadRequestError:
    """Where the request is wrong, and in which way; never with a value of it."""
    found = _describe_faults([(*fault["loc"],) for fault in error.errors()], error.errors())
    return BadRequestError(found or "the body is no JSON", hint="see /openapi.json")


def _is_unread(request: Request, error: RequestValidationError) -> bool:
    """Whether the body was not read at all, for its content type is not that of JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_json = kind == "application/json" or (kind.startswith("application/") and "+json" in kind)
    whole = any((*fault["loc"],) == ("body",) for fault in error.errors())
    return whole and not is_json and request.headers.get("content-length", "0") != "0"


def bad_arguments(error: ValidationError) -> BadRequestError:
    """The same, of a body that came another way than in a request of HTTP."""
    faults = error.errors(include_url=False, include_input=False)
    found = _describe_faults([("body", *fault["loc"]) for fault in faults], faults)
    return BadRequestError(found, hint="see the input schema")


def _describe_faults(places: Sequence[tuple[Any, ...]], faults: Sequence[Any]) -> str:
    said = []
    for (where, *path), fault in list(zip(places, faults, strict=True))[:5]:
        own = path if where != "body" else [part if _is_ours(part) else "…" for part in path]
        said.append(f"{'/'.join(map(str, (where, *own)))}: {fault['type']}")
    return "; ".join(said)


def _is_ours(part: object) -> bool:
    """Whether a step of a path is a place in a list, or a name of ours: another may be anything."""
    return isinstance(part, int) or part in FIELDS


def unexpected(error: BaseException) -> AssayError:
    """What nobody raised on purpose; the type is told, the text is not."""
    _log.error("a fault in the program: %s", type(error).__name__, exc_info=error)
    return AssayError(f"a fault in the program: {type(error).__name__}", hint="see the log")


Page = Callable[[Request, int, AssayError], Awaitable[Response | None]]
"""An error as a page, where a person looks; None where a program asks."""


def install_error_shapes(app: FastAPI, page: Page) -> None:
    """One shape for all errors of *app*; as a page for who looks with a browser."""

    async def tell(request: Request, error: AssayError) -> Response:
        return await page(request, error.http_status, error) or error_response(error)

    async def of_ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, AssayError)
        return await tell(request, error)

    async def of_framework(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        status = 422 if error.status_code == 400 else error.status_code  # a body that is no UTF-8
        code, message = _OF_STATUS.get(status, ("request.invalid", "the request is refused"))
        told = RefusedError(code, message, hint="see /openapi.json")
        shown = await page(request, status, told)
        if shown is not None:
            return shown
        headers = dict(error.headers or {})
        return JSONResponse(error_body(told), status_code=status, headers=headers)

    async def of_form(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        found = bad_request(error)
        if _is_unread(request, error):
            found = BadRequestError(
                "the body is not sent as JSON", hint="send content-type: application/json"
            )
        return await tell(request, found)

    async def of_nobody(request: Request, error: Exception) -> Response:
        return await tell(request, unexpected(error))

    app.add_exception_handler(AssayError, of_ours)
    app.add_exception_handler(HTTPException, of_framework)
    app.add_exception_handler(RequestValidationError, of_form)
    app.add_exception_handler(Exception, of_nobody)
