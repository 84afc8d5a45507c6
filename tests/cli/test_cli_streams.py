"""Streams and terminals as they are: narrow encodings, closed and full streams, signals."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest

from tests.command import MODULE, assay
from tests.loopback import Handler, openai_text, serving
from tests.packs.talk import SESSION
from tests.processes import (
    PATIENCE_S,
    let_children_hear_signals,
    start_python,
    surroundings,
)
from tests.runtime.tiny import GOOD, script, write_pack

STORE = ("--store", "sqlite:///a.db")
NARROW = [
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "latin-1"},
    {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"},
    {"LC_ALL": "C"},
    {"TERM": "dumb"},
    {"NO_COLOR": "1"},
    {"COLUMNS": "0"},
    {"COLUMNS": "1"},
    {"COLUMNS": "-5"},
    {"COLUMNS": "99999999999"},
]
EVERYWHERE = "Wasser – „nass“ … Ω 水 😀"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with outcomes whose names and texts are in many scripts."""
    place = tmp_path_factory.mktemp("streams")
    write_pack(place / "pack")
    (place / "in").mkdir()
    for number in range(3):
        text = f"There is water in the cellar. {EVERYWHERE} {number}"
        (place / "in" / f"{number} {EVERYWHERE}.txt").write_text(text, "utf-8")
    model = script(place, *[GOOD] * 3)
    assert 0 == assay(place, "run", "pack", "in", "--model", model, *STORE).code
    return place


def shell(place: Path, command: str, **environ: str) -> tuple[int, str, str]:
    """`sh -c` with `assay` for the command; its code, standard output and standard error."""
    program = f"assay() {{ '{sys.executable}' {' '.join(MODULE)} \"$@\"; }}; {command}"
    done = subprocess.run(
        ["bash", "-c", program], cwd=place, env=surroundings(environ), stdin=subprocess.DEVNULL,
        capture_output=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    encoding = "latin-1" if environ.get("PYTHONIOENCODING") == "latin-1" else "utf-8"
    return done.returncode, done.stdout.decode(encoding), done.stderr.decode(encoding)


@pytest.mark.clause("007-T5")
@pytest.mark.parametrize("environ", NARROW, ids=str)
def test_no_terminal_ends_a_command(place, environ):
    """Outcomes with evidence, a list, a call with its prompt, help, an error: all are printed."""
    run = "assay run pack in --model scripted:replies.jsonl --evidence --store sqlite:///a.db"
    commands = (run, f"assay calls list {' '.join(STORE)}", "assay run --help", "assay")
    for command in commands:
        code, out, err = shell(place, command, **environ)
        assert (0, "") == (code, err), command
        assert out
    code, _, err = shell(place, f"assay calls show 'zzzz{EVERYWHERE}' {' '.join(STORE)}", **environ)
    assert 10 == code
    assert err.startswith("error[not_found]")


@pytest.mark.clause("007-T5")
def test_tables_are_ascii_where_the_terminal_is(place):
    """Lines of boxes, signs of ours, and letters that are not there."""
    run = "assay run pack in --model scripted:replies.jsonl --evidence --store sqlite:///a.db"
    _, out, _ = shell(place, run, PYTHONIOENCODING="ascii", COLUMNS="160")

    assert out.isascii()
    assert "---------+-" in out
    assert 'Wasser - "nass" ... \\u03a9 \\u6c34 \\U0001f600' in out
    assert "Ω 水 😀" in shell(place, f"{run} --json", PYTHONIOENCODING="ascii")[1]


@pytest.mark.clause("007-T5")
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("assay calls list {store} --json | true; echo ${{PIPESTATUS[0]}}", "1"),
        ("assay calls list {store} | true; echo ${{PIPESTATUS[0]}}", "1"),
        ("assay audit log {store} | true; echo ${{PIPESTATUS[0]}}", "1"),
        ("assay run pack in --again --model scripted:replies.jsonl {store} | true; "
         "echo ${{PIPESTATUS[0]}}", "1"),
        ("assay calls list {store} >&-; echo $?", "0"),
        ("assay calls list {store} --json >&-; echo $?", "0"),
        ("assay calls list {store} <&-; echo $? | tail -1", "0"),
    ],
)  # fmt: skip
def test_a_stream_that_is_closed_is_no_fault(place, command, expected):
    """The command ends, and says nothing."""
    _, out, err = shell(place, command.format(store=" ".join(STORE)))

    assert expected == out.split()[-1]
    assert "" == err


@pytest.mark.clause("007-T5")
def test_standard_error_that_nobody_reads_changes_nothing(place):
    """Closed or full: the same documents and the same code."""
    for end in ("2>&-", "2>/dev/full"):
        code, out, _ = shell(place, f"assay calls list --json {' '.join(STORE)} {end}")
        assert 0 == code
        assert '"calls"' in out
        assert 10 == shell(place, f"assay calls show abcdef {' '.join(STORE)} {end}")[0]
    assert (place / "a.db").read_bytes().startswith(b"SQLite format 3\0")


