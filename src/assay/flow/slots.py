"""Fill an input slot from a table, or list a label set, within a token budget.

In      Slot or LabelSet, the state, the question
Out     Filled: the text, how many rows there were, the keys of those left out
Pure    yes
Spec    003-I5, 003-I6 ("KnowledgeBase_Dictionary", "service_index")

When all rows fit they stand in the table's order. When they do not, the rows that have most in
common with the question come first, and those that no longer fit are left out, by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log
from typing import Any, Final

from assay.contract.catalogue import label_lines
from assay.core.text.tokens import count
from assay.flow.graph import Slot
from assay.flow.state import state_text
from assay.gate.labels import LabelSet
from assay.gate.tables import Row, words

STEM: Final = 5
"""Words that begin with the same letters, so many, are half alike: retired, retirement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A slot's value, and what it does not show."""

    name: str
    text: str
    rows: int
    """How many rows the state allows; of a summary, how many turns it has."""

    omitted: tuple[str, ...]
    """Keys of the rows that are not shown, the most relevant first; of a summary, turns."""

    def to_dict(self) -> dict[str, Any]:
        """For the record."""
        return {
            "rows": self.rows,
            "shown": self.rows - len(self.omitted),
            "omitted": list(self.omitted),
        }


def fill_slot(slot: Slot, state: Mapping[str, Any], question: str, tokenizer: str) -> Filled:
    """The value of *slot* in this *state*: one JSON object a line.

    A row that alone is over the budget is left out like any other.
    """
    limits = {column: places.values(state) for column, places in slot.limits.items()}
    rows = slot.table.matching_rows(limits)
    lines = [_line(slot, row) for row in rows]
    shown, left = _fit(lines, rows, slot.rank, slot.max_tokens, question, tokenizer)
    return Filled(
        name=slot.name,
        text="\n".join(lines[place] for place in shown),
        rows=len(rows),
        omitted=tuple(slot.table.row_key(rows[place]) for place in left),
    )


def fill_labels(
    labels: LabelSet, max_tokens: int, name: str, question: str, tokenizer: str
) -> Filled:
    """The value of `labels.SET` within its budget: the labels of a set, a line each.

    Args:
        name: Of the variable.
    """
    lines = label_lines(labels).split("\n") if labels.labels else []
    names = list(labels.labels)
    if len(lines) != len(names):  # a description of several lines
        lines = [label_lines(replace(labels, labels={key: labels.labels[key]})) for key in names]
    rows = [{"line": line} for line in lines]
    first = names.index(labels.default) if labels.default in names else None
    shown, left = _fit(lines, rows, ("line",), max_tokens, question, tokenizer, first)
    return Filled(
        name=name,
        text="\n".join(lines[place] for place in shown),
        rows=len(rows),
        omitted=tuple(names[place] for place in left),
    )


def _fit(
    lines: Sequence[str],
    rows: Sequence[Row],
    columns: Sequence[str],
    max_tokens: int,
    question: str,
    tokenizer: str,
    always: int | None = None,
) -> tuple[list[int], list[int]]:
    """Places of the lines that are shown, in the order of showing, and of those left out.

    Args:
        always: The place of a line that is shown last, whatever else fits no more.
    """
    costs = [cost(line, tokenizer) for line in lines]
    if sum(costs) <= max_tokens:
        return list(range(len(lines))), []
    shown: list[int] = []
    left: list[int] = []
    spent = 0 if always is None else costs[always]
    for place in rank_rows(rows, columns, question):
        if place == always:
            continue
        if spent + costs[place] <= max_tokens:
            spent += costs[place]
            shown.append(place)
        else:
            left.append(place)
    return [*shown, *([] if always is None else [always])], left


def rank_rows(rows: Sequence[Row], columns: Sequence[str], question: str) -> list[int]:
    """Places of *rows*, those that have most in common with *question* first.

    A word counts the more, the fewer rows have it. Rows that have equally much in common stay
    in their order.
    """
    bags = [set(words(" ".join(str(row.get(column, "")) for column in columns))) for row in rows]
    asked = dict.fromkeys(words(question))
    spread = Counter(word for bag in bags for word in bag)
    stems = [{word[:STEM] for word in bag if len(word) >= STEM} for bag in bags]
    stem_spread = Counter(stem for stem_bag in stems for stem in stem_bag)

    def weight(rows_with: int) -> float:
        return log(1 + len(rows) / rows_with) if rows_with else 0.0

    def common(place: int) -> float:
        total = 0.0
        for word in asked:
            if word in bags[place]:
                total += weight(spread[word])
            elif word[:STEM] in stems[place] and len(word) >= STEM:
                total += weight(stem_spread[word[:STEM]]) / 2
        return round(total, 9)

    return sorted(range(len(rows)), key=lambda place: (-common(place), place))


def _line(slot: Slot, row: Row) -> str:
    values = tuple(row.get(column) for column in slot.columns)
    if all(isinstance(value, str) for value in values):
        return _describe_row(slot.columns, values)
    return state_text({column: row[column] for column in slot.columns if column in row})


@lru_cache(maxsize=4096)
def _describe_row(columns: tuple[str, ...], values: tuple[str, ...]) -> str:
    return state_text(dict(zip(columns, values, strict=True)))


@lru_cache(maxsize=4096)
def cost(line: str, tokenizer: str) -> int:
    """Tokens of a line with its line break."""
    return count(line, tokenizer) + 1
