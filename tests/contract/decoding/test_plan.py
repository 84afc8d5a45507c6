"""The plan of an attempt: closed, quotable, and derived from any contract alike."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.build import build
from assay.contract.contract import Contract
from assay.contract.decoding.bounded_schema import close_schema, covers, inline_references, places
from assay.contract.decoding.plan import QUOTE_CHARS, DecodingPlan, plan, plan_answer, quotables
from assay.contract.material import Material
from assay.core.json.pointer import PointerPattern
from assay.core.json.schema import Schema
from assay.core.text.spans import Shown
from assay.gate.labels import LabelRule, LabelSet
from assay.gate.snippets import EvidenceRule
from assay.redaction.redactor import Redactor
from assay.templates.template import parse_template

TEMPLATE = b"---\nname: t\nrole: r\nversion: 1\nvariables: [input.text]\n---\n{{input.text}}\n"

COLOURS = LabelSet(name="farbe", labels={"rot": "", "blau": "", "gelb": ""}, multi=True)

PALETTE = {
    "type": "object",
    "required": ["farben", "haupt"],
    "properties": {
        "farben": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "belege", "anteil"],
                "properties": {
                    "name": {"type": "string"},
                    "anteil": {"$ref": "#/$defs/share"},
                    "belege": {"type": "array", "items": {"type": "string", "maxLength": 200}},
                },
            },
        },
        "haupt": {"type": "string"},
        "notiz": {"type": "string"},
    },
    "$defs": {"share": {"type": "number", "minimum": 0.0, "maximum": 1.0}},
}


def palette(**changes: object) -> Contract:
    """A contract of strange field names, in another language."""
    facts: dict[str, object] = {
        "name": "farben",
        "pack": "fremd",
        "pack_version": "1",
        "version": "1",
        "schema": Schema.compile(PALETTE),
        "template": parse_template(TEMPLATE),
        "labels": (
            LabelRule(pattern=PointerPattern.compile("/farben/*/name"), set=COLOURS),
            LabelRule(pattern=PointerPattern.compile("/haupt"), set=COLOURS),
        ),
        "evidence": EvidenceRule(
            snippets=PointerPattern.compile("/**/belege/*"),
            required=(PointerPattern.compile("/farben/*"),),
        ),
    }
    return Contract(**{**facts, **changes})  # type: ignore[arg-type]


def planned(contract: Contract, material: Material, attempt: int = 1) -> DecodingPlan:
    built = build(contract, material, attempt, Redactor())
    return plan(contract, built, material)  # type: ignore[arg-type]


def test_labels_are_closed_and_arrays_end() -> None:
    """Labels stand as enumerations, arrays end at the number of labels, strings have a length."""
    result = planned(palette(), Material(texts={"text": "Der Ball ist rot. Das Meer ist blau."}))

    item = result.schema["properties"]["farben"]["items"]["properties"]
    assert item["name"]["enum"] == ["rot", "blau", "gelb"]
    assert result.schema["properties"]["haupt"]["enum"] == ["rot", "blau", "gelb"]
    assert result.schema["properties"]["farben"]["maxItems"] == 3
    assert (item["belege"]["minItems"], item["belege"]["maxItems"]) == (1, 2)
    assert result.schema["properties"]["notiz"]["maxLength"] == 200
    assert "$ref" not in json.dumps(result.schema)


def test_places_are_found_by_pattern_not_by_name() -> None:
    """Label slots, scores and quotes follow the contract's own field names."""
    result = planned(palette(), Material(texts={"text": "Der Ball ist rot."}))

    assert [slot.pattern for slot in result.labels] == ["/farben/*/name", "/haupt"]
    assert result.scores == ("/farben/*/anteil",)
    assert result.quotes == ("/farben/*/belege/*",)


def test_only_what_is_shown_can_be_quoted() -> None:
    """Sentences come from the shown slices, in order, with their place in the shown text."""
    original = "Eins ist da. ZWEI FEHLT. Drei ist da."
    shown = Shown(name="body", original=original, segments=((0, 12), (25, 37)))

    found = list(quotables([shown]))

    assert [quote.text for quote in found] == ["Eins ist da.", "Drei ist da."]
    assert [shown.text[quote.start : quote.stop] for quote in found] == [q.text for q in found]


@given(st.lists(st.text(alphabet="ab .\n\u00a0ä😀", max_size=500), max_size=3))
def test_quotes_are_short_trimmed_slices(texts: list[str]) -> None:
    """Whatever the text: each quote is a trimmed slice of at most 200 code points, and all
    that is not white space can be quoted."""
    shown = [Shown.of_text(f"s{at}", text) for at, text in enumerate(texts)]

    found = list(quotables(shown))

    for quote in found:
        source = next(view for view in shown if view.name == quote.source)
        assert source.text[quote.start : quote.stop] == quote.text
        assert quote.text == quote.text.strip() != ""
        assert len(quote.text) <= QUOTE_CHARS
    assert "".join("".join(quote.text.split()) for quote in found) == "".join(
        "".join(text.split()) for text in texts
    )


