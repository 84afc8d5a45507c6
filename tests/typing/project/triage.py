"""A small project of a user: read by type checkers in their strictest mode, never run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Annotated, Literal, assert_type

from pydantic import BaseModel, ConfigDict, Field, field_validator

import assay


class Urgency(Enum):
    LOW = "low"
    HIGH = "high"


class Place(BaseModel):
    street: str
    number: int | None = None


class Triage(BaseModel):
    model_config = ConfigDict(frozen=True)

    topic: Literal["water", "fire", "other"]
    quote: Annotated[str, assay.Quote("body")]
    team: Annotated[str, assay.Label("teams")]
    urgency: Urgency = Urgency.LOW
    place: Place | None = None
    reasons: list[Annotated[str, assay.Quote("subject", "body")]] = Field(default_factory=list[str])

    @field_validator("reasons")
    @classmethod
    def few(cls, value: list[str]) -> list[str]:
        if len(value) > 3:
            raise ValueError("three reasons at most")
        return value


PROMPT = "Sort this mail: {{subject}} {{body}} {{labels.teams}}"
TEAMS = {"plumbing": "water and heating", "office": "everything else"}
CONTRACT = assay.Contract.from_model(
    Triage,
    prompt=PROMPT,
    labels={"teams": TEAMS},
    attempts=[assay.Attempt(), assay.Attempt(temperature=0.0, correct=True)],
    budget=assay.Budget(max_input_tokens=3000, max_output_tokens=300),
)
assert_type(CONTRACT, assay.Contract[Triage])


def judge(text: str, body: str) -> Triage | None:
    """The gate alone."""
    verdict = assay.judge(Triage, text, sources={"body": body}, labels={"teams": TEAMS})
    assert_type(verdict, assay.Verdict[Triage])
    assert_type(verdict.value, Triage | None)
    for finding in verdict.findings:
        assert_type(finding, assay.Finding)
        assert_type(finding.code, str)
    return verdict.value


def judge_by_contract(text: str) -> Triage | None:
    """The contract made once."""
    return assert_type(assay.judge(CONTRACT, text).value, Triage | None)


def sort_mails(mails: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The façade without an event loop."""
    with assay.open(store="sqlite:///mails.db", model="extractive") as runtime:
        for subject, body in mails:
            sources = {"subject": subject, "body": body}
            done = runtime.complete(Triage, PROMPT, sources=sources, labels={"teams": TEAMS})
            assert_type(done, assay.Completed[Triage])
            assert_type(done.value, Triage | None)
            assert_type(done.outcome, assay.Outcome)
            assert_type(done.call, str)
            if done.value is None:
                yield f"{done.call}: {done.outcome.reason}"
            else:
                assert_type(done.value.topic, Literal["water", "fire", "other"])
                yield done.value.team if done.value.place is None else done.value.place.street


async def sort_at_once(bodies: list[str]) -> list[Triage | None]:
    """With an event loop, several in flight."""
    async with assay.aopen(model="openai:gpt-5-mini") as runtime:
        assert_type(runtime, assay.Runtime)
        asked = [runtime.complete(CONTRACT, sources={"subject": "", "body": b}) for b in bodies]
        done = await asyncio.gather(*asked)
        assert_type(done, list[assay.Completed[Triage]])
    return [each.value for each in done]


def run_pack(files: list[str]) -> list[str]:
    """A pack of files, beside classes."""
    pack = assay.load_pack("intake")
    assert_type(pack, assay.Pack)
    with assay.open() as runtime:
        return [outcome.input for outcome in runtime.run(pack, files)]


def redact(text: str) -> str:
    """The redacted view."""
    return assert_type(assay.redact(text).text, str)
