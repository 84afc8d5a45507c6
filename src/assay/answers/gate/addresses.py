"""Addresses of mail and web, and telephone numbers: names made of characters, not values.

In      a text
Out     each address with its place, in the form in which it is compared
Pure    yes; linear
Spec    005-A3; interfaces.md, "Answers" (nothing that no chunk holds)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple


class Address(NamedTuple):
    """One address or telephone number."""

    start: int
    stop: int
    forms: frozenset[str]
    """One in common is enough."""


_MAIL = re.compile(r"[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w@])")
_WEB = re.compile(
    r"(?<![\w@./-])(?:https?://|ftp://|www\.)[^\s<>\"'`()\[\]{}|\\，。、）」』]{1,2000}"
    r"|(?<![\w@./-])(?:[a-z0-9][a-z0-9-]{0,62}\.){1,5}(?:com|org|net|gov|edu|int|mil|info|io|dev|"
    r"app|eu|de|at|ch|fr|es|it|pt|nl|be|pl|cz|se|dk|no|fi|ie|uk|us|ca|au|nz|in|jp|cn|kr|br|mx|ru)"
    r"(?![\w@.-]*\w@)(?![\w-])(?:/[^\s<>\"'`()\[\]{}|\\，。、）」』]{0,2000})?",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"\A(?:https?://|ftp://)?(?:www\.)?", re.IGNORECASE)
_ENDS: Final = ".,;:!?…/*_"
_INTERNATIONAL = re.compile(
    r"(?<![\w.,])(?<!\d )(?:\+|00(?=[1-9]))\d(?:[ ()./-]{0,3}\d){6,14}(?!\d)"
)
_NATIONAL = re.compile(
    r"(?<![\w.,/:$€£-])(?<!\d )(?:\(0\d{1,5}\)|0\d{1,5})(?:[ /-]{1,3}\d{2,8}){1,5}(?![\d:]|[.,]\d)"
    r"|(?<![\w.,/:$€£-])(?<!\d )0\d{7,12}(?![\w.,]\d)"
    r"|(?<![\w.,/:$€£-])(?<!\d )(?:1[-. ])?(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}(?![\w-])"
    r"|(?<![\w.,/:$€£-])(?<!\d )1[- ]\d{3}[- ]\d{3}[- ]\d{4}(?![\w-])"
)
_OPTIONAL_ZERO = re.compile(r"\(0\)")
_DIGIT = re.compile(r"\d")
_LEAST_DIGITS: Final = 7
_LONGEST_COUNTRY_CODE: Final = 3


def addresses(text: str) -> Iterator[Address]:
    """The addresses in *text*: those of mail, then those of the web.

    Example:
        >>> [sorted(each.forms) for each in addresses("See https://www.Example.org/a or a@b.org.")]
        [['a@b.org'], ['example.org/a']]
    """
    taken: list[tuple[int, int]] = []
    for match in _MAIL.finditer(text):
        taken.append(match.span())
        yield Address(match.start(), match.end(), frozenset({match[0].casefold().lstrip(".")}))
    place = 0
    for match in _WEB.finditer(text):
        while place < len(taken) and taken[place][1] <= match.start():
            place += 1
        if place < len(taken) and taken[place][0] < match.end():
            continue
        written = match[0].rstrip(_ENDS)
        form = _SCHEME.sub("", written).rstrip("/")
        if form:
            host, slash, path = form.partition("/")
            form = f"{host.casefold()}{slash}{path}"
            yield Address(match.start(), match.start() + len(written), frozenset({form}))


def phones(text: str) -> Iterator[Address]:
    """The telephone numbers of a folded text, compared by their digits.

    Example:
        >>> one, other = phones("+49 30 123456, 030/123456")
        >>> sorted(one.forms & other.forms)
        ['tel:030123456']
    """
    done = 0
    found = [*_INTERNATIONAL.finditer(text), *_NATIONAL.finditer(text)]
    for match in sorted(found, key=lambda each: each.start()):
        if match.start() < done:
            continue
        written = match[0]
        digits = "".join(_DIGIT.findall(_OPTIONAL_ZERO.sub("", written)))
        if len(digits) < _LEAST_DIGITS:
            continue
        done = match.end()
        yield Address(match.start(), match.end(), frozenset(_forms(written, digits)))


def _forms(written: str, digits: str) -> Iterator[str]:
    if written[0] == "+" or written.startswith("00"):
        full = digits.removeprefix("00")
        yield f"tel:+{full}"
        for length in range(1, _LONGEST_COUNTRY_CODE + 1):
            yield f"tel:0{full[length:]}"
        yield f"tel:1{full.removeprefix('1')}"
    elif written.startswith(("0", "(0")):
        yield f"tel:{digits}"
    else:
        yield f"tel:1{digits.removeprefix('1')}"


def is_known(address: Address, known: frozenset[str]) -> bool:
    """Whether one of *known* is the address, or a page on a site of which only the host is named.

    Example:
        >>> (site,) = addresses("www.example.org")
        >>> is_known(site, frozenset({"example.org/fees"}))
        True
    """
    return any(
        form in known or ("/" not in form and f"{form}/" in known) for form in address.forms
    ) or _is_host_of(address, known)


def _is_host_of(address: Address, known: frozenset[str]) -> bool:
    hosts = {form.partition("/")[0].rpartition("@")[2] for form in known}
    return any("/" not in form and "@" not in form and form in hosts for form in address.forms)
