"""The sums of a record in words, for a terminal.

In      RecordFigures
Out     pairs of a name and a text
Pure    yes
Spec    007-F1
"""

from __future__ import annotations

from assay.core.amounts import written_amount
from assay.figures import words
from assay.figures.panels import short_time
from assay.figures.record_figures import RecordFigures


def sums_of(figures: RecordFigures) -> list[tuple[str, str]]:
    """What a person reads first, in the order of the pictures."""
    sums = [(words.CALLS, f"{figures.calls:,}")]
    sums += [
        (words.STATUS[status], f"{sum(counts):,}")
        for status, counts in figures.outcomes.items()
        if sum(counts)
    ]
    sums += [
        (words.attempts_words(number), f"{calls:,}") for number, calls in figures.attempts.items()
    ]
    sums += [
        (each.code, f"{each.outputs:,}  {each.words}") for each in figures.findings[:_FINDINGS]
    ]
    whole = figures.latency_whole
    for name, took in (
        (words.HALF, whole.p50),
        (words.NINE_TENTHS, whole.p90),
        (words.LONGEST, whole.max),
    ):
        if took is not None:
            sums.append((f"{words.HEADINGS['latency'].lower()}, {name}", short_time(took)))
    if figures.exchanges:
        sums.append((words.EXCHANGES, f"{figures.exchanges:,}"))
        sums.append((f"{words.INPUT} tokens", f"{sum(figures.input_tokens):,}"))
        sums.append((f"{words.OUTPUT} tokens", f"{sum(figures.output_tokens):,}"))
    for cost in figures.costs:
        mark = "≤ " if cost.estimated else ""
        sums.append((words.HEADINGS["cost"].lower(), f"{mark}{written_amount(cost.total)} "
                     f"{cost.currency}"))  # fmt: skip
    if figures.unpriced:
        sums.append((words.UNPRICED, f"{figures.unpriced:,} {words.EXCHANGES}"))
    found = sum(sum(counts) for counts in figures.redactions.values())
    if found:
        sums.append((words.HEADINGS["redactions"].lower(), f"{found:,}"))
    return sums


_FINDINGS = 5
