"""Small charts of one size as SVG: stacked bars, lines, ranks.

In      numbers with names and units
Out     the inside of an SVG of WIDTH by HEIGHT; colours are classes of the style sheet
Pure    yes: equal numbers give equal bytes
Spec    007-F1, 007-F3

Series differ by filling or by dashes and have their name beside them: no colour tells them apart
alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from assay.figures.chart_parts import (
    BOTTOM,
    HEIGHT,
    LEFT,
    LINE,
    NAME_CHARS,
    NAMES_AT,
    RIGHT,
    TOP,
    WIDTH,
    cut_middle,
    cut_words,
    draw_axis_title,
    draw_text,
    draw_ticks,
    draw_time_axis,
    place_bars,
    place_height,
    shorten,
)

_LOG_FROM = 30
_ROW_CHARS: Final = 52
_FEW_CHARS: Final = 12

Filling = Literal["solid", "hatch", "hollow", "dots", "cross"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Numbers over the periods of an axis."""

    name: str
    values: Sequence[float | None]
    """None is not known: a bar is left out, a line is broken."""

    said: str
    """What stands under its name: a total, a unit."""

    colour: str = "accent"
    filling: Filling = "solid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One of several things that are compared by length."""

    words: str
    value: float
    said: str
    """The value as it is written."""

    code: str = ""
    """Stands after the words and is never cut for their sake."""

    rest: bool = False
    """The sum of many others: told, and not compared with single ones."""


def stacked_bars(
    name: str,
    periods: Sequence[str],
    series: Sequence[Series],
    *,
    axis: str,
    write: Callable[[float], str],
) -> str:
    """Bars of which each is the sum of its series, the first at the foot.

    Args:
        name: Unique on the page; names the patterns.
        axis: What is counted, with its unit.
        write: A tick as text.
    """
    sums = [sum(each.values[at] or 0 for each in series) for at in range(len(periods))]
    ticks = ticks_up_to(max(sums, default=0), least=1)
    bars = place_bars(len(periods))
    feet = [0.0] * len(periods)
    drawn = [
        _patterns(name, series),
        draw_ticks(ticks, lambda v: place_height(v, ticks[-1]), write),
    ]
    for each in series:
        pieces = []
        for at, value in enumerate(each.values):
            if not value:
                continue
            low, high = place_height(feet[at], ticks[-1]), place_height(feet[at] + value, ticks[-1])
            feet[at] += value
            left, right = bars[at]
            pieces.append(f"M{left} {shorten(low)}H{right}V{shorten(high)}H{left}z")
        drawn.append(_area("".join(pieces), name, each))
    top_down = list(reversed(series))
    drawn += [_key(name, each, TOP + 8 + 34 * at) for at, each in enumerate(top_down)]
    return "".join([*drawn, draw_time_axis(periods), draw_axis_title(axis)])


def lines(
    periods: Sequence[str],
    series: Sequence[Series],
    *,
    axis: str,
    logarithmic: str,
    write: Callable[[float], str],
) -> str:
    """A line for each series, named at its end; points where a neighbour is missing.

    Args:
        logarithmic: Added to the axis where the largest is far from the smallest, so that both
            can be read.
    """
    known = [value for each in series for value in each.values if value is not None]
    most, least = max(known, default=0), min((v for v in known if v > 0), default=1)
    if most / max(least, 1) > _LOG_FROM:
        low = math.floor(math.log10(max(least, 1)))
        high = max(math.ceil(math.log10(most)), low + 1)
        ticks = [10.0**power for power in range(low, high + 1)]
        axis += logarithmic

        def place(value: float) -> float:
            share = (math.log10(max(value, ticks[0])) - low) / (high - low)
            return BOTTOM - share * (BOTTOM - TOP)
    else:
        ticks = ticks_up_to(most)

        def place(value: float) -> float:
            return place_height(value, ticks[-1])

    width = (RIGHT - LEFT) / max(len(periods), 1)
    drawn = [draw_ticks(ticks, place, write)]
    ends: list[tuple[float, Series]] = []
    for number, each in enumerate(series):
        path, points = "", []
        before: float | None = None
        for at, value in enumerate(each.values):
            if value is None:
                before = None
                continue
            x, y = shorten(LEFT + (at + 0.5) * width), shorten(place(value))
            path += f"{'M' if before is None else 'L'}{x} {y}"
            following = each.values[at + 1] if at + 1 < len(periods) else None
            if before is None and following is None:
                points.append(f'<circle cx="{x}" cy="{y}" r="3"/>')
            before = value
        drawn.append(f'<path d="{path}" class="s-{each.colour} dash{number}"/>')
        drawn.append(f'<g class="f-{each.colour}">{"".join(points)}</g>')
        last = next((value for value in reversed(each.values) if value is not None), None)
        if last is not None:
            ends.append((place(last), each))
    drawn += _names_at_ends(ends, series)
    return "".join([*drawn, draw_time_axis(periods), draw_axis_title(axis)])


