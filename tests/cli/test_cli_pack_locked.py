"""Commands that use a pack which is no longer what its lock says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from assay.adapters.folders import pack_folder, read_pack_folder
from assay.errors import IntegrityError
from assay.pack.lock import NAMED, lock_warning
from assay.wiring import load_pack
from tests.command import assay

pytestmark = pytest.mark.clause("007-P4")

NOTE = "Could you tell me when the library opens on Sunday?"
REPLY = {
    "topic": "QUESTION",
    "confidence": 0.9,
    "evidence_snippets": ["when the library opens"],
}


def locked(place: Path) -> Path:
    """A small pack with its lock, a note and a reply."""
    assay(place, "pack", "new", "triage")
    assay(place, "pack", "lock", "triage")
    (place / "note.txt").write_text(NOTE)
    (place / "reply.json").write_text(json.dumps(REPLY))
    (place / "script.jsonl").write_text(json.dumps({"text": json.dumps(REPLY)}) + "\n")
    return place / "triage"


def change(pack: Path) -> None:
    """One file changed, one new, one gone."""
    policy = pack / "policies" / "limits.yaml"
    policy.write_text(policy.read_text().replace("sure: 0.70", "sure: 0.75"))
    (pack / "notes.txt").write_text("by hand")


WARNING = "warning: pack.lock: pack 'triage' is not what was locked: "
RUN = ("run", "triage", "note.txt", "--model", "scripted:script.jsonl")


def test_what_is_as_locked_is_used_in_silence(tmp_path: Path):
    """So is a pack without a lock: it promised nothing."""
    pack = locked(tmp_path)
    assert "warning" not in assay(tmp_path, *RUN).err
    (pack / "pack.lock").unlink()
    change(pack)
    assert "warning" not in assay(tmp_path, *RUN, "--again", "--strict").err


@pytest.mark.parametrize(
    "words",
    [
        RUN,
        (*RUN, "--json"),
        ("gate", "triage/sort", "reply.json", "--source", "text=note.txt"),
        ("backtest", "triage/sort"),
        ("pack", "graph", "triage"),
    ],
    ids=" ".join,
)
def test_every_command_that_loads_a_pack_says_so_once(tmp_path: Path, words: tuple[str, ...]):
    """With the names of the files, on standard error; the exit code is what it was."""
    pack = locked(tmp_path)
    before = assay(tmp_path, *RUN)
    assert 0 == before.code
    (tmp_path / "script.jsonl").write_text(json.dumps({"text": json.dumps(REPLY)}) + "\n")
    change(pack)
    done = assay(tmp_path, *words)

    assert 0 == done.code, done.err
    said = [line for line in done.err.splitlines() if line.startswith("warning: pack.lock")]
    assert [True] == [line.startswith(WARNING) for line in said]
    assert "changed policies/limits.yaml; not locked notes.txt" in said[0]
    assert "warning" not in done.out


def test_a_conversation_and_an_answer_say_so(tmp_path: Path):
    """Packs of stages and of answers are loaded in the same room."""
    for name in ("services", "grounded"):
        shutil.copytree(pack_folder(name), tmp_path / name)
        (tmp_path / name / "more.txt").write_text("x")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "fees.md").write_text("# Fees\n\nA card costs ten euros a year.\n")
    (tmp_path / "none.jsonl").write_text("")
    chat = ("chat", "./services", "--message", "Hello", "--model", "scripted:none.jsonl")
    ask = ("ask", "What does a card cost?", "--docs", "docs", "--pack", "./grounded")

    assert "not locked more.txt" in assay(tmp_path, *chat).err
    assert "not locked more.txt" in assay(tmp_path, *ask, "--model", "extractive").err
    refused = assay(tmp_path, *ask, "--model", "extractive", "--locked")
    assert (50, "") == (refused.code, refused.out)


def test_a_replay_with_the_pack_says_so(tmp_path: Path):
    """What is judged again is judged by a pack that somebody changed."""
    pack = locked(tmp_path)
    (call,) = assay(tmp_path, *RUN, "--json").document["calls"]
    change(pack)

    assert WARNING in assay(tmp_path, "replay", call, "--pack", "triage").err


def test_locked_refuses_it_before_anything_is_asked(tmp_path: Path):
    """Exit 50, the names of the files, and no record of a run."""
    change(locked(tmp_path))
    done = assay(tmp_path, *RUN, "--locked")

    assert (50, "") == (done.code, done.out)
    assert done.err.startswith("error[integrity]: pack.lock: pack 'triage' is not what was locked")
    assert not (tmp_path / ".assay").exists()


def test_the_exit_code_of_others_is_what_it_was(tmp_path: Path):
    """A copy that is changed and tried out is the way to a pack; verification refuses it."""
    change(locked(tmp_path))

    assert 0 == assay(tmp_path, *RUN, "--strict").code
    assert 60 == assay(tmp_path, "pack", "verify", "triage").code


def test_python_reads_it_among_the_warnings_of_the_pack(tmp_path: Path):
    """And may ask for a pack that is as locked."""
    pack = locked(tmp_path)
    assert () == load_pack(str(pack)).warnings
    change(pack)
    (warning,) = load_pack(str(pack)).warnings

    assert "changed policies/limits.yaml" in str(warning)
    with pytest.raises(IntegrityError):
        load_pack(str(pack), locked=True)


def test_a_warning_names_a_few_files_and_counts_the_rest():
    """A folder that was replaced whole fills no screen."""
    files, _ = read_pack_folder("intake")
    changed = {name: data if name == "pack.lock" else data + b" " for name, data in files.items()}
    warning = lock_warning(changed, "intake")

    assert warning is not None
    assert NAMED == str(warning).count("/") + str(warning).count("labels.yaml")
    assert f"{len(files) - 1 - NAMED} more" in str(warning)


@pytest.mark.parametrize("lock", [b"\xff", b"", b"assay-pack-lock 1\nnonsense\n"])
def test_a_lock_that_is_none_is_no_silence(lock: bytes):
    """Whatever stands in it, the files are not what it says."""
    warning = lock_warning({"pack.lock": lock}, "p")

    assert "lines that are none of a lock" in str(warning)


def test_a_lock_that_is_written_holds_whatever_the_files_are_called(tmp_path: Path):
    """Blanks at the ends of a name are part of it; a line end has no place in a lock."""
    pack = locked(tmp_path)
    (pack / " blank .txt").write_text("x")
    assert 0 == assay(tmp_path, "pack", "lock", "triage").code
    assert 0 == assay(tmp_path, "pack", "verify", "triage", "--locked").code
    before = (pack / "pack.lock").read_bytes()

    (pack / "two\nlines.txt").write_text("x")
    refused = assay(tmp_path, "pack", "lock", "triage")
    assert 60 == refused.code
    assert "a name with a line end cannot be locked (rename the file)" in refused.err
    assert 1 == len(refused.err.splitlines())
    assert before == (pack / "pack.lock").read_bytes()


def test_the_digest_that_lock_prints_stands_in_one_line(tmp_path: Path):
    """It is there to be copied."""
    locked(tmp_path)
    shown = assay(tmp_path, "pack", "lock", "triage")

    assert 1 == len(shown.out.splitlines())
