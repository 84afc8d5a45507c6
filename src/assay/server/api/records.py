"""`/v1/calls`, `/v1/replays`, `/v1/audit`, `/v1/figures`: what is on record.

In      filters, ids
Out     the JSON of `assay calls`, `replay`, `audit`, `figures`
Effects reads; a checkpoint, an erasure
Spec    interfaces.md, "HTTP"; 009-A2 (texts)
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from starlette.responses import JSONResponse, Response

from assay.client.answers import Answer, CallAnswer, CallsAnswer, Json, ReplaysAnswer
from assay.client.bodies import EraseBody, ReplayBody
from assay.errors import InputError
from assay.protocols import CallFilter
from assay.runtime.audit.checkpoints import make_checkpoint, read_anchor, verify_record
from assay.runtime.audit.erasure import erase_subject
from assay.runtime.audit.receipts import make_receipt
from assay.runtime.documents import call_document
from assay.runtime.figures.filter import FiguresFilter
from assay.server.api.routes import Admin, Reader, Served, TextReader, api_router
from assay.server.errors import MayNotError
from assay.server.service import Service
from assay.server.shown_models import recorded_model, shown_facts, shown_figures

calls_router = api_router("/calls", "record")
router = api_router("", "record")

Limit = Annotated[int, Query(ge=1, le=1_000)]
SEALED = frozenset({"sources", "variables", "prompt", "raw", "input", "output", "unread", "reason"})
"""Payloads that hold texts as they arrived: for who may see texts."""

HEAVY = frozenset({"sources", "variables", "prompt"})
"""Of these nobody is shown anything here."""


def aware(moment: datetime | None) -> datetime | None:
    """A time without a zone is UTC."""
    if moment is None or moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=UTC)


@calls_router.get("", response_model=CallsAnswer, summary="List calls")
async def calls(
    service: Served,
    _: Reader,
    contract: str | None = None,
    outcome: Literal["accepted", "no_evidence", "needs_review"] | None = None,
    status: Literal["open", "settled"] | None = None,
    model: str | None = None,
    input: Annotated[str | None, Query(description="Its whole name, as it was handed in.")] = None,
    run: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: Limit = 100,
    before: Annotated[str | None, Query(description="`next` of the page before.")] = None,
) -> Response:
    """The newest first."""
    which = CallFilter(
        contract=contract,
        outcome=outcome,
        status=status,
        model=recorded_model(model, service.runtime.context.model.name),
        input=service.recorded_input(input),
        run=run,
        since=aware(since),
        until=aware(until),
        before=before,
    )
    rows = await service.runtime.calls(which, limit)
    costs = await service.runtime.costs(rows)
    documents = [{**shown_facts(call_document(row)), "cost": costs[row.id]} for row in rows]
    more = rows[-1].id if len(rows) == limit else None
    return JSONResponse({"calls": documents, "next": more})


@calls_router.get("/{call_id}", response_model=CallAnswer, summary="Show a call")
async def call(
    call_id: str,
    service: Served,
    caller: Reader,
    prompt: Annotated[bool, Query(description="With the redacted prompts.")] = False,
    raw: Annotated[bool, Query(description="With what the model said; for who may.")] = False,
) -> Response:
    """The call and all its events."""
    if raw and not caller.may("texts"):
        raise MayNotError(
            f"the role {caller.role} may not see texts", hint="leave raw out, or ask an admin"
        )
    document = await service.runtime.call(call_id)
    return JSONResponse(shown_call(document, prompt=prompt, raw=raw))


def shown_call(document: dict[str, Any], *, prompt: bool, raw: bool) -> dict[str, Any]:
    """A call without the payloads that are not asked for and the folders of its model."""
    hidden = HEAVY if raw else SEALED
    if not prompt:
        hidden |= {"prompt_redacted", "redaction_map"}
    events = [
        {
            **event,
            "facts": shown_facts(event["facts"]),
            "payloads": {
                name: value for name, value in event["payloads"].items() if name not in hidden
            },
        }
        for event in document["events"]
    ]
    return {"call": shown_facts(document["call"]), "events": events}


@router.post("/replays", response_model=ReplaysAnswer, summary="Make calls again from the record")
async def replays(body: ReplayBody, service: Served, _: Reader) -> Response:
    """Rebuild the prompts, judge the stored replies again; no model is asked."""
    done = [(await service.runtime.replay(call)).to_dict() for call in body.calls]
    return JSONResponse({"replays": done})


@router.get("/audit/log", response_model=Answer, summary="List events")
async def log(
    service: Served,
    caller: Reader,
    run: Annotated[int, Query(ge=0, le=2**53)],
    limit: Limit = 100,
) -> Response:
    """The events of one run, in order, without payloads."""
    tell_facts = dict if caller.may("administer") else shown_facts
    found: list[Json] = []
    async for event in service.runtime.store.events(run=run):
        if len(found) == limit:
            break
        found.append(
            {
                "seq": event.seq,
                "run": event.run,
                "n": event.n,
                "at": event.at,
                "kind": event.kind,
                "call": event.call,
                "digest": event.digest,
                "facts": tell_facts(event.facts),
            }
        )
    return JSONResponse({"events": found})


@router.get("/audit/head", response_model=Answer, summary="Show the head of the record")
async def head(service: Served, _: Reader) -> Response:
    """Size and root: what to remember elsewhere."""
    return JSONResponse(dict(await service.runtime.head()))


@router.post("/audit/verify", response_model=Answer, summary="Verify the record")
async def verify(service: Served, _: Reader, anchor: Json | None = None) -> Response:
    """Re-hash everything; compare with a remembered head where one is given."""
    context = service.runtime.context
    remembered = None
    if anchor is not None:
        note = anchor.get("checkpoint")
        if not isinstance(note, str):
            raise InputError("the anchor holds no checkpoint", hint='{"checkpoint": "…"}')
        remembered = read_anchor(note.encode("utf-8", "surrogatepass"), service.keys)
    found = await verify_record(context.store, context.record, service.keys, anchor=remembered)
    return JSONResponse(found.to_dict())


@router.get("/audit/checkpoints", response_model=Answer, summary="List checkpoints")
async def checkpoints(service: Served, _: Reader) -> Response:
    """The oldest first."""
    rows = await service.runtime.context.record.checkpoints()
    listed = [
        {
            "size": row.size,
            "root": row.root,
            "checkpoint": row.note,
            "timestamped": row.token is not None,
            "created_at": row.created_at.isoformat(),
        }
        for row in rows
    ]
    return JSONResponse({"checkpoints": listed})


@router.post("/audit/checkpoints", response_model=Answer, summary="Sign the head of the record")
async def checkpoint(service: Served, _: Admin) -> Response:
    """Signed where the service has a key (ASSAY_SIGNING_KEY)."""
    context = service.runtime.context
    made = await make_checkpoint(
        context.store, context.record, service.keys, clock=context.clock, stamper=None
    )
    return JSONResponse(made.to_dict())


async def receipt_document(service: Service, call_id: str) -> dict[str, Any]:
    """The receipt of a call, by its id or the beginning of it."""
    context = service.runtime.context
    whole = await service.runtime.find_id("call", call_id)
    return await make_receipt(
        context.store, context.record, service.keys, whole, clock=context.clock
    )


@router.get("/audit/receipts/{call_id}", response_model=Answer, summary="Make a receipt")
async def receipt(call_id: str, service: Served, _: TextReader) -> Response:
    """One document that proves a decision far from the store."""
    return JSONResponse(await receipt_document(service, call_id))


@router.post("/audit/erasures", response_model=Answer, summary="Erase a subject")
async def erase(body: EraseBody, service: Served, caller: Admin) -> Response:
    """Destroy what is kept of somebody; the erasure is itself an event."""
    context = service.runtime.context
    done = await erase_subject(
        context.store, context.redactor, body.subject, reason=body.reason, actor=caller.person
    )
    return JSONResponse(done.to_dict())


@router.get("/figures", response_model=Answer, summary="Count the record")
async def figures(
    service: Served,
    _: Reader,
    pack: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Response:
    """Outcomes, findings, latency, tokens, cost and redactions over time."""
    which = FiguresFilter(pack=pack, since=aware(since), until=aware(until))
    return JSONResponse(shown_figures(await service.runtime.figures(which)).to_dict())
