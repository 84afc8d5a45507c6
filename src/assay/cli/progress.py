"""A person who waits is told what for, and how far it is; nobody else is told anything.

In      a label, how much is done, how much there is
Out     a bar on standard error, drawn by a thread of its own: only where that is a terminal, and
        only once the work takes longer than a moment, so that quick commands do not flicker
Spec    007-F7
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any, Final, Protocol

from assay.cli.terminal import plain_text, say, terminal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn

DELAY_S: Final = 1.0
"""Nothing is drawn before."""


class ShowProgress(Protocol):
    """Says how far the work is; what is None stays as it was."""

    def __call__(
        self,
        done: int | None,
        total: int | None = None,
        label: str | None = None,
        *,
        at_once: bool = False,
    ) -> None:
        """With *at_once* the bar is drawn now: a reply that arrives is worth it."""
        ...


@contextmanager
def progress_bar(label: str, total: int | None = None, *, what: str = "") -> Iterator[ShowProgress]:
    """Tell a person what the block is waiting for.

    Args:
        label: What is being done.
        total: How much there is to do; None is not known.
        what: What is counted, in the plural.

    Yields:
        Called as the work goes on, from any thread.
    """
    state: dict[str, Any] = {"total": total, "description": label, "completed": 0}

    def columns() -> tuple[ProgressColumn, ...]:
        from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeElapsedColumn
        from rich.text import Text

        class Count(ProgressColumn):
            """`12,000/40,000 events`, or what is known of it."""

            def render(self, task: Task) -> Text:
                done, most = f"{int(task.completed):,}", task.total
                if most is None:
                    return Text(f"{done} {what}".strip() if task.completed else "")
                return Text(f"{done}/{int(most):,} {what}".strip())

        return (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            Count(),
            TimeElapsedColumn(),
        )

    with drawn_later(label, columns, state) as bar:

        def show(
            done: int | None,
            total: int | None = None,
            label: str | None = None,
            *,
            at_once: bool = False,
        ) -> None:
            given = {"completed": done, "total": total, "description": label}
            bar.update({name: value for name, value in given.items() if value is not None})
            if at_once:
                bar.draw()

        yield show


class LateBar:
    """A bar that may not be drawn yet; told what has changed, and when it is in the way."""

    def __init__(
        self,
        label: str,
        columns: Callable[[], tuple[ProgressColumn, ...]],
        state: Mapping[str, Any],
        console: Console,
    ) -> None:
        self._label = label
        self._columns = columns
        self._known = dict(state)
        self._console = console
        self._lock = Lock()
        self._bar: Progress | None = None
        self._drawn = False
        self._ended = False

    def update(self, changes: Mapping[str, Any]) -> None:
        """Take what has changed of the state."""
        cleaned: dict[str, Any] = {
            name: plain_text(value) if isinstance(value, str) else value
            for name, value in changes.items()
        }
        with self._lock:
            self._known.update(cleaned)
            if self._bar is not None:
                self._bar.update(self._bar.task_ids[0], **cleaned)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Make room while something is printed at the same terminal."""
        with self._lock:
            drawn = self._bar if sys.stdout.isatty() else None
            if drawn is None:
                yield
                return
            drawn.stop()
            try:
                yield
            finally:
                drawn.start()

    def draw(self) -> None:
        """Draw it, unless the work has ended."""
        from rich.progress import Progress

        with self._lock:
            if self._ended or self._drawn or not self._console.is_terminal:
                return
            self._drawn = True
            if self._console.is_dumb_terminal:
                say(f"{self._label} …")
                return
            # What goes to a file or a pipe must not be led to the screen.
            made = Progress(
                *self._columns(),
                console=self._console,
                transient=True,
                redirect_stdout=sys.stdout.isatty(),
            )
            made.add_task(**self._known)
            made.start()
            self._bar = made

    def end(self) -> None:
        """Take it away for good."""
        with self._lock:
            self._ended = True
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def drawn_later(
    label: str, columns: Callable[[], tuple[ProgressColumn, ...]], state: Mapping[str, Any]
) -> Iterator[LateBar]:
    """A bar of *columns* from DELAY_S on, until the block ends.

    Args:
        label: Said in a line of its own where the terminal cannot redraw one.
        columns: Made when the bar is drawn; a command that is quick loads nothing for it.
        state: How it begins: `total`, `description`, `completed`.
    """
    console = terminal(stderr=True)
    bar = LateBar(label, columns, state, console)
    if not console.is_terminal:
        yield bar
        return
    waiting = Timer(DELAY_S, bar.draw)
    waiting.daemon = True
    waiting.start()
    try:
        yield bar
    finally:
        waiting.cancel()
        bar.end()
