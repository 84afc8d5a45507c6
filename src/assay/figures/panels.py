"""What the eight pictures show: each a drawing, a sentence and the table behind it.

In      RecordFigures
Out     eight Panels, in the order of the page
Pure    yes
Spec    007-F1, 007-F2
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assay.core.amounts import written_amount
from assay.figures import words
from assay.figures.charts import Filling, Row, Series, bars_apart, lines, ranks, stacked_bars
from assay.figures.record_figures import Latency, RecordFigures
from assay.figures.style import OUTCOME_COLOURS

_DRAWN_ROWS: Final = 6
_TABLE_ROWS: Final = 40
_STACKED: Final = 5
_CURRENCIES: Final = 3
_FILLINGS: Final[tuple[Filling, ...]] = ("solid", "hatch", "dots", "cross", "hollow")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Texts in rows; the first column names the row, the others are numbers where they can be."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One picture and all that is said of it."""

    name: str
    """Its address on the page."""

    heading: str
    sentence: str
    drawing: str
    """The inside of an SVG; empty where there is nothing to draw."""

    table: Table


def panels_of(figures: RecordFigures) -> tuple[Panel, ...]:
    """The eight pictures of *figures*."""
    return (
        _outcomes(figures),
        _attempts(figures),
        _findings(figures),
        _latency(figures),
        _tokens(figures),
        _cost(figures),
        _models(figures),
        _redactions(figures),
    )


def _panel(name: str, sentence: str, drawing: str, table: Table) -> Panel:
    heading = words.HEADINGS[name]
    return Panel(name=name, heading=heading, sentence=sentence, drawing=drawing, table=table)


