"""A class, a prompt, an outcome: recorded, reviewed, replayed like any other call."""

from __future__ import annotations

import asyncio
import functools
import json
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, field_serializer, field_validator

import assay
from assay.errors import InputError, NotAllowedError, PromptTemplateError, UsageError
from assay.runtime.calls.budget import RunBudget
from assay.runtime.reviews.decision import Decision
from tests.runtime.tiny import opened, sent

BODY = "Dear all, the pipe in our cellar broke. Yours, Ann"
PROMPT = "Sort this mail: {{body}}"
GOOD = json.dumps({"topic": "water", "quote": "the pipe in our cellar"})
BAD = json.dumps({"topic": "water", "quote": "the roof"})


def to_its_end(test):
    """The coroutine, run."""

    @functools.wraps(test)
    def run(**how):
        asyncio.run(test(**how))

    return run


KEY = {"ASSAY_MASTER_KEY": "ab" * 32}


class Triage(BaseModel):
    topic: Literal["water", "fire", "other"]
    quote: Annotated[str, assay.Quote("body")]


class Counted(BaseModel):
    count: int

    @field_validator("count")
    @classmethod
    def right(cls, count: int) -> int:
        if count != 3:
            raise ValueError("count again")
        return count


@pytest.mark.clause("007-C6")
@to_its_end
async def test_an_accepted_call_gives_an_instance(tmp_path):
    """Value, spans, outcome and id; the prompt is what was written and the schema at its end."""
    async with opened(tmp_path, GOOD) as runtime:
        done = await runtime.complete(Triage, PROMPT, sources={"body": BODY}, about="mail 7")
        assert done.value == Triage(topic="water", quote="the pipe in our cellar")
        assert done.accepted
        assert done.spans[0].source == "body"
        row = await runtime.store.call(done.call)
        assert (row.contract, row.kind) == ("python/Triage", "contract")
        assert row.input.startswith("[FILE_")  # a name may say who somebody is
        assert (await runtime.verify()).first_bad_seq is None
    prompt = sent(tmp_path)[0]["prompt"]
    assert prompt.startswith(f"Sort this mail: {BODY}\n\nAnswer with one JSON object")
    assert '"enum":["water","fire","other"]' in prompt


@pytest.mark.clause("007-C6")
@to_its_end
async def test_a_prompt_that_places_the_schema_is_sent_as_it_stands(tmp_path):
    """`{{schema}}` decides: nothing is added."""
    async with opened(tmp_path, GOOD) as runtime:
        await runtime.complete(Triage, "{{schema}} for {{input.body}}!", sources={"body": BODY})
    assert sent(tmp_path)[0]["prompt"].endswith(f" for {BODY}!")


@pytest.mark.clause("007-C6")
@to_its_end
async def test_a_rejected_call_has_no_value_and_waits_for_a_person(tmp_path):
    """Two attempts, findings, a review; the value is None."""
    async with opened(tmp_path, BAD, BAD) as runtime:
        done = await runtime.complete(Triage, PROMPT, sources={"body": BODY})
        assert done.value is None
        assert (done.outcome.status, done.outcome.reason) == ("needs_review", "gate.rejected")
        assert [each.code for each in done.findings] == ["evidence.not_found"]
        assert done.attempts == 2
        assert [each.call for each in await runtime.reviews()] == [done.call]


@pytest.mark.clause("007-C6")
@to_its_end
async def test_what_is_settled_is_not_sent_again(tmp_path):
    """The second time the instance, its spans and the findings come from the record."""
    async with opened(tmp_path, GOOD, BAD, BAD) as runtime:
        first = await runtime.complete(Triage, PROMPT, sources={"body": BODY})
        second = await runtime.complete(Triage, PROMPT, sources={"body": BODY})
        assert second.reused
        assert (second.value, second.spans, second.call) == (first.value, first.spans, first.call)
        rejected = await runtime.complete(Triage, PROMPT, sources={"body": BODY + "!"})
        again = await runtime.complete(Triage, PROMPT, sources={"body": BODY + "!"})
        assert again.reused
        assert again.value is None
        assert again.findings == rejected.findings
    assert len(sent(tmp_path)) == 3


@pytest.mark.clause("007-C5", "007-C6")
@to_its_end
async def test_a_changed_class_asks_anew(tmp_path):
    """Another class under the same name is another contract: the record does not answer for it."""

    def narrower():
        class Triage(BaseModel):
            topic: Literal["water"]
            quote: Annotated[str, assay.Quote("body")]

        return Triage

    async with opened(tmp_path, GOOD, GOOD) as runtime:
        first = await runtime.complete(Triage, PROMPT, sources={"body": BODY})
        second = await runtime.complete(narrower(), PROMPT, sources={"body": BODY})
        assert not second.reused
        assert second.call != first.call


