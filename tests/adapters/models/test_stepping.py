"""What a model takes, as far as it has refused: pure, in any order."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.stepping import (
    MAX_REFUSALS,
    RUNGS,
    Exchange,
    Memory,
    Offer,
    Refusal,
    Taken,
    offered_rungs,
    output_mode,
    step,
)
from assay.errors import UsageError

OFFER = Offer(
    rungs=RUNGS,
    schema_sha256="sha256:a",
    carriers=frozenset({"response_format"}),
    optional=("temperature", "seed", "stream_options"),
    limits=("max_tokens", "max_completion_tokens"),
)
NAMES = ["temperature", "seed", "stream_options", *OFFER.limits, "model", "top_k", ""]
REFUSALS = st.builds(
    Refusal,
    parameter=st.sampled_from(NAMES),
    code=st.just("c"),
    about=st.sampled_from(["parameter", "output", "schema", "reply", "unnamed"]),
)
TAKEN = st.builds(
    Taken,
    refused=st.frozensets(st.sampled_from(NAMES)),
    level=st.integers(0, 3),
    levels=st.dictionaries(st.sampled_from(["sha256:a", "sha256:b"]), st.integers(0, 3)).map(
        MappingProxyType
    ),
)


def named(parameter: str) -> Refusal:
    return Refusal(parameter=parameter, code="unsupported_parameter", about="parameter")


def about(what) -> Refusal:
    return Refusal(parameter="", code="", about=what)


def sent(taken: Taken) -> tuple[object, ...]:
    return (
        taken.rung(OFFER),
        taken.limit(OFFER),
        tuple(name for name in OFFER.optional if taken.takes(name)),
    )


@pytest.mark.clause("006-M1")
@given(TAKEN, REFUSALS)
def test_a_step_changes_what_is_sent_or_there_is_none(taken, refusal):
    """No refusal is answered by the same request again."""
    after = step(taken, refusal, OFFER)

    assert after is None or sent(after) != sent(taken)


@pytest.mark.clause("006-M1")
@given(TAKEN, TAKEN, TAKEN)
def test_knowledge_is_joined_in_any_order(one, two, three):
    """Requests in flight learn at the same time."""
    assert one.join(two).join(three) == three.join(two.join(one))
    assert one.join(one) == one


@pytest.mark.clause("006-M1")
@given(st.lists(REFUSALS, max_size=40))
def test_an_exchange_ends(refusals):
    """However a server refuses, the number of requests is bounded."""
    exchange = Exchange(Memory(), OFFER)

    assert MAX_REFUSALS >= sum(exchange.step(refusal) for refusal in refusals)


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize(
    ("refusals", "rungs"),
    [
        (["output", "output"], ["strict", "json", "text"]),
        (["unnamed", "unnamed"], ["strict", "json", "text"]),
        (["schema", "output", "output"], ["strict", "schema", "json", "text"]),
        (["schema", "schema", "schema"], ["strict", "schema", "json", "text"]),
    ],
)
def test_the_mode_goes_down_one_level_a_refusal(refusals, rungs):
    """Without `strict` it is tried again only when the subset is what was refused."""
    exchange = Exchange(Memory(), OFFER)
    seen = [exchange.rung]
    for each in refusals:
        assert exchange.step(about(each))
        seen.append(exchange.rung)

    assert rungs == seen
    assert not exchange.step(about("output"))


@pytest.mark.clause("006-M1")
def test_a_fixed_mode_is_never_left():
    """Its refusal is the set-up's fault."""
    for mode, rung in (("schema", "strict"), ("json", "json"), ("text", "text")):
        offer = Offer(rungs=offered_rungs(mode, RUNGS), schema_sha256="sha256:a")
        exchange = Exchange(Memory(), offer)

        assert rung == exchange.rung
        assert not any(exchange.step(about(each)) for each in ("output", "schema", "unnamed"))


def test_a_mode_that_an_api_lacks_is_the_next_one_down():
    """Nothing stronger than what was asked for is sent."""
    assert ("text",) == offered_rungs("json", ("schema", "text"))
    assert ("json", "text") == offered_rungs("auto", ("json", "text"))


@pytest.mark.clause("006-M1")
def test_what_is_not_named_is_remembered_only_when_it_helped():
    """Else the fault was the input's, and the next input is held to the schema again."""
    memory = Memory()
    failed = Exchange(memory, OFFER)
    assert failed.step(about("unnamed"))
    assert failed.step(about("unnamed"))
    assert not failed.step(about("unnamed"))
    assert "strict" == Exchange(memory, OFFER).rung

    helped = Exchange(memory, OFFER)
    assert helped.step(about("unnamed"))
    helped.settle()
    assert "json" == Exchange(memory, OFFER).rung


@pytest.mark.clause("006-M1")
def test_what_is_named_is_remembered_at_once_and_for_what_it_names():
    """A schema that is refused lowers no other; a reply that failed lowers nothing to come."""
    memory, other = Memory(), Offer(rungs=RUNGS, schema_sha256="sha256:b")
    exchange = Exchange(memory, OFFER)
    assert exchange.step(about("schema"))
    assert ("schema", "strict") == (Exchange(memory, OFFER).rung, Exchange(memory, other).rung)
    assert exchange.step(about("output"))
    assert ("json", "json") == (Exchange(memory, OFFER).rung, Exchange(memory, other).rung)

    fresh = Memory()
    stumbled = Exchange(fresh, OFFER)
    assert stumbled.step(about("reply"))
    stumbled.settle()
    assert "strict" == Exchange(fresh, OFFER).rung


@pytest.mark.clause("006-M2")
def test_the_limit_is_renamed_and_never_left_out():
    """Refused under both names it ends with the fault; another's name changes nothing."""
    exchange = Exchange(Memory(), OFFER)

    assert not exchange.step(named("max_completion_tokens"))
    assert exchange.step(named("max_tokens"))
    assert "max_completion_tokens" == exchange.limit
    assert not exchange.step(named("max_completion_tokens"))
    assert not exchange.step(named("max_tokens"))
    assert not exchange.step(named("model"))


@pytest.mark.clause("006-M2")
def test_what_was_done_is_told_for_the_record():
    """Mode, what was left out, renamed and refused."""
    exchange = Exchange(Memory(), OFFER)
    before = exchange.facts()
    for refusal in (named("temperature"), named("max_tokens"), about("output")):
        assert exchange.step(refusal)

    assert {"output_mode": "schema", "strict": True, "schema_sha256": "sha256:a"} == before
    assert {
        "output_mode": "json",
        "strict": False,
        "not_applied": ["temperature"],
        "renamed": {"max_tokens": "max_completion_tokens"},
        "refused": [
            {"parameter": "temperature", "code": "unsupported_parameter"},
            {"parameter": "max_tokens", "code": "unsupported_parameter"},
            {"parameter": "", "code": ""},
        ],
    } == exchange.facts()
    assert {} == Exchange(Memory(), Offer()).facts()


def test_a_mode_that_is_none_is_refused():
    """Not silently replaced by a default."""
    assert "auto" == output_mode({})
    with pytest.raises(UsageError, match="ASSAY_OUTPUT_MODE"):
        output_mode({"ASSAY_OUTPUT_MODE": "strict"})
