"""Folders as they are found: what is odd in them is one outcome, and never the end."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.files import kind_of_file, read_bounded
from tests.cli.test_cli_ask import FEES
from tests.command import assay
from tests.runtime.tiny import GOOD, TEXT, script, write_pack

pytestmark = pytest.mark.clause("007-T4")

STORE = ("--store", "sqlite:///a.db")
NO_TEXT = b"n\xff\xfe.txt"
LINES = "a\nb\tc\x1b[2J.txt"
LONG = "l" * 251 + ".txt"


def odd_folder(folder: Path, ending: str) -> None:
    """Links to nowhere and to itself, a pipe, a socket, a device, a link upwards."""
    (folder / f"gone{ending}").symlink_to("nowhere")
    (folder / f"loop{ending}").symlink_to(f"loop{ending}")
    (folder / "up").symlink_to("..")
    os.mkfifo(folder / f"pipe{ending}")
    (folder / f"null{ending}").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(folder)  # a socket's whole name must be short
        try:
            listener.bind(f"sock{ending}")
        finally:
            os.chdir(here)


@pytest.fixture
def place(tmp_path):
    write_pack(tmp_path / "pack")
    (tmp_path / "in").mkdir()
    for name in (b"good.txt", NO_TEXT, LINES.encode(), LONG.encode()):
        Path(os.fsdecode(os.fsencode(tmp_path / "in") + b"/" + name)).write_bytes(
            TEXT + repr(name).encode()
        )
    odd_folder(tmp_path / "in", ".txt")
    script(tmp_path, *[GOOD] * 4, name="s.jsonl")
    return tmp_path


@pytest.mark.parametrize("environ", [{}, {"ASSAY_MASTER_KEY": "11" * 32}], ids=["plain", "sealed"])
def test_a_run_over_an_odd_folder_does_all_of_it(place, environ):
    """Files are done whatever their names, links to nowhere are for a person, others listed."""
    words = ("run", "pack", "in", "--model", "scripted:s.jsonl", *STORE)
    done = assay(place, *words, "--json", **environ)
    by_name = {line["input"]: line for line in done.documents}

    assert 0 == done.code, done.err
    names = {"in/good.txt", f"in/{os.fsdecode(NO_TEXT)}", f"in/{LINES}", f"in/{LONG}"}
    assert names == {name for name, line in by_name.items() if line["outcome"] == "accepted"}
    whys = {name: line["detail"] for name, line in by_name.items() if name not in names}
    assert whys == {
        "in/gone.txt": "The input could not be read: a link that leads nowhere.",
        "in/loop.txt": "The input could not be read: a link that leads to itself.",
    }
    assert sorted(done.err.splitlines()) == [
        "skipped: in/null.txt (a device)",
        "skipped: in/pipe.txt (a pipe)",
        "skipped: in/sock.txt (a socket)",
        "skipped: in/up (a link to a folder)",
    ]
    for columns in ("40", "80"):
        assert 0 == assay(place, *words, COLUMNS=columns, **environ).code


def test_a_name_that_is_no_text_lives_through_the_record(place):
    """Refused too, under a master key: shown, listed, exported, its receipt made, verified."""
    key = {"ASSAY_MASTER_KEY": "11" * 32}
    bad = Path(os.fsdecode(os.fsencode(place / "in") + b"/bad\xff.txt"))
    bad.write_bytes(b"\xff\xff")
    ran = assay(place, "run", "pack", "in", "--model", "scripted:s.jsonl", *STORE, **key)
    assert 0 == ran.code, ran.err
    (call, *_) = assay(
        place, "calls", "list", "--input", f"in/{os.fsdecode(NO_TEXT)}", *STORE, "--json", **key
    ).document["calls"]
    cases = assay(place, "review", "list", *STORE, "--json", **key).document["reviews"]

    assert 3 == len(cases)
    for case in cases:
        assert 0 == assay(place, "review", "show", case["id"], *STORE, **key).code
    for words in (
        ("calls", "show", call["id"]),
        ("calls", "show", call["id"], "--json"),
        ("audit", "receipt", call["id"]),
        ("audit", "export", "--output", "out"),
        ("audit", "export", "--output", "out.csv", "--format", "csv"),
        ("audit", "log", "--json"),
        ("audit", "verify"),
    ):
        done = assay(place, *words, *STORE, **key)
        assert 0 == done.code, (words, done.err)
    assert 0 == assay(place, "audit", "check-export", "out").code
    again = assay(
        place, "run", "pack", "in/bad\udcff.txt", "--model", "scripted:s.jsonl", *STORE, **key
    )
    assert 0 == again.code
    assert 3 == len(assay(place, "review", "list", *STORE, "--json", **key).document["reviews"])


def test_named_files_that_cannot_be_read_are_outcomes_each(place):
    """A pipe that nobody writes to, a device that never ends, a socket: one after the other."""
    odd = ("in/pipe.txt", "/dev/zero", "in/null.txt", "in/sock.txt", "in/good.txt")
    model = ("--model", "scripted:s.jsonl")
    done = assay(place, "run", "pack", *odd, *model, *STORE, "--json")

    assert ["needs_review"] * 4 + ["accepted"] == [line["outcome"] for line in done.documents]
    assert [
        "a pipe that nobody writes to.",
        "a device.",
        "a device.",
        "a socket.",
    ] == [line["detail"].split(": ")[-1] for line in done.documents[:4]]


def test_a_file_that_goes_while_the_others_are_read_is_one_outcome(place):
    """What was found when the run began and is no more when its turn comes."""
    import assay as library

    pack = library.load_pack(str(place / "pack"))
    names = [place / "in" / "good.txt", place / "in" / "vanished.txt"]
    with library.open(
        f"sqlite:///{place}/a.db", f"scripted:{place}/s.jsonl", environ={}
    ) as runtime:
        outcomes = [each.outcome for each in runtime.run(pack, names)]
        with pytest.raises(InputError):
            list(runtime.run(pack, [str(names[1])]))

    assert ["accepted", "needs_review"] == [outcome.status for outcome in outcomes]
    assert "input.unreadable" == outcomes[1].reason


def test_a_pipe_that_somebody_writes_to_is_a_file(place):
    """As a shell hands over what another command prints."""
    os.mkfifo(place / "given.txt")
    writer = threading.Thread(target=(place / "given.txt").write_bytes, args=(TEXT,))
    writer.start()
    model = ("--model", "scripted:s.jsonl")
    done = assay(place, "run", "pack", "given.txt", *model, *STORE, "--json")
    writer.join()

    assert "accepted" == done.document["outcome"]


def test_an_index_over_an_odd_folder_leaves_out_what_is_odd(tmp_path):
    """Each with why; two names that are no text are two files."""
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in ((b"n\xff.md", "Late returns cost two euros a day."), (b"n\xfe.md", FEES)):
        Path(os.fsdecode(os.fsencode(docs) + b"/" + name)).write_text(text)
    odd_folder(docs, ".md")
    ask = ("ask", "What do late returns cost?", "--docs", "docs", *STORE)
    done = assay(tmp_path, *ask, "--json")

    assert 0 == done.code, done.err
    assert sorted(done.err.splitlines()) == [
        "left out: docs/gone.md: is a link that leads nowhere",
        "left out: docs/loop.md: is a link that leads to itself",
        "left out: docs/null.md: is a device",
        "left out: docs/pipe.md: is a pipe",
        "left out: docs/sock.md: is a socket",
        "left out: docs/up: is a link to a folder",
    ]
    named = {citation["file"] for citation in done.document["citations"]}
    assert named <= {"docs/n\\xff.md", "docs/n\\xfe.md"}
    assert "docs/n\\xff.md" in named
    assert "n\\xff.md" in assay(tmp_path, *ask).out


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "sock"])
@pytest.mark.parametrize(
    "words",
    [
        ("gate", "pack/triage", "FILE"),
        ("redact", "FILE"),
        ("render", "FILE"),
        ("assemble", "FILE", "--question", "Q"),
    ],
    ids=lambda words: words[0],
)
def test_no_command_waits_for_a_file_that_never_comes(place, words, name, monkeypatch):
    """Nor reads one that never ends: one line, with the kind of file."""
    monkeypatch.setattr("assay.files.PIPE_PATIENCE_S", 0.1)
    file = name if name.startswith("/") else f"in/{name}.txt"
    done = assay(place, *(file if word == "FILE" else word for word in words))

    assert 10 == done.code
    assert 1 == len(done.err.splitlines())
    assert "cannot read" in done.err


def test_a_file_is_read_to_its_limit(tmp_path):
    """One byte more is too many."""
    (tmp_path / "a").write_bytes(b"abc")

    assert b"abc" == read_bounded(tmp_path / "a", 3)
    with pytest.raises(OSError, match="more than 2 bytes"):
        read_bounded(tmp_path / "a", 2)
    with pytest.raises(IsADirectoryError):
        read_bounded(tmp_path, 2)
    assert None is kind_of_file(tmp_path)
    assert "no name of a file" == kind_of_file(Path("a\0b"))
