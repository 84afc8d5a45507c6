"""What a person sees while a reply arrives: how far it is, on one line that goes away again.

In      what was heard of a reply (`Heard`)
Out     one line on standard error, on a terminal only
Spec    interfaces.md, "Models" (`show: unjudged`), "Command line"

Text that is not judged yet stands there only where a pack says so, and marked; it goes with the
line when the verdict comes.
"""

from __future__ import annotations

from rich.text import Text

from assay.cli.tables import count_of
from assay.cli.terminal import one_line, terminal
from assay.runtime.calls.context import Heard

__all__ = ["Arriving", "ArrivingText"]

_TAIL = 60


class ArrivingText:
    """The words for one reply after the other."""

    def __init__(self) -> None:
        self._tail = ""

    def line(self, heard: Heard) -> str:
        """How far the reply is; harmless for a terminal."""
        self._tail = (self._tail + heard.unjudged)[-_TAIL:] if heard.chars else ""
        again = f", try {heard.tries}" if heard.tries > 1 else ""
        far = count_of(heard.chars, "character")
        line = f"{heard.contract}, attempt {heard.attempt}{again}: {far}"
        return one_line(f"{line}  unjudged: {self._tail}" if self._tail else line)


class Arriving:
    """One line on standard error with a spinner; nothing where nobody watches."""

    def __init__(self, *, quiet: bool) -> None:
        self.console = terminal(stderr=True)
        self._text = ArrivingText()
        watched = self.console.is_terminal and not quiet
        self._status = self.console.status("") if watched else None

    def begin(self, what: str) -> None:
        """Something is waited for."""
        self._show(f"{what} …")

    def hear(self, heard: Heard) -> None:
        """A piece of a reply has come."""
        if self._status is not None:
            self._show(self._text.line(heard))

    def stop(self) -> None:
        """Nothing is waited for any more."""
        if self._status is not None:
            self._status.stop()

    def _show(self, line: str) -> None:
        if self._status is not None:
            self._status.update(Text(one_line(line), no_wrap=True, overflow="ellipsis"))
            self._status.start()
