"""Validators of a class: what they raise is a finding, and so is not ending."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

import assay


class Own(Exception):
    """An error of a stranger."""


RAISED = {
    "value": ValueError("must be odd"),
    "assertion": AssertionError(),
    "key": KeyError("k"),
    "own": Own("Ann Example"),
    "exit": SystemExit(0),
    "interrupt": KeyboardInterrupt(),
    "stop": StopIteration(),
    "generator": GeneratorExit(),
    "recursion": RecursionError(),
    "memory": MemoryError(),
    "custom": PydanticCustomError("too_odd", "too odd"),
}


class Strict(BaseModel):
    how: str

    @field_validator("how")
    @classmethod
    def check(cls, how: str) -> str:
        if how in RAISED:
            raise RAISED[how]
        if how == "secret":
            raise ValueError(f"{how} is Ann Example")
        if how == "fixed":
            raise ValueError("say it otherwise")
        return how


def verdict_of(model, output, **how):
    contract = assay.Contract.from_model(model, **how)
    return assay.judge(contract, json.dumps(output))


@pytest.mark.clause("007-C4")
@pytest.mark.parametrize("how", sorted(RAISED))
def test_whatever_a_validator_raises_is_a_finding(how):
    """`rule.failed`, no instance, and the program goes on, also after `sys.exit`."""
    verdict = verdict_of(Strict, {"how": how})
    assert [each.code for each in verdict.findings] == ["rule.failed"]
    assert verdict.value is None
    assert not verdict.accepted
    assert "Ann" not in verdict.findings[0].message


@pytest.mark.clause("007-C4")
def test_a_validators_words_are_told_only_where_they_cannot_quote():
    """A text that stands in the validator is told; one that was put together is not."""
    assert verdict_of(Strict, {"how": "fixed"}).findings[0].message == "say it otherwise"
    assert "Ann" not in verdict_of(Strict, {"how": "secret"}).findings[0].message


@pytest.mark.clause("007-C4")
def test_the_finding_names_the_place():
    """A validator of a field is found at that field; one of an object at the object."""

    class Inner(BaseModel):
        low: int
        high: int = Field(gt=0)

        @model_validator(mode="after")
        def ordered(self):
            if self.low > self.high:
                raise ValueError("low is over high")
            return self

    class Outer(BaseModel):
        items: list[Inner]

    found = verdict_of(Outer, {"items": [{"low": 1, "high": 2}, {"low": 3, "high": 2}]}).findings
    assert [(each.code, each.path, each.message) for each in found] == [
        ("rule.failed", "/items/1", "low is over high")
    ]


def spin():
    while True:
        pass


def swallow():
    while True:
        with contextlib.suppress(Exception):
            time.sleep(0.01)


def sleep():
    time.sleep(3600)


@pytest.mark.clause("007-C4")
@pytest.mark.parametrize("never", [spin, swallow, sleep])
def test_a_validator_that_never_ends_is_a_finding(never):
    """A loop, one that swallows exceptions, a wait without end: the gate answers all the same."""

    class Endless(BaseModel):
        how: str

        @field_validator("how")
        @classmethod
        def check(cls, how: str) -> str:
            never()
            return how

    verdict = verdict_of(Endless, {"how": "x"}, patience_s=0.2)
    assert [each.code for each in verdict.findings] == ["rule.failed"]
    assert "did not end" in verdict.findings[0].message


@pytest.mark.clause("007-C4")
def test_a_loop_is_ended_and_not_left_behind():
    """The thread of a validator that loops in Python is gone after its time."""
    before = {thread for thread in threading.enumerate() if thread.name == "assay-ask"}

    class Loops(BaseModel):
        how: str

        @field_validator("how")
        @classmethod
        def check(cls, how: str) -> str:
            spin()
            return how

    verdict_of(Loops, {"how": "x"}, patience_s=0.1)
    left = {thread for thread in threading.enumerate() if thread.name == "assay-ask"} - before
    for thread in left:
        thread.join(10)
    assert not any(thread.is_alive() for thread in left)


@pytest.mark.clause("007-C4")
def test_other_python_of_a_class_is_held_to_the_same():
    """A default that is made, `model_post_init`, an `__init__` of its own: what they raise is a
    finding."""

    class Made(BaseModel):
        count: int = Field(default_factory=lambda: 1 // 0)

    class After(BaseModel):
        count: int

        def model_post_init(self, context, /):
            raise Own

    class Init(BaseModel):
        count: int

        def __init__(self, **data):
            sys.exit(3)

    assert [each.code for each in verdict_of(Made, {}).findings] == ["rule.failed"]
    assert [each.code for each in verdict_of(After, {"count": 1}).findings] == ["rule.failed"]
    assert [each.code for each in verdict_of(Init, {"count": 1}).findings] == ["rule.failed"]


@pytest.mark.clause("007-C4")
def test_validators_see_what_the_output_is_about():
    """`info.context` holds the sources as shown, the input and the state."""

    class Counts(BaseModel):
        count: int

        @field_validator("count")
        @classmethod
        def right(cls, count, info):
            if info.context["sources"]["body"].count("x") * info.context["input"]["times"] != count:
                raise ValueError("not the number of x")
            return count

    def judged(count):
        return assay.judge(
            Counts, f'{{"count": {count}}}', sources={"body": "axxa"}, input={"times": 2}
        )

    assert judged(4).value.count == 4
    assert judged(3).findings[0].message == "not the number of x"


@pytest.mark.clause("007-C4")
def test_a_validator_that_repairs_is_asked_after_the_gate():
    """What a `before` validator would mend is refused as it was written."""

    class Mends(BaseModel):
        count: int

        @field_validator("count", mode="before")
        @classmethod
        def mend(cls, count):
            return int(count)

    assert [each.code for each in verdict_of(Mends, {"count": "3"}).findings] == ["schema.type"]


@pytest.mark.clause("007-C4")
@given(st.integers() | st.text() | st.none() | st.booleans() | st.floats(allow_nan=False))
def test_a_value_comes_with_acceptance_and_only_with_it(given):
    """Whatever stands there: an instance when accepted, None when not."""

    class Odd(BaseModel):
        count: int

        @field_validator("count")
        @classmethod
        def odd(cls, count):
            if count % 2 == 0:
                raise ValueError("must be odd")
            return count

    verdict = assay.judge(Odd, json.dumps({"count": given}))
    good = type(given) is int and given % 2 == 1 and abs(given) < 2**53
    assert verdict.accepted == good
    assert (verdict.value is not None) == good
