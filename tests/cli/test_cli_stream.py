"""Replies that arrive in pieces, as a person sees them: progress, what was stopped, and why."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import PackError
from tests.cli.test_cli_ask import FEES
from tests.command import MODULE, assay
from tests.processes import PATIENCE_S, surroundings
from tests.runtime.answers.test_ask import GOOD as ANSWER
from tests.runtime.answers.test_ask import QUESTION, own_pack
from tests.runtime.conversations.cafe import FILES as CAFE
from tests.runtime.conversations.cafe import NOTHING
from tests.runtime.tiny import FILES, TEXT, UNKNOWN_LABEL, script, tiny_pack, write_pack

pytestmark = pytest.mark.clause("006-M4")

STORE = ("--store", "sqlite:///a.db")
_STYLE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def watched(
    place: Path, *words: str, program: tuple[str, ...] = MODULE, **variables: str
) -> tuple[int, str, str]:
    """A command whose standard error is a terminal: its exit code, standard output, the screen."""
    ours, theirs = pty.openpty()
    environ = surroundings({"TERM": "xterm", "COLUMNS": "160", **variables})
    try:
        with subprocess.Popen(
            [sys.executable, *program, *words], cwd=place, env=environ,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
        ) as process:  # fmt: skip
            os.close(theirs)
            drawn = _read_all(ours)
            out, _ = process.communicate(timeout=PATIENCE_S)
    finally:
        os.close(ours)
    return process.returncode, out.decode(), drawn.decode()


def _read_all(terminal: int) -> bytes:
    drawn = b""
    while True:
        try:
            block = os.read(terminal, 1 << 16)
        except OSError:  # how Linux says that nobody holds the other end any more
            return drawn
        if not block:
            return drawn
        drawn += block


@pytest.fixture
def stopped(tmp_path):
    """A folder with a call whose replies were both stopped; its number and its case."""
    write_pack(tmp_path / "pack")
    (tmp_path / "in.txt").write_bytes(TEXT)
    model = script(tmp_path, *[{"text": UNKNOWN_LABEL, "stream": True}] * 2)
    ran = assay(tmp_path, "run", "pack", "in.txt", "--model", model, *STORE, "--json")
    assert "needs_review" == ran.documents[0]["outcome"]
    (call,) = assay(tmp_path, "calls", "list", *STORE, "--json").document["calls"]
    (case,) = assay(tmp_path, "review", "list", *STORE, "--json").document["reviews"]
    return tmp_path, call["id"], case["id"]


def test_a_stopped_reply_is_told_in_words(stopped):
    """Where it was stopped, what that saved at most, and the finding that did it."""
    place, call, case = stopped
    said = "stopped while it arrived, after 18 characters (about 7 tokens; at most 93 saved): "
    said += "label.unknown at /label"

    for words in (("calls", "show", call), ("review", "show", case)):
        shown = assay(place, *words, *STORE)
        assert 2 == " ".join(shown.out.split()).count(said)


def test_what_was_erased_is_not_told(stopped):
    """Without the findings' places their codes are left."""
    place, call, _ = stopped
    (subject,) = {
        row["subject"] for row in assay(place, "calls", "list", *STORE, "--json").document["calls"]
    }
    assert 0 == assay(place, "audit", "erase", subject, "--reason", "asked", *STORE).code
    shown = " ".join(assay(place, "calls", "show", call, *STORE).out.split())

    assert "at most 93 saved): label.unknown attempt" in shown


def test_the_gate_judges_a_prefix_by_itself(tmp_path):
    """As a replay would: the finding that stops it, and that it was stopped."""
    write_pack(tmp_path / "pack")
    (tmp_path / "o").write_text('{"label": "water", "evidence_snippets": ["no such words", "wat')
    (tmp_path / "t").write_bytes(TEXT)
    words = ("gate", "./pack/triage", "o", "--source", "text=t", "--json")
    ran = assay(tmp_path, *words, "--finish-reason", "assay_stopped")

    assert 20 == ran.code
    assert [
        ("evidence.not_found", "/evidence_snippets/0"),
        ("output.stopped", ""),
    ] == [(each["code"], each["path"]) for each in ran.document["findings"]]


