"""Rows and facts as a person reads them, in whatever width there is.

In      rows of documents; fields with their values
Out     what rich draws: a table where its words fit, else a block of lines for each row
Pure    until it is drawn
Spec    007-T1, 007-T2, 007-T6

A word is never cut into one-letter columns: where the columns' longest words do not fit beside
each other, columns that say nothing are left out, and then each row becomes lines of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Final

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from assay.cli.terminal import plain_text

__all__ = ["COLOURS", "Rows", "count_of", "print_facts", "rows_table", "value_text"]

COLOURS: Final = {"accepted": "green", "no_evidence": "yellow", "needs_review": "red"}

_BETWEEN: Final = 3
"""Characters between two columns: a space, a line, a space."""

_TABLES_FROM: Final = 60
"""In a narrower terminal no column is left out: blocks show them all."""

_LONG_WORD: Final = 22
"""A longer word may be folded within its column, unless the column is of ids."""

_SENTENCE: Final = 24
"""Longer texts get so much room at least: a word a line is not readable."""

_NAMES_TAKE: Final = 20
"""In lines of their own, longer names of fields stand in a line before their values."""


def count_of(number: int, noun: str, plural: str = "") -> str:
    """`1 input`, `2 inputs`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def value_text(value: Any, *, inside: bool = False) -> str:
    """A JSON value in words: `yes`, `–`, `a, b`, `name value, name value`; never as code."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        parts = [f"{key} {value_text(each, inside=True)}" for key, each in value.items()]
        text = ", ".join(parts)
        return f"({text})" if inside and parts else text or "–"
    if isinstance(value, bytes | bytearray):
        return value.hex()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(value_text(each, inside=True) for each in value) or "–"
    return str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Cells under the names of their columns, with a line above and lines below."""

    title: Text
    columns: Sequence[str]
    rows: Sequence[Sequence[Text]]
    ids: frozenset[str] = frozenset()
    """Columns whose words are never folded, because they are copied."""

    spare: Sequence[str] = ()
    """Columns that a table may do without, the first of them first; it says so."""

    caption: Text | None = None
    say_none: bool = True
    """Say so when there are no rows."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A table, or blocks where the words do not fit side by side."""
        if self.title.plain:
            yield self.title
        if not self.rows and self.say_none:
            yield Text("(none)", style="dim")
        elif self.rows:
            width = options.max_width
            yield self._table(width) or self._blocks(width)
        if self.caption is not None:
            yield self.caption

    def _table(self, width: int) -> Table | None:
        every = list(range(len(self.columns)))
        full = [at for at in every if any(row[at].plain for row in self.rows)]
        choices = [every, full]
        if width >= _TABLES_FROM:
            for name in self.spare:
                choices.append([at for at in choices[-1] if self.columns[at] != name])
        for kept in choices:
            widths = self._widths(kept, width)
            if widths is not None:
                break
        else:
            return None
        absent = ", ".join(self.columns[at] for at in full if at not in kept)
        table = Table(
            show_edge=False,
            pad_edge=False,
            caption=Text(f"no room for: {absent}", style="dim") if absent else None,
            caption_justify="left",
        )
        for at, wide in zip(kept, widths, strict=True):
            table.add_column(Text(plain_text(self.columns[at])), overflow="fold", width=wide)
        for row in self.rows:
            table.add_row(*(row[at] for at in kept))
        return table

    def _widths(self, kept: Sequence[int], width: int) -> list[int] | None:
        """How wide each column is drawn; None when its words do not fit."""
        room = width - _BETWEEN * (len(kept) - 1)
        least, wanted = [], []
        for at in kept:
            name = self.columns[at]
            cells = [name, *(row[at].plain for row in self.rows)]
            word = max((cell_len(word) for cell in cells for word in cell.split()), default=1)
            line = max((cell_len(line) for cell in cells for line in cell.splitlines()), default=1)
            long = _SENTENCE if line > 2 * _SENTENCE else 1
            least.append(
                word if name in self.ids else max(min(word, _LONG_WORD), cell_len(name), long)
            )
            wanted.append(max(line, least[-1]))
        if sum(least) > room:
            return None
        spare = room - sum(least)
        for at in sorted(range(len(kept)), key=lambda at: wanted[at] - least[at]):
            # The smallest wishes first; what is left over goes to the longest texts.
            waiting = sum(1 for other in range(len(kept)) if wanted[other] > least[other])
            given = min(wanted[at] - least[at], spare // max(1, waiting))
            least[at], spare = least[at] + given, spare - given
            wanted[at] = least[at]
        return least

    def _blocks(self, width: int) -> Text:
        shown = Text()
        for number, row in enumerate(self.rows):
            shown.append("\n" if number else "")
            for name, cell in zip(self.columns, row, strict=True):
                if cell.plain:
                    for line in _fact_lines(name, cell.plain, width, self._names_width(width)):
                        shown.append(f"{line}\n", style=cell.style)
        shown.right_crop(1)
        shown.no_wrap, shown.overflow = False, "fold"
        return shown

    def _names_width(self, width: int) -> int:
        return min(max(map(cell_len, self.columns)), _NAMES_TAKE, width // 2)


def rows_table(
    title: str,
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
    *,
    ids: Iterable[str] = (),
    spare: Iterable[str] = (),
) -> Rows:
    """Rows of documents as a table of the named fields.

    Args:
        ids: Fields that are never folded.
        spare: Fields that may be left out where there is no room, the first of them first.
    """
    cells = []
    for row in rows:
        texts = (
            "" if row.get(name) is None else plain_text(value_text(row[name])) for name in columns
        )
        cells.append([Text(text, style=COLOURS.get(text, "")) for text in texts])
    return Rows(
        title=Text(plain_text(title), style="bold"),
        columns=[name.replace("_", " ") for name in columns],
        rows=cells,
        ids=frozenset(name.replace("_", " ") for name in ids),
        spare=[name.replace("_", " ") for name in spare],
    )


def print_facts(console: Console, title: str, facts: Mapping[str, Any], *, indent: int = 0) -> None:
    """Fields with their values, a line each: long words stay whole, so that they can be copied."""
    if title:
        console.print(Text(plain_text(title), style="bold"), soft_wrap=True)
    names = min(max((cell_len(name) for name in facts), default=0), _NAMES_TAKE)
    for name, value in facts.items():
        text = plain_text(value_text(value))
        for line in _fact_lines(name, text, console.width - indent, names):
            console.print(Text(" " * indent + line), soft_wrap=True)


def _fact_lines(name: str, text: str, width: int, names: int) -> list[str]:
    """`name  value`, the value's further lines under its first; under the name where it is long."""
    first = f"{plain_text(name):<{names}}  "
    if len(first) > names + 2 or width <= 2 * len(first):
        lines = wrap(text, max(10, width - 2), break_long_words=False, break_on_hyphens=False)
        if len(name) + 2 + len(text) <= width:
            return [f"{name}  {text}"]
        return [plain_text(name), *(f"  {line}" for line in lines)]
    found: list[str] = []
    for piece in text.splitlines() or [""]:
        room = max(10, width - len(first))
        found += wrap(piece, room, break_long_words=False, break_on_hyphens=False) or [""]
    return [first + found[0], *(" " * len(first) + line for line in found[1:])]