def test_long_sentences_are_cut_at_word_ends() -> None:
    """A sentence over 200 code points ends its pieces between words, never within one."""
    text = "wort " * 90 + "ende."

    pieces = [quote.text for quote in quotables([Shown.of_text("body", text)])]

    assert len(pieces) > 1
    assert " ".join(pieces) == text
    assert max(map(len, pieces)) <= QUOTE_CHARS


def test_a_stage_echoes_its_session_and_names_a_new_reply() -> None:
    """The session id is the state's; the reply id differs from prompt to prompt."""
    schema = Schema.compile(
        {
            "type": "object",
            "required": ["session_id", "response_id", "ok"],
            "properties": {
                "session_id": {"type": "string"},
                "response_id": {"type": "string"},
                "ok": {"type": "boolean"},
            },
        }
    )
    contract = palette(schema=schema, labels=(), evidence=None)
    state = {"session_id": "8d7c"}

    one = planned(contract, Material(texts={"text": "eins"}, state=state))
    two = planned(contract, Material(texts={"text": "zwei"}, state=state))

    assert one.fixed["/session_id"] == "8d7c" == two.fixed["/session_id"]
    assert one.fixed["/response_id"] != two.fixed["/response_id"]
    assert planned(contract, Material(texts={"text": "eins"}, state=state)) == one


def test_no_text_to_quote_asks_for_no_quote() -> None:
    """Where nothing was shown, the plan does not ask for what cannot be given."""
    result = planned(palette(), Material(texts={"text": ""}))

    item = result.schema["properties"]["farben"]["items"]["properties"]
    assert result.sentences == ()
    assert "minItems" not in item["belege"]


def test_a_schema_that_leads_back_into_itself_ends() -> None:
    """A tree of any depth becomes one level: what fits it fits the open schema too."""
    document = {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "required": ["name", "children"],
                "properties": {
                    "name": {"type": "string"},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                    "twin": {"anyOf": [{"$ref": "#/$defs/node"}]},
                },
            }
        },
    }

    result = close_schema(inline_references(document), labels={}, quotes=())

    assert result["properties"]["children"]["maxItems"] == 0
    assert "twin" not in result["properties"]
    assert "$ref" not in json.dumps(result)
    jsonschema_rs.validator_for(result)


def test_several_ways_and_parts_are_closed_too() -> None:
    """`anyOf` branches are capped each; `allOf` parts become one schema."""
    document = {
        "anyOf": [{"type": "string"}, {"type": "null"}, {"type": "array"}],
        "allOf": [{"maxLength": 7}],
    }

    result = close_schema(inline_references(document), labels={}, quotes=())

    assert [way.get("maxLength", way.get("maxItems")) for way in result["anyOf"]] == [200, None, 5]
    assert result["maxLength"] == 7


@pytest.mark.parametrize(
    ("pattern", "place", "reached"),
    [
        ("/a/*/b", "/a/*/b", True),
        ("/a/0/b", "/a/*/b", False),
        ("/**/q/*", "/q/*", True),
        ("/**/q/*", "/a/*/q/*", True),
        ("/**", "", True),
        ("/a", "/a/b", False),
    ],
)
def test_patterns_reach_places(pattern: str, place: str, reached: bool) -> None:
    """`*` is one level, `**` any number; an index alone does not stand for every item."""
    assert reached is covers(pattern, place)


def test_bundled_classify_schema_keeps_its_meaning(cases: Path) -> None:
    """A perfect reply to the intake classification fits the closed schema."""
    from assay.wiring import load_pack

    contract = load_pack("intake").contract("classify")
    text = "Guten Tag, das Auto ist kaputt."
    result = planned(contract, Material(texts={"subject": "Panne", "body": text}))
    one = {"label": "URG_LOW", "confidence": 0.5, "evidence_snippets": [text]}
    reply = {
        "intents": [{**one, "label": "INTENT_CLAIM_NEW"}],
        "primary_intent": "INTENT_CLAIM_NEW",
        "product_line": {**one, "label": "PROD_AUTO"},
        "urgency": one,
        "risk_flags": [],
    }

    assert jsonschema_rs.is_valid(result.schema, reply)
    assert result.schema["properties"]["intents"]["maxItems"] == 13
    assert {slot.set.name for slot in result.labels} == {
        "intent",
        "product_line",
        "urgency",
        "risk_flag",
    }


def test_an_answer_has_anchors_and_its_refusal() -> None:
    """A grounded answer is planned without a schema: evidence, question, refusal."""
    result = plan_answer("Wie hoch?", [("C0", "Der Turm ist 30 m hoch.")], "NO_EVIDENCE: …")

    assert (result.schema, result.refusal) == ({}, "NO_EVIDENCE: …")
    assert result.evidence == (("C0", "Der Turm ist 30 m hoch."),)


def test_every_place_is_named_once_for_each_way() -> None:
    """Places of a schema are pointer patterns; open keys and items are one level `*`."""
    schema = {
        "type": "object",
        "properties": {"a/b": {"type": "array", "items": {"type": "string"}}},
        "additionalProperties": {"type": "number"},
    }

    assert [at for at, _ in places(schema)] == ["", "/a~1b", "/a~1b/*", "/*"]
