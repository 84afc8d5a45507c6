"""A body of JSON says one thing: no key twice, no number that is none, no half a character.

In      a request that has arrived whole
Out     nothing; or the error
Pure    yes
Spec    009-H2

The gate is as strict with models. It says where each fault is, by a reading that takes seconds
for a body of many megabytes; nobody is known here yet, so this ends at the first fault. What is
no JSON at all is told by whoever reads it.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NoReturn

from starlette.types import Scope

from assay.server.errors import BadRequestError

_HALF: Final = re.compile("[\ud800-\udfff]")


class _LaxError(Exception):
    """What JSON does not say, or says twice."""


def require_strict_json(scope: Scope, body: bytes) -> None:
    """Raises BadRequestError for what RFC 8259 leaves open, each reader to read as it likes.

    A key twice in one object, NaN, 1e999, half of a surrogate pair, levels without end.
    """
    if not body or not _is_json(scope):
        return
    try:
        value = json.loads(
            body,
            object_pairs_hook=_read_object,
            parse_constant=_refuse_constant,
            parse_float=_read_float,
        )
        _require_whole_characters([value])
    except _LaxError as error:
        raise BadRequestError(str(error), hint="send strict JSON (RFC 8259)") from None
    except RecursionError:
        raise BadRequestError("the body has too many levels", hint="nest it less") from None
    except ValueError:
        return


def _is_json(scope: Scope) -> bool:
    return any(
        name == b"content-type" and b"json" in value.lower() for name, value in scope["headers"]
    )


def _read_object(pairs: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise _LaxError("an object of the body has a key twice")
    for name, value in pairs:
        _require_whole_characters([name, value])


def _require_whole_characters(waiting: list[Any]) -> None:
    """Of texts, and of those in lists; those in objects were looked at as they were read."""
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, str) and not each.isascii() and _HALF.search(each):
            raise _LaxError("a text of the body holds half a character")


def _refuse_constant(_: str) -> NoReturn:
    raise _LaxError("the body holds a number that JSON has not, such as NaN")


def _read_float(written: str) -> float:
    found = float(written)
    if not math.isfinite(found):
        raise _LaxError("the body holds a number that is too large")
    return found
