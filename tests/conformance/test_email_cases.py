"""The public mails: each is read or says why not; quoted parts and machines are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.contract.attempts import shorten
from assay.core.text.spans import Shown
from assay.sources.documents.html import read_html
from assay.sources.mail.message import Message, looks_like_message, read_message
from assay.sources.mail.quoting import blocks
from assay.sources.reading import Unreadable

CARRIED = "Aenean quis diam urna."
NOTE = "Praesent suscipit egestas hendrerit."

OTHER_BODIES = {
    # What the other parser shows, and why this one shows more or less.
    "stalwart/malformed/002.eml": "a multipart without its boundary: it sees no text, we show it",
    "stalwart/malformed/008.eml": "a part that it counts as attached stands unnamed in the body",
    "stalwart/malformed/016.eml": "boundaries that begin like others: it takes them, email not",
    "stalwart/thirdparty/000.eml": "a NUL in the text, which no text of ours may hold",
    "stalwart/thirdparty/005.eml": "a boundary that does not begin a line",
    "stalwart/thirdparty/012.eml": "text of an unknown kind where the body stands is read as it",
}

PEOPLE_WROTE = {
    # Counted as bounces by their collection; no sign says that a machine sent them.
    "sisimai/bsd/lhost-fml-02.eml": "a list's answer without any field of automatic mail",
    "sisimai/bsd/lhost-sendmail-14.eml": "a person forwards a bounce with a line of her own",
    "sisimai/err/make-test-36.eml": "a person forwards a bounce",
}


@pytest.fixture(scope="module")
def index(cases: Path) -> list[dict[str, Any]]:
    lines = (cases / "email" / "index.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def read(cases: Path, index: list[dict[str, Any]]) -> dict[str, Message | Unreadable]:
    """Every file, read once."""
    folder = cases / "email"
    return {row["path"]: read_message((folder / row["path"]).read_bytes()) for row in index}


def test_each_file_is_a_message_or_says_why_not(read):
    """None of the 775 raises, and what comes out can be stored."""
    assert 775 == len(read)
    for name, outcome in read.items():
        if isinstance(outcome, Unreadable):
            assert outcome.reason
            continue
        assert any(text.strip() for text in outcome.texts.values()), name
        for text in outcome.texts.values():
            text.encode("utf-8")
            assert not set("\x00\r") & set(text), name
        json.dumps(outcome.facts)


def test_what_makes_the_standard_package_raise_is_read(cases, read):
    """Unknown character sets and a line break in From."""
    rows = (cases / "email" / "raises_in_stdlib.txt").read_text(encoding="utf-8").splitlines()
    names = [row.split("\t")[0] for row in rows if row]

    assert len(names) >= 4
    assert all(isinstance(read[name], Message) for name in names)


def _without_space(text: str) -> str:
    return "".join(text.split())


def test_subjects_and_bodies_agree_with_another_parser(cases, index, read):
    """Up to white space, for parts that are plain text; the differences are known by name."""
    different: set[str] = set()
    compared = 0
    for row in index:
        expected = cases / "email" / row.get("expected", "")
        outcome = read[row["path"]]
        if not expected.is_file() or isinstance(outcome, Unreadable):
            continue
        wanted = json.loads(expected.read_text(encoding="utf-8"))
        fields = [h["value"] for h in wanted["parts"][0]["headers"] if h["name"] == "subject"]
        subject = fields[0]["Text"] if fields else ""
        assert _without_space(subject) == _without_space(outcome.texts["subject"]), row["path"]
        bodies = [wanted["parts"][number]["body"] for number in wanted["text_body"]]
        if any("Html" in body for body in bodies):
            continue
        compared += 1
        body = "".join(body.get("Text", "") for body in bodies)
        if _without_space(body) != _without_space(outcome.texts["body"]):
            different.add(row["path"])

    assert compared >= 15
    assert different == set(OTHER_BODIES)


def _own(text: str, *kinds: str) -> str:
    return "".join(text[b.start : b.stop] for b in blocks(text) if b.kind in ("own", *kinds))


def test_own_words_of_replies(index, read):
    """talon's replies: what the sender wrote, the signature told from it."""
    rows = [row for row in index if "own_words" in row]

    assert len(rows) >= 8
    for row in rows:
        body = read[row["path"]].texts["body"]
        assert row["own_words"].strip() == _own(body, "signature").strip(), row["path"]


def _forwards(cases: Path, index: list[dict[str, Any]]) -> list[tuple[dict[str, Any], str]]:
    folder = cases / "email"
    rows = [row for row in index if row["kind"] == "forward_body"]
    return [
        (row, (folder / row["path"]).read_bytes().decode().replace("\r\n", "\n")) for row in rows
    ]


