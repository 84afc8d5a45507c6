"""The intake mails with the replies that a perfect model would give, against their gold."""

from __future__ import annotations

import asyncio
import email
import email.policy
import json
from email.message import EmailMessage

import pytest
import yaml

from assay.core.json.canonical import digest
from assay.wiring import aopen, load_pack

MAILS = (
    "101f1b6d-ea7b-54b4-833d-53e11c190174",
    "553f99e5-5b0e-5313-b4e7-c2f45d5069c9",
    "67205626-a488-5439-9e1f-7c9717ee5e3b",
    "6e8c601c-2771-56e2-be1b-361ffc64a9b9",
    "83a065a2-733b-5960-b63d-0d3360f5923e",
    "a3e96afd-bd77-5b03-8cf0-64ac1ec17786",
    "b81451c0-5745-5dba-9d44-6b7e245335ff",
)
KEY_TYPES = {"POLICY": "POLICY_NUMBER"}


class Gold:
    """One mail with its gold: the original texts under each gold span."""

    def __init__(self, cases, name):
        folder = cases / "intake"
        self.name = name
        self.raw = (folder / "mails" / f"{name}.eml").read_bytes()
        self.normalised = self._json(folder / "normalised" / f"{name}.json")
        self.classification = self._json(folder / "gold" / f"{name}.classification.json")
        self.extraction = self._json(folder / "gold" / f"{name}.extraction.json")
        self.identity = self._json(folder / "gold" / f"{name}.identity.json")
        self.attachments = {}
        for number in self.normalised["attachment_ids"]:
            meta = self._json(folder / "attachments" / f"{number}.meta.json")
            text = (folder / "attachments" / f"{number}.txt").read_bytes().decode("utf-8")
            self.attachments[meta["filename"]] = text

    @staticmethod
    def _json(file):
        return json.loads(file.read_text(encoding="utf-8"))

    def mail(self):
        """The mail as it came, with its attachments put in as parts where it names some."""
        if not self.attachments:
            return self.raw
        old = email.message_from_bytes(self.raw, policy=email.policy.default)
        new = EmailMessage()
        for field in ("From", "To", "Subject", "Message-ID"):
            new[field] = old[field]
        new.set_content(old.get_content())
        for name, text in self.attachments.items():
            new.add_attachment(text, filename=name)
        return new.as_bytes()

    def quote(self, evidence):
        """The original text under a gold span, and the source it lies in."""
        if evidence["source"] == "SUBJECT_C14N":
            text = self.normalised["subject"]
        elif evidence["source"] == "BODY_C14N":
            text = self.normalised["body_text"]
        else:
            text = next(iter(self.attachments.values()))
        return text[evidence["start"] : evidence["end"]]

    def labelled(self, item):
        return {
            "label": item["label"],
            "confidence": item["confidence"],
            "evidence_snippets": [self.quote(span) for span in item["evidence"]],
        }

    def replies(self):
        gold = self.classification
        classify = {
            "intents": [self.labelled(item) for item in gold["intents"]],
            # The gold's primary intent follows from priorities: whatever is named gives way.
            "primary_intent": gold["intents"][-1]["label"],
            "product_line": self.labelled(gold["product_line"]),
            "urgency": self.labelled(gold["urgency"]),
            "risk_flags": [self.labelled(item) for item in gold["risk_flags"]],
        }
        extract = {
            "entities": [
                {
                    "entity_type": item["entity_type"],
                    "value_redacted": item["value_redacted"],
                    "confidence": item["confidence"],
                    "evidence_snippets": [self.quote(item["provenance"])],
                }
                for item in self.extraction["entities"]
            ]
        }
        identify = {
            "keys": [
                {
                    "key_type": KEY_TYPES[candidate["entity_type"]],
                    "key_value": candidate["signals"][0]["value"],
                    "evidence_snippets": [self.quote(span) for span in candidate["evidence"]],
                }
                for candidate in self.identity["top_k"]
                if candidate["evidence"]
            ]
        }
        return [classify, extract, identify]


def run(folder, raw, replies):
    script = folder / "replies.jsonl"
    lines = [json.dumps({"text": json.dumps(reply, ensure_ascii=False)}) for reply in replies]
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")

    async def go():
        store = f"sqlite:///{folder / 'assay.db'}"
        async with aopen(store, f"scripted:{script}", environ={}) as runtime:
            return [outcome async for outcome in runtime.run(load_pack("intake"), [raw])]

    (outcome,) = asyncio.run(go())
    return outcome