def _outcomes(figures: RecordFigures) -> Panel:
    fillings: dict[str, Filling] = {"no_evidence": "hollow", "needs_review": "hatch"}
    totals = {status: sum(counts) for status, counts in figures.outcomes.items()}
    series = [
        Series(
            name=words.STATUS[status],
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
        axis=words.per_period(words.CALLS, figures.unit),
        write=short_number,
    )
    sentence = words.outcomes_sentence(figures.calls, figures.decided, figures.unreadable)
    return _panel("outcomes", sentence, drawing, _by_period(figures, series))


def _attempts(figures: RecordFigures) -> Panel:
    settled = sum(figures.attempts.values())
    rows = [
        Row(words=words.attempts_words(number), value=calls, said=f"{calls:,}")
        for number, calls in figures.attempts.items()
    ]
    reasons = [
        (f"{words.REASON}: {reason}", f"{calls:,}") for reason, calls in figures.reasons.items()
    ]
    table = Table(
        columns=(words.HEADINGS["attempts"], words.CALLS),
        rows=(*((row.words, row.said) for row in rows), *reasons[:_TABLE_ROWS]),
    )
    sentence = words.attempts_sentence(settled, figures.attempts.get(1, 0))
    return _panel("attempts", sentence, ranks(_cut_rows(rows, "row")), table)


def _findings(figures: RecordFigures) -> Panel:
    found = figures.findings
    rows = [
        Row(
            words=each.words,
            value=each.outputs,
            said=f"{each.outputs:,}",
            code=each.code if each.words != each.code else "",
        )
        for each in found
    ]
    cells = [
        (
            each.words,
            each.code + (f" ({words.NOTE})" if each.severity == "note" else ""),
            f"{each.outputs:,}",
        )
        for each in found[:_TABLE_ROWS]
    ]
    rest = found[_TABLE_ROWS:]
    if rest:
        outputs = sum(each.outputs for each in rest)
        cells.append((words.rest_words(len(rest), "code"), "", f"{outputs:,}"))
    table = Table(columns=(words.MEANING, words.CODE, words.OUTPUTS), rows=tuple(cells))
    sentence = words.findings_sentence(figures.judged, len({each.code for each in found}))
    drawing = ranks(_cut_rows(rows, "code"), colour="rejected")
    return _panel("findings", sentence, drawing, table)


def _latency(figures: RecordFigures) -> Panel:
    def line(name: str, take: str) -> Series:
        values = [getattr(each, take) for each in figures.latency]
        whole = getattr(figures.latency_whole, take)
        said = words.NOT_KNOWN if whole is None else short_time(whole)
        return Series(name=name, values=values, said=said)

    series = [
        line(words.LONGEST, "max"),
        line(words.NINE_TENTHS, "p90"),
        line(words.HALF, "p50"),
    ]
    drawing = lines(
        figures.periods,
        series,
        axis=words.HEADINGS["latency"].lower(),
        logarithmic=words.LOGARITHMIC,
        write=short_time,
    )
    heads = (words.EXCHANGES, words.HALF, words.NINE_TENTHS, words.LONGEST)
    table = Table(
        columns=(words.PERIOD, *heads),
        rows=tuple(
            (period, *_latency_cells(each))
            for period, each in zip(figures.periods, figures.latency, strict=True)
        ),
        total=(words.TOTAL, *_latency_cells(figures.latency_whole)),
    )
    known = figures.latency_whole.exchanges
    sentence = words.latency_sentence(known, figures.exchanges - known)
    return _panel("latency", sentence, drawing if known else "", table)


def _latency_cells(latency: Latency) -> tuple[str, ...]:
    times = (latency.p50, latency.p90, latency.max)
    return f"{latency.exchanges:,}", *("–" if each is None else f"{each:,} ms" for each in times)


def _tokens(figures: RecordFigures) -> Panel:
    series = [
        Series(name=words.INPUT, values=figures.input_tokens,
               said=short_number(sum(figures.input_tokens))),
        Series(name=words.OUTPUT, values=figures.output_tokens, filling="hatch",
               said=short_number(sum(figures.output_tokens))),
    ]  # fmt: skip
    drawing = stacked_bars(
        "tokens",
        figures.periods,
        series,
        axis=words.per_period(words.HEADINGS["tokens"].lower(), figures.unit),
        write=short_number,
    )
    sentence = words.tokens_sentence(figures.exchanges, figures.uncounted)
    counted = any(figures.input_tokens) or any(figures.output_tokens)
    return _panel("tokens", sentence, drawing if counted else "", _by_period(figures, series))


def _cost(figures: RecordFigures) -> Panel:
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
        axis=words.per_period(words.HEADINGS["cost"].lower(), figures.unit),
        write=short_amount,
    )
    table = Table(
        columns=(words.PERIOD, *(cost.currency for cost in figures.costs)),
        rows=tuple(
            (period, *(written_amount(cost.amounts[at]) for cost in figures.costs))
            for at, period in enumerate(figures.periods)
        )
        if figures.costs
        else (),
        total=(
            words.TOTAL,
            *(
                mark + written_amount(cost.total)
                for cost, mark in zip(figures.costs, marks, strict=True)
            ),
        ),
    )
    sentence = words.cost_sentence(
        figures.unpriced,
        any(cost.estimated for cost in figures.costs),
        drawn=min(_CURRENCIES, len(figures.costs)),
        currencies=len(figures.costs),
    )
    return _panel("cost", sentence, drawing if series else "", table)


def _models(figures: RecordFigures) -> Panel:
    rows = [
        Row(words=each.name, value=each.exchanges, said=f"{each.exchanges:,}")
        for each in figures.models
    ]
    heads = (words.EXCHANGES, words.FAILED, words.INPUT, words.OUTPUT, words.HALF)
    cells = [
        (
            each.name,
            f"{each.exchanges:,}",
            f"{each.failed:,}",
            f"{each.input_tokens:,}",
            f"{each.output_tokens:,}",
            _latency_cells(each.latency)[1],
        )
        for each in figures.models[:_TABLE_ROWS]
    ]
    rest = figures.models[_TABLE_ROWS:]
    if rest:
        exchanges = sum(each.exchanges for each in rest)
        failed = sum(each.failed for each in rest)
        read = sum(each.input_tokens for each in rest)
        wrote = sum(each.output_tokens for each in rest)
        name = words.rest_words(len(rest), "model")
        cells.append((name, f"{exchanges:,}", f"{failed:,}", f"{read:,}", f"{wrote:,}", "–"))
    table = Table(columns=(words.MODEL, *heads), rows=tuple(cells))
    sentence = words.models_sentence(len(figures.models))
    return _panel("models", sentence, ranks(_cut_rows(rows, "model")), table)


