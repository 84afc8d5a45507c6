"""Where the boxes and arrows of a picture stand: in rows, and none over another.

In      sizes of boxes; arrows with the sizes of their labels
Out     Layout: a place for each box and each label, points of each arrow
Pure    yes: equal input gives equal places
Spec    007-P6

Boxes stand in rows by the longest way from those that nothing leads to. Between two rows of boxes
stands a row of labels, so a label is a box among boxes and nothing can lie on it. An arrow that
passes a row takes a narrow place of its own in it. In a row things stand side by side in an
order with few crossings, as near to what they are joined with as their widths allow. Parts that
nothing joins are arranged each for itself, and stand side by side.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

GAP: Final = 26
"""Between two things of a row."""

ROW_GAP: Final = 30
"""Between two rows; arrows bend in it."""

LANE: Final = 6
"""Width of the place that an arrow takes in a row that it passes."""

MOST_IN_A_ROW: Final = 6
"""Boxes that stand side by side; more stand in the rows below."""

MOST_WIDE: Final = 1300
"""So far do parts stand side by side that nothing joins; others stand below."""

_SWEEPS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An arrow from one box to another."""

    origin: str
    target: str
    width: int = 0
    """Of its label; 0 for none."""

    height: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """How an arrow runs."""

    points: tuple[tuple[int, int], ...]
    """From its origin to its target; between two of them it bends only in the gap of two rows."""

    label: tuple[int, int] | None
    """Middle of its label."""

    back: bool
    """Whether it leads up, to a box that was passed before."""

    def move_by(self, x: int, y: int) -> Route:
        """The same, elsewhere."""
        label = self.label and (self.label[0] + x, self.label[1] + y)
        points = tuple((at_x + x, at_y + y) for at_x, at_y in self.points)
        return Route(points=points, label=label, back=self.back)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where everything stands."""

    width: int
    height: int
    boxes: Mapping[str, tuple[int, int]]
    """Middle of each box."""

    routes: tuple[Route, ...]
    """In the order of the arrows; one from a box to itself has no points."""


@dataclass(slots=True)
class _Item:
    """A thing in a row: a box, a label, or the place where an arrow passes."""

    row: int
    width: int
    height: int
    rank: int
    up: list[int] = field(default_factory=list)
    down: list[int] = field(default_factory=list)
    x: float = 0.0
    y: int = 0

    @property
    def weight(self) -> float:
        """How little it gives way: long arrows are to be straight."""
        return 4.0 if self.width == LANE else 1.0


def arrange(
    sizes: Mapping[str, tuple[int, int]], links: Sequence[Link], last: Collection[str] = ()
) -> Layout:
    """Find a place for everything.

    Args:
        sizes: Width and height of each box, in the order in which they are told.
        links: Between two boxes at most one in each direction.
        last: Boxes that stand below all others; no arrow leads out of them.
    """
    boxes: dict[str, tuple[int, int]] = {}
    routes: dict[int, Route] = {}
    x = y = width = height = 0
    for names in _parts(sizes, links):
        numbers = [at for at, link in enumerate(links) if link.origin in names]
        part = _arrange_part(
            {name: size for name, size in sizes.items() if name in names},
            [links[at] for at in numbers],
            names & set(last),
        )
        if x and x + part.width > MOST_WIDE:
            x, y = 0, height + 2 * GAP
        boxes |= {name: (x + at_x, y + at_y) for name, (at_x, at_y) in part.boxes.items()}
        routes |= zip(numbers, (route.move_by(x, y) for route in part.routes), strict=True)
        width, height = max(width, x + part.width), max(height, y + part.height)
        x += part.width + 2 * GAP
    ordered = tuple(routes[at] for at in range(len(links)))
    return Layout(width=width, height=height, boxes=boxes, routes=ordered)


def _parts(sizes: Mapping[str, tuple[int, int]], links: Sequence[Link]) -> list[set[str]]:
    """Boxes that arrows join, in whatever direction; parts in the order of their first boxes."""
    part_of = {name: {name} for name in sizes}
    for link in links:
        one, other = part_of[link.origin], part_of[link.target]
        if one is not other:
            one |= other
            part_of |= dict.fromkeys(other, one)
    return list({id(part): part for part in part_of.values()}.values())


def _arrange_part(
    sizes: Mapping[str, tuple[int, int]], links: Sequence[Link], last: Collection[str]
) -> Layout:
    down = _downward(sizes, links)
    rows = _box_rows(sizes, links, down)
    lowest = max(rows.values(), default=0)
    above = max((row for name, row in rows.items() if name not in last), default=-1)
    rows |= {name: max(lowest, above + 1) for name in sizes if name in last}
    items: list[_Item] = []
    box_at: dict[str, int] = {}
    for name, (width, height) in sizes.items():
        box_at[name] = len(items)
        items.append(_Item(2 * rows[name], width, height, len(items)))
    chains = [_chain(items, box_at, link, down[at]) for at, link in enumerate(links)]
    table = _ordered_rows(items)
    _place_across(items, table)
    height = _place_down(items, table)
    left = min((item.x - item.width / 2 for item in items), default=0.0)
    right = max((item.x + item.width / 2 for item in items), default=0.0)
    for item in items:
        item.x = round(item.x - left)
    ports = _ports(items, chains)
    return Layout(
        width=round(right - left) + 1,
        height=height,
        boxes={name: (int(items[at].x), items[at].y) for name, at in box_at.items()},
        routes=tuple(
            _route(items, chain, link, down[at], ports)
            for at, (link, chain) in enumerate(zip(links, chains, strict=True))
        ),
    )


# --- rows -----------------------------------------------------------------------------------


def _downward(sizes: Mapping[str, tuple[int, int]], links: Sequence[Link]) -> list[bool]:
    """Of each arrow, whether it leads down; those that close a circle lead up."""
    out: dict[str, list[int]] = {name: [] for name in sizes}
    for at, link in enumerate(links):
        out[link.origin].append(at)
    down = [True] * len(links)
    done: set[str] = set()
    for start in sizes:
        if start in done:
            continue
        path, waiting = {start}, [(start, iter(out[start]))]
        while waiting:
            name, rest = waiting[-1]
            taken = next(rest, None)
            if taken is None:
                waiting.pop()
                path.discard(name)
                done.add(name)
                continue
            target = links[taken].target
            if target in path:
                down[taken] = False
            elif target not in done:
                path.add(target)
                waiting.append((target, iter(out[target])))
    return down


def _box_rows(
    sizes: Mapping[str, tuple[int, int]], links: Sequence[Link], down: Sequence[bool]
) -> dict[str, int]:
    before: dict[str, list[str]] = {name: [] for name in sizes}
    after: dict[str, list[str]] = {name: [] for name in sizes}
    for link, is_down in zip(links, down, strict=True):
        if link.origin != link.target:
            origin, target = _ends(link, is_down)
            before[target].append(origin)
            after[origin].append(target)
    left = {name: len(found) for name, found in before.items()}
    ready = [name for name in sizes if not left[name]]
    rows: dict[str, int] = {}
    filled: dict[int, int] = {}
    while ready:
        waiting: list[str] = []
        for name in ready:
            row = 1 + max((rows[one] for one in before[name]), default=-1)
            while filled.get(row, 0) >= MOST_IN_A_ROW:
                row += 1
            rows[name] = row
            filled[row] = filled.get(row, 0) + 1
            for one in after[name]:
                left[one] -= 1
                if not left[one]:
                    waiting.append(one)
        ready = waiting
    return rows


def _ends(link: Link, is_down: bool) -> tuple[str, str]:
    return (link.origin, link.target) if is_down else (link.target, link.origin)


def _chain(items: list[_Item], box_at: Mapping[str, int], link: Link, is_down: bool) -> list[int]:
    """The places that an arrow takes, from the upper box to the lower one; one takes its label."""
    if link.origin == link.target:
        return []
    upper, lower = (box_at[name] for name in _ends(link, is_down))
    first, last = items[upper].row, items[lower].row
    chain = [upper]
    labelled = first + 1 if is_down else last - 1
    for row in range(first + 1, last):
        wide = link.width > 0 and row == labelled
        chain.append(len(items))
        width, height = (link.width, link.height) if wide else (LANE, 0)
        items.append(_Item(row, width, height, len(items)))
    chain.append(lower)
    for one, other in pairwise(chain):
        items[one].down.append(other)
        items[other].up.append(one)
    return chain


# --- places ---------------------------------------------------------------------------------


def _ordered_rows(items: list[_Item]) -> list[list[int]]:
    """The things of each row, in the order with the fewest crossings that was found."""
    last = max((item.row for item in items), default=-1)
    rows: list[list[int]] = [[] for _ in range(last + 1)]
    for at, item in enumerate(items):
        rows[item.row].append(at)
    best, fewest = [row[:] for row in rows], _crossings(items, rows)
    for sweep in range(_SWEEPS):
        downward = sweep % 2 == 0
        for row in rows if downward else reversed(rows):
            place = {at: number for one in rows for number, at in enumerate(one)}
            middle: dict[int, tuple[float, int]] = {}
            for at in row:
                beside = items[at].up if downward else items[at].down
                mean = sum(place[one] / len(rows[items[one].row]) for one in beside)
                own = place[at] / len(row)
                middle[at] = (mean / len(beside) if beside else own, place[at])
            row.sort(key=middle.__getitem__)
        found = _crossings(items, rows)
        if found < fewest:
            best, fewest = [row[:] for row in rows], found
    return best


def _crossings(items: Sequence[_Item], rows: Sequence[Sequence[int]]) -> int:
    place = {at: number for row in rows for number, at in enumerate(row)}
    count = 0
    for row in rows:
        ends = [(place[at], place[one]) for at in row for one in items[at].down]
        for number, (left, right) in enumerate(ends):
            count += sum((left - other) * (right - end) < 0 for other, end in ends[number + 1 :])
    return count


def _place_across(items: list[_Item], rows: Sequence[Sequence[int]]) -> None:
    for row in rows:
        at_x = 0.0
        for at in row:
            items[at].x = at_x + items[at].width / 2
            at_x += items[at].width + GAP
        for at in row:
            items[at].x -= (at_x - GAP) / 2
    for sweep in range(2 * _SWEEPS):
        downward = sweep % 2 == 0
        for row in rows if downward else reversed(rows):
            wanted = []
            for at in row:
                beside = items[at].up if downward else items[at].down
                beside = beside or (items[at].down if downward else items[at].up)
                mean = [items[one].x for one in beside]
                wanted.append(sum(mean) / len(mean) if mean else items[at].x)
            _set_apart([items[at] for at in row], wanted)


def _set_apart(row: Sequence[_Item], wanted: Sequence[float]) -> None:
    """The places nearest to those wanted (least squares) at which nothing touches its neighbour."""
    offset, offsets = 0.0, []
    for number, item in enumerate(row):
        if number:
            offset += (row[number - 1].width + item.width) / 2 + GAP
        offsets.append(offset)
    groups: list[tuple[float, float, int]] = []
    """Weighted sum, weight and length of each run that stands close together."""

    for item, place, shift in zip(row, wanted, offsets, strict=True):
        total, weight, length = (place - shift) * item.weight, item.weight, 1
        while groups and groups[-1][0] / groups[-1][1] >= total / weight:
            other = groups.pop()
            total, weight, length = total + other[0], weight + other[1], length + other[2]
        groups.append((total, weight, length))
    at = 0
    for total, weight, length in groups:
        for number in range(at, at + length):
            row[number].x = total / weight + offsets[number]
        at += length


def _place_down(items: Sequence[_Item], rows: Sequence[Sequence[int]]) -> int:
    y = 0
    for number, row in enumerate(rows):
        height = max(items[at].height for at in row) if row else 0
        if number:
            y += ROW_GAP if height or number % 2 == 0 else 0
        for at in row:
            items[at].y = y + height // 2
        for at in row:
            if items[at].width == LANE:
                items[at].height = height
        y += height
    return y


# --- arrows ---------------------------------------------------------------------------------


def _ports(items: Sequence[_Item], chains: Sequence[Sequence[int]]) -> dict[tuple[int, int], int]:
    """Where on the edge of a box each arrow begins or ends, so that few lie on each other."""
    beside: dict[tuple[int, bool], list[int]] = {}
    for chain in chains:
        if chain:
            beside.setdefault((chain[0], False), []).append(chain[1])
            beside.setdefault((chain[-1], True), []).append(chain[-2])
    ports = {}
    for (box, _), others in beside.items():
        others.sort(key=lambda at: (items[at].x, at))
        step = min(18.0, (items[box].width - 24) / len(others))
        for number, other in enumerate(others):
            shift = (number - (len(others) - 1) / 2) * step
            ports[box, other] = round(items[box].x + shift)
    return ports


def _route(
    items: Sequence[_Item],
    chain: Sequence[int],
    link: Link,
    is_down: bool,
    ports: Mapping[tuple[int, int], int],
) -> Route:
    if not chain:
        return Route(points=(), label=None, back=True)
    upper, lower = items[chain[0]], items[chain[-1]]
    points = [(ports[chain[0], chain[1]], upper.y - upper.height // 2 + upper.height)]
    label = None
    for at in chain[1:-1]:
        item = items[at]
        if not item.height:
            continue  # no box and no label stands in this row
        top = item.y - item.height // 2
        points += [(int(item.x), top), (int(item.x), top + item.height)]
        if link.width and item.width != LANE:
            label = (int(item.x), item.y)
    points.append((ports[chain[-1], chain[-2]], lower.y - lower.height // 2))
    return Route(points=tuple(points if is_down else points[::-1]), label=label, back=not is_down)
