"""A class of pydantic as a contract: what it says judges, and nothing less."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Generic, Literal, Optional, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    HttpUrl,
    Json,
    RootModel,
    field_validator,
)
from pydantic.alias_generators import to_camel

import assay
from assay.contract.catalogue import told_document
from assay.contract.decoding.wire_schema import wire_schema
from assay.core.json.schema import Schema
from assay.core.text.spans import Shown
from assay.errors import ContractClassError, TemplateError, UsageError
from assay.gate.gate import GateContext, prefix_watch

T = TypeVar("T")
BODY = "Dear all, the pipe in our cellar broke. Yours, Ann"


class Triage(BaseModel):
    topic: Literal["water", "fire", "other"]
    quote: Annotated[str, assay.Quote("body")]


class Node(BaseModel):
    quote: Annotated[str, assay.Quote("body")]
    kids: list[Node] = []


class Quoting(BaseModel):
    kind: Literal["quoting"]
    text: Annotated[str, assay.Quote("body")]


class Free(BaseModel):
    kind: Literal["free"]
    text: str


class Either(BaseModel):
    item: Annotated[Quoting | Free, Field(discriminator="kind")]


class Box(BaseModel, Generic[T]):
    inside: T


class Renamed(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    first_name: str
    born_on: datetime.date | None = None


class Chosen(BaseModel):
    value: int = Field(validation_alias=AliasChoices("value", "wert"))


class Colour(enum.Enum):
    RED = "red"
    TWO = 2


class Kinds(BaseModel):
    colour: Colour
    at: datetime.datetime
    amount: decimal.Decimal
    id: uuid.UUID
    link: HttpUrl
    pair: tuple[int, str]
    count: Optional[int] = None  # noqa: UP045 - as many people still write it


KINDS = {
    "colour": "red",
    "at": "2026-01-01T10:00:00",
    "amount": "1.50",
    "id": "12345678123456781234567812345678",
    "link": "https://example.org/",
    "pair": [1, "a"],
}


def judged(model, output, **sources):
    text = output if isinstance(output, str | bytes) else json.dumps(output)
    return assay.judge(model, text, sources=sources or {"body": BODY})


def found(model, output, **sources):
    """(code, path) of every finding."""
    return [(each.code, each.path) for each in judged(model, output, **sources).findings]


@pytest.mark.clause("007-C1")
def test_what_is_accepted_is_an_instance():
    """An accepted output is an instance of the class, with the place of its quote."""
    verdict = judged(Triage, {"topic": "water", "quote": "the pipe in our cellar broke"})
    assert verdict.value == Triage(topic="water", quote="the pipe in our cellar broke")
    assert [(span.path, span.source, span.start) for span in verdict.spans] == [
        ("/quote", "body", 10)
    ]


@pytest.mark.clause("007-C1")
@pytest.mark.parametrize(
    ("output", "code"),
    [
        ({"topic": "Water", "quote": "the pipe"}, "schema.enum"),
        ({"topic": "water", "quote": "the pipe", "sure": True}, "schema.additionalProperties"),
        ({"topic": "water"}, "schema.required"),
        ({"topic": "water", "quote": 7}, "schema.type"),
        ('```json\n{"topic": "water", "quote": "the pipe"}\n```', "json.fenced"),
        ('{"topic": "water", "topic": "fire", "quote": "the pipe"}', "json.duplicate_key"),
        ("I cannot help with that.", "output.refusal"),
    ],
)
def test_nothing_of_a_class_is_weaker_than_a_pack(output, code):
    """Keys nobody declared, coerced values, fences and doubled keys are refused, and no value
    is made of them."""
    verdict = judged(Triage, output)
    assert code in [each.code for each in verdict.findings]
    assert verdict.value is None
    assert verdict.output is None


@pytest.mark.clause("007-C1")
@pytest.mark.parametrize("extra", ["allow", "ignore"])
def test_a_class_that_says_extra_is_open(extra):
    """Unknown keys pass where the class itself asks for it."""

    class Open(BaseModel):
        model_config = ConfigDict(extra=extra)
        count: int

    assert judged(Open, {"count": 1, "more": 2}).accepted


@pytest.mark.clause("007-C1")
def test_classes_within_are_closed_too():
    """An unknown key in an inner class is found at its place."""

    class Outer(BaseModel):
        inner: list[Triage]

    output = {"inner": [{"topic": "fire", "quote": "the pipe", "more": 1}]}
    assert found(Outer, output) == [("schema.additionalProperties", "/inner/0")]


@pytest.mark.clause("007-C1")
def test_aliases_are_the_names_in_json():
    """The alias stands in JSON, the name of the field in Python; the name in JSON is unknown."""
    assert judged(Renamed, {"firstName": "Ann"}).value.first_name == "Ann"
    assert ("schema.additionalProperties", "") in found(Renamed, {"first_name": "Ann"})
    assert judged(Chosen, {"value": 1}).value.value == 1
    assert not judged(Chosen, {"wert": 1}).accepted


@pytest.mark.clause("007-C1")
def test_defaults_fill_what_is_left_out_and_can_be_told():
    """A default is the class's, not the model's: `model_fields_set` tells the two apart."""
    value = judged(Renamed, {"firstName": "Ann"}).value
    assert value.born_on is None
    assert value.model_fields_set == {"first_name"}


@pytest.mark.clause("007-C1")
def test_rich_types_are_read_by_the_class():
    """Times without a zone, decimals, identifiers, links, enumerations become what they are."""
    value = judged(Kinds, KINDS).value
    assert value.colour is Colour.RED
    assert value.at == datetime.datetime(2026, 1, 1, 10)  # noqa: DTZ001
    assert value.amount == decimal.Decimal("1.50")
    assert value.id == uuid.UUID(KINDS["id"])
    assert value.pair == (1, "a")


@pytest.mark.clause("007-C4")
@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"at": "2026-02-30T10:00:00"}, "/at"),
        ({"at": "yesterday"}, "/at"),
        ({"id": "12"}, "/id"),
        ({"link": "no link"}, "/link"),
        ({"count": 3.0}, "/count"),
    ],
)
def test_what_the_class_cannot_read_is_a_finding_at_its_place(change, path):
    """`schema.class` names the place of a value that fits the schema and is none of the type."""
    assert found(Kinds, KINDS | change) == [("schema.class", path)]


@pytest.mark.clause("007-C1")
def test_a_number_in_quotes_is_no_number():
    """Nothing is coerced: neither "3" nor true are integers."""

    class Counted(BaseModel):
        count: int

    assert not judged(Counted, {"count": "3"}).accepted
    assert not judged(Counted, {"count": True}).accepted
    assert judged(Counted, {"count": 3}).value.count == 3


@pytest.mark.clause("007-C1")
def test_a_generic_is_a_class_once_it_is_said():
    """`Box[int]` judges by int; its name in the record has no brackets."""
    assert judged(Box[int], {"inside": 1}).value.inside == 1
    assert not judged(Box[int], {"inside": "1"}).accepted
    assert assay.Contract.from_model(Box[int]).reference == "python/Box_int"


@pytest.mark.clause("007-C2")
def test_markers_follow_the_way_of_a_union():
    """The text of the way that quotes is held to the source, that of the other is free."""
    assert judged(Either, {"item": {"kind": "free", "text": "made up"}}).accepted
    assert found(Either, {"item": {"kind": "quoting", "text": "made up"}}) == [
        ("evidence.not_found", "/item/text")
    ]
    assert judged(Either, {"item": {"kind": "quoting", "text": "our cellar"}}).accepted


@pytest.mark.clause("007-C2")
def test_one_way_of_several_is_enough():
    """A text is a quote or a fixed word: either is enough, and neither is a finding."""

    class Says(BaseModel):
        text: Annotated[str, assay.Quote("body")] | Literal["silent"]

    assert judged(Says, {"text": "our cellar"}).accepted
    assert judged(Says, {"text": "silent"}).accepted
    assert found(Says, {"text": "made up"}) == [("evidence.not_found", "/text")]


@pytest.mark.clause("007-C2")
def test_markers_hold_at_any_depth_of_a_class_that_contains_itself():
    """A quote that is made up is found five levels down."""
    output: dict[str, Any] = {"quote": "made up"}
    for _ in range(5):
        output = {"quote": "our cellar", "kids": [{"quote": "the pipe"}, output]}
    assert found(Node, output) == [("evidence.not_found", "/kids/1" * 5 + "/quote")]


@pytest.mark.clause("007-C2")
def test_markers_hold_in_lists_keys_and_optional_fields():
    """List items, values and keys of a mapping, and optional texts are all held to their marker."""

    class Many(BaseModel):
        some: list[Annotated[str, assay.Quote()]] = []
        by_name: dict[str, Annotated[str, assay.Quote("body")]] = {}
        counts: dict[Annotated[str, assay.Label("topics")], int] = {}
        maybe: Annotated[str | None, assay.Quote("body")] = None

    contract = assay.Contract.from_model(Many, labels={"topics": ["WATER"]})
    assert found(contract, {"maybe": None}) == []
    output = {
        "some": ["our cellar", "invented words"],
        "by_name": {"a": "the pipe", "b/c": "invented words"},
        "counts": {"WATER": 1, "FIRE": 2},
        "maybe": "invented words",
    }
    assert sorted(found(contract, output)) == [
        ("evidence.not_found", "/by_name/b~1c"),
        ("evidence.not_found", "/maybe"),
        ("evidence.not_found", "/some/1"),
        ("label.unknown", "/counts/FIRE"),
    ]


@pytest.mark.clause("007-C2")
def test_a_quote_stands_in_the_source_that_it_names():
    """What stands in another source is no quote of this one; `Quote()` takes any."""

    class Subject(BaseModel):
        quote: Annotated[str, assay.Quote("subject")]

    class Anywhere(BaseModel):
        quote: Annotated[str, assay.Quote()]

    sources = {"subject": "Burst pipe", "body": "It is the cellar."}
    assert judged(Subject, {"quote": "Burst pipe"}, **sources).spans[0].source == "subject"
    assert not judged(Subject, {"quote": "the cellar"}, **sources).accepted
    assert judged(Anywhere, {"quote": "the cellar"}, **sources).spans[0].source == "body"


@pytest.mark.clause("007-C2")
@pytest.mark.parametrize("quote", ["", " ", ".", "…", "\u200b\u200b"])
def test_a_quote_of_nothing_is_no_evidence(quote):
    """Too little text to be evidence is `evidence.missing`, wherever it stands."""
    output = {"topic": "water", "quote": quote}
    assert found(Triage, output) == [("evidence.missing", "/quote")]


@pytest.mark.clause("007-C2")
def test_labels_are_those_of_the_set_given_at_run_time():
    """The same class takes other labels under another set, byte for byte, none twice in a list."""

    class Sorted(BaseModel):
        topics: list[Annotated[str, assay.Label("topics")]]

    for labels in (["WATER", "FIRE"], {"WATER": "pipes", "FIRE": "smoke"}):
        verdict = assay.judge(
            Sorted, '{"topics": ["WATER", "water", "WATER"]}', labels={"topics": labels}
        )
        assert [(each.code, each.path) for each in verdict.findings] == [
            ("label.unknown", "/topics/1"),
            ("label.duplicate", "/topics/2"),
        ]
    assert assay.judge(Sorted, '{"topics": ["A"]}', labels={"topics": ["A"]}).accepted


class Unfinished(BaseModel):
    later: NotDefinedYet  # noqa: F821


class Calls(BaseModel):
    back: Callable[[int], int]


class Numbers(RootModel[list[int]]):
    pass


class FromPath(BaseModel):
    value: int = Field(validation_alias=AliasPath("outer", "inner"))


class QuotedNumber(BaseModel):
    value: Annotated[int, assay.Quote("body")]


class QuotedList(BaseModel):
    values: Annotated[list[str], assay.Quote("body")]


class Labelled(BaseModel):
    topic: Annotated[str, assay.Label("topics")]


class Within(BaseModel):
    values: Json[list[Annotated[str, assay.Quote("body")]]]


class MadeUp(BaseModel):
    quote: Annotated[str, assay.Quote("body")] = "what nobody wrote"


class Huge(BaseModel):
    value: int = Field(lt=10**30)


@pytest.mark.clause("007-C3")
@pytest.mark.parametrize(
    ("model", "says"),
    [
        (int, "no class of pydantic"),
        ("Triage", "no class of pydantic"),
        (Triage(topic="water", quote="x"), "no class of pydantic"),
        (BaseModel, "says nothing"),
        (Box, "generic"),
        (Unfinished, "not defined yet"),
        (Calls, "JSON cannot hold"),
        (Numbers, "no JSON object"),
        (FromPath, "AliasPath"),
        (QuotedNumber, "no text can stand"),
        (QuotedList, "no text can stand"),
        (Labelled, "no such set is given"),
        (Huge, "cannot write exactly"),
        (Within, "a text that is JSON"),
        (MadeUp, "default"),
    ],
)
def test_a_class_that_cannot_be_a_contract_is_refused_by_name(model, says):
    """The error is a typed one, says what is wrong, and what to do."""
    with pytest.raises(ContractClassError, match=says) as refused:
        assay.Contract.from_model(model)
    assert refused.value.hint


@pytest.mark.clause("007-C3")
def test_a_default_of_a_marked_field_says_that_there_is_none():
    """None, an empty text, an empty list; a label by default is one of its set."""

    class Empty(BaseModel):
        quote: Annotated[str, assay.Quote("body")] | None = None
        other: Annotated[str, assay.Quote("body")] = ""
        some: list[Annotated[str, assay.Quote("body")]] = []
        topic: Annotated[str, assay.Label("topics")] = "OTHER"

    assert assay.Contract.from_model(Empty, labels={"topics": ["WATER", "OTHER"]})
    with pytest.raises(ContractClassError, match="default"):
        assay.Contract.from_model(Empty, labels={"topics": ["WATER"]})


@pytest.mark.clause("007-C3")
@pytest.mark.parametrize(
    "labels",
    [{"topics": []}, {"topics": ["A", "A"]}, {"topics": "ABC"}, {"topics": [1]}, {"topics": [""]}],
)
def test_a_set_of_labels_that_cannot_be_meant_is_refused(labels):
    """No labels, the same twice, a text, a number, an empty one."""
    with pytest.raises(UsageError):
        assay.Contract.from_model(Labelled, labels=labels)


@pytest.mark.clause("007-C3")
def test_names_prompts_and_markers_that_cannot_be_meant_are_refused():
    """A name with a slash, a prompt with a broken place, a marker of nothing."""
    with pytest.raises(UsageError, match="no name"):
        assay.Contract.from_model(Triage, name="a/b")
    with pytest.raises(TemplateError):
        assay.Contract.from_model(Triage, prompt="{{ body")
    with pytest.raises(UsageError, match="attempt"):
        assay.Contract.from_model(Triage, attempts=[])
    with pytest.raises(UsageError, match="not called"):

        class NotCalled(BaseModel):
            quote: Annotated[str, assay.Quote]

    with pytest.raises(UsageError):
        assay.Quote("")
    with pytest.raises(UsageError):
        assay.Label("")


# --- the digest -------------------------------------------------------------------------------


def made(**how):
    class Same(BaseModel):
        count: int

    return assay.Contract.from_model(Same, **how)


@pytest.mark.clause("007-C5")
def test_the_same_class_is_the_same_contract():
    """Two classes that say the same have one digest."""
    assert made().digest == made().digest


@pytest.mark.clause("007-C5")
@pytest.mark.parametrize(
    "how",
    [
        {"version": "2"},
        {"name": "Other"},
        {"prompt": "Count {{body}}"},
        {"labels": {"unused": ["A"]}},
        {"attempts": [assay.Attempt()]},
        {"budget": assay.Budget(max_input_tokens=5, max_output_tokens=5)},
        {"models": ["openai:*"]},
        {"send": "redacted"},
    ],
)
def test_whatever_decides_is_in_the_digest(how):
    """Version, name, prompt, labels, ladder, limits, models and what is sent."""
    assert made(**how).digest != made().digest


@pytest.mark.clause("007-C5")
def test_a_changed_class_is_another_contract():
    """A field, a bound, a marker, or the text of a validator that differs gives another digest."""

    def digest(build):
        return assay.Contract.from_model(build(), name="Same").digest

    def plain():
        class Same(BaseModel):
            text: str

        return Same

    def bounded():
        class Same(BaseModel):
            text: str = Field(max_length=5)

        return Same

    def marked():
        class Same(BaseModel):
            text: Annotated[str, assay.Quote("body")]

        return Same

    def checked():
        class Same(BaseModel):
            text: str

            @field_validator("text")
            @classmethod
            def check(cls, text):
                assert text == "a"
                return text

        return Same

    def checked_otherwise():
        class Same(BaseModel):
            text: str

            @field_validator("text")
            @classmethod
            def check(cls, text):
                assert text == "b"
                return text

        return Same

    digests = [digest(each) for each in (plain, bounded, marked, checked, checked_otherwise)]
    assert len(set(digests)) == 5
    assert digest(checked) == digests[3]


# --- what is told -----------------------------------------------------------------------------


@pytest.mark.clause("007-C2", "006-M1")
def test_a_model_is_told_labels_and_quotes_in_the_schema():
    """Labels stand as an enumeration with what they mean, quotes in words, no key of our own."""

    class Told(BaseModel):
        topic: Annotated[str, assay.Label("topics")] | None = None
        quote: Annotated[str, assay.Quote("body")] = Field(description="What decides.")
        at: datetime.datetime

    contract = assay.Contract.from_model(Told, labels={"topics": {"WATER": "pipes", "FIRE": ""}})
    told = told_document(contract)
    assert "x-assay" not in json.dumps(told)
    assert told["properties"]["topic"]["anyOf"][0]["enum"] == ["WATER", "FIRE"]
    assert told["properties"]["topic"]["anyOf"][0]["description"] == "WATER: pipes"
    assert told["properties"]["quote"]["description"].startswith("What decides.\nCopied character")
    assert told["properties"]["at"]["format"] == "date-time"
    assert "x-assay" not in json.dumps(wire_schema(contract).document)


@pytest.mark.clause("006-M1", "007-C2")
@given(
    st.fixed_dictionaries(
        {
            "topic": st.sampled_from(["WATER", "FIRE", "SMOKE", "", None]),
            "quote": st.sampled_from(["our cellar", "the pipe", "made up", ""]),
            "item": st.sampled_from(
                [{"kind": "free", "text": "x"}, {"kind": "quoting", "text": "our cellar"}, {}]
            ),
        },
        optional={"more": st.integers()},
    )
)
def test_whatever_is_accepted_fits_what_a_provider_is_told(output):
    """No reply that the gate takes is forbidden by the schema that goes out."""

    class Told(Either):
        topic: Annotated[str, assay.Label("topics")] | None
        quote: Annotated[str, assay.Quote("body")]

    contract = assay.Contract.from_model(Told, labels={"topics": ["WATER", "FIRE"]})
    accepted = judged(contract, output).accepted
    good_topic = output["topic"] in ("WATER", "FIRE", None)
    good_quote = output["quote"] in ("our cellar", "the pipe")
    assert accepted == (good_topic and good_quote and bool(output["item"]) and "more" not in output)
    if accepted:
        wire = wire_schema(contract)
        for schema in (wire.document, wire.strict, wire.anthropic):
            assert schema is None or Schema.compile(schema).is_valid(output)


@pytest.mark.clause("006-M4", "007-C2")
@given(
    st.builds(
        lambda topic, quotes, item: json.dumps({"topic": topic, "quotes": quotes, "item": item}),
        st.sampled_from(["WATER", "SMOKE", ""]),
        st.lists(st.sampled_from(["our cellar", "made up", "."]), max_size=3),
        st.sampled_from(
            [{"kind": "free", "text": "x"}, {"kind": "quoting", "text": "no"}, {"kind": "free"}]
        ),
    ),
    st.integers(1, 9),
)
def test_a_reply_is_stopped_only_where_it_would_be_rejected(text, size):
    """A reply that is read along is stopped for a marker only when the whole is rejected, too, and
    what was stopped stays rejected."""

    class Told(Either):
        topic: Annotated[str, assay.Label("topics")]
        quotes: list[Annotated[str, assay.Quote("body")]]

    contract = assay.Contract.from_model(Told, labels={"topics": ["WATER"]})
    shown = (Shown.of_text("body", BODY),)
    watch = prefix_watch(GateContext(shown=shown), contract.checks, schema=contract.schema)
    whole = judged(contract, text)
    for at in range(0, len(text), size):
        if watch.hear(text[at : at + size]):
            prefix = text[: at + size]
            stopped = assay.judge(
                contract, prefix, sources={"body": BODY}, finish_reason="assay_stopped"
            )
            assert not whole.accepted
            assert not stopped.accepted
            return
    certain = {"label.unknown", "evidence.not_found", "evidence.missing"}
    assert not {each.code for each in whole.findings if each.path[:5] != "/item"} & certain
