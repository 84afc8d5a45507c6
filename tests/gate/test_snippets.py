"""Evidence that lies in what was shown."""

from __future__ import annotations

import pytest

from assay.core.json.pointer import PointerPattern
from assay.core.text.spans import Shown
from assay.gate.gate import GateContext
from assay.gate.snippets import EvidenceRule, lies_under
from assay.gate.verdict import Finding, LocatedAt

SUBJECT = Shown.of_text("subject", "Wasserschaden")
BODY = Shown.of_text("body", "Guten Tag,\nein „Rohr“ ist gebrochen. Wasserschaden!")
MAIL = GateContext(shown=(SUBJECT, BODY))
RULE = EvidenceRule(
    snippets=PointerPattern.compile("/**/evidence_snippets/*"),
    required=(PointerPattern.compile("/intents/*"), PointerPattern.compile("/urgency")),
)


def intent(*snippets):
    return {"intents": [{"evidence_snippets": list(snippets)}]}


def found(output, rule=RULE, context=MAIL):
    """(code, path) of findings and (source, text) of spans, in order."""
    texts = {shown.name: shown.original for shown in context.shown}
    return [
        (item.code, item.path)
        if isinstance(item, Finding)
        else (item.source, texts[item.source][item.start : item.stop])
        for item in rule(output, context)
    ]


@pytest.mark.clause("005-G13")
@pytest.mark.clause("000-C3")
@pytest.mark.parametrize(
    ("snippets", "items"),
    [
        (["gebrochen"], [("body", "gebrochen")]),
        (["Wasserschaden"], [("subject", "Wasserschaden")]),
        (["Wasserschaden!"], [("body", "Wasserschaden!")]),
        (['Tag, ein "Rohr"'], [("body", "Tag,\nein „Rohr“")]),
        (["as", "gebrochen", "as"], [("subject", "as"), ("body", "gebrochen"), ("subject", "as")]),
        (["zerbrochen"], [("evidence.not_found", "/intents/0/evidence_snippets/0")]),
        (["rohr"], [("evidence.not_found", "/intents/0/evidence_snippets/0")]),
        ([""], [("evidence.missing", "/intents/0/evidence_snippets/0")]),
        ([" \n"], [("evidence.missing", "/intents/0/evidence_snippets/0")]),
        (["\u200b"], [("evidence.missing", "/intents/0/evidence_snippets/0")]),
        (["i"], [("evidence.missing", "/intents/0/evidence_snippets/0")]),
        (["!!"], [("evidence.missing", "/intents/0/evidence_snippets/0")]),
        ([7], [("evidence.missing", "/intents/0/evidence_snippets/0")]),
        ([None], [("evidence.missing", "/intents/0/evidence_snippets/0")]),
        ([], [("evidence.missing", "/intents/0")]),
        (
            ["gebrochen", "erfunden"],
            [("body", "gebrochen"), ("evidence.not_found", "/intents/0/evidence_snippets/1")],
        ),
    ],
)
def test_every_snippet_is_found_or_is_a_finding(snippets, items):
    """Empty ones are missing, false ones not found; each has its place."""
    assert items == found(intent(*snippets))


def test_each_required_place_needs_its_own_evidence():
    """What another place quotes does not count for it, a similar name neither."""
    output = {
        "intents": [
            {"evidence_snippets": ["Rohr"]},
            {"evidence_snippets": []},
            {},
            *[{"evidence_snippets": ["Rohr"]} for _ in range(8)],
        ],
        "urgency": {"evidence_snippets": []},
        "urgency_2": {"evidence_snippets": ["Rohr"]},
    }

    assert [
        ("evidence.missing", "/intents/1"),
        ("evidence.missing", "/intents/2"),
        ("evidence.missing", "/urgency"),
    ] == [item for item in found(output) if item[0] != "body"]


def test_where_evidence_is_not_required_there_need_be_none():
    """An empty list elsewhere is no finding; an empty snippet is."""
    assert [] == found({"product": {"evidence_snippets": []}})
    assert [("evidence.missing", "/product/evidence_snippets/0")] == found(
        {"product": {"evidence_snippets": [""]}}
    )


def test_a_place_may_be_its_own_evidence():
    """A field that must be a quotation is named as snippet and as required."""
    rule = EvidenceRule(
        snippets=PointerPattern.compile("/quote"), required=(PointerPattern.compile("/quote"),)
    )

    assert [("body", "Rohr")] == found({"quote": "Rohr"}, rule)
    assert [("evidence.not_found", "/quote")] == found({"quote": "Dach"}, rule)


def test_without_sources_nothing_is_evidence():
    """A contract that wants evidence accepts none out of the air."""
    assert [("evidence.not_found", "/intents/0/evidence_snippets/0")] == found(
        intent("Rohr"), context=GateContext()
    )


def test_spans_refer_to_the_full_original():
    """What a shortened attempt was shown decides whether; the record decides where."""
    cut = GateContext(
        shown=(Shown(name="body", original="> Dach. Rohr. Rohr.", segments=((8, 13),)),)
    )
    (span,) = RULE(intent("Rohr"), cut)

    assert isinstance(span, LocatedAt)
    assert (8, 12, 1) == (span.start, span.stop, span.occurrences)
    assert [("evidence.not_found", "/intents/0/evidence_snippets/0")] == found(
        intent("Dach"), context=cut
    )


def test_messages_quote_nothing():
    """Neither the snippet nor the source."""
    for item in RULE(intent("Jane Roe", "", "Guten"), MAIL):
        if isinstance(item, Finding):
            assert "Jane" not in item.message


@pytest.mark.parametrize(
    ("pointer", "place", "under"),
    [
        ("/a/0/x", "/a/0", True),
        ("/a/0", "/a/0", True),
        ("/a/01", "/a/0", False),
        ("/b/0", "/a/0", False),
        ("/a", "", True),
    ],
)
def test_one_place_lies_under_another_step_by_step(pointer, place, under):
    """A longer name is no step further."""
    assert under == lies_under(pointer, place)
