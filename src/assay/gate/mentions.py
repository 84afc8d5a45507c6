"""Sources: a reply lists exactly what it refers to.

In      MentionRule over a Table; an output with a text and a list
Out     findings reply.unlisted and reply.unmentioned
Pure    yes
Spec    003 "sourcesUsed must list every agency/service referenced in the reply"

What a text refers to is read from the names that the table has, the longest first: "Survivor
Pension for Child" is no mention within "Survivor Pension for Child with Disabilities". Case
counts: a common word is no name. Columns come in two groups: those that name the row itself (a
service) and those that name what it belongs to (its agency). An entry whose group is named and
none of whose rows is named counts as referred to when it is the only entry of its group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.core.json.pointer import PointerPattern
from assay.core.text.folding import fold_text
from assay.gate.gate import Finding, GateContext
from assay.gate.tables import Row, Table, at_pointer


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
        bearers: dict[str, list[Row]] = {}
        groups: dict[str, list[str]] = {}
        for row in self.table.rows:
            for name in self._fold_names(row, self.names):
                bearers.setdefault(name, []).append(row)
            for name in self._fold_names(row, self.group_names):
                known = groups.setdefault(name, [])
                if row[self.group] not in known:
                    known.append(row[self.group])
        every = sorted({*bearers, *groups}, key=lambda name: (-len(name), name))
        if not every:
            return [], []
        pattern = re.compile(
            r"(?<![^\W_])(?:" + "|".join(re.escape(name) for name in every) + r")(?![^\W_])"
        )
        found = dict.fromkeys(match.group() for match in pattern.finditer(fold_text(text)))
        return (
            [bearers[name] for name in found if name in bearers],
            [groups[name] for name in found if name in groups],
        )

    @staticmethod
    def _fold_names(row: Row, columns: tuple[str, ...]) -> Iterator[str]:
        for column in columns:
            value = row.get(column)
            if isinstance(value, str) and len(value) > 1:
                yield fold_text(value)
