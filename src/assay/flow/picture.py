"""Pictures of a flow: Mermaid text and SVG.

In      Diagram, or the stage graph that becomes one
Out     text
Pure    yes: equal diagrams give equal bytes
Spec    interfaces.md, "Packs" (stages.yaml); 003-T2; 007-P6

A picture reads from top to bottom. Text is measured generously, for a viewer may have another
font: boxes are as wide as their names, long names take several lines.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, Literal

from assay.core.text.controls import replace_controls
from assay.flow.graph import Stage, StageGraph
from assay.flow.layout import Link, Route, arrange

MARGIN: Final = 24
NAME_SIZE: Final = 13
NOTE_SIZE: Final = 11
LINE_CHARS: Final = 30
"""A longer name is broken into several lines, after a sign if it has one."""

MOST_LINES: Final = 8
"""Of a label; what follows is left to the tooltip."""

_FILLS: Final = {
    "step": "#eaf2fb", "aside": "#fff", "end": "#eee", "given": "#fff6df", "person": "#fdeaea",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A box."""

    name: str
    note: str = ""
    """Remarks in small letters, each a line; SVG alone shows them."""

    kind: Literal["step", "aside", "given", "end", "person"] = "step"
    """`given` comes from outside, `person` is a review, `aside` is no step of the flow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """What leads from one box to another."""

    origin: str
    target: str
    labels: tuple[str, ...] = ()
    takes: bool = False
    """Only a result is handed on; the order of the flow is another arrow's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagram:
    """What a picture shows."""

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    """Between two boxes at most one in each direction."""

    heading: str = ""


def flow_graph(names: Sequence[str], end: str = "end") -> StageGraph:
    """An ordered flow of contracts, as a graph that can be drawn."""
    targets = [*names[1:], end]
    stages = {
        name: Stage(name=name, contract=name, next_field="", next={"": target})
        for name, target in zip(names, targets, strict=True)
    }
    return StageGraph(start=names[0], end=end, stages=stages)


def stage_diagram(graph: StageGraph, heading: str = "") -> Diagram:
    """The stages of a conversation and where each may lead."""
    merged: dict[tuple[str, str], list[str]] = {}
    for origin, value, target in graph.edges():
        values = merged.setdefault((origin, target), [])
        if value and value != target:  # a value that is the name of its target says nothing more
            values.append(value)
    nodes = [Node(name=name) for name in graph.stages]
    return Diagram(
        nodes=(*nodes, Node(name=graph.end, kind="end")),
        arrows=tuple(
            Arrow(origin=origin, target=target, labels=tuple(values))
            for (origin, target), values in merged.items()
        ),
        heading=heading,
    )


def draw_mermaid(drawn: StageGraph | Diagram) -> str:
    """A Mermaid flow chart."""
    diagram = stage_diagram(drawn) if isinstance(drawn, StageGraph) else drawn
    ids = {node.name: f"s{number}" for number, node in enumerate(diagram.nodes)}
    lines = ["flowchart TD"]
    for node in diagram.nodes:
        left, right = ("[", "]") if node.kind in ("step", "aside") else ("([", "])")
        lines.append(f'    {ids[node.name]}{left}"{_quote_name(node.name)}"{right}')
    for arrow in diagram.arrows:
        stroke = "-.->" if arrow.takes else "-->"
        label = f'|"{_quote_name(", ".join(arrow.labels))}"|' if arrow.labels else ""
        lines.append(f"    {ids[arrow.origin]} {stroke}{label} {ids[arrow.target]}")
    return "\n".join(lines) + "\n"


