"""`assay audit` as a person or a program meets it: documents, files, exit codes."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import subprocess
from pathlib import Path

import pytest

from tests.command import assay
from tests.parts import require_part
from tests.processes import ROOT, run_python
from tests.runtime.audit.authority import authority, serving
from tests.runtime.tiny import GOOD, script, write_pack


def audit(place: Path, *words: str, code: int = 0, **extra: str) -> dict:
    """The document that a command prints; *code* is its exit code."""
    done = assay(place, "audit", *words, "--json", **extra)
    assert code == done.code, done.err
    return done.document


def check(place: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Put the receipt `r.json` to the script that a stranger is given."""
    return run_python("-I", str(ROOT / "tools" / "verify_receipt.py"), "r.json", *words, cwd=place)


KEY = {"ASSAY_SIGNING_KEY": "k"}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a record of three calls, and a key pair."""
    folder = tmp_path_factory.mktemp("original")
    write_pack(folder / "pack")
    (folder / "in").mkdir()
    for number in range(3):
        text = f"Case {number}: there is water in the cellar."
        (folder / "in" / f"{number}.txt").write_text(text)
    script(folder, *[GOOD] * 3, name="s.jsonl")
    done = assay(folder, "run", "pack", "in", "--model", "scripted:s.jsonl", "--json")
    assert 0 == done.code
    (folder / "calls").write_text("\n".join(line["calls"][0] for line in done.documents))
    audit(folder, "keygen", "k")
    return folder


@pytest.fixture
def place(original: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(original, tmp_path / "place"))


@pytest.fixture(scope="module")
def events(original: Path) -> int:
    """How many events its record holds."""
    return len(assay(original, "audit", "log", "--json").documents)


def test_a_key_is_made_once_and_kept_private(place: Path) -> None:
    """The secret is readable by its owner alone and never overwritten."""
    assert 0o600 == stat.S_IMODE((place / "k").stat().st_mode)
    before = (place / "k").read_bytes()
    assert "error" in audit(place, "keygen", "k", code=10)
    assert before == (place / "k").read_bytes()


def test_from_checkpoint_to_anchor(place: Path, events: int) -> None:
    """Signed, written to a file, and held against the record by whoever has the public key."""
    made = audit(place, "checkpoint", "--output", "cp", **KEY)
    assert (True, events) == (made["signed"], made["size"])
    assert made["checkpoint"] == (place / "cp").read_text(encoding="utf-8")
    found = audit(place, "verify", "--anchor", "cp", "--key", "k.pub")
    assert ("ok", events, made["root"], made["root"]) == (
        found["status"],
        found["events"],
        found["head"],
        found["anchored_to"],
    )
    assert "ok" == audit(place, "verify", "--anchor", "cp", **KEY)["status"]
    trusted = {"ASSAY_CHECKPOINT_KEYS": "k.pub"}
    assert "ok" == audit(place, "verify", "--anchor", "cp", **trusted)["status"]
    assert "unanchored" == audit(place, "verify")["status"]


def test_what_a_program_printed_is_an_anchor_too(place: Path) -> None:
    """The printed document, signed or not, is as good as the file."""
    for extra in ({}, KEY):
        done = assay(place, "audit", "checkpoint", "--json", **extra)
        (place / "head.json").write_text(done.out)
        assert "ok" == audit(place, "verify", "--anchor", "head.json", **extra)["status"]
    assert "unsigned" in assay(place, "audit", "checkpoint").out
    assert 0 == assay(place, "audit", "checkpoint", "--output", "bare").code
    found = audit(place, "verify", "--anchor", "bare")
    assert ("ok", False) == (found["status"], found["anchor"]["signed"])


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xff", b"junk", b"o\n1\nAA==\n\nx\n"])
def test_an_anchor_that_is_none(place: Path, content: bytes) -> None:
    """Exit 50 and one line that says why; never ok."""
    (place / "cp").write_bytes(content)
    assert "integrity" == audit(place, "verify", "--anchor", "cp", code=50)["error"]["code"]


def test_an_unknown_key_and_another_log(place: Path, tmp_path: Path) -> None:
    """Neither vouches for anything here."""
    audit(place, "checkpoint", "--output", "cp", **KEY)
    audit(place, "keygen", "other")
    found = audit(place, "verify", "--anchor", "cp", "--key", "other.pub", code=50)
    assert "no known key" in found["error"]["message"]
    assert (
        "no key is known" in audit(place, "verify", "--anchor", "cp", code=50)["error"]["message"]
    )
    elsewhere = ("--store", "sqlite:///elsewhere.db")
    assay(place, "run", "pack", "in", "--model", "scripted:s.jsonl", *elsewhere)
    found = audit(place, "verify", "--anchor", "cp", *elsewhere, code=50, **KEY)
    assert ("broken", None) == (found["status"], found["anchored_to"])


def test_a_rebuilt_tail_is_found_against_the_anchor(place: Path) -> None:
    """The largest log wins nothing: the anchor remembers."""
    audit(place, "checkpoint", "--output", "cp", **KEY)
    with sqlite3.connect(place / ".assay" / "assay.db") as database:
        database.execute("UPDATE events SET kind = 'x' WHERE seq = 3")
    database.close()
    found = audit(place, "verify", "--anchor", "cp", code=50, **KEY)
    assert ("broken", 3) == (found["status"], found["first_bad"]["seq"])
    text = assay(place, "audit", "verify").out
    assert text.startswith("broken")
    assert "first bad event 3" in text


def test_a_damaged_database_is_a_verdict(place: Path) -> None:
    """Whatever page is overwritten, header included: broken, exit 50."""
    file = place / ".assay" / "assay.db"
    sqlite3.connect(file).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()
    whole = file.read_bytes()
    pages = len(whole) // 4096
    for page in (0, 1, pages // 2, pages - 1):
        junk = bytes((page + 7 * i) % 251 for i in range(4096))
        file.write_bytes(whole[: page * 4096] + junk + whole[(page + 1) * 4096 :])
        assert "broken" == audit(place, "verify", code=50)["status"], page


def test_receipts_are_written_and_checked(place: Path) -> None:
    """From the store to a file to the stranger's script; another log's key does not do."""
    call, other = (place / "calls").read_text().split()[:2]
    document = audit(place, "receipt", call, "--output", "r.json", **KEY)
    assert document == json.loads((place / "r.json").read_text(encoding="utf-8"))
    assert document != audit(place, "receipt", other, **KEY)
    audit(place, "keygen", "o")

    assert 0 == check(place, "--key", "k.pub", "--source", f"text=in{os.sep}0.txt").returncode
    assert 50 == check(place, "--key", "k.pub", "--source", f"text=in{os.sep}1.txt").returncode
    assert 50 == check(place, "--key", "o.pub").returncode
    assert 50 == check(place).returncode
    assert "not_found" == audit(place, "receipt", "none", code=10)["error"]["code"]
    plain = assay(place, "audit", "receipt", call, "--output", "u.json").out
    assert "unsigned" in plain


def test_exports_are_written_and_checked(place: Path, events: int) -> None:
    """A folder with a manifest; a cut one is exit 50."""
    made = audit(place, "export", "--output", "ex", "--since", "2020-01-01")
    assert events == made["manifest"]["files"][0]["rows"]
    assert ("ok", events) == tuple(audit(place, "check-export", "ex").values())[:2]
    file = place / "ex" / "events.jsonl"
    file.write_bytes(file.read_bytes()[:-9])
    found = audit(place, "check-export", "ex", code=50)
    assert "truncated" in found["error"]["message"]
    assert "error" in audit(place, "export", "--output", "ex", code=10)
    assert "error" in audit(place, "export", "--since", "never", code=2)
    assert (
        0
        == audit(place, "export", "--until", "2020-01-01", "--format", "csv")["manifest"]["files"][
            0
        ]["rows"]
    )


def test_retention_says_what_would_go_before_it_goes(place: Path) -> None:
    """A dry run by default; with --apply it is done and the record still holds."""
    (place / "r.yaml").write_text("rules: [{kinds: [model.answered], keep_days: 0, reason: r}]")
    (would,) = audit(place, "retention", "r.yaml")["rules"]
    assert 3 == would["payloads"]
    assert (
        would["payloads"]
        == audit(place, "retention", "r.yaml", "--dry-run")["rules"][0]["payloads"]
    )
    done = audit(place, "retention", "r.yaml", "--apply", "--actor", "a")
    assert (False, 3) == (done["dry_run"], done["rules"][0]["payloads"])
    assert (0, 3) == (
        audit(place, "retention", "r.yaml")["rules"][0]["payloads"],
        audit(place, "verify")["erased"],
    )
    assert "error" in audit(place, "retention", "r.yaml", "--apply", "--dry-run", code=2)
    assert "error" in audit(place, "retention", "none.yaml", code=10)


def test_an_erasure_keeps_the_proofs_of_everything(place: Path, events: int) -> None:
    """The anchor from before still holds; the erased call's receipt says so."""
    call, other = (place / "calls").read_text().split()[:2]
    audit(place, "checkpoint", "--output", "cp", **KEY)
    before = audit(place, "receipt", other, **KEY)
    subject = assay(place, "calls", "show", call, "--json").document["call"]["subject"]
    assert audit(place, "erase", subject, "--reason", "asked", "--actor", "a")["erased_payloads"]
    found = audit(place, "verify", "--anchor", "cp", **KEY)
    assert ("ok", events, 2) == (
        found["status"],
        found["anchored_events"],
        found["unanchored_events"],
    )
    assert before == audit(place, "receipt", other, **KEY)
    gone = audit(place, "receipt", call, **KEY)
    assert 1 == len(gone["erasures"])


