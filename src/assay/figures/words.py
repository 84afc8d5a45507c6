"""Every sentence that pages and pictures of the record say, in one place.

In      nothing
Out     words by name
Pure    yes
Spec    007-F1

Another language is another such module; what stands on record (names, codes) is not translated.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

STATUS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "accepted": "accepted",
        "no_evidence": "no evidence",
        "needs_review": "needs review",
        "rejected": "rejected",
        "open": "not settled",
    }
)
SHAPE: Final[Mapping[str, str]] = MappingProxyType(
    {"accepted": "✓", "no_evidence": "○", "needs_review": "!", "rejected": "✕", "open": "…"}
)
"""Status -> the sign that stands with its word."""

YES, NO, NOTHING = "yes", "no", "nothing"
FINDINGS = "Findings"
NO_FINDINGS = "No findings."
NOTE = "note"
RESULT = "Result"
TEXT = "Text"
NOT_MARKED = "Not marked"
NOT_A_SOURCE = "is none of the texts shown here"
NOT_IN_TEXT = "lies outside the text"


def left_out(chars: int) -> str:
    """What stands where a text was cut."""
    return f"… {count(chars, 'character')} left out …"


def and_more(number: int, what: str) -> str:
    """What stands where a list was cut."""
    return f"and {count(number, what)} more"


def count(number: int, what: str) -> str:
    """A number with its noun.

    Example:
        >>> count(1, "call"), count(12000, "call")
        ('1 call', '12,000 calls')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


# --- the page of figures -----------------------------------------------------------------------

LANGUAGE = "en"
TITLE = "Figures of a record"
SHOWS_ALL = "All calls of the record."
SHOWS = "Only calls"
FILTERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "since": "opened since {}",
        "until": "opened before {}",
        "pack": "of the pack {}",
        "contract": "of the contract {}",
    }
)
TIMES_ARE = "All times are UTC; a call belongs to the period in which it was opened."
TABLE = "Table"
CSV = "Save as CSV"
NOT_KNOWN = "not known"
REST = "the rest"
PERIOD = "from"
TOTAL = "all"
EMPTY_TITLE = "Nothing is recorded yet"
EMPTY = (
    "Here will stand outcomes, attempts, findings, latency, tokens, cost, models and redactions "
    "of each call that is recorded. The first are made by"
)
EMPTY_COMMAND = "assay run intake MAIL… --store {store}"
NONE_TITLE = "No call matches"
NONE = "The record holds events, and none of its calls is one that was asked for."
NONE_HERE = "Nothing of this is on record."
UNIT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "hour": "hour",
        "day": "day",
        "week": "week",
        "month": "month",
        "year": "year",
        "decade": "ten years",
        "century": "hundred years",
    }
)
HEADINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "outcomes": "Outcomes",
        "attempts": "Attempts",
        "findings": "Findings",
        "latency": "Latency",
        "tokens": "Tokens",
        "cost": "Cost",
        "models": "Models",
        "redactions": "Redactions",
    }
)
"""The eight pictures in their order."""

CALLS, EXCHANGES, OUTPUTS, PLACES = "calls", "exchanges", "outputs", "places"
INPUT, OUTPUT = "input", "output"
HALF, NINE_TENTHS, LONGEST = "half", "9 in 10", "longest"
LOGARITHMIC = ", logarithmic"
CODE, MEANING, SEVERITY, MODEL, CLASS, REASON = (
    "code", "meaning", "severity", "model", "class", "reason",
)  # fmt: skip
UNPRICED = "price not known"
FAILED = "without a reply"


def record_line(events: int, seq: int, digest: str) -> str:
    """What the page shows: the end of the record at that moment."""
    return f"{count(events, 'event')}, the last one number {seq}, {digest}"


def per_period(what: str, unit: str) -> str:
    """The title of an axis."""
    return f"{what} per {UNIT[unit]}"


def outcomes_sentence(calls: int, decided: int, unreadable: int) -> str:
    said = f"{count(calls, 'call')}"
    if decided:
        said += f"; {count(decided, 'call')} accepted because a person decided so"
    if unreadable:
        said += f"; {count(unreadable, 'input')} could not be read and made no call"
    return f"{said}."


def attempts_sentence(settled: int, first: int) -> str:
    if not settled:
        return "No call is settled."
    return f"{first / settled:.0%} of {count(settled, 'settled call')} needed one attempt."


def attempts_words(number: int) -> str:
    return count(number, "attempt")


def findings_sentence(judged: int, codes: int) -> str:
    return f"{count(judged, 'judged output')}, {count(codes, 'code')} found."


def latency_sentence(exchanges: int, silent: int) -> str:
    said = f"{count(exchanges, 'exchange')}"
    return f"{said}; {silent:,} more did not say how long they took." if silent else f"{said}."


def tokens_sentence(exchanges: int, uncounted: int) -> str:
    said = count(exchanges, "exchange")
    return f"{said}; {uncounted:,} of them not counted in full." if uncounted else f"{said}."


def cost_sentence(unpriced: int, estimated: bool, *, drawn: int, currencies: int) -> str:
    said = []
    if unpriced:
        said.append(f"{count(unpriced, 'exchange')} of unknown price, not in these amounts.")
    if estimated:
        said.append("≤ marks amounts of which a part is estimated.")
    if drawn < currencies:
        said.append(f"{drawn} of {currencies} currencies are drawn, the table has all.")
    if currencies > 1:
        said.append("Each currency has a scale of its own; amounts are never added across them.")
    return " ".join(said) or ("Every exchange has a price." if currencies else "")


def models_sentence(models: int) -> str:
    return f"{count(models, 'model')} asked."


def redactions_sentence(found: int, prompts: int) -> str:
    return f"{count(found, 'place')} hidden in {count(prompts, 'prompt')}."


def rest_words(number: int, what: str) -> str:
    """A row that stands for the rest."""
    return f"{count(number, what)} more"
