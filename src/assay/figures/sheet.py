"""The same pictures as SVG that stand alone, for what draws no style sheet: one, or all eight.

In      RecordFigures
Out     SVG documents, light
Pure    yes
Spec    007-F6
"""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from assay.figures import words
from assay.figures.chart_parts import HEIGHT, WIDTH
from assay.figures.markup import element, escape
from assay.figures.page import colour_rules
from assay.figures.panels import Panel, panels_of
from assay.figures.record_figures import RecordFigures
from assay.figures.style import LIGHT

_MARGIN: Final = 24
_HEAD: Final = 56
_TITLE: Final = 84
_LINES, _LINE_CHARS = 3, 56
_COLUMNS: Final = 4
_CELL = WIDTH + 2 * _MARGIN, HEIGHT + _TITLE + _MARGIN


def sheet_svg(figures: RecordFigures) -> str:
    """All eight pictures on one sheet, under the line that says of what record they are."""
    panels = panels_of(figures) if figures.calls else ()
    cells = []
    for number, panel in enumerate(panels):
        x, y = number % _COLUMNS * _CELL[0], _HEAD + number // _COLUMNS * _CELL[1]
        cells.append(element("g", _cell(panel), transform=f"translate({x} {y})"))
    if not panels:
        title = words.NONE_TITLE if figures.events and figures.filters else words.EMPTY_TITLE
        cells.append(_line(_MARGIN, _HEAD + 30, title))
    line = words.record_line(figures.events, *figures.last) if figures.last else ""
    asked = [words.FILTERS[name].format(value) for name, value in figures.filters.items()]
    head = _line(_MARGIN, 28, ". ".join([words.TITLE, *([", ".join(asked)] if asked else [])]),
                 large=True)  # fmt: skip
    head += _line(_MARGIN, 46, line)
    rows = -(-max(len(panels), 1) // _COLUMNS)
    return _document(_COLUMNS * _CELL[0], _HEAD + rows * _CELL[1], head + "".join(cells))


def panel_svgs(figures: RecordFigures) -> dict[str, str]:
    """Name of each picture -> it alone."""
    panels = panels_of(figures) if figures.calls else ()
    return {panel.name: _document(*_CELL, _cell(panel)) for panel in panels}


def _cell(panel: Panel) -> str:
    drawn = element("g", panel.drawing, transform=f"translate({_MARGIN} {_TITLE})")
    if not panel.drawing:
        drawn = _line(_MARGIN, _TITLE + 20, words.NONE_HERE)
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