def test_a_second_erasure_says_that_it_was_one(place: Path) -> None:
    """Nothing is left of the subject: not `0 payloads`, as if it had never been there."""
    call = (place / "calls").read_text().split()[0]
    subject = assay(place, "calls", "show", call, "--json").document["call"]["subject"]
    why = ("--reason", "asked", "--actor", "a")
    assert audit(place, "erase", subject, *why)["already_erased"] is False
    again = audit(place, "erase", subject, *why)
    assert (0, True) == (again["erased_payloads"], again["already_erased"])
    assert "already erased" in assay(place, "audit", "erase", subject, *why).out


def test_checkpoints_go_to_addresses_and_get_time_stamps(place: Path) -> None:
    """A witness takes the note by PUT and gives it back; an authority stamps it."""
    require_part("timestamps", "rfc3161_client")
    tsa = authority(place / "tsa")
    with serving(tsa) as address:
        made = audit(place, "checkpoint", "--timestamp", address, "--output", address + "cp", **KEY)
        assert made["timestamp"]
        assert "ok" == audit(place, "verify", "--anchor", address + "cp", **KEY)["status"]
        assert (
            0
            == assay(
                place, "audit", "checkpoint", "--output", "cp", ASSAY_TSA_URL=address, **KEY
            ).code
        )
    assert (place / "cp.tsr").stat().st_size > 100
    found = audit(place, "verify", "--tsa-roots", str(tsa.roots))
    assert (2, 2) == (
        found["checkpoints"]["timestamps"],
        found["checkpoints"]["timestamps_verified"],
    )
    assert "error" in audit(place, "checkpoint", "--timestamp", address, code=40, **KEY)
    assert "error" in audit(place, "checkpoint", "--timestamp", "nowhere", code=10, **KEY)


