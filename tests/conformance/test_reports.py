"""Faults that were reported of other projects, and what is right: the whole list, row by row."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from assay.sources.mail.message import Message, read_message
from assay.sources.reading import Unreadable
from tests import command
from tests.cli.test_reported_imports import ROWS as IMPORTS
from tests.cli.test_reported_models import ROWS as MODELS

STORE = ("--store", "sqlite:///n.db")
ANSWERS = {
    "num-scale-word-lost-en": "grounding.number",
    "num-grouped-by-space-part": "grounding.number",
    "num-thousand-read-as-decimal": "grounding.number",
    "num-other-grouping-sign": None,
    "num-scale-letter-ignored": "grounding.number",
    "num-scale-letter-true": None,
    "ja-stop-inside-quote": None,
    "zh-first-sentence-uncited": "sentence.uncited",
}
BODIES = {
    "nul-qp-body": "please cancel",
    "plain-part-is-a-stub": "cancel policy 4711",
    "flowed-delsp": "DE89370400440532013000",
    "text-pdf-text": "Second part: cancel",
}
GONE = {
    "email-percent-encoded": "jane.doe%40example.com",
    "card-dots": "4111.1111.1111.1111",
    "phone-glued-to-letters": "630-596-1111",
    "email-idn": "user@xn--80ak6aa92e.com",
}
OTHERS = {"smime-opaque", "schema-refers-to-itself", "record-edited"}


@pytest.fixture(scope="module")
def rows(cases: Path) -> dict[str, dict[str, Any]]:
    """The reported cases by their ids."""
    lines = (cases / "reports" / "reports.jsonl").read_text("utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


def test_no_row_is_left_out(rows):
    """Every case has a test, here or beside the commands that it is about."""
    assert set(rows) == {*ANSWERS, *BODIES, *GONE, *OTHERS, *MODELS, *IMPORTS}


@pytest.mark.parametrize(("row", "code"), ANSWERS.items())
def test_an_answer_is_judged_as_its_evidence_says(tmp_path, rows, row, code):
    """A whole run of `assemble` and `validate`: passed, or failed by the code that is right."""
    given = rows[row]["input"]
    results = [
        {
            "chunk_id": f"c{number}",
            "knowledge_id": f"k{number}",
            "chunk_text": text,
            "rank": number,
            "similarity_score": 0.9,
        }
        for number, text in enumerate(given["chunks"])
    ]
    bundle = {
        "request_id": "r",
        "index_version": "1",
        "embedding_model": "m",
        "retrieval_top_k": len(results),
        "results": results,
    }
    (tmp_path / "bundle.json").write_text(json.dumps(bundle), "utf-8")
    built = command.assay(tmp_path, "assemble", "bundle.json", "--question", "Q?", "--json")
    (tmp_path / "assembly.json").write_bytes(built.raw)
    done = command.assay(
        tmp_path, "validate", "assembly.json", "-", "--json", stdin=given["answer"].encode()
    )
    found = done.document

    assert ("FAILED" if code else "PASSED") == found["validation_status"], found["findings"]
    if code:
        assert code in [finding["code"] for finding in found["findings"]]


@pytest.mark.parametrize(("row", "words"), BODIES.items())
def test_the_body_is_what_the_sender_wrote(rows, row, words):
    """Stubs, flowed lines, parts behind other parts."""
    message = read_message(rows[row]["input"]["eml"].encode())

    assert isinstance(message, Message)
    assert words in message.texts["body"]


def test_a_mail_that_gave_no_text_is_for_a_person(tmp_path, rows):
    """Signed and opaque, cut short: never judged on its subject."""
    data = rows["smime-opaque"]["input"]["eml"].encode()
    (tmp_path / "a.eml").write_bytes(data)
    found = read_message(data)
    words = ("run", "intake", "a.eml", "--model", "extractive", "--json")
    done = command.assay(tmp_path, *words, *STORE)

    assert isinstance(found, Unreadable)
    assert ("needs_review", "input.unreadable") == (
        done.document["outcome"],
        done.document["reason"],
    )
    assert done.document["detail"]


@pytest.mark.parametrize(("row", "text"), GONE.items())
def test_personal_data_is_gone(tmp_path, rows, row, text):
    """Whatever it is written in or glued to."""
    given = rows[row]["input"]["text"]
    done = command.assay(tmp_path, "redact", "--json", stdin=given.encode())

    assert text in given
    assert text not in done.document["text"]
    assert done.document["counts"]


def test_a_schema_that_refers_to_itself_is_refused(tmp_path, rows):
    """It says nothing, and would accept every object."""
    given = rows["schema-refers-to-itself"]["input"]
    (tmp_path / "c.schema.json").write_text(json.dumps(given["schema"]), "utf-8")
    done = command.assay(tmp_path, "gate", "./c", "-", "--json", stdin=given["output"].encode())

    assert done.code == 10, done.out + done.err


def test_an_edited_record_is_broken(tmp_path):
    """The row is named."""
    mail = "Subject: Question\n\nWhat are your opening hours?\n"
    (tmp_path / "a.eml").write_text(mail, "utf-8")
    command.assay(tmp_path, "run", "intake", "a.eml", "--model", "extractive", *STORE)
    with sqlite3.connect(tmp_path / "n.db") as store:
        store.execute("UPDATE calls SET outcome = 'needs_review'")
    store.close()
    found = command.assay(tmp_path, "audit", "verify", "--json", *STORE)

    assert found.code == 50
    assert "broken" == found.document["status"]
    assert "call" in found.document["first_bad"]["why"]