def check_span(span, texts, snippet):
    """A span leads back to its words, is their first exact place over the sources in order."""
    text = texts[span["source"]]
    covered = text[span["start"] : span["stop"]]
    first = next(name for name, other in texts.items() if snippet in other)

    assert snippet == covered
    assert digest(covered) == span["digest"]
    assert (first, texts[first].find(snippet)) == (span["source"], span["start"])


@pytest.mark.clause("000-C1", "000-C2", "000-C3", "000-C4")
@pytest.mark.parametrize("name", MAILS)
def test_a_perfect_model_reproduces_the_gold(cases, tmp_path, name):
    """Label sets, single labels, evidence texts, spans and the primary intent are the gold's."""
    gold = Gold(cases, name)
    outcome = run(tmp_path, gold.mail(), gold.replies())
    result, wanted = outcome.result, gold.classification

    assert ("accepted", None) == (outcome.outcome.status, outcome.outcome.reason)
    classification = result["classification"]
    assert wanted["primary_intent"]["label"] == classification["primary_intent"]["label"]
    for part in ("product_line", "urgency"):
        assert wanted[part]["label"] == classification[part]["label"]
    for part in ("intents", "risk_flags"):
        assert {i["label"] for i in wanted[part]} == {i["label"] for i in classification[part]}
        by_label = {item["label"]: item for item in classification[part]}
        for item in wanted[part]:
            for span, evidence in zip(
                by_label[item["label"]]["evidence"], item["evidence"], strict=True
            ):
                check_span(span, outcome.texts, gold.quote(evidence))
    entities = result["extraction"]["entities"]
    assert [i["entity_type"] for i in gold.extraction["entities"]] == [
        i["entity_type"] for i in entities
    ]
    for got, item in zip(entities, gold.extraction["entities"], strict=True):
        check_span(got["evidence"][0], outcome.texts, gold.quote(item["provenance"]))
    assert all(key["confirmed"] for key in result["identity"]["keys"])


def spoilt(reply, how):
    """One reply with one fault."""
    if how == "unknown label":
        return json.dumps(reply | {"urgency": reply["urgency"] | {"label": "URG_SOON"}})
    if how == "invented quote":
        spoiled = reply["urgency"] | {"evidence_snippets": ["never written by anyone"]}
        return json.dumps(reply | {"urgency": spoiled})
    if how == "second object":
        return json.dumps(reply) + json.dumps(reply)
    if how == "missing key":
        return json.dumps({key: value for key, value in reply.items() if key != "risk_flags"})
    if how == "no evidence":
        first = reply["intents"][0] | {"evidence_snippets": []}
        return json.dumps(reply | {"intents": [first, *reply["intents"][1:]]})
    raise AssertionError(how)


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("unknown label", "label.unknown"),
        ("invented quote", "evidence.not_found"),
        ("second object", "json.trailing"),
        ("missing key", "schema.required"),
        ("no evidence", "evidence.missing"),
    ],
)
@pytest.mark.parametrize("name", MAILS)
def test_a_spoilt_reply_is_a_review_and_never_a_result(cases, tmp_path, name, how, code):
    """One fault in the classification leaves that part null and the others as they are."""
    gold = Gold(cases, name)
    classify, extract, identify = gold.replies()
    bad = spoilt(classify, how)
    script = tmp_path / "replies.jsonl"
    texts = [bad, bad, json.dumps(extract), json.dumps(identify)]
    script.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))

    async def go():
        store = f"sqlite:///{tmp_path / 'assay.db'}"
        async with aopen(store, f"scripted:{script}", environ={}) as runtime:
            return [o async for o in runtime.run(load_pack("intake"), [gold.mail()])]

    (outcome,) = asyncio.run(go())

    assert ("needs_review", "gate.rejected") == (outcome.outcome.status, outcome.outcome.reason)
    assert outcome.result["classification"] is None
    assert outcome.result["extraction"] is not None
    assert code in [finding.code for finding in outcome.calls[0].weighed.findings]


def test_the_label_facts_are_those_of_the_source(cases):
    """The bundled label sets hold the names and priorities of the source project's list."""
    facts = yaml.safe_load((cases / "intake" / "labels.yaml").read_text(encoding="utf-8"))
    sets = load_pack("intake").label_sets

    for name in ("intent", "product_line", "urgency", "risk_flag", "entity_type"):
        assert list(facts[name]["labels"]) == list(sets[name].labels)
    assert tuple(facts["intent"]["primary_priority"]) == sets["intent"].priority
