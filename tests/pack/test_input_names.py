"""A name of a part of the input that the source does not give is a fault of verification."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.adapters.folders import read_pack_folder
from assay.errors import PackError
from assay.pack.input_names import FACTS, TEXTS
from assay.pack.read import read_pack
from assay.pack.verify import verify_pack
from assay.sources.mail.message import Message, read_message
from tests.pack.small import FILES, small_pack

GOOD = {"kind": "GOOD", "confidence": 0.9, "quotes": ["fine"]}
CONTRACT = FILES["contracts/tell.yaml"]
TEMPLATE = FILES["templates/tell.md"]
RULE = "output.confidence > 0.1"

pytestmark = pytest.mark.clause("007-P3")


def golden(**sources: str) -> str:
    case = {
        "name": "one",
        "contract": "tell",
        "sources": sources,
        "replies": [{"json": GOOD}],
        "expect": {"outcome": "accepted"},
    }
    return json.dumps(case) + "\n"


def faults(source: str = "text", text: str = "", **changes: str) -> list[PackError]:
    """What verification finds in the small pack, made for inputs of *source*."""
    pack = FILES["pack.yaml"].replace("source: text", f"source: {source}")
    name = text or {"mail": "body", "json": "note"}.get(source, "text")
    cases = {"golden/tell.jsonl": golden(**{name: "all is fine"})}
    return list(verify_pack(small_pack(**{"pack.yaml": pack, **cases, **changes})).faults)


def placing(variable: str) -> dict[str, str]:
    return {"templates/tell.md": TEMPLATE.replace("input.text", variable)}


def ruling(assertion: str) -> dict[str, str]:
    return {"contracts/tell.yaml": CONTRACT.replace(RULE, json.dumps(assertion))}


@pytest.mark.parametrize(
    ("source", "variable"),
    [
        ("text", "input.text"),
        ("documents", "input.text"),
        ("mail", "input.subject"),
        ("mail", "input.body"),
        ("mail", "input.text"),
        ("mail", "input.attachments"),
        ("mail", "input.signals"),
        ("json", "input.note"),
        ("json", "input.text"),
    ],
)
def test_what_a_source_gives_may_be_asked_for(source: str, variable: str):
    """Of a template that places it, nothing is told."""
    found = [str(fault) for fault in faults(source, **placing(variable))]

    assert [] == [line for line in found if "asks for '" in line or "gives the text" in line]


@pytest.mark.parametrize(
    ("source", "variable", "words", "hint"),
    [
        ("text", "input.body", "`source: text` does not give", "input.text"),
        ("text", "input.txt", "'input.txt', which `source: text`", "did you mean 'input.text'?"),
        ("text", "input.attachments", "`source: text` does not give", ""),
        ("documents", "input.signals", "`source: documents` does not give", ""),
        ("mail", "input.bdy", "`source: mail` does not give", "did you mean 'input.body'?"),
        ("mail", "inputs.body", "which nothing fills", "did you mean 'input.body'?"),
        ("none", "input.text", "`source: none` does not give", "known: none"),
        ("json", "input.nott", "no golden case of its contract gives", "'input.note'"),
    ],
)
def test_a_template_that_asks_for_what_the_source_does_not_give(source, variable, words, hint):
    """The fault names the template, the line of the place, and what was probably meant."""
    (fault, *_) = [one for one in faults(source, **placing(variable)) if "asks for '" in str(one)]

    assert ("templates/tell.md", 9) == (fault.file, fault.line)
    assert words in str(fault)
    assert hint.replace("'", "") in fault.hint.replace("'", "")


def test_json_without_a_golden_case_may_have_any_key():
    """Nothing says which keys its objects have, so nothing is called wrong."""
    changes = {**placing("input.whatever"), "golden/tell.jsonl": ""}

    assert [] == [one for one in faults("json", **changes) if "asks for '" in str(one)]


@pytest.mark.parametrize(
    ("source", "assertion", "words"),
    [
        ("mail", "input.form == 'a'", "did you mean 'from'?"),
        ("mail", "input.body != ''", "a text: rules read facts of the input, no texts"),
        ("text", "input.language == 'de'", "`source: text` does not give"),
        ("text", "has(input.text)", "a text: rules read facts of the input, no texts"),
        ("text", "state.agency == 'a'", "an ordered flow has no state"),
    ],
)
def test_a_rule_that_reads_what_no_input_has(source: str, assertion: str, words: str):
    """It would reject every reply, and nobody would know why: the rule's line is named."""
    (fault, *_) = [one for one in faults(source, **ruling(assertion)) if "rule 'sure'" in str(one)]

    assert ("contracts/tell.yaml", 10) == (fault.file, fault.line)
    assert words in f"{fault} {fault.hint}"