@pytest.mark.clause("007-C6")
@pytest.mark.parametrize(
    ("prompt", "sources"),
    [
        (PROMPT, {}),
        (PROMPT, {"body": BODY, "subject": "Pipe"}),
        ("Sort this mail.", {"body": BODY}),
        ("Sort {{body}} and {{subject}}", {"body": BODY}),
        ("Sort {{body}} by {{labels.topics}}", {"body": BODY}),
        ("Sort {{body}} {{input.attachments}}", {"body": BODY, "input.attachments": "more"}),
        ("Sort {{body}} as {{schema}}", {"body": BODY, "schema": "a text of this name"}),
    ],
)
@to_its_end
async def test_places_and_texts_must_agree(tmp_path, prompt, sources):
    """A place without a text, and a text without a place, are refused and nothing is sent."""
    async with opened(tmp_path, GOOD) as runtime:
        with pytest.raises(PromptTemplateError):
            await runtime.complete(Triage, prompt, sources=sources)
    assert sent(tmp_path) == []


@pytest.mark.clause("007-C6")
@to_its_end
async def test_values_beside_the_sources_are_placed_and_quoted_from_never(tmp_path):
    """A variable stands in the prompt; a quote of it is none."""
    reply = json.dumps({"topic": "water", "quote": "very formal tone"})
    async with opened(tmp_path, reply, reply) as runtime:
        done = await runtime.complete(
            Triage,
            "In a {{tone}}: {{body}}",
            sources={"body": BODY},
            variables={"tone": "very formal tone"},
        )
        assert [each.code for each in done.findings] == ["evidence.not_found"]


@pytest.mark.clause("007-C6")
@to_its_end
async def test_a_contract_brings_its_prompt_and_its_ladder(tmp_path):
    """What `from_model` was told holds; a second prompt, or none, is refused."""
    contract = assay.Contract.from_model(
        Triage, prompt=PROMPT, attempts=[assay.Attempt(), assay.Attempt(correct=True)]
    )
    async with opened(tmp_path, BAD, GOOD) as runtime:
        done = await runtime.complete(contract, sources={"body": BODY})
        assert done.accepted
        assert done.attempts == 2
        with pytest.raises(UsageError):
            await runtime.complete(contract, PROMPT, sources={"body": BODY})
        with pytest.raises(UsageError):
            await runtime.complete(Triage, sources={"body": BODY})
    assert "evidence.not_found" in sent(tmp_path)[1]["prompt"]


@pytest.mark.clause("007-C6", "006-M3")
@to_its_end
async def test_text_from_outside_gains_the_rank_of_the_system_only_by_name(tmp_path):
    """A source in the system part is refused before anything is sent, unless it is allowed."""
    prompt = "=== system ===\nSort {{body}}\n=== user ===\nNow."
    async with opened(tmp_path, GOOD) as runtime:
        with pytest.raises(InputError, match="system part"):
            await runtime.complete(Triage, prompt, sources={"body": BODY})
        assert sent(tmp_path) == []
        allowed = assay.Contract.from_model(Triage, prompt=prompt, system_inputs=["body"])
        assert (await runtime.complete(allowed, sources={"body": BODY})).accepted


@pytest.mark.clause("007-C6")
@to_its_end
async def test_a_budget_of_the_run_holds(tmp_path):
    """What does not fit is not sent."""
    async with opened(tmp_path, GOOD) as runtime:
        done = await runtime.complete(
            Triage, PROMPT, sources={"body": BODY}, budget=RunBudget(max_total_tokens=10)
        )
        assert done.outcome.reason == "budget.exceeded"
    assert sent(tmp_path) == []


@pytest.mark.clause("007-C6")
@pytest.mark.parametrize("setting", ["ASSAY_REQUIRE_TEMPLATE", "ASSAY_TEMPLATE_APPROVAL"])
@to_its_end
async def test_where_templates_are_governed_a_prompt_in_a_program_is_refused(tmp_path, setting):
    """Nothing is sent, and the refusal is on record."""
    async with opened(tmp_path, GOOD, environ={setting: "1"}) as runtime:
        with pytest.raises(NotAllowedError, match="released templates"):
            await runtime.complete(Triage, PROMPT, sources={"body": BODY})
        kinds = [event.kind async for event in runtime.store.events()]
        assert "template.refused" in kinds
    assert sent(tmp_path) == []


@pytest.mark.clause("007-C5")
@to_its_end
async def test_a_call_of_a_plain_class_is_replayed_without_it(tmp_path):
    """Prompt, redacted view, verdict and result, from what stands on record."""
    async with opened(tmp_path, GOOD, environ=KEY) as runtime:
        done = await runtime.complete(Triage, PROMPT, sources={"body": BODY})
        for pack in (None, Triage):
            replayed = await runtime.replay(done.call, pack)
            assert (replayed.prompt, replayed.redacted) == ("identical", "identical")
            assert (replayed.verdict, replayed.result) == ("same", "same")
            assert replayed.contract == "same"


