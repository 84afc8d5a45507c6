"""E-mail addresses.

In      a view
Out     ranges of class EMAIL
Pure    yes, linear
Spec    002 "Redaction System"; RFC 5321 lengths; RFC 6531 letters of every script
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.redaction.view import Range, View, compile_wide

_ATOM = r"[\p{L}\p{M}\p{N}!#$%&'*+_|~^-]+"
_LABEL = r"[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}_-]*[\p{L}\p{N}\p{M}])?"
_OCTET = r"[0-9]{1,3}"
_QUOTED = r'"(?:[^"\\\n\x00]|\\[^\n\x00]){1,64}"'

PATTERN = (
    rf"(?:{_ATOM}(?:\.{_ATOM})*|{_QUOTED})@"
    rf"(?:\[{_OCTET}\.{_OCTET}\.{_OCTET}\.{_OCTET}\]|{_LABEL}(?:\.{_LABEL})+)"
)

_EMAIL = compile_wide(PATTERN)
_DRESS = "!#$%&'*|~^-"
"""Stands around an address (quotes, table rules, emphasis) far more often than before one."""

_TOP = re.compile(r"[^\W\d_]{2,63}|(?:xn--)[a-z0-9-]{2,59}", re.IGNORECASE)
_WIDE_LETTER = re.compile("[\uff21-\uff3a\uff41-\uff5a]")
_ASCII_LETTER = re.compile("[A-Za-z]")

_MAX_ADDRESS = 254
_MAX_LABEL = 63


def find_emails(view: View) -> Iterator[Range]:
    """Addresses with a domain that can exist; other text with an `@` is left alone."""
    if "@" not in view.text:
        return
    for match in _EMAIL.finditer(view.text):
        start, stop = match.span()
        at = match[0].rindex("@") + start
        while start < at - 1 and view.text[start] in _DRESS:
            start += 1
        stop = _domain_stop(view, at + 1, stop)
        if stop and stop - start <= _MAX_ADDRESS:
            yield start, stop


def _domain_stop(view: View, start: int, stop: int) -> int:
    """Where the domain ends; 0 if there is none."""
    domain = view.text[start:stop]
    if domain.startswith("["):
        return stop if _is_ipv4(domain[1:-1]) else 0
    labels = domain.split(".")
    if len(labels) == 4 and _is_ipv4(domain):
        return stop
    while labels and not _TOP.fullmatch(labels[-1]):
        labels.pop()
    if len(labels) < 2 or any(len(label) > _MAX_LABEL for label in labels):
        return 0
    stop = start + len(".".join(labels))
    source = view.source(start, stop)
    if _WIDE_LETTER.search(source) and _ASCII_LETTER.search(source):
        # Letters of two widths name no host; the part before the last dot is hidden all the
        # same, for whoever wrote it meant a person.
        stop -= len(labels[-1]) + 1
    return stop


def _is_ipv4(text: str) -> bool:
    return all(
        len(octet) < 4 and octet.isdecimal() and int(octet) < 256 for octet in text.split(".")
    )
