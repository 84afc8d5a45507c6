"""Presidio's pattern recognisers, and a model for names, as one more source of findings.

In      original text
Out     (start, stop, class) for each finding, as `Redactor(recognisers=…)` wants them
Pure    no file after `create`, no network: equal texts, equal findings
Spec    002-D6; interfaces.md, "Redaction"

Patterns and their checks are Presidio's; the loop over them is ours, because Presidio's own
logs a pattern that runs out of time and goes on without it, which would let values through.
A day is no telephone number and no identifier of a country, whatever a pattern makes of it.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final, Self

from assay.adapters.name_model import NameModel
from assay.core.json.canonical import digest_json
from assay.errors import AssayError, ExecutionError, InputError, UsageError

CLASSES: Final[Mapping[str, str]] = {
    "CREDIT_CARD": "ID_CODE",
    "CRYPTO": "ID_CODE",
    "EMAIL_ADDRESS": "EMAIL",
    "IP_ADDRESS": "ID_CODE",
    "MAC_ADDRESS": "ID_CODE",
    "MEDICAL_LICENSE": "ID_CODE",
    "PERSON": "SIMPLE_NAME",
    "PHONE_NUMBER": "PHONE",
    "UUID": "ID_CODE",
}
"""Entity type -> class, for types of no country; those of a country are ID_CODE."""

LEFT_OUT: Final = frozenset(
    {"CA_POSTAL_CODE", "DE_PLZ", "UK_POSTCODE", "DATE_TIME", "URL", "IBAN_CODE"}
)
"""Entity types that name a place, a day or a page; the rules check IBANs of all countries."""

THRESHOLD: Final = 0.35
"""Least score of a finding. Without words around it a bare shape of digits scores below."""

PATTERN_SECONDS: Final = 30.0
"""Longest time for one pattern over one text."""

_YEAR: Final = r"(?:19|20)\d\d(?!\d)"
_DAY: Final = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d[-/. ]{1,2}[01]?\d[-/. ]{1,2}[0-3]?\d(?:T\d\d(?::?\d\d){0,2})?(?!\d)|"
    rf"[0-3]?\d[-/. ]{{1,2}}[0-3]?\d[-/. ]{{1,2}}{_YEAR}|[0-3]?\d([-/.])[0-3]?\d\1\d\d(?![\d-])|"
    rf"[0-3]?\d(?:\.|st|nd|rd|th|er)?[ ](?:de[ ]|of[ ])?[^\W\d_]{{3,12}}\.?,?[ ](?:de[ ])?{_YEAR}|"
    rf"[^\W\d_]{{3,12}}\.?[ ][0-3]?\d(?:st|nd|rd|th)?,?[ ]{_YEAR}|"
    r"(?:19|20)\d\d[年년][ ]?\d{1,2}[月월][ ]?\d{1,2}|\d{1,2}[ ][A-Z][ ]\d{1,5}/\d{2}(?!\d))"
)
"""Days as people write them, and numbers of files at court."""

_PACKAGES: Final = ("presidio-analyzer", "phonenumbers", "regex", "tldextract")
_SURE: Final = 1.0


class PresidioRecogniser:
    """A recogniser for the redactor. Use `create`."""

    def __init__(
        self, patterns: Sequence[Any], telephones: Any, names: NameModel | None = None
    ) -> None:
        self._names = names
        self._recognisers = tuple(patterns)
        self._telephones = telephones
        self._compiled = tuple(
            (recogniser, class_of(recogniser), _compile_pattern(recogniser))
            for recogniser in patterns
        )
        self.identity = _identity(self._recognisers, telephones, names)
        """Digest of the packages' versions, the patterns and the threshold, for replay."""

    @classmethod
    def create(cls, added: Sequence[Any] = (), *, model: str = "") -> Self:
        """Load every pattern recogniser of the package, *added* ones of the caller, and *model*.

        Args:
            added: `presidio_analyzer.PatternRecognizer`s, as a list of names for PERSON.
            model: A folder or package with a spaCy model that finds names; empty for none.

        Raises:
            UsageError: presidio-analyzer is not installed.
            ExecutionError: the model cannot be loaded.
            InputError: an added recogniser has no patterns, or a type without a class.
        """
        try:
            import presidio_analyzer.predefined_recognizers as known
            import tldextract
            from presidio_analyzer import PatternRecognizer
        except ImportError as error:
            raise UsageError(
                "the recogniser presidio is not installed",
                hint='pip install "assay[presidio]"',
            ) from error
        # The list of suffixes that lies in the package: the default would ask the network.
        suffixes = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
        found: list[Any] = []
        for name in sorted(vars(known)):
            kind: Any = vars(known)[name]
            if not isinstance(kind, type) or not issubclass(kind, PatternRecognizer):
                continue
            if kind is PatternRecognizer:
                continue
            build: Any = kind
            recogniser = build()
            if recogniser.supported_entities[0] in LEFT_OUT or not class_of(recogniser):
                continue
            if recogniser.supported_entities[0] == "EMAIL_ADDRESS":
                recogniser.validate_result = lambda text: bool(suffixes(text).fqdn)
            found.append(recogniser)
        for recogniser in added:
            if not isinstance(recogniser, PatternRecognizer) or not class_of(recogniser):
                raise InputError("an added recogniser is no pattern recogniser of a known type")
            found.append(recogniser)
        return cls(found, known.PhoneRecognizer(), NameModel.load(model) if model else None)

    def __call__(self, text: str) -> Iterator[tuple[int, int, str]]:
        """The findings, the surest and longest first.

        Raises:
            ExecutionError: a pattern ran out of time; nothing may pass as redacted then.
        """
        found = [
            (-score, start - stop, start, stop, cls)
            for recogniser, cls, patterns in self._compiled
            for pattern, least in patterns
            for start, stop, score in _matches(recogniser, pattern, least, text)
            if score >= THRESHOLD
        ]
        found += [
            (-r.score, r.start - r.end, r.start, r.end, CLASSES["PHONE_NUMBER"])
            for r in self._telephones.analyze(text, ["PHONE_NUMBER"], None)
        ]
        days = [match.span() for match in _DAY.finditer(text)]
        for _, _, start, stop, cls in sorted(found):
            if cls not in ("PHONE", "ID_CODE") or not _overlaps(days, start, stop):
                yield start, stop, cls
        if self._names is not None:
            for start, stop in self._names(text):
                yield start, stop, CLASSES["PERSON"]