@pytest.mark.clause("007-C5")
@to_its_end
async def test_without_the_store_keeping_texts_the_text_itself_replays(tmp_path):
    """The one source of a call can be handed in; another text is refused."""
    async with opened(tmp_path, GOOD) as runtime:
        done = await runtime.complete(Triage, PROMPT, sources={"body": BODY})
        replayed = await runtime.replay(done.call, original=BODY.encode())
        assert (replayed.redacted, replayed.verdict) == ("identical", "same")
        for other in (b"another text", b"\xff"):
            with pytest.raises(InputError):
                await runtime.replay(done.call, original=other)


@pytest.mark.clause("007-C5")
@to_its_end
async def test_a_changed_class_shows_in_a_replay(tmp_path):
    """The contract is `changed`, and the verdict where the class now says otherwise."""

    class Narrow(BaseModel):
        topic: Literal["fire"]
        quote: Annotated[str, assay.Quote("body")]

    async with opened(tmp_path, GOOD, environ=KEY) as runtime:
        done = await runtime.complete(Triage, PROMPT, sources={"body": BODY})
        replayed = await runtime.replay(done.call, Narrow)
        assert (replayed.contract, replayed.verdict, replayed.cause) == (
            "changed",
            "changed",
            "contract",
        )
        assert replayed.prompt == "differs"


@pytest.mark.clause("007-C5")
@to_its_end
async def test_what_only_the_class_can_judge_is_unavailable_without_it(tmp_path):
    """Replay says so; a person's output is refused until the class is given, and then judged."""
    wrong = '{"count": 2}'
    async with opened(tmp_path, wrong, wrong, environ=KEY) as runtime:
        done = await runtime.complete(Counted, "Count {{body}}", sources={"body": "xxx"})
        assert [each.message for each in done.findings] == ["count again"]
        assert (await runtime.replay(done.call)).verdict == "unavailable"
        assert (await runtime.replay(done.call, Counted)).verdict == "same"
        (review,) = await runtime.reviews()

        def decision(output):
            return Decision(accept=True, reviewer="r", reason="seen", output=output)

        with pytest.raises(InputError, match="code of its own"):
            await runtime.decide(review.id, decision(b'{"count": 3}'))
        refused = await runtime.decide(review.id, decision(b'{"count": 4}'), pack=Counted)
        assert not refused.taken
        taken = await runtime.decide(review.id, decision(b'{"count": 3}'), pack=Counted)
        assert taken.taken
        after = await runtime.complete(Counted, "Count {{body}}", sources={"body": "xxx"})
        assert after.value == Counted(count=3)


@pytest.mark.clause("007-C6")
@to_its_end
async def test_personal_data_can_stay_here(tmp_path):
    """`send="redacted"`: the prompt holds surrogates, the value the words of the source."""
    contract = assay.Contract.from_model(Triage, prompt=PROMPT, send="redacted")
    body = "Write to ann@example.org, the pipe broke."
    reply = json.dumps({"topic": "water", "quote": "the pipe broke"})
    async with opened(tmp_path, reply) as runtime:
        done = await runtime.complete(contract, sources={"body": body})
        assert done.value == Triage(topic="water", quote="the pipe broke")
    assert "ann@example.org" not in sent(tmp_path)[0]["prompt"]
    assert "[EMAIL_" in sent(tmp_path)[0]["prompt"]


@pytest.mark.clause("007-C6")
@to_its_end
async def test_what_it_is_about_can_be_erased(tmp_path):
    """The subject is a mail address; after erasure the call stays and its words are gone."""
    async with opened(tmp_path, GOOD, environ=KEY) as runtime:
        done = await runtime.complete(
            Triage, PROMPT, sources={"body": BODY}, subject="Ann@Example.org"
        )
        assert await runtime.erase("ann@example.org", reason="asked", actor="dpo") > 0
        again = await runtime.complete(Triage, PROMPT, sources={"body": BODY})
        assert (again.call, again.value, again.erased) == (done.call, None, True)


@pytest.mark.clause("007-C6")
def test_the_plain_runtime_has_the_same_verb(tmp_path):
    """`assay.open` without an event loop, as the README shows it."""
    script = tmp_path / "replies.jsonl"
    script.write_text(json.dumps({"text": GOOD}) + "\n")
    with assay.open(f"sqlite:///{tmp_path / 'x.db'}", f"scripted:{script}") as runtime:
        done = runtime.complete(Triage, PROMPT, sources={"body": BODY})
        assert done.value is not None
        assert done.value.topic == "water"
        assert done.to_dict()["output"] == {"topic": "water", "quote": "the pipe in our cellar"}


