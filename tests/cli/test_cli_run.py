"""`assay run` as a person or a program meets it: lines, exit codes, what bad input gets."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from assay.cli.main import VERBS
from tests.command import assay, started
from tests.loopback import answer, openai_text, serving
from tests.processes import PATIENCE_S, read_line, wait_until
from tests.runtime.tiny import GOOD, UNKNOWN_LABEL, script, write_pack


@pytest.fixture
def place(tmp_path):
    """A folder with the tiny pack, some texts, and a script that always says GOOD."""
    write_pack(tmp_path / "pack")
    (tmp_path / "in").mkdir()
    write_texts(tmp_path, 3)
    script(tmp_path, *[GOOD] * 3, name="s.jsonl")
    return tmp_path


def write_texts(folder: Path, count: int) -> None:
    for number in range(count):
        text = f"Case {number}: there is water in the cellar."
        (folder / "in" / f"{number}.txt").write_text(text)


PINNED = ["calls", "detail", "input", "outcome", "reason", "result", "shortened", "unread"]
RUN = ("run", "pack", "in", "--model", "scripted:s.jsonl", "--json")


def test_one_line_an_input_with_the_pinned_fields(place):
    """Standard output holds one JSON object for each input, and nothing else."""
    done = assay(place, *RUN)

    assert 0 == done.code
    assert [f"in{os.sep}{n}.txt" for n in range(3)] == [line["input"] for line in done.documents]
    for line in done.documents:
        assert PINNED == sorted(line)
        assert ("accepted", None) == (line["outcome"], line["reason"])


def test_a_second_run_sends_nothing(place):
    """What is settled under the same contract, model and bytes is not sent again."""
    first = assay(place, *RUN)
    second = assay(place, *RUN, "--script-log", "log.jsonl")

    assert first.documents == second.documents
    log = place / "log.jsonl"
    assert not log.exists() or not log.read_text()


def test_strict_says_that_something_needs_review(place):
    """With --strict a review makes the exit code 30; the lines are the same."""
    script(place, GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL, GOOD, name="s.jsonl")
    done = assay(place, *RUN, "--strict")

    assert 30 == done.code
    assert ["accepted", "needs_review", "accepted"] == [line["outcome"] for line in done.documents]


def test_an_unreachable_model_ends_the_run_and_the_rest_stays_to_be_done(place):
    """Exit 40 after what was settled; the next run goes on with the rest."""
    script(place, GOOD, GOOD, name="s.jsonl")
    done = assay(place, *RUN)
    *settled, error = done.documents

    assert 40 == done.code
    assert 2 == len(settled)
    assert "error" in error
    assert done.err.startswith("error[model.unavailable]: ")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("run", "pack", "nowhere.txt"), 10, "nowhere.txt"),
        (("run", "pack", "empty"), 10, "nothing to run"),
        (("run", "nopack", "in"), 10, "nopack"),
        (("run", "pack", "in", "--model", "oracle:x"), 2, "oracle"),
        (("run", "pack", "in", "--model", "scripted:nowhere.jsonl"), 10, "nowhere.jsonl"),
        (("run", "pack", "in", "--model", "openai:gpt-x"), 40, "OPENAI_API_KEY"),
        (("run", "pack"), 2, "INPUT"),
        (("run", "services", "in"), 2, "assay chat services"),
        (("run", "grounded", "in"), 2, "assay ask"),
        (("run", "pack", "in", "--store", "sqlite:///in"), 40, "store"),
    ],
)
def test_bad_input_gets_one_line_with_code_and_remedy(place, words, code, said):
    """Every error is one line on standard error, with the code that interfaces.md pins."""
    (place / "empty").mkdir()
    done = assay(place, *words)

    assert code == done.code, done.err
    assert said in done.err
    assert done.err.startswith("error[")
    assert 1 == len(done.err.strip().splitlines())
    assert "Traceback" not in done.err


def test_a_pack_fault_names_file_and_line(place):
    """A fault in a pack ends with 60 and says where it is."""
    (place / "pack" / "contracts" / "triage.yaml").write_text("template: triage\nshema: x\n")
    done = assay(place, *RUN)

    assert 60 == done.code
    assert "contracts/triage.yaml:2" in done.err


def test_what_cannot_be_read_is_an_outcome(place):
    """An empty or binary file ends as a review item with its reason; the others go on."""
    (place / "in" / "0.txt").write_bytes(b"")
    (place / "in" / "1.txt").write_bytes(b"\xff\xfe\x00\x01" * 10)
    done = assay(place, *RUN)

    assert 0 == done.code
    assert ["input.unreadable", "input.unreadable", None] == [x["reason"] for x in done.documents]
    reviews = assay(place, "review", "list", "--json").document["reviews"]
    assert 2 == len(reviews)
    assert 0 == assay(place, *RUN).code
    again = assay(place, "review", "list", "--json").document["reviews"]
    assert reviews == again


def test_a_named_file_is_always_taken_and_the_rest_is_listed(place):
    """In a folder only what the source takes is run; a file that is named is run whatever it is."""
    (place / "in" / "note.csv").write_text("a,b")
    done = assay(place, *RUN)

    assert 3 == len(done.documents)
    assert "skipped: in" in done.err
    named = assay(place, "run", "pack", "in/note.csv", "--model", "scripted:s.jsonl", "--json")
    assert ["in/note.csv"] == [line["input"] for line in named.documents]


def test_a_line_of_a_file_stays_one_line(place):
    """A line end in a file's name is shown as a dot: nobody writes a line of ours by a name."""
    (place / "in" / "a\nwritten: b.csv").write_text("a,b")
    done = assay(place, *RUN)

    assert "skipped: in/a·written: b.csv" in done.err.splitlines()


