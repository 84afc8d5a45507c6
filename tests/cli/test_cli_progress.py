"""How far a run or other long work is, for a person who watches it."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cli.run_progress import RunProgress
from assay.runtime.calls.budget import RunBudget
from tests.cli.test_cli_stream import _read_all, watched
from tests.command import MODULE, assay
from tests.loopback import Handler, Server, openai_text, serving
from tests.processes import surroundings
from tests.runtime.tiny import GOOD, TEXT, write_pack

pytestmark = pytest.mark.clause("006-M5")

_BAR = re.compile(
    r"3/6.*?3 accepted {2}0 review {2}[\d.]+k? tokens {2}cost unknown {2}about 0:0\d left"
)


def slow(handler: Handler) -> None:
    """A good reply after a moment, so that a bar is drawn between two of them."""
    time.sleep(0.4)
    openai_text(GOOD)(handler)


def asked(place: Path, server: Server) -> tuple[list[str], dict[str, str]]:
    """Words and variables of a run over six texts."""
    write_pack(place / "tiny")
    for number in range(6):
        (place / f"{number}.txt").write_bytes(TEXT + b"Note %d.\n" % number)
    files = [f"{number}.txt" for number in range(6)]
    words = ["run", "tiny", *files, "--model", "openai:tiny", "--store", "sqlite:///a.db"]
    environ = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{server.url}/v1"}
    return [*words, "--parallel", "1", "--json"], environ


def test_the_bar_tells_outcomes_tokens_cost_and_time_left(tmp_path):
    """Half way through it says what there is, and how long the rest will take."""
    with serving(slow) as server:
        words, environ = asked(tmp_path, server)
        code, out, screen = watched(tmp_path, *words, **environ)

    assert code == 0, screen
    assert len(out.splitlines()) == 6
    assert _BAR.search(screen), screen


def test_where_nobody_watches_there_is_no_bar(tmp_path):
    """Standard error of a pipe or a log file holds the closing line alone."""
    with serving(openai_text(GOOD)) as server:
        words, environ = asked(tmp_path, server)
        ran = assay(tmp_path, *words, process=True, **environ)

    assert ran.code == 0
    assert "left" not in ran.err
    assert "\x1b" not in ran.err


@given(
    done=st.integers(0, 10**6),
    more=st.integers(0, 10**6),
    seconds=st.floats(0, 10**7, allow_nan=False),
)
def test_time_is_left_where_inputs_are(done, more, seconds):
    """No figure before the first outcome or after the last, and never a failure."""
    progress = RunProgress(RunBudget())
    progress.done = done

    text = progress.text(seconds, done + more)

    assert text.endswith("left") == (done > 0 and seconds > 0 and more > 0)


def test_an_outcome_at_the_same_terminal_is_printed_beside_no_bar(tmp_path):
    """The bar goes away first: each outcome begins a line of its own, whole."""
    ours, theirs = pty.openpty()
    with serving(slow) as server:
        words, environ = asked(tmp_path, server)
        variables = surroundings({"TERM": "xterm", "COLUMNS": "100", **environ})
        with subprocess.Popen(
            [sys.executable, *MODULE, *words[:-1]], cwd=tmp_path, env=variables,
            stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
        ):  # fmt: skip
            os.close(theirs)
            drawn = _read_all(ours).decode()
    os.close(ours)

    assert "/6" in drawn
    for number in range(6):
        before = drawn.partition(f"{number}.txt")[0].rpartition("\x1b[2K")[2]
        assert "" == re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", before).rpartition("\n")[2], number


# --- other work that takes long ----------------------------------------------------------------


def feed_later(fifo: Path, content: bytes, seconds: float) -> None:
    """Write into *fifo* once a reader has waited for a while."""

    def feed() -> None:
        with suppress(BrokenPipeError), fifo.open("wb") as file:
            time.sleep(seconds)
            file.write(content)

    os.mkfifo(fifo)
    Thread(target=feed, daemon=True).start()


@pytest.mark.clause("007-F7")
def test_work_that_takes_long_says_what_it_waits_for(tmp_path):
    """After a moment a bar with its label is drawn, and wiped off in the end."""
    feed_later(tmp_path / "slow.txt", b"Hello {{name}}.", 2.5)
    words = (
        "templates",
        "import",
        "slow.txt",
        "--from",
        "dotprompt",
        "--role",
        "r",
        "--reason",
        "x",
    )
    _, _, screen = watched(tmp_path, *words, "--store", "sqlite:///a.db")

    assert "importing the template" in screen


QUICK = """
from assay.cli.progress import progress_bar
from assay.cli.run_progress import RunProgress, run_progress
from assay.runtime.calls.budget import RunBudget

with progress_bar("reading", 10, what="files") as show, run_progress(RunProgress(RunBudget()), 9):
    show(3, 10, "a.txt")
"""


@pytest.mark.clause("007-F7")
def test_quick_work_draws_nothing(tmp_path):
    """No bar flickers over the screen of what is done at once."""
    assert (0, "", "") == watched(tmp_path, program=("-c", QUICK))


@pytest.mark.clause("007-F7")
def test_long_work_draws_nothing_where_nobody_watches(tmp_path):
    """A pipe or a log gets no bar, however long it takes."""
    feed_later(tmp_path / "slow.txt", b"Hello {{name}}.", 1.5)
    words = (
        "templates",
        "import",
        "slow.txt",
        "--from",
        "dotprompt",
        "--role",
        "r",
        "--reason",
        "x",
    )
    ran = assay(tmp_path, *words, "--store", "sqlite:///a.db", "--json", process=True)

    assert "importing" not in ran.err
    assert "\x1b" not in ran.err


@pytest.mark.clause("007-F7")
def test_a_terminal_that_cannot_redraw_gets_one_line(tmp_path):
    """TERM=dumb: what is waited for is said once."""
    feed_later(tmp_path / "slow.txt", b"Hello {{name}}.", 1.5)
    words = (
        "templates",
        "import",
        "slow.txt",
        "--from",
        "dotprompt",
        "--role",
        "r",
        "--reason",
        "x",
    )
    _, _, screen = watched(tmp_path, *words, "--store", "sqlite:///a.db", TERM="dumb")

    assert "\x1b" not in screen
    assert 1 == screen.count("importing the template")


@pytest.mark.clause("007-F7")
def test_what_goes_into_a_file_is_not_led_to_the_screen(tmp_path):
    """The tables of a run whose output is redirected are all in the output, bar or no bar."""
    with serving(slow) as server:
        words, environ = asked(tmp_path, server)
        words.remove("--json")
        code, out, screen = watched(tmp_path, *words, **environ)

    assert 0 == code, screen
    assert all(f"{number}.txt" in out for number in range(6))
    assert "accepted" in out