def test_a_wrong_key_file_is_told(place: Path) -> None:
    """Missing, or no key: exit 10; nothing of the file in the message."""
    (place / "bad").write_text("secret words")
    for name in ("missing", "bad"):
        done = assay(place, "audit", "checkpoint", ASSAY_SIGNING_KEY=name)
        assert 10 == done.code
        assert "secret words" not in done.err


def test_the_source_texts_go_with_a_receipt_where_they_are_kept(place: Path) -> None:
    """Kept only under a master key; the script then checks every span."""
    call = (place / "calls").read_text().split()[0]
    assert (
        "not in the store"
        in audit(place, "receipt", call, "--texts", "t", code=10)["error"]["message"]
    )
    sealed = {"ASSAY_MASTER_KEY": "6b" * 32, **KEY}
    store = ("--store", "sqlite:///sealed.db")
    ran = assay(
        place, "run", "pack", "in", "--model", "scripted:s.jsonl", "--json", *store, **sealed
    )
    call = ran.documents[0]["calls"][0]
    words = ("receipt", call, "--output", "r.json", "--texts", "t", *store)
    done = assay(place, "audit", *words, **sealed)
    assert (0, "--source text=t/0-text.txt\n") == (done.code, done.err)
    checked = check(place, "--key", "k.pub", "--json", *done.err.split())
    assert {"checked": 1, "unchecked": 0} == json.loads(checked.stdout)["spans"]
    assert 10 == assay(place, "audit", *words, **sealed).code


