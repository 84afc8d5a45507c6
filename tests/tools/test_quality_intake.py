"""The labelled mails: what the two halves hold, and how answers to them are counted."""

from __future__ import annotations

import sys
from collections import Counter
from types import ModuleType

import pytest
import yaml

from assay.wiring import load_pack
from tests.conftest import ROOT
from tests.loading import load_tool

TOOLS = ROOT / "tools"
HALVES = ("dev", "held")
BY_LANGUAGE = {"de": 6, "en": 6, "fr": 5, "es": 5, "it": 4, "nl": 4}
OF_THE_RECORD = {"RISK_VIP"}
"""What stands in a customer's record and so in no mail."""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return load_tool("quality_intake")


@pytest.fixture(scope="module")
def pack_labels() -> dict[str, list[str]]:
    """The labels of the intake, by set."""
    document = yaml.safe_load((ROOT / "src/assay/packs/intake/labels.yaml").read_bytes())
    return {
        name: list(document[name]["labels"])
        for name in ("intent", "product_line", "urgency", "risk_flag")
    }


def mails_of(half: str) -> list[dict]:
    return yaml.safe_load((TOOLS / f"quality_mails_{half}.yaml").read_bytes())


def labels_in(mail: dict, label_set: str) -> list[str]:
    value = mail[label_set]
    return [value] if isinstance(value, str) else value


@pytest.mark.clause("008-Q1")
@pytest.mark.parametrize("half", HALVES)
def test_each_half_holds_thirty_mails_of_six_languages_a_third_with_two_intents(half):
    """The languages of both halves are as many, and ten mails want two things."""
    mails = mails_of(half)

    assert Counter(mail["language"] for mail in mails) == BY_LANGUAGE
    assert sum(len(mail["intent"]) == 2 for mail in mails) == 10


@pytest.mark.clause("008-Q1")
@pytest.mark.parametrize("half", HALVES)
def test_each_half_holds_every_label_that_a_mail_can_show(half, pack_labels):
    """Intents, product lines, urgencies and flags of the pack all occur, and no others do."""
    for label_set, labels in pack_labels.items():
        found = {label for mail in mails_of(half) for label in labels_in(mail, label_set)}
        assert found == set(labels) - OF_THE_RECORD, label_set


@pytest.mark.clause("008-Q1")
@pytest.mark.parametrize("half", HALVES)
def test_labels_follow_the_rules_at_the_head_of_the_file(half):
    """A flag tells every language but two; harm is critical; nothing is named twice."""
    for mail in mails_of(half):
        flags = mail["risk_flag"]
        assert ("RISK_LANGUAGE_UNSUPPORTED" in flags) == (mail["language"] not in ("de", "en"))
        assert len(flags) == len(set(flags))
        if "RISK_SELF_HARM_THREAT" in flags or "INTENT_GDPR_REQUEST" in mail["intent"]:
            assert mail["urgency"] == "URG_CRITICAL", mail["subject"]


@pytest.mark.clause("008-Q1")
def test_no_mail_is_in_both_halves():
    """Nothing of what is kept stands in what is tuned with, nor among the older mails."""
    held = {line.strip() for mail in mails_of("held") for line in mail["body"].splitlines()}
    older = yaml.safe_load((TOOLS / "quality_mails.yaml").read_bytes())
    known = {line.strip() for mail in mails_of("dev") + older for line in mail["body"].splitlines()}

    assert [line for line in held & known if len(line) > 40] == []


@pytest.mark.clause("008-Q2")
def test_no_sentence_of_a_mail_stands_in_the_pack():
    """Neither lexicon nor examples nor signs of the pack repeat a sentence of a labelled mail."""
    pack = ROOT / "src/assay/packs/intake"
    text = "\n".join(
        " ".join(file.read_text(encoding="utf-8").casefold().split())
        for file in sorted(pack.rglob("*.yaml"))
    )
    mails = [mail for half in HALVES for mail in mails_of(half)]
    sentences = {
        sentence.strip()
        for mail in mails
        for line in mail["body"].casefold().splitlines()
        for sentence in line.replace("?", ".").replace("!", ".").split(".")
    }

    assert [each for each in sentences if len(each.split()) >= 6 and each in text] == []


