"""Commands that only look make no store: an absent record is not an unbroken one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import assay
from tests.runtime.tiny import GOOD, script, write_pack

LOOKING = [
    "audit log",
    "audit verify",
    "audit checkpoint",
    "audit erase somebody --reason asked",
    "audit export",
    "audit receipt 0123",
    "audit retention rules.yaml",
    "calls list",
    "calls show 0123",
    "review list",
    "review show 0123",
    "review decide 0123 --reject --reason no",
    "sessions list",
    "sessions show 0123",
    "replay 0123",
    "backtest pack/tiny",
    "render greeter/hello@1",
    "templates list",
    "templates show greeter/hello@1",
    "templates drift --strict",
    "templates stats",
    "templates promote greeter/hello@1",
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the tiny pack, one text, a script and retention rules, and no store."""
    write_pack(tmp_path / "pack")
    (tmp_path / "a.txt").write_text("There is water in the cellar.")
    script(tmp_path, GOOD, name="s.jsonl")
    (tmp_path / "rules.yaml").write_text(
        'rules: [{kinds: [model.answered], keep_days: 200, reason: "old"}]\n'
    )
    return tmp_path


@pytest.mark.parametrize("command", LOOKING)
def test_a_command_that_looks_makes_no_store(place: Path, command: str) -> None:
    """Exit 10, the file is named, and neither it nor its folder is made."""
    before = sorted(place.rglob("*"))

    done = assay(place, *command.split(), "--store", "sqlite:///gone/x.db", "--json")

    assert (10, "not_found") == (done.code, done.document["error"]["code"])
    assert "there is no store at 'gone/x.db'" in done.err
    assert before == sorted(place.rglob("*"))


def test_an_empty_file_is_no_store(place: Path) -> None:
    """A record that was cut to nothing does not become a new, unbroken one."""
    (place / "x.db").touch()

    done = assay(place, "audit", "verify", "--store", "sqlite:///x.db")

    assert 10 == done.code
    assert 0 == (place / "x.db").stat().st_size


def test_the_doctor_finds_no_record_yet_and_makes_none(place: Path) -> None:
    """A fresh installation is fit."""
    done = assay(place, "doctor", "--store", "sqlite:///gone/x.db", "--json")

    checks = {row["what"]: row for row in done.document["checks"]}
    assert ("ok", "sqlite:///gone/x.db: no record yet") == (
        checks["store"]["state"],
        checks["store"]["detail"],
    )
    assert not (place / "gone").exists()


def test_a_run_makes_the_store_and_then_it_can_be_looked_at(place: Path) -> None:
    """What works goes on making what it needs."""
    store = ("--store", "sqlite:///new/x.db")
    ran = assay(place, "run", "pack", "a.txt", "--model", "scripted:s.jsonl", *store)
    looked = assay(place, "audit", "verify", "--json", *store)

    assert (0, 0) == (ran.code, looked.code)
    assert "unanchored" == looked.document["status"]
