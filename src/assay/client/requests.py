"""Each thing that can be asked of the service, as a value that knows its answer's type.

In      arguments
Out     Request[T], which `Client.send` or `AsyncClient.send` turns into a T
Pure    yes
Spec    009-H6
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from assay.client.answers import (
    Answer,
    AskAnswer,
    AssembleAnswer,
    CallAnswer,
    CallsAnswer,
    DecidedAnswer,
    RedactAnswer,
    RenderAnswer,
    ReplaysAnswer,
    ReviewAnswer,
    ReviewsAnswer,
    RunAnswer,
    TurnAnswer,
    ValidateAnswer,
    VerdictAnswer,
)
from assay.client.bodies import (
    AnswerBody,
    AssembleBody,
    Body,
    DecisionBody,
    GateBody,
    RedactBody,
    RenderBody,
    ReplayBody,
    RunBody,
    SessionBody,
    TurnBody,
    ValidateBody,
)

T = TypeVar("T", bound=Answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[T]):
    """One request; nothing is sent before it is handed to a client."""

    method: str
    path: str
    answer: type[T]
    body: Body | None = None
    query: Mapping[str, str] = field(default_factory=dict)

    once: bool = False
    """It has a model asked, or decides: it is sent under an idempotency key, so that it can be
    repeated after a lost connection."""


def _id(value: str) -> str:
    return quote(value, safe="")


def _query(**given: Any) -> dict[str, str]:
    return {name: str(value) for name, value in given.items() if value is not None}


def gate(body: GateBody) -> Request[VerdictAnswer]:
    """Judge one model output.

    Example:
        >>> gate(GateBody(contract="intake/classify", output="{}")).path
        '/v1/gate'
    """
    return Request(method="POST", path="/v1/gate", answer=VerdictAnswer, body=body)


def render(body: RenderBody) -> Request[RenderAnswer]:
    """Render a template."""
    return Request(method="POST", path="/v1/render", answer=RenderAnswer, body=body)


def redact(body: RedactBody) -> Request[RedactAnswer]:
    """Redact a text."""
    return Request(method="POST", path="/v1/redact", answer=RedactAnswer, body=body)


def assemble(body: AssembleBody) -> Request[AssembleAnswer]:
    """Assemble chunks into a prompt."""
    return Request(method="POST", path="/v1/assemble", answer=AssembleAnswer, body=body)


def validate(body: ValidateBody) -> Request[ValidateAnswer]:
    """Judge an answer against its assembly."""
    return Request(method="POST", path="/v1/validate", answer=ValidateAnswer, body=body)


def run(body: RunBody) -> Request[RunAnswer]:
    """Bring inputs through the flow of a pack."""
    return Request(method="POST", path="/v1/runs", answer=RunAnswer, body=body, once=True)


def ask(body: AnswerBody) -> Request[AskAnswer]:
    """Ask over documents."""
    return Request(method="POST", path="/v1/answers", answer=AskAnswer, body=body, once=True)


def begin(body: SessionBody) -> Request[TurnAnswer]:
    """The first turn of a conversation."""
    return Request(method="POST", path="/v1/sessions", answer=TurnAnswer, body=body, once=True)


def take_turn(session: str, body: TurnBody) -> Request[TurnAnswer]:
    """The next turn of a conversation."""
    path = f"/v1/sessions/{_id(session)}/turns"
    return Request(method="POST", path=path, answer=TurnAnswer, body=body, once=True)


def list_calls(
    *, contract: str | None = None, outcome: str | None = None, before: str | None = None,
    limit: int | None = None,
) -> Request[CallsAnswer]:  # fmt: skip
    """Calls, the newest first."""
    query = _query(contract=contract, outcome=outcome, before=before, limit=limit)
    return Request(method="GET", path="/v1/calls", answer=CallsAnswer, query=query)


def show_call(call: str, *, prompt: bool = False, raw: bool = False) -> Request[CallAnswer]:
    """One call and all its events."""
    query = {"prompt": str(prompt).lower(), "raw": str(raw).lower()}
    return Request(method="GET", path=f"/v1/calls/{_id(call)}", answer=CallAnswer, query=query)


def list_reviews(
    *, status: str | None = None, pack: str | None = None, after: str | None = None,
    limit: int | None = None,
) -> Request[ReviewsAnswer]:  # fmt: skip
    """Reviews, the oldest first."""
    query = _query(status=status, pack=pack, after=after, limit=limit)
    return Request(method="GET", path="/v1/reviews", answer=ReviewsAnswer, query=query)


def show_review(review: str) -> Request[ReviewAnswer]:
    """One case with all that stands around it."""
    return Request(method="GET", path=f"/v1/reviews/{_id(review)}", answer=ReviewAnswer)


def decide(review: str, body: DecisionBody) -> Request[DecidedAnswer]:
    """Decide a review."""
    path = f"/v1/reviews/{_id(review)}/decision"
    return Request(method="POST", path=path, answer=DecidedAnswer, body=body, once=True)


def replay(*calls: str) -> Request[ReplaysAnswer]:
    """Make calls again from the record."""
    body = ReplayBody(calls=list(calls))
    return Request(method="POST", path="/v1/replays", answer=ReplaysAnswer, body=body)


def receipt(call: str) -> Request[Answer]:
    """One document that proves a decision far from the store."""
    return Request(method="GET", path=f"/v1/audit/receipts/{_id(call)}", answer=Answer)
