"""Addresses of machines: IPv4 and IPv6.

In      a view
Out     ranges for class ID_CODE
Pure    yes, linear
Spec    interfaces.md, "Redaction": IP addresses

Four numbers with full stops are also a version, a section of a text or an object identifier: what
stands before them says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address
from typing import Final

from assay.redaction.rules.words import PHONE_BEFORE
from assay.redaction.view import Range, View, compile_narrow

_FOUR = compile_narrow(r"[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}")
_OCTET: Final = re.compile(r"(?:0|[1-9][0-9]{0,2})")
_COLONS = compile_narrow(
    r"[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3})?"
)
_NO_HOST: Final = re.compile(
    r"(?:(?<![a-zà-ÿ])(?:version(?:en|s)?|versión|vers|ver|v|release|rel|build|firmware|fw|driver|"
    r"treiber|updates?|patch|revision|rev|sections?|sect|sec|sección|abschnitt|kapitel|chapters?|"
    r"chap|clauses?|ziffer|ziff|punkt|art(?:icle|ikel|ículo)?|absatz|apartado|nr|no|oid|figure|fig|"
    r"abb|tables?|tab|tabelle|appendix|anhang|step|item|rule|requirement|req|example|upgrade|"
    r"upgraded|software|app|ios|android|kernel|library|lib|api|sdk|jdk|java|python|node|iso|din)"
    r"|§{1,2}|==|>=|<=|~=|@)[ .:=#(\"']{0,3}(?:to|auf|from|von|is|ist)?[ ]?[\"'(]?$"
)
_HEADING: Final = re.compile(r"[ \t]+[^\W\d_a-z]")
_LEFT: Final = 32


def find_hosts(view: View) -> Iterator[Range]:
    """Addresses of machines, in no order."""
    text = view.text
    for match in view.find(_FOUR):
        start, stop = _whole_range(text, *match.span())
        if stop and _is_host(text, start, stop):
            yield start, stop
    if "::" in text or text.count(":") > 6:
        for match in view.find(_COLONS):
            start, stop = match.span()
            if text[stop - 1] == ":" and text[stop - 2] != ":":
                stop -= 1
            if _is_version_six(text, start, stop):
                yield start, stop


def _whole_range(text: str, start: int, stop: int) -> Range:
    """The range when nothing longer holds it; (0, 0) when something does."""
    before = text[start - 1] if start else " "
    after = text[stop] if stop < len(text) else " "
    goes_on = after in ".-" and text[stop + 1 : stop + 2].isalnum()
    if before.isalnum() or before in "._-" or after.isalnum() or after == "_" or goes_on:
        return 0, 0
    return start, stop


def _is_host(text: str, start: int, stop: int) -> bool:
    parts = text[start:stop].split(".")
    if not all(_OCTET.fullmatch(part) and int(part) < 256 for part in parts):
        return False
    before = text[max(0, start - _LEFT) : start].lower()
    before = before[before.rfind("\n") + 1 :]
    if _NO_HOST.search(before) or PHONE_BEFORE.search(before):
        return False
    if before.endswith("/") and before[-2:-1].isalnum():  # `Chrome/120.0.0.0`
        return False
    small = all(1 <= int(part) <= 30 for part in parts)
    heads = not before.strip(" \t#>*")
    return not (small and heads and _HEADING.match(text, stop))


def _is_version_six(text: str, start: int, stop: int) -> bool:
    before = text[start - 1] if start else " "
    after = text[stop] if stop < len(text) else " "
    if before.isalnum() or before in "_:." or after.isalnum() or after in "_:":
        return False
    candidate = text[start:stop]
    try:
        address = IPv6Address(candidate)
    except AddressValueError:
        return False
    groups = [group for group in re.split(r"[:.]", candidate) if group]
    if len(groups) < 2 or not any(char.isdigit() for char in candidate):
        return False
    known = int(address) >> 125 == 1 or int(address) >> 121 in (0b1111110, 0b1111111)
    mapped = address.ipv4_mapped is not None
    if "::" in candidate and not (known or mapped) and len(groups) < 4:
        return False
    return any(len(group) > 2 for group in groups)
