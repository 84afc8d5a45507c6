"""The page of figures: one HTML file that asks nothing of a network and runs nothing.

In      RecordFigures
Out     a whole HTML document
Pure    yes: equal figures give equal bytes; no moment of its own stands in it
Spec    007-F1, 007-F3, 007-F4
"""

from __future__ import annotations

import csv
import io
from base64 import b64encode
from hashlib import sha256
from typing import Final
from urllib.parse import quote

from assay.figures.chart_parts import HEIGHT, WIDTH
from assay.figures.markup import element, escape
from assay.figures.panel import Panel, Table
from assay.figures.panels import panels_of
from assay.figures.record_figures import RecordFigures
from assay.figures.style import DARK, LIGHT, custom_properties
from assay.figures.words import ENGLISH, tell_filters, tell_record


def figures_page(figures: RecordFigures, *, store: str = "URL") -> str:
    """Draw the page.

    Args:
        store: Named in the command that fills an empty record.
    """
    if figures.drawable:
        body = element("main", *map(_figure, panels_of(figures)), class_="panels")
    else:
        body = element("main", _empty_text(figures, store))
    content = f"{element('header', *_heading(figures))}{body}"
    return (
        f'<!doctype html>\n<html lang="{ENGLISH.language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{ENGLISH('chart.title')}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n{content}\n</body>\n</html>\n"
    )


def _heading(figures: RecordFigures) -> list[str]:
    said = [element("h1", ENGLISH("chart.title"))]
    asked = tell_filters(ENGLISH, figures)
    shown = ENGLISH("chart.shows", filters=asked) if asked else ENGLISH("chart.shows_all")
    said.append(element("p", escape(shown), " ", ENGLISH("chart.times")))
    if figures.last is not None:
        said.append(element("p", escape(tell_record(ENGLISH, figures)), class_="record"))
    return said


def _empty_text(figures: RecordFigures, store: str) -> str:
    if figures.events and figures.filters:
        return element("h2", ENGLISH("chart.none_title")) + element("p", ENGLISH("chart.none"))
    command = f"assay run intake MAIL… --store {store}"
    return element("h2", ENGLISH("chart.empty_title")) + element(
        "p", ENGLISH("chart.empty"), " ", element("code", escape(command))
    )


def _figure(panel: Panel) -> str:
    """A picture with its sentence; its heading is its address, its table is folded."""
    link = element("a", escape(panel.heading), href=f"#{panel.name}")
    sentence = element("p", escape(panel.sentence), id=f"{panel.name}-said")
    if panel.drawing:
        picture = element(
            "svg",
            panel.drawing,
            viewBox=f"0 0 {WIDTH} {HEIGHT}",
            role="img",
            aria_label=panel.heading,
            aria_describedby=f"{panel.name}-said",
        )
    else:
        picture = element("p", ENGLISH("chart.none_here"), class_="none")
    behind = _table(panel) if panel.table.rows else ""
    return element("section", element("h2", link), sentence, picture, behind, id=panel.name)


def _table(panel: Panel) -> str:
    table = panel.table
    head = "".join(element("th", escape(name), scope="col") for name in table.columns)
    rows = "".join(element("tr", _cells(row)) for row in table.rows)
    foot = element("tfoot", element("tr", _cells(table.total))) if table.total else ""
    drawn = element("table", element("thead", element("tr", head)), element("tbody", rows), foot)
    # A scrolling box is reached by keyboard only when it can take the focus.
    box = element("div", drawn, class_="scroll", tabindex=0, role="region",
                  aria_label=f"{panel.heading}: {ENGLISH('chart.table')}")  # fmt: skip
    link = element(
        "a",
        ENGLISH("chart.csv"),
        href=f"data:text/csv;charset=utf-8,{quote(csv_text(table), safe='')}",
        download=f"{panel.name}.csv",
    )
    summary = element(
        "summary", f"{ENGLISH('chart.table')}", element("span", f": {escape(panel.heading)}")
    )
    return element("details", summary, box, element("p", link))


def _cells(row: tuple[str, ...]) -> str:
    first, *others = row
    return element("th", escape(first), scope="row") + "".join(
        element("td", escape(text)) for text in others
    )


