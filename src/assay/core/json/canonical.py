"""One byte form for every JSON value, and one form of digest.

In      JSON values, bytes, text
Out     RFC 8785 bytes; digests written `sha256:` and 64 hex digits
Pure    yes
Spec    000 (snippet hashes), 004 PB5; RFC 8785

Every event, row and result passes through here several times, so it is written for speed: the
escapes of RFC 8785 are those of Python's own JSON encoder, which does them in C. Tests hold it
against the package `rfc8785`.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from json.encoder import encode_basestring as quoted
from math import isfinite
from typing import Any

from assay.errors import InputError

_BEYOND = 2**53
"""The first integer that a double cannot tell from its neighbour."""


def canonical(value: Any) -> bytes:
    """Write *value* as RFC 8785 JSON: one byte string for all equal values.

    Raises:
        InputError: the value holds something JSON cannot (NaN, bytes, an integer beyond
            2^53 - 1, a key that is no string, a lone surrogate).
    """
    pieces: list[str] = []
    try:
        _write(value, pieces.append)
        return "".join(pieces).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:  # UnicodeEncodeError is among them
        raise InputError(
            "the value has no canonical JSON form", hint="only JSON values of RFC 8785"
        ) from error


def digest(data: bytes | str) -> str:
    """`sha256:` and 64 hex digits over *data* (text counts as its UTF-8)."""
    raw = data.encode("utf-8") if isinstance(data, str) else data
    return "sha256:" + sha256(raw).hexdigest()


def digest_json(value: Any) -> str:
    """The digest of the canonical bytes of *value*."""
    return digest(canonical(value))


def _write(value: Any, put: Callable[[str], None]) -> None:
    # The order of the tests is that of how often each kind comes.
    if isinstance(value, str):
        put(quoted(value))
    elif isinstance(value, dict):
        before = "{"
        for key in _in_order(value):
            put(before)
            put(quoted(key))
            put(":")
            _write(value[key], put)
            before = ","
        put("}" if value else "{}")
    elif isinstance(value, list | tuple):
        before = "["
        for each in value:
            put(before)
            _write(each, put)
            before = ","
        put("]" if value else "[]")
    elif value is None:
        put("null")
    elif isinstance(value, bool):
        put("true" if value else "false")
    elif isinstance(value, int):
        if not -_BEYOND < value < _BEYOND:
            raise ValueError("the integer is beyond what a double holds")
        put(int.__repr__(value))
    elif isinstance(value, float):
        put(_number(value))
    else:
        raise TypeError("this is no JSON value")


def _in_order(value: dict[str, Any]) -> list[str]:
    """The keys by their UTF-16 code units; for ASCII that is Python's own order."""
    if "".join(value).isascii():  # raises TypeError for a key that is no string
        return sorted(value)
    return sorted(value, key=lambda key: key.encode("utf-16-be"))


def _number(value: float) -> str:
    """As ECMAScript writes it: the shortest digits, whole up to 21 of them, no `.0`."""
    if not isfinite(value):
        raise ValueError("JSON has no such number")
    if value == 0:
        return "0"
    written, _, exponent = float.__repr__(value).partition("e")
    written = written.removesuffix(".0")
    if not exponent:
        return written
    sign = "-" if value < 0 else ""
    digits = written.removeprefix("-").replace(".", "")
    power = int(exponent)
    if 0 < power < 21:
        return sign + digits.ljust(power + 1, "0")
    if -7 < power < 0:
        return sign + "0." + "0" * (-power - 1) + digits
    return f"{written}e{power:+d}"