def _redactions(figures: RecordFigures) -> Panel:
    classes = list(figures.redactions.items())
    most = len(classes) if len(classes) <= _STACKED else _STACKED - 1
    drawn = [*classes[:most]]
    if classes[most:]:
        rest = tuple(map(sum, zip(*(counts for _, counts in classes[most:]), strict=True)))
        drawn.append((words.REST, rest))
    series = [
        Series(name=name, values=counts, said=short_number(sum(counts)), filling=filling)
        for (name, counts), filling in zip(drawn, _FILLINGS, strict=False)
    ]
    drawing = stacked_bars(
        "redactions",
        figures.periods,
        series,
        axis=words.per_period(words.PLACES, figures.unit),
        write=short_number,
    )
    cells = [(name, f"{sum(counts):,}") for name, counts in classes[:_TABLE_ROWS]]
    more = classes[_TABLE_ROWS:]
    if more:
        places = sum(sum(counts) for _, counts in more)
        cells.append((words.rest_words(len(more), "class"), f"{places:,}"))
    heads: tuple[str, ...] = (words.CLASS, words.TOTAL)
    table = Table(columns=heads, rows=tuple(cells))
    if 0 < len(series) == len(classes):
        table = _by_period(figures, series)
    found = sum(sum(counts) for _, counts in classes)
    sentence = words.redactions_sentence(found, figures.prompts)
    return _panel("redactions", sentence, drawing if series else "", table)


# --- numbers and rows --------------------------------------------------------------------------


def _by_period(figures: RecordFigures, series: Sequence[Series]) -> Table:
    """A row for each period, whole numbers written out."""
    return Table(
        columns=(words.PERIOD, *(each.name for each in series)),
        rows=tuple(
            (period, *(f"{int(each.values[at] or 0):,}" for each in series))
            for at, period in enumerate(figures.periods)
        ),
        total=(words.TOTAL, *(f"{int(sum(v or 0 for v in each.values)):,}" for each in series)),
    )


def _cut_rows(rows: Sequence[Row], what: str) -> list[Row]:
    """The first rows, and one for the sum of the rest."""
    if len(rows) <= _DRAWN_ROWS:
        return list(rows)
    shown, rest = rows[: _DRAWN_ROWS - 1], rows[_DRAWN_ROWS - 1 :]
    value = sum(row.value for row in rest)
    name = words.rest_words(len(rest), what)
    last = Row(words=name, value=value, said=f"{int(value):,}", rest=True)
    return [*shown, last]


def short_number(value: float) -> str:
    """`950`, `12.3k`, `4M`.

    Example:
        >>> short_number(950), short_number(12345), short_number(0.5), short_number(4e6)
        ('950', '12.3k', '0.5', '4M')
    """
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.1f}".removesuffix(".0") + letter
    return f"{value:.1f}".removesuffix(".0")


def short_time(milliseconds: float) -> str:
    """`850 ms`, `1.2 s`, `5 min`.

    Example:
        >>> short_time(850), short_time(1200), short_time(300_000), short_time(7_200_000)
        ('850 ms', '1.2 s', '5 min', '2 h')
    """
    for limit, unit in ((3_600_000, "h"), (60_000, "min"), (1_000, "s")):
        if milliseconds >= (limit if unit == "s" else 2 * limit):
            return f"{milliseconds / limit:.1f}".removesuffix(".0") + f" {unit}"
    return f"{milliseconds:.1f}".removesuffix(".0") + " ms"


def short_amount(amount: float) -> str:
    """Three digits that count, without an exponent.

    Example:
        >>> short_amount(0.00012345), short_amount(12.5), short_amount(1234567), short_amount(0)
        ('0.000123', '12.5', '1.2M', '0')
    """
    if amount >= 1000:
        return short_number(amount)
    digits = 0 if amount == 0 else max(0, 2 - math.floor(math.log10(amount)))
    text = f"{amount:.{min(digits, 18)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
