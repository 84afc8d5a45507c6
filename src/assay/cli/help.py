"""Help in the width of the terminal, as readable at 40 characters as at 200.

In      commands of click
Out     the same commands, with help of this form
Pure    but for the width, which the terminal says
Spec    007-T3
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import click

from assay.cli.terminal import terminal_width

__all__ = ["Context", "prepare_help"]

_MOST: Final = 100
"""Longer lines are hard to read."""

_NARROW: Final = 60
"""In less, what a word means stands under it instead of beside it."""


class _Help(click.HelpFormatter):
    """Definitions beside their words, or under them where there is no room."""

    def __init__(self) -> None:
        super().__init__(width=min(terminal_width() - 1, _MOST))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        if self.width >= _NARROW:
            super().write_dl(rows, col_max, col_spacing)
            return
        for word, meaning in rows:
            self.write(f"{'':>{self.current_indent}}{word}\n")
            with self.indentation():
                self.write_text(meaning)


class Context(click.Context):
    """Of every command here."""

    def make_formatter(self) -> click.HelpFormatter:
        return _Help()


def prepare_help(command: click.Command) -> click.Command:
    """*command* and all under it write their help in this form."""
    command.context_class = Context
    if isinstance(command, click.Group):
        for each in command.commands.values():
            prepare_help(each)
    return command