def csv_text(table: Table) -> str:
    """A table as CSV; a cell that a spreadsheet would take for a formula begins with `'`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    for row in (table.columns, *table.rows, *([table.total] if table.total else [])):
        writer.writerow([f"'{cell}" if cell[:1] in _FORMULA else cell for cell in row])
    return text.getvalue()


_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def colour_rules(colours: dict[str, str]) -> str:
    """The classes of the drawings, with a value for each colour."""
    rules = [
        f".f-{name}{{fill:{value}}}.s-{name}{{fill:none;stroke:{value};stroke-width:2}}"
        f".o-{name}{{stroke:{value};stroke-width:1.2}}"
        for name, value in colours.items()
        if name not in ("paper", "soft", "line", "ink")
    ]
    return (
        f"{''.join(rules)}text{{fill:{colours['ink']};font-size:12px}}"
        f"text.muted{{fill:{colours['muted']}}}.rule{{stroke:{colours['line']}}}"
        f".trough{{fill:{colours['soft']}}}"
        "pattern .s-accent,pattern .s-review,pattern .s-rejected{stroke-width:1.5}"
        ".dash1{stroke-dasharray:7 3}.dash2{stroke-dasharray:2 3}"
    )


STYLE: Final = (
    f":root{{color-scheme:light dark;{custom_properties(LIGHT)}}}"
    f"@media (prefers-color-scheme:dark){{:root{{{custom_properties(DARK)}}}}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;padding:16px;max-width:112rem;background:var(--paper);color:var(--ink);"
    "font:14px/20px system-ui,sans-serif;overflow-wrap:anywhere}"
    "h1{font-size:28px;line-height:36px;margin:0 0 8px}"
    "h2{font-size:16px;line-height:24px;margin:0}"
    "p{margin:0 0 8px;max-width:75ch}"
    "a{color:var(--accent)}h2 a{color:inherit;text-decoration:none}h2 a:hover{"
    "text-decoration:underline}"
    ":focus-visible{outline:2px solid var(--accent);outline-offset:2px}"
    "code,.record{font:13px/20px ui-monospace,monospace;color:var(--muted)}"
    ".panels{display:grid;gap:16px;"
    "grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr))}"
    # Heading, sentence, picture and table of a row of panels stand at the same heights.
    "section{display:grid;grid-row:span 4;grid-template-rows:subgrid;row-gap:0;"
    "grid-template-columns:minmax(0,1fr);border:1px solid var(--line);border-radius:4px;"
    "padding:12px 16px;min-width:0;scroll-margin:16px}"
    "section:target{border-color:var(--accent)}"
    "section p{font-size:13px;color:var(--muted)}"
    "details p{margin:8px 0 0}"
    "svg{display:block;width:100%;height:auto;overflow:visible}"
    f"{colour_rules({name: f'var(--{name})' for name in LIGHT})}"
    "summary{cursor:pointer;color:var(--accent);padding:4px 0}"
    "summary span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}"
    ".scroll{overflow:auto;max-height:20rem}"
    "table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums;width:100%}"
    "th,td{padding:2px 8px;text-align:right;border-bottom:1px solid var(--line)}"
    "th:first-child{text-align:left;font-weight:400}thead th,tfoot th,tfoot td{font-weight:600}"
    "thead th{position:sticky;top:0;background:var(--paper)}"
    "th,td{white-space:nowrap;overflow-wrap:normal}tbody th{white-space:normal;min-width:14ch}"
    "@media (min-width:1700px){.panels{grid-template-columns:repeat(4,1fr)}}"
    "@media print{body{padding:0;max-width:none;font-size:9pt;--paper:#fff;--ink:#000}"
    ".panels{grid-template-columns:1fr 1fr;gap:8px}section{break-inside:avoid;padding:6px 10px}"
    "details:not([open]){display:none}details p{display:none}.scroll{max-height:none}}"
)
_DIGEST: Final = b64encode(sha256(STYLE.encode("utf-8")).digest()).decode("ascii")
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'"
)
"""Nothing is fetched and nothing runs; one style sheet counts, and it is this one."""
