"""Two processes never make the same call together, and a dead one holds nobody up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.runtime.calls.lease import _process_start, this_process
from assay.wiring import open as opened

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = Path(__file__).with_name("slow_caller.py")


def caller(folder, seconds):
    """One process that makes the call; its model answers after *seconds*."""
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    words = [sys.executable, str(SCRIPT), str(folder), str(seconds)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environ)


def wait_until_asked(folder):
    """Come back once a model was asked."""
    for _ in range(600):
        if (folder / "asked").exists():
            return
        time.sleep(0.05)
    raise AssertionError("no model was asked")


def asked(folder):
    return (folder / "asked").read_text(encoding="utf-8").splitlines()


def record(folder):
    """Kinds of the events of the store, and the verification of its record."""
    with opened(f"sqlite:///{folder / 'assay.db'}", "none", environ={}) as runtime:
        kinds = [json.loads(event.body)["kind"] for event in runtime.events()]
        return kinds, runtime.verify().status


def test_a_call_under_way_is_waited_for_and_not_sent_twice(tmp_path):
    """A second process gets the outcome of the first one's call; the model is asked once."""
    first = caller(tmp_path, 3)
    wait_until_asked(tmp_path)
    second = caller(tmp_path, 3)
    said = [process.communicate(timeout=60)[0] for process in (first, second)]
    kinds, status = record(tmp_path)

    assert said[0] == said[1]
    assert said[0].startswith("accepted ")
    assert 1 == len(asked(tmp_path))
    assert 1 == kinds.count("call.settled")
    assert "unanchored" == status


def test_processes_that_start_together_make_one_call(tmp_path):
    """However the start falls out, there is one call with one outcome under the key."""
    both = [caller(tmp_path, 1) for _ in range(2)]
    said = [process.communicate(timeout=60)[0] for process in both]
    kinds, status = record(tmp_path)

    assert said[0] == said[1]
    assert 1 == kinds.count("call.opened")
    assert 1 == kinds.count("call.settled")
    assert "unanchored" == status


@pytest.mark.chaos
def test_a_dead_owner_holds_nobody_up(tmp_path):
    """After kill -9 in the middle of an exchange the next run takes the call over at once."""
    first = caller(tmp_path, 60)
    wait_until_asked(tmp_path)
    first.kill()
    first.wait()
    first.stdout.close()
    second = caller(tmp_path, 0)
    said, _ = second.communicate(timeout=60)
    kinds, _ = record(tmp_path)

    assert said.startswith("accepted ")
    assert 2 == len(asked(tmp_path))
    assert len(set(asked(tmp_path))) == 1
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
