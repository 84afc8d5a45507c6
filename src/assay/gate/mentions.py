"""Sources: a reply lists exactly what it refers to.

In      MentionRule over a Table; an output with a text and a list
Out     findings reply.unlisted and reply.unmentioned
Pure    yes
Spec    003 "sourcesUsed must list every agency/service referenced in the reply"

What a text refers to is read from the names that the table has, the longest first: "Survivor
Pension for Child" is no mention within "Survivor Pension for Child with Disabilities". Case does
not count, but for a name in capitals alone and for a word of three letters or less: `IT` is a
name and `it` is none. Where the table has aliases, each of their words may take another ending.
Columns come in two groups: those that name the row itself (a
service) and those that name what it belongs to (its agency). An entry whose group is named and
none of whose rows is named counts as referred to when it is the only entry of its group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from assay.core.json.pointer import PointerPattern
from assay.core.text.folding import fold_text
from assay.gate.gate import GateContext
from assay.gate.tables import Row, Table, at_pointer
from assay.gate.verdict import Finding

SHORT: Final = 3
"""A name of so many letters counts as it is written only."""

STEM: Final = 4
ENDING: Final = 2
"""Of an alias so many last letters may be others, and as many may follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionRule:
    """The text at `text` names exactly what is listed at `listed`."""

    text: str
    """JSON Pointer to the reply."""

    listed: PointerPattern
    """Each entry of the list."""

    table: Table
    key: Mapping[str, str]
    """Column -> JSON Pointer from the entry: which row it is."""

    names: tuple[str, ...]
    """Columns that name the row itself."""

    group: str
    """Column of what the row belongs to."""

    group_names: tuple[str, ...]
    """Columns that name that."""

    aliases: tuple[str, ...] = ()
    """Columns of further names of the row itself, a text or a list of texts, in any inflection."""

    def __call__(
        self,
        output: dict[str, Any],
        context: GateContext,  # noqa: ARG002 - every check has it
    ) -> Iterator[Finding]:
        """Findings `reply.unlisted` and `reply.unmentioned`."""
        text = at_pointer(output, self.text)
        if not isinstance(text, str):
            return
        rows, groups = self._find_mentions(text)
        entries = [
            (pointer, {column: at_pointer(entry, below) for column, below in self.key.items()})
            for pointer, entry in self.listed.find(output)
        ]
        listed = [self.table.find_row(said) for _, said in entries]
        for candidates in rows:
            if not any(row in listed for row in candidates):
                yield self._unlisted(f"a {self.table.name}")
        listed_groups = [row[self.group] for row in listed if row is not None]
        for candidates_ in groups:
            if not any(group in listed_groups for group in candidates_):
                yield self._unlisted(f"a {self.group}")
        named = [row for candidates in rows for row in candidates]
        named_groups = {group for found in groups for group in found}
        for (pointer, _), row in zip(entries, listed, strict=True):
            if row is None or row in named:
                continue  # what is no row at all is a finding of another rule
            group = row[self.group]
            stands_for_group = (
                group in named_groups
                and listed_groups.count(group) == 1
                and not any(other[self.group] == group for other in named)
            )
            if not stands_for_group:
                yield Finding(
                    code="reply.unmentioned",
                    path=pointer,
                    message="is listed as a source, and the reply does not refer to it",
                )

    def _unlisted(self, what: str) -> Finding:
        return Finding(
            code="reply.unlisted",
            path=self.text,
            message=f"refers to {what} that is not listed as a source",
        )

    def _find_mentions(self, text: str) -> tuple[list[list[Row]], list[list[str]]]:
        """For each different name in the text: the rows, or the groups, that bear it."""
        bearers: dict[_Name, list[Row]] = {}
        groups: dict[_Name, list[str]] = {}
        for row in self.table.rows:
            named = [*_names_in(row, self.names), *_names_in(row, self.aliases, alias=True)]
            for name in dict.fromkeys(named):
                bearers.setdefault(name, []).append(row)
            for name in _names_in(row, self.group_names):
                known = groups.setdefault(name, [])
                if row[self.group] not in known:
                    known.append(row[self.group])
        folded = fold_text(text)
        # The longest first; what a longer name covers is no mention of a shorter one.
        taken: list[tuple[int, int]] = []
        found: dict[_Name, None] = {}
        lowered = folded.casefold()
        near = (name for name in {*bearers, *groups} if name.start() in lowered)
        for name in sorted(near, key=lambda name: (-len(name.text), name)):
            for match in name.pattern().finditer(folded):
                if not any(start < match.end() and match.start() < stop for start, stop in taken):
                    taken.append(match.span())
                    found[name] = None
        return (
            [bearers[name] for name in found if name in bearers],
            [groups[name] for name in found if name in groups],
        )


class _Name(NamedTuple):
    """A name as a text may have it."""

    text: str
    """Folded."""

    alias: bool

    def start(self) -> str:
        """What a text must have for the name to stand in it; quick to look for."""
        word = self.text.partition(" ")[0] if self.alias else self.text
        return word[: max(STEM, len(word) - ENDING) if self.alias else None].casefold()

    def pattern(self) -> re.Pattern[str]:
        return _name_pattern(self.text, alias=self.alias)


def _names_in(row: Row, columns: tuple[str, ...], *, alias: bool = False) -> Iterator[_Name]:
    for column in columns:
        value = row.get(column)
        for each in value if isinstance(value, list | tuple) else [value]:
            if isinstance(each, str) and len(each.strip()) > 1:
                yield _Name(fold_text(each.strip()), alias)


@lru_cache(maxsize=8192)
def _name_pattern(name: str, *, alias: bool) -> re.Pattern[str]:
    exact = len(name) <= SHORT or name.isupper()
    if alias and not exact:
        words = [_inflected(word) for word in name.split(" ")]
        body = " ".join(words)
    else:
        body = re.escape(name)
    return re.compile(rf"(?<![^\W_]){body}(?![^\W_])", 0 if exact else re.IGNORECASE)


def _inflected(word: str) -> str:
    """The word with another ending, or none: a stem of four letters and more stays."""
    stem = word[: max(STEM, len(word) - ENDING)]
    if len(word) < STEM or not word.isalpha():
        return re.escape(word)
    return rf"{re.escape(stem)}\w{{0,{len(word) - len(stem) + ENDING}}}"
