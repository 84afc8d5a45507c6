"""Personal data replaced by surrogates that say the class and tell equal from different.

In      text; key, regions, classes of a pack, outside recognisers
Out     Redaction: redacted text, map, counts, spans in the original
Pure    yes, linear
Spec    002 "Redaction System (Deterministic Taxonomy)"; interfaces.md, "Redaction"

The text is folded once, every rule looks at that one view in the fixed order, and what a
rule takes is blotted out before the next one looks. Surrogates that stand in the text are
blotted out from the start, so redacting twice changes nothing.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import phonenumbers
import stdnum

from assay.core.json.canonical import digest, digest_json
from assay.core.text.folding import fold
from assay.errors import InputError
from assay.redaction.leaks import find_leaks
from assay.redaction.rules.rules import CLASSES, PatternClass, Rule, pattern_rule, standard_rules
from assay.redaction.view import BARRIER, PERSONAL_DATA, Range, View

__all__ = [
    "CLASSES",
    "DEFAULT_REGIONS",
    "LIMIT",
    "PatternClass",
    "Recogniser",
    "RedactedSpan",
    "Redaction",
    "Redactor",
    "redact",
    "redact_with_mapping",
]

DEFAULT_REGIONS = ("US", "GB", "DE", "AT", "CH", "FR", "ES")
LIMIT = 20_000
"""Longest redacted text, in code points, before the ellipsis."""

RULES_VERSION = 3
"""Goes up with every change to what the rules find."""

_SUBSTITUTE = "\x1a"
"""Stands in the view for a barrier character of the original."""

_ELLIPSIS = "…"
_ROUNDS = 6
"""How often the rules look again at what they left. Taking one value may uncover the shape of
another beside it; two rounds are enough for all but built texts."""

Recogniser = Callable[[str], Iterable[tuple[int, int, str]]]
"""An outside source of findings: original text -> (start, stop, class). It comes last and
takes only what the rules left; what it raises is not caught, so nothing leaks unseen. The text
it is asked about has U+0000 where something was taken already. An attribute `identity` (a string
that changes with what it finds) becomes part of the rules' digest; without one its name does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedSpan:
    """One value and what replaced it."""

    start: int
    """First code point of the value in the original text."""

    stop: int
    """First code point no longer part of it."""

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
    """Whether `text` was cut; map, counts and spans are those of the whole text."""

    spans: tuple[RedactedSpan, ...]
    """In order, in the original text; surrogates that stood there already are none."""

    def to_dict(self) -> dict[str, Any]:
        """As `assay redact --json` prints it."""
        return {
            "text": self.text,
            "map": dict(self.map),
            "counts": dict(self.counts),
            "truncated": self.truncated,
        }