def test_a_template_that_was_edited_and_is_sent_is_warned_of(place):
    """Not strict: the call is made, and one line on standard error says of what."""
    assert "warning" not in assay(place, *RUN).err
    connection = sqlite3.connect(place / ".assay" / "assay.db")
    with connection:
        connection.execute("UPDATE templates SET body = 'Obey ' || body")
    connection.close()
    done = assay(place, *RUN, "--again")

    assert 3 == len(done.documents)
    warnings = [line for line in done.err.splitlines() if line.startswith("warning: ")]
    (warning,) = warnings
    assert "template triage/triage@1 was edited in the store" in warning


class Held:
    """A server's behaviour that answers GOOD; from a number of requests on only when told to."""

    def __init__(self, free: int) -> None:
        self.free = free
        self.count = 0
        self.lock = threading.Lock()
        self.go = threading.Event()

    def __call__(self, handler) -> None:
        with self.lock:
            self.count += 1
            waits = self.count > self.free
        if waits:
            assert self.go.wait(PATIENCE_S)
        openai_text(GOOD)(handler)


SIDE_BY_SIDE = ("run", "pack", "in", "--model", "openai:tiny", "--json", "--parallel")


def surroundings(server) -> dict[str, str]:
    return {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "k"}


@pytest.mark.clause("006-M5")
@pytest.mark.parametrize("parallel", [1, 4])
def test_the_first_interrupt_settles_what_is_under_way(place, parallel):
    """What is under way is answered, recorded and printed, nothing else is begun, the last line
    says how many are left, and the same command does these."""
    texts, settled = 12, 5
    write_texts(place, texts)
    held = Held(settled)
    with serving(held) as server:
        with started(place, *SIDE_BY_SIDE, str(parallel), **surroundings(server)) as run:
            wait_until(lambda: len(server.seen) == settled + parallel, run)
            run.send_signal(signal.SIGINT)
            assert "settling what is under way" in "".join(run.stderr.readline() for _ in range(2))
            held.go.set()
            printed, errors = run.communicate(timeout=PATIENCE_S)
        done = assay(place, *SIDE_BY_SIDE, str(parallel), **surroundings(server))

    assert 130 == run.returncode, errors
    assert settled + parallel == len(printed.splitlines())
    assert f"{texts - settled - parallel} inputs are left" in errors.splitlines()[-1]
    assert (0, texts) == (done.code, len(done.documents)), done.err
    assert texts == len(server.seen)
    assert "unanchored" == assay(place, "audit", "verify", "--json").document["status"]


@pytest.mark.clause("006-M5")
@pytest.mark.parametrize("parallel", [1, 4])
def test_an_interrupt_leaves_what_only_waits(place, parallel):
    """While a provider refuses all calls for a minute there is nothing under way to settle: the
    run ends, what was answered is printed, and the same command does the rest."""
    texts = 6
    write_texts(place, texts)
    busy = answer(429, {"error": {"message": "slow down"}}, {"retry-after": "60"})
    with (
        serving(openai_text(GOOD), openai_text(GOOD), busy) as server,
        started(place, *SIDE_BY_SIDE, str(parallel), **surroundings(server)) as run,
    ):
        wait_until(lambda: len(server.seen) > 2, run)
        run.send_signal(signal.SIGINT)
        printed, errors = run.communicate(timeout=PATIENCE_S)
    with serving(openai_text(GOOD)) as server:
        done = assay(place, *SIDE_BY_SIDE, str(parallel), **surroundings(server))

    assert 130 == run.returncode, errors
    assert 2 == len(printed.splitlines())
    assert f"{texts - 2} inputs are left" in errors.splitlines()[-1]
    assert (0, texts) == (done.code, len(done.documents)), done.err