def talk(tmp_path: Path, show: str, *more: str, reply: str) -> tuple[int, str, str]:
    pack = CAFE["pack.yaml"] + show.encode()
    write_pack(tmp_path / "cafe", {**CAFE, "pack.yaml": pack})
    model = script(tmp_path, {"text": reply, "stream": True, "finish_reason": "stop"})
    words = ("chat", "./cafe", "--message", "Hola", "--model", model, *STORE)
    return watched(tmp_path, *words, *more)


FAREWELL = json.dumps({**NOTHING, "respuesta": "Hasta \u202e luego."}, ensure_ascii=False)


def test_a_terminal_shows_how_far_a_reply_is_and_no_word_of_it(tmp_path):
    """Stage, attempt and characters; the text only when it is accepted."""
    code, out, drawn = talk(tmp_path, "", reply=FAREWELL)

    assert 0 == code
    assert "Hasta · luego." in out
    assert f"cafe/escuchar, attempt 1: {len(FAREWELL)} characters" in drawn
    assert "unjudged" not in drawn
    assert "Hasta" not in drawn


def test_unjudged_text_is_shown_where_a_pack_says_so_and_marked(tmp_path):
    """And harmless: what would turn the direction of writing is a point."""
    code, _, drawn = talk(tmp_path, "show: unjudged\n", reply=FAREWELL)

    assert 0 == code
    lines = [each for each in re.split(r"[\r\n]", drawn) if "luego" in each]
    assert lines
    assert all("unjudged: " in line.partition("Hasta · luego")[0] for line in lines)
    assert "\u202e" not in drawn


def test_a_program_gets_no_progress(tmp_path):
    """Neither with --json nor where standard error is no terminal."""
    _, out, drawn = talk(tmp_path, "show: unjudged\n", "--json", reply=FAREWELL)
    assert "accepted" == json.loads(out)["outcome"]
    assert "" == _STYLE.sub("", drawn).strip()
    words = ("chat", "./cafe", "--message", "Hola", *STORE)
    model = script(tmp_path, {"text": FAREWELL, "stream": True})
    assert "characters" not in assay(tmp_path, *words, "--model", model).err


@pytest.mark.parametrize(("show", "seen"), [("", False), ("show: unjudged\n", True)])
def test_an_answer_shows_its_progress(tmp_path, show, seen):
    """`assay ask`: how far it is; its text before the verdict only where the pack says so."""
    pack = own_pack(tmp_path / "mine", '["*"]')
    (tmp_path / "mine" / "pack.yaml").write_bytes(pack.files["pack.yaml"] + show.encode())
    (tmp_path / "fees.md").write_text(FEES)
    model = script(tmp_path, {"text": ANSWER, "stream": True, "finish_reason": "stop"})
    words = ("ask", QUESTION, "--pack", "./mine", "--docs", "fees.md", "--model", model, *STORE)
    code, out, drawn = watched(tmp_path, *words)

    assert (0, True) == (code, out.startswith(ANSWER))
    assert f"mine/answer, attempt 1: {len(ANSWER)} characters" in drawn.replace("grounded", "mine")
    assert seen == ("unjudged: " in drawn)
    assert seen == (ANSWER[-20:] in drawn)


def test_only_conversations_and_answers_may_show_what_is_not_judged():
    """A flow over mails has nobody who watches a reply."""
    with pytest.raises(PackError, match="conversation or of answers only"):
        tiny_pack(pack__yaml=FILES["pack.yaml"] + b"show: unjudged\n")
    with pytest.raises(PackError):
        tiny_pack(pack__yaml=FILES["pack.yaml"] + b"show: all\n")
    assert "judged" == tiny_pack().show
