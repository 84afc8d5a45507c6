"""The page of the record: its head, its checkpoints, whether it holds; receipts, and their check.

In      requests of browsers
Out     pages, the text of a checkpoint, a receipt as a file
Effects reads; a verification of the whole record; a checkpoint where a receipt needs one
Spec    009-V1, 009-V2

The page that checks a receipt sends nothing: what is dropped onto it stays in the browser.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from assay.errors import InputError, IntegrityError, NotFoundError
from assay.runtime.audit.checkpoints import read_anchor
from assay.runtime.audit.receipts import make_receipt
from assay.server.api.routes import Reader, Served, TextReader
from assay.server.pages.frame import render_page, short_digest, words_for
from assay.server.service import Service

router = APIRouter(include_in_schema=False)

_CHECKPOINTS: Final = 50
_WAIT_S: Final = 2.0
"""So long a page waits for a verification before it says that one is under way."""


@router.get("/record")
async def record(request: Request, service: Served, caller: Reader) -> Response:
    """Where the record stands, and what was found when it was looked at last."""
    head, rows, fault = None, [], None
    try:
        head = {**await service.runtime.head(), **await _name_log(service)}
        rows = list(enumerate(await service.runtime.context.record.checkpoints()))
    except IntegrityError as error:  # the page stands all the same: here it is verified
        fault = error
    verifications = service.verifications
    return render_page(
        request,
        "record.html",
        title=words_for(request)("record.title"),
        head=head,
        head_error=fault,
        checkpoints=rows[: -_CHECKPOINTS - 1 : -1],
        all_checkpoints=len(rows),
        last=verifications.last,
        under_way=verifications.under_way,
        may_texts=caller.may("texts"),
    )


@router.post("/record/verifications")
async def verify(service: Served, caller: Reader, anchor: Annotated[str, Form()] = "") -> Response:
    """Re-hash everything, and hold it against a remembered head where one is given."""
    context = service.runtime.context
    remembered = None
    if anchor.strip():
        note = anchor.replace("\r\n", "\n").lstrip()
        note = note if note.endswith("\n") else f"{note}\n"
        remembered = read_anchor(note.encode("utf-8", "surrogatepass"), service.keys)
    await service.verifications.begin(
        context.store,
        context.record,
        service.keys,
        clock=context.clock,
        person=caller.person,
        anchor=remembered,
        wait_s=_WAIT_S,
    )
    return RedirectResponse("/record#verification", status_code=303)


@router.get("/record/checkpoints/{number}")
async def checkpoint(number: int, service: Served, _: Reader) -> Response:
    """The text of a checkpoint, as it is kept elsewhere."""
    rows = await service.runtime.context.record.checkpoints()
    if not 0 <= number < len(rows):
        raise NotFoundError("there is no such checkpoint", hint="assay audit checkpoint")
    return Response(rows[number].note, media_type="text/plain; charset=utf-8")


@router.get("/record/receipts")
async def receipt(service: Served, _: TextReader, call: str = "") -> Response:
    """The receipt of a call, as a file."""
    if not call.strip():
        raise InputError("no call is named", hint="give the id of a call, or its beginning")
    context = service.runtime.context
    whole = await service.runtime.find_id("call", call.strip())
    document = await make_receipt(
        context.store, context.record, service.keys, whole, clock=context.clock
    )
    name = f"receipt-{short_digest(whole)}.json"
    return Response(
        json.dumps(document),
        media_type="application/json",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


@router.get("/record/receipt")
async def check_receipt(request: Request, service: Served, _: Reader) -> Response:
    """The page that checks a receipt in the browser alone."""
    words = words_for(request)
    return render_page(
        request,
        "record_receipt.html",
        title=words("receipt.title"),
        keys=(await _name_log(service))["public_keys"],
        sentences={
            name.removeprefix("receipt.says."): text
            for name, text in words.sentences.items()
            if name.startswith("receipt.says.")
        },
    )


async def _name_log(service: Service) -> dict[str, Any]:
    """The log's own name, and the keys that this service trusts, as lines for anybody."""
    origin = await service.runtime.context.record.origin()
    keys = [] if origin is None else service.keys.verifiers(origin)
    return {"origin": origin, "public_keys": list(dict.fromkeys(map(str, keys)))}
