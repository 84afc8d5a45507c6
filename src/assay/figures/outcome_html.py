"""One outcome as HTML, for notebooks and pages: what was found, and where it stands in the source.

In      texts, marks over them, status, findings, result
Out     one element with its own style; no script, no request
Pure    yes
Spec    007-F5

Long texts are cut around their marks, and it is said how much is left out. Marks may lie over
each other: each has a number and its label in words where it begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from assay.figures.markup import element, escape
from assay.figures.style import DARK, LIGHT, OUTCOME_COLOURS, custom_properties
from assay.figures.words import ENGLISH, SHAPE, tell_notebook_rest

AROUND: Final = 240
"""Code points of a long text that are shown before and after a mark."""

WHOLE: Final = 1200
"""A text of up to so many code points is shown whole."""

MOST_MARKS: Final = 200
MOST_FINDINGS: Final = 100
_MOST_ITEMS: Final = 50
_MOST_LEVELS: Final = 12
_MOST_CHARS: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place of a source text, and what it is evidence of."""

    source: str
    """Name of the text."""

    start: int
    """First code point covered."""

    stop: int
    """Exclusive."""

    label: str
    """What it stands for: a label, a field, an anchor."""


def outcome_html(
    *,
    title: str,
    status: str,
    reason: str | None = None,
    detail: str | None = None,
    findings: Sequence[Mapping[str, Any]] = (),
    result: Any = None,
    texts: Mapping[str, str] | None = None,
    marks: Sequence[Mark] = (),
) -> str:
    """Draw an outcome.

    Args:
        title: What it is the outcome of: an input, a contract, a question.
        status: `accepted`, `no_evidence`, `needs_review` or `rejected`.
        reason: The pinned code, where there is one.
        detail: One sentence on why, where there is one.
        findings: As `Finding.to_dict` gives them: `code`, `message`, `severity`, `path`.
        result: JSON, usually an object; None is left out.
        texts: The sources by name, as the marks count them.
        marks: Evidence in the sources, in any order.
    """
    sources = texts or {}
    numbered = list(enumerate(dict.fromkeys(marks), start=1))
    shown, rest = numbered[:MOST_MARKS], len(numbered) - MOST_MARKS
    placed = [pair for pair in shown if _is_inside(pair[1], sources)]
    parts = [
        _heading(title, status, reason, detail),
        _findings_list(findings, accepted=status == "accepted"),
        *(_source_text(name, text, placed) for name, text in sources.items()),
        _unplaced_list([pair for pair in shown if pair not in placed], sources),
        element("p", escape(tell_notebook_rest("more_marks", rest))) if rest > 0 else "",
        ""
        if result is None
        else element("h4", ENGLISH("chart.notebook.result")) + _value(result, _MOST_LEVELS),
    ]
    return element("div", f"<style>{STYLE}</style>", *parts, class_="assay-outcome")


def find_marks(result: Any) -> tuple[Mark, ...]:
    """The evidence that an audited *result* names, labelled by what it is evidence of.

    Evidence is a list named `evidence` of objects with `source`, `start` and `stop`, as results
    of contracts have it; its label is that of the object around it, or the name of its field.
    """
    return tuple(dict.fromkeys(_marks_in(result, "")))


def _marks_in(value: Any, field: str) -> Iterator[Mark]:
    if isinstance(value, Mapping):
        said = (str(v) for k, v in value.items() if isinstance(v, str) and _names(str(k)))
        label = next(said, field)
        for key, each in value.items():
            if key == "evidence" and isinstance(each, Sequence) and not isinstance(each, str):
                yield from (
                    Mark(source=e["source"], start=e["start"], stop=e["stop"], label=label)
                    for e in each
                    if isinstance(e, Mapping) and _is_place(e)
                )
            else:
                yield from _marks_in(each, str(key))
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for each in value:
            yield from _marks_in(each, field)


def _names(field: str) -> bool:
    """Whether a field says what its object is: `label`, `entity_type`, `key_type` …"""
    return field.rpartition("_")[2] in ("label", "kind", "type", "name")


def _is_place(value: Mapping[str, Any]) -> bool:
    return (
        isinstance(value.get("source"), str)
        and type(value.get("start")) is int
        and type(value.get("stop")) is int
    )


def _is_inside(mark: Mark, texts: Mapping[str, str]) -> bool:
    return mark.source in texts and 0 <= mark.start < mark.stop <= len(texts[mark.source])


# --- head and findings -------------------------------------------------------------------------


