"""What the tasks of an event loop ask of a thread, handed over together once a turn of the loop.

In      one thing that is asked for at a time
Out     its answer; to whoever carries it out, all that was asked in one turn
Effects callbacks of the running event loop

Waking a thread costs more than most of what it is woken for. A turn of the loop runs the tasks
that are ready: one alone waits for nobody, and of many those that are ready together go together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

Asked = TypeVar("Asked")
Batch = list[tuple[Asked, Future[Any]]]


class Gathering(Generic[Asked]):
    """Used by any number of event loops, each in its own thread."""

    def __init__(self, carry_out: Callable[[Batch[Asked]], None]) -> None:
        """*carry_out* resolves the Futures sooner or later; what it raises, all of them raise."""
        self._carry_out = carry_out
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, Batch[Asked]] = (
            WeakKeyDictionary()
        )

    def ask(self, asked: Asked) -> asyncio.Future[Any]:
        """The answer to *asked*, once it is carried out."""
        loop = asyncio.get_running_loop()
        turn = self._turns.get(loop)
        if turn is None:
            turn = self._turns[loop] = []
            loop.call_soon(self.hand_over, loop)
        answer: Future[Any] = Future()
        turn.append((asked, answer))
        return asyncio.wrap_future(answer)

    def hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        """End the turn of *loop* now."""
        turn = self._turns.pop(loop, None)
        if not turn:
            return
        try:
            self._carry_out(turn)
        except Exception as error:
            for _, answer in turn:
                if answer.set_running_or_notify_cancel():
                    answer.set_exception(error)