@pytest.mark.parametrize("fact", sorted(FACTS["mail"]))
def test_a_rule_may_read_every_fact_of_a_mail(fact: str):
    """Also one that few mails have."""
    found = faults("mail", **ruling(f"!has(input.{fact}) || {RULE}"), **placing("input.body"))

    assert [] == [str(one) for one in found]


def test_the_facts_and_texts_of_mail_are_those_that_reading_gives():
    """A fact that is added to mail and not here would be called wrong."""
    mail = (
        b"From: Ann Lee <ann@example.org>\r\nTo: b@example.org\r\nCc: c@example.org\r\n"
        b"Reply-To: d@example.org\r\nDate: Mon, 3 Feb 2025 10:00:00 +0000\r\n"
        b"Message-ID: <1@example.org>\r\nIn-Reply-To: <0@example.org>\r\nSubject: The pipe\r\n"
        b"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"
        b"--x\r\nContent-Type: text/plain\r\n\r\nThe pipe in the kitchen is broken and the water"
        b" runs into the room of my neighbour. What shall I do?\r\n"
        b"--x\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt"
        b"\r\n\r\nmore\r\n--x--\r\n"
    )
    read = read_message(mail)

    assert isinstance(read, Message)
    assert FACTS["mail"] == set(read.facts)
    assert TEXTS["mail"] == {name for name in read.texts if ":" not in name}


def test_a_golden_case_over_a_text_that_no_input_has():
    """It would hold for inputs that never come."""
    found = [one for one in faults("text", "txt") if "gives the text" in str(one)]

    assert [("golden/tell.jsonl", 1, "did you mean 'text'?")] == [
        (one.file, one.line, one.hint) for one in found
    ]
    assert [] == [
        one
        for one in faults("mail", "attachment:a.pdf", **placing("input.attachments"))
        if "gives the text" in str(one)
    ]


def test_quotes_of_a_text_that_is_not_shown():
    """Evidence is sought in what the prompt shows; a template without a text shows none."""
    bare = TEMPLATE.replace(", input.text", "").replace("{{input.text}}\n", "")
    told = faults(**{"templates/tell.md": bare})
    (fault,) = [one for one in told if "to quote" in str(one)]

    assert ("contracts/tell.yaml", 5) == (fault.file, fault.line)
    assert "shows no text to quote" in str(fault)


def test_a_contract_outside_the_flow_may_ask_for_anything():
    """Whoever asks it hands in the texts."""
    other = {
        "contracts/other.yaml": "template: other\nschema: tell.schema.json\n",
        "templates/other.md": TEMPLATE.replace("small.tell", "small.other").replace(
            "input.text", "input.anything"
        ),
    }

    assert [] == [one for one in faults(**other) if "asks for '" in str(one)]


def spoiled(name: str, old: str, new: str) -> list[str]:
    """The bundled pack of grants, with one change."""
    files, hint = read_pack_folder("grants")
    assert old.encode() in files[name]
    files = {**files, name: files[name].replace(old.encode(), new.encode())}
    del files["pack.lock"]
    return [f"{fault} {fault.hint}" for fault in verify_pack(files, name_hint=hint).faults]


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("templates/writer.md", "input.notes", "input.note", "did you mean 'input.notes'?"),
        ("contracts/document.yaml", "input.title", "input.titel", "did you mean 'title'?"),
        ("contracts/document.yaml", "plan/title", "plan/titel", "no place that the earlier"),
    ],
)
def test_what_comes_from_earlier_results_is_held_against_them(name, old, new, words):
    """Names that earlier results are taken under, and the places in them."""
    found = spoiled(name, old, new)

    assert any(f"{name}:" in line and words in line for line in found), found


def test_a_stage_that_does_not_give_what_its_template_asks_for_is_hinted():
    """Slots of a conversation are held against the stage when the graph is read."""
    files, hint = read_pack_folder("services")
    name = "templates/prompt_stage1_judgement.md"
    text = files[name].replace(b"input.user_prompt", b"input.user_promt")
    with pytest.raises(PackError) as caught:
        read_pack({**files, name: text}, name_hint=hint)

    assert "did you mean 'user_prompt'?" in caught.value.hint


def test_a_stage_cannot_fill_a_name_outside_the_catalogue():
    """`inputs.user_prompt` is no slot: the call would fail when it is asked."""
    files, hint = read_pack_folder("services")
    name = "templates/prompt_stage1_judgement.md"
    text = files[name].replace(b"  - input.user_prompt", b"  - input.user_prompt\n  - whatever")
    text = text.replace(b"{{input.user_prompt}}", b"{{input.user_prompt}}{{whatever}}")
    found: list[Any] = list(verify_pack({**files, name: text}, name_hint=hint).faults)

    assert any("'whatever', which nothing fills" in str(fault) for fault in found)
