"""Pointer patterns: each place once, in document order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.json.pointer import PatternSet, PointerPattern, escape, innermost_array, unescape
from assay.errors import InputError

OUTPUT = {
    "intents": [
        {"label": "A", "evidence_snippets": ["x", "y"]},
        {"label": "B", "evidence_snippets": []},
    ],
    "primary": "A",
    "evidence_snippets": ["z"],
    "a/b": {"~": 1},
    "0": [[1, 2], {"0": 3}],
}


@pytest.mark.parametrize(
    ("pattern", "places"),
    [
        ("", [""]),
        ("/primary", ["/primary"]),
        ("/nothing", []),
        ("/intents/*/label", ["/intents/0/label", "/intents/1/label"]),
        ("/intents/1/label", ["/intents/1/label"]),
        ("/intents/2/label", []),
        ("/*/label", []),
        (
            "/**/evidence_snippets/*",
            [
                "/intents/0/evidence_snippets/0",
                "/intents/0/evidence_snippets/1",
                "/evidence_snippets/0",
            ],
        ),
        ("/**/label", ["/intents/0/label", "/intents/1/label"]),
        ("/a~1b/~0", ["/a~1b/~0"]),
        ("/a~1b/*", ["/a~1b/~0"]),
        ("/0/0/*", ["/0/0/0", "/0/0/1"]),
        ("/0/*/0", ["/0/0/0", "/0/1/0"]),
        ("/**/0/**/0", None),
        ("/primary/**", ["/primary"]),
        ("/intents/*/**/*", None),
    ],
)
def test_a_pattern_names_places_in_document_order(pattern, places):
    """`*` is one step, `**` any number of steps, and none; a place is given once."""
    found = [pointer for pointer, _ in PointerPattern.compile(pattern).find(OUTPUT)]

    assert (places if places is not None else _expected(OUTPUT, pattern)) == found


@pytest.mark.parametrize("text", ["intents", "*/label", "/a~", "/a~2b", "~0"])
def test_a_malformed_pattern_is_refused(text):
    """A pattern that could never match is a mistake of the pack, said at once."""
    with pytest.raises(InputError):
        PointerPattern.compile(text)


def test_patterns_of_one_text_are_equal():
    """Patterns are values."""
    assert PointerPattern.compile("/a/*") == PointerPattern.compile("/a/*")
    assert PointerPattern.compile("/a/*") != PointerPattern.compile("/a/**")


def test_scalars_have_only_a_root():
    """A value without steps is named by patterns that need none."""
    assert [("", 5)] == list(PointerPattern.compile("/**").find(5))
    assert [] == list(PointerPattern.compile("/*").find("text"))


@pytest.mark.parametrize(
    ("pointer", "array"),
    [
        ("/intents/0/label", "/intents"),
        ("/intents/0/evidence_snippets/1", "/intents/0/evidence_snippets"),
        ("/primary", None),
        ("", None),
        ("/a~1b/~0", None),
        ("/0/1/0", "/0"),
    ],
)
def test_the_innermost_array_of_a_place(pointer, array):
    """The deepest list on the way, an object with the key `0` not being one."""
    assert array == innermost_array(pointer, OUTPUT)


def _expected(value, pattern):
    """All places of *value* that *pattern* names, by trying every one."""
    wanted = pattern.split("/")[1:]

    def matches(steps, wanted):
        if not wanted:
            return not steps
        if wanted[0] == "**":
            return any(matches(steps[n:], wanted[1:]) for n in range(len(steps) + 1))
        return bool(steps) and wanted[0] in ("*", steps[0]) and matches(steps[1:], wanted[1:])

    def walk(node, steps):
        if matches(steps, wanted):
            yield "".join(f"/{step}" for step in steps)
        items = node.items() if isinstance(node, dict) else ()
        items = enumerate(node) if isinstance(node, list) else items
        for key, child in items:
            yield from walk(child, [*steps, escape(str(key))])

    return list(walk(value, []))


names = st.sampled_from(["a", "b", "0", "1", "a/b", "~"])
trees = st.recursive(
    st.integers(0, 3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
patterns = st.lists(names.map(escape) | st.sampled_from(["*", "**"]), min_size=0, max_size=5).map(
    lambda steps: "".join(f"/{step}" for step in steps)
)


@given(trees, patterns)
def test_the_automaton_finds_what_trying_every_place_finds(tree, pattern):
    """Against a brute-force oracle, order included."""
    found = [pointer for pointer, _ in PointerPattern.compile(pattern).find(tree)]

    assert _expected(tree, pattern) == found


@given(trees, st.lists(patterns, min_size=1, max_size=4))
def test_a_set_finds_what_its_patterns_find(tree, texts):
    """One walk for several patterns gives each of them its own places."""
    compiled = [PointerPattern.compile(text) for text in texts]
    places = PatternSet.of(compiled).places(tree)

    for number, pattern in enumerate(compiled):
        own = [(pointer, value) for pointer, value, numbers in places if number in numbers]
        assert list(pattern.find(tree)) == own


@given(st.text())
def test_steps_are_escaped_and_read_back(step):
    """RFC 6901: any key can be a step."""
    assert "/" not in escape(step)
    assert step == unescape(escape(step))


@pytest.mark.parametrize(
    ("step", "written"),
    [("~1", "~01"), ("~0", "~00"), ("/~", "~1~0"), ("~01", "~001"), ("a", "a"), ("", "")],
)
def test_a_tilde_and_a_digit_are_no_escape(step, written):
    """A key that is spelt like an escape is written and read as itself: slashes are restored
    before tildes (RFC 6901, section 4)."""
    assert written == escape(step)
    assert step == unescape(written)
    assert [(f"/{written}", 1)] == list(
        PointerPattern.compile(f"/{written}").find({step: 1, "/": 2})
    )


@given(st.text("~/01a", max_size=8))
def test_any_step_is_written_and_read_back(step):
    """Whatever tildes and slashes a key holds; the written step holds no slash."""
    assert step == unescape(escape(step))
    assert "/" not in escape(step)