def draw_svg(drawn: StageGraph | Diagram) -> str:
    """A stand-alone SVG picture."""
    diagram = stage_diagram(drawn) if isinstance(drawn, StageGraph) else drawn
    names = {node.name: _Words(node.name, node.note) for node in diagram.nodes}
    labels = [_Words("", ", ".join(arrow.labels)) for arrow in diagram.arrows]
    loops: dict[str, int] = {}
    for arrow, words in zip(diagram.arrows, labels, strict=True):
        if arrow.origin == arrow.target:
            loops[arrow.origin] = 44 + words.width
    sizes = {
        # As much room at the left as the loop takes at the right: the box stays in the middle.
        name: (words.box[0] + 2 * loops.get(name, 0), words.box[1])
        for name, words in names.items()
    }
    layout = arrange(
        sizes,
        [
            Link(
                origin=arrow.origin,
                target=arrow.target,
                width=words.width + 12 if arrow.labels else 0,
                height=words.height + 6 if arrow.labels else 0,
            )
            for arrow, words in zip(diagram.arrows, labels, strict=True)
        ],
        last={node.name for node in diagram.nodes if node.kind in ("end", "person")},
    )
    heading = _Words(diagram.heading, "", chars=200)
    above = MARGIN + (heading.height + 16 if diagram.heading else 0)
    inner = max(layout.width, heading.width if diagram.heading else 0)
    left = MARGIN + (inner - layout.width) // 2
    width, height = inner + 2 * MARGIN, layout.height + above + MARGIN
    title = diagram.heading or f"{diagram.nodes[0].name} to {diagram.nodes[-1].name}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="{NAME_SIZE}">'
        f"<title>{_safe(title)}</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#444"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    if diagram.heading:
        parts += heading.draw(MARGIN + heading.width // 2, MARGIN + heading.height // 2, bold=True)
    parts.append(f'<g transform="translate({left} {above})">')
    written: list[str] = []
    for arrow, words, route in zip(diagram.arrows, labels, layout.routes, strict=True):
        if arrow.origin == arrow.target:
            box = names[arrow.origin].box
            parts.append(_draw_loop(layout.boxes[arrow.origin], box))
            place = layout.boxes[arrow.origin]
            where = (place[0] + box[0] // 2 + 40 + words.width // 2, place[1])
        else:
            parts.append(_draw_route(route, takes=arrow.takes))
            where = route.label or (0, 0)
        written += words.draw_label(*where) if arrow.labels else []
    parts += written
    for node in diagram.nodes:
        parts += _draw_box(node, names[node.name], layout.boxes[node.name])
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


# --- words ----------------------------------------------------------------------------------


class _Words:
    """A name and what is said of it, in lines, with the room they take."""

    def __init__(self, name: str, note: str, *, chars: int = LINE_CHARS) -> None:
        self._whole = f"{name}\n{note}".strip()
        lines = [(line, NAME_SIZE) for line in _broken(name, chars)]
        for remark in note.split("\n"):
            lines += [(line, NOTE_SIZE) for line in _broken(remark, LINE_CHARS)]
        self._lines = lines
        if len(self._lines) > MOST_LINES:
            self._lines = [*self._lines[: MOST_LINES - 1], ("…", self._lines[0][1])]
        self.width = max((_width(line, size) for line, size in self._lines), default=0)
        self.height = sum(size + 4 for _, size in self._lines)

    @property
    def box(self) -> tuple[int, int]:
        return max(self.width + 28, 110), max(self.height + 18, 40)

    def draw(self, x: int, y: int, *, bold: bool = False) -> Iterator[str]:
        """One text a line around the middle x, y."""
        line_y = y - self.height // 2
        for line, size in self._lines:
            line_y += size + 4
            how = f' font-size="{size}"' if size != NAME_SIZE else ""
            how += ' font-weight="bold"' if bold else ""
            yield (f'<text x="{x}" y="{line_y - 4}" text-anchor="middle"{how}>{_safe(line)}</text>')

    def draw_label(self, x: int, y: int) -> list[str]:
        """On a white ground, for its own arrow runs behind it."""
        left, top = x - self.width // 2 - 4, y - self.height // 2 - 1
        ground = (
            f'<rect x="{left}" y="{top}" width="{self.width + 8}" height="{self.height + 2}" '
            'fill="#fff"/>'
        )
        return [f"<g><title>{_safe(self._whole)}</title>{ground}", *self.draw(x, y), "</g>"]


def _broken(text: str, chars: int) -> list[str]:
    """*text* in lines of at most so many characters, broken after a sign or a space."""
    text = " ".join(text.split())
    lines = []
    while len(text) > chars:
        cut = max((text.rfind(sign, chars // 3, chars) for sign in " _-./,:"), default=-1) + 1
        cut = cut or chars
        lines.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [*lines, text] if text else lines


def _width(text: str, size: int) -> int:
    """Pixels, rather too many than too few."""
    return round(sum(_ems(char) for char in text) * size)


def _ems(char: str) -> float:
    if unicodedata.combining(char):
        return 0.0
    if ord(char) > 0x2E7F or unicodedata.east_asian_width(char) in "WF":
        return 1.25 if ord(char) > 0xFFFF else 1.05
    if char in "mwMW@%":
        return 1.0
    if char in "ijl|.,:;'! ":
        return 0.36
    return 0.66 if char.islower() or char.isdigit() else 0.78


def _safe(text: str) -> str:
    """As text of XML, which has no control characters."""
    return escape(replace_controls(text))


def _quote_name(text: str) -> str:
    quoted = (
        replace_controls(text).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    )
    return " ".join(quoted.split())


# --- shapes ---------------------------------------------------------------------------------


def _draw_box(node: Node, words: _Words, at: tuple[int, int]) -> Iterator[str]:
    width, height = words.box
    corner = 6 if node.kind in ("step", "aside") else min(height // 2, 20)
    yield (
        f'<rect x="{at[0] - width // 2}" y="{at[1] - height // 2}" width="{width}" '
        f'height="{height}" rx="{corner}" fill="{_FILLS[node.kind]}" stroke="#357"/>'
    )
    yield from words.draw(*at)


def _draw_route(route: Route, *, takes: bool) -> str:
    (x, y), *others = route.points
    path = [f"M{x} {y}"]
    for to_x, to_y in others:
        bend = (to_y - y) // 2
        path.append(
            f"L{to_x} {to_y}"
            if to_x == x
            else f"C{x} {y + bend} {to_x} {to_y - bend} {to_x} {to_y}"
        )
        x, y = to_x, to_y
    return _stroke("".join(path), back=route.back, takes=takes)


def _draw_loop(at: tuple[int, int], box: tuple[int, int]) -> str:
    x, y = at[0] + box[0] // 2, at[1]
    return _stroke(f"M{x} {y - 10}C{x + 46} {y - 22} {x + 46} {y + 22} {x} {y + 10}", back=True)


def _stroke(path: str, *, back: bool = False, takes: bool = False) -> str:
    colour = "#a33" if back else "#444"
    dashed = ' stroke-dasharray="5 4"' if takes else ""
    return f'<path d="{path}" fill="none" stroke="{colour}"{dashed} marker-end="url(#tip)"/>'
