"""Accepted outputs become audited results."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.contract.build import build
from assay.contract.confirm import KeyRule
from assay.contract.contract import Contract, judge
from assay.contract.masking import (
    Mask,
    mask_slice,
    masks_of_texts,
    spelling_pattern,
)
from assay.contract.material import Built, Material
from assay.contract.result import masks_of_prompt, settle_result
from assay.contract.result_spec import Confirm, Primary, Redact, ResultSpec, Threshold
from assay.core.json.canonical import digest, digest_json
from assay.core.json.pointer import PointerPattern
from assay.core.json.schema import Schema
from assay.errors import InputError
from assay.gate.snippets import EvidenceRule
from assay.redaction.redactor import Redactor
from assay.templates.template import make_template

REDACTOR = Redactor()
BODY = "Ruf mich an: 030123456 oder anna@haus.example. Gruß Anna Beispiel, Kunde 7710-22."
MATERIAL = Material(texts={"subject": "Bitte um Rückruf", "body": BODY})


def contract_with(spec: ResultSpec | None, **changes: Any) -> Contract:
    template = make_template(
        name="t", role="r", version=1, body="{{input.subject}}\n{{input.body}}\n"
    )
    return Contract(
        name="facts",
        pack="mine",
        pack_version="1",
        version="1",
        schema=Schema.compile({"type": "object"}),
        template=template,
        evidence=EvidenceRule(snippets=PointerPattern.compile("/**/quotes/*")),
        result=spec,
        **changes,
    )


def spec_with(**parts: Any) -> ResultSpec:
    return ResultSpec(name="found", schema=Schema.compile(True), **parts)


def settle(contract: Contract, output: dict[str, Any], material: Material = MATERIAL) -> Any:
    built = build(contract, material, 1, REDACTOR)
    assert isinstance(built, Built)
    verdict = judge(contract, json.dumps(output), shown=built.shown)
    assert verdict.accepted, verdict
    result, after = settle_result(contract, verdict, material, REDACTOR, built=built)
    assert result is not None
    assert after is verdict
    without, _ = settle_result(contract, verdict, material, REDACTOR)
    assert without is not None
    assert without.digest == result.digest  # with the prompt at hand or without
    return result


@pytest.mark.clause("000-C3")
def test_snippets_give_way_to_spans_in_the_same_place():
    """Source, code points, digest of the original slice, redacted view; order is kept."""
    contract = contract_with(spec_with())
    output = {"deep": [{"a": 1, "quotes": ["Gruß", "Rückruf"], "z": 2}], "quotes": []}
    result = settle(contract, output)

    assert result.name == "found"
    assert list(result.value["deep"][0]) == ["a", "evidence", "z"]
    at = BODY.index("Gruß")
    assert result.value == {
        "deep": [
            {
                "a": 1,
                "evidence": [
                    {
                        "source": "body",
                        "start": at,
                        "stop": at + 4,
                        "digest": digest("Gruß"),
                        "snippet_redacted": "Gruß",
                    },
                    {
                        "source": "subject",
                        "start": 9,
                        "stop": 16,
                        "digest": digest("Rückruf"),
                        "snippet_redacted": "Rückruf",
                    },
                ],
                "z": 2,
            }
        ],
        "evidence": [],
    }
    assert result.digest == digest_json(result.value)


def test_what_redaction_finds_does_not_stand_in_a_snippet():
    """Not even where the snippet cuts through it."""
    result = settle(contract_with(spec_with()), {"quotes": ["an: 030123456 oder anna@haus"]})

    number = REDACTOR.redact(BODY).text[len("Ruf mich an: ") :].partition(" ")[0]
    mail = REDACTOR.surrogate("EMAIL", "anna@haus.example")
    (found,) = result.value["evidence"]
    assert found["snippet_redacted"] == f"an: {number} oder {mail}"
    assert found["digest"] == digest("an: 030123456 oder anna@haus")


REDACT = Redact(
    at=PointerPattern.compile("/facts/*"),
    field="value",
    by="type",
    classes={"NAME": "SIMPLE_NAME", "CUSTOMER": "NUMBER"},
)


def fact(kind: str, value: str, *quotes: str) -> dict[str, Any]:
    return {"type": kind, "value": value, "quotes": list(quotes)}


def test_values_that_are_personal_by_type_are_masked_everywhere_in_the_result():
    """In their own field, in their own snippet, and in the snippets of the others."""
    output = {
        "facts": [
            fact("NAME", "Anna Beispiel", "Gruß Anna Beispiel"),
            fact("CUSTOMER", "7710-22", "Anna Beispiel, Kunde 7710-22"),
            fact("OTHER", "anna@haus.example", "oder anna@haus.example"),
        ]
    }
    value = settle(contract_with(spec_with(redact=(REDACT,))), output).value
    name = REDACTOR.surrogate("SIMPLE_NAME", "Anna Beispiel")
    customer = REDACTOR.surrogate("NUMBER", "7710-22")
    mail = REDACTOR.surrogate("EMAIL", "anna@haus.example")

    assert [name, customer, mail] == [item["value"] for item in value["facts"]]
    assert [f"Gruß {name}", f"{name}, Kunde {customer}", f"oder {mail}"] == [
        item["evidence"][0]["snippet_redacted"] for item in value["facts"]
    ]
    written = json.dumps(value, ensure_ascii=False)
    assert all(part not in written for part in ("Anna", "7710", "haus.example"))


def test_a_value_spelt_another_way_is_masked_in_the_text_all_the_same():
    """Spacing and punctuation of the mail need not be the model's."""
    material = Material(texts={"subject": "", "body": "Kunde 77 10/22, ANNA\nBEISPIEL"})
    output = {
        "facts": [
            fact("CUSTOMER", "7710-22", "Kunde 77 10/22"),
            fact("NAME", "Anna Beispiel", "ANNA\nBEISPIEL"),
        ]
    }
    value = settle(contract_with(spec_with(redact=(REDACT,))), output, material).value

    assert [
        f"Kunde {REDACTOR.surrogate('NUMBER', '7710-22')}",
        REDACTOR.surrogate("SIMPLE_NAME", "Anna Beispiel"),
    ] == [item["evidence"][0]["snippet_redacted"] for item in value["facts"]]


