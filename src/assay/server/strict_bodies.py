"""A body of JSON says one thing: no key twice, no number that is none.

In      a request that has arrived whole
Out     nothing; or the error
Pure    yes
Spec    009-H3

The gate is as strict with models. What is no JSON at all is told by whoever reads it.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from starlette.types import Scope

from assay.server.errors import BadRequestError


class _LaxError(Exception):
    """What JSON does not say, or says twice."""


def require_strict_json(scope: Scope, body: bytes) -> None:
    """Raises BadRequestError for a key twice in one object, NaN, Infinity, or 1e999."""
    if not body or not _is_json(scope):
        return
    try:
        json.loads(
            body,
            object_pairs_hook=_read_object,
            parse_constant=_refuse_constant,
            parse_float=_read_float,
        )
    except _LaxError as error:
        raise BadRequestError(str(error), hint="send strict JSON (RFC 8259)") from None
    except (ValueError, RecursionError):
        return


def _is_json(scope: Scope) -> bool:
    return any(
        name == b"content-type" and b"json" in value.lower() for name, value in scope["headers"]
    )


def _read_object(pairs: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise _LaxError("an object of the body has a key twice")


def _refuse_constant(_: str) -> NoReturn:
    raise _LaxError("the body holds a number that JSON has not, such as NaN")


def _read_float(written: str) -> float:
    found = float(written)
    if not math.isfinite(found):
        raise _LaxError("the body holds a number that is too large")
    return found
