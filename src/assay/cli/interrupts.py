"""The first ctrl-C settles what is under way, the second one stops at once.

In      SIGINT
Out     whether the end was asked for; KeyboardInterrupt for the second
Effects handles a signal, writes to standard error
Spec    006-M5; interfaces.md, "Command line" (`assay run`)
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
