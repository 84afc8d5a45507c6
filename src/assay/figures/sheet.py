"""The same pictures as SVG that stand alone, for what draws no style sheet: one, or all twelve.

In      RecordFigures
Out     SVG documents, light
Pure    yes
Spec    007-F6
"""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from assay.figures.chart_parts import HEIGHT, WIDTH
from assay.figures.markup import element, escape
from assay.figures.page import colour_rules
from assay.figures.panel import Panel
from assay.figures.panels import panels_of
from assay.figures.record_figures import RecordFigures
from assay.figures.style import LIGHT
from assay.figures.words import ENGLISH, tell_filters, tell_record

_MARGIN: Final = 24
_HEAD: Final = 56
_TITLE: Final = 84
_LINES, _LINE_CHARS = 3, 56
_COLUMNS: Final = 4
_CELL = WIDTH + 2 * _MARGIN, HEIGHT + _TITLE + _MARGIN


def sheet_svg(figures: RecordFigures) -> str:
    """All twelve pictures on one sheet, under the line that says of what record they are."""
    panels = panels_of(figures) if figures.drawable else ()
    cells = []
    for number, panel in enumerate(panels):
        x, y = number % _COLUMNS * _CELL[0], _HEAD + number // _COLUMNS * _CELL[1]
        cells.append(element("g", _cell(panel), transform=f"translate({x} {y})"))
    if not panels:
        title = ENGLISH(f"chart.{'none' if figures.events and figures.filters else 'empty'}_title")
        cells.append(_line(_MARGIN, _HEAD + 30, title))
    asked = tell_filters(ENGLISH, figures)
    title = ". ".join([ENGLISH("chart.title"), *([asked] if asked else [])])
    head = _line(_MARGIN, 28, title, large=True)
    head += _line(_MARGIN, 46, tell_record(ENGLISH, figures))
    rows = -(-max(len(panels), 1) // _COLUMNS)
    return _document(_COLUMNS * _CELL[0], _HEAD + rows * _CELL[1], head + "".join(cells))


def panel_svgs(figures: RecordFigures) -> dict[str, str]:
    """Name of each picture -> it alone."""
    panels = panels_of(figures) if figures.drawable else ()
    return {panel.name: _document(*_CELL, _cell(panel)) for panel in panels}


def _cell(panel: Panel) -> str:
    drawn = element("g", panel.drawing, transform=f"translate({_MARGIN} {_TITLE})")
    if not panel.drawing:
        drawn = _line(_MARGIN, _TITLE + 20, ENGLISH("chart.none_here"))
    said = wrap(panel.sentence, _LINE_CHARS, max_lines=_LINES, placeholder=" …")
    lines = [_line(_MARGIN, 38 + 16 * at, line) for at, line in enumerate(said)]
    return "".join([_line(_MARGIN, 20, panel.heading, large=True), *lines, drawn])


def _line(x: int, y: int, text: str, *, large: bool = False) -> str:
    name = "large" if large else "muted"
    return element("text", escape(text), x=x, y=y, class_=name)


def _document(width: int, height: int, inner: str) -> str:
    style = colour_rules(dict(LIGHT)) + "text.large{font-size:16px}"
    return element(
        "svg",
        element("style", style),
        f'<path d="M0 0H{width}V{height}H0z" fill="{LIGHT["paper"]}"/>',
        element("g", inner, font_family="Bitstream Vera Sans, DejaVu Sans, sans-serif"),
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        viewBox=f"0 0 {width} {height}",
    )