MASTER = {"ASSAY_MASTER_KEY": "11" * 32}


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """A folder with a call whose payloads are encrypted."""
    write_pack(tmp_path / "pack")
    (tmp_path / "in.txt").write_text("There is water in the cellar.")
    script(tmp_path, GOOD, name="s.jsonl")
    assert (
        0 == assay(tmp_path, "run", "pack", "in.txt", "--model", "scripted:s.jsonl", **MASTER).code
    )
    audit(tmp_path, "keygen", "k")
    return tmp_path


@pytest.mark.clause("005-R20")
@pytest.mark.parametrize("environ", [{}, {"ASSAY_MASTER_KEY": "22" * 32}], ids=["none", "wrong"])
def test_without_the_master_key_all_but_payloads_is_verified(sealed: Path, environ: dict) -> None:
    """Chain, log and anchor hold, payloads are said to be unchecked; no verdict on those."""
    audit(sealed, "checkpoint", "--output", "cp", **KEY)
    whole = audit(sealed, "verify", "--anchor", "cp", **KEY, **MASTER)
    assert ("ok", 0, None) == (
        whole["status"],
        whole["payloads_unchecked"],
        whole["payloads_why"],
    )
    assert whole["payloads"] > 0

    found = audit(sealed, "verify", "--anchor", "cp", **KEY, **environ)

    assert ("ok", "unchecked", None) == (found["status"], found["payloads"], found["first_bad"])
    assert whole["payloads"] == found["payloads_unchecked"]
    assert "master key" in found["payloads_why"]
    assert (whole["head"], whole["events"]) == (found["head"], found["events"])
    told = assay(sealed, "audit", "verify", **environ)
    assert 0 == told.code
    assert "payloads: unchecked" in told.out
    with sqlite3.connect(sealed / ".assay" / "assay.db") as database:
        database.execute("UPDATE payloads SET content = zeroblob(80) WHERE seq = 3")
    database.close()
    assert "unchecked" == audit(sealed, "verify", **environ)["payloads"]
    assert 3 == audit(sealed, "verify", code=50, **MASTER)["first_bad"]["seq"]
    with sqlite3.connect(sealed / ".assay" / "assay.db") as database:
        database.execute("DELETE FROM payloads WHERE seq = 3")
    database.close()
    assert 3 == audit(sealed, "verify", code=50, **environ)["first_bad"]["seq"]


@pytest.mark.clause("005-R20")
def test_a_wrong_master_key_is_no_broken_record(sealed: Path) -> None:
    """What needs it is unavailable (40); nothing says that the record was changed."""
    call = assay(sealed, "calls", "list", "--json").document["calls"][0]["id"]

    done = assay(sealed, "calls", "show", call, "--json", ASSAY_MASTER_KEY="22" * 32)

    assert (40, "key.unavailable") == (done.code, done.document["error"]["code"])
    assert "master key" in done.document["error"]["message"]


@pytest.mark.clause("005-R18")
@pytest.mark.parametrize("keys", [" ", "\n\t ", "\u00a0", ",", "keys.pub", "ab" * 31])
def test_trusted_template_keys_that_are_none_are_an_error(place: Path, keys: str) -> None:
    """Blank, separators only, a file, half a key: never taken for no keys at all."""
    words = ("run", "pack", "in", "--model", "scripted:s.jsonl", "--again", "--json")

    done = assay(place, *words, ASSAY_TEMPLATE_KEYS=keys)

    assert (10, "input.invalid") == (done.code, done.document["error"]["code"])
