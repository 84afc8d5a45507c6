"""What the tab key does: real shells with the printed script, each line as a person types it.

A line is typed into a shell on a terminal; the keys after it write what then stands on the line
to a file. A shell takes keys in order, so nothing here waits for a time to pass.
"""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.adapters.folders import bundled_packs
from assay.cli.main import VERBS
from tests.command import assay
from tests.parts import absent
from tests.processes import PATIENCE_S, surroundings

START, END = b"\x01", b"\x05"  # ctrl-A, ctrl-E
ALL = b"\x1b*"  # bash: insert whatever the word may become

SET_UP = {
    "bash": (["--norc", "--noprofile", "-i"], 'eval "$(assay completion bash)"'),
    "zsh": (
        ["-f", "-i"],
        "autoload -Uz compinit; compinit -u -D; bindkey -e; "
        'setopt no_always_last_prompt; eval "$(assay completion zsh)"',
    ),
}


def environment():
    """As the tests run it, with the `assay` of this environment first on the PATH."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return surroundings({"PATH": path, "TERM": "xterm", "PS1": "> "})


def executable(shell):
    """Where the shell is, or the loud skip."""
    return shutil.which(shell) or absent(shell, "the shell is not installed")


def type_line(shell, place, keys):
    """What stands on the line of *shell* after *keys*."""
    program = executable(shell)
    words, set_up = SET_UP[shell]
    line = place / "line"
    line.unlink(missing_ok=True)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [program, *words],
        cwd=place,
        env=environment(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    said = b""
    try:
        os.write(ours, set_up.encode() + b"; echo RE''ADY\n")
        said += _read_until(ours, lambda seen: b"READY" in seen)
        write_out = START + b"printf %s '" + END + b"' > line.part; mv line.part line\n"
        os.write(ours, keys + write_out)
        said += _read_until(ours, lambda _: line.exists())
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return line.read_text()


def _read_until(terminal, done):
    seen, over = b"", time.monotonic() + PATIENCE_S
    while not done(seen):
        assert time.monotonic() < over, seen.decode(errors="replace")
        if select.select([terminal], [], [], 0.05)[0]:
            seen += os.read(terminal, 65536)
    return seen


@pytest.fixture
def place(tmp_path):
    """A folder with a pack, a script of replies, weights and a mail."""
    (tmp_path / "mypack" / "contracts").mkdir(parents=True)
    (tmp_path / "mypack" / "contracts" / "triage.yaml").touch()
    for name in ("replies.jsonl", "small.gguf", "mail one.eml"):
        (tmp_path / name).touch()
    return tmp_path


LINES = [
    (b"assay calls sh\t", "assay calls show "),
    (b"assay run int\t", "assay run intake "),
    (b"assay run intake --max-c\t", "assay run intake --max-cost "),
    (b"assay run intake --model extr\t", "assay run intake --model extractive "),
    (b"assay gate intake/cl\t", "assay gate intake/classify "),
    (b"assay pack verify serv\t", "assay pack verify services "),
]


@pytest.mark.clause("007-D1")
@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.parametrize(("keys", "line"), LINES, ids=[line for _, line in LINES])
def test_a_word_is_completed(shell, keys, line, place):
    """Verbs, options, bundled packs, contracts and models, as far as they are unambiguous."""
    assert line.rstrip() == type_line(shell, place, keys).rstrip()


@pytest.mark.clause("007-D1")
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_verb_is_completed_when_it_is_the_only_one(shell, place):
    """The verbs come from their table; no module of a verb is loaded for it."""
    assert type_line(shell, place, b"assay doc\t").rstrip() == "assay doctor"


@pytest.mark.clause("007-D1")
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_file_is_completed_wherever_a_file_may_stand(shell, place):
    """Also where click knows of none, and with a space in its name."""
    spaced = type_line(shell, place, b"assay run intake mail\t")
    plain = type_line(shell, place, b"assay redact repl\t")

    assert spaced.rstrip() == "assay run intake mail\\ one.eml"
    assert plain.rstrip() == "assay redact replies.jsonl"


@pytest.mark.clause("007-D1")
@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("--model scripted:rep", "--model scripted:replies.jsonl"),
        ("--model embedded:sm", "--model embedded:small.gguf"),
        ("--model scripted:", None),
    ],
)
def test_the_file_of_a_model_is_completed(shell, typed, whole, place):
    """Behind the colon, at which bash cuts a word in two."""
    done = type_line(shell, place, f"assay run intake {typed}\t".encode()).rstrip()

    assert done == f"assay run intake {whole or typed}"


@pytest.mark.clause("007-D1")
def test_bash_offers_all_verbs_packs_and_providers(place):
    """Every verb; every bundled pack and folder; every provider, with a colon for a name."""
    verbs = type_line("bash", place, b"assay " + ALL).split()[1:]
    packs = type_line("bash", place, b"assay run " + ALL).split()[2:]
    models = type_line("bash", place, b"assay run intake --model " + ALL).split()[4:]

    assert sorted(VERBS) == sorted(verbs)
    assert {*bundled_packs(), "mypack/"} == set(packs)
    assert {"extractive", "embedded", "embedded:", "openai:", "anthropic:"} <= set(models)


@pytest.mark.clause("007-D1")
def test_bash_completes_behind_an_equals_sign(place):
    """`--model=extr` is `--model extr`."""
    line = type_line("bash", place, b"assay run intake --model=extr\t")

    assert line.rstrip() == "assay run intake --model=extractive"


@pytest.mark.clause("007-D1")
def test_bash_completes_a_contract_in_a_folder(place):
    """A pack of one's own has contracts, too."""
    line = type_line("bash", place, b"assay gate mypack/t\t")

    assert line.rstrip() == "assay gate mypack/triage"