def _heading(title: str, status: str, reason: str | None, detail: str | None) -> str:
    sign = element("span", SHAPE.get(status, "·"), aria_hidden="true")
    word = escape(ENGLISH.find(f"chart.status.{status}") or status)
    colour = OUTCOME_COLOURS.get(status, "ink")
    told = element("strong", f"{sign} {word}", style=f"color:var(--{colour})")
    code = "" if reason is None else " " + element("code", escape(reason))
    line = element("p", element("bdi", escape(title)), " ", told, code, class_="head")
    return line + ("" if detail is None else element("p", escape(detail)))


def _findings_list(findings: Sequence[Mapping[str, Any]], *, accepted: bool) -> str:
    """Words first, code second; nothing is said of an accepted outcome without any."""
    if not findings:
        return (
            "" if accepted else element("p", ENGLISH("chart.notebook.no_findings"), class_="quiet")
        )
    items = []
    for finding in findings[:MOST_FINDINGS]:
        code = str(finding.get("code", ""))
        said = escape(str(finding.get("message") or "").rstrip(".") or code)
        note = f" ({ENGLISH('chart.word.note')})" if finding.get("severity") == "note" else ""
        place = finding.get("path")
        where = " " + element("span", escape(place), class_="quiet") if place else ""
        items.append(element("li", said, note, " ", element("code", escape(code)), where))
    rest = len(findings) - MOST_FINDINGS
    if rest > 0:
        items.append(element("li", escape(tell_notebook_rest("more_findings", rest))))
    return element("h4", ENGLISH("chart.notebook.findings")) + element("ul", *items)


# --- the result --------------------------------------------------------------------------------


def _value(value: Any, levels: int) -> str:
    """JSON for people: words for yes and no, lists and named fields, cut where it is long."""
    if isinstance(value, Mapping) and _is_place(value):
        where = escape(f" {value['source']} {value['start']}–{value['stop']}")
        quote = element("q", escape(value.get("snippet_redacted") or "…"))
        return quote + element("span", where, class_="quiet")
    if isinstance(value, Mapping) and value and levels:
        rows = [
            element("dt", escape(name)) + element("dd", _value(each, levels - 1))
            for name, each in list(value.items())[:_MOST_ITEMS]
        ]
        return element("dl", *rows, _rest_of(value))
    if _is_list(value) and value and levels:
        items = [element("li", _value(each, levels - 1)) for each in value[:_MOST_ITEMS]]
        return element("ul", *items, _rest_of(value, "li"))
    if value is None or ((_is_list(value) or isinstance(value, Mapping)) and not value):
        return element("span", ENGLISH("chart.notebook.nothing"), class_="quiet")
    if isinstance(value, bool):
        return ENGLISH("chart.notebook.yes") if value else ENGLISH("chart.notebook.no")
    text = str(value)
    cut = len(text) - _MOST_CHARS
    return escape(text[:_MOST_CHARS]) + (
        f" {escape(tell_notebook_rest('left_out', cut))}" if cut > 0 else ""
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _rest_of(value: Any, tag: str = "dt") -> str:
    rest = len(value) - _MOST_ITEMS
    return element(tag, escape(tell_notebook_rest("more_items", rest))) if rest > 0 else ""


# --- the texts ---------------------------------------------------------------------------------


def _source_text(name: str, text: str, numbered: Sequence[tuple[int, Mark]]) -> str:
    """A text with its marks; what lies far from every mark is left out."""
    here = [pair for pair in numbered if pair[1].source == name]
    shown = _windows(len(text), [mark for _, mark in here])
    drawn: list[str] = []
    after = 0
    for start, stop in shown:
        drawn.append(_gap(start - after))
        drawn.append(_marked_text(text, start, stop, here))
        after = stop
    drawn.append(_gap(len(text) - after))
    heading = element("h4", ENGLISH("chart.notebook.text"), " · ", element("bdi", escape(name)))
    return heading + element("div", *drawn, class_="text", dir="auto")


def _gap(chars: int) -> str:
    if chars <= 0:
        return ""
    return element("span", escape(tell_notebook_rest("left_out", chars)), class_="quiet gap")


def _windows(length: int, marks: Sequence[Mark]) -> list[tuple[int, int]]:
    """The parts of a text that are shown, in order, with room around each mark.

    A mark that is long itself is shown at both of its ends.
    """
    if length <= WHOLE:
        return [(0, length)] if length else []
    if not marks:
        return [(0, 2 * AROUND)]
    around: list[tuple[int, int]] = []
    for mark in marks:
        if mark.stop - mark.start <= WHOLE:
            around.append((mark.start - AROUND, mark.stop + AROUND))
        else:
            around += [(at - AROUND, at + AROUND) for at in (mark.start, mark.stop)]
    joined: list[tuple[int, int]] = []
    for low, high in sorted((max(0, low), min(length, high)) for low, high in around):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], high)
        else:
            joined.append((low, high))
    return joined


