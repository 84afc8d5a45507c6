"""What the twelve pictures show: each a drawing, a sentence and the table behind it.

In      RecordFigures, the words of a language
Out     twelve Panels, in the order of the page
Pure    yes
Spec    007-F1, 007-F2, 007-F8, 007-F11
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from assay.core.amounts import written_amount
from assay.core.text.catalogue import Words
from assay.figures.charts import Filling, Row, Series, bars_apart, lines, ranks, stacked_bars
from assay.figures.panel import (
    TABLE_ROWS,
    Panel,
    Table,
    cut_rows,
    draw_names,
    make_panel,
    short_amount,
    short_number,
    short_time,
    tabulate_periods,
)
from assay.figures.record_figures import FindingCount, Latency, RecordFigures
from assay.figures.review_panels import draw_agreement, draw_calibration
from assay.figures.style import OUTCOME_COLOURS
from assay.figures.words import (
    ENGLISH,
    tell_attempts,
    tell_cost,
    tell_count,
    tell_findings,
    tell_happened,
    tell_latency,
    tell_outcomes,
    tell_period,
    tell_redactions,
    tell_rest,
    tell_tokens,
)

_CURRENCIES: Final = 3

TellFinding = Callable[[FindingCount], str]
"""What a finding means, in the language of the page."""


def _tell_own_words(finding: FindingCount) -> str:
    return finding.words


def panels_of(
    figures: RecordFigures, words: Words = ENGLISH, *, tell_finding: TellFinding = _tell_own_words
) -> tuple[Panel, ...]:
    """The twelve pictures of *figures*."""
    return (
        _outcomes(figures, words),
        _attempts(figures, words),
        _findings(figures, words, tell_finding),
        _latency(figures, words),
        _tokens(figures, words),
        _cost(figures, words),
        _models(figures, words),
        _redactions(figures, words),
        _drift(figures, words),
        _fallbacks(figures, words),
        draw_agreement(figures, words),
        draw_calibration(figures, words),
    )


def _outcomes(figures: RecordFigures, words: Words) -> Panel:
    fillings: dict[str, Filling] = {"no_evidence": "hollow", "needs_review": "hatch"}
    totals = {status: sum(counts) for status, counts in figures.outcomes.items()}
    series = [
        Series(
            name=words(f"chart.status.{status}"),
            values=counts,
            said=short_number(totals[status]),
            colour=OUTCOME_COLOURS[status],
            filling=fillings.get(status, "solid" if status == "accepted" else "dots"),
        )
        for status, counts in figures.outcomes.items()
        if totals[status]
    ]
    drawing = stacked_bars(
        "outcomes",
        figures.periods,
        series,
        axis=tell_period(words, "calls", figures),
        write=short_number,
    )
    sentence = tell_outcomes(words, figures)
    return make_panel(
        "outcomes", words, sentence, drawing, tabulate_periods(figures, words, series)
    )


def _attempts(figures: RecordFigures, words: Words) -> Panel:
    rows = [
        Row(words=tell_count(words, "attempt", number), value=calls, said=f"{calls:,}")
        for number, calls in figures.attempts.items()
    ]
    reasons = [
        (words("chart.reason", reason=reason), f"{calls:,}")
        for reason, calls in figures.reasons.items()
    ]
    table = Table(
        columns=(words("chart.name.attempts"), words("chart.word.calls")),
        rows=(*((row.words, row.said) for row in rows), *reasons[:TABLE_ROWS]),
    )
    sentence = tell_attempts(words, figures)
    return make_panel("attempts", words, sentence, ranks(cut_rows(rows, words, "row")), table)


def _findings(figures: RecordFigures, words: Words, tell: TellFinding) -> Panel:
    found = [(each, tell(each)) for each in figures.findings]
    rows = [
        Row(
            words=said,
            value=each.outputs,
            said=f"{each.outputs:,}",
            code=each.code if said != each.code else "",
        )
        for each, said in found
    ]
    cells = [
        (
            said,
            each.code + (f" ({words('chart.word.note')})" if each.severity == "note" else ""),
            f"{each.outputs:,}",
        )
        for each, said in found[:TABLE_ROWS]
    ]
    rest = found[TABLE_ROWS:]
    if rest:
        outputs = sum(each.outputs for each, _ in rest)
        cells.append((tell_rest(words, "code", len(rest)), "", f"{outputs:,}"))
    table = Table(
        columns=(
            words("chart.word.meaning"),
            words("chart.word.code"),
            words("chart.word.outputs"),
        ),
        rows=tuple(cells),
    )
    sentence = tell_findings(words, figures)
    drawing = ranks(cut_rows(rows, words, "code"), colour="rejected")
    return make_panel("findings", words, sentence, drawing, table)


def _latency(figures: RecordFigures, words: Words) -> Panel:
    def line(name: str, take: str) -> Series:
        values = [getattr(each, take) for each in figures.latency]
        whole = getattr(figures.latency_whole, take)
        said = words("chart.not_known") if whole is None else short_time(whole)
        return Series(name=name, values=values, said=said)

    series = [
        line(words("chart.word.longest"), "max"),
        line(words("chart.word.nine_tenths"), "p90"),
        line(words("chart.word.half"), "p50"),
    ]
    drawing = lines(
        figures.periods,
        series,
        axis=words("chart.word.latency"),
        logarithmic=f", {words('chart.word.logarithmic')}",
        write=short_time,
    )
    heads = (
        words("chart.word.exchanges"),
        words("chart.word.half"),
        words("chart.word.nine_tenths"),
        words("chart.word.longest"),
    )
    table = Table(
        columns=(words("chart.period"), *heads),
        rows=tuple(
            (period, *_latency_cells(each))
            for period, each in zip(figures.periods, figures.latency, strict=True)
        ),
        total=(words("chart.total"), *_latency_cells(figures.latency_whole)),
    )
    known = figures.latency_whole.exchanges
    sentence = tell_latency(words, figures)
    return make_panel("latency", words, sentence, drawing if known else "", table)


def _latency_cells(latency: Latency) -> tuple[str, ...]:
    times = (latency.p50, latency.p90, latency.max)
    return f"{latency.exchanges:,}", *("–" if each is None else f"{each:,} ms" for each in times)


def _tokens(figures: RecordFigures, words: Words) -> Panel:
    series = [
        Series(name=words("chart.word.input"), values=figures.input_tokens,
               said=short_number(sum(figures.input_tokens))),
        Series(name=words("chart.word.output"), values=figures.output_tokens, filling="hatch",
               said=short_number(sum(figures.output_tokens))),
    ]  # fmt: skip
    drawing = stacked_bars(
        "tokens",
        figures.periods,
        series,
        axis=tell_period(words, "tokens", figures),
        write=short_number,
    )
    sentence = tell_tokens(words, figures)
    counted = any(figures.input_tokens) or any(figures.output_tokens)
    return make_panel(
        "tokens",
        words,
        sentence,
        drawing if counted else "",
        tabulate_periods(figures, words, series),
    )


def _cost(figures: RecordFigures, words: Words) -> Panel:
    marks = ["≤ " if cost.estimated else "" for cost in figures.costs]
    series = [
        Series(
            name=cost.currency,
            values=[float(amount) for amount in cost.amounts],
            said=mark + short_amount(float(cost.total)),
        )
        for cost, mark in zip(figures.costs, marks, strict=True)
    ]
    drawing = bars_apart(
        "cost",
        figures.periods,
        series[:_CURRENCIES],
        axis=tell_period(words, "cost", figures),
        write=short_amount,
    )
    table = Table(
        columns=(words("chart.period"), *(cost.currency for cost in figures.costs)),
        rows=tuple(
            (period, *(written_amount(cost.amounts[at]) for cost in figures.costs))
            for at, period in enumerate(figures.periods)
        )
        if figures.costs
        else (),
        total=(
            words("chart.total"),
            *(
                mark + written_amount(cost.total)
                for cost, mark in zip(figures.costs, marks, strict=True)
            ),
        ),
    )
    sentence = tell_cost(words, figures, drawn=min(_CURRENCIES, len(figures.costs)))
    return make_panel("cost", words, sentence, drawing if series else "", table)


def _models(figures: RecordFigures, words: Words) -> Panel:
    rows = [
        Row(words=each.name, value=each.exchanges, said=f"{each.exchanges:,}")
        for each in figures.models
    ]
    heads = (
        words("chart.word.exchanges"),
        words("chart.word.failed"),
        words("chart.word.input"),
        words("chart.word.output"),
        words("chart.word.half"),
    )
    cells = [
        (
            each.name,
            f"{each.exchanges:,}",
            f"{each.failed:,}",
            f"{each.input_tokens:,}",
            f"{each.output_tokens:,}",
            _latency_cells(each.latency)[1],
        )
        for each in figures.models[:TABLE_ROWS]
    ]
    rest = figures.models[TABLE_ROWS:]
    if rest:
        exchanges = sum(each.exchanges for each in rest)
        failed = sum(each.failed for each in rest)
        read = sum(each.input_tokens for each in rest)
        wrote = sum(each.output_tokens for each in rest)
        name = tell_rest(words, "model", len(rest))
        cells.append((name, f"{exchanges:,}", f"{failed:,}", f"{read:,}", f"{wrote:,}", "–"))
    table = Table(columns=(words("chart.word.model"), *heads), rows=tuple(cells))
    sentence = words("chart.models", models=tell_count(words, "model", len(figures.models)))
    return make_panel("models", words, sentence, ranks(cut_rows(rows, words, "model")), table)


def _redactions(figures: RecordFigures, words: Words) -> Panel:
    drawing, table = draw_names(
        "redactions", figures, words, figures.redactions, counted="places", each_is="class"
    )
    return make_panel("redactions", words, tell_redactions(words, figures), drawing, table)


def _drift(figures: RecordFigures, words: Words) -> Panel:
    drawing, table = draw_names(
        "drift", figures, words, figures.drift, counted="hits", each_is="version",
        colour="rejected",
    )  # fmt: skip
    return make_panel("drift", words, tell_happened(words, "drift", figures.drift), drawing, table)


def _fallbacks(figures: RecordFigures, words: Words) -> Panel:
    drawing, table = draw_names(
        "fallbacks", figures, words, figures.fallbacks, counted="uses", each_is="template",
        colour="review",
    )  # fmt: skip
    said = tell_happened(words, "fallbacks", figures.fallbacks)
    return make_panel("fallbacks", words, said, drawing, table)
