"""Names of files are personal data: what stands in the record, what goes with an erasure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import assay
from tests.runtime.tiny import GOOD, UNKNOWN_LABEL, script, write_pack

NAMES = [
    "Jane Doe +44 20 7946 0958.txt",
    "jane.doe@example.org.txt",
    "Łukasz Żółw/Скарга Ивановой.txt",
    "山田太郎 様.txt",
]
PARTS = ["Jane", "20 7946", "jane.doe", "Łukasz", "Ивановой", "山田太郎"]
MASTER = {"ASSAY_MASTER_KEY": "11" * 32}
KEYED = {"ASSAY_REDACTION_KEY": "pepper"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_pack(tmp_path / "pack")
    for number, name in enumerate(NAMES):
        file = tmp_path / "in" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"Case {number}: there is water in the cellar.")
    script(tmp_path, *[GOOD] * len(NAMES), name="s.jsonl")
    return tmp_path


def run(place: Path, *inputs: str, **environ: str) -> list[dict]:
    words = ("run", "pack", *inputs, "--model", "scripted:s.jsonl", "--json")
    done = assay(place, *words, **environ)
    assert 0 == done.code, done.err
    return done.documents


def on_disk(place: Path) -> bytes:
    """Every byte of the store: the database, its write-ahead log, their index."""
    files = sorted((place / ".assay").rglob("*"))
    return b"".join(file.read_bytes() for file in files if file.is_file())


def names_on_disk(place: Path) -> list[str]:
    stored = on_disk(place)
    escaped = [json.dumps(part).strip('"').encode() for part in PARTS]
    plain = [part.encode() for part in PARTS]
    return [
        part
        for part, one, other in zip(PARTS, plain, escaped, strict=True)
        if one in stored or other in stored
    ]


@pytest.mark.clause("005-P16")
@pytest.mark.parametrize("environ", [{}, MASTER, KEYED], ids=["plain", "sealed", "keyed"])
def test_no_name_of_a_file_stands_readable_in_the_store(place: Path, environ: dict) -> None:
    """Printed lines say the name as given; rows, facts and events hold a surrogate."""
    lines = run(place, "in", **environ)

    assert sorted(str(Path("in", name)) for name in NAMES) == [line["input"] for line in lines]
    assert [] == names_on_disk(place)
    listed = assay(place, "calls", "list", "--json").document["calls"]
    assert len(NAMES) == len({call["input"] for call in listed})
    assert all(call["input"].startswith("[FILE_") for call in listed)
    assert all(call["input"].endswith("].txt") for call in listed)


@pytest.mark.clause("005-P16")
def test_the_sealed_payload_keeps_the_name_until_an_erasure(place: Path) -> None:
    """With a master key `calls show` gives it; after the erasure it is gone everywhere."""
    (line,) = run(place, f"in/{NAMES[0]}", **MASTER)
    (call,) = line["calls"]
    shown = assay(place, "calls", "show", call, "--json", **MASTER).document

    opened = next(event for event in shown["events"] if event["kind"] == "call.opened")
    assert f"in/{NAMES[0]}" == opened["payloads"]["input"]
    subject = shown["call"]["subject"]
    erase = ("audit", "erase", subject, "--reason", "asked", "--actor", "a", "--json")
    assert 0 == assay(place, *erase, **MASTER).code
    shown = assay(place, "calls", "show", call, "--json", **MASTER).document
    assert "Jane" not in json.dumps(shown)
    assert [] == names_on_disk(place)
    verified = assay(place, "audit", "verify", "--json", **MASTER).document
    assert ("unanchored", None) == (verified["status"], verified["first_bad"])


@pytest.mark.clause("005-P16")
def test_a_file_is_found_by_its_name_and_reused_under_it(place: Path) -> None:
    """`calls list --input` takes the name that `run` was given; nothing is sent twice."""
    lines = run(place, "in", **KEYED)
    for line in lines:
        words = ("calls", "list", "--input", line["input"], "--json")
        (found,) = assay(place, *words, **KEYED).document["calls"]
        assert line["calls"] == [found["id"]]
    assert [] == assay(place, "calls", "list", "--input", "else", "--json").document["calls"]
    assert lines == run(place, "in", **KEYED)  # the script would give other calls


@pytest.mark.clause("005-P16")
def test_a_file_that_cannot_be_read_leaves_no_name(place: Path) -> None:
    """The review says a surrogate, is opened once, and the reason names no file."""
    file = place / "in" / "Jane Doe.json.txt"
    file.write_bytes(b"\xff\xfe\x00")
    for _ in range(2):
        (line,) = run(place, str(file.relative_to(place)))
        assert ("needs_review", "input.unreadable") == (line["outcome"], line["reason"])

    (waiting,) = assay(place, "review", "list", "--json").document["reviews"]
    assert waiting["input"].startswith("[FILE_")
    assert [] == names_on_disk(place)


MAIL = (
    b"From: a@example.org\nSubject: Water\nMIME-Version: 1.0\n"
    b'Content-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/plain\n\n'
    b"There is water in the cellar.\n--x\nContent-Type: text/plain\n"
    b'Content-Disposition: attachment; filename="Jane Doe.txt"\n\nwater in the cellar\n--x--\n'
)


@pytest.mark.clause("005-P16")
def test_the_name_of_an_attachment_is_no_fact(place: Path) -> None:
    """What a prompt showed is on record under a surrogate; replay and receipt still fit it."""
    yaml = (place / "pack" / "pack.yaml").read_text().replace("source: text", "source: mail")
    (place / "pack" / "pack.yaml").write_text(yaml)
    contract = place / "pack" / "contracts" / "triage.yaml"
    (place / "a.eml").write_bytes(MAIL)
    template = place / "pack" / "templates" / "triage.md"
    assert contract.exists()
    assert template.exists()
    (line,) = run(place, "a.eml", **MASTER)
    for event in assay(place, "audit", "log", "--json", **MASTER).documents:
        assert "Jane" not in json.dumps(event["facts"])
    for call in line["calls"]:
        assert 0 == assay(place, "replay", call, "--pack", "pack", "--json", **MASTER).code


@pytest.mark.clause("005-P16")
@pytest.mark.parametrize(("environ", "guessable"), [({}, True), (KEYED, False)])
def test_an_erasure_says_when_pseudonyms_can_be_guessed(
    place: Path, environ: dict, guessable: bool
) -> None:
    """Without a redaction key they are plain digests; with one there is nothing to say."""
    (line,) = run(place, f"in/{NAMES[0]}", **environ)
    shown = assay(place, "calls", "show", line["calls"][0], "--json", **environ).document
    words = ("audit", "erase", shown["call"]["subject"], "--reason", "r", "--actor", "a", "--json")

    done = assay(place, *words, **environ)

    assert guessable == done.document["pseudonyms_guessable"]
    assert guessable == any("ASSAY_REDACTION_KEY" in each for each in done.document["remains"])
    assert guessable == ("ASSAY_REDACTION_KEY" in done.err)


@pytest.mark.clause("005-P16")
def test_a_correction_finds_the_file_by_its_sealed_name(place: Path) -> None:
    """Who accepts a corrected output need not say again where the input lies."""
    script(place, UNKNOWN_LABEL, UNKNOWN_LABEL, name="s.jsonl")
    run(place, f"in/{NAMES[0]}", **MASTER)
    (waiting,) = assay(place, "review", "list", "--json", **MASTER).document["reviews"]
    words = ("review", "decide", waiting["id"], "--accept", "--output", "-", "--pack", "pack")

    done = assay(place, *words, "--reason", "seen", "--json", stdin=GOOD.encode(), **MASTER)

    assert (0, "accepted") == (done.code, done.document["review"]["status"])
