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
    from rich.progress import Progress, ProgressColumn

DELAY_S: Final = 1.0
"""Nothing is drawn before."""


class ShowProgress(Protocol):
    """Says how far the work is; what is None stays as it was."""

    def __call__(
        self, done: int | None, total: int | None = None, label: str | None = None
    ) -> None: ...


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

    with drawn_later(label, columns, state) as update:

        def show(done: int | None, total: int | None = None, label: str | None = None) -> None:
            given = {"completed": done, "total": total, "description": label}
            update({name: value for name, value in given.items() if value is not None})

        yield show


@contextmanager
def drawn_later(
    label: str, columns: Callable[[], tuple[ProgressColumn, ...]], state: Mapping[str, Any]
) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """A bar of *columns* from DELAY_S on, until the block ends.

    Args:
        label: Said in a line of its own where the terminal cannot redraw one.
        columns: Made when the bar is drawn; a command that is quick loads nothing for it.
        state: How it begins: `total`, `description`, `completed`.

    Yields:
        Takes what has changed of the state.
    """
    console = terminal(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    known, lock = dict(state), Lock()
    bar: list[Progress] = []
    ended = False

    def draw() -> None:
        from rich.progress import Progress

        with lock:
            if ended:
                return
            if console.is_dumb_terminal:
                say(f"{label} …")
                return
            # What goes to a file or a pipe must not be led to the screen.
            made = Progress(
                *columns(), console=console, transient=True, redirect_stdout=sys.stdout.isatty()
            )
            made.add_task(**known)
            made.start()
            bar.append(made)

    def update(changes: Mapping[str, Any]) -> None:
        cleaned: dict[str, Any] = {
            name: plain_text(value) if isinstance(value, str) else value
            for name, value in changes.items()
        }
        with lock:
            known.update(cleaned)
            for each in bar:
                each.update(each.task_ids[0], **cleaned)

    waiting = Timer(DELAY_S, draw)
    waiting.daemon = True
    waiting.start()
    try:
        yield update
    finally:
        waiting.cancel()
        with lock:
            ended = True
        for each in bar:
            each.stop()
