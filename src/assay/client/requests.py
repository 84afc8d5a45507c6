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

from assay.client import answers, bodies

T = TypeVar("T", bound=answers.Answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[T]):
    """One request; nothing is sent before it is handed to a client."""

    method: str
    path: str
    answer: type[T]
    body: bodies.Body | None = None
    query: Mapping[str, str] = field(default_factory=dict)

    once: bool = False
    """It has a model asked, or decides: it is sent under an idempotency key, so that it can be
    repeated after a lost connection."""


def _id(value: str) -> str:
    return quote(value, safe="")


def _query(**given: Any) -> dict[str, str]:
    return {name: str(value) for name, value in given.items() if value is not None}


def gate(body: bodies.GateBody) -> Request[answers.VerdictAnswer]:
    """Judge one model output.

    Example:
        >>> gate(bodies.GateBody(contract="intake/classify", output="{}")).path
        '/v1/gate'
    """
    return Request(method="POST", path="/v1/gate", answer=answers.VerdictAnswer, body=body)


def render(body: bodies.RenderBody) -> Request[answers.RenderAnswer]:
    """Render a template."""
    return Request(method="POST", path="/v1/render", answer=answers.RenderAnswer, body=body)


def redact(body: bodies.RedactBody) -> Request[answers.RedactAnswer]:
    """Redact a text."""
    return Request(method="POST", path="/v1/redact", answer=answers.RedactAnswer, body=body)


def assemble(body: bodies.AssembleBody) -> Request[answers.AssembleAnswer]:
    """Assemble chunks into a prompt."""
    return Request(method="POST", path="/v1/assemble", answer=answers.AssembleAnswer, body=body)


def validate(body: bodies.ValidateBody) -> Request[answers.ValidateAnswer]:
    """Judge an answer against its assembly."""
    return Request(method="POST", path="/v1/validate", answer=answers.ValidateAnswer, body=body)


def run(body: bodies.RunBody) -> Request[answers.RunAnswer]:
    """Bring inputs through the flow of a pack."""
    return Request(method="POST", path="/v1/runs", answer=answers.RunAnswer, body=body, once=True)


def ask(body: bodies.AnswerBody) -> Request[answers.AskAnswer]:
    """Ask over documents."""
    return Request(
        method="POST", path="/v1/answers", answer=answers.AskAnswer, body=body, once=True
    )


def begin(body: bodies.SessionBody) -> Request[answers.TurnAnswer]:
    """The first turn of a conversation."""
    return Request(
        method="POST", path="/v1/sessions", answer=answers.TurnAnswer, body=body, once=True
    )


def take_turn(session: str, body: bodies.TurnBody) -> Request[answers.TurnAnswer]:
    """The next turn of a conversation."""
    path = f"/v1/sessions/{_id(session)}/turns"
    return Request(method="POST", path=path, answer=answers.TurnAnswer, body=body, once=True)


def list_calls(
    *, contract: str | None = None, outcome: str | None = None, before: str | None = None,
    limit: int | None = None,
) -> Request[answers.CallsAnswer]:  # fmt: skip
    """Calls, the newest first."""
    query = _query(contract=contract, outcome=outcome, before=before, limit=limit)
    return Request(method="GET", path="/v1/calls", answer=answers.CallsAnswer, query=query)


def show_call(call: str, *, prompt: bool = False, raw: bool = False) -> Request[answers.CallAnswer]:
    """One call and all its events."""
    query = {"prompt": str(prompt).lower(), "raw": str(raw).lower()}
    return Request(
        method="GET", path=f"/v1/calls/{_id(call)}", answer=answers.CallAnswer, query=query
    )


def list_reviews(
    *, status: str | None = None, pack: str | None = None, after: str | None = None,
    limit: int | None = None,
) -> Request[answers.ReviewsAnswer]:  # fmt: skip
    """Reviews, the oldest first."""
    query = _query(status=status, pack=pack, after=after, limit=limit)
    return Request(method="GET", path="/v1/reviews", answer=answers.ReviewsAnswer, query=query)


def show_review(review: str) -> Request[answers.ReviewAnswer]:
    """One case with all that stands around it."""
    return Request(method="GET", path=f"/v1/reviews/{_id(review)}", answer=answers.ReviewAnswer)


def decide(review: str, body: bodies.DecisionBody) -> Request[answers.DecidedAnswer]:
    """Decide a review."""
    path = f"/v1/reviews/{_id(review)}/decision"
    return Request(method="POST", path=path, answer=answers.DecidedAnswer, body=body, once=True)


def replay(*calls: str) -> Request[answers.ReplaysAnswer]:
    """Make calls again from the record."""
    body = bodies.ReplayBody(calls=list(calls))
    return Request(method="POST", path="/v1/replays", answer=answers.ReplaysAnswer, body=body)


def receipt(call: str) -> Request[answers.Answer]:
    """One document that proves a decision far from the store."""
    return Request(method="GET", path=f"/v1/audit/receipts/{_id(call)}", answer=answers.Answer)