def _overlaps(days: Sequence[tuple[int, int]], start: int, stop: int) -> bool:
    """Whether a range shares a character with one of *days*, which are in order."""
    at = bisect_right(days, (start, sys.maxsize))
    inside = at < len(days) and days[at][0] < stop
    return inside or (at > 0 and days[at - 1][1] > start)


def class_of(recogniser: Any) -> str:
    """The class of what *recogniser* finds; empty for a type that has none."""
    entity = str(recogniser.supported_entities[0])
    country = getattr(recogniser, "COUNTRY_CODE", None)
    return CLASSES.get(entity, "ID_CODE" if country else "")


def _compile_pattern(recogniser: Any) -> list[tuple[Any, float]]:
    import regex

    flags = recogniser.global_regex_flags
    return [(regex.compile(p.regex, flags=flags), float(p.score)) for p in recogniser.patterns]


def _matches(
    recogniser: Any, pattern: Any, least: float, text: str
) -> Iterator[tuple[int, int, float]]:
    try:
        for match in pattern.finditer(text, timeout=PATTERN_SECONDS):
            start, stop = match.span()
            if start < stop:
                yield start, stop, _score(recogniser, match[0], least)
    except TimeoutError as error:
        raise ExecutionError(
            f"a pattern of presidio's {recogniser.supported_entities[0]} ran out of time",
            hint="unset ASSAY_RECOGNISER, or give shorter texts",
        ) from error


def _score(recogniser: Any, candidate: str, least: float) -> float:
    try:
        valid = recogniser.validate_result(candidate)
        if valid is False or recogniser.invalidate_result(candidate):
            return 0.0
    except AssayError:
        raise
    except Exception:  # a check that fails must not uncover what its pattern found
        return _SURE
    return _SURE if valid else least


def _identity(recognisers: Sequence[Any], telephones: Any, names: NameModel | None) -> str:
    return digest_json(
        {
            **({"names": names.identity} if names is not None else {}),
            "rules": 2,
            "recogniser": "presidio",
            "packages": {name: version(name) for name in _PACKAGES},
            "threshold": str(THRESHOLD),
            "regions": list(telephones.supported_regions),
            "patterns": [
                [
                    r.supported_entities[0],
                    class_of(r),
                    [[p.regex, str(p.score)] for p in r.patterns],
                ]
                for r in recognisers
            ],
        }
    )
