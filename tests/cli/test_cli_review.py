"""`assay review` on cases whose call was asked again."""

from __future__ import annotations

import pytest

from tests.command import assay
from tests.runtime.tiny import GOOD, script, write_pack

pytestmark = pytest.mark.clause("006-M2")

RUN = ("run", "pack", "in", "--model", "scripted:s.jsonl", "--json")


@pytest.fixture
def place(tmp_path):
    """A folder with a store: one call in review, because its run's budget was too small."""
    write_pack(tmp_path / "pack")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.txt").write_text("There is water in the cellar.")
    script(tmp_path, GOOD, name="s.jsonl")
    assert 0 == assay(tmp_path, *RUN, "--max-total-tokens", "1").code
    return tmp_path


def listed(place, *words):
    return assay(place, "review", "list", *words, "--json").document["reviews"]


def again(place):
    """The call that the same command makes without that budget."""
    (line,) = assay(place, *RUN).documents
    assert "accepted" == line["outcome"]
    return line["calls"][0]


def test_the_queue_shows_what_waits_and_the_rest_on_demand(place):
    """Withdrawn cases are listed by their status, and with all."""
    (waiting,) = listed(place)
    second = again(place)

    assert [] == listed(place)
    assert [waiting | {"status": "withdrawn"}] == listed(place, "--status", "withdrawn")
    assert [waiting["id"]] == [row["id"] for row in listed(place, "--status", "all")]
    shown = assay(place, "review", "show", waiting["id"], "--json").document
    assert second == shown["withdrawn_by"]
    assert f"asked again by call {second}" in assay(place, "review", "show", waiting["id"]).out


@pytest.mark.parametrize("how", [("--reject",), ("--accept", "--output", "s.json")])
def test_deciding_it_is_refused_and_says_what_counts(place, how):
    """No decision that changes nothing: a conflict, with the command that shows the new call."""
    (place / "s.json").write_text(GOOD)
    (waiting,) = listed(place)
    second = again(place)
    done = assay(place, "review", "decide", waiting["id"], *how, "--reason", "late")

    assert 10 == done.code
    assert f"asked again by call {second}" in done.err
    assert f"assay calls show {second}" in done.err


@pytest.mark.clause("007-T1")
def test_an_id_needs_four_characters(place):
    """A shorter beginning is told as such, not as an id that does not exist."""
    (waiting,) = listed(place)
    done = assay(place, "review", "show", waiting["id"][:3])

    assert 10 == done.code
    assert "4 characters" in done.err


def test_a_decision_is_one_of_two(place):
    """Neither and both are wrong usage; nothing is decided."""
    (waiting,) = listed(place)
    for given in ((), ("--accept", "--reject")):
        done = assay(place, "review", "decide", waiting["id"], *given, "--reason", "seen")
        assert 2 == done.code
    assert [waiting] == listed(place)
