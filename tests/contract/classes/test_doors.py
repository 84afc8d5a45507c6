"""Doors of pydantic that could lead past a schema or a marker: each is held, or refused by name."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated, Any, Generic, TypeVar

import pytest
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    WithJsonSchema,
    WrapValidator,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticOmit, PydanticUseDefault

import assay
from assay.errors import ContractClassError, UsageError

T = TypeVar("T")
Quoted = Annotated[str, assay.Quote("body")]
BODY = "Dear all, the pipe in our cellar broke."
MADE_UP = "our roof is gone"
REAL = "the pipe in our cellar"


def judged(model, output, **how):
    return assay.judge(model, json.dumps(output), sources={"body": BODY}, **how)


def codes(model, output, **how):
    return [each.code for each in judged(model, output, **how).findings]


class Quotes(BaseModel):
    text: Quoted


class Says(BaseModel):
    text: str


@pytest.mark.clause("007-C2")
def test_the_instance_is_of_the_way_whose_markers_hold():
    """A union of two classes that look alike: who promises a quote is not made without one."""

    class Either(BaseModel):
        one: Quotes | Says

    assert type(judged(Either, {"one": {"text": MADE_UP}}).value.one) is Says
    assert type(judged(Either, {"one": {"text": REAL}}).value.one) is Quotes


@pytest.mark.clause("007-C2")
def test_a_tag_that_a_function_reads_decides():
    """Ways that look alike are told apart by the class alone, and its marker holds."""

    class A(BaseModel):
        kind: str
        text: Quoted

    class B(BaseModel):
        kind: str
        text: str

    def tag(value: Any) -> str:
        return value["kind"] if isinstance(value, dict) else value.kind

    class Tagged(BaseModel):
        one: Annotated[
            Annotated[A, Tag("a")] | Annotated[B, Tag("b")],
            Discriminator(tag),
        ]

    assert type(judged(Tagged, {"one": {"kind": "b", "text": MADE_UP}}).value.one) is B
    assert type(judged(Tagged, {"one": {"kind": "a", "text": REAL}}).value.one) is A
    assert codes(Tagged, {"one": {"kind": "a", "text": MADE_UP}}) == ["evidence.not_found"]


@pytest.mark.clause("007-C1", "007-C2")
@pytest.mark.parametrize("extra", ["allow", "ignore", "forbid"])
@pytest.mark.parametrize("named", ["populate_by_name", "validate_by_name"])
def test_no_other_name_fills_a_field(extra, named):
    """The name in Python is an unknown key of the output, and nothing else."""

    class Renamed(BaseModel):
        model_config = ConfigDict(extra=extra, **{named: True})
        text: Quoted = Field(default="", alias="Text")

    value = judged(Renamed, {"text": MADE_UP}).value
    assert value is None or value.text == ""


@pytest.mark.clause("007-C1")
def test_the_alias_counts_also_where_the_class_says_that_it_does_not():
    """A class that pydantic would read by names alone is read by what its schema says."""

    class Named(BaseModel):
        model_config = ConfigDict(validate_by_alias=False, validate_by_name=True)
        text: Quoted = Field(alias="Text")

    assert judged(Named, {"Text": REAL}).value.text == REAL
    assert not judged(Named, {"text": REAL}).accepted


@pytest.mark.clause("007-C2")
@pytest.mark.parametrize(
    "annotation",
    [
        Annotated[list[Quoted], BeforeValidator(lambda v: v, json_schema_input_type=list[str])],
        Annotated[list[Quoted], WrapValidator(lambda v, h: h(v), json_schema_input_type=list[str])],
        Annotated[list[Quoted], WithJsonSchema({"type": "array"})],
        Annotated[list[Quoted], Field(json_schema_extra=lambda schema: schema.clear())],
    ],
    ids=["before", "wrap", "own schema", "cleared"],
)
def test_a_marker_that_the_schema_does_not_carry_is_asked_all_the_same(annotation):
    """Whatever a class tells of itself in its schema."""

    class Hidden(BaseModel):
        texts: annotation

    assert codes(Hidden, {"texts": [REAL, MADE_UP]}) == ["evidence.not_found"]
    assert judged(Hidden, {"texts": [REAL]}).accepted


def plain_field() -> type[BaseModel]:
    class Model(BaseModel):
        texts: list[Quoted]

        @field_validator("texts", mode="plain")
        @classmethod
        def take(cls, texts):
            return texts

    return Model


def plain_within() -> type[BaseModel]:
    class Model(BaseModel):
        texts: Annotated[list[Quoted], PlainValidator(lambda v: v)]

    return Model


def plain_deep() -> type[BaseModel]:
    class Outer(BaseModel):
        inner: list[plain_within()]

    return Outer


def two_quotes() -> type[BaseModel]:
    class Model(BaseModel):
        text: Annotated[str, assay.Quote("subject"), assay.Quote("body")]

    return Model


def two_labels() -> type[BaseModel]:
    class Model(BaseModel):
        text: Annotated[str, assay.Label("a"), assay.Label("b")]

    return Model


def odd_keyword() -> type[BaseModel]:
    class Model(BaseModel):
        text: str = Field(json_schema_extra={"x-assay-quote": None})

    return Model


def several_names() -> type[BaseModel]:
    class Model(BaseModel):
        model_config = ConfigDict(extra="ignore")
        text: Quoted = Field(default="", validation_alias=AliasChoices("a", "b"))

    return Model


def unsaid_within() -> type[BaseModel]:
    class Box(BaseModel, Generic[T]):
        inside: T

    class Model(BaseModel):
        boxes: list[Box]

    return Model


def never_run() -> type[BaseModel]:
    class Model(BaseModel):
        count: int

        @field_validator("count")
        @classmethod
        async def look(cls, count):
            raise ValueError

    return Model


def omits() -> type[BaseModel]:
    def leave_out(value):
        raise PydanticOmit

    class Model(BaseModel):
        counts: list[Annotated[int, AfterValidator(leave_out)]]

    return Model


def takes_a_default() -> type[BaseModel]:
    class Model(BaseModel):
        text: Quoted = ""

        @field_validator("text", mode="before")
        @classmethod
        def replace(cls, text):
            raise PydanticUseDefault

    return Model


@pytest.mark.clause("007-C3")
@pytest.mark.parametrize(
    "build",
    [
        plain_field,
        plain_within,
        plain_deep,
        two_quotes,
        two_labels,
        odd_keyword,
        several_names,
        unsaid_within,
        never_run,
        omits,
        takes_a_default,
    ],
)
def test_what_nobody_could_hold_is_refused(build):
    """Markers that are never asked, names that no schema knows, validators that are never run or
    whose exception pydantic takes for consent."""
    with pytest.raises(ContractClassError) as refused:
        assay.Contract.from_model(build(), labels={"a": ["x"], "b": ["x"]})
    assert refused.value.hint


@pytest.mark.clause("007-C4", "007-C6")
@pytest.mark.parametrize("made", [None, {"not": "an instance"}, 7])
def test_a_value_is_an_instance_or_there_is_none(made):
    """A validator of the whole that gives something else, as one that forgets to return."""

    class Wrapped(BaseModel):
        count: int

        @model_validator(mode="wrap")
        @classmethod
        def replace(cls, value, handler):
            return made

    class Forgets(BaseModel):
        count: int

        @model_validator(mode="after")
        def forget(self):
            return made

    for model in (Wrapped, Forgets):
        verdict = judged(model, {"count": 1})
        assert [each.code for each in verdict.findings] == ["rule.failed"]
        assert verdict.value is None


@pytest.mark.clause("007-C2")
def test_a_label_stands_once_in_a_list_also_where_null_may_stand():
    """`list[Label | None]` is a list of labels."""

    class Topics(BaseModel):
        topics: list[Annotated[str, assay.Label("topics")] | None]

    labels = {"topics": ["A", "B"]}
    assert codes(Topics, {"topics": ["A", None, "A"]}, labels=labels) == ["label.duplicate"]
    assert codes(Topics, {"topics": ["A", None, "B"]}, labels=labels) == []


@pytest.mark.clause("007-C3")
def test_labels_have_an_order():
    """A set has another one in each process: prompt and digest would never be the same."""

    class Topic(BaseModel):
        topic: Annotated[str, assay.Label("topics")]

    with pytest.raises(UsageError, match="not a list"):
        judged(Topic, {"topic": "A"}, labels={"topics": {"A", "B"}})


@pytest.mark.clause("007-C2")
def test_who_makes_an_instance_himself_is_asked_nothing():
    """A marker asks where the gate asks."""
    assert Quotes(text=MADE_UP).text == MADE_UP
    assert Quotes.model_validate({"text": MADE_UP}, context={"own": 1}).text == MADE_UP


@pytest.mark.clause("007-C1")
def test_a_way_that_takes_anything_is_a_way():
    """`Quotes | Any`: what the first way refuses the second takes, as the class says."""

    class Loose(BaseModel):
        one: Quotes | Any

    assert judged(Loose, {"one": {"text": MADE_UP}}).value.one == {"text": MADE_UP}
    assert type(judged(Loose, {"one": {"text": REAL}}).value.one) is Quotes


@pytest.mark.clause("007-C4")
def test_a_dataclass_within_may_have_code_of_its_own():
    """What its `__post_init__` raises is a finding."""

    @dataclasses.dataclass
    class Pair:
        low: int
        high: int

        def __post_init__(self):
            if self.low > self.high:
                raise ValueError("low is over high")

    class Holds(BaseModel):
        pair: Pair

    assert judged(Holds, {"pair": {"low": 1, "high": 2}}).value.pair == Pair(1, 2)
    assert codes(Holds, {"pair": {"low": 3, "high": 2}}) == ["rule.failed"]


@pytest.mark.clause("007-C3")
@pytest.mark.parametrize("how", [{"send": "redacte"}, {"send": None}, {"patience_s": "5"}])
def test_a_typo_is_refused(how):
    """Above all one that would send what should stay here."""
    with pytest.raises(UsageError):
        assay.Contract.from_model(Says, **how)
