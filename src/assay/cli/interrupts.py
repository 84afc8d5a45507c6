"""How a command is ended from outside: in order, and at once.

In      SIGINT, SIGTERM, SIGHUP
Out     whether the end was asked for; KeyboardInterrupt for a second SIGINT, Terminated for the
        others
Effects handles signals, writes to standard error
Spec    006-M5, 007-T7; interfaces.md, "Command line" (`assay run`)
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

_SAID = b"\nsettling what is under way; ctrl-C again stops at once\n"


@dataclass(slots=True)
class Interrupt:
    """Whether somebody asked for the end."""

    asked: bool = False

    def __call__(self) -> bool:
        return self.asked


class Terminated(KeyboardInterrupt):
    """Somebody who cannot press ctrl-C ends the process: treated as one that stops at once."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


@contextmanager
def leaving_on_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP end a command like ctrl-C does, and not in the middle of a commit.

    A second one while the first is still at work ends nothing sooner. One that whoever started
    this process has it ignore (nohup) stays ignored.
    """
    leaving = False

    def leave(number: int, _: FrameType | None) -> None:
        nonlocal leaving
        if not leaving:
            leaving = True
            raise Terminated(number)

    before = {}
    for each in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) == signal.SIG_DFL:
            before[each] = signal.signal(each, leave)
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def settling_first() -> Iterator[Interrupt]:
    """Take the first ctrl-C as a wish; the second one interrupts as ever.

    Where nobody can interrupt (another thread, a process in the background) nothing changes.
    """
    interrupt = Interrupt()
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or before is not signal.default_int_handler:
        yield interrupt
        return

    def ask(_: int, __: FrameType | None) -> None:
        interrupt.asked = True
        signal.signal(signal.SIGINT, before)
        with suppress(OSError, ValueError):  # a stream may be at work: past it, to the file
            os.write(sys.stderr.fileno(), _SAID)

    signal.signal(signal.SIGINT, ask)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
