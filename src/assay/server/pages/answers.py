"""Questions over documents: asked by a form, answered with marks that lead to their passages.

In      a question, documents and a pack that are served; the id of a call
Out     pages; a question leads to the address of its call
Effects one recorded call for a question that was not asked before
Spec    interfaces.md, "Answers"; 009-R6 to 009-R8

Who may ask is shown what came of it. Where the record can tell it again and who asks may see texts
that is at the address of the call, which may be loaded again. Else it is shown once, as the answer
to the form: texts that are not kept are shown nowhere later, and neither are they to who may not
see stored ones. A question may be personal: it stands in no address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Annotated, Any, Final

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from assay.answers.job import CONTRACT
from assay.errors import AssayError, InputError
from assay.pack.pack import Pack
from assay.protocols import CallFilter, CallRow
from assay.runtime.answers.ask import Answered
from assay.runtime.answers.from_record import RecordedAnswer, find_answer, find_question
from assay.server.api.routes import Asker, Reader, Served, TextReader
from assay.server.pages.cited_text import cut_answer, cut_passages
from assay.server.pages.frame import render_page, words_for
from assay.server.service import Service

router = APIRouter(include_in_schema=False)

_LATEST: Final = 20
_MOST_QUESTION: Final = 4_000


@router.get("/answers")
async def show_form(request: Request, service: Served, caller: Reader) -> Response:
    """Where a question is asked, and the latest answers."""
    return await _show_form_page(request, service, texts=caller.may("texts"))


@router.post("/answers")
async def ask_question(
    request: Request,
    service: Served,
    caller: Asker,
    question: Annotated[str, Form()] = "",
    documents: Annotated[str, Form()] = "",
    pack: Annotated[str, Form()] = "",
) -> Response:
    """To the answer. Sent once more, the same question is answered from the record."""
    question = question.replace("\r\n", "\n").strip()
    try:
        if not question or len(question) > _MOST_QUESTION:
            raise InputError(
                "the question is empty or too long", hint=f"up to {_MOST_QUESTION} characters"
            )
        found = service.pack(pack)
        service.documents.folder(documents)
        work = service.runtime_of(found).ask(question, docs=[documents], pack=found)
        answered = await service.carry(work)
        recorded = await find_answer(service.runtime_of(found).context, answered.call, service.pack)
    except AssayError as error:
        return await _show_form_page(
            request,
            service,
            texts=caller.may("texts"),
            given={"question": question, "documents": documents, "pack": pack},
            error=error,
        )
    if caller.may("texts") and recorded.answered is not None:
        service.answer_places.keep(answered)
        return RedirectResponse(f"/answers/{answered.call}", status_code=303)
    return _show_answer_page(request, recorded, answered, question=question, new=True)


@router.get("/answers/{call}")
async def show_answer(request: Request, call: str, service: Served, _: TextReader) -> Response:
    """An answer as the record has it."""
    whole = await service.runtime.find_id("call", call)
    recorded = await find_answer(service.runtime.context, whole, service.pack)
    answered, places = recorded.answered, service.answer_places.find(whole)
    if answered is not None and places is not None:
        answered = places.add_to(answered)
    return _show_answer_page(request, recorded, answered, question=recorded.question)


async def _show_form_page(
    request: Request,
    service: Service,
    *,
    texts: bool,
    given: Mapping[str, str] | None = None,
    error: AssayError | None = None,
) -> Response:
    packs = sorted(name for name, pack in service.packs.items() if _is_of_answers(pack))
    rows = await _list_latest(service, packs)
    questions = {}
    if texts:
        context = service.runtime.context
        questions = {row.id: await find_question(context, row.id) for row in rows}
    return render_page(
        request,
        "answers.html",
        title=words_for(request)("page.answers"),
        status=200 if error is None else error.http_status,
        documents=sorted(service.documents.folders),
        packs=packs,
        rows=rows,
        questions=questions,
        contract=CONTRACT,
        given=given or {"question": "", "documents": "", "pack": ""},
        error=error,
        most=_MOST_QUESTION,
    )


def _is_of_answers(pack: Pack) -> bool:
    try:
        pack.require_answers()
    except AssayError:
        return False
    return True


async def _list_latest(service: Service, packs: Sequence[str]) -> list[CallRow]:
    rows: list[CallRow] = []
    for name in packs:
        rows += await service.runtime.calls(CallFilter(contract=f"{name}/{CONTRACT}"), _LATEST)
    return sorted(rows, key=attrgetter("created_at"), reverse=True)[:_LATEST]


def _show_answer_page(
    request: Request,
    recorded: RecordedAnswer,
    answered: Answered | None,
    *,
    question: str | None,
    new: bool = False,
) -> Response:
    t = words_for(request)
    citations: Sequence[Mapping[str, Any]] = () if answered is None else answered.citations
    text = recorded.answer if answered is None else answered.answer
    pieces = cut_answer(text or "", citations)
    validation = None if answered is None else answered.validation
    row = recorded.row
    left_out = () if answered is None else answered.left_out
    return render_page(
        request,
        "answers_one.html",
        title=t(f"answers.title.{row.outcome or 'open'}"),
        row=row,
        question=question,
        answered=answered,
        pieces=pieces,
        passages=cut_passages(citations, pieces),
        nearest=None if answered is None else answered.nearest,
        nearest_text=None if answered is None else answered.nearest_text,
        findings=() if validation is None or row.outcome != "needs_review" else validation.findings,
        review=recorded.review,
        left_out=left_out,
        left_out_count=len(left_out) or recorded.left_out,
        new=new,
    )
