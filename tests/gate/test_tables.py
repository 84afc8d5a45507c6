"""Tables: membership, mentions, skeletons."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.json.pointer import PointerPattern
from assay.errors import InputError
from assay.gate.gate import GateContext
from assay.gate.mentions import MentionRule
from assay.gate.placeholders import PlaceholderRule
from assay.gate.tables import KeysRule, MemberRule, Places, Table, at_pointer, state_at

ROWS: tuple[dict[str, Any], ...] = (
    {"shop": "a", "house": "House A", "key": "tea", "name": "Green Tea", "price": 3},
    {"shop": "a", "house": "House A", "key": "pot", "name": "Green Tea Pot", "price": 9},
    {"shop": "b", "house": "House B", "key": "cup", "name": "Cup", "price": 3},
)
TABLE = Table(name="goods", key=("key",), rows=ROWS, columns=tuple(ROWS[0]), digest="")
TEXTS = st.text(max_size=12) | st.sampled_from(["tea", "pot", "Green Tea", "a", "{name}", "{x}"])
VALUES = st.recursive(
    st.none() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def member(**more: Any) -> MemberRule:
    fields = {"key": "/key", "name": "/name"}
    return MemberRule(
        at=PointerPattern.compile("/goods/*"), table=TABLE, **{"fields": fields, **more}
    )


def codes(rule: Any, output: dict[str, Any], state: Any = None) -> list[tuple[str, str]]:
    return [(found.code, found.path) for found in rule(output, GateContext(state=state))]


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ({"key": "tea", "name": "Green Tea"}, None),
        ({"key": "tea", "name": "Cup"}, "/goods/0/name"),
        ({"key": "TEA", "name": "Green Tea"}, "/goods/0/key"),
        ({"key": "tea"}, "/goods/0/name"),
        ({"key": None, "name": "Green Tea"}, "/goods/0/key"),
    ],
)
def test_all_fields_are_of_one_row(said, path):
    """A right key with the name of another row is unknown."""
    expected = [] if path is None else [("label.unknown", path)]

    assert expected == codes(member(), {"goods": [said]})


@pytest.mark.parametrize(
    ("state", "known"),
    [({"chosen": ["a"]}, True), ({"chosen": "a"}, True), ({"chosen": ["b"]}, False), (None, False)],
)
def test_rows_are_limited_by_the_state(state, known):
    """Without the place in the state nothing is known: it fails closed."""
    rule = member(limits={"shop": Places(paths=("state.gone", "state.chosen"))})

    assert known is (codes(rule, {"goods": [{"key": "tea", "name": "Green Tea"}]}, state) == [])


def test_keys_of_an_object_are_looked_up():
    """With the fields of the object around them."""
    keys = KeysRule(of="/picked", column="key", fields={"name": "/called"})
    rule = member(fields={"shop": "/shop"}, keys=keys, alike=frozenset({"name"}))
    good = {"shop": "a", "picked": {"tea": {"called": "green-tea"}}}
    bad = {"shop": "a", "picked": {"cup": {"called": "Cup"}, "tea": {"called": "Pot"}}}

    assert [] == codes(rule, {"goods": [good]})
    assert [
        ("label.unknown", "/goods/0/picked/cup"),
        ("label.unknown", "/goods/0/picked/tea/called"),
    ] == codes(rule, {"goods": [bad]})


@given(st.dictionaries(st.sampled_from(["goods", "x"]), VALUES, max_size=2))
def test_no_output_breaks_a_rule(output):
    """Whatever its shape, a rule finds or does not find; it never raises, never quotes."""
    for rule in (member(), mentions(), SKELETON):
        for found in rule(output, GateContext()):
            assert found.severity == "reject"


def mentions() -> MentionRule:
    return MentionRule(
        text="/text",
        listed=PointerPattern.compile("/goods/*"),
        table=TABLE,
        key={"key": "/key"},
        names=("name",),
        group="shop",
        group_names=("house",),
    )


@pytest.mark.parametrize(
    ("text", "listed", "expected"),
    [
        ("Take Green Tea.", ["tea"], []),
        ("Take Green\u00a0Tea Pot.", ["pot"], []),
        ("Take Green Tea Pot.", ["tea"], ["reply.unlisted", "reply.unmentioned"]),
        ("Take Green Teas.", ["tea"], ["reply.unmentioned"]),
        ("Take a cup.", ["cup"], ["reply.unmentioned"]),
        ("Ask House B.", ["cup"], []),
        ("Ask House B.", [], ["reply.unlisted"]),
        ("Ask House A.", ["tea", "pot"], ["reply.unmentioned", "reply.unmentioned"]),
        ("Ask House A for Green Tea.", ["tea", "pot"], ["reply.unmentioned"]),
    ],
)
def test_what_is_listed_is_what_is_referred_to(text, listed, expected):
    """The longest name counts; a group's name stands for its only entry."""
    output = {"text": text, "goods": [{"key": key} for key in listed]}

    assert expected == sorted(code for code, _ in codes(mentions(), output))