@pytest.mark.clause("007-T5")
@pytest.mark.parametrize("form", ["", "--json"])
def test_a_full_disk_behind_standard_output_is_said(place, form):
    """In one line, with 40."""
    code, _, err = shell(place, f"assay calls list {form} {' '.join(STORE)} >/dev/full")

    assert 40 == code
    assert ["error[dependency.unavailable]: cannot write: no room is left"] == [
        line.partition(" (")[0] for line in err.splitlines()
    ]


# --- endings -----------------------------------------------------------------------------------


def talk_to(place: Path, *keys: bytes | int) -> tuple[int, str]:
    """A conversation at a real terminal; what is pressed, or which signal comes, at the prompt."""
    ours, theirs = pty.openpty()
    (place / "none.jsonl").touch()
    model = ("--model", "scripted:none.jsonl")
    words = ("chat", "services", "--session", SESSION, *STORE, *model)
    environ = surroundings({"TERM": "xterm", "COLUMNS": "80"})
    drawn = b""
    let_children_hear_signals()
    with subprocess.Popen(
        [sys.executable, "-c", _AT_A_TERMINAL, *MODULE, *words], cwd=place, env=environ,
        stdin=theirs, stdout=theirs, stderr=theirs,
    ) as process:  # fmt: skip
        os.close(theirs)
        waiting = [*keys]
        end = Timer(PATIENCE_S, process.kill)
        end.start()
        try:
            while block := os.read(ours, 1 << 16):
                drawn += block
                if waiting and drawn.rstrip(b" \x1b[0m").endswith(b">"):
                    key = waiting.pop(0)
                    os.kill(process.pid, key) if isinstance(key, int) else os.write(ours, key)
        except OSError:  # how Linux says that nobody holds the other end any more
            pass
        process.wait(PATIENCE_S)
        end.cancel()
    os.close(ours)
    return process.returncode, re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn.decode())


_AT_A_TERMINAL = (
    "import fcntl, os, sys, termios\n"
    "os.setsid()\nfcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
"""Makes standard input the terminal that ctrl-C is pressed at."""


@pytest.mark.clause("007-T7")
@pytest.mark.parametrize(
    ("key", "code", "said"),
    [
        (b"\x03", 130, "interrupted: "),
        (b"\x04", 0, None),
        (b"/quit\n", 0, None),
        (signal.SIGTERM, 143, "interrupted: "),
        (signal.SIGHUP, 129, "interrupted: "),
    ],
    ids=["ctrl-C", "ctrl-D", "quit", "SIGTERM", "SIGHUP"],
)
def test_a_prompt_is_left_in_one_line(tmp_path, key, code, said):
    """Whichever way somebody leaves it."""
    left, screen = talk_to(tmp_path, key)

    assert code == left, screen
    assert "Traceback" not in screen
    lines = [line for line in screen.splitlines()[1:] if line.strip(" >^C")]
    assert [] == [line for line in lines if said is None or not line.startswith(said)] or (
        key == b"/quit\n"
    )
    assert said is None or 1 == len(lines)


def stalling(started: list[Handler]):
    """One good reply, and then none until the client is gone."""

    def behave(handler: Handler) -> None:
        started.append(handler)
        if len(started) == 1:
            openai_text(GOOD)(handler)
        else:
            handler.rfile.read(1)

    return behave


@pytest.mark.clause("007-T7")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_run_that_is_ended_keeps_what_was_settled(tmp_path, number, code):
    """The record is whole, its run says that it was interrupted, and the same command goes on."""
    write_pack(tmp_path / "tiny")
    for each in range(3):
        (tmp_path / f"{each}.txt").write_text(f"There is water in the cellar. {each}")
    files = [f"{each}.txt" for each in range(3)]
    words = ["run", "tiny", *files, "--parallel", "1", *STORE, "--json"]
    with serving(stalling([])) as server:
        environ = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{server.url}/v1"}
        with start_python(
            *MODULE, *words, "--model", "openai:tiny", cwd=tmp_path, environ=environ
        ) as run:
            assert run.stdout is not None
            first = run.stdout.readline()
            run.send_signal(number)
            out, err = run.communicate(timeout=PATIENCE_S)

    assert code == run.returncode, err
    assert "accepted" in first
    assert "" == out
    assert "Traceback" not in err
    assert ["interrupted: "] == [line[:13] for line in err.splitlines() if line]
    log = assay(tmp_path, "audit", "log", *STORE, "--json").documents
    assert "interrupted" == log[-1]["facts"]["how"]
    assert "unanchored" == assay(tmp_path, "audit", "verify", *STORE, "--json").document["status"]


@pytest.mark.clause("007-T7")
def test_a_signal_that_is_ignored_stays_ignored(place):
    """Under nohup a closed terminal ends nothing."""
    command = f"trap '' HUP; assay calls list --json {' '.join(STORE)} & wait $!"

    assert 0 == shell(place, command)[0]
    program = (
        "import signal, os\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from assay.cli.interrupts import leaving_on_signals\n"
        "with leaving_on_signals():\n    os.kill(os.getpid(), signal.SIGHUP)\nprint('there')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=surroundings({}), capture_output=True, check=False
    )
    assert b"there\n" == done.stdout