def _marked_text(text: str, start: int, stop: int, numbered: Sequence[tuple[int, Mark]]) -> str:
    """One shown part: pieces between the ends of marks, each in the marks that cover it."""
    near = [(n, mark) for n, mark in numbered if mark.start < stop and mark.stop > start]
    ends = {start, stop} | {
        at for _, mark in near for at in (mark.start, mark.stop) if start < at < stop
    }
    edges = sorted(ends)
    drawn = []
    for low, high in pairwise(edges):
        over = [(n, mark) for n, mark in near if mark.start <= low and mark.stop >= high]
        tags = [
            element("span", escape(f"{n} {mark.label}"), class_="tag")
            for n, mark in over
            if mark.start == low
        ]
        piece = escape(text[low:high])
        if over:
            told = ", ".join(f"{n} {mark.label}" for n, mark in over)
            lines = f"m{min(len(over), 3)}"
            piece = "".join(tags) + element("mark", piece, class_=lines, title=told)
        drawn.append(piece)
    return "".join(drawn)


def _unplaced_list(numbered: Sequence[tuple[int, Mark]], texts: Mapping[str, str]) -> str:
    """Marks that none of the texts can show, and why."""
    items = [
        element(
            "li",
            escape(f"{n} {mark.label}: {mark.source} {mark.start}–{mark.stop} "),
            ENGLISH("chart.notebook.not_in_text")
            if mark.source in texts
            else ENGLISH("chart.notebook.not_a_source"),
        )
        for n, mark in numbered
    ]
    return (
        element("h4", ENGLISH("chart.notebook.not_marked")) + element("ul", *items) if items else ""
    )


_OWN = ".assay-outcome"
_DARK_THEMES: Final = (
    '[data-jp-theme-light="false"] .assay-outcome,.vscode-dark .assay-outcome,'
    '[data-theme="dark"] .assay-outcome'
)
_LIGHT_THEMES: Final = (
    '[data-jp-theme-light="true"] .assay-outcome,.vscode-light .assay-outcome,'
    '[data-theme="light"] .assay-outcome'
)
STYLE: Final = (
    f"{_OWN}{{{custom_properties(LIGHT)}}}"
    f"@media (prefers-color-scheme:dark){{{_OWN}{{{custom_properties(DARK)}}}}}"
    f"{_DARK_THEMES}{{{custom_properties(DARK)}}}"
    f"{_LIGHT_THEMES}{{{custom_properties(LIGHT)}}}"
    f"{_OWN}{{background:var(--paper);color:var(--ink);border:1px solid var(--line);"
    "border-radius:4px;padding:12px 16px;max-width:60rem;box-sizing:border-box;"
    "container-type:inline-size;"
    "font:14px/20px system-ui,sans-serif;overflow-wrap:anywhere}"
    f"{_OWN} p{{margin:0 0 8px}}"
    f"{_OWN} .head{{font-size:16px}}"
    f"{_OWN} h4{{font:600 13px/20px system-ui,sans-serif;margin:12px 0 4px;color:var(--ink)}}"
    f"{_OWN} ul{{margin:0;padding:0 0 0 20px}}"
    f"{_OWN} dl{{margin:0;display:grid;grid-template-columns:minmax(5rem,max-content) 1fr;"
    "gap:0 12px}"
    f"{_OWN} dt{{color:var(--muted)}}{_OWN} dd{{margin:0}}"
    f"@container (max-width:36rem){{{_OWN} dl{{display:block}}{_OWN} dd{{margin-left:12px}}"
    f"{_OWN} ul{{padding-left:16px}}}}"
    f"{_OWN} code{{font:13px ui-monospace,monospace;color:var(--muted);background:var(--soft);"
    "padding:0 4px;border-radius:2px}"
    f"{_OWN} .quiet{{color:var(--muted)}}"
    f"{_OWN} .gap{{display:block;font:13px/20px system-ui,sans-serif}}"
    f"{_OWN} .text{{font:13px/24px ui-monospace,monospace;white-space:pre-wrap;"
    "background:var(--soft);padding:8px 12px;border-radius:4px}"
    f"{_OWN} mark{{background:none;color:inherit;padding-bottom:1px;"
    "border-bottom:2px solid var(--accent)}"
    f"{_OWN} mark.m2{{border-bottom:4px double var(--accent)}}"
    f"{_OWN} mark.m3{{border-bottom:6px double var(--accent)}}"
    f"{_OWN} .tag{{font:600 11px/14px system-ui,sans-serif;color:var(--paper);"
    "background:var(--accent);border-radius:2px;padding:0 4px;margin:0 3px 0 1px;"
    "vertical-align:2px;white-space:nowrap}"
)
"""Scoped by its class. A theme of the notebook wins over the system's preference."""
