"""Locks, golden cases and verification."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.new_pack import new_pack
from assay.core.json.canonical import digest
from assay.errors import PackError, UsageError
from assay.pack.golden import golden_cases, run_case
from assay.pack.lock import FORM, LOCK, lock_faults, lock_text
from assay.pack.read import read_pack
from assay.pack.verify import verify_pack
from tests.pack.small import FILES, small_pack

NAMES = st.text(alphabet="abc./", min_size=1, max_size=6)


def case(**changes: object) -> dict[str, object]:
    return {
        "name": "one",
        "contract": "tell",
        "sources": {"text": "all is fine"},
        "replies": [{"json": {"kind": "GOOD", "confidence": 0.9, "quotes": ["fine"]}}],
        "expect": {"outcome": "accepted"},
        **changes,
    }


def faults(*cases: dict[str, object]) -> list[str]:
    lines = "".join(json.dumps(one) + "\n" for one in cases)
    files = small_pack(**{"golden/x.jsonl": lines})
    return [str(fault) for fault in verify_pack(files).faults]


@given(st.dictionaries(NAMES, st.binary(max_size=20), max_size=5))
def test_a_lock_holds_for_the_files_it_was_made_of(files):
    """And for no others: each change, addition and loss is one fault that names the file."""
    locked = {**files, LOCK: lock_text(files)}
    assert [] == list(lock_faults(locked))

    for name in files:
        changed = {**locked, name: files[name] + b"!"}
        assert [f"file {name!r} is not what was locked"] == [
            fault.message.partition(": ")[2] for fault in lock_faults(changed)
        ]
        without = {key: value for key, value in locked.items() if key != name}
        assert [f"file {name!r} is gone"] == [
            fault.message.partition(": ")[2] for fault in lock_faults(without)
        ]
    added = {**locked, "zz.new": b""}
    assert ["file 'zz.new' is not locked"] == [
        fault.message.partition(": ")[2] for fault in lock_faults(added)
    ]


def test_a_lock_is_text_that_reads_well_in_a_diff():
    """One file a line, sorted; the line of a fault is the line of its file."""
    files = {"b": b"2", "a/c": b"1"}

    assert lock_text(files).decode() == f"{FORM}\n{digest('1')}  a/c\n{digest('2')}  b\n"
    (fault,) = lock_faults({**files, "b": b"3", LOCK: lock_text(files)})
    assert (fault.file, fault.line) == (LOCK, 3)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"other\n",
        b"\xff\xfe",
        FORM.encode() + b"\nnonsense\n",
        FORM.encode() + b"\n" + lock_text({"a": b"1"}).split(b"\n")[1] + b"\n" * 3,
        lock_text({"a": b"1"}) + lock_text({"a": b"1"}),
    ],
)
def test_a_damaged_lock_is_never_a_lock_that_holds(text):
    """Nor one that says nothing."""
    assert [fault.file for fault in lock_faults({"a": b"1", LOCK: text})]


def test_an_unlocked_pack_verifies_unless_a_lock_is_required():
    """A pack that is being written has none yet."""
    files = small_pack(**{"golden/x.jsonl": json.dumps(case())})
    assert verify_pack(files).holds
    (fault,) = verify_pack(files, lock_required=True).faults
    assert "not locked" in str(fault)


def test_digests_are_compared_even_when_the_files_no_longer_read():
    """What was changed by hand is the likely cause, so it is named first."""
    files = small_pack()
    files[LOCK] = lock_text(files)
    files["labels.yaml"] = b"kind: ["
    found = verify_pack(files)

    assert [LOCK, "labels.yaml"] == [fault.file for fault in found.faults]
    assert found.to_dict()["status"] == "failed"
    assert found.to_dict()["pack"] is None


def test_a_flow_without_a_template_is_a_fault_of_verification_only():
    """`assay gate` needs none; a run would have nothing to send."""
    text = FILES["contracts/tell.yaml"].replace("template: tell\n", "")
    files = small_pack(**{"contracts/tell.yaml": text})

    assert read_pack(files).contract("tell").template is None
    assert "stands in the flow and has no template" in str(verify_pack(files).faults[0])


GOOD = {"json": {"kind": "GOOD", "confidence": 0.9, "quotes": ["fine"]}}
BAD = {"json": {"kind": "SO-SO", "confidence": 0.9, "quotes": ["fine"]}}
SPAN = {"source": "text", "start": 7, "stop": 11}


@pytest.mark.parametrize(
    "expect",
    [
        {"outcome": "accepted", "attempts": 1, "codes": [[]], "reason": None},
        {"outcome": "accepted", "result": {"kind": "GOOD"}},
        {"outcome": "accepted", "result": {"confidence": 0.9, "quotes": ["fine"]}},
    ],
)
def test_a_case_that_ends_as_expected_is_no_fault(expect):
    """Only what it names is compared."""
    assert faults(case(expect=expect)) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"expect": {"outcome": "needs_review"}}, "ended accepted, not needs_review"),
        ({"replies": [BAD, BAD]}, "ended needs_review, not accepted (findings: label.unknown)"),
        (
            {"replies": [BAD, BAD], "expect": {"outcome": "needs_review", "reason": "gave_up"}},
            "for the reason gate.rejected, not gave_up",
        ),
        (
            {"replies": [BAD, GOOD], "expect": {"outcome": "accepted", "attempts": 1}},
            "took 2 attempts, not 1",
        ),
        (
            {"replies": [BAD, GOOD], "expect": {"outcome": "accepted", "codes": [[], []]}},
            "found label.unknown in attempt 1",
        ),
        (
            {"expect": {"outcome": "accepted", "result": {"kind": "BAD"}}},
            "the result differs at /kind",
        ),
        (
            {"expect": {"outcome": "accepted", "result": {"quotes": ["fine", "x"]}}},
            "the result differs at /quotes",
        ),
        (
            {"expect": {"outcome": "accepted", "result": {"more": 1}}},
            "the result differs at /more",
        ),
        ({"expect": {"outcome": "accepted", "prompts": ["sha256:0"]}}, "built prompts"),
        ({"kind": "guess"}, "kind 'guess' does not exist"),
        ({"contract": "told"}, "has no contract 'told'"),
        ({"expect": {"outcome": "perhaps"}}, "expect.outcome"),
        ({"replys": []}, "'replys' is not known"),
    ],
)
def test_a_case_that_ends_otherwise_says_what_differs(changes, words):
    """With the file, the line and the name of the case."""
    (message,) = faults(case(), case(**changes))[-1:]

    assert message.startswith("golden/x.jsonl:2: case 'one': ")
    assert words in message


def test_no_more_replies_are_taken_than_the_ladder_has_rungs():
    """A third reply cannot save what two attempts lost."""
    expect = {"outcome": "needs_review", "attempts": 2}

    assert faults(case(replies=[BAD, BAD, GOOD], expect=expect)) == []


@pytest.mark.parametrize("line", ["{", "[]", '{"a": 1, "a": 2}', "\ufeff{}"])
def test_a_line_that_is_no_case_is_a_fault_with_its_line(line):
    """A case that is skipped proves nothing."""
    files = small_pack(**{"golden/x.jsonl": f"\n{line}\n"})
    (fault,) = verify_pack(files).faults

    assert ("golden/x.jsonl", 2) == (fault.file, fault.line)


def test_golden_cases_come_in_order_and_know_their_place():
    """Sorted by file, then by line; empty lines count as lines."""
    one = json.dumps(case()) + "\n"
    files = small_pack(**{"golden/b.jsonl": one, "golden/a.jsonl": "\n" + one + one, "a.txt": "x"})
    found = list(golden_cases(files))

    assert [("golden/a.jsonl", 2), ("golden/a.jsonl", 3), ("golden/b.jsonl", 1)] == [
        (one.file, one.line) for one in found
    ]
    assert [None] * 3 == [run_case(read_pack(files), one) for one in found]


def test_a_new_pack_verifies_at_once():
    """What `assay pack new` writes works, and its golden cases hold."""
    found = verify_pack(new_pack("triage"))

    assert found.faults == ()
    assert (found.golden, found.pack.name) == (3, "triage")
    assert found.pack.contract("sort").template.name == "triage.sort"


@pytest.mark.parametrize("name", ["", "9", "a/b", "a b", "ä", "../x", "a\nb", "x" * 200])
def test_a_name_that_no_pack_can_have_is_refused(name):
    """It would become a folder and a reference."""
    with pytest.raises(UsageError):
        new_pack(name)


def test_errors_of_a_pack_are_pack_errors_with_exit_code_60():
    """Verification failed is an exit code of its own."""
    assert PackError.exit_code == 60


@pytest.mark.parametrize(("status", "count"), [("FAILED", 0), ("OK", 1)])
def test_cases_of_grounded_answers_are_run_by_their_own_code(status, count):
    """Any pack may hold such cases beside its calls."""
    answer = {
        "name": "an empty bundle",
        "kind": "assemble",
        "bundle": {},
        "question": "What?",
        "expect": {"/answer_bundle/assembly_status": status},
    }

    assert count == len(faults(case(), answer))
