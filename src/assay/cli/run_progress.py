"""How far a run is: rate, outcomes, tokens, cost so far, time left.

In      outcomes as they come, the budget of the run
Out     a bar on standard error, only where a person watches it; it is redrawn by a thread of its
        own, so that no outcome waits for a terminal
Spec    006-M5
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from assay.cli.progress import drawn_later

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

    from assay.runtime.calls.budget import RunBudget
    from assay.runtime.calls.run import ItemOutcome


Pause = Callable[[], AbstractContextManager[None]]


class RunProgress:
    """What a run has come to; told each outcome once."""

    def __init__(self, budget: RunBudget) -> None:
        self._budget = budget
        self.done = 0
        self.accepted = 0
        self.reviews = 0

    def note(self, outcome: ItemOutcome) -> None:
        """One more input is done."""
        self.done += 1
        self.accepted += outcome.outcome.status == "accepted"
        self.reviews += outcome.outcome.status == "needs_review"

    def text(self, seconds: float, total: int) -> str:
        """The figures of a run over *total* inputs in one line, after *seconds*."""
        rate = self.done / seconds if seconds > 0 else 0.0
        return (
            f"{rate:.1f}/s  {self.accepted} accepted  {self.reviews} review  "
            f"{_short(self._budget.used.total_tokens)} tokens  {self._cost_text()}  "
            f"{_time_left(total - self.done, rate)}"
        )

    def _cost_text(self) -> str:
        spending = self._budget.spending
        if not spending.exchanges:
            return "nothing spent"
        return f"cost {spending}" if spending.costs else "cost unknown"


@contextmanager
def run_progress(progress: RunProgress, total: int) -> Iterator[Pause]:
    """Draw *progress* while the block runs; nothing where nobody watches or waits.

    Yields what takes the bar away while something is printed.
    """

    def columns() -> tuple[ProgressColumn, ...]:
        from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task
        from rich.text import Text

        class Figures(ProgressColumn):
            """Asked about ten times a second; it also moves the bar, so that no outcome has to."""

            def render(self, task: Task) -> Text:
                task.completed = min(progress.done, total)
                text = progress.text(monotonic() - begun, total)
                return Text(text, no_wrap=True, overflow="ellipsis")

        return BarColumn(bar_width=20), MofNCompleteColumn(), Figures()

    begun = monotonic()
    with drawn_later("running", columns, {"total": total, "description": "inputs"}) as bar:
        yield bar.pause


def _time_left(count: int, rate: float) -> str:
    """`about 1:05 left`; nothing before the first outcome and after the last."""
    if rate <= 0 or count <= 0:
        return ""
    minutes, seconds = divmod(math.ceil(count / rate), 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return f"about {clock} left"


def _short(count: int) -> str:
    """`950`, `12.3k`, `4.0M`."""
    if count < 1000:
        return str(count)
    return f"{count / 1000:.1f}k" if count < 1_000_000 else f"{count / 1_000_000:.1f}M"
