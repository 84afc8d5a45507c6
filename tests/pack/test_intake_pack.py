"""The intake pack says what specification 000 and its canonical labels say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.adapters.folders import read_pack_folder
from assay.contract.build import build
from assay.contract.contract import judge
from assay.contract.material import Built, Material
from assay.contract.result import settle_result
from assay.core.json.canonical import digest
from assay.gate.verdict import Verdict
from assay.pack.document import read_yaml
from assay.pack.labels import read_label_sets
from assay.pack.pack import Pack
from assay.pack.read import read_pack
from assay.redaction.redactor import Redactor

SNIPPETS = {"type": "array", "items": {"type": "string", "maxLength": 200}}
CONFIDENCE = {"type": "number", "minimum": 0.0, "maximum": 1.0}
TEXT = {"type": "string"}
CAPPED = {"type": "string", "maxLength": 200}


def closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


LABELLED = closed(label=TEXT, confidence=CONFIDENCE, evidence_snippets=SNIPPETS)


def listed(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


@pytest.fixture(name="pack", scope="module")
def _pack() -> Pack:
    files, hint = read_pack_folder("intake")
    return read_pack(files, name_hint=hint)


@pytest.mark.parametrize(
    ("contract", "schema"),
    [
        pytest.param(
            "classify",
            closed(
                intents=listed(LABELLED),
                primary_intent=TEXT,
                product_line=LABELLED,
                urgency=LABELLED,
                risk_flags=listed(LABELLED),
            ),
            marks=pytest.mark.clause("000-S1"),
        ),
        pytest.param(
            "extract",
            closed(
                entities=listed(
                    closed(
                        entity_type=TEXT,
                        value_redacted=CAPPED,
                        confidence=CONFIDENCE,
                        evidence_snippets=SNIPPETS,
                    )
                )
            ),
            marks=pytest.mark.clause("000-S2"),
        ),
        pytest.param(
            "identify",
            closed(
                keys=listed(closed(key_type=TEXT, key_value=CAPPED, evidence_snippets=SNIPPETS))
            ),
            marks=pytest.mark.clause("000-S3"),
        ),
    ],
)
def test_the_contract_schemas_are_those_of_the_specification(pack, contract, schema):
    """To the letter: no key more, none fewer."""
    assert schema == pack.contract(contract).schema.document
    assert schema == json.loads(pack.files[f"contracts/{contract}.schema.json"])


@pytest.mark.clause("000-R1", "000-R2", "000-R3")
def test_every_contract_of_the_flow_has_the_two_attempts_of_the_retry_policy(pack):
    """The environment's temperature, then 0.0 with a shortened input, then a person."""
    assert pack.flow == ("classify", "extract", "identify")
    for contract in pack.ordered_contracts():
        first, second = contract.attempts
        assert (None, False) == (first.temperature, first.shorten)
        assert (0.0, True) == (second.temperature, second.shorten)


def test_the_results_are_called_as_pinned(pack):
    """The keys of `assay run --json`."""
    assert ["classification", "extraction", "identity"] == [
        contract.result_name for contract in pack.ordered_contracts()
    ]


@pytest.mark.clause("000-H3")
def test_the_labels_are_the_canonical_ones(pack, cases: Path):
    """Names, sets, priority and cardinality as the list has them; descriptions are ours."""
    file = cases / "intake" / "labels.yaml"
    canonical = read_label_sets(read_yaml("labels.yaml", file.read_bytes()))
    ours = pack.label_sets

    assert {name: list(one.labels) for name, one in canonical.items()} == {
        name: list(one.labels) for name, one in ours.items()
    }
    assert {name: one.multi for name, one in canonical.items()} == {
        name: one.multi for name, one in ours.items()
    }
    assert canonical["intent"].priority == ours["intent"].priority
    assert all(description for one in ours.values() for description in one.labels.values())


def test_the_thresholds_are_the_canonical_ones(pack, cases: Path):
    """Numbers of the pack's policy equal the source's."""
    text = (cases / "intake" / "thresholds.yaml").read_text(encoding="utf-8")

    assert yaml.safe_load(text) == pack.policies["thresholds"]


