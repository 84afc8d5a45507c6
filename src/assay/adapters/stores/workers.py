"""A few threads for blocking work, and a clear word once they are gone.

In      functions
Out     their results, as Futures
Effects threads
Spec    docs/decisions/0021: one implementation, whoever waits for it
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from assay.errors import StoreUnavailableError

T = TypeVar("T")


class Workers:
    """A thread pool that may be closed while others still ask it."""

    def __init__(self, count: int, name: str) -> None:
        self._lock = Lock()
        self._closed = False
        self._threads = ThreadPoolExecutor(count, thread_name_prefix=name)

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Run *work* as soon as a thread is free.

        Raises:
            StoreUnavailableError: the workers are closed.
        """
        with self._lock:
            if self._closed:
                raise StoreUnavailableError("the store is closed", hint="open it again")
            return self._threads.submit(work)

    def close(self) -> None:
        """Finish what was asked for, then end the threads. Safe to repeat."""
        with self._lock:
            self._closed = True
        self._threads.shutdown(wait=True)
