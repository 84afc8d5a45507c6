"""Processes of a test: started with the code under test, waited for by a sign, never by the clock.

A test that needs another process to have come so far waits for what that process says or does.
`PATIENCE_S` bounds every such wait; it is long, because all it can do is fail a test.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 300.0


def surroundings(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without settings of ours, keys of providers and proxies, then *environ*.

    The modules of this checkout come first, so that a child runs the code under test.
    """
    names = ("ASSAY_", "OPENAI_", "ANTHROPIC_")
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(names) and not name.lower().endswith("_proxy")
    }
    paths = (str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", ""))
    return clean | {"PYTHONPATH": os.pathsep.join(filter(None, paths))} | dict(environ)


def run_python(
    *words: str,
    cwd: Path | None = None,
    stdin: bytes = b"",
    environ: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run `python WORDS` to its end."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env=surroundings(environ or {}),
        input=stdin,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )


def let_children_hear_signals() -> None:
    """Whoever runs the tests in the background (`&`, `nohup`) ignores signals; children would too.

    A handler of Python's is not inherited: a child starts with what the system does by itself.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


@contextmanager
def start_python(
    *words: str, cwd: Path | None = None, environ: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """`python WORDS` with pipes to it; whatever happens, it is over when the test is."""
    let_children_hear_signals()
    with subprocess.Popen(
        [sys.executable, *words],
        cwd=cwd,
        env=surroundings(environ or {}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def read_line(process: subprocess.Popen[str]) -> str:
    """The next line that *process* says; fail when it ends before, or is silent for ever."""
    assert process.stdout is not None
    end = Timer(PATIENCE_S, process.kill)
    end.start()
    try:
        line = process.stdout.readline()
    finally:
        end.cancel()
    assert line, f"ended before its line: {process.communicate(timeout=PATIENCE_S)}"
    return line


def wait_until(sign: Callable[[], object], *processes: subprocess.Popen[str]) -> None:
    """Come back once *sign* is true; fail when that takes for ever or a process ends before."""
    until = time.monotonic() + PATIENCE_S
    while not sign():
        for process in processes:
            if process.poll() is not None and not sign():
                raise AssertionError(f"ended before its sign: {process.communicate()}")
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)
