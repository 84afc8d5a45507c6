"""Digits in a row that nothing else took.

In      a view
Out     ranges of class NUMBER
Pure    yes, linear
Spec    interfaces.md, "Redaction": six or more digits in a row; none within a hash or a UUID

A hash tells nothing of a person, and without its digits it names nothing any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from assay.redaction.view import Range, View, compile_narrow

_SIX = compile_narrow(r"[0-9]{6,}")
_HEX = compile_narrow(r"[0-9A-Fa-f]{16,}")
_WHOLE: Final = frozenset((32, 40, 48, 56, 64, 96, 128))
"""Lengths of digests in hex."""

_SHORT = compile_narrow(
    r"(?i)\b(?:commit|sha-?[0-9]{0,3}|rev(?:ision)?|digest|hash|checksum|fingerprint|md5|etag|trace|span|"
    r"blob|tree|parent|merge|index)(?:[ _-]?id)?[\"']?[ ]?[:=#@/ ][ \"'(]{0,2}[0-9a-f]{7,}"
)
_TOKEN: Final = re.compile(r"[0-9a-fA-F]+$")


def find_numbers(view: View) -> Iterator[Range]:
    """Six or more digits in a row, but not those of a hash."""
    hashes = sorted(_hashes(view))
    at = 0
    for match in view.find(_SIX):
        start, stop = match.span()
        while at < len(hashes) and hashes[at][1] <= start:
            at += 1
        if at == len(hashes) or start < hashes[at][0] or hashes[at][1] < stop:
            yield start, stop


def _hashes(view: View) -> Iterator[Range]:
    text = view.text
    for match in view.find(_HEX):
        start, stop = match.span()
        if _stands_alone(text, start, stop) and _is_hash(text[start:stop]):
            yield start, stop
    for match in view.find(_SHORT):
        token = _TOKEN.search(text, match.start(), match.end())
        if token and _stands_alone(text, *token.span()) and _is_mixed(token[0], least=1):
            yield token.span()


def _is_hash(token: str) -> bool:
    return _is_mixed(token, least=1 if len(token) in _WHOLE else 4)


def _is_mixed(token: str, *, least: int) -> bool:
    letters = sum(char.isalpha() for char in token)
    return letters >= least and token in (token.lower(), token.upper())


def _stands_alone(text: str, start: int, stop: int) -> bool:
    before = text[start - 1] if start else " "
    after = text[stop] if stop < len(text) else " "
    return not (before.isalnum() or after.isalnum() or before == "_" or after == "_")
