"""What stands at the head of a table's rows.

In      a text
Out     the head row above a place
Pure    yes; linear in the text
Spec    005-A3
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

_ROW: Final = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)


class TableHeads:
    """The head rows of the tables of a text."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []
        self._rows: list[tuple[int, str]] = []
        stop, head = -2, ""
        for match in _ROW.finditer(text):
            if match.start() != stop + 1:
                head = match[0]
            stop = match.end()
            self._starts.append(match.start())
            self._rows.append((stop, head))

    def over(self, place: int) -> str:
        """The first row of the table that *place* is in, or nothing.

        Example:
            >>> TableHeads("| Limit |\\n|---|\\n| 20 EUR |").over(18)
            '| Limit |'
        """
        at = bisect_right(self._starts, place) - 1
        if at < 0 or place > self._rows[at][0]:
            return ""
        return self._rows[at][1]