def test_forwarded_parts_are_recognised(cases, index):
    """crisp's forwards, of many clients in twenty languages; a note of one's own stays."""
    forwards = _forwards(cases, index)

    assert len(forwards) == 116
    for row, text in forwards:
        own = _own(text)
        assert CARRIED not in own, row["path"]
        assert "Unicum iter" not in own, row["path"]
        if row["forwarder_wrote"]:
            assert NOTE in own, row["path"]
        elif row["quoted_body_present"]:
            assert own.strip() == "", row["path"]


@pytest.mark.clause("000-R2", "000-B1")
@pytest.mark.parametrize("limit", [10_000, 400, 150])
def test_a_shortened_attempt_on_replies_and_forwards(cases, index, read, limit):
    """Quoted parts are gone where the sender wrote anything; what is kept is verbatim and fits."""
    mails = [(row, read[row["path"]].texts["body"]) for row in index if "own_words" in row]
    mails += _forwards(cases, index)
    for row, body in mails:

        def fits(shown: tuple[Shown, ...]) -> bool:
            return sum(len(view.text) for view in shown) <= limit

        shown = shorten({"subject": "Fwd: x", "body": body}, fits)
        assert shown is not None, row["path"]
        assert fits(shown), row["path"]
        text = shown[1].text
        assert text.strip(), row["path"]
        assert all(body[start:stop] in text for start, stop in shown[1].segments)
        if row.get("forwarder_wrote"):
            assert CARRIED not in text, row["path"]
            assert NOTE in text, row["path"]
        if "own_words" in row:
            assert text.split()[0] == "Hello", row["path"]
            assert "wrote" not in text, row["path"]


def test_machines_are_told_from_people(index, read):
    """Reports, complaints and absence notes carry a sign; what none has is known by name."""
    machines = [row["path"] for row in index if row["kind"] in ("bounce", "feedback", "autoreply")]
    missed = {name for name in machines if not getattr(read[name], "automatic", ())}

    assert len(machines) == 383
    assert missed <= set(PEOPLE_WROTE)


def test_mails_of_people_carry_no_sign(index, read):
    """Replies, forwards and intake mails; `rb-issue-368-bug` says itself that it is automatic."""
    kinds = ("forward_body", "reply_body", "subject_line", "html_body", "not_bounce", "mbox")
    flagged = {
        row["path"]
        for row in index
        if row["kind"] in kinds and getattr(read[row["path"]], "automatic", ())
    }

    assert flagged == {"sisimai/not/rb-issue-368-bug.eml"}


def test_quotations_in_html_replies_are_told(cases, index):
    """The frame around a quotation is marked, so that the reply is told from it."""
    for row in index:
        if row["kind"] == "html_body" and "html_replies" in row["path"]:
            markup = (cases / "email" / row["path"]).read_text(encoding="utf-8")
            own = _own(read_html(markup, mark_quotes=True).text)
            assert "Hi. I am fine." == own.strip(), row["path"]


def test_folders_give_mail_and_nothing_else(cases, index):
    """By content: mails are taken; licences, READMEs, data and pages are not."""
    folder = cases / "email"
    others = [*folder.rglob("LICENSE*"), folder / "README.md", folder / "index.jsonl"]
    others += [*folder.rglob("*.html"), *folder.rglob("*.json")]
    mails = [row["path"] for row in index if row["kind"] in ("bounce", "feedback", "autoreply")]

    assert not [path.name for path in others if looks_like_message(path.read_bytes()[:4096])]
    assert all(looks_like_message((folder / name).read_bytes()[:4096]) for name in mails)


def test_an_unknown_charset_stops_nothing(cases):
    """bugs.jsonl: the second of three mails claims a charset that does not exist."""
    lines = (cases / "bugs.jsonl").read_text(encoding="utf-8").splitlines()
    bugs = {bug["id"]: bug for bug in map(json.loads, lines)}
    mails = bugs["unknown-charset-aborts-batch"]["input"]["mails"]
    outcomes = [read_message(mail.encode()) for mail in mails]

    assert ["first\n", "second\n", "third\n"] == [mail.texts["body"] for mail in outcomes]
    assert ["", "claimed bogus, read as utf-8", ""] == [
        "".join(note.detail for note in mail.notes) for mail in outcomes
    ]


def test_the_gold_of_the_intake_mails_lies_in_the_texts(cases):
    """Subject and body are those of the gold, so that its spans lead back."""
    for path in sorted((cases / "intake" / "mails").glob("*.eml")):
        outcome = read_message(path.read_bytes())
        wanted = json.loads(
            (cases / "intake" / "normalised" / f"{path.stem}.json").read_text("utf-8")
        )
        assert isinstance(outcome, Message)
        assert wanted["subject_c14n"] == outcome.texts["subject"].lower()
        assert wanted["body_text_c14n"] == outcome.texts["body"].strip().lower()
        gold = json.loads(
            (cases / "intake" / "gold" / f"{path.stem}.classification.json").read_text()
        )
        flags = {flag["label"] for flag in gold["risk_flags"]}
        assert ("RISK_AUTOREPLY_LOOP" in flags) == bool(outcome.automatic)
