"""Every sentence that charts and outcomes say, composed from the catalogue of one language.

In      a language; numbers
Out     Words, sentences
Pure    yes
Spec    007-F1, 007-F11

What stands on record (names, codes) is not translated. Keys begin with `chart.`: the pages of the
service read the same catalogue as theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from assay.core.text.catalogue import Words
from assay.figures import english, german
from assay.figures.intervals import Share, make_share
from assay.figures.record_figures import RecordFigures

PANELS: Final = (
    "outcomes", "attempts", "findings", "latency", "tokens", "cost", "models", "redactions",
    "drift", "fallbacks", "agreement", "calibration",
)  # fmt: skip
"""The twelve pictures in their order."""

SHAPE: Final[Mapping[str, str]] = MappingProxyType(
    {"accepted": "✓", "no_evidence": "○", "needs_review": "!", "rejected": "✕", "open": "…"}
)
"""Status -> the sign that stands with its word."""

_CATALOGUES: Final = MappingProxyType({"en": english.SENTENCES, "de": german.SENTENCES})


@cache
def words_in(language: str) -> Words:
    """The catalogue of a language; English where it is not one of ours."""
    found = _CATALOGUES.get(language)
    if found is None:
        return words_in("en")
    sentences = MappingProxyType({f"chart.{key}": text for key, text in found.items()})
    return Words(language=language, sentences=sentences)


ENGLISH: Final = words_in("en")


def tell_count(words: Words, what: str, number: int) -> str:
    """A number with its noun.

    Example:
        >>> tell_count(ENGLISH, "call", 1), tell_count(ENGLISH, "call", 12000)
        ('1 call', '12,000 calls')
    """
    form = "one" if number == 1 else "many"
    return words(f"chart.count.{what}.{form}", count=f"{number:,}")


def tell_percent(words: Words, value: float) -> str:
    """A share in whole hundredths.

    Example:
        >>> tell_percent(ENGLISH, 0.625)
        '62%'
    """
    return words("chart.percent", number=f"{100 * value:.0f}")


def tell_share(words: Words, share: Share) -> str:
    """A share with its interval; a dash of nothing.

    Example:
        >>> tell_share(ENGLISH, make_share(9, 10))
        '90% (60–98%)'
    """
    if share.value is None:
        return "–"
    high = tell_percent(words, share.high)
    return words(
        "chart.share",
        share=tell_percent(words, share.value),
        low=f"{100 * share.low:.0f}",
        high=high,
    )


def tell_filters(words: Words, figures: RecordFigures) -> str:
    """Which calls are counted; "" for all."""
    asked = figures.filters.items()
    return ", ".join(words(f"chart.filter.{name}", value=value) for name, value in asked)


def tell_record(words: Words, figures: RecordFigures) -> str:
    """The end of the record at that moment; "" where it is empty."""
    if figures.last is None:
        return ""
    events = tell_count(words, "event", figures.events)
    return words("chart.record", events=events, seq=figures.last[0], digest=figures.last[1])


def tell_period(words: Words, what: str, figures: RecordFigures) -> str:
    """The title of an axis: what is counted, and how long a period is."""
    return words(f"chart.per.{figures.unit}", what=words(f"chart.word.{what}"))


def tell_rest(words: Words, what: str, number: int) -> str:
    """A row that stands for the rest."""
    return words("chart.more", rows=tell_count(words, what, number))


def tell_notebook_rest(key: str, number: int) -> str:
    """What stands where a text or a list of a notebook was cut."""
    form = "one" if number == 1 else "many"
    return ENGLISH(f"chart.notebook.{key}.{form}", count=f"{number:,}")


# --- a sentence for each picture ---------------------------------------------------------------


def tell_outcomes(words: Words, figures: RecordFigures) -> str:
    said = [words("chart.outcomes.calls", calls=tell_count(words, "call", figures.calls))]
    if figures.decided:
        calls = tell_count(words, "call", figures.decided)
        said.append(words("chart.outcomes.decided", calls=calls))
    if figures.unreadable:
        inputs = tell_count(words, "input", figures.unreadable)
        said.append(words("chart.outcomes.unreadable", inputs=inputs))
    return " ".join(said)


def tell_attempts(words: Words, figures: RecordFigures) -> str:
    settled = sum(figures.attempts.values())
    if not settled:
        return words("chart.attempts.none")
    share = tell_percent(words, figures.attempts.get(1, 0) / settled)
    return words("chart.attempts.some", share=share, calls=tell_count(words, "settled", settled))


def tell_findings(words: Words, figures: RecordFigures) -> str:
    return words(
        "chart.findings",
        outputs=tell_count(words, "judged", figures.judged),
        codes=tell_count(words, "code", len({each.code for each in figures.findings})),
    )


def tell_latency(words: Words, figures: RecordFigures) -> str:
    known = figures.latency_whole.exchanges
    said, silent = tell_count(words, "exchange", known), figures.exchanges - known
    if silent:
        return words("chart.latency.silent", exchanges=said, more=f"{silent:,}")
    return words("chart.latency.all", exchanges=said)


def tell_tokens(words: Words, figures: RecordFigures) -> str:
    said = tell_count(words, "exchange", figures.exchanges)
    if figures.uncounted:
        return words("chart.tokens.uncounted", exchanges=said, some=f"{figures.uncounted:,}")
    return words("chart.tokens.all", exchanges=said)


def tell_cost(words: Words, figures: RecordFigures, *, drawn: int) -> str:
    said, currencies = [], len(figures.costs)
    if figures.unpriced:
        exchanges = tell_count(words, "exchange", figures.unpriced)
        said.append(words("chart.cost.unpriced", exchanges=exchanges))
    if any(cost.estimated for cost in figures.costs):
        said.append(words("chart.cost.estimated"))
    if drawn < currencies:
        said.append(words("chart.cost.drawn", drawn=drawn, currencies=currencies))
    if currencies > 1:
        said.append(words("chart.cost.apart"))
    return " ".join(said) or (words("chart.cost.priced") if currencies else "")


def tell_redactions(words: Words, figures: RecordFigures) -> str:
    found = sum(sum(counts) for counts in figures.redactions.values())
    return words(
        "chart.redactions",
        places=tell_count(words, "place", found),
        prompts=tell_count(words, "prompt", figures.prompts),
    )


def tell_happened(words: Words, name: str, counts: Mapping[str, tuple[int, ...]]) -> str:
    """How often there was drift, or no template."""
    number = sum(map(sum, counts.values()))
    if not number:
        return words(f"chart.{name}.none")
    form = "one" if number == 1 else "many"
    return words(f"chart.{name}.some.{form}", count=f"{number:,}")


def tell_agreement(words: Words, figures: RecordFigures) -> str:
    found = figures.agreement
    if not found.decided:
        return words("chart.agreement.none")
    said = []
    if found.known:
        cases = tell_count(words, "decided", found.known)
        said.append(
            words("chart.agreement.kept", share=tell_share(words, found.whole), cases=cases)
        )
    if sum(found.unread):
        cases = tell_count(words, "accepted", sum(found.unread))
        said.append(words("chart.agreement.unread", cases=cases))
    if found.pairs:
        share = tell_share(words, make_share(found.agreed, found.pairs))
        cases = tell_count(words, "case", found.pairs)
        said.append(words("chart.agreement.pairs", share=share, cases=cases))
    return " ".join(said)


def tell_calibration(words: Words, figures: RecordFigures) -> str:
    found = figures.calibration
    said = [words("chart.calibration.none")]
    if found.statements:
        labels = tell_count(words, "label", found.statements)
        cases = tell_count(words, "of_accepted", found.cases)
        said = [
            words("chart.calibration.some", labels=labels, cases=cases),
            words("chart.calibration.fair"),
        ]
    for key, number in (("unread", found.unread), ("silent", found.silent)):
        if number:
            cases = tell_count(words, "accepted", number)
            said.append(words(f"chart.calibration.{key}", cases=cases))
    return " ".join(said)