@pytest.mark.clause("007-D1")
@pytest.mark.parametrize(("keys", "line"), LINES, ids=[line for _, line in LINES])
def test_fish_completes(keys, line, place):
    """As the others; fish tells what it would offer."""
    asked = keys.decode().rstrip("\t")
    done = subprocess.run(
        [
            executable("fish"),
            "--no-config",
            "-c",
            f"assay completion fish | source; complete -C '{asked}'",
        ],
        cwd=place,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    offered = [each.split("\t")[0] for each in done.stdout.splitlines()]

    assert offered == [line.split()[-1]]


@pytest.mark.clause("007-D1")
def test_the_script_is_printed_for_the_shell_that_is_named_or_in_use(tmp_path):
    """By name, by SHELL, and as a document for programs."""
    named = assay(tmp_path, "completion", "zsh")
    found = assay(tmp_path, "completion", SHELL="/usr/bin/zsh")
    document = assay(tmp_path, "completion", "zsh", "--json").document

    assert "compdef" in named.out
    assert named.out == found.out
    assert {"shell": "zsh", "script": named.out} == document


@pytest.mark.clause("007-D1")
def test_a_shell_without_completion_is_wrong_usage(tmp_path):
    """It is said which there are."""
    ran = assay(tmp_path, "completion", SHELL="/bin/dash")

    assert (ran.code, ran.out) == (2, "")
    assert "bash, zsh, fish" in ran.err


@pytest.mark.clause("007-D1")
def test_the_tab_key_loads_no_verb(tmp_path):
    """What stands on the line is loaded, and nothing beside it."""
    code = (
        "import os, sys; sys.argv = ['assay']\n"
        "from assay.cli.main import main\n"
        "try: main()\n"
        "finally: print(*[m for m in sys.modules if m.startswith('assay.')], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment()
        | {"_ASSAY_COMPLETE": "bash_complete", "COMP_WORDS": "assay a", "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    loaded = set(done.stderr.split())

    assert {"plain,ask", "plain,assemble", "plain,audit"} == set(done.stdout.split())
    assert not {"assay.cli.answers", "assay.cli.audit", "assay.wiring"} & loaded
