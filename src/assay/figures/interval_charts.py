"""Charts of shares with how sure they are: over time, and against what was stated.

In      shares with their intervals
Out     the inside of an SVG of WIDTH by HEIGHT
Pure    yes
Spec    007-F9, 007-F10

Each share is a point with the line of its interval: few cases make a long line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from assay.figures.chart_parts import (
    BOTTOM,
    LEFT,
    LINE,
    NAME_CHARS,
    NAMES_AT,
    RIGHT,
    TOP,
    cut_words,
    draw_axis_title,
    draw_text,
    draw_ticks,
    draw_time_axis,
    place_height,
    shorten,
)
from assay.figures.intervals import Share

_TICKS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_STEP: Final = 34


@dataclass(frozen=True, slots=True, kw_only=True)
class SideNote:
    """What stands beside a chart: a name and a number."""

    name: str
    said: str


def draw_shares(
    periods: Sequence[str],
    shares: Sequence[Share],
    *,
    whole: Share,
    told: Sequence[SideNote],
    axis: str,
    write: Callable[[float], str],
) -> str:
    """A point with its interval for each period, and a dashed line for all of them.

    Args:
        whole: The share of all periods together.
        told: Stands at the side, what the dashed line is first.
    """
    width = (RIGHT - LEFT) / max(len(periods), 1)
    drawn = [draw_ticks(_TICKS, _height, write)]
    if whole.value is not None:
        y = shorten(_height(whole.value))
        drawn.append(f'<path d="M{LEFT} {y}H{RIGHT}" class="s-muted dash1"/>')
    for at, share in enumerate(shares):
        if share.value is not None:
            drawn.append(_point(LEFT + (at + 0.5) * width, share))
    for at, each in enumerate(told):
        drawn.append(_tell_beside(each, TOP + 8 + _STEP * at, sampled=at == 0))
    return "".join([*drawn, draw_time_axis(periods), draw_axis_title(axis)])


def draw_curve(
    points: Sequence[tuple[float, Share]],
    *,
    across: str,
    axis: str,
    diagonal: str,
    told: SideNote,
    write: Callable[[float], str],
) -> str:
    """Shares over what was stated, from nought to one both ways, with the line of what is exact.

    Args:
        across: What is stated, under the chart.
        diagonal: Name of the line on which every statement would be true as often as it says.
        told: Stands at the side, for the points.
    """
    drawn = [
        draw_ticks(_TICKS, _height, write),
        f'<path d="M{LEFT} {BOTTOM}L{RIGHT} {TOP}" class="s-muted dash1"/>',
    ]
    line = ""
    for stated, share in points:
        if share.value is not None:
            x = _place_across(stated)
            line += f"{'L' if line else 'M'}{shorten(x)} {shorten(_height(share.value))}"
            drawn.append(_point(x, share))
    drawn.append(f'<path d="{line}" class="s-accent"/>')
    y = BOTTOM + 16
    for at, anchor in ((0.0, None), (0.5, "middle"), (1.0, "end")):
        text = write(at) if at != 0.5 else across
        drawn.append(draw_text(_place_across(at), y, text, anchor=anchor, muted=True))
    sample = TOP + 8
    drawn.append(f'<path d="M{NAMES_AT} {sample - 4}h18" class="s-muted dash1"/>')
    drawn.append(draw_text(NAMES_AT + 22, sample, cut_words(diagonal, NAME_CHARS - 3)))
    sample += _STEP
    drawn.append(f'<path d="M{NAMES_AT} {sample - 4}h18" class="s-accent"/>')
    drawn.append(f'<circle cx="{NAMES_AT + 9}" cy="{sample - 4}" r="3" class="f-accent"/>')
    drawn.append(draw_text(NAMES_AT + 22, sample, cut_words(told.name, NAME_CHARS - 3)))
    drawn.append(draw_text(NAMES_AT, sample + LINE, told.said, muted=True))
    return "".join([*drawn, draw_axis_title(axis)])


def _point(x: float, share: Share) -> str:
    high, low = shorten(_height(share.high)), shorten(_height(share.low))
    at, y = shorten(x), shorten(_height(share.value or 0.0))
    line = f'<path d="M{at} {high}V{low}" class="o-accent"/>'
    return f'{line}<circle cx="{at}" cy="{y}" r="3" class="f-accent"/>'


def _tell_beside(told: SideNote, y: float, *, sampled: bool) -> str:
    sample = f'<path d="M{NAMES_AT} {y - 4}h18" class="s-muted dash1"/>' if sampled else ""
    name = draw_text(NAMES_AT + 22 * sampled, y, cut_words(told.name, NAME_CHARS))
    return sample + name + draw_text(NAMES_AT, y + LINE, told.said, muted=True)


def _height(share: float) -> float:
    return place_height(share, 1.0)


def _place_across(share: float) -> float:
    return LEFT + share * (RIGHT - LEFT)
