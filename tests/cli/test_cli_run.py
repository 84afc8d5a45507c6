"""`assay run` as a person or a program meets it: lines, exit codes, what bad input gets."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.runtime.tiny import FILES, GOOD, UNKNOWN_LABEL

MAIL = b"From: a@example.org\nSubject: Water\n\nThere is water in the cellar.\n"


@pytest.fixture
def place(tmp_path):
    """A folder with the tiny pack, some texts, and a script that always says GOOD."""
    for name, content in FILES.items():
        file = tmp_path / "pack" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    (tmp_path / "in").mkdir()
    for number in range(3):
        text = f"Case {number}: there is water in the cellar."
        (tmp_path / "in" / f"{number}.txt").write_text(text)
    write_script(tmp_path, [GOOD] * 3)
    return tmp_path


def write_script(folder: Path, replies: list) -> None:
    lines = [r if isinstance(r, dict) else {"text": r} for r in replies]
    (folder / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def assay(place: Path, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
    environ = {k: v for k, v in os.environ.items() if not k.startswith("ASSAY_")} | extra
    return subprocess.run(
        [sys.executable, "-m", "assay.cli.main", *words],
        cwd=place,
        env=environ,
        text=True,
        capture_output=True,
        timeout=60,
        check=False,
    )


def lines(done: subprocess.CompletedProcess[str]) -> list[dict]:
    return [json.loads(line) for line in done.stdout.splitlines()]


RUN = ("run", "pack", "in", "--model", "scripted:s.jsonl", "--json")


def test_one_line_an_input_with_the_pinned_fields(place):
    """Standard output holds one JSON object for each input, and nothing else."""
    done = assay(place, *RUN)

    assert 0 == done.returncode
    assert [f"in{os.sep}{n}.txt" for n in range(3)] == [line["input"] for line in lines(done)]
    for line in lines(done):
        assert ["calls", "input", "outcome", "reason", "result"] == sorted(line)
        assert ("accepted", None) == (line["outcome"], line["reason"])


def test_a_second_run_sends_nothing(place):
    """What is settled under the same contract, model and bytes is not sent again."""
    first = assay(place, *RUN)
    second = assay(place, *RUN, "--script-log", "log.jsonl")

    assert lines(first) == lines(second)
    log = place / "log.jsonl"
    assert not log.exists() or not log.read_text()


def test_strict_says_that_something_needs_review(place):
    """With --strict a review makes the exit code 30; the lines are the same."""
    write_script(place, [GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL, GOOD])
    done = assay(place, *RUN, "--strict")

    assert 30 == done.returncode
    assert ["accepted", "needs_review", "accepted"] == [line["outcome"] for line in lines(done)]


def test_an_unreachable_model_ends_the_run_and_the_rest_stays_to_be_done(place):
    """Exit 40 after what was settled; the next run goes on with the rest."""
    write_script(place, [GOOD, GOOD])
    done = assay(place, *RUN)
    *settled, error = lines(done)

    assert 40 == done.returncode
    assert 2 == len(settled)
    assert "error" in error
    assert done.stderr.startswith("error[model.unavailable]: ")


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
        (("run", "pack", "in", "--store", "sqlite:///in"), 40, "store"),
    ],
)
def test_bad_input_gets_one_line_with_code_and_remedy(place, words, code, said):
    """Every error is one line on standard error, with the code that interfaces.md pins."""
    (place / "empty").mkdir()
    done = assay(place, *words)

    assert code == done.returncode, done.stderr
    assert said in done.stderr
    assert done.stderr.startswith("error[")
    assert 1 == len(done.stderr.strip().splitlines())
    assert "Traceback" not in done.stderr


def test_a_pack_fault_names_file_and_line(place):
    """A fault in a pack ends with 60 and says where it is."""
    (place / "pack" / "contracts" / "triage.yaml").write_text("template: triage\nshema: x\n")
    done = assay(place, *RUN)

    assert 60 == done.returncode
    assert "contracts/triage.yaml:2" in done.stderr


def test_what_cannot_be_read_is_an_outcome(place):
    """An empty or binary file ends as a review item with its reason; the others go on."""
    (place / "in" / "0.txt").write_bytes(b"")
    (place / "in" / "1.txt").write_bytes(b"\xff\xfe\x00\x01" * 10)
    done = assay(place, *RUN)

    assert 0 == done.returncode
    assert ["input.unreadable", "input.unreadable", None] == [x["reason"] for x in lines(done)]
    reviews = json.loads(assay(place, "review", "list", "--json").stdout)["reviews"]
    assert 2 == len(reviews)
    assert 0 == assay(place, *RUN).returncode
    again = json.loads(assay(place, "review", "list", "--json").stdout)["reviews"]
    assert reviews == again


def test_a_named_file_is_always_taken_and_the_rest_is_listed(place):
    """In a folder only what the source takes is run; a file that is named is run whatever it is."""
    (place / "in" / "note.csv").write_text("a,b")
    done = assay(place, *RUN)

    assert 3 == len(lines(done))
    assert "skipped: in" in done.stderr
    named = assay(place, "run", "pack", "in/note.csv", "--model", "scripted:s.jsonl", "--json")
    assert ["in/note.csv"] == [line["input"] for line in lines(named)]


def test_a_line_of_a_file_stays_one_line(place):
    """A line end in a file's name is shown as a dot: nobody writes a line of ours by a name."""
    (place / "in" / "a\nwritten: b.csv").write_text("a,b")
    done = assay(place, *RUN)

    assert "skipped: in/a·written: b.csv" in done.stderr.splitlines()


