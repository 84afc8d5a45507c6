"""One picture with all that is said of it, and what pictures have in common.

In      figures, words
Out     Panel, Table; tables by period, rows that are cut, short numbers
Pure    yes
Spec    007-F1, 007-F2
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from assay.core.text.catalogue import Words
from assay.figures.charts import Filling, Row, Series, stacked_bars
from assay.figures.record_figures import RecordFigures
from assay.figures.review_figures import Counts
from assay.figures.words import tell_period, tell_rest

TABLE_ROWS: Final = 40
_DRAWN_ROWS: Final = 6
_STACKED: Final = 5
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


def make_panel(name: str, words: Words, sentence: str, drawing: str, table: Table) -> Panel:
    """The panel of a name, under its heading."""
    heading = words(f"chart.name.{name}")
    return Panel(name=name, heading=heading, sentence=sentence, drawing=drawing, table=table)


def draw_names(
    name: str,
    figures: RecordFigures,
    words: Words,
    named: Mapping[str, Counts],
    *,
    counted: str,
    each_is: str,
    colour: str = "accent",
) -> tuple[str, Table]:
    """What is counted by name and period: bars of the most frequent, and the table behind them.

    Args:
        named: The most frequent first.
        counted: Word for what is counted.
        each_is: Word for what a name is of.
    """
    entries = [(key or words("chart.word.unnamed"), counts) for key, counts in named.items()]
    most = len(entries) if len(entries) <= _STACKED else _STACKED - 1
    drawn = [*entries[:most]]
    if entries[most:]:
        rest = tuple(map(sum, zip(*(counts for _, counts in entries[most:]), strict=True)))
        drawn.append((words("chart.rest"), rest))
    series = [
        Series(name=key, values=counts, said=short_number(sum(counts)), filling=filling,
               colour=colour)
        for (key, counts), filling in zip(drawn, _FILLINGS, strict=False)
    ]  # fmt: skip
    if not series:
        return "", Table(columns=(words(f"chart.word.{each_is}"), words("chart.total")), rows=())
    drawing = stacked_bars(
        name, figures.periods, series, axis=tell_period(words, counted, figures), write=short_number
    )
    if len(series) == len(entries):
        return drawing, tabulate_periods(figures, words, series)
    cells = [(key, f"{sum(counts):,}") for key, counts in entries[:TABLE_ROWS]]
    more = entries[TABLE_ROWS:]
    if more:
        number = sum(sum(counts) for _, counts in more)
        cells.append((tell_rest(words, each_is, len(more)), f"{number:,}"))
    heads = (words(f"chart.word.{each_is}"), words("chart.total"))
    return drawing, Table(columns=heads, rows=tuple(cells))


def tabulate_periods(figures: RecordFigures, words: Words, series: Sequence[Series]) -> Table:
    """A row for each period, whole numbers written out."""
    return Table(
        columns=(words("chart.period"), *(each.name for each in series)),
        rows=tuple(
            (period, *(f"{int(each.values[at] or 0):,}" for each in series))
            for at, period in enumerate(figures.periods)
        ),
        total=(
            words("chart.total"),
            *(f"{int(sum(v or 0 for v in each.values)):,}" for each in series),
        ),
    )


def cut_rows(rows: Sequence[Row], words: Words, what: str) -> list[Row]:
    """The first rows, and one for the sum of the rest."""
    if len(rows) <= _DRAWN_ROWS:
        return list(rows)
    shown, rest = rows[: _DRAWN_ROWS - 1], rows[_DRAWN_ROWS - 1 :]
    value = sum(row.value for row in rest)
    name = tell_rest(words, what, len(rest))
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
