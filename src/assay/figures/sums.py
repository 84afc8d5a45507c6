"""The sums of a record in ENGLISH, for a terminal.

In      RecordFigures
Out     pairs of a name and a text
Pure    yes
Spec    007-F1
"""

from __future__ import annotations

from assay.core.amounts import written_amount
from assay.figures.panel import short_time
from assay.figures.record_figures import RecordFigures
from assay.figures.words import ENGLISH, tell_count, tell_share


def sums_of(figures: RecordFigures) -> list[tuple[str, str]]:
    """What a person reads first, in the order of the pictures."""
    sums = [(ENGLISH("chart.word.calls"), f"{figures.calls:,}")]
    sums += [
        (ENGLISH(f"chart.status.{status}"), f"{sum(counts):,}")
        for status, counts in figures.outcomes.items()
        if sum(counts)
    ]
    sums += [
        (tell_count(ENGLISH, "attempt", number), f"{calls:,}")
        for number, calls in figures.attempts.items()
    ]
    sums += [
        (each.code, f"{each.outputs:,}  {each.words}") for each in figures.findings[:_FINDINGS]
    ]
    whole = figures.latency_whole
    for name, took in (
        (ENGLISH("chart.word.half"), whole.p50),
        (ENGLISH("chart.word.nine_tenths"), whole.p90),
        (ENGLISH("chart.word.longest"), whole.max),
    ):
        if took is not None:
            sums.append((f"{ENGLISH('chart.word.latency')}, {name}", short_time(took)))
    if figures.exchanges:
        sums.append((ENGLISH("chart.word.exchanges"), f"{figures.exchanges:,}"))
        sums.append((ENGLISH("chart.input_tokens"), f"{sum(figures.input_tokens):,}"))
        sums.append((ENGLISH("chart.output_tokens"), f"{sum(figures.output_tokens):,}"))
    for cost in figures.costs:
        mark = "≤ " if cost.estimated else ""
        sums.append((ENGLISH("chart.word.cost"), f"{mark}{written_amount(cost.total)} "
                     f"{cost.currency}"))  # fmt: skip
    if figures.unpriced:
        sums.append(
            (
                ENGLISH("chart.word.unpriced"),
                f"{figures.unpriced:,} {ENGLISH('chart.word.exchanges')}",
            )
        )
    found = sum(sum(counts) for counts in figures.redactions.values())
    if found:
        sums.append((ENGLISH("chart.word.redactions"), f"{found:,}"))
    for name, counted in (("drift", figures.drift), ("fallbacks", figures.fallbacks)):
        number = sum(map(sum, counted.values()))
        if number:
            sums.append((ENGLISH(f"chart.name.{name}").lower(), f"{number:,}"))
    for name, share in (
        ("agreement", figures.agreement.whole),
        ("calibration", figures.calibration.whole),
    ):
        if share.known:
            told = f"{share.hits:,} of {share.total:,}, {tell_share(ENGLISH, share)}"
            sums.append((ENGLISH(f"chart.sum.{name}"), told))
    return sums


_FINDINGS = 5