def ranks(rows: Sequence[Row], *, colour: str = "accent") -> str:
    """Horizontal bars under their words, the longest as wide as the chart."""
    most = max((row.value for row in rows if not row.rest), default=0) or 1
    step = min(36.0, HEIGHT / max(len(rows), 1))
    drawn = []
    for number, row in enumerate(rows):
        y = number * step
        code = f" · {cut_words(row.code, 40)}" if row.code else ""
        room = _ROW_CHARS - len(row.said) - len(code)
        words = cut_words(row.words, room) if room >= _FEW_CHARS or not code else ""
        drawn.append(draw_text(0, y + 13, f"{words}{code}".removeprefix(" · ")))
        drawn.append(draw_text(WIDTH, y + 13, row.said, anchor="end"))
        if row.rest:
            continue
        width = row.value / most * WIDTH
        drawn.append(
            f'<path d="M0 {shorten(y + 18)}H{WIDTH}V{shorten(y + 27)}H0z" class="trough"/>'
        )
        if width:
            path = f"M0 {shorten(y + 18)}H{shorten(max(width, 1))}V{shorten(y + 27)}H0z"
            drawn.append(f'<path d="{path}" class="f-{colour}"/>')
    return "".join(drawn)


def bars_apart(
    name: str,
    periods: Sequence[str],
    series: Sequence[Series],
    *,
    axis: str,
    write: Callable[[float], str],
) -> str:
    """A strip of bars for each series, each with a scale of its own: they are not compared."""
    height = (BOTTOM - TOP) / max(len(series), 1)
    bars = place_bars(len(periods))
    drawn = []
    for number, each in enumerate(series):
        foot = TOP + height * (number + 1)
        room = height - (14 if len(series) > 1 else 0)
        top = ticks_up_to(max((value or 0 for value in each.values), default=0))[-1]
        pieces = []
        for at, value in enumerate(each.values):
            if value:
                left, right = bars[at]
                high = shorten(foot - value / top * room)
                pieces.append(f"M{left} {shorten(foot)}H{right}V{high}H{left}z")
        for tick in (0.0, top):
            y = foot - tick / top * room
            drawn.append(f'<path d="M{LEFT} {shorten(y)}H{RIGHT}" class="rule"/>')
            drawn.append(draw_text(LEFT - 5, y + 4, write(tick), anchor="end", muted=True))
        drawn.append(_area("".join(pieces), name, each))
        drawn.append(draw_text(NAMES_AT, foot - room + 12, cut_words(each.name, NAME_CHARS)))
        drawn.append(draw_text(NAMES_AT, foot - room + 26, each.said, muted=True))
    return "".join([*drawn, draw_time_axis(periods), draw_axis_title(axis)])


def ticks_up_to(most: float, *, least: float = 0.0) -> list[float]:
    """Round numbers from nought to *most* or a little more, two to six of them.

    Args:
        least: No step is smaller; 1 for what comes in wholes.

    Example:
        >>> ticks_up_to(7), ticks_up_to(0), ticks_up_to(1, least=1)
        ([0.0, 2.0, 4.0, 6.0, 8.0], [0.0, 1.0], [0.0, 1.0])
    """
    if most <= 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(most / 2))
    step = max(next(m * power for m in (1, 2, 5, 10) if most / (m * power) <= 5), least)
    return [float(step * number) for number in range(math.ceil(most / step - 1e-9) + 1)]


# --- series -------------------------------------------------------------------------------------


def _names_at_ends(ends: Sequence[tuple[float, Series]], series: Sequence[Series]) -> list[str]:
    """The name of each line at the height where it ends, moved apart where they would touch."""
    drawn: list[str] = []
    free = float(TOP)
    step = 2 * LINE + 2
    left = len(ends)
    for y, each in sorted(ends, key=lambda pair: pair[0]):
        at = max(free, min(y - 2, BOTTOM + 14 - step * left))
        left -= 1
        free = at + step
        number = list(series).index(each)
        sample = (
            f'<path d="M{NAMES_AT} {shorten(at - 4)}h18" class="s-{each.colour} dash{number}"/>'
        )
        drawn.append(sample)
        drawn.append(draw_text(NAMES_AT + 22, at, cut_words(each.name, NAME_CHARS - 3)))
        drawn.append(draw_text(NAMES_AT, at + LINE, each.said, muted=True))
    return drawn


def _key(name: str, series: Series, y: float) -> str:
    square = f"M{NAMES_AT} {shorten(y - 9)}h10v10h-10z"
    drawn = _area(square, name, series)
    drawn += draw_text(NAMES_AT + 15, y, cut_middle(series.name, NAME_CHARS - 2))
    return drawn + draw_text(NAMES_AT, y + LINE, series.said, muted=True)


def _area(path: str, name: str, series: Series) -> str:
    if not path:
        return ""
    if series.filling == "solid":
        return f'<path d="{path}" class="f-{series.colour}"/>'
    if series.filling == "hollow":
        return f'<path d="{path}" class="o-{series.colour}" fill="none"/>'
    fill = f"url(#{name}-{series.filling})"
    return f'<path d="{path}" class="o-{series.colour}" fill="{fill}"/>'


def _patterns(name: str, series: Sequence[Series]) -> str:
    """The fillings that the series use."""
    drawn = [
        f'<pattern id="{name}-{each.filling}" width="6" height="6" '
        f'patternUnits="userSpaceOnUse">{_PATTERNS[each.filling].format(colour=each.colour)}'
        "</pattern>"
        for each in series
        if each.filling in _PATTERNS
    ]
    return f"<defs>{''.join(drawn)}</defs>" if drawn else ""


_PATTERNS: Final = {
    "hatch": '<path d="M-1 1l2-2M0 6l6-6M5 7l2-2" class="s-{colour}"/>',
    "dots": '<circle cx="3" cy="3" r="1.4" class="f-{colour}"/>',
    "cross": '<path d="M0 0l6 6M6 0l-6 6" class="s-{colour}"/>',
}
