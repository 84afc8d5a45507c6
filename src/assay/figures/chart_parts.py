"""What all charts of one size are made of: their measures, texts, ticks, the axis of time.

In      numbers, places, texts
Out     pieces of SVG
Pure    yes
Spec    007-F1, 007-F3
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from assay.figures.markup import element, escape

WIDTH: Final = 360
HEIGHT: Final = 220
LEFT, RIGHT = 46, 262
TOP, BOTTOM = 26, 192
NAMES_AT = 272
NAME_CHARS = 14
LINE = 14
_BROADEST: Final = 28
_WIDE: Final = "@%"


def cut_words(text: str, most: int) -> str:
    """*text*, or its beginning and `…`."""
    return text if len(text) <= most else text[: max(most - 1, 1)].rstrip() + "…"


def cut_middle(text: str, most: int) -> str:
    """*text*, or its beginning, `…` and its end: names that begin alike stay apart.

    Args:
        most: In characters of common width; capitals need more.

    Example:
        >>> cut_middle("triage/claim@2", 15), cut_middle("triage/a_long_name@2", 12)
        ('triage/claim@2', 'tria…ame@2')
    """
    if _width(text) <= most:
        return text
    kept = len(text) - 1
    while kept > 2 and _width(text[: kept // 2] + text[kept // 2 - kept :]) > most - 2:
        kept -= 1
    return f"{text[: kept // 2]}…{text[kept // 2 - kept :]}"


def _width(text: str) -> float:
    return sum(1.35 if each.isupper() or each in _WIDE else 1.0 for each in text)


def shorten(value: float) -> str:
    """A coordinate to a tenth, without noughts at its end."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def place_bars(count: int) -> list[tuple[str, str]]:
    """Left and right edge of each of *count* bars: apart where there is room, never broad."""
    slot = (RIGHT - LEFT) / max(count, 1)
    width = min(slot - 1 if slot >= 4 else slot, _BROADEST)
    edge = LEFT + (slot - width) / 2
    return [(shorten(edge + at * slot), shorten(edge + at * slot + width)) for at in range(count)]


def place_height(value: float, most: float) -> float:
    return BOTTOM - value / most * (BOTTOM - TOP)


def draw_text(
    x: float, y: float, text: str, *, anchor: str | None = None, muted: bool = False
) -> str:
    return element(
        "text",
        escape(text),
        x=shorten(x),
        y=shorten(y),
        text_anchor=anchor,
        class_="muted" if muted else None,
    )


def draw_ticks(
    ticks: Sequence[float], place: Callable[[float], float], write: Callable[[float], str]
) -> str:
    drawn = []
    for tick in ticks:
        y = place(tick)
        drawn.append(f'<path d="M{LEFT} {shorten(y)}H{RIGHT}" class="rule"/>')
        drawn.append(draw_text(LEFT - 5, y + 4, write(tick), anchor="end", muted=True))
    return "".join(drawn)


def draw_axis_title(axis: str) -> str:
    return draw_text(0, 12, axis, muted=True)


def draw_time_axis(periods: Sequence[str]) -> str:
    """The first and the last period, and the one in the middle where there is room."""
    y = BOTTOM + 16
    if len(periods) == 1:
        return draw_text((LEFT + RIGHT) / 2, y, periods[0], anchor="middle", muted=True)
    if not periods:
        return ""
    drawn = draw_text(LEFT, y, periods[0], muted=True)
    drawn += draw_text(RIGHT, y, periods[-1], anchor="end", muted=True)
    if len(periods) >= 5 and len(periods[0]) <= 7:
        middle = len(periods) // 2
        x = LEFT + (middle + 0.5) * (RIGHT - LEFT) / len(periods)
        drawn += draw_text(x, y, periods[middle], anchor="middle", muted=True)
    return drawn