def test_keys_are_confirmed_before_they_are_redacted():
    """Otherwise a surrogate would be looked for in the mail."""
    rule = Confirm(
        at=PointerPattern.compile("/facts/*"),
        field="value",
        by="type",
        kinds={"CUSTOMER": KeyRule.compile(pattern="[0-9]{4}-[0-9]{2}")},
    )
    spec = spec_with(redact=(REDACT,), confirm=(rule,))
    value = settle(
        contract_with(spec),
        {"facts": [fact("CUSTOMER", "7710-22"), fact("CUSTOMER", "7710-23"), fact("NAME", "A B")]},
    ).value

    assert [(True, "found"), (False, "not_in_input"), (False, "no_rule")] == [
        (item["confirmed"], item["reason"]) for item in value["facts"]
    ]
    assert value["facts"][0]["value"] == REDACTOR.surrogate("NUMBER", "7710-22")


PRIMARY = Primary(of="/list", to="/first", label="label", priority=("C", "B", "A"))


@pytest.mark.parametrize(
    ("labels", "named", "first"),
    [
        (["A", "B"], "A", "B"),
        (["B", "A", "C"], "B", "C"),
        (["A"], "A", "A"),
        (["X", "A"], "X", "A"),
        (["X", "Y"], "Y", "X"),
    ],
)
def test_the_primary_label_is_the_one_of_highest_priority(labels, named, first):
    """Whatever the model named; labels without a priority come last, in their order."""
    spec = spec_with(primary=(PRIMARY,))
    output = {"list": [{"label": label, "n": n} for n, label in enumerate(labels)], "first": named}
    value = settle(contract_with(spec), output).value

    assert value["first"] == {"label": first, "n": labels.index(first)}
    assert list(value) == ["list", "first"]


def test_a_label_under_its_threshold_is_marked_wherever_it_stands():
    """And one at or above it carries no mark at all."""
    spec = spec_with(
        primary=(PRIMARY,),
        thresholds=(
            Threshold(
                at=PointerPattern.compile("/first"),
                field="confidence",
                by=None,
                limits={"other": 0.7},
            ),
            Threshold(
                at=PointerPattern.compile("/facts/*"),
                field="confidence",
                by="type",
                limits={"X": 0.9, "other": 0.5},
            ),
        ),
    )
    output = {
        "list": [{"label": "B", "confidence": 0.69}, {"label": "A", "confidence": 0.1}],
        "first": "A",
        "facts": [
            {"type": "X", "confidence": 0.89},
            {"type": "X", "confidence": 0.9},
            {"type": "Y", "confidence": 0.5},
            {"type": "Y", "confidence": 0},
        ],
    }
    value = settle(contract_with(spec), output).value

    assert value["first"] == {"label": "B", "confidence": 0.69, "below_threshold": True}
    assert value["list"] == [value["first"], {"label": "A", "confidence": 0.1}]
    assert [True, None, None, True] == [f.get("below_threshold") for f in value["facts"]]


@pytest.mark.clause("000-C1")
def test_a_result_that_breaks_its_own_schema_does_not_stand():
    """It becomes a finding, and the verdict one of rejection."""
    spec = replace(spec_with(), schema=Schema.compile({"required": ["more"]}))
    contract = contract_with(spec)
    verdict = judge(contract, '{"quotes": []}', sources=MATERIAL.texts)
    result, after = settle_result(contract, verdict, MATERIAL, REDACTOR)

    assert result is None
    assert not after.accepted
    assert ["result.schema"] == [finding.code for finding in after.findings]
    assert after.output is None


