"""Ids that are shortened: taken everywhere, shown in every table, whole in JSON."""

from __future__ import annotations

import json
import re

import pytest

import assay as library
from assay.errors import AmbiguousIdError, NotFoundError
from tests.command import Ran, assay
from tests.packs.talk import SESSION, script, small_talk
from tests.runtime.tiny import UNKNOWN_LABEL, write_pack
from tests.runtime.tiny import script as replies

pytestmark = pytest.mark.clause("007-T1")

STORE = ("--store", "sqlite:///a.db")
INPUTS = 6


@pytest.fixture
def place(tmp_path):
    """A folder with many calls, each with its case in review, and one session."""
    write_pack(tmp_path / "pack")
    (tmp_path / "in").mkdir()
    for number in range(INPUTS):
        (tmp_path / "in" / f"{number}.txt").write_text(f"Note {number}: water in the cellar.")
    replies(tmp_path, *[UNKNOWN_LABEL] * 2 * INPUTS, name="s.jsonl")
    assay(tmp_path, "run", "pack", "in", "--model", "scripted:s.jsonl", *STORE)
    talk = ("chat", "services", "--session", SESSION, "--message", "hi")
    assay(tmp_path, *talk, "--model", script(tmp_path, small_talk()), *STORE)
    return tmp_path


def ids(place, group: str) -> list[str]:
    (rows,) = assay(place, group, "list", *STORE, "--json").document.values()
    return [row["id"] for row in rows]


def on_one_line(done: Ran, word: str) -> bool:
    return any(word in line.split() for line in done.out.splitlines())


def test_every_command_takes_a_beginning(place):
    """Of a call, a review, a session; what is printed is that of the whole id."""
    call, case = ids(place, "calls")[1], ids(place, "review")[0]

    for start in (call[:8], call[:20], call):
        shown = assay(place, "calls", "show", start, *STORE, "--json").document
        assert call == shown["call"]["id"]
        assert (
            call
            == assay(place, "replay", start, "--pack", "pack", *STORE, "--json").document["call"]
        )
        log = assay(place, "audit", "log", "--call", start, *STORE, "--json").documents
        assert {call} == {event["call"] for event in log}
        receipt = assay(place, "audit", "receipt", start, *STORE, "--json").document
        assert call in json.dumps(receipt)
    assert (
        case == assay(place, "review", "show", case[:9], *STORE, "--json").document["review"]["id"]
    )
    shown = assay(place, "sessions", "show", "1111", *STORE, "--json").document
    assert SESSION == shown["session"]["id"]
    decide = ("review", "decide", case[:8], "--reject", "--reason", "no", *STORE, "--json")
    assert case == assay(place, *decide).document["review"]["id"]


def test_a_beginning_goes_on_with_a_session_and_starts_none(place):
    """Whole UUIDs start one; anything shorter has to be there."""
    model = ("--model", script(place, small_talk("again")))
    words = ("--message", "hi again", *model, *STORE, "--json")

    again = assay(place, "chat", "services", "--session", SESSION[:4].upper(), *words)
    assert (SESSION, 2) == (again.document["session_id"], again.document["turn"])
    absent = assay(place, "chat", "services", "--session", "2222", *words)
    assert (10, "not_found") == (absent.code, absent.document["error"]["code"])
    assert "no UUID" in assay(place, "chat", "services", "--session", "me", *words).err


def test_a_beginning_of_several_names_them(place):
    """With 2, and every one of them on the line; of many some, and that there are more."""
    made = "abcd" + "0" * 27
    with library.open(f"sqlite:///{place}/a.db", "none", environ={}) as runtime:
        run = runtime.do(runtime.runtime.store.start_run("test", {}))
        put_calls(runtime, run, [made + "1", made + "2", "abce", "abcefg"])

        with pytest.raises(AmbiguousIdError) as error:
            runtime.call("abcd")
        assert (made + "1", made + "2") == error.value.found
        assert "abce" == runtime.call("abce")["call"]["id"]
        assert "abcefg" == runtime.call("abcef")["call"]["id"]
        with pytest.raises(NotFoundError):
            runtime.call("abc")
        for odd in ("abc%", "abc_", "ab\0d", "abcd\udcff", "ABCE", "%%%%", ""):
            with pytest.raises(NotFoundError):
                runtime.call(odd)
        put_calls(runtime, run, [f"beef{number:02}" for number in range(9)])
    done = assay(place, "calls", "show", "abcd", *STORE, "--json")
    many = assay(place, "calls", "show", "beef", *STORE)

    assert (2, "id.ambiguous") == (done.code, done.document["error"]["code"])
    assert made + "1" in done.err
    assert made + "2" in done.err
    assert "5 or more calls begin with 'beef'" in many.err
    assert 1 == len(many.err.splitlines())


def put_calls(runtime, run: int, names: list[str]) -> None:
    from assay.protocols import Changes, PutCall
    from assay.testing.stores import a_call, an_event

    writes = tuple(PutCall(row=a_call(name, run)) for name in names)
    runtime.do(runtime.runtime.store.commit(Changes(run=run, events=(an_event(),), writes=writes)))


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 250])
@pytest.mark.parametrize("group", ["calls", "review", "sessions"])
def test_an_id_of_a_table_can_be_copied(place, group, width):
    """It stands whole on one line, in any width, and the command it is given to knows it."""
    listed = assay(place, group, "list", *STORE, COLUMNS=str(width))
    for whole in ids(place, group):
        short = whole[:8]
        assert on_one_line(listed, short), listed.out
        assert 0 == assay(place, group, "show", short, *STORE).code


def test_a_log_shows_calls_on_lines_of_eighty_characters(place):
    """And what stands at the end of a line can be shown."""
    log = assay(place, "audit", "log", *STORE).out.splitlines()
    call = next(line.split()[-1] for line in log if "call.settled" in line)

    assert max(map(len, log)) <= 80
    assert re.fullmatch("[0-9a-f]{8}", call)
    assert 0 == assay(place, "calls", "show", call, *STORE).code