class Redactor:
    """The rule set with key, regions and a pack's classes fixed. Immutable; share it freely."""

    def __init__(
        self,
        key: str | None = None,
        regions: Sequence[str] = DEFAULT_REGIONS,
        extra: Sequence[PatternClass] = (),
        recognisers: Sequence[Recogniser] = (),
    ) -> None:
        """Prepare the rules.

        Args:
            key: Makes surrogates HMAC-SHA256 under its UTF-8; None or empty leaves plain digests.
            regions: Whose national telephone numbers and identifiers to look for.
            extra: Classes of a pack; they come before the built-in ones.
            recognisers: Outside sources of findings; they come last.

        Raises:
            InputError: a class exists already or is malformed, or a region is unknown.
        """
        self._key = key.encode("utf-8", "surrogatepass") if key else b""
        self.regions = tuple(dict.fromkeys(regions))
        taken = set(CLASSES)
        rules: list[Rule] = []
        for added in extra:
            rules.append(pattern_rule(added, taken))
            taken.add(added.name)
        self._rules = (*rules, *standard_rules(self.regions))
        self.extra = tuple(extra)
        self._recognisers = tuple(recognisers)
        self._classes = frozenset(taken)
        self._surrogate = re.compile(rf"\[({'|'.join(sorted(taken))})_[0-9a-f]{{10}}\]")
        self.rules_digest = _rules_digest(self.regions, extra, recognisers)
        """Names everything that decides what is found, for replay; the key is not part of it."""

    def with_classes(self, extra: Sequence[PatternClass]) -> Redactor:
        """The same rules and key, with these classes instead of those added before."""
        if tuple(extra) == self.extra:
            return self
        key = self._key.decode("utf-8", "surrogatepass")
        return Redactor(key, self.regions, extra, self._recognisers)

    @property
    def keyed(self) -> bool:
        """Whether surrogates are made under a key."""
        return bool(self._key)

    @property
    def classes(self) -> frozenset[str]:
        """All classes that may occur."""
        return self._classes

    def surrogate(self, cls: str, value: str) -> str:
        """`[CLASS_hhhhhhhhhh]` for *value*: equal values, equal surrogates."""
        raw = value.encode("utf-8", "surrogatepass")
        if self._key:
            name = hmac.digest(self._key, raw, "sha256").hex()[:10]
        else:
            name = sha256(raw).hexdigest()[:10]
        return f"[{cls}_{name}]"

    def redact(self, text: str) -> Redaction:
        """The redacted view of *text*, which may be any string at all.

        Example:
            >>> view = Redactor().redact("Write to jane@example.com.")
            >>> view.text
            'Write to [EMAIL_8c87b489ce].'
            >>> view.spans[0].start, view.spans[0].stop
            (9, 25)

        Spec: 002 "Redaction System"; interfaces.md, "Redaction"
        """
        standing = [(m.start(), m.end(), m[1]) for m in self._surrogate.finditer(text)]
        spans = tuple(
            RedactedSpan(start=a, stop=b, cls=cls, surrogate=self.surrogate(cls, text[a:b]))
            for a, b, cls in self._find(text, standing)
        )
        tokens = [(a, b, cls, text[a:b]) for a, b, cls in standing]
        tokens += [(s.start, s.stop, s.cls, s.surrogate) for s in spans]
        tokens.sort()
        counts: dict[str, int] = {}
        for _, _, cls, _ in tokens:
            counts[cls] = counts.get(cls, 0) + 1
        shown, truncated = self._truncate(_put_in(text, tokens))
        return Redaction(
            text=shown,
            map={token: cls for _, _, cls, token in tokens},
            counts=counts,
            truncated=truncated,
            spans=spans,
        )

    def _find(self, text: str, standing: Sequence[tuple[int, int, str]]) -> list[Finding]:
        """What to replace, in order, in the original."""
        blotted = text.replace(BARRIER, _SUBSTITUTE) if BARRIER in text else text
        blotted = _blot(blotted, [(start, stop) for start, stop, _ in standing])
        folded = fold(blotted, PERSONAL_DATA)
        view = View(text=folded.text, original=text, folded=folded)
        view.taken = {folded.locate(start, stop)[0]: cls for start, stop, cls in standing}
        found: list[Finding] = []
        for _ in range(_ROUNDS):
            before = len(found)
            for rule in self._rules:
                found += _take(view, rule.cls, rule.find(view))
            for recogniser in self._recognisers:
                taken = sorted([*found, *standing])
                left = _blot(view.original, [(start, stop) for start, stop, _ in taken])
                self._ask(recogniser, left, view, found)
            if len(found) == before:
                break
            for cls, ranges in find_leaks(view, found):
                found += _take(view, cls, ranges)
        found.sort()
        return found

    def _ask(self, recogniser: Recogniser, left: str, view: View, found: list[Finding]) -> None:
        for start, stop, cls in recogniser(left):
            if cls not in self._classes:
                raise InputError(f"a recogniser found class {cls!r}, which does not exist")
            if not 0 <= start < stop <= len(view.original):
                raise InputError("a recogniser found a range outside the text")
            begin, end = view.folded.locate(start, stop)
            free = [
                (begin + m.start(), begin + m.end())
                for m in re.finditer(f"[^{BARRIER}]+", view.text[begin:end])
            ]
            found += _take(view, cls, free)

    def _truncate(self, shown: str) -> tuple[str, bool]:
        if len(shown) <= LIMIT:
            return shown, False
        cut = LIMIT
        while cut > 0:
            around = self._surrogate.search(shown, max(0, cut - 60), cut + 60)
            while around and not around.start() < cut < around.end():
                around = self._surrogate.search(shown, around.end(), cut + 60)
            cut = around.start() if around else cut
            # A cut may make the head of a longer code look like a value of its own.
            head = shown[:cut] + _ELLIPSIS
            standing = [(m.start(), m.end(), m[1]) for m in self._surrogate.finditer(head)]
            fresh = self._find(head, standing)
            if not fresh:
                return head, True
            cut = fresh[0][0]
        return _ELLIPSIS, True


Finding = tuple[int, int, str]
"""Start and stop in the original, and the class."""


def redact(
    text: str, key: str | None = None, regions: Sequence[str] = DEFAULT_REGIONS
) -> Redaction:
    """The redacted view of *text*; a `Redactor` spares preparing the rules each time.

    Raises:
        InputError: a region is unknown.

    Spec: interfaces.md, "Python"
    """
    return Redactor(key, regions).redact(text)


def redact_with_mapping(
    text: str, key: str | None = None, regions: Sequence[str] = DEFAULT_REGIONS
) -> tuple[str, dict[str, str]]:
    """Redacted text and map, under the name that specification 002 gives it."""
    view = redact(text, key, regions)
    return view.text, dict(view.map)


def _take(view: View, cls: str, ranges: Iterable[Range]) -> list[Finding]:
    """Blot out *ranges* of the view; what they cover in the original.

    Of two that overlap the one that begins first wins, and of those the longer.
    """
    whole: list[Range] = []
    reached = 0
    for start, stop in sorted(ranges, key=lambda span: (span[0], -span[1])):
        begin, end = view.folded.widen(start, stop)
        if begin >= reached and begin < end:
            whole.append((begin, end))
            reached = end
    if whole:
        view.text = _blot(view.text, whole)
        view.taken.update((start, cls) for start, _ in whole)
    return [(*view.folded.span(start, stop), cls) for start, stop in whole]


def _blot(text: str, ranges: Sequence[Range]) -> str:
    parts: list[str] = []
    at = 0
    for start, stop in ranges:
        parts += (text[at:start], BARRIER * (stop - start))
        at = stop
    return "".join([*parts, text[at:]]) if parts else text


def _put_in(text: str, tokens: Iterable[tuple[int, int, str, str]]) -> str:
    parts: list[str] = []
    at = 0
    for start, stop, _, token in tokens:
        parts += (text[at:start], token)
        at = stop
    return "".join([*parts, text[at:]])


def _rules_digest(
    regions: Sequence[str], extra: Sequence[PatternClass], recognisers: Sequence[Recogniser]
) -> str:
    outside = [
        str(getattr(r, "identity", "") or getattr(r, "__qualname__", type(r).__qualname__))
        for r in recognisers
    ]
    return digest_json(
        {
            **({"recognisers": outside} if outside else {}),
            "rules": RULES_VERSION,
            "libraries": [phonenumbers.__version__, stdnum.__version__],
            "regions": list(regions),
            "extra": [[a.name, digest(a.pattern), a.digest] for a in extra],
        }
    )
