"""A pointer that no golden case meets is a fault of verification, with its line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.adapters.folders import read_pack_folder
from assay.errors import PackError
from assay.pack.read import read_pack
from assay.pack.verify import verify_pack
from tests.pack.small import FILES, SCHEMA, small_pack

GOOD = {"kind": "GOOD", "confidence": 0.9, "quotes": ["fine"]}
CONTRACT = FILES["contracts/tell.yaml"]
NONE = "its pointers meet nothing: no golden case has a reply that fits the schema"


def golden(*replies: Any, contract: str = "tell") -> str:
    """A case each, which expects nothing but its own end."""
    cases = (
        {
            "name": "one",
            "contract": contract,
            "sources": {"text": "all is fine"},
            "replies": [reply],
            "expect": {"outcome": "accepted" if reply == {"json": GOOD} else "needs_review"},
        }
        for reply in replies
    )
    return "".join(json.dumps(case) + "\n" for case in cases)


def faults(contract: str = CONTRACT, *replies: Any, **files: str) -> list[PackError]:
    """What verification finds in the small pack with that contract file."""
    lines = golden(*(replies or ({"json": GOOD},)))
    changes = {"contracts/tell.yaml": contract, "golden/tell.jsonl": lines, **files}
    return list(verify_pack(small_pack(**changes)).faults)


def test_pointers_that_a_golden_case_meets_are_no_fault():
    """One accepted reply shows labels, snippets, and the place that needs one."""
    lines = {"golden/tell.jsonl": golden({"json": GOOD})}
    found = verify_pack(small_pack(**lines))

    assert ((), 3) == (found.faults, found.to_dict()["checked"]["pointers"])


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('"/kind": kind', '"/kid": kind', 4, "did you mean 'kind'?"),
        ('"/kind": kind', '"/kind/*": kind', 4, "'/kind/*' meets no value"),
        ('"/kind": kind', '"/**/kid": kind', 4, "'/**/kid' meets no value"),
        ('"/kind": kind', '"/confidence": kind', 4, "no golden case has a string there"),
        ('"/quotes/*"', '"/quote/*"', 6, "did you mean 'quotes'?"),
        ('required: [""]', 'required: ["", "/kinds"]', 7, "no golden case has a value there"),
        ("rules:\n", 'scores: ["/confidenc"]\nrules:\n', 8, "did you mean 'confidence'?"),
        ("rules:\n", 'scores: ["/kind"]\nrules:\n', 8, "no golden case has a number there"),
    ],
)
def test_a_mistyped_pointer_fails_verification_with_file_and_line(old, new, line, words):
    """Labels, snippets, places that need evidence, scores; the pack itself reads all the same."""
    contract = CONTRACT.replace(old, new, 1)
    read_pack(small_pack(**{"contracts/tell.yaml": contract}))
    fault = faults(contract)[-1]

    assert 60 == fault.exit_code
    assert ("contracts/tell.yaml", line) == (fault.file, fault.line)
    assert words in f"{fault} {fault.hint}"
    assert "add a golden case to golden/tell.jsonl" in fault.hint


@pytest.mark.parametrize(
    ("reply", "messages"),
    [
        ({"json": {**GOOD, "kind": "SO-SO"}}, []),
        ({"json": {**GOOD, "quotes": ["invented"]}}, []),
        ({"json": {**GOOD, "quotes": []}}, ["'/quotes/*' meets no value"]),
        ({"json": {**GOOD, "more": 1}}, [NONE]),
        ({"text": f"```json\n{json.dumps(GOOD)}\n```"}, [NONE]),
        ({"text": json.dumps(GOOD)[:-1] + ', "kind": "GOOD"}'}, [NONE]),
        ("I cannot help with that.", [NONE]),
    ],
)
def test_what_counts_is_a_reply_that_fits_the_schema(reply, messages):
    """Accepted or not; text that is no strict JSON, or breaks the schema, shows no place."""
    found = faults(CONTRACT, reply)

    assert len(messages) == len(found)
    assert all(message in str(fault) for message, fault in zip(messages, found, strict=True))


def test_any_reply_of_any_case_may_meet_a_pointer():
    """A place that stands in few replies needs one case that has it."""
    without = {"json": {**GOOD, "quotes": []}}

    assert [] == faults(CONTRACT, without, {"json": GOOD}, without)


@pytest.mark.parametrize("lines", [None, "", golden({"json": GOOD}, contract="other")])
def test_a_contract_without_a_golden_case_is_one_fault_at_its_first_pointer(lines):
    """A case of another contract shows nothing about this one."""
    files = small_pack(**{"golden/x.jsonl": lines})
    found = [fault for fault in verify_pack(files).faults if fault.file != "golden/x.jsonl"]

    assert [f"contracts/tell.yaml:4: {NONE}"] == [str(fault) for fault in found]
    assert "add golden cases to golden/tell.jsonl" in found[0].hint


@pytest.mark.parametrize(
    "files",
    [
        {"any.schema.json": b"{}"},
        {"any.schema.json": b"{}", "any.yaml": b"version: 1\n"},
        {"contracts/any.schema.json": b"{}", "pack.yaml": b"name: any\n"},
    ],
)
def test_a_contract_without_pointers_needs_no_golden_case(files):
    """A folder that only judges by a schema verifies as it is."""
    assert () == verify_pack(files, name_hint="any").faults


def test_a_contract_file_beside_no_pack_yaml_is_held_to_its_cases_too():
    """The smallest folder with a pointer: a schema, a contract, no `pack.yaml`."""
    files = {"any.schema.json": b"{}", "any.yaml": b"# one\nscores: [/n]\n"}
    (fault,) = verify_pack(files, name_hint="any").faults

    assert ("any.yaml", 2) == (fault.file, fault.line)


@pytest.mark.parametrize(("pattern", "count"), [("/extra/deep/*/kind", 0), ("/extra/kind", 1)])
def test_below_an_open_place_a_pointer_must_be_met_like_anywhere(pattern, count):
    """What the schema leaves open it does not show to be right."""
    schema = json.dumps({"type": "object"})
    contract = f'labels:\n  "{pattern}": kind\n'
    reply = {"json": {"extra": {"deep": [{"kind": "GOOD"}]}}}
    files = {"contracts/tell.schema.json": schema}
    found = [fault for fault in faults(contract, reply, **files) if "meets no value" in str(fault)]

    assert count == len(found)


def test_a_truth_value_is_no_number():
    """A score that points at a flag would check nothing."""
    properties = {**SCHEMA["properties"], "flag": {"type": "boolean"}}
    schema = json.dumps({**SCHEMA, "properties": properties})
    contract = CONTRACT.replace("rules:\n", 'scores: ["/flag"]\nrules:\n')
    files = {"contracts/tell.schema.json": schema}
    found = faults(contract, {"json": {**GOOD, "flag": True}}, **files)

    assert "no golden case has a number there" in str(found[-1])


def test_golden_cases_that_cannot_be_read_are_the_only_fault():
    """What they meet is not known before all of them can be read."""
    assert ["golden/tell.jsonl"] == [
        fault.file for fault in faults(CONTRACT, **{"golden/tell.jsonl": "{\n"})
    ]


@pytest.mark.parametrize(
    ("pack", "file", "old", "new"),
    [
        ("intake", "classify", "of: /intents, to", "of: /intent, to"),
        ("intake", "classify", '"/urgency": class', '"/urgncy": class'),
        ("intake", "classify", '"/risk_flags/*": class', '"/risk_flags": class'),
        (
            "intake",
            "classify",
            '"/urgency": classification.urgency',
            '"/urgency": {value: classification.urgency, field: confidense}',
        ),
        ("intake", "extract", 'at: "/entities/*"', 'at: "/entites/*"'),
        ("intake", "extract", "value: value_redacted", "value: value"),
        ("intake", "extract", "      by: entity_type", "      by: type"),
        ("intake", "extract", "extraction, by: entity_type", "extraction, by: kind"),
        ("intake", "identify", 'at: "/keys/*"', 'at: "/keys"'),
        ("intake", "identify", "value: key_value", "value: key"),
        ("services", "agency_detect_v1", 'at: "/judgements/agencyInfo/*"', 'at: "/agencyInfo/*"'),
        ("services", "agency_detect_v1", "name: /name, path", "name: /nam, path"),
        ("services", "category_select_v1", "of: /categorySelection/cand", "of: /category/cand"),
        ("services", "category_select_v1", "fields: {value: /value}", "fields: {value: /valu}"),
        ("services", "multi_agency_service_answer_v1", "text: /assistantReply", "text: /reply"),
        ("services", "multi_agency_service_answer_v1", 'listed: "/sourcesUsed', 'listed: "/source'),
        ("services", "multi_agency_service_answer_v1", "y: /serviceKey, path", "y: /a~, path"),
        ("services", "service_select_v1", "at: /template/placeholders", "at: /template/holders"),
        ("services", "service_select_v1", "text: /template/rules", "text: /template/rule"),
        ("services", "service_select_v1", "Selection/serviceKey}", "Selection/key}"),
    ],
)
def test_in_a_bundled_pack_one_mistyped_pointer_is_found(pack, file, old, new):
    """Results, members, mentions and placeholders: one fault, at the line of the pointer."""
    name = f"contracts/{file}.yaml"
    text, found = _spoil(pack, name, old, new)
    line = 1 + text[: text.index(old)].count("\n")

    assert [(name, line)] == [
        (fault.file, fault.line) for fault in found if fault.file.startswith("contracts/")
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("of: /intents, to: /primary_intent", "of: /intents, to: /primary"),
        ("to: /risk_flags, item", "to: /flags, item"),
    ],
)
def test_where_a_result_puts_things_is_shown_by_the_cases_themselves(old, new):
    """The result's own schema, or the list of labels, has no such place."""
    _, found = _spoil("intake", "contracts/classify.yaml", old, new)

    assert found


def _spoil(pack: str, name: str, old: str, new: str) -> tuple[str, list[PackError]]:
    files, hint = read_pack_folder(pack)
    text = files[name].decode("utf-8")
    assert old in text
    spoilt = {key: value for key, value in files.items() if key != "pack.lock"}
    spoilt[name] = text.replace(old, new, 1).encode("utf-8")
    return text, list(verify_pack(spoilt, name_hint=hint).faults)


def test_one_slip_of_the_pen_is_one_fault_and_two_are_two():
    """What stands below an unmet pointer is not told again, nor is the same pointer in another
    place; one that only begins with the same letters is a mistake of its own."""

    def told(*scores: str) -> list[str]:
        contract = CONTRACT.replace("rules:\n", f"scores: {json.dumps(scores)}\nrules:\n")
        return [str(fault).partition("'")[2].partition("'")[0] for fault in faults(contract)]

    assert ["/score"] == told("/score", "/score/value")
    assert ["/score"] == told("/score", "/score")
    assert ["/score", "/scores"] == told("/score", "/scores")
