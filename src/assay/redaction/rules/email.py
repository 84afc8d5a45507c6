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
_ENCODED = compile_wide(
    r"[\p{L}\p{N}][\p{L}\p{N}\p{M}._+-]*(?:%2[BbDdEe][\p{L}\p{N}\p{M}._+-]+)*"
    rf"(?:%(?:25){{0,2}}40|&#(?:64|[xX]40);|&commat;)({_LABEL}(?:\.{_LABEL})+)"
)
"""The sign as an address of a page or a source of one writes it."""

_DOT = r"(?:[ ]?[(\[{<][ ]?(?i:dot|punkt|punto|point|ponto|kropka|\.)[ ]?[)\]}>][ ]?|\.)"
_SPELT = compile_wide(
    rf"[\p{{L}}\p{{N}}][\p{{L}}\p{{N}}\p{{M}}_+-]*(?:{_DOT}[\p{{L}}\p{{N}}\p{{M}}_+-]+)*"
    r"[ ]?[(\[{<][ ]?(?i:at|ät|a|@|arroba|klammeraffe|chez|małpa)[ ]?[)\]}>][ ]?"
    rf"{_LABEL}(?:{_DOT}{_LABEL})+"
)
"""Written out in brackets, against machines that collect addresses."""

_WORDS = compile_wide(
    r"[\p{L}\p{N}][\p{L}\p{N}\p{M}._+-]*[ ](?i:at|ät|arroba)[ ]"
    r"[\p{L}\p{N}-]+(?:(?:[ ](?i:dot|punkt|punto|ponto)[ ]|\.)[\p{L}\p{N}-]+)*"
    r"[ ](?i:dot|punkt|punto|ponto)[ ]\p{L}{2,12}"
)
_NO_HOST = frozenset("the a an our your my this that these each every least one any".split())  # noqa: SIM905
_AROUND = compile_wide(
    rf"[\p{{L}}\p{{N}}][\p{{L}}\p{{N}}_+-]*(?:\.[\p{{L}}\p{{N}}_+-]+)*"
    rf"[ ]@[ ]?({_LABEL}(?:\.{_LABEL})+)"
)
_MAIL_BEFORE = re.compile(
    r"(?:mail|e-?post|correo|adresse|contact|kontakt)\w{0,6}[ :=]{1,3}$|^[ \t>]*$|[<(:]$"
)
_DRESS = "!#$%&'*|~^-"
"""Stands around an address (quotes, table rules, emphasis) far more often than before one."""

_TOP = re.compile(r"[^\W\d_]{2,63}|(?:xn--)[a-z0-9-]{2,59}", re.IGNORECASE)
_TOP_HEAD = re.compile(r"[^\W\d_]{2,63}(?=[\d_])")
_WIDE_LETTER = re.compile("[\uff21-\uff3a\uff41-\uff5a]")
_ASCII_LETTER = re.compile("[A-Za-z]")

_MAX_ADDRESS = 254
_MAX_LABEL = 63


def find_emails(view: View) -> Iterator[Range]:
    """Addresses with a domain that can exist; other text with an `@` is left alone."""
    yield from _plain_addresses(view)
    yield from _disguised_addresses(view)


def _plain_addresses(view: View) -> Iterator[Range]:
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


def _disguised_addresses(view: View) -> Iterator[Range]:
    """Addresses whose sign is encoded, written out, or has spaces around it."""
    text = view.text
    if "40" in text or "&" in text:
        for match in _ENCODED.finditer(text):
            stop = _domain_stop(view, *match.span(1))
            if stop:
                yield match.start(), stop
    if any(mark in text for mark in ")]}>"):
        for match in _SPELT.finditer(text):
            if match.end() - match.start() <= _MAX_ADDRESS:
                yield match.span()
    lowered = text.lower()
    if any(dot in lowered for dot in (" dot ", " punkt ", " punto ", " ponto ")):
        for match in _WORDS.finditer(text):
            words = match[0].lower().split(" ")
            if words[0] not in _NO_HOST and words[2] not in _NO_HOST:
                yield match.span()
    if " @" in text:
        for match in _AROUND.finditer(text):
            before = text[max(0, match.start() - 24) : match.start()].rsplit("\n", 1)[-1].lower()
            local = match[0].split(" ", 1)[0]
            written = any(char in "._+-" or char.isdigit() for char in local)
            if not (written or _MAIL_BEFORE.search(before)):
                continue
            stop = _domain_stop(view, *match.span(1))
            if stop:
                yield match.start(), stop


def _domain_stop(view: View, start: int, stop: int) -> int:
    """Where the domain ends; 0 if there is none."""
    domain = view.text[start:stop]
    if domain.startswith("["):
        return stop if _is_ipv4(domain[1:-1]) else 0
    labels = domain.split(".")
    if len(labels) == 4 and _is_ipv4(domain):
        return stop
    while labels and not _TOP.fullmatch(labels[-1]):
        last = labels.pop()
        head = _TOP_HEAD.match(last)
        if head and labels:  # what is glued behind an address is no part of it
            labels.append(head[0])
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