@pytest.mark.clause("006-M5")
@pytest.mark.parametrize("parallel", [1, 4])
def test_the_second_interrupt_stops_at_once(place, parallel):
    """Calls under way stay open; nothing settled is lost, and a second run does the rest."""
    texts, settled = 12, 5
    write_texts(place, texts)
    held = Held(settled)
    with serving(held) as server:
        with started(place, *SIDE_BY_SIDE, str(parallel), **surroundings(server)) as run:
            wait_until(lambda: len(server.seen) == settled + parallel, run)
            run.send_signal(signal.SIGINT)
            assert "settling what is under way" in "".join(run.stderr.readline() for _ in range(2))
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=PATIENCE_S)
        held.go.set()
        done = assay(place, *SIDE_BY_SIDE, str(parallel), **surroundings(server))

    assert 130 == run.returncode, errors
    assert (0, texts) == (done.code, len(done.documents)), done.err
    assert texts + parallel == len(server.seen)
    assert "unanchored" == assay(place, "audit", "verify", "--json").document["status"]


@pytest.mark.chaos
def test_a_killed_run_loses_nothing_that_it_printed(place):
    """After kill -9 every printed outcome is on record, the record verifies, the rest is done."""
    texts = 100
    write_texts(place, texts)
    script(place, *[GOOD] * texts, name="s.jsonl")
    with started(place, *RUN) as run:
        seen = [json.loads(read_line(run)) for _ in range(30)]
        run.kill()
    calls = assay(place, "calls", "list", "--limit", "1000", "--json").document["calls"]
    settled = {call["id"] for call in calls if call["status"] == "settled"}

    assert {call for line in seen for call in line["calls"]} <= settled
    assert 0 == assay(place, "audit", "verify").code
    assert texts == len(assay(place, *RUN).documents)


class Turnstile:
    """A server's behaviour that lets three through at once and refuses all others for a second."""

    def __init__(self) -> None:
        self.inside = self.refused = 0
        self.lock = threading.Lock()

    def __call__(self, handler) -> None:
        with self.lock:
            full = self.inside >= 3
            self.inside += not full
            self.refused += full
        if full:
            error = {"error": {"code": "rate_limit_exceeded", "type": "requests", "message": "x"}}
            answer(429, error, {"retry-after": "1"})(handler)
            return
        time.sleep(0.05)
        with self.lock:
            self.inside -= 1
        openai_text(GOOD)(handler)


@pytest.mark.clause("006-M5")
def test_a_batch_under_a_limit_of_requests_ends_accepted(place):
    """Refusals for too many requests slow the run down and end no input."""
    texts = 24
    write_texts(place, texts)
    turnstile = Turnstile()
    with serving(turnstile) as server:
        done = assay(place, *SIDE_BY_SIDE, "16", **surroundings(server))

    assert (0, ["accepted"] * texts) == (done.code, [line["outcome"] for line in done.documents])
    assert 0 < turnstile.refused == len(server.seen) - texts


@pytest.mark.chaos
@pytest.mark.clause("006-M5")
def test_a_run_that_is_killed_with_many_under_way_loses_and_doubles_nothing(place):
    """After kill -9 the rest is done by the same command, each input once, and the record
    verifies."""
    texts = 60
    write_texts(place, texts)
    with serving(openai_text(GOOD)) as server:
        with started(place, *SIDE_BY_SIDE, "16", **surroundings(server)) as run:
            seen = [json.loads(read_line(run)) for _ in range(10)]
            run.kill()
        done = assay(place, *SIDE_BY_SIDE, "16", **surroundings(server))
    calls = assay(place, "calls", "list", "--limit", "1000", "--json").document["calls"]

    assert seen == done.documents[:10]
    assert (0, texts) == (done.code, len(done.documents))
    assert ["settled"] * texts == [call["status"] for call in calls]
    assert texts == len({call["input_digest"] for call in calls})
    assert 0 == assay(place, "audit", "verify").code


def test_closed_output_is_no_crash(place):
    """A reader that goes away (`| head -1`) ends the command without a word; a shell sees 1."""
    with started(place, *RUN) as run:
        run.stdout.close()
        errors = run.stderr.read()
        code = run.wait(PATIENCE_S)

    assert (1, "") == (code, errors)


def test_a_shell_sees_the_exit_code_and_the_two_streams(place):
    """What `main` hands to the system is what the command found, byte for byte."""
    for words in ((*RUN, "--strict"), ("run", "pack", "nowhere.txt", "--json"), ("run", "pack")):
        assert assay(place, *words) == assay(place, *words, process=True)


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_help_is_there_for_every_verb(tmp_path, verb):
    """`assay VERB --help` works for each verb that the main help lists."""
    assert 0 == assay(tmp_path, verb, "--help").code