@pytest.mark.clause("007-C6")
@pytest.mark.parametrize("model", ["extractive", "embedded"])
@to_its_end
async def test_the_models_without_a_server_fill_a_class(tmp_path, model):
    """Labels of the set and quotes of the named source, under the class's own schema."""

    class Sorted(BaseModel):
        topic: Annotated[str, assay.Label("topics")]
        quote: Annotated[str, assay.Quote("body")]
        more: Annotated[str, assay.Quote("body")] | None = None

    prompt = "{{labels.topics}}\n---\n{{subject}}\n{{body}}"
    async with assay.aopen(f"sqlite:///{tmp_path / 'x.db'}", model, environ={}) as runtime:
        done = await runtime.complete(
            Sorted,
            prompt,
            sources={"subject": "Hello", "body": BODY},
            labels={"topics": {"WATER": "burst pipes", "FIRE": "smoke"}},
        )
        assert done.accepted, done.findings
        assert done.value.topic in {"WATER", "FIRE"}
        assert done.value.quote in BODY


@pytest.mark.clause("007-F5", "007-C6")
@to_its_end
async def test_a_notebook_shows_the_quote_in_its_text(tmp_path):
    """The outcome in words, the value, and the quote marked with the name of its field."""
    async with opened(tmp_path, GOOD, BAD, BAD) as runtime:
        done = await runtime.complete(Triage, PROMPT, sources={"body": BODY})
        shown = done._repr_html_()
        assert "the pipe in our cellar</mark>" in shown
        assert "quote" in shown
        rejected = await runtime.complete(Triage, PROMPT, sources={"body": BODY + "<script>"})
        assert "evidence.not_found" in rejected._repr_html_()
        assert "<script>" not in rejected._repr_html_()


class Quoting(BaseModel):
    quote: Annotated[str, assay.Quote("bdoy")]


@pytest.mark.clause("007-C6")
@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"contract": Quoting}, "'bdoy'"),
        ({"sources": {"body": None}}, "'body' is no text but null"),
        ({"sources": {"body": b"bytes"}}, "'body' is no text but bytes"),
        ({"sources": {"": "text"}}, "not empty"),
        ({"sources": [BODY]}, "texts by name"),
        ({"prompt": 5}, "text, not int"),
        ({"labels": ["topics"]}, "sets by name"),
        ({"input": [1]}, "values by name"),
        ({"variables": {"body": "shown in its place"}}, "not declared"),
    ],
)
@to_its_end
async def test_what_cannot_be_meant_is_refused_before_anything_is_sent(tmp_path, how, says):
    """A quote of a source that nobody gave, texts that are none, sets and values without a name."""
    given = {"contract": Triage, "prompt": PROMPT, "sources": {"body": BODY}} | how
    async with opened(tmp_path, GOOD) as runtime:
        with pytest.raises(UsageError, match=says):
            await runtime.complete(**given)
    assert sent(tmp_path) == []


@pytest.mark.clause("007-C6")
@to_its_end
async def test_a_prompt_too_long_without_its_text_is_over_budget(tmp_path):
    """Not a place that is missing: nothing that could be left out would make it fit."""

    class Sorted(BaseModel):
        topic: Annotated[str, assay.Label("topics")]

    labels = {"topics": [f"TOPIC_{number}" for number in range(5000)]}
    async with opened(tmp_path, GOOD) as runtime:
        done = await runtime.complete(
            Sorted, "{{body}} {{labels.topics}}", sources={"body": BODY}, labels=labels
        )
        assert done.outcome.reason == "budget.exceeded"


@pytest.mark.clause("007-C6")
@to_its_end
async def test_what_is_shown_of_a_value_asks_no_code_of_its_class(tmp_path):
    """JSON and notebook show the output on record: a serializer that raises is not asked."""

    class Secretive(BaseModel):
        count: int

        @field_serializer("count")
        def tell(self, count):
            raise ValueError(f"not {count}")

    async with opened(tmp_path, '{"count": 3}') as runtime:
        done = await runtime.complete(Secretive, "Count {{body}}", sources={"body": "xxx"})
        assert done.value.count == 3
        assert done.to_dict()["output"] == {"count": 3}
        assert "3" in done._repr_html_()


@pytest.mark.clause("007-C6")
@to_its_end
async def test_what_was_not_shown_is_told(tmp_path):
    """A text over the budget is cut; the accepted outcome says how much nobody saw."""
    contract = assay.Contract.from_model(
        Triage,
        prompt=PROMPT,
        budget=assay.Budget(max_input_tokens=400, max_output_tokens=100),
    )
    body = BODY + " And so on it went." * 2000
    async with opened(tmp_path, GOOD) as runtime:
        done = await runtime.complete(contract, sources={"body": body})
        assert done.accepted
        assert done.shortened is not None
        assert done.shortened.own_words
        assert done.to_dict()["shortened"]["omitted_chars"] > 30000
