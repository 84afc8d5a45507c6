"""Strict JSON: exactly one JSON text, or the reason why not.

In      bytes (or text) as a model sent them
Out     Parsed (the value and the bytes it came from), or Refused (finding code and message)
Pure    yes
Spec    000 H1; interfaces.md, "Strictness"

The parser is `jiter`, told to refuse what it can (it also refuses what is no UTF-8); what it
lets pass (integers that a double
cannot hold, overflow to infinity, more than `max_depth` levels) is looked for here. Only a
text that is refused is read a second time, by `assay.core.json.faults`, to say why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jiter import from_json

from assay.core.json import faults
from assay.core.json.faults import MAX_INTEGER, Refused

__all__ = ["MAX_BYTES", "MAX_DEPTH", "Parsed", "Refused", "lexemes", "parse", "parse_object"]

MAX_BYTES = 1 << 20
"""1 MiB."""

MAX_DEPTH = 64
"""Objects and arrays within each other."""

# Digits to `0`, exponent letters to `e`, opening brackets to `[`, all else to a space: three
# searches then say whether any number could be too large, or the depth too great, without
# looking at each value. The exponent is looked for from the end, as digits are rare there.
_SHAPE = bytes(
    0x30 if byte in b"0123456789" else 0x65 if byte in b"eE" else 0x5B if byte in b"[{" else 0x20
    for byte in range(256)
)
# The same without what stands between no two numbers, a tenth as long. What was apart in a
# string is together here, so a search that finds something is only a first sign.
_NOISE = bytes(byte for byte in range(256) if byte not in b"0123456789eE[{,:")
_LONG = b"0" * 16
_EXPONENT = b"0e"
_OPENING = b"["


class Parsed(NamedTuple):
    """A text that is one JSON value under every rule."""

    value: Any
    """Plain Python values; numbers are int or float, integers within ±(2^53 - 1)."""

    raw: bytes
    """The text in UTF-8, as it came."""

    is_large: bool = False
    """Some number with a fraction or exponent is beyond what doubles hold exactly."""


def parse(
    raw: bytes | str,
    *,
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    refusals: Sequence[str] = (),
) -> Parsed | Refused:
    """Read *raw* as one JSON value of any kind; never raises, never repairs.

    Args:
        raw: The text; a `str` counts as its UTF-8.
        max_bytes: A longer text is `json.too_large`.
        max_depth: A text with more levels is `json.too_deep`.
        refusals: Openings of refusals beside the listed ones (`assay.core.text.refusals`).

    Example:
        >>> parse('{"a": 0.90}').value
        {'a': 0.9}
        >>> parse('{"a": 1, "a": 2}').code
        'json.duplicate_key'

    Spec: 000 H1; interfaces.md, "Strictness".
    """
    if isinstance(raw, str):
        try:
            raw = raw.encode()
        except UnicodeEncodeError:
            return Refused(code="json.unicode", message="the text holds a lone surrogate")
    if len(raw) > max_bytes:
        return Refused(
            code="json.too_large",
            message=f"the text has {len(raw)} bytes; at most {max_bytes} are allowed",
        )
    try:
        value = from_json(raw, allow_inf_nan=False, cache_mode="none", catch_duplicate_keys=True)
    except (ValueError, RecursionError):
        return _explain_fault(raw, max_depth, refusals)
    signs = raw.translate(_SHAPE, _NOISE)
    if signs.count(_OPENING) > max_depth and _deeper_than(value, max_depth):
        return _explain_fault(raw, max_depth, refusals)
    if (_LONG in signs or _EXPONENT in signs) and _has_large_shape(raw):
        largest = _largest_number(value)
        if largest is None or (largest > MAX_INTEGER and _has_lossy_integer(lexemes(raw))):
            return _explain_fault(raw, max_depth, refusals)
        return Parsed(value, raw, largest > MAX_INTEGER)
    return Parsed(value, raw)


def parse_object(
    raw: bytes | str,
    *,
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    refusals: Sequence[str] = (),
) -> Parsed | Refused:
    """As `parse`; a value that is no object is `json.not_object`."""
    parsed = parse(raw, max_bytes=max_bytes, max_depth=max_depth, refusals=refusals)
    if parsed.__class__ is Parsed and parsed.value.__class__ is not dict:
        return Refused(code="json.not_object", message="the text is valid JSON but no object")
    return parsed


def lexemes(raw: bytes) -> Any:
    """The tree of *raw*, with numbers that have a fraction or exponent kept as written.

    Args:
        raw: A text that `parse` accepted.

    Returns:
        The same tree, but such a number is an object whose `str()` is the number as it
        stands in the text; integers are `int`.

    Example:
        >>> str(lexemes(b'[0.90]')[0])
        '0.90'
    """
    return from_json(
        raw,
        allow_inf_nan=False,
        cache_mode="none",
        catch_duplicate_keys=True,
        float_mode="lossless-float",
    )


def _explain_fault(raw: bytes, max_depth: int, refusals: Sequence[str]) -> Refused:
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return Refused(
            code="json.unicode", message=f"the bytes are no UTF-8 (at byte {error.start})"
        )
    return faults.explain(text, max_depth=max_depth, refusals=refusals)


def _children(level: list[Any]) -> list[Any]:
    return [
        child
        for node in level
        for child in (node.values() if node.__class__ is dict else node)
        if child.__class__ is dict or child.__class__ is list
    ]


def _deeper_than(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = _children(level)
        if not level:
            return False
    return True


def _has_large_shape(raw: bytes) -> bool:
    shape = raw.translate(_SHAPE)
    return _LONG in shape or shape.rfind(_EXPONENT) >= 0


def _largest_number(value: Any) -> float | None:
    """The largest size of a number with fraction or exponent; None when one is out of range."""
    largest = 0.0
    level: list[Any] = [[value]]
    while level:
        for node in level:
            for child in node.values() if node.__class__ is dict else node:
                kind = child.__class__
                if kind is int:
                    if not -MAX_INTEGER <= child <= MAX_INTEGER:
                        return None
                elif kind is float and not -largest <= child <= largest:
                    largest = abs(child)
        level = _children(level)
    return None if largest == _INFINITY else largest


def _has_lossy_integer(tree: Any) -> bool:
    level: list[Any] = [[tree]]
    while level:
        for node in level:
            for child in node.values() if node.__class__ is dict else node:
                if child.__class__ not in _NO_LEXEME and faults.is_lossy_integer(str(child)):
                    return True
        level = _children(level)
    return False


# What `lexemes` gives for anything but a number with a fraction or an exponent.
_NO_LEXEME = frozenset({str, int, bool, type(None), dict, list})


_INFINITY = float("inf")