SKELETON = PlaceholderRule(
    placeholders="/slots",
    text="/text",
    table=TABLE,
    key={"key": "/key"},
    values={"name": "name", "shop": "house"},
    spare="Ask {shop} for {name}.",
)


@pytest.mark.parametrize(
    ("slots", "text", "filled"),
    [
        ({"what": "{name}"}, "Take {what}!", "Take Green Tea!"),
        ({"name": "{name}"}, "Take {name} of {shop}", "Take Green Tea of House A"),
        ({"name": "{name}"}, "Take {name} of {shop}, {{}", None),
        ({"name": "{name}"}, "Take {name} of { shop }", None),
        ({"name": "{name}"}, "No slot", "Ask House A for Green Tea."),
        ({"name": "Green Tea"}, "{name}", None),
        ({"name": "{price}"}, "Take it", ""),
        ({"x": "{x}"}, "Take it", None),
        ({"name": "{name}"}, "{x}", None),
    ],
)
def test_a_skeleton_is_filled_or_found_wanting(slots, text, filled):
    """What nothing known fills is a finding, and no reply is made of it."""
    output = {"key": "tea", "slots": slots, "text": text}
    found = codes(SKELETON, output)

    if filled is None:
        assert {"placeholder.unresolved"} == {code for code, _ in found}
    elif filled:
        assert [] == found
        assert filled == SKELETON.fill(output)


@pytest.mark.parametrize("text", ["Take {name} of {shop}, {{}", "{name} of { shop }", "{name} }"])
def test_no_reply_is_made_of_braces_that_nothing_fills(text):
    """Also of an output that an older gate let pass."""
    assert SKELETON.fill({"key": "tea", "slots": {}, "text": text}) is None


def test_no_reply_is_made_of_a_skeleton_with_a_brace_left():
    """Filling is as strict as finding: what was missed by one is held by the other."""
    for text in ("Take {name}, {{}", "Take {name} of { shop }", "Take {name"):
        output = {"key": "tea", "slots": {"name": "{name}"}, "text": text}
        assert SKELETON.fill(output) in (None, "Ask House A for Green Tea.")


@given(VALUES, st.lists(TEXTS, max_size=3))
def test_a_pointer_finds_or_finds_nothing(value, steps):
    """Never an error, whatever the value."""
    at_pointer(value, "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps))


def test_places_are_of_the_state():
    """Another root is refused."""
    assert state_at({"a": {"b": 1}}, "state.a.b") == 1
    with pytest.raises(InputError):
        state_at({}, "input.a")


@pytest.mark.parametrize("said", [True, 1.0, "1"])
def test_a_value_of_another_type_is_another_value(said):
    """What compares equal in Python, as true and 1, is not what stands in the table."""
    row = {"key": "tea", "amount": 1}
    table = Table(name="t", key=("key",), rows=(row,), columns=tuple(row), digest="")
    rule = MemberRule(
        at=PointerPattern.compile("/goods/*"),
        table=table,
        fields={"key": "/key", "amount": "/amount"},
    )

    assert [] == codes(rule, {"goods": [{"key": "tea", "amount": 1}]})
    assert [("label.unknown", "/goods/0/amount")] == codes(
        rule, {"goods": [{"key": "tea", "amount": said}]}
    )
