"""Packs that could crash a turn, or send every output to a person, are faulty packs."""

from __future__ import annotations

import json
import logging

import pytest

from assay import wiring
from assay.errors import PackError
from assay.pack.read import read_pack
from assay.pack.verify import verify_pack
from assay.templates.placeholders import take_apart
from tests.flow.test_graph import LISTEN, REPLY, STAGES, staged


@pytest.mark.clause("005-C22")
@pytest.mark.parametrize("field", ["nextStep", "where"])
def test_a_next_step_that_may_be_absent_is_a_fault(field):
    """A reply without it would be accepted and lead nowhere."""
    schemas = {"listen": LISTEN, "reply": REPLY}
    name = {"nextStep": "listen", "where": "reply"}[field]
    schemas[name] = {key: value for key, value in schemas[name].items() if key != "required"}

    with pytest.raises(PackError, match=f"'/{field}' is optional"):
        staged(**schemas)


def test_a_next_step_below_an_optional_object_is_a_fault():
    """Each step of the way must be required."""
    reply = {
        "properties": {"text": {"type": "string"}, "to": REPLY | {"required": ["where"]}},
    }
    text = STAGES.replace("field: /where", "field: /to/where")

    with pytest.raises(PackError, match="'/to/where' is optional"):
        staged(text, reply=reply)
    assert staged(text, reply=reply | {"required": ["to"]}).stages is not None


@pytest.mark.clause("005-C22")
def test_a_next_step_that_another_part_of_the_schema_requires_is_none():
    """`allOf` and a reference beside `properties` hold as well."""
    bare = {key: value for key, value in LISTEN.items() if key != "required"}
    asked = {"required": LISTEN["required"]}

    assert staged(listen=bare | {"allOf": [asked]}).stages is not None
    beside = {"$ref": "#/$defs/a", "$defs": {**LISTEN["$defs"], "a": asked}}
    assert staged(listen=bare | beside).stages is not None


@pytest.mark.clause("005-C22")
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("guard: state.listen.heard", "guard: state.listen.herd", "'state.listen.herd'"),
        ("guard: state.listen.heard", "guard: state.listening.heard", "'state.listening'"),
        ("guard: state.listen.heard == true", "guard: has(input.atempt)", "'input.atempt'"),
        ("size(output.text)", "size(output.txt)", "'output.txt'"),
        ("size(output.text)", "size(state.listen.mood.then)", "'state.listen.mood.then'"),
    ],
)
def test_a_field_that_nothing_gives_is_a_fault_of_guard_or_rule(old, new, words):
    """With the line; it would reject whatever a model says."""
    assert old in STAGES
    with pytest.raises(PackError, match=words) as caught:
        staged(STAGES.replace(old, new))

    assert "stages.yaml" == caught.value.file
    assert (caught.value.line or 0) > 1


def contract_pack(assertion: str, labels: str = "") -> dict[str, bytes]:
    schema = {"properties": {"topic": {"type": "string"}}, "required": ["topic"]}
    rule = f'  - {{id: one, assert: "{assertion}"}}\n'
    files = {
        "pack.yaml": "name: a\nversion: 1\n",
        "contracts/c.yaml": f"rules:\n{rule}",
        "contracts/c.schema.json": json.dumps(schema),
    }
    if labels:
        files["labels.yaml"] = labels
    return {name: text.encode() for name, text in files.items()}


@pytest.mark.clause("005-C22")
def test_a_field_that_the_schema_lacks_is_a_fault_of_a_contracts_rule():
    """File and line of the rule."""
    with pytest.raises(PackError, match=r"'output\.topics'") as caught:
        read_pack(contract_pack("output.topics == 'a'"))

    assert ("contracts/c.yaml", 2) == (caught.value.file, caught.value.line)


@pytest.mark.clause("005-C22")
@pytest.mark.parametrize(
    "labels",
    [
        'kind: {"WATER ": wet, "\\u00a0FIRE": hot}\n',
        'kind:\n  labels: [" WATER", "FIRE\\u200b"]\n  primary_priority: ["FIRE ", WATER]\n',
        'all:\n  kind: {" WATER ": wet, FIRE: hot}\n',
    ],
)
def test_labels_are_read_without_what_stands_around_them_and_it_is_said(labels, tmp_path, caplog):
    """A warning with file and line, in the log and in `pack verify`."""
    files = contract_pack("output.topic != ''", labels)
    pack = read_pack(files)
    (found,) = pack.label_sets.values()
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    with caplog.at_level(logging.WARNING, "assay"):
        wiring.load_pack(str(tmp_path))

    assert ["WATER", "FIRE"] == list(found.labels)
    assert pack.warnings
    assert all(warning.file == "labels.yaml" and warning.line for warning in pack.warnings)
    assert [str(warning) for warning in pack.warnings] == [
        record.getMessage() for record in caplog.records
    ]
    assert len(pack.warnings) == len(verify_pack(files).to_dict()["warnings"])


def test_two_labels_that_differ_in_white_space_are_one_label_twice():
    """Which of them was meant cannot be told."""
    with pytest.raises(PackError, match="twice"):
        read_pack(contract_pack("output.topic != ''", 'kind: {labels: ["A", "A "]}\n'))


@pytest.mark.clause("005-C22")
@pytest.mark.parametrize(
    ("body", "quoted"),
    [
        ("{{a-b}}", "{{a-b}} is"),
        ("{{ a b }} and {{c}}", "{{ a b }} is"),
        ("{{}}", "{{}} is"),
        ("{{ä}}", "{{ä}} is"),
        ("{{open\nnext}}", "{{open is"),
        ("{{" + "x" * 100 + "-}}", "{{" + "x" * 58 + "… is"),
        ("{{a\x1b[31m-}}", "{{a\ufffd[31m-}} is"),
    ],
)
def test_what_is_no_placeholder_is_quoted(body, quoted):
    """On one line, never long, and without signs that steer a terminal."""
    with pytest.raises(Exception, match="no placeholder") as caught:
        take_apart(body)

    assert quoted in str(caught.value)
