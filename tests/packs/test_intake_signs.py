"""The signs of the intake: what is said in eight languages, and what only sounds like it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from assay.contract.contract import judge
from assay.contract.signs import find_signs
from assay.core.text.spans import Shown
from assay.gate.gate import GateContext
from assay.sources.mail.message import Message, read_message
from assay.wiring import load_pack

CLASSIFY = load_pack("intake").contract("classify")
assert CLASSIFY.signs is not None
SIGNS = [sign for sign, _ in CLASSIFY.signs.signs]

PHRASES = yaml.safe_load((Path(__file__).parent / "sign_phrases.yaml").read_text(encoding="utf-8"))
SAID: dict[str, list[str]] = PHRASES["said"]
ONLY_SOUNDS_LIKE_IT: list[str] = PHRASES["only_sounds_like_it"]


def found(text: str) -> set[str]:
    return {sign.name for sign, _, _ in find_signs(SIGNS, [Shown.of_text("body", text)])}


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize(("sign", "text"), [(sign, text) for sign in SAID for text in SAID[sign]])
def test_what_nobody_would_forgive_missing_is_found(sign, text):
    """In every language that the intake meets, inflected and written as people write."""
    assert sign in found(text)
    assert sign in found(text.upper())
    assert sign in found(text.replace(" ", "\n"))


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize("text", ONLY_SOUNDS_LIKE_IT)
def test_what_only_sounds_like_it_holds_nobody_up(text):
    """Insurance of legal costs, end dates, idioms, deaths and accidents are no threats."""
    assert set() == found(text)


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.name)
def test_an_output_that_names_nothing_does_not_pass(sign):
    """One mail for each sign, and a reply that is right in all but the sign."""
    text = SAID[sign.name][0]
    label = {"confidence": 0.9, "evidence_snippets": [text]}
    reply = {
        "intents": [{"label": "INTENT_CLAIM_UPDATE", **label}],
        "primary_intent": "INTENT_CLAIM_UPDATE",
        "product_line": {"label": "PROD_UNKNOWN", **label},
        "urgency": {"label": "URG_NORMAL", **label},
        "risk_flags": [],
    }
    sources = {"subject": "Schaden", "body": text}
    verdict = judge(CLASSIFY, json.dumps(reply), sources=sources)

    assert f"rule.{sign.name}" in [finding.code for finding in verdict.findings]
    assert not verdict.accepted
    assert judge(CLASSIFY, json.dumps(reply), sources=sources, by_person=True).accepted


def test_every_sign_is_looked_for_in_the_languages_of_the_guess():
    """A language without a pattern would be one in which the sign is missed."""
    written = yaml.safe_load(load_pack("intake").files["signs.yaml"])

    for name, sign in written.items():
        assert {"de", "en", "fr", "es", "it", "pt", "nl", "pl"} <= sign["patterns"].keys(), name


@pytest.mark.clause("005-M11")
def test_right_labels_answer_every_sign_of_the_public_mails(cases):
    """What the gold says of the seven mails holds none of them up."""
    for file in sorted((cases / "intake" / "mails").glob("*.eml")):
        gold = json.loads(
            (cases / "intake" / "gold" / f"{file.stem}.classification.json").read_bytes()
        )
        message = read_message(file.read_bytes())
        assert isinstance(message, Message)
        context = GateContext(
            shown=tuple(Shown.of_text(name, text) for name, text in message.texts.items())
        )
        assert CLASSIFY.signs is not None
        assert [] == list(CLASSIFY.signs(gold, context)), file.name


def test_public_mails_that_threaten_nobody_are_left_alone(cases):
    """Of some eight hundred mails collected for other ends, bounces and replies, two sound so."""
    hits = read = 0
    for file in sorted((cases / "email").rglob("*")):
        if not file.is_file() or file.suffix in {".md", ".jsonl"} or "LICENSE" in file.name:
            continue
        message = read_message(file.read_bytes())
        if isinstance(message, Message):
            read += 1
            views = [Shown.of_text(name, text) for name, text in message.texts.items()]
            hits += any(True for _ in find_signs(SIGNS, views))

    assert read > 700
    assert hits <= 4
