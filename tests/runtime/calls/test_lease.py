"""Two processes never make the same call together, and a dead one holds nobody up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.runtime.calls.lease import _process_start, this_process
from assay.wiring import open as opened
from tests.processes import PATIENCE_S, read_line, start_python

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
