"""The laws of the growing text, over thousands of texts, schemas and ways to cut them."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.json.growing import GrowingFault, GrowingJson
from assay.core.json.schema import Schema
from assay.core.json.strict import Refused, parse
from assay.errors import InputError
from assay.gate.gate import GateContext, judge, prefix_watch
from assay.gate.prefix import STOPPED
from tests.gate.prefix_cases import (
    CHECKS,
    CONTEXT,
    GOOD,
    PLAIN,
    SCHEMA,
    cut_text,
    heard_before_stop,
    new_watch,
    verdict_of,
)

pytestmark = pytest.mark.clause("006-M4")

TOKENS = [
    *"{}[]:,\"\\ \n\t\x00\ufeff\u00a0`'",
    *("true", "false", "null", "NaN", "-Infinity", "0", "-", "1", "01", "1.", "0.90", "1e3"),
    *("1e400", "9007199254740993", "9007199254740993.0", "0.5", "-1", "2"),
    *('"label"', '"water"', '"wat', '"kind"', '"quotes"', '"score"', '"tags"', '"new"', '"open"'),
    *("\\ud800", "\\ude00", "\\u00e4", "\\x", "```json\n", "I'm sorry, but", "Here is", "// no"),
    *('"water in the cellar"', '"a quote of nobody"', "Leider ", "\u0301", "é"),
]
ENDS = ["", "}", "]}", '"}', '"]}', '": 1}', "}}", "]", '"', " I'm sorry, but I cannot.", "\n{}"]


@st.composite
def spoilt_texts(draw: st.DrawFn) -> str:
    """A good reply with tokens put in, taken out or put in the place of others; or only tokens."""
    if draw(st.integers(0, 4)) == 0:
        return "".join(draw(st.lists(st.sampled_from(TOKENS), max_size=14)))
    text = draw(st.sampled_from([GOOD, PLAIN]))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        width = draw(st.sampled_from([0, 0, 1, 2, 7, 30]))
        token = draw(st.sampled_from(["", *TOKENS]))
        text = text[:at] + token + text[at + width :]
    return text


CUTS = st.lists(st.integers(1, 400), max_size=60)


@settings(max_examples=800, deadline=None)
@given(text=spoilt_texts(), cuts=CUTS, end=st.sampled_from(ENDS), chance=st.randoms())
def test_nothing_acceptable_is_stopped_and_nothing_stopped_is_acceptable(text, cuts, end, chance):
    """However a text is cut: what the gate accepts is read to its end, and what is stopped has no
    continuation that the gate accepts."""
    heard = heard_before_stop(new_watch(), cut_text(text, cuts))

    if heard is None:
        return
    assert not verdict_of(text).accepted
    for tail in (end, *_continuations(chance)):
        assert not verdict_of(heard + tail).accepted


def _continuations(chance: random.Random) -> list[str]:
    at = chance.randrange(len(GOOD))
    tokens = "".join(chance.choices(TOKENS, k=3))
    return [GOOD[at:], PLAIN[chance.randrange(len(PLAIN)) :], tokens + GOOD[at:]]


@settings(max_examples=400, deadline=None)
@given(text=spoilt_texts(), cuts=CUTS)
def test_what_stops_a_text_does_not_depend_on_how_it_was_cut(text, cuts):
    """One whole piece, single characters and anything between find the same fault."""
    found = []
    for pieces in ([text], list(text), cut_text(text, cuts)):
        watch = new_watch()
        heard = heard_before_stop(watch, pieces)
        fault = watch.fault
        found.append(None if fault is None else (fault.code, fault.path, fault.message, fault.at))
        if heard is not None:
            again = verdict_of(heard.encode("utf-8", "surrogatepass"), STOPPED)
            assert [fault.code, "output.stopped"] == [each.code for each in again.findings]
            assert fault.path == again.findings[0].path
    assert found[0] == found[1] == found[2]


OPENINGS = [
    "I'm sorry, but I can't help with that.",
    "\n **Je suis désolé**, mais je ne peux pas.",
    '"I cannot" is all I say',
    "[I'm sorry]",
    "{I'm sorry, but no}",
    "\ufeffLeider kann ich das nicht.",
    "Przepraszam.",
    "De\u0301sole\u0301, non.",
    "'No puedo'",
    "it's not appropriate",
    "Not allowed: I cannot",
]


@settings(max_examples=400, deadline=None)
@given(
    opening=st.sampled_from(OPENINGS), lead=st.sampled_from(["", " ", "\n", "> ", "** "]),
    end=st.text(max_size=30), cuts=st.lists(st.integers(1, 60), max_size=40),
)  # fmt: skip
def test_a_refusal_is_read_to_its_end(opening, lead, end, cuts):
    """Whoever refuses is heard out, so that the verdict says so."""
    text = lead + opening + end
    verdict = judge(text, GateContext(), (), schema=SCHEMA)
    if [each.code for each in verdict.findings] == ["output.refusal"]:
        watch = prefix_watch(GateContext(), (), schema=SCHEMA)
        assert heard_before_stop(watch, cut_text(text, cuts)) is None
        stopped = judge(text, GateContext(), (), schema=SCHEMA, finish_reason=STOPPED)
        assert ["output.refusal", "output.stopped"] == [each.code for each in stopped.findings]


LIMITS = st.integers(0, 3)
LEAVES = st.sampled_from(["a", "ab", "abc", "", "ä😀", 0, 1, 1.0, 2, 2.5, -1, True, False, None])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("abx/"), inner, max_size=3)
    ),
    max_leaves=8,
)
SCHEMAS = st.recursive(
    st.one_of(
        st.just({}),
        st.fixed_dictionaries(
            {},
            optional={
                "type": st.one_of(
                    st.sampled_from(["string", "integer", "number", "array", "object", "null"]),
                    st.just(["string", "integer"]),
                ),
                "maxLength": LIMITS,
                "minLength": LIMITS,
                "maxItems": LIMITS,
                "minItems": LIMITS,
                "maximum": LIMITS,
                "exclusiveMaximum": LIMITS,
                "minimum": LIMITS,
                "enum": st.lists(VALUES, min_size=1, max_size=4, unique_by=repr),
                "const": VALUES,
                "required": st.lists(st.sampled_from("ab"), max_size=2, unique=True),
            },
        ),
        st.just({"$ref": "#/$defs/d"}),
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array"]),
            "properties": st.dictionaries(st.sampled_from("abx/"), inner, max_size=3),
            "additionalProperties": st.one_of(st.booleans(), inner),
            "patternProperties": st.dictionaries(st.just("^x"), inner, max_size=1),
            "items": st.one_of(inner, st.booleans()),
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            "$ref": st.just("#/$defs/d"),
            "required": st.lists(st.sampled_from("ab"), max_size=2, unique=True),
        },
    ),
    max_leaves=6,
)
DIALECTS = st.sampled_from(
    [
        None,
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-04/schema#",
        "https://json-schema.org/draft/2019-09/schema",
    ]
)


@settings(max_examples=800, deadline=None)
@given(
    schema=SCHEMAS, part=SCHEMAS, dialect=DIALECTS, value=st.dictionaries(
        st.sampled_from("abx/"), VALUES, max_size=3
    ), cuts=st.lists(st.integers(1, 60), max_size=30),
)  # fmt: skip
def test_a_schema_stops_only_what_it_refuses(schema, part, dialect, value, cuts):
    """Whatever the schema, a value that fits it is read to its end; and a value that is stopped
    is refused in whatever way it goes on."""
    document = {**schema, "$defs": {"d": part}}
    if dialect is not None:
        document["$schema"] = dialect
    try:
        compiled = Schema.compile(document)
    except InputError:
        return
    text = json.dumps(value, ensure_ascii=False)
    heard = heard_before_stop(
        prefix_watch(GateContext(), (), schema=compiled), cut_text(text, cuts)
    )
    if heard is None:
        return
    for tail in (text[len(heard) :], *ENDS):
        assert not judge(heard + tail, GateContext(), (), schema=compiled).accepted


class _Deaf:
    """A reader that asks nothing: the text alone is judged."""

    def begins(self, kind):
        return False

    def key(self, name):
        pass

    def grows(self, more):
        pass

    def ends(self, value, written):
        pass

    def closes(self):
        pass


@settings(max_examples=800, deadline=None)
@given(
    text=st.one_of(
        st.lists(st.sampled_from(TOKENS), max_size=12).map("".join),
        VALUES.map(json.dumps),
        st.tuples(VALUES.map(json.dumps), st.sampled_from(TOKENS), st.integers(0, 20)).map(
            lambda all_: all_[0][: all_[2]] + all_[1] + all_[0][all_[2] :]
        ),
    ),
    cuts=st.lists(st.integers(1, 60), max_size=30),
)
def test_the_growing_reading_agrees_with_the_reading_of_the_whole(text, cuts):
    """A fault that is found while a text grows is one of the whole; a text without one lacks only
    its end."""
    text += " "  # a number ends only where something else begins
    whole = parse(text)
    code = _growing_fault(cut_text(text, cuts))
    if code is None:
        unfinished = {"json.invalid", "output.refusal", "output.empty"}
        assert not isinstance(whole, Refused) or whole.code in unfinished
    else:
        assert isinstance(whole, Refused)
        assert code.startswith("json.")


def _growing_fault(pieces: list[str]) -> str | None:
    reader = GrowingJson(_Deaf(), max_depth=64)
    try:
        for piece in pieces:
            reader.hear(piece)
    except GrowingFault as fault:
        return fault.code
    return None


def test_the_good_replies_are_good():
    """The laws above speak of texts that the gate accepts: here are two."""
    assert verdict_of(GOOD).accepted
    assert verdict_of(PLAIN).accepted
    assert prefix_watch(CONTEXT, CHECKS, schema=SCHEMA).hear(GOOD) is False