@pytest.mark.clause("008-Q3")
def test_the_constant_is_the_best_that_one_answer_reaches(tool):
    """For each kind of measure no other single answer would count for more."""
    wanted = [frozenset("b"), frozenset("ab"), frozenset("b"), frozenset("a")]
    exact, found, f1 = (tool.Measure("it", dict, kind) for kind in ("exact", "found", "f1"))
    choices = [frozenset(), frozenset("a"), frozenset("b"), frozenset("ab")]

    for measure in (exact, f1):
        best = measure.score(wanted, [measure.constant(wanted)] * 4)
        assert best == max(measure.score(wanted, [each] * 4) for each in choices)
    assert found.score(wanted, [found.constant(wanted)] * 4) == 3


@pytest.mark.clause("008-Q3")
def test_a_rejected_reply_is_right_for_nothing(tool):
    """A mail that goes to a person counts as no answer, also where none was wanted."""
    columns = {each.title: each for each in tool.measures(load_pack("intake").contract("classify"))}
    (mail, *_) = tool.invented_mails("dev", load_pack("intake").contract("classify"))
    right = tool.Answer(mail=mail, accepted=True, got=mail.wanted)
    rejected = tool.Answer(mail=mail, accepted=False)

    for title in ("intents", "primary", "product", "urgency", "flags", "language"):
        assert columns[title].column([right], [right]) == "1 (1)"
        assert columns[title].column([rejected], [rejected]) == "0 (1)"


@pytest.mark.clause("008-Q3")
def test_a_constant_is_chosen_over_the_whole_set_and_shown_for_each_language(tool):
    """A language does not get a constant of its own."""
    contract = load_pack("intake").contract("classify")
    mails = list(tool.invented_mails("dev", contract))
    answers = [tool.Answer(mail=mail, accepted=True, got=mail.wanted) for mail in mails]
    urgency = next(each for each in tool.measures(contract) if each.title == "urgency")
    french = [each for each in answers if each.mail.language == "fr"]
    normal = sum(each.mail.wanted["urgency"] == "URG_NORMAL" for each in french)

    assert urgency.column(french, answers) == f"5 ({normal})"


@pytest.mark.clause("008-Q3")
def test_confidence_is_told_apart_at_the_threshold(tool):
    """A label below its threshold is counted below, and one set by a sign not at all."""
    value = {
        "primary_intent": {"label": "INTENT_LEGAL"},
        "product_line": {"label": "PROD_AUTO", "below_threshold": True},
        "urgency": {"label": "URG_LOW", "below_threshold": True},
        "risk_flags": [
            {"label": "RISK_LEGAL_THREAT"},
            {"label": "RISK_AUTOREPLY_LOOP", "signals": ["header"]},
        ],
    }
    wanted = {
        "primary_intent": "INTENT_LEGAL",
        "product_line": "PROD_HOME",
        "urgency": "URG_LOW",
        "risk_flag": set(),
    }

    assert tool.sureness(value, wanted) == [
        ("primary_intent", True, True),
        ("product_line", False, False),
        ("urgency", True, False),
        ("risk_flag", False, True),
    ]


@pytest.mark.clause("008-Q3")
def test_what_is_kept_is_never_listed_mail_by_mail(tool, capsys, monkeypatch):
    """`--each` prints disagreements of the mails for tuning, and none of those that are kept."""
    printed = {}
    for half in HALVES:
        argv = ["quality_intake.py", "--model", "extractive", "--mails", half, "--each"]
        monkeypatch.setattr(sys, "argv", argv)
        tool.run()
        printed[half] = capsys.readouterr().out

    assert "    dev-" in printed["dev"]
    assert "held-" not in printed["held"]
