"""`/reviews`: the review desk, where people decide.

In      requests of somebody who is signed in
Out     the queue; one review with its texts, its output as a form, what the gate says of it
Effects decisions as events; assignments
Spec    009-D1 to 009-D8; 009-P4 to 009-P6

Without a script every button is a form that is sent at once. The script asks the API's own routes.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, File, Form, Request, UploadFile
from starlette.responses import RedirectResponse, Response

from assay.contract.outcome import Reason
from assay.core.text.controls import show_unseen
from assay.runtime.access.callers import Caller
from assay.runtime.reviews.decision import Decision, decide
from assay.runtime.reviews.moves import (
    ASSIGNED_FOR,
    due_at,
    hand_on,
    may_take_back,
    reopen,
    take,
    take_back,
)
from assay.server.api.reviews import find_known
from assay.server.api.routes import Admin, Decider, Reader, Served, TextReader
from assay.server.errors import BadRequestError
from assay.server.pages.desk_case import RAW_CHARS, DeskCase, read_desk_case
from assay.server.pages.desk_queue import REASONS, STATUSES, Which, find_name, find_next, read_queue
from assay.server.pages.finding_words import finding_sentences, tell_finding
from assay.server.pages.frame import render_page, words_for
from assay.server.pages.said_words import known_sentences, tell_known
from assay.server.service import Service

router = APIRouter(include_in_schema=False)

_ID = re.compile(r"[0-9a-f]{6,64}")
_SCRIPT_WORDS: Final = "desk.script."
_REASONS: Final = ("checked", "corrected", "unclear", "not_ours")
"""Reasons that are offered; each has its words."""

Text = Annotated[str, Form()]
Original = Annotated[UploadFile | None, File()]


@router.get("/reviews")
async def show_queue(request: Request, service: Served, caller: Reader) -> Response:
    """The queue, the oldest first."""
    which = Which.of_query(request.query_params)
    t = words_for(request)
    done = request.query_params.get("done", "")
    return render_page(
        request,
        "desk.html",
        title=t("page.reviews"),
        queue=await read_queue(service, which, caller),
        current=None,
        done=done if _ID.fullmatch(done) else "",
        **_choices(service),
    )


@router.get("/reviews/next")
async def open_next(request: Request, service: Served, caller: Reader, after: str = "") -> Response:
    """Go to the open review that comes after one; to the queue where there is none."""
    which = Which.of_query(request.query_params)
    return await _go_on(service, which, caller, after if _ID.fullmatch(after) else None)


@router.get("/reviews/{review_id}")
async def show_item(
    request: Request, review_id: str, service: Served, caller: TextReader
) -> Response:
    """One review with all that stands around it."""
    whole = await service.runtime.find_id("review", review_id)
    return await _item_page(request, service, caller, await read_desk_case(service, whole))


@router.post("/reviews/{review_id}/check")
async def check_item(
    request: Request,
    review_id: str,
    service: Served,
    caller: Decider,
    output: Text = "",
    reason: Text = "",
    original: Original = None,
) -> Response:
    """The page again, with what the gate says of what was typed."""
    whole = await service.runtime.find_id("review", review_id)
    found = await read_desk_case(
        service, whole, output=_typed(output), original=await _content(original)
    )
    return await _item_page(request, service, caller, found, reason=reason)


@router.post("/reviews/{review_id}/decide")
async def decide_item(
    request: Request,
    review_id: str,
    service: Served,
    caller: Decider,
    decision: Text,
    output: Text = "",
    reason: Text = "",
    preset: Text = "",
    original: Original = None,
) -> Response:
    """Decide it and go on; where the gate rejects what was typed, the page again with why."""
    whole = await service.runtime.find_id("review", review_id)
    if decision not in {"accept", "as_it_stands", "reject"}:
        raise BadRequestError("this is no decision", hint="accept, as_it_stands, reject")
    said = reason.strip() or _reason_words(request, preset)
    content = await _content(original)
    await take(service.runtime.context, service.kept, whole, caller.person)
    decided = await decide(
        service.runtime.context,
        whole,
        Decision(
            accept=decision != "reject",
            reviewer=caller.person,
            reason=said,
            output=_typed(output).encode("utf-8", "surrogatepass")
            if decision == "accept"
            else None,
        ),
        find_pack=service.pack,
        original=content,
    )
    if not decided.taken:
        found = await read_desk_case(service, whole, output=_typed(output), original=content)
        return await _item_page(request, service, caller, found, reason=reason)
    await service.kept.release_review(whole)
    return await _go_on(service, Which.of_query(request.query_params), caller, whole, done=whole)


@router.post("/reviews/{review_id}/take")
async def take_item(request: Request, review_id: str, service: Served, caller: Decider) -> Response:
    """Keep it for ten minutes."""
    whole = await service.runtime.find_id("review", review_id)
    await take(service.runtime.context, service.kept, whole, caller.person)
    return _back_to(request, whole)


@router.post("/reviews/{review_id}/release")
async def release_item(
    request: Request, review_id: str, service: Served, caller: Decider
) -> Response:
    """Leave it to the others."""
    whole = await service.runtime.find_id("review", review_id)
    await service.kept.release_review(whole, caller.person)
    return RedirectResponse(_queue_address(request), status_code=303)


@router.post("/reviews/{review_id}/hand_on")
async def hand_item_on(
    request: Request,
    review_id: str,
    service: Served,
    caller: Decider,
    person: Text = "",
    reason: Text = "",
    preset: Text = "",
) -> Response:
    """It waits for somebody else from now on."""
    whole = await service.runtime.find_id("review", review_id)
    await hand_on(
        service.runtime.context,
        service.kept,
        whole,
        person=caller.person,
        to=person.strip(),
        reason=reason.strip() or _reason_words(request, preset),
        known=await find_known(service),
    )
    return await _go_on(service, Which.of_query(request.query_params), caller, whole)


@router.post("/reviews/{review_id}/take_back")
async def take_item_back(
    request: Request, review_id: str, service: Served, caller: Decider
) -> Response:
    """What was handed to the wrong person."""
    whole = await service.runtime.find_id("review", review_id)
    await take_back(
        service.runtime.context,
        service.kept,
        whole,
        person=caller.person,
        reason=words_for(request)("desk.back_reason"),
        anybodys=caller.may("administer"),
    )
    return _back_to(request, whole)


@router.post("/reviews/{review_id}/reopen")
async def reopen_item(
    request: Request, review_id: str, service: Served, caller: Admin, reason: Text = ""
) -> Response:
    """Take the decision back."""
    whole = await service.runtime.find_id("review", review_id)
    await reopen(service.runtime.context, whole, reviewer=caller.person, reason=reason)
    return _back_to(request, whole)


async def _item_page(
    request: Request,
    service: Service,
    caller: Caller,
    found: DeskCase,
    *,
    reason: str = "",
) -> Response:
    t = words_for(request)
    row = found.row
    now = service.runtime.context.clock.now()
    which = Which.of_query(request.query_params)
    held = (await service.kept.assignments([row.id], now)).get(row.id)
    holder = None if held is None or held.person == caller.person else held
    is_open = row.status == "open"
    done = request.query_params.get("done", "")
    due = due_at(row, service.settings.review_due_hours)
    kept = found.kept
    name = await find_name(service, row)
    return render_page(
        request,
        "desk_item.html",
        title=t("desk.item_title", input=show_unseen(name)),
        queue=await read_queue(service, which, caller),
        current=row.id,
        found=found,
        row=row,
        name=name,
        holder=holder,
        mine=held is not None and held.person == caller.person,
        held=held,
        is_open=is_open,
        may_decide=is_open and holder is None and caller.may("decide"),
        may_take_back=holder is not None
        and caller.may("decide")
        and await may_take_back(
            service.runtime.context,
            service.kept,
            row.id,
            person=caller.person,
            anybodys=caller.may("administer"),
        ),
        people=await find_known(service) or (),
        given=held is not None and held.until > now + ASSIGNED_FOR,
        known=lambda sentence: tell_known(t, sentence),
        may_accept=kept is not None and (found.problem is None or found.lacks_texts),
        stands=row.reason == Reason.INPUT_SHORTENED,
        due=due if is_open else None,
        overdue=is_open and due < now,
        done=done if _ID.fullmatch(done) else "",
        reason=reason,
        tell=lambda code, message="": tell_finding(t, code, message),
        raw_chars=RAW_CHARS,
        presets=[(name, t(f"desk.preset.{name}")) for name in _REASONS],
        script=_script_facts(request, found, which),
        **_choices(service),
    )


def _script_facts(request: Request, found: DeskCase, which: Which) -> dict[str, str]:
    """What the page's script is told, each as an attribute."""
    t = words_for(request)
    row = found.row
    words = {
        key.removeprefix(_SCRIPT_WORDS): sentence
        for key, sentence in t.sentences.items()
        if key.startswith(_SCRIPT_WORDS)
    }
    return {
        "review": row.id,
        "query": which.to_query(after=""),
        "form": "" if found.form is None else json.dumps(found.form),
        "words": json.dumps(words),
        "findings": json.dumps(finding_sentences(t)),
        "details": json.dumps(known_sentences(t)),
    }


