"""Pictures of a stage graph: Mermaid text and SVG.

In      StageGraph
Out     text
Pure    yes: equal graphs give equal bytes
Spec    interfaces.md, "Packs" (stages.yaml); 003-T2

Stages stand in rows by their distance from the start, so a picture reads from top to bottom;
an edge that leads up or stays in its row is a loop and is drawn at the side.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from assay.flow.graph import Stage, StageGraph

BOX_WIDTH = 230
BOX_HEIGHT = 44
GAP_X = 60
GAP_Y = 64
MARGIN = 30


def flow_graph(names: Sequence[str], end: str = "end") -> StageGraph:
    """An ordered flow of contracts, as a graph that can be drawn."""
    targets = [*names[1:], end]
    stages = {
        name: Stage(name=name, contract=name, next_field="", next={"": target})
        for name, target in zip(names, targets, strict=True)
    }
    return StageGraph(start=names[0], end=end, stages=stages)


def draw_mermaid(graph: StageGraph) -> str:
    """The graph as a Mermaid flow chart."""
    names = [*graph.stages, graph.end]
    ids = {name: f"s{number}" for number, name in enumerate(names)}
    lines = ["flowchart TD"]
    for name in graph.stages:
        lines.append(f'    {ids[name]}["{_quote_name(name)}"]')
    lines.append(f'    {ids[graph.end]}(["{_quote_name(graph.end)}"])')
    for origin, target, label in _label_arrows(graph):
        arrow = f'-->|"{_quote_name(label)}"|' if label else "-->"
        lines.append(f"    {ids[origin]} {arrow} {ids[target]}")
    return "\n".join(lines) + "\n"


def draw_svg(graph: StageGraph) -> str:
    """The graph as a stand-alone SVG picture."""
    rows = _arrange_rows(graph)
    widest = max(len(row) for row in rows)
    width = 2 * MARGIN + widest * BOX_WIDTH + (widest - 1) * GAP_X + 2 * GAP_X
    height = 2 * MARGIN + len(rows) * BOX_HEIGHT + (len(rows) - 1) * GAP_Y
    place: dict[str, tuple[int, int]] = {}
    for depth, row in enumerate(rows):
        free = width - len(row) * BOX_WIDTH - (len(row) - 1) * GAP_X
        for number, name in enumerate(row):
            x = free // 2 + number * (BOX_WIDTH + GAP_X)
            place[name] = (x, MARGIN + depth * (BOX_HEIGHT + GAP_Y))
    title = escape(f"stages from {graph.start} to {graph.end}")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-family="sans-serif" '
        f'font-size="13"><title>{title}</title>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#444"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    parts += [
        _draw_edge(place[origin], place[target], label, width)
        for origin, target, label in _label_arrows(graph)
    ]
    parts += [_draw_box(name, place[name], last=name == graph.end) for row in rows for name in row]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _label_arrows(graph: StageGraph) -> list[tuple[str, str, str]]:
    """(from, to, label): several values that lead to one place share an arrow; a value that
    is the name of its target needs no label."""
    merged: dict[tuple[str, str], list[str]] = {}
    for origin, value, target in graph.edges():
        values = merged.setdefault((origin, target), [])
        if value and value != target:
            values.append(value)
    return [(origin, target, ", ".join(values)) for (origin, target), values in merged.items()]


def _arrange_rows(graph: StageGraph) -> list[list[str]]:
    depth = {graph.start: 0}
    waiting = [graph.start]
    for name in waiting:
        stage = graph.stages.get(name)
        for target in () if stage is None else stage.next.values():
            if target not in depth:
                depth[target] = depth[name] + 1
                waiting.append(target)
    lost = [name for name in graph.stages if name not in depth]
    last = max(depth.values(), default=0)
    for name in lost:
        depth[name] = last + 1
    inner = max((depth[name] for name in graph.stages), default=0)
    depth[graph.end] = max(inner + 1, depth.get(graph.end, 0))
    rows: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for name in [*graph.stages, graph.end]:
        rows[depth[name]].append(name)
    return [row for row in rows if row]


def _draw_box(name: str, at: tuple[int, int], *, last: bool) -> str:
    x, y = at
    corner = BOX_HEIGHT // 2 if last else 6
    fill = "#eee" if last else "#eaf2fb"
    return (
        f'<rect x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="{corner}" '
        f'fill="{fill}" stroke="#357"/><text x="{x + BOX_WIDTH // 2}" '
        f'y="{y + BOX_HEIGHT // 2 + 5}" text-anchor="middle">{escape(name)}</text>'
    )


def _draw_edge(origin: tuple[int, int], target: tuple[int, int], label: str, width: int) -> str:
    middle = BOX_WIDTH // 2
    if target[1] > origin[1]:
        start = (origin[0] + middle, origin[1] + BOX_HEIGHT)
        stop = (target[0] + middle, target[1])
        bend = (stop[1] - start[1]) // 2
        path = (
            f"M{start[0]} {start[1]}C{start[0]} {start[1] + bend} "
            f"{stop[0]} {stop[1] - bend} {stop[0]} {stop[1]}"
        )
        where = ((start[0] + stop[0]) // 2, (start[1] + stop[1]) // 2)
    else:
        start = (origin[0] + BOX_WIDTH, origin[1] + BOX_HEIGHT // 2)
        stop = (target[0] + BOX_WIDTH, target[1] + BOX_HEIGHT // 2)
        side = width - MARGIN // 2
        path = f"M{start[0]} {start[1]}C{side} {start[1]} {side} {stop[1]} {stop[0]} {stop[1]}"
        where = (side - GAP_X // 2, (start[1] + stop[1]) // 2)
    line = f'<path d="{path}" fill="none" stroke="#444" marker-end="url(#tip)"/>'
    if not label:
        return line
    return line + (
        f'<text x="{where[0]}" y="{where[1]}" text-anchor="middle" font-size="11" '
        f'fill="#333">{escape(label)}</text>'
    )


def _quote_name(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("\n", " ")
