"""What the service says, as models: the service documents them, the client reads them.

In      JSON of the service
Out     models; fields that are added later are kept, not refused
Pure    yes
Spec    interfaces.md, "HTTP"; 009-H1
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Json = dict[str, Any]


class Answer(BaseModel):
    """What all answers share."""

    model_config = ConfigDict(extra="allow", frozen=True)


class ErrorFacts(Answer):
    """What is wrong and what to do."""

    code: str = Field(examples=["not_found"])
    message: str = Field(examples=["there is no review 'abcd'"])
    hint: str = Field(examples=["assay review list"])


class ErrorAnswer(Answer):
    """The one shape of every error."""

    error: ErrorFacts


class FindingAnswer(Answer):
    """One fault, or note, that a check found."""

    code: str = Field(examples=["label.unknown"])
    severity: str = Field(examples=["reject"])
    path: str | None = Field(None, examples=["/intents/0/label"])
    start: int | None = None
    stop: int | None = None
    message: str


class SpanAnswer(Answer):
    """Where a quote lies in a source."""

    path: str
    source: str
    start: int
    stop: int


class VerdictAnswer(Answer):
    """What the gate says."""

    verdict: Literal["accepted", "rejected"]
    findings: list[FindingAnswer]
    output: Json | None
    spans: list[SpanAnswer]


class RenderAnswer(Answer):
    """The exact text of a prompt, and its redacted view."""

    text: str
    sha256: str
    redacted: str
    redaction_map: dict[str, str]
    truncated: bool
    template: Json | None
    variables: list[str]
    parts: list[Json]


class RedactAnswer(Answer):
    """A text with surrogates in place of personal data."""

    text: str
    map: dict[str, str]
    counts: dict[str, int]
    truncated: bool


class AssembleAnswer(Answer):
    """Which chunks were chosen, and the prompt that they became."""

    answer_bundle: Json
    prompt_build: Json


class ValidateAnswer(Answer):
    """What the gate of answers says."""

    generation_status: str
    validation_status: str
    failure_reason: str | None
    validated_answer_text: str | None
    validated_citations: list[Json]
    grounding_metrics: Json
    findings: list[FindingAnswer]


class OutcomeAnswer(Answer):
    """What became of one input."""

    input: str
    outcome: Literal["accepted", "no_evidence", "needs_review"]
    reason: str | None
    detail: str | None
    calls: list[str]
    result: Json | None
    shortened: Json | None
    unread: list[Json]


class RunAnswer(Answer):
    """What became of a run's inputs, in their order."""

    outcomes: list[OutcomeAnswer]


class AskAnswer(Answer):
    """What became of a question."""

    outcome: Literal["accepted", "no_evidence", "needs_review"]
    reason: str | None
    call: str
    answer: str | None
    citations: list[Json]
    answer_bundle: Json
    prompt_build: Json
    execution: Json | None
    validation: Json | None


class TurnAnswer(Answer):
    """What became of a message."""

    session_id: str
    turn: int
    outcome: Literal["accepted", "no_evidence", "needs_review"]
    reason: str | None
    reply: str
    stages: list[Json]
    findings: list[Json]
    cached_state: Json


class SessionAnswer(Answer):
    """Where a conversation stands."""

    session: Json
    cached_state: Json
    turn: Json


class SessionsAnswer(Answer):
    """Conversations, the latest first."""

    sessions: list[Json]
    next: str | None


class CallAnswer(Answer):
    """A call and all its events."""

    call: Json
    events: list[Json]


class CallsAnswer(Answer):
    """Calls, the newest first; `next` goes into `before` for the page after it."""

    calls: list[Json]
    next: str | None


class ReviewAnswer(Answer):
    """A case with what stands around it."""

    review: Json
    detail: str | None
    shortened: Json | None
    omitted: list[Json]
    unread: list[Json]
    call: Json | None
    withdrawn_by: str | None
    assigned_to: Json | None
    due_at: str | None


class ReviewsAnswer(Answer):
    """Cases, the oldest first; `next` goes into `after` for the page after it."""

    reviews: list[Json]
    next: str | None


class DecidedAnswer(Answer):
    """A decision as it stands on record; the review stays open where the gate rejected it."""

    review: Json
    verdict: Json | None
    result: Json | None
    session: Json | None


class AssignedAnswer(Answer):
    """Who works on a review, until when."""

    review: str
    person: str
    until: str


class ReplaysAnswer(Answer):
    """What became of calls that were made again."""

    replays: list[Json]


class TemplateAnswer(Answer):
    """One version."""

    template: Json


class TemplatesAnswer(Answer):
    """Versions."""

    templates: list[Json]


class KeyAnswer(Answer):
    """A key; its secret where it was just made."""

    id: str
    name: str
    role: str
    secret: str | None = None


class KeysAnswer(Answer):
    """All keys, the oldest first."""

    keys: list[KeyAnswer]


class HealthAnswer(Answer):
    """A sign of life."""

    status: Literal["ok"]


class ReadyAnswer(Answer):
    """Whether requests are taken: `starting` and `stopping` take none."""

    status: Literal["ready", "stopping", "unavailable"]
    store: str
    model: str
