"""A reply skeleton: its placeholders must be resolvable, and are resolved from a table.

In      PlaceholderRule over a Table; an output with placeholders and a text that uses them
Out     findings placeholder.unresolved; the filled text
Pure    yes
Spec    003-V3 "template.placeholders must include ≥1 key derived from cached data"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.core.json.pointer import escape
from assay.gate.gate import GateContext
from assay.gate.tables import Row, Table, at_pointer
from assay.gate.verdict import Finding

_SLOT = re.compile(r"\{([A-Za-z][A-Za-z0-9_.]*)\}")
_BRACE = re.compile("[{}\uff5b\uff5d]")
"""A brace beside the placeholders: one that was written in a way that nothing fills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceholderRule:
    """Every placeholder stands for a column of the row that the output chose."""

    placeholders: str
    """JSON Pointer to the object of placeholders: key -> `{name}`."""

    text: str
    """JSON Pointer to the text that uses them."""

    table: Table
    key: Mapping[str, str]
    """Column -> JSON Pointer into the output: which row was chosen."""

    values: Mapping[str, str]
    """Placeholder name -> column."""

    spare: str
    """The skeleton where the text uses no placeholder."""

    def __call__(
        self,
        output: dict[str, Any],
        context: GateContext,  # noqa: ARG002 - every check has it
    ) -> Iterator[Finding]:
        """Findings `placeholder.unresolved`."""
        row = self._row(output)
        if row is None:
            return  # that the row is unknown is a finding of another rule
        declared = self._read_placeholders(output)
        for key, value in declared.items():
            match = _SLOT.fullmatch(value) if isinstance(value, str) else None
            if match is None or self._value(row, key, match[1]) is None:
                yield self._unresolved(f"{self.placeholders}/{escape(key)}")
        text = at_pointer(output, self.text)
        if isinstance(text, str):
            names = {match[1] for match in _SLOT.finditer(text)}
            unfilled = any(self._fill_name(row, declared, name) is None for name in names)
            if unfilled or _BRACE.search(_SLOT.sub("", text)):
                yield self._unresolved(self.text)

    def fill(self, output: Mapping[str, Any]) -> str | None:
        """The skeleton of an accepted *output*, filled; None when something is unresolved."""
        row = self._row(output)
        if row is None:
            return None
        declared = self._read_placeholders(output)
        text = at_pointer(output, self.text)
        if not isinstance(text, str) or not _SLOT.search(text):
            text = self.spare
        elif _BRACE.search(_SLOT.sub("", text)):
            return None
        values = {
            name: self._fill_name(row, declared, name)
            for name in {match[1] for match in _SLOT.finditer(text)}
        }
        if any(value is None for value in values.values()):
            return None
        return _SLOT.sub(lambda match: str(values[match[1]]), text)

    def _fill_name(self, row: Row, declared: Mapping[str, Any], name: str) -> str | None:
        """A name in the text: as declared, or a placeholder's own name."""
        value = declared.get(name)
        match = _SLOT.fullmatch(value) if isinstance(value, str) else None
        return self._value(row, name, name if match is None else match[1])

    def _value(self, row: Row, key: str, name: str) -> str | None:
        column = self.values.get(name) or self.values.get(key)
        value = None if column is None else row.get(column)
        return value if isinstance(value, str) and value else None

    def _read_placeholders(self, output: Mapping[str, Any]) -> Mapping[str, Any]:
        found = at_pointer(output, self.placeholders)
        return found if isinstance(found, Mapping) else {}

    def _row(self, output: Mapping[str, Any]) -> Row | None:
        return self.table.find_row(
            {column: at_pointer(output, below) for column, below in self.key.items()}
        )

    @staticmethod
    def _unresolved(path: str) -> Finding:
        return Finding(
            code="placeholder.unresolved",
            path=path,
            message="uses a placeholder that nothing known fills",
        )
