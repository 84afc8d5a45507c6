"""Personal data replaced by surrogates. (Simple version: e-mail addresses and long numbers.)

In      text, key, regions, classes of a pack
Out     Redaction
Pure    yes
Spec    002 "Redaction System"; interfaces.md, "Redaction"
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import re2

from assay.errors import InputError

DEFAULT_REGIONS = ("US", "GB", "DE", "AT", "CH", "FR", "ES")
CLASSES = ("EMAIL", "ID_CODE", "PHONE", "NUMBER", "ADDRESS_LINE", "SIMPLE_NAME")
LIMIT = 20_000
"""Longest redacted text, in code points, before the ellipsis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternClass:
    """A class that a pack adds."""

    name: str
    """Capital letters, digits, `_`; not the name of another class."""

    pattern: str
    """RE2 syntax, matched on the folded view."""

    validator: Callable[[str], bool] | None = None
    """Asked for each candidate; False lets it stand. None takes every match."""

    digest: str = ""
    """Names the validator's version; part of the rules digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedSpan:
    """One value and what replaced it."""

    start: int
    """First code point of the value in the original text."""

    stop: int
    cls: str
    surrogate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """The redacted view of a text."""

    text: str
    map: Mapping[str, str]
    """Surrogate -> class, never a value; surrogates found in the text included."""

    counts: Mapping[str, int]
    """How often each class occurs; absent classes are absent."""

    truncated: bool
    spans: tuple[RedactedSpan, ...]
    """In order, in the original text; surrogates that stood there already are none."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "map": dict(self.map),
            "counts": dict(self.counts),
            "truncated": self.truncated,
        }


class Redactor:
    """The rule set, with key, regions and a pack's classes fixed."""

    def __init__(
        self,
        key: str | None = None,
        regions: Sequence[str] = DEFAULT_REGIONS,
        extra: Sequence[PatternClass] = (),
    ) -> None:
        for added in extra:
            if added.name in CLASSES:
                raise InputError(f"redaction class {added.name!r} exists already")
        self._key = key
        self.regions = tuple(regions)
        self._rules = [
            ("EMAIL", re2.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
            ("NUMBER", re2.compile(r"[0-9]{6,}")),
        ]

    @property
    def rules_digest(self) -> str:
        return "sha256:" + sha256(b"0").hexdigest()

    def surrogate(self, cls: str, value: str) -> str:
        """`[CLASS_hhhhhhhhhh]` for *value*."""
        raw = value.encode("utf-8", "surrogatepass")
        if self._key:
            hexes = hmac.new(self._key.encode(), raw, sha256).hexdigest()
        else:
            hexes = sha256(raw).hexdigest()
        return f"[{cls}_{hexes[:10]}]"

    def redact(self, text: str) -> Redaction:
        """The redacted view of *text*."""
        spans: list[RedactedSpan] = []
        for cls, rule in self._rules:
            for match in rule.finditer(text):
                start, stop = match.span()
                if all(stop <= s.start or start >= s.stop for s in spans):
                    value = self.surrogate(cls, text[start:stop])
                    spans.append(RedactedSpan(start=start, stop=stop, cls=cls, surrogate=value))
        spans.sort(key=lambda s: s.start)
        parts, at = [], 0
        counts: dict[str, int] = {}
        for span in spans:
            parts += [text[at : span.start], span.surrogate]
            at = span.stop
            counts[span.cls] = counts.get(span.cls, 0) + 1
        view = "".join([*parts, text[at:]])
        return Redaction(
            text=view[:LIMIT] + "…" if len(view) > LIMIT else view,
            map={s.surrogate: s.cls for s in spans},
            counts=counts,
            truncated=len(view) > LIMIT,
            spans=tuple(spans),
        )


def redact(
    text: str, key: str | None = None, regions: Sequence[str] = DEFAULT_REGIONS
) -> Redaction:
    """The redacted view of *text*."""
    return Redactor(key, regions).redact(text)


def redact_with_mapping(
    text: str, key: str | None = None, regions: Sequence[str] = DEFAULT_REGIONS
) -> tuple[str, dict[str, str]]:
    """Redacted text and map, under the name that specification 002 uses."""
    view = redact(text, key, regions)
    return view.text, dict(view.map)
