"""A pointer that can never meet a value is an error of the pack, with its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.folders import read_pack_folder
from assay.core.json.pointer import PointerPattern
from assay.core.json.schema import Schema
from assay.core.json.schema_paths import SchemaPlaces
from assay.errors import PackError
from assay.pack.read import read_pack
from tests.pack.small import FILES, small_pack

TEXT = {"type": "string"}


def _closed(**properties: object) -> dict[str, object]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


TREE = _closed(label=TEXT, left={"$ref": "#"}, right={"$ref": "#/properties/left"})
MIXED = {
    "$defs": {
        "named": _closed(name=TEXT),
        "base": {"type": "object", "properties": {"a": TEXT}},
        "loop": {"allOf": [{"$ref": "#/$defs/loop"}]},
        "anchored": {"$anchor": "here", **_closed(x=TEXT)},
    },
    **_closed(
        rows={"type": "array", "items": {"$ref": "#/$defs/named"}},
        pair={"prefixItems": [TEXT, {"type": "number"}], "items": False},
        short={"type": "array", "maxItems": 1},
        map={"type": "object", "additionalProperties": {"$ref": "#/$defs/named"}},
        coded={"patternProperties": {"^x_": {"type": "integer"}}, "additionalProperties": False},
        either={"anyOf": [_closed(l=TEXT), _closed(r=TEXT)]},
        needs={**_closed(p=TEXT, q=TEXT), "anyOf": [{"required": ["p"]}, {"required": ["q"]}]},
        both={"allOf": [{"$ref": "#/$defs/base"}], **_closed(a=True, b=TEXT)},
        left_over={
            "allOf": [{"$ref": "#/$defs/base"}],
            "properties": {"c": TEXT},
            "unevaluatedProperties": False,
        },
        fixed={"const": {"k": ["v"]}},
        one_of={"enum": ["A", 2]},
        open={"type": "object"},
        anything=True,
        nothing=False,
        maybe={"type": ["string", "null"]},
        loop={"$ref": "#/$defs/loop"},
        here={"$ref": "#here"},
        other={"$ref": "https://packs.example/other#/$defs/deep"},
        limited={"type": "object", "propertyNames": {"enum": ["m"]}},
        **{"a/b": TEXT},
    ),
}
OTHER = {"$id": "https://packs.example/other", "$defs": {"deep": _closed(far=TEXT)}}


@pytest.mark.parametrize(
    ("reached", "pattern", "kind"),
    [
        (True, "", "object"),
        (False, "", "string"),
        (True, "/rows/*/name", "string"),
        (True, "/rows/7/name", None),
        (False, "/rows/*/nam", None),
        (False, "/rows/name", None),
        (False, "/rows/*/name/*", None),
        (True, "/pair/1", "number"),
        (False, "/pair/0", "number"),
        (True, "/pair/*", "number"),
        (False, "/pair/2", None),
        (False, "/short/1", None),
        (True, "/map/any/name", "string"),
        (True, "/map/*/name", None),
        (False, "/map/any/nam", None),
        (True, "/coded/x_1", "number"),
        (False, "/coded/y_1", None),
        (True, "/coded/*", "number"),
        (False, "/coded/*", "string"),
        (True, "/either/r", "string"),
        (False, "/either/m", None),
        (True, "/needs/q", None),
        (False, "/needs/r", None),
        (True, "/both/a", "string"),
        (False, "/both/a", "number"),
        (False, "/both/c", None),
        (True, "/left_over/a", None),
        (True, "/left_over/c", None),
        (False, "/left_over/b", None),
        (True, "/fixed/k/0", "string"),
        (False, "/fixed/l", None),
        (False, "/fixed/k/1", None),
        (True, "/one_of", "number"),
        (False, "/one_of", "array"),
        (True, "/open/x/y/z", "string"),
        (False, "/open", "array"),
        (True, "/anything/x/0", "number"),
        (False, "/nothing", None),
        (True, "/maybe", "string"),
        (True, "/loop/x", None),
        (True, "/here/x", "string"),
        (False, "/here/y", None),
        (True, "/other/far", "string"),
        (False, "/other/near", None),
        (True, "/limited/m", None),
        (False, "/limited/n", None),
        (True, "/a~1b", "string"),
        (False, "/a/b", None),
        (True, "/**/far", None),
        (True, "/**", "number"),
    ],
)
def test_a_schema_leaves_room_where_a_value_may_stand(reached, pattern, kind):
    """Keywords, references and combinations hold together; open nodes take anything."""
    registry = {OTHER["$id"]: OTHER}
    Schema.compile(MIXED, registry=registry)

    assert reached is SchemaPlaces(MIXED, registry).reaches(pattern, kind)


@pytest.mark.parametrize(
    ("reached", "pattern"),
    [
        (True, "/**/label"),
        (True, "/left/right/left/label"),
        (True, "/left/**/label"),
        (False, "/**/lable"),
        (False, "/label/**/label"),
        (False, "/**/label/*"),
    ],
)
def test_a_schema_that_contains_itself_is_walked_to_an_end(reached, pattern):
    """Any depth is tried, and no place twice."""
    assert reached is SchemaPlaces(TREE).reaches(pattern)


SCHEMAS = st.recursive(
    st.sampled_from([TEXT, {"type": "number"}, True, {}]),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from("ab"), inner, max_size=2).map(lambda p: _closed(**p)),
        inner.map(lambda one: {"type": "array", "items": one}),
        inner.map(lambda one: {"type": "object", "additionalProperties": one}),
        st.lists(inner, min_size=1, max_size=2).map(lambda ways: {"anyOf": ways}),
        st.lists(inner, min_size=1, max_size=2).map(lambda parts: {"allOf": parts}),
        inner.map(lambda one: {"$defs": {}, "oneOf": [one, {"type": "null"}]}),
    ),
    max_leaves=6,
)
VALUES = st.recursive(
    st.sampled_from(["x", 1, None]),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from("abc"), inner, max_size=2), st.lists(inner, max_size=2)
    ),
    max_leaves=5,
)
PATTERNS = st.lists(st.sampled_from(["a", "b", "c", "0", "*", "**"]), max_size=4).map(
    lambda steps: "".join(f"/{step}" for step in steps)
)


@given(SCHEMAS, VALUES, PATTERNS)
def test_whatever_a_valid_value_holds_is_reached(schema, value, pattern):
    """No pattern that meets a value which the schema accepts is ever refused."""
    if Schema.compile(schema).is_valid(value) and any(PointerPattern.compile(pattern).find(value)):
        assert SchemaPlaces(schema).reaches(pattern)


def _fault(**changes: str | None) -> PackError:
    with pytest.raises(PackError) as caught:
        read_pack(small_pack(**changes))
    return caught.value


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('"/kind": kind', '"/kid": kind', 4, "did you mean 'kind'?"),
        ('"/kind": kind', '"/kind/*": kind', 4, "reaches no place"),
        ('"/kind": kind', '"/**/kid": kind', 4, "reaches no place"),
        ('"/kind": kind', '"/confidence": kind', 4, "may hold a string"),
        ('"/quotes/*"', '"/quote/*"', 6, "did you mean 'quotes'?"),
        ('required: [""]', 'required: ["", "/kinds"]', 7, "'/kinds' reaches no place"),
        ("rules:\n", 'scores: ["/confidenc"]\nrules:\n', 8, "did you mean 'confidence'?"),
        ("rules:\n", 'scores: ["/kind"]\nrules:\n', 8, "may hold a number"),
    ],
)
def test_a_check_that_could_never_look_at_anything_is_refused(old, new, line, words):
    """Labels, snippets, places that need evidence, scores: each with its own line."""
    fault = _fault(**{"contracts/tell.yaml": FILES["contracts/tell.yaml"].replace(old, new, 1)})

    assert 60 == fault.exit_code
    assert f"contracts/tell.yaml:{line}: " in str(fault)
    assert words in f"{fault} {fault.hint}"


@pytest.mark.parametrize("pattern", ["/kind", "/**/kind", "/*", "/extra/of/any/**/kind"])
def test_below_an_open_place_a_pointer_may_go_anywhere(pattern):
    """A schema that does not close its objects says nothing about other places."""
    schema = json.dumps({"type": "object", "properties": {"kind": TEXT}})
    contract = f'labels:\n  "{pattern}": kind\n'
    files = {"contracts/tell.yaml": contract, "contracts/tell.schema.json": schema}

    assert read_pack(small_pack(**files)).contract("tell").labels[0].pattern.text == pattern


@pytest.mark.parametrize(
    ("pack", "file", "old", "new"),
    [
        ("intake", "classify", "of: /intents, to: /primary_intent", "of: /intents, to: /primary"),
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
        ("services", "service_select_v1", "at: /template/placeholders", "at: /template/holders"),
        ("services", "service_select_v1", "text: /template/rules", "text: /template/rule"),
        ("services", "service_select_v1", "Selection/serviceKey}", "Selection/key}"),
    ],
)
def test_in_a_bundled_pack_one_mistyped_pointer_is_found(pack, file, old, new):
    """Results, members, mentions and placeholders: the line of the pointer is told."""
    files, hint = read_pack_folder(pack)
    name = f"contracts/{file}.yaml"
    text = files[name].decode("utf-8")
    assert old in text
    spoilt = {key: value for key, value in files.items() if key != "pack.lock"}
    spoilt[name] = text.replace(old, new, 1).encode("utf-8")
    with pytest.raises(PackError) as caught:
        read_pack(spoilt, name_hint=hint)

    line = 1 + text[: text.index(old)].count("\n")
    assert f"{name}:{line}: " in str(caught.value)
    assert "of the schema that may hold" in str(caught.value) or "reaches no place" in str(
        caught.value
    )


def test_a_list_of_signals_is_held_by_its_label():
    """The label of a sign must stand in its list, so a list that cannot be there is found."""
    files, hint = read_pack_folder("intake")
    text = files["contracts/classify.yaml"].decode("utf-8")
    spoilt = text.replace('"/risk_flags/*/label": risk', '"/flags/*/label": risk', 1)
    spoilt = spoilt.replace("to: /risk_flags", "to: /flags", 1)
    changed = {key: value for key, value in files.items() if key != "pack.lock"}
    with pytest.raises(PackError, match="'/flags/\\*/label' reaches no place"):
        read_pack({**changed, "contracts/classify.yaml": spoilt.encode()}, name_hint=hint)
