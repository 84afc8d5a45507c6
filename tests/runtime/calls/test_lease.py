"""Two processes never make the same call together, and a dead one holds nobody up."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from assay.errors import CallTakenError, ModelUnavailableError
from assay.runtime.calls.lease import POLL_S, _process_start, await_owner, this_process
from assay.runtime.calls.patience import RetryPolicy
from assay.testing import FrozenClock
from assay.wiring import open as opened
from tests.processes import PATIENCE_S, read_line, start_python
from tests.runtime import tiny

SCRIPT = str(Path(__file__).with_name("slow_caller.py"))


def end(*processes):
    """Let their models answer; what each of the processes said after that."""
    for process in processes:
        process.stdin.write("answer\n")
        process.stdin.flush()
    said = []
    for process in processes:
        out, errors = process.communicate(timeout=PATIENCE_S)
        assert 0 == process.returncode, errors
        said.append(out)
    return said


def record(folder):
    """Kinds of the events of the store, and the verification of its record."""
    with opened(f"sqlite:///{folder / 'assay.db'}", "none", environ={}) as runtime:
        kinds = [json.loads(event.body)["kind"] for event in runtime.events()]
        return kinds, runtime.verify().status


def test_a_call_under_way_is_waited_for_and_not_sent_twice(tmp_path):
    """A second process gets the outcome of the first one's call; the model is asked once."""
    with start_python(SCRIPT, str(tmp_path)) as first:
        assert read_line(first).startswith("asked ")
        with start_python(SCRIPT, str(tmp_path)) as second:
            assert "waiting\n" == read_line(second)
            said = end(first, second)
    kinds, status = record(tmp_path)

    assert said[0] == said[1]
    assert said[0].startswith("accepted ")
    assert 1 == kinds.count("call.settled")
    assert "unanchored" == status


def test_processes_that_start_together_make_one_call(tmp_path):
    """However the start falls out, one of them asks and the other one waits."""
    with (
        start_python(SCRIPT, str(tmp_path)) as one,
        start_python(SCRIPT, str(tmp_path)) as other,
    ):
        signs = [read_line(process).split()[0] for process in (one, other)]
        said = end(one, other)
    kinds, status = record(tmp_path)

    assert ["asked", "waiting"] == sorted(signs)
    assert said[0] == said[1]
    assert 1 == kinds.count("call.opened")
    assert 1 == kinds.count("call.settled")
    assert "unanchored" == status


@pytest.mark.chaos
def test_a_dead_owner_holds_nobody_up(tmp_path):
    """After kill -9 in the middle of an exchange the next run takes the call over at once."""
    with start_python(SCRIPT, str(tmp_path)) as first:
        asked = read_line(first)
        first.kill()
    with start_python(SCRIPT, str(tmp_path)) as second:
        again = read_line(second)
        (said,) = end(second)
    kinds, _ = record(tmp_path)

    assert asked.startswith("asked ")
    assert asked == again
    assert said.startswith("accepted ")
    assert ["call.opened", "call.resumed", "call.settled"] == [
        kind for kind in kinds if kind.startswith("call.")
    ]


def test_a_process_is_named_so_that_a_reused_number_is_told_apart():
    """The name holds the number and the start of the process; one that is gone has no start."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()

    assert this_process() == this_process()
    assert str(os.getpid()) == this_process().split(":")[1]
    assert "" == _process_start(gone.pid)


def test_a_process_that_ended_and_was_not_fetched_has_no_start():
    """What its parent has not waited for yet is listed by the system, and is gone all the same."""
    ended = subprocess.Popen([sys.executable, "-c", "print('over', flush=True)"], stdout=-1)
    ended.stdout.read()  # its end closes the pipe
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    try:
        assert "" == _process_start(ended.pid)
    finally:
        ended.wait()
        ended.stdout.close()


EXCHANGE_S = 2.0


MINUTE_S = 60.0
"""The grace, told here a second time on purpose."""


def awaited(folder, owner, silence=timedelta(0), attempts=3):
    """How the wait for a call that *owner* left open ends, and how many seconds it takes.

    The call had its last event *silence* ago when the wait begins; the clock stands still but for
    the waiting itself.
    """

    async def leave_open():
        async with tiny.opened(folder, {"error": "auth"}) as runtime:
            theirs = type(runtime)(context=replace(runtime.context, owner=owner))
            with pytest.raises(ModelUnavailableError):
                async for _ in theirs.run(tiny.tiny_pack(), [tiny.TEXT]):
                    pass

    async def wait():
        async with tiny.opened(folder) as runtime:
            (row,) = await runtime.calls()
            latest = [event.at async for event in runtime.store.events(call=row.id)][-1]
            clock = FrozenClock(datetime.fromisoformat(latest) + silence)
            retry = RetryPolicy(max_total_s=EXCHANGE_S)
            context = replace(runtime.context, clock=clock, retry=retry)
            try:
                end = (await await_owner(context, row, attempts)).status
            except CallTakenError:
                end = "taken"
            return end, clock.monotonic()

    asyncio.run(leave_open())
    return asyncio.run(wait())


@pytest.mark.parametrize("attempts", [1, 3])
def test_a_living_owner_on_this_machine_is_waited_for_through_all_its_attempts(tmp_path, attempts):
    """The time of all exchanges and a minute more is waited in full, then the call is said to be
    taken; that the call is silent meanwhile says nothing about a process that can be seen."""
    host = this_process().split(":")[0]
    parent = f"{host}:{os.getppid()}:{_process_start(os.getppid())}"
    longest = EXCHANGE_S * attempts + MINUTE_S

    assert ("taken", longest + POLL_S) == awaited(tmp_path, parent, timedelta(days=1), attempts)


def test_a_reused_number_a_gone_process_and_oneself_hold_nobody_up(tmp_path):
    """On this machine an owner is gone at once when no process has its number, or one that began
    at another time; and nobody waits for a call of their own."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    host = this_process().split(":")[0]
    owners = (f"{host}:{os.getppid()}:1", f"{host}:{gone.pid}:1", this_process(), "")
    for number, owner in enumerate(owners):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert ("open", 0.0) == awaited(folder, owner)