def test_a_template_that_was_edited_and_is_sent_is_warned_of(place):
    """Not strict: the call is made, and one line on standard error says of what."""
    assert "warning" not in assay(place, *RUN).stderr
    connection = sqlite3.connect(place / ".assay" / "assay.db")
    with connection:
        connection.execute("UPDATE templates SET body = 'Obey ' || body")
    connection.close()
    done = assay(place, *RUN, "--again")

    assert 3 == len(lines(done))
    warnings = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    (warning,) = warnings
    assert "template triage/triage@1 was edited in the store" in warning


def test_an_interrupted_run_keeps_what_was_settled(place):
    """After ctrl-C in the middle nothing settled is lost, and a second run does the rest."""
    texts = 400
    for number in range(texts):
        (place / "in" / f"{number}.txt").write_text(f"Case {number}: water in the cellar.")
    write_script(place, [GOOD] * texts)
    run = subprocess.Popen(
        [sys.executable, "-m", "assay.cli.main", *RUN],
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    seen = [run.stdout.readline() for _ in range(20)]
    time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    rest, errors = run.communicate(timeout=30)
    settled = len(seen) + len(rest.splitlines())

    assert 130 == run.returncode, errors
    assert settled < texts
    done = assay(place, *RUN, "--script-log", "log.jsonl")
    assert 0 == done.returncode, done.stderr
    assert texts == len(lines(done))
    sent_again = len((place / "log.jsonl").read_text().splitlines())
    assert sent_again <= texts - settled
    report = json.loads(assay(place, "audit", "verify", "--json").stdout)
    assert "unanchored" == report["status"]


@pytest.mark.chaos
def test_a_killed_run_loses_nothing_that_it_printed(place):
    """After kill -9 every printed outcome is on record, the record verifies, the rest is done."""
    texts = 300
    for number in range(texts):
        (place / "in" / f"{number}.txt").write_text(f"Case {number}: water in the cellar.")
    write_script(place, [GOOD] * texts)
    run = subprocess.Popen(
        [sys.executable, "-m", "assay.cli.main", *RUN],
        cwd=place,
        stdout=subprocess.PIPE,
        text=True,
    )
    seen = [json.loads(run.stdout.readline()) for _ in range(30)]
    run.kill()
    run.wait()
    run.stdout.close()
    calls = json.loads(assay(place, "calls", "list", "--limit", "1000", "--json").stdout)["calls"]
    settled = {call["id"] for call in calls if call["status"] == "settled"}

    assert {call for line in seen for call in line["calls"]} <= settled
    assert 0 == assay(place, "audit", "verify").returncode
    assert texts == len(lines(assay(place, *RUN)))


def test_closed_output_is_no_crash(place):
    """A reader that goes away (`| head -1`) ends the command without a traceback."""
    done = subprocess.run(
        f"{sys.executable} -m assay.cli.main run pack in --model scripted:s.jsonl --json | head -1",
        shell=True,
        cwd=place,
        text=True,
        capture_output=True,
        check=False,
    )

    assert "Traceback" not in done.stderr


def test_help_is_there_for_every_verb(place):
    """`assay VERB --help` works for each verb that the main help lists."""
    from assay.cli.main import VERBS

    for verb in VERBS:
        assert 0 == assay(place, verb, "--help").returncode, verb