def _choices(service: Service) -> dict[str, Any]:
    return {"statuses": STATUSES, "reasons": REASONS, "packs": sorted(service.packs)}


async def _go_on(
    service: Service, which: Which, caller: Caller, after: str | None, *, done: str = ""
) -> Response:
    view = replace(which, status="open", after="")
    following = await find_next(service, view, caller.person, after)
    address = "/reviews" if following is None else f"/reviews/{following}"
    query = view.to_query()
    if done:
        query += f"{'&' if query else '?'}done={done}"
    return RedirectResponse(f"{address}{query}", status_code=303)


def _back_to(request: Request, whole: str) -> Response:
    query = Which.of_query(request.query_params).to_query()
    return RedirectResponse(f"/reviews/{whole}{query}", status_code=303)


def _queue_address(request: Request) -> str:
    return f"/reviews{Which.of_query(request.query_params).to_query()}"


def _reason_words(request: Request, preset: str) -> str:
    """The words of a reason that was chosen from the list."""
    return words_for(request)(f"desk.preset.{preset}") if preset in _REASONS else ""


def _typed(text: str) -> str:
    """What was typed, as it was typed: browsers send line ends of their own."""
    return text.replace("\r\n", "\n")


async def _content(file: UploadFile | None) -> bytes | None:
    if file is None or not file.filename:
        return None
    return await file.read()
