"""`/v1/reviews`: the human queue.

In      filters, ids, what a person says
Out     the JSON of `assay review`
Effects decisions as events; assignments
Spec    interfaces.md, "HTTP"; 009-P4 to 009-P6
"""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from starlette.responses import JSONResponse, Response

from assay.client.answers import (
    Answer,
    AssignedAnswer,
    DecidedAnswer,
    ReviewAnswer,
    ReviewsAnswer,
)
from assay.client.bodies import AssignBody, CheckBody, DecisionBody, ReasonBody
from assay.errors import InputError
from assay.protocols import ReviewFilter, ReviewRow
from assay.protocols.service import Assignment
from assay.runtime.access.people import find_deciders
from assay.runtime.conversations.sessions import session_document
from assay.runtime.documents import review_document
from assay.runtime.reviews.case import case_document, details, read_case
from assay.runtime.reviews.decision import Decision, check, decide, find_decided
from assay.runtime.reviews.moves import due_at, hand_on, reopen, take
from assay.server.api.records import shown_call
from assay.server.api.routes import (
    Admin,
    Decider,
    IdempotencyKey,
    Reader,
    Served,
    TextReader,
    api_router,
)
from assay.server.idempotency import answer_once, request_id
from assay.server.service import Service

router = api_router("/reviews", "reviews")


@router.get("", response_model=ReviewsAnswer, summary="List reviews")
async def reviews(
    service: Served,
    _: Reader,
    status: Literal["open", "accepted", "rejected", "withdrawn", "all"] = "open",
    reason: str | None = None,
    pack: str | None = None,
    input: Annotated[str | None, Query(description="Its whole name, as it was handed in.")] = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    after: Annotated[str | None, Query(description="`next` of the page before.")] = None,
) -> Response:
    """The oldest first, each with why it is here, when it is due and who works on it."""
    which = ReviewFilter(
        status=None if status == "all" else status,
        reason=reason,
        pack=pack,
        input=service.recorded_input(input),
        after=after,
    )
    rows = await service.runtime.store.reviews(which, limit)
    more = rows[-1].id if len(rows) == limit else None
    return JSONResponse({"reviews": await queue_documents(service, rows), "next": more})


async def queue_documents(service: Service, rows: Any) -> list[dict[str, Any]]:
    """Reviews as the queue shows them."""
    context = service.runtime.context
    whys = await details(context, rows)
    held = await service.kept.assignments([row.id for row in rows], context.clock.now())
    return [
        {
            **review_document(row),
            "detail": whys[row.id],
            "due_at": due_text(service, row),
            "assigned_to": assignment_document(held.get(row.id)),
        }
        for row in rows
    ]


async def find_known(service: Service) -> tuple[str, ...] | None:
    """Whom a review can be handed to; None where people come through a provider, unknown here."""
    if service.settings.oidc_issuer:
        return None
    return await find_deciders(service.kept, service.runtime.context.clock.now())


def due_text(service: Service, row: ReviewRow) -> str | None:
    if row.status != "open":
        return None
    return due_at(row, service.settings.review_due_hours).isoformat()


def assignment_document(found: Assignment | None) -> dict[str, str] | None:
    if found is None:
        return None
    return {"review": found.review, "person": found.person, "until": found.until.isoformat()}


@router.get("/{review_id}", response_model=ReviewAnswer, summary="Show a review")
async def review(review_id: str, service: Served, _: TextReader) -> Response:
    """The case with all that stands around it."""
    runtime = service.runtime
    case = await read_case(runtime.context, await runtime.find_id("review", review_id))
    call = None
    if case.row.call is not None:
        call = shown_call(await runtime.call(case.row.call), prompt=True, raw=True)
    held = await service.kept.assignments([case.row.id], runtime.context.clock.now())
    return JSONResponse(
        {
            "review": review_document(case.row),
            **case_document(case),
            "call": call,
            "due_at": due_text(service, case.row),
            "assigned_to": assignment_document(held.get(case.row.id)),
        }
    )


@router.post("/{review_id}/check", response_model=Answer, summary="Judge a correction")
async def check_output(review_id: str, body: CheckBody, service: Served, _: Decider) -> Response:
    """What the gate would say if it were handed in; nothing is recorded."""
    weighed = await check(
        service.runtime.context,
        await service.runtime.find_id("review", review_id),
        body.output.encode("utf-8", "surrogatepass"),
        find_pack=service.pack,
        original=_decoded(body.original_base64),
    )
    return JSONResponse(weighed.to_dict())


@router.post("/{review_id}/decision", response_model=DecidedAnswer, summary="Decide a review")
async def decision(
    request: Request,
    review_id: str,
    body: DecisionBody,
    service: Served,
    caller: Decider,
    key: IdempotencyKey = None,
) -> Response:
    """What is accepted passes the gate first; else the review stays open and the verdict says why.

    While somebody else works on it, it is a conflict.
    """
    said = Decision(
        accept=body.accept,
        reviewer=caller.person,
        reason=body.reason,
        output=None if body.output is None else body.output.encode("utf-8", "surrogatepass"),
        request=None if key is None else request_id(caller, key),
    )
    original = _decoded(body.original_base64)

    async def work() -> tuple[int, Any]:
        runtime = service.runtime
        whole = await runtime.find_id("review", review_id)
        # Taken, and the answer lost, by a process that died or with the database.
        context = runtime.context
        decided = await find_decided(
            context, whole, said, find_pack=service.pack, original=original
        )
        if decided is None:
            await take(context, service.kept, whole, caller.person)
            decided = await decide(context, whole, said, find_pack=service.pack, original=original)
            if decided.taken:
                await service.kept.release_review(whole)
        return 200, {
            "review": review_document(decided.review),
            "verdict": None if decided.weighed is None else decided.weighed.to_dict(),
            "result": decided.result,
            "session": None if decided.session is None else session_document(decided.session),
        }

    return await answer_once(service, request, caller, work)


@router.post("/{review_id}/take", response_model=AssignedAnswer, summary="Take a review")
async def take_review(review_id: str, service: Served, caller: Decider) -> Response:
    """Keep it for ten minutes; another person sees that."""
    whole = await service.runtime.find_id("review", review_id)
    found = await take(service.runtime.context, service.kept, whole, caller.person)
    return JSONResponse(assignment_document(found))


@router.post("/{review_id}/release", response_model=Answer, summary="Give a review back")
async def release_review(review_id: str, service: Served, caller: Decider) -> Response:
    """Whoever took it leaves it to the others."""
    whole = await service.runtime.find_id("review", review_id)
    await service.kept.release_review(whole, caller.person)
    return JSONResponse({"review": whole})


@router.post("/{review_id}/hand_on", response_model=AssignedAnswer, summary="Hand a review on")
async def hand_review_on(
    review_id: str, body: AssignBody, service: Served, caller: Decider
) -> Response:
    """It waits for somebody else from now on."""
    found = await hand_on(
        service.runtime.context,
        service.kept,
        await service.runtime.find_id("review", review_id),
        person=caller.person,
        to=body.person,
        reason=body.reason,
        known=await find_known(service),
    )
    return JSONResponse(assignment_document(found))


@router.post("/{review_id}/reopen", response_model=Answer, summary="Take a decision back")
async def reopen_review(
    review_id: str, body: ReasonBody, service: Served, caller: Admin
) -> Response:
    """The case waits again; what was decided stays on record."""
    row = await reopen(
        service.runtime.context,
        await service.runtime.find_id("review", review_id),
        reviewer=caller.person,
        reason=body.reason,
    )
    return JSONResponse({"review": review_document(row)})


def _decoded(text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError("original_base64 is no Base64") from error
