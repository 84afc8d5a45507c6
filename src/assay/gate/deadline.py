"""Ask a stranger's code for an answer, and go on without one when it takes too long.

In      a function without arguments, seconds
Out     what it gives, or what it raised; TimeoutError when it gives nothing in time
Effects a thread for the time that it takes
Spec    007-C4

What is asked here are validators of a class and checks that other packages publish: code that
nobody can prove to end. It is interrupted at its next step of Python. Code that never comes back
to Python (a loop in C) is left behind in its thread; while such code also holds the interpreter,
as a regular expression that backtracks without end does, nothing in this process can go on.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Final, TypeVar

T = TypeVar("T")

PATIENCE_S: Final = 5.0
"""How long one output may keep a stranger's code busy."""

_GRACE_S: Final = 0.2
"""How long an interrupted thread is waited for; what it does afterwards is its own."""


class _Interrupted(BaseException):
    """Raised inside the code whose time is up. No `except Exception` keeps it."""


def ask_within(seconds: float, function: Callable[[], T]) -> T | BaseException:
    """What *function* gives, asked in a thread of its own; the exception when it raises one.

    Raises:
        TimeoutError: it gave nothing in time.
    """
    given: list[T | BaseException] = []

    def ask() -> None:
        try:
            given.append(function())
        except BaseException as error:  # handed on below, where somebody waits for it
            given.append(error)

    context = copy_context()
    thread = threading.Thread(target=context.run, args=(ask,), name="assay-ask", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        _interrupt(thread)
        thread.join(_GRACE_S)
        raise TimeoutError
    return given[0]


def _interrupt(thread: threading.Thread) -> None:
    if thread.ident is not None:
        raising = ctypes.pythonapi.PyThreadState_SetAsyncExc
        raising(ctypes.c_ulong(thread.ident), ctypes.py_object(_Interrupted))
