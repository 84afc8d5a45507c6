"""One byte form for every JSON value, and one form of digest.

In      JSON values, bytes, text
Out     RFC 8785 bytes; digests written `sha256:` and 64 hex digits
Pure    yes
Spec    000 (snippet hashes), 004 PB5; RFC 8785
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import rfc8785

from assay.errors import InputError


def canonical(value: Any) -> bytes:
    """Write *value* as RFC 8785 JSON: one byte string for all equal values.

    Raises:
        InputError: the value holds something JSON cannot (NaN, bytes, an integer beyond
            2^53 - 1, a key that is no string, a lone surrogate).
    """
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
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
