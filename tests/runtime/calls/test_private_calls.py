"""`send: redacted` from end to end: what a server gets, what stands on record, what comes back."""

from __future__ import annotations

import asyncio
import json
import re

import pytest

from assay.adapters.folders import read_pack_folder
from assay.contract.contract_job import ContractJob
from assay.contract.material import Material
from assay.core.json.canonical import digest
from assay.pack.read import read_pack
from assay.redaction.redactor import Redactor
from assay.sources.mail.message import Message, read_message
from assay.wiring import aopen
from tests import loopback
from tests.contract.test_private import MAIL, PRIVATE
from tests.runtime.tiny import opened, sent, tiny_pack

KEY = "00" * 32


def intake(send: bytes):
    """The bundled intake, each of its contracts with `send:`."""
    files, hint = read_pack_folder("intake")
    changed = {
        name: data + send if re.fullmatch(r"contracts/\w+\.yaml", name) else data
        for name, data in files.items()
        if name != "pack.lock"
    }
    return read_pack(changed, name_hint=hint)


def echo(handler: loopback.Handler) -> None:
    """Quote the text of the prompt back, as it was sent."""
    prompt = json.loads(handler.server.seen[-1].raw)["messages"][-1]["content"]
    quoted = prompt.split("Text:\n")[1].split("\n")[1]
    loopback.openai_text(json.dumps({"label": "water", "evidence_snippets": [quoted]}))(handler)


@pytest.mark.clause("006-M9")
def test_a_call_is_recorded_as_it_was_sent_and_replays_from_the_texts(tmp_path):
    """Prompt and reply on record hold surrogates, the result holds spans of the original."""

    async def go():
        with loopback.serving(echo) as server:
            environ = {
                "OPENAI_API_KEY": "k",
                "OPENAI_BASE_URL": server.url,
                "ASSAY_MASTER_KEY": KEY,
                "ASSAY_REDACTION_KEY": "secret",
            }
            async with aopen(
                f"sqlite:///{tmp_path / 'a.db'}", "openai:tiny", environ=environ
            ) as runtime:
                pack = tiny_pack(**PRIVATE)
                outcomes = [o async for o in runtime.run(pack, [MAIL.encode()])]
                call = await runtime.call(outcomes[0].to_dict()["calls"][0])
                replayed = await runtime.replay(outcomes[0].to_dict()["calls"][0], pack=pack)
        return outcomes[0], call, replayed, server.seen

    outcome, call, replayed, seen = asyncio.run(go())

    assert "accepted" == outcome.to_dict()["outcome"]
    for value in (b"jane", b"Jane", b"Doe", b"Harper", b"901820"):
        assert all(value not in request.raw for request in seen)
    events = {event["kind"]: event for event in call["events"]}
    assert {"EMAIL": 2, "PHONE": 1, "SIMPLE_NAME": 2} == events["prompt.built"]["facts"]["hidden"]
    assert "[EMAIL_" in json.dumps(events)
    assert ("identical", "same") == (replayed.prompt, replayed.verdict)
    (result,) = outcome.to_dict()["result"].values()
    assert [MAIL.split("\n")[1]] == result["evidence_snippets"]


@pytest.mark.clause("006-M9")
def test_an_unknown_surrogate_is_asked_again_and_then_goes_to_a_person(tmp_path):
    """The finding is on record; the correction says no word of the reply."""
    bad = json.dumps({"label": "water", "evidence_snippets": ["[EMAIL_0123456789]"]})

    async def go():
        async with opened(tmp_path, bad, bad) as runtime:
            return [o async for o in runtime.run(tiny_pack(**PRIVATE), [MAIL.encode()])]

    (outcome,) = asyncio.run(go())

    assert "needs_review" == outcome.to_dict()["outcome"]
    assert 2 == len(sent(tmp_path))
    assert "jane.doe" not in json.dumps(sent(tmp_path))


@pytest.mark.clause("006-M9")
def test_no_personal_value_of_any_mail_is_in_any_prompt_of_the_intake(cases):
    """Of all public mails and labelled texts: nothing that redaction finds in them is sent."""
    pack, redactor = intake(b"\nsend: redacted\n"), Redactor("secret")
    materials = []
    for file in sorted((cases / "intake" / "mails").glob("*.eml")):
        message = read_message(file.read_bytes())
        assert isinstance(message, Message)
        materials.append(message)
    texts = [
        json.loads(line)["text"]
        for line in (cases / "reports" / "personal.jsonl").read_text("utf-8").splitlines()
    ]
    assert materials
    assert texts
    inputs = [
        Material(texts=each.texts, signals=each.automatic, input=each.facts) for each in materials
    ] + [Material(texts={"subject": text[:40], "body": text}) for text in texts]
    for material in inputs:
        for name in ("classify", "extract", "identify"):
            job = ContractJob(contract=pack.contract(name), material=material, redactor=redactor)
            built = job.build(1, ())
            values = built.hidden.surrogates.values.values()
            own = [
                text[span.start : span.stop]
                for text in material.texts.values()
                for span in redactor.redact(text).spans
            ]
            static = job.contract.template.body
            for value in {*values, *own}:
                if len(value) > 3 and value not in static:
                    found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", built.prompt.text)
                    assert found is None, name


@pytest.mark.clause("006-M9")
def test_results_lead_to_the_original_and_show_its_redacted_view(cases, tmp_path):
    """A model on this machine quotes what it was sent; spans and digests are the mail's own."""
    file = sorted((cases / "intake" / "mails").glob("*.eml"))[0]
    message = read_message(file.read_bytes())
    assert isinstance(message, Message)

    async def go():
        async with aopen(f"sqlite:///{tmp_path / 'a.db'}", "extractive", environ={}) as runtime:
            pack = intake(b"\nsend: redacted\n")
            return [o async for o in runtime.run(pack, [file.read_bytes()])]

    (outcome,) = asyncio.run(go())
    parts = [part for part in outcome.to_dict()["result"].values() if part]
    entries = list(_evidence(parts))
    redactor = Redactor()

    assert entries
    for entry in entries:
        text = message.texts[entry["source"]]
        assert entry["digest"] == digest(text[entry["start"] : entry["stop"]])
        for span in redactor.redact(text).spans:
            assert text[span.start : span.stop] not in entry["snippet_redacted"]


def _evidence(value):
    if isinstance(value, dict):
        if "snippet_redacted" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _evidence(item)