def test_a_rejected_output_has_no_result():
    """Asking for one is a mistake of the caller."""
    contract = contract_with(None)
    verdict = judge(contract, "[]", sources={})
    with pytest.raises(InputError):
        settle_result(contract, verdict, MATERIAL, REDACTOR)


def test_without_a_result_section_the_output_is_the_result():
    """Under the contract's own name."""
    result = settle(contract_with(None), {"quotes": ["Gruß"]})

    assert (result.name, result.value) == ("facts", {"quotes": ["Gruß"]})


def test_the_verdict_is_left_as_it_was():
    """The result is a copy: what the gate accepted stays on record unchanged."""
    contract = contract_with(spec_with(primary=(PRIMARY,), redact=(REDACT,)))
    output = {"list": [{"label": "A"}], "first": "A", "facts": [fact("NAME", "Anna", "Anna")]}
    verdict = judge(contract, json.dumps(output), sources=MATERIAL.texts)
    settle_result(contract, verdict, MATERIAL, REDACTOR)

    assert output == verdict.output


text = st.text(alphabet="ab 1-é\n", min_size=1, max_size=30)


@given(text, st.data())
def test_a_mask_hides_every_character_that_it_covers(source, data):
    """Slices, overlaps and nesting included: only uncovered characters come through."""
    places = st.integers(min_value=0, max_value=len(source))
    spans = st.tuples(places, places).map(sorted).filter(lambda pair: pair[0] < pair[1])
    masks = [
        Mask(start=a, stop=b, surrogate="#") for a, b in data.draw(st.lists(spans, max_size=4))
    ]
    start, stop = data.draw(spans)

    covered = {place for mask in masks for place in range(mask.start, mask.stop)}
    kept = [source[place] for place in range(start, stop) if place not in covered]
    shown = mask_slice(source, start, stop, masks)
    assert kept == [char for char in shown if char != "#"]
    assert ("#" in shown) is any(place in covered for place in range(start, stop))


@given(text, text)
def test_a_value_that_is_personal_by_type_never_stays_in_a_slice(value, rest):
    """However often it occurs; single letters are not looked for."""
    pattern = spelling_pattern(value)
    source = f"{rest} {value} {rest}"
    if pattern is None:
        assert sum(char.isalnum() for char in value) < 2
        return
    shown = mask_slice(source, 0, len(source), [], [(pattern, "#")])
    assert "#" in shown
    assert value.strip() not in shown or len([c for c in value if c.isalnum()]) <= 3


@given(st.lists(st.sampled_from(["a@b.example", "1234567", "word", "ä", "\n"]), max_size=12))
@settings(max_examples=40, deadline=None)
def test_the_prompts_redaction_and_the_sources_agree(words):
    """What the record hides in the prompt, the result hides in its snippets."""
    body = " ".join(words)
    contract = contract_with(None)
    built = build(contract, Material(texts={"body": body}), 1, REDACTOR)
    assert isinstance(built, Built)
    if not body:
        return
    from_prompt = masks_of_prompt(built)["body"]
    from_source = masks_of_texts({"body": body}, ["body"], REDACTOR)["body"]

    assert [m.surrogate for m in from_source] == [m.surrogate for m in from_prompt]
    assert [(m.start, m.stop) for m in from_source] == [(m.start, m.stop) for m in from_prompt]


def test_signs_decide_a_label_whatever_the_model_said():
    """A bounce is flagged as a loop by its own headers, once, also when no model saw it."""
    from assay.redaction.redactor import Redactor
    from assay.runtime.calls.inputs import read_item
    from assay.wiring import load_pack

    raw = (
        b"Return-Path: <>\nFrom: MAILER-DAEMON@example.org\nAuto-Submitted: auto-replied\n"
        b"Subject: Undelivered Mail\n\nYour message could not be delivered.\n"
    )
    contract = load_pack("intake").contract("classify")
    mail = read_item("bounce.eml", raw, "mail", Redactor())
    quoted = {"confidence": 0.9, "evidence_snippets": ["could not be delivered"]}
    output = {
        "intents": [{"label": "INTENT_TECHNICAL", **quoted}],
        "primary_intent": "INTENT_TECHNICAL",
        "product_line": {"label": "PROD_UNKNOWN", **quoted},
        "urgency": {"label": "URG_LOW", **quoted},
        "risk_flags": [],
    }
    for flags in ([], [{"label": "RISK_AUTOREPLY_LOOP", **quoted}]):
        reply = json.dumps(output | {"risk_flags": flags})
        verdict = judge(contract, reply, sources=dict(mail.material.texts))
        result, _ = settle_result(contract, verdict, mail.material, Redactor())
        listed = [flag["label"] for flag in result.value["risk_flags"]]

        assert ["RISK_AUTOREPLY_LOOP"] == listed
