"""The child process of an embedded language model, seen from the process that asks it.

In      operations, one at a time
Out     their answers; a child that dies is a fault of one call
Pure    no: starts and ends processes
Spec    interfaces.md, "Models"; 000 "Output must be JSON only"
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from assay.protocols import ModelFault

LIBRARY: Final = "xllamacpp"
"""What runs the models."""

_CLOSE_S: Final = 5.0
"""How long a child has to end by itself after its input was closed."""


class EmbeddedChild:
    """One child process at a time; started when it is first needed. Safe in several threads.

    A child that dies takes down one call, which learns of it as a `crash`; the next call gets a
    fresh child. A child whose parent is gone reads the end of its input and ends too.
    """

    def __init__(
        self,
        worker: str,
        *arguments: str,
        vouch: Callable[[], None] | None = None,
        first_failure: Literal["crash", "setup"] = "crash",
    ) -> None:
        """*vouch* is asked before and after the weights are loaded and raises when they are not
        the right ones; *first_failure* is whose fault it is when they were never loaded."""
        self._command = [sys.executable, "-m", worker, *arguments]
        self._vouch = vouch
        self._failure = first_failure
        self._turn = threading.Lock()
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int | None:
        """Process id of the child, while there is one."""
        return None if self._process is None else self._process.pid

    def ask(self, operation: Mapping[str, Any]) -> dict[str, Any]:
        """Have one operation carried out; waits for its turn and for the answer.

        Raises:
            ModelFault: `crash` (transient) when the child dies; `bad_request` or `server`
                when it says so.
        """
        with self._turn:
            process = self._process or self._start()
            try:
                answer = self._exchange(process, json.dumps(dict(operation)))
            except (OSError, ValueError) as error:
                self._end(process)
                raise ModelFault(
                    "crash", transient=True, hint="the process of the embedded model ended"
                ) from error
        if "fault" in answer:
            raise ModelFault(answer["fault"], transient=False, hint=answer.get("hint", ""))
        return answer

    def kill(self) -> None:
        """End the child now; an operation that waits for it fails as `crash`."""
        process = self._process
        if process is not None:
            with contextlib.suppress(OSError):
                process.kill()

    def close(self) -> None:
        """Let the child end; a later `ask` would start another."""
        process = self._process
        if process is not None:
            self._end(process)

    def _start(self) -> subprocess.Popen[str]:
        if self._vouch is not None:
            self._vouch()
        process = subprocess.Popen(  # noqa: S603 - our own module
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._process = process
        try:
            self._read(process)
        except (OSError, ValueError) as error:
            self._end(process)
            raise ModelFault(
                self._failure,
                transient=self._failure == "crash",
                hint="the embedded model could not be loaded",
            ) from error
        self._failure = "crash"
        if self._vouch is not None:
            try:
                self._vouch()
            except ModelFault:
                self._end(process)
                raise
        return process

    def _exchange(self, process: subprocess.Popen[str], line: str) -> dict[str, Any]:
        assert process.stdin is not None
        process.stdin.write(line + "\n")
        process.stdin.flush()
        return self._read(process)

    @staticmethod
    def _read(process: subprocess.Popen[str]) -> dict[str, Any]:
        """One answer. Raises ValueError at the end of the stream."""
        assert process.stdout is not None
        answer: dict[str, Any] = json.loads(process.stdout.readline())
        return answer

    def _end(self, process: subprocess.Popen[str]) -> None:
        self._process = None
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            process.wait(_CLOSE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def thread_count() -> int:
    """Half of the processors: oversubscribed, the library slows down tenfold. The number has
    no influence on what comes out."""
    return max(1, (os.cpu_count() or 2) // 2)