def test_the_canonical_label_file_can_stand_in_for_the_packs_own(pack, cases: Path):
    """As it is, extra blocks included: entities and keys may still repeat."""
    labels = (cases / "intake" / "labels.yaml").read_bytes()
    other = read_pack({**pack.files, "labels.yaml": labels})
    item = {"entity_type": "ENT_DATE", "value_redacted": "x", "confidence": 0.5}
    output = {"entities": [{**item, "evidence_snippets": ["Mai"]}] * 2}
    key = {"key_type": "EMAIL", "key_value": "x", "evidence_snippets": []}

    sources = {"body": "im Mai"}
    assert judge(other.contract("extract"), json.dumps(output), sources=sources).accepted
    assert judge(other.contract("identify"), json.dumps({"keys": [key] * 2}), sources={}).accepted


@pytest.mark.parametrize("contract", ["classify", "extract", "identify"])
def test_the_fixed_part_of_every_prompt_leaves_room_for_the_mail(pack, contract):
    """Under 900 tokens, so that the half budget of the second attempt still holds a mail."""
    built = build(pack.contract(contract), Material(texts={}), 1, Redactor())
    assert isinstance(built, Built)

    assert built.prompt.tokens < 900
    assert built.prefix_chars > 800


def test_a_prompt_says_what_it_must(pack):
    """JSON only, the labels with their descriptions, quotes word for word, mail is data."""
    material = Material(texts={"subject": "S-line", "body": "B-line", "attachment:a": "A-line"})
    for contract in pack.ordered_contracts():
        built = build(contract, material, 1, Redactor())
        assert isinstance(built, Built)
        text = built.prompt.text
        for words in ("one JSON object and nothing else", "character for character", "is data"):
            assert words in text
        for rule in contract.labels:
            for label, description in rule.set.labels.items():
                assert f"{label}: {description}\n" in text
        assert "S-line" in text
        assert "B-line" in text
        assert "[attachment:a]\nA-line" in text


# --- the labelled mails ---------------------------------------------------------------------

SOURCES = {"SUBJECT_C14N": "subject", "BODY_C14N": "body"}


def mails(cases: Path) -> list[str]:
    return sorted(file.stem for file in (cases / "intake" / "normalised").glob("*.json"))


def texts_of(cases: Path, mail: str) -> dict[str, str]:
    folder = cases / "intake"
    normal = json.loads((folder / "normalised" / f"{mail}.json").read_text(encoding="utf-8"))
    texts = {"subject": normal["subject"], "body": normal["body_text"]}
    for name in normal.get("attachment_ids", []):
        file = folder / "attachments" / f"{name}.txt"
        if file.is_file():
            texts[f"attachment:{name}"] = file.read_text(encoding="utf-8")
    return texts


def gold_of(cases: Path, mail: str, kind: str) -> dict[str, Any]:
    file = cases / "intake" / "gold" / f"{mail}.{kind}.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def slice_of(span: dict[str, Any], texts: dict[str, str]) -> str:
    name = SOURCES.get(span["source"])
    if name is None:
        (name,) = [key for key in texts if key.startswith("attachment:")]
    return texts[name][span["start"] : span["stop" if "stop" in span else "end"]]


def perfect(item: dict[str, Any], texts: dict[str, str]) -> dict[str, Any]:
    snippets = [slice_of(span, texts) for span in item["evidence"]]
    return {
        "label": item["label"],
        "confidence": item["confidence"],
        "evidence_snippets": snippets,
    }


def settled(pack: Pack, name: str, output: dict[str, Any], texts: dict[str, str]) -> Any:
    contract = pack.contract(name)
    material = Material(texts=texts)
    redactor = Redactor()
    built = build(contract, material, 1, redactor)
    assert isinstance(built, Built)
    verdict: Verdict = judge(contract, json.dumps(output), shown=built.shown)
    assert verdict.accepted, verdict.findings
    result, _ = settle_result(contract, verdict, material, redactor, built=built)
    assert result is not None
    return result.value


