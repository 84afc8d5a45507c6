"""What a pack warns of when it is loaded, on standard error.

In      records of the logger `assay.pack`
Out     a line each, once in a command
Effects writes to standard error
Spec    007-P4
"""

from __future__ import annotations

import logging
from typing import Final

from assay.cli.terminal import one_line, say

LOGGER: Final = "assay.pack"
"""Where the loading room says what it warns of."""


class _Lines(logging.Handler):
    """A warning is said once, however often a command loads the pack."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message not in self._said:
            self._said.add(message)
            say(f"warning: {one_line(message)}")


def show_pack_warnings() -> None:
    """From now on, whoever loads a pack in this process is told what it warns of."""
    logger = logging.getLogger(LOGGER)
    for old in logger.handlers[:]:
        if isinstance(old, _Lines):
            logger.removeHandler(old)
    logger.addHandler(_Lines())
