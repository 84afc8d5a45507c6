"""The order of the gate, and that every path is closed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.json.pointer import PointerPattern
from assay.core.json.schema import Schema
from assay.core.text.spans import Shown
from assay.errors import InputError
from assay.gate.codes import is_documented
from assay.gate.gate import GateContext, judge
from assay.gate.labels import LabelRule, LabelSet
from assay.gate.rules import Rule
from assay.gate.scores import ScoreRule
from assay.gate.snippets import EvidenceRule
from assay.gate.verdict import Finding, LocatedAt, Verdict

OBJECT = Schema.compile({"type": "object"})
LABEL = Schema.compile(
    {
        "type": "object",
        "required": ["label"],
        "additionalProperties": False,
        "properties": {"label": {"type": "string"}, "quote": {"type": "array"}},
    }
)
KNOWN = LabelRule(
    pattern=PointerPattern.compile("/label"), set=LabelSet(name="kind", labels={"water": ""})
)
QUOTES = EvidenceRule(snippets=PointerPattern.compile("/quote/*"))
MAIL = GateContext(shown=(Shown.of_text("body", "ein Rohr ist gebrochen"),))


def codes(raw, checks=(), schema=OBJECT, **said):
    """The codes of all findings on *raw*."""
    return [finding.code for finding in judge(raw, MAIL, checks, schema=schema, **said).findings]


@pytest.mark.parametrize("reason", [None, "stop", "end_turn", "stop_sequence", "eos"])
def test_a_normal_end_is_no_finding(reason):
    """The reasons that mean a whole reply."""
    assert [] == codes("{}", finish_reason=reason)


@pytest.mark.clause("000-F1")
@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("length", "output.truncated"),
        ("max_tokens", "output.truncated"),
        ("content_filter", "output.filtered"),
        ("safety", "output.filtered"),
        ("refusal", "output.filtered"),
        ("tool_calls", "output.stopped"),
        ("STOP", "output.stopped"),
        ("", "output.stopped"),
        ("new reason", "output.stopped"),
    ],
)
def test_any_other_end_rejects_even_a_perfect_reply(reason, code):
    """It is judged before the text, and a reason never heard of is no good reason."""
    assert [code] == codes("{}", finish_reason=reason)
    assert [code] == codes("no JSON at all", finish_reason=reason)


@pytest.mark.clause("000-H1")
@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("", "output.empty"),
        ("[]", "json.not_object"),
        ("{} {}", "json.trailing"),
        (b"\xff", "json.unicode"),
    ],
)
def test_a_text_that_is_no_object_goes_no_further(raw, code):
    """Neither schema nor checks see it."""

    def never(output, context):
        raise AssertionError

    assert [code] == codes(raw, [never])


@pytest.mark.clause("000-H2", "000-C2")
def test_every_fault_of_the_schema_is_a_finding():
    """With keyword and place."""
    verdict = judge('{"quote": 1, "x": 2}', MAIL, [], schema=LABEL)

    assert [
        ("schema.additionalProperties", ""),
        ("schema.required", ""),
        ("schema.type", "/quote"),
    ] == [(finding.code, finding.path) for finding in verdict.findings]


def test_labels_are_weighed_even_when_the_schema_fails():
    """So that a correction can name all faults at once."""
    assert ["schema.additionalProperties", "label.unknown"] == codes(
        '{"label": "fire", "x": 1}', [KNOWN], LABEL
    )


def test_other_checks_see_only_what_fits_the_schema():
    """A check written for a shape is not asked about another."""
    asked = []

    def strict(output, context):
        asked.append(output)
        return []

    codes('{"x": 1}', [strict], LABEL)
    codes('{"label": "water"}', [strict], LABEL)

    assert [{"label": "water"}] == asked


def test_all_checks_are_asked_in_order():
    """Also after one has found something."""

    def say(code):
        return lambda output, context: [Finding(code=code, message="")]

    assert ["first", "second"] == codes("{}", [say("first"), say("second")])


def test_a_check_that_raises_is_a_finding():
    """A fault in a check is no pass, and its message, which may quote the output, is not shown."""

    def broken(output, context):
        yield Finding(code="seen.before", severity="note", message="")
        raise ValueError(output["secret"])

    verdict = judge('{"secret": "Jane", "label": "x"}', MAIL, [broken, KNOWN], schema=OBJECT)

    assert not verdict.accepted
    assert ["seen.before", "check.error", "label.unknown"] == [f.code for f in verdict.findings]
    assert "broken" in verdict.findings[1].message
    assert "Jane" not in verdict.findings[1].message


@pytest.mark.parametrize("answer", [None, 5, ["text"], [None], [{"code": "x"}]])
def test_a_check_that_answers_nonsense_is_a_finding(answer):
    """Only findings and spans are answers."""
    assert ["check.error"] == codes("{}", [lambda output, context: answer])


def test_a_panic_that_is_no_exception_is_a_finding():
    """Extension modules panic with errors that `except Exception` does not catch."""

    class Panic(BaseException):
        pass

    def panics(output, context):
        raise Panic

    assert ["check.error"] == codes("{}", [panics])


def test_an_interrupt_is_not_swallowed():
    """Ctrl-C ends the program, not the check."""

    def interrupted(output, context):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        codes("{}", [interrupted])


def test_a_note_does_not_forbid_acceptance():
    """It stands in the verdict of an accepted output."""
    note = Finding(code="x.note", severity="note", message="")
    verdict = judge("{}", MAIL, [lambda output, context: [note]], schema=OBJECT)

    assert verdict.accepted
    assert (note,) == verdict.findings


def test_an_unknown_severity_rejects():
    """Fail closed: only `note` lets an output pass."""
    strange = Finding(code="x", severity="warning", message="")

    assert not judge("{}", MAIL, [lambda output, context: [strange]], schema=OBJECT).accepted


def test_a_rejected_output_is_not_handed_on():
    """Nobody can use it by mistake; its spans stay, for the person who decides."""
    verdict = judge('{"label": "fire", "quote": ["Rohr"]}', MAIL, [KNOWN, QUOTES], schema=LABEL)

    assert verdict.output is None
    assert ["Rohr"] == [MAIL.shown[0].original[s.start : s.stop] for s in verdict.spans]


def test_nothing_is_repaired_coerced_or_dropped():
    """The output is what the text says, to the last character."""
    raw = ' {"md": "use `pip install`", "n": 0.90, "e": "\\u00e9", "s": " x "}\n'
    verdict = judge(raw, MAIL, [], schema=OBJECT)

    assert json.loads(raw) == verdict.output
    assert ["md", "n", "e", "s"] == list(verdict.output)


def test_the_document_is_the_pinned_one():
    """Field for field."""
    document = judge('{"label": "fire", "quote": ["Rohr"]}', MAIL, [KNOWN, QUOTES], schema=LABEL)
    accepted = judge('{"quote": ["ein  Rohr"]}', MAIL, [QUOTES], schema=OBJECT).to_dict()

    assert {
        "verdict": "rejected",
        "findings": [
            {
                "code": "label.unknown",
                "severity": "reject",
                "path": "/label",
                "message": "is no label of 'kind'",
            }
        ],
        "output": None,
        "spans": [document.spans[0].to_dict()],
    } == document.to_dict()
    assert "accepted" == accepted["verdict"]
    assert {"quote": ["ein  Rohr"]} == accepted["output"]
    assert ["path", "source", "start", "stop", "match", "occurrences", "digest"] == list(
        accepted["spans"][0]
    )
    assert ("/quote/0", "body", 0, 8, "folded", 1) == tuple(accepted["spans"][0].values())[:6]
    json.dumps(accepted)


def test_a_verdict_lists_two_hundred_findings_and_says_when_there_are_more():
    """A hostile reply of a megabyte fills no record; it is rejected all the same, also when
    remarks by the thousand stand before the fault."""
    raw = json.dumps({"quote": ["Dach", "Turm"] * 20_000})
    verdict = judge(raw, MAIL, [QUOTES], schema=OBJECT)
    notes = [Finding(code="x.note", severity="note", message="")] * 1000
    late = judge(
        "{}",
        MAIL,
        [lambda output, context: [*notes, Finding(code="x.late", message=""), *notes]],
        schema=OBJECT,
    )

    assert not verdict.accepted
    assert ["evidence.not_found"] * 200 + ["findings.more"] == [f.code for f in verdict.findings]
    assert not late.accepted
    assert ["x.late", "findings.more"] == [f.code for f in late.findings][-2:]
    assert 201 == len(late.findings)


def test_a_verdict_without_output_is_never_accepted():
    """An empty list of findings alone accepts nothing."""
    assert not Verdict(findings=(), output=None).accepted


@pytest.mark.parametrize(
    ("place", "printed"),
    [
        ({}, {"path": ""}),
        ({"path": "/a"}, {"path": "/a"}),
        ({"start": 0, "stop": 3}, {"start": 0, "stop": 3}),
    ],
)
def test_a_finding_prints_its_place_in_json_or_in_prose(place, printed):
    """A path, or a start and a stop, between the severity and the message."""
    document = Finding(code="c", message="m", **place).to_dict()

    assert {"code": "c", "severity": "reject", **printed, "message": "m"} == document
    assert ["code", "severity", *printed, "message"] == list(document)


@pytest.mark.parametrize(
    "place", [{"start": 0}, {"stop": 3}, {"path": "/a", "start": 0, "stop": 3}]
)
def test_a_finding_has_one_place(place):
    """Half a range is none, and prose has no path."""
    with pytest.raises(InputError):
        Finding(code="c", message="m", **place)


def test_text_with_a_lone_surrogate_is_judged():
    """Such a text cannot be encoded; it is a finding, no exception."""
    assert ["json.unicode"] == codes('{"a": "\ud800"}')


EVERYTHING = (
    KNOWN,
    QUOTES,
    ScoreRule(pattern=PointerPattern.compile("/**/score")),
    Rule.compile(id="r", assert_text="output.label == 'water'"),
)
fragments = st.sampled_from(
    [
        '{"label":',
        '"water"',
        '"fire"',
        ',"quote":',
        '["Rohr"]',
        "[1]",
        "}",
        "{",
        "1e999",
        ',"score":0.9',
    ]
)


@given(
    st.binary() | st.text() | st.lists(fragments, max_size=8).map("".join), st.none() | st.text()
)
def test_judging_never_raises_and_its_codes_are_documented(raw, reason):
    """Whatever the model sends, and however it stopped."""
    verdict = judge(raw, MAIL, EVERYTHING, schema=LABEL, finish_reason=reason)

    assert all(is_documented(finding.code) for finding in verdict.findings)
    assert verdict.accepted == (verdict.output is not None)
    assert verdict.accepted == all(f.severity == "note" for f in verdict.findings)
    assert all(isinstance(span, LocatedAt) for span in verdict.spans)


labels = st.sampled_from(["water", "fire", ""])


@given(labels, st.lists(st.sampled_from(["Rohr", "Dach", "ein  Rohr", ""]), max_size=3))
def test_judging_is_repeatable(label, quote):
    """The same bytes get the same verdict."""
    raw = json.dumps({"label": label, "quote": quote})

    assert judge(raw, MAIL, EVERYTHING, schema=LABEL) == judge(
        raw.encode(), MAIL, EVERYTHING, schema=LABEL
    )


@pytest.mark.parametrize("output", [None, 3, {"label": "A"}, ["a"]])
def test_what_is_neither_text_nor_bytes_is_a_fault_of_the_caller(output):
    """An error of the input, not a verdict and no bare TypeError."""
    with pytest.raises(InputError, match="text or bytes"):
        judge(output, GateContext(), [], schema=Schema.compile({}))


def test_exactly_two_hundred_findings_are_all_there_are():
    """The note that there are more stands only where there are."""
    faults = [Finding(code="x.fault", message="")] * 200
    verdict = judge("{}", MAIL, [lambda output, context: faults], schema=OBJECT)

    assert ["x.fault"] * 200 == [finding.code for finding in verdict.findings]


@pytest.mark.clause("005-G13")
@pytest.mark.parametrize(
    "written", ["1e22", "9007199254740992.0", "1e16", "-123e45", "9007199254740993.5"]
)
@pytest.mark.parametrize("kind", ["integer", ["integer", "null"]])
def test_where_an_integer_is_asked_for_it_is_exact_in_every_writing(written, kind):
    """The standard takes `1e22` for an integer; whoever reads it as one gets digits of no one."""
    schema = Schema.compile(
        {
            "properties": {"n": {"items": {"$ref": "#/$defs/n"}}, "any": {"type": "number"}},
            "$defs": {"n": {"type": kind}},
        }
    )
    raw = f'{{"any": {written}, "n": [1.0, 9007199254740991.0, {written}]}}'

    verdict = judge(raw, MAIL, [], schema=schema)

    assert [("json.number", "/n/2")] == [(found.code, found.path) for found in verdict.findings]
    assert judge(f'{{"any": {written}, "n": [2.0]}}', MAIL, [], schema=schema).accepted