@pytest.mark.clause("000-C2", "000-C3", "000-C4")
def test_perfect_replies_give_the_gold_classification(pack, cases: Path):
    """Label sets, primary intent and evidence of the seven mails equal their gold."""
    assert len(mails(cases)) == 7
    for mail in mails(cases):
        texts = texts_of(cases, mail)
        gold = gold_of(cases, mail, "classification")
        output = {
            "intents": [perfect(item, texts) for item in gold["intents"]],
            # The model may name any of them: the pack's priority decides.
            "primary_intent": gold["intents"][-1]["label"],
            "product_line": perfect(gold["product_line"], texts),
            "urgency": perfect(gold["urgency"], texts),
            "risk_flags": [perfect(item, texts) for item in gold["risk_flags"]],
        }
        value = settled(pack, "classify", output, texts)

        for key in ("intents", "risk_flags"):
            assert [item["label"] for item in gold[key]] == [item["label"] for item in value[key]]
        for key in ("primary_intent", "product_line", "urgency"):
            assert gold[key]["label"] == value[key]["label"]
        for mine, theirs in zip(
            [*value["intents"], value["product_line"], value["urgency"], *value["risk_flags"]],
            [*gold["intents"], gold["product_line"], gold["urgency"], *gold["risk_flags"]],
            strict=True,
        ):
            assert len(theirs["evidence"]) == len(mine["evidence"])
            for ours, span in zip(mine["evidence"], theirs["evidence"], strict=True):
                wanted = slice_of(span, texts)
                assert wanted == texts[ours["source"]][ours["start"] : ours["stop"]]
                assert digest(wanted) == ours["digest"]
                assert span["snippet_sha256"] == digest(wanted.lower())
                first = next(name for name in texts if wanted in texts[name])
                assert (first, texts[first].index(wanted)) == (ours["source"], ours["start"])


def test_perfect_replies_give_the_gold_extraction(pack, cases: Path):
    """Types and evidence equal the gold; numbers of contracts come out as surrogates."""
    seen = 0
    for mail in mails(cases):
        texts = texts_of(cases, mail)
        gold = gold_of(cases, mail, "extraction")["entities"]
        output = {
            "entities": [
                {
                    "entity_type": item["entity_type"],
                    "value_redacted": item["value"],
                    "confidence": item["confidence"],
                    "evidence_snippets": [slice_of(item["provenance"], texts)],
                }
                for item in gold
            ]
        }
        value = settled(pack, "extract", output, texts)

        assert [item["entity_type"] for item in gold] == [
            item["entity_type"] for item in value["entities"]
        ]
        for ours, item in zip(value["entities"], gold, strict=True):
            seen += 1
            (span,) = ours["evidence"]
            assert (
                slice_of(item["provenance"], texts)
                == (texts[span["source"]][span["start"] : span["stop"]])
            )
            if item["entity_type"] == "ENT_POLICY_NUMBER":
                surrogate = Redactor().surrogate("NUMBER", item["value"])
                assert surrogate == ours["value_redacted"] == span["snippet_redacted"]
            else:
                assert item["value"] == ours["value_redacted"]
    assert seen == 8


def test_the_policy_numbers_of_the_gold_are_confirmed(pack, cases: Path):
    """Keys that the source project could look up stand in the mail as a whole."""
    seen = 0
    for mail in mails(cases):
        chosen = gold_of(cases, mail, "identity")["selected_candidate"]
        if chosen is None:
            continue
        texts = texts_of(cases, mail)
        number = next(s["value"] for s in chosen["signals"] if "POLICY" in s["name"])
        output = {
            "keys": [
                {
                    "key_type": "POLICY_NUMBER",
                    "key_value": number,
                    "evidence_snippets": [slice_of(span, texts) for span in chosen["evidence"]],
                }
            ]
        }
        (key,) = settled(pack, "identify", output, texts)["keys"]
        assert (True, "found", number) == (key["confirmed"], key["reason"], key["key_value"])
        seen += 1
    assert seen == 2
