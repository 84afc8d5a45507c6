"""`/v1/runs`, `/v1/answers`, `/v1/sessions`: what has a model asked.

In      bodies of the API, perhaps with an idempotency key
Out     the JSON of `assay run`, `ask`, `chat`; or the same as it comes, as server-sent events
Effects those of the runtime
Spec    interfaces.md, "HTTP"; 009-H5, 009-H8
"""

from __future__ import annotations

from typing import Annotated, Any
from uuid import uuid4

from fastapi import Query, Request
from starlette.responses import JSONResponse, Response

from assay.client.answers import (
    AskAnswer,
    RunAnswer,
    SessionAnswer,
    SessionsAnswer,
    TurnAnswer,
)
from assay.client.bodies import AnswerBody, RunBody, SessionBody, TurnBody
from assay.errors import InputError
from assay.flow.state import Step
from assay.pack.pack import Pack
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.context import Heard, Progress
from assay.runtime.calls.inputs import read_item
from assay.runtime.conversations.sessions import session_document
from assay.server.api.routes import (
    Asker,
    IdempotencyKey,
    Reader,
    Served,
    TextReader,
    api_router,
)
from assay.server.event_stream import Tell, stream_events, wants_events
from assay.server.idempotency import answer_once
from assay.server.service import Service
from assay.server.shown_models import shown_facts

router = api_router("", "work")

EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The whole answer; or, where `Accept` asks for `text/event-stream`, what "
        "happens as it happens, and the answer last as the event `done`.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


def tell_nobody(name: str, data: Any) -> None:
    """For who wants the whole answer alone."""
    del name, data


async def run_inputs(service: Service, body: RunBody, tell: Tell) -> dict[str, Any]:
    """Bring all inputs through the flow; each outcome is told as it settles."""
    pack = service.pack(body.pack)
    runtime = service.runtime_of(pack)
    redactor = runtime.context.redactor
    items = [read_item(each.name, each.content(), pack.source, redactor) for each in body.inputs]
    limits = pack.budget.model_dump()
    if body.max_total_tokens is not None:
        allowed = limits.get("max_total_tokens")
        limits["max_total_tokens"] = min(body.max_total_tokens, allowed or body.max_total_tokens)
    outcomes = []
    async for outcome in runtime.run(pack, items, again=body.again, budget=RunBudget(**limits)):
        outcomes.append(outcome.to_dict())
        tell("outcome", outcomes[-1])
    return {"outcomes": outcomes}


async def answer_question(service: Service, body: AnswerBody) -> dict[str, Any]:
    """A question brought to its outcome."""
    pack = _find_documents(service, body)
    answered = await service.runtime_of(pack).ask(
        body.question,
        docs=[] if body.documents is None else [body.documents],
        bundle=body.bundle,
        policy=body.policy,
        pack=pack,
        top_k=body.top_k,
        where=body.where,
        again=body.again,
    )
    document = answered.to_dict()
    execution = document["execution"]
    return {**document, "execution": None if execution is None else shown_facts(execution)}


def _find_documents(service: Service, body: AnswerBody) -> Pack:
    """The pack of a question. Raises NotFoundError where it or the documents are not served."""
    if body.documents is not None:
        service.documents.folder(body.documents)
    return service.pack(body.pack)


@router.post("/runs", response_model=RunAnswer, responses=EVENTS, summary="Run inputs")
async def run(
    request: Request, body: RunBody, service: Served, caller: Asker, key: IdempotencyKey = None
) -> Response:
    """Bring inputs through the flow of a pack; every outcome is recorded."""
    del key
    service.pack(body.pack)
    if wants_events(request):
        return stream_events(service, lambda tell: run_inputs(service, body, tell))

    async def work() -> tuple[int, Any]:
        return 200, await run_inputs(service, body, tell_nobody)

    return await answer_once(service, request, caller, work)


@router.post("/answers", response_model=AskAnswer, summary="Ask over documents")
async def answer(
    request: Request, body: AnswerBody, service: Served, caller: Asker, key: IdempotencyKey = None
) -> Response:
    """A validated answer with its citations, the refusal, or a case for a person."""
    del key
    _find_documents(service, body)

    async def work() -> tuple[int, Any]:
        return 200, await answer_question(service, body)

    return await answer_once(service, request, caller, work)


# --- conversations ------------------------------------------------------------------------------


async def take_turn(
    service: Service, pack: Pack, session: str, body: TurnBody, tell: Tell
) -> dict[str, Any]:
    """One message through the stages; each stage is told as it begins and ends."""

    def watch(stage: str, step: Step | None) -> None:
        tell("stage", {"stage": stage, "step": None if step is None else step.to_dict()})

    def hear(heard: Heard) -> None:
        if heard.unjudged:
            tell("unjudged", {"contract": heard.contract, "text": heard.unjudged})

    progress = Progress(hear=hear, unjudged=True) if pack.show == "unjudged" else None
    turn = await service.runtime_of(pack, progress).chat(
        pack, session, body.message, directive=body.directive, watch=watch
    )
    return turn.to_dict()


async def _answer_turn(
    request: Request, service: Service, caller: Asker, pack: Pack, session: str, body: TurnBody
) -> Response:
    if pack.stages is None:
        raise InputError(f"pack {pack.name!r} has no stages", hint="name a pack of conversations")
    if wants_events(request):
        return stream_events(service, lambda tell: take_turn(service, pack, session, body, tell))

    async def work() -> tuple[int, Any]:
        return 200, await take_turn(service, pack, session, body, tell_nobody)

    return await answer_once(service, request, caller, work)


@router.post("/sessions", response_model=TurnAnswer, responses=EVENTS, summary="Begin to converse")
async def begin(
    request: Request, body: SessionBody, service: Served, caller: Asker, key: IdempotencyKey = None
) -> Response:
    """The first turn of a conversation; its id stands in the answer."""
    del key
    session = str(uuid4() if body.session_id is None else body.session_id)
    return await _answer_turn(request, service, caller, service.pack(body.pack), session, body)


@router.post(
    "/sessions/{session_id}/turns",
    response_model=TurnAnswer,
    responses=EVENTS,
    summary="Take a turn",
)
async def turn(
    request: Request,
    session_id: str,
    body: TurnBody,
    service: Served,
    caller: Asker,
    key: IdempotencyKey = None,
) -> Response:
    """The next message of a conversation."""
    del key
    whole = await service.runtime.find_id("session", session_id)
    document = await service.runtime.session(whole)
    pack = service.pack(document["session"]["pack"])
    return await _answer_turn(request, service, caller, pack, whole, body)


@router.get("/sessions", response_model=SessionsAnswer, summary="List conversations")
async def sessions(
    service: Served,
    _: Reader,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    before: Annotated[str | None, Query(description="`next` of the page before.")] = None,
) -> Response:
    """The latest first."""
    rows = await service.runtime.sessions(limit, before=before)
    more = rows[-1].id if len(rows) == limit else None
    return JSONResponse({"sessions": [session_document(row) for row in rows], "next": more})


@router.get("/sessions/{session_id}", response_model=SessionAnswer, summary="Show a conversation")
async def session(session_id: str, service: Served, _: TextReader) -> Response:
    """Where it stands, its cached state and its latest turn."""
    return JSONResponse(await service.runtime.session(session_id))
