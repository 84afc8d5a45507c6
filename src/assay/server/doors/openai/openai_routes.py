"""`/openai/v1`: the addresses that clients of OpenAI call.

In      requests as OpenAI describes them, with an access key in place of theirs
Out     completions and responses, whole or in pieces; refusals where nothing is accepted
Effects those of the runtime
Spec    009-O1 to 009-O7
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Annotated, Any, Final, Protocol

from fastapi import APIRouter, Body, Header, Request
from starlette.responses import JSONResponse, Response

from assay.errors import AssayError, NotFoundError
from assay.server.api.routes import ERROR_RESPONSES, Asker, IdempotencyKey, Served
from assay.server.doors.openai.asked import Asked
from assay.server.doors.openai.chat import ChatStream, chat_document, read_chat
from assay.server.doors.openai.gated import (
    Gated,
    Named,
    choose_contract,
    gate_request,
    name_answer,
    served_contracts,
)
from assay.server.doors.openai.responses import (
    ResponseStream,
    read_responses,
    response_document,
)
from assay.server.event_stream import QUIET, Piece, Tell, follow_work, stream_response
from assay.server.idempotency import answer_once
from assay.server.service import Service

router = APIRouter(prefix="/openai/v1", tags=["openai"], responses=ERROR_RESPONSES)

CONTRACT_HEADER: Final = "x-assay-contract"
ContractName = Annotated[
    str | None,
    Header(
        alias=CONTRACT_HEADER,
        max_length=300,
        description="`PACK/NAME` of the contract that the reply has to pass.",
        examples=["intake/classify"],
    ),
]
OpenAIBody = Annotated[dict[str, Any], Body(description="As OpenAI describes it.")]


class Stream(Protocol):
    """How one of the two ways writes a stream."""

    def show(self, text: str) -> Iterator[bytes]: ...

    def finish(self, gated: Gated) -> Iterator[bytes]: ...

    def fail(self, error: AssayError) -> Iterator[bytes]: ...


@router.get("/models", summary="List contracts as models")
async def models(service: Served, _: Asker) -> Response:
    """Every contract that can be asked by itself; the service's own model answers for all."""
    listed = [_model_document(name) for name in served_contracts(service)]
    return JSONResponse({"object": "list", "data": listed})


@router.get("/models/{model:path}", summary="Show a contract as a model")
async def model(model: str, service: Served, _: Asker) -> Response:
    """One of those that are listed."""
    if model not in served_contracts(service):
        raise NotFoundError("no contract of this name can be asked", hint="GET /openai/v1/models")
    return JSONResponse(_model_document(model))


def _model_document(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "assay"}


@router.post("/chat/completions", summary="A chat completion, through a contract")
async def chat_completions(
    request: Request,
    body: OpenAIBody,
    service: Served,
    caller: Asker,
    contract: ContractName = None,
    key: IdempotencyKey = None,
) -> Response:
    """The accepted JSON as the message's content, or a refusal with the findings."""
    del key
    asked = read_chat(body)
    named = name_answer(service, asked)
    stream = ChatStream(named=named, include_usage=asked.include_usage)
    return await _answer(request, service, caller, asked, named, contract, stream, chat_document)


@router.post("/responses", summary="A response, through a contract")
async def responses(
    request: Request,
    body: OpenAIBody,
    service: Served,
    caller: Asker,
    contract: ContractName = None,
    key: IdempotencyKey = None,
) -> Response:
    """The accepted JSON as output text, or a refusal with the findings."""
    del key
    asked = read_responses(body)
    named = name_answer(service, asked)
    stream = ResponseStream(named=named)
    return await _answer(
        request, service, caller, asked, named, contract, stream, response_document
    )


async def _answer(
    request: Request,
    service: Service,
    caller: Asker,
    asked: Asked,
    named: Named,
    contract: str | None,
    stream: Stream,
    document: Callable[[Named, Gated], Mapping[str, Any]],
) -> Response:
    reference = choose_contract(service, asked, contract)
    door = request.url.path.removeprefix("/openai/v1/")
    if not asked.stream:

        async def work() -> tuple[int, Any]:
            gated = await gate_request(service, asked, reference, door=door)
            return 200, document(named, gated)

        return await answer_once(service, request, caller, work, beside=contract or "")

    async def tell_pieces(tell: Tell) -> Gated:
        return await gate_request(
            service, asked, reference, door=door, show=lambda text: tell("piece", text)
        )

    pieces = follow_work(service, tell_pieces)
    # What fails before anything was sent is an error with its own status.
    first = await anext(pieces)
    if first is not None and first[0] == "error":
        raise first[1]
    return stream_response(_lines(first, pieces, stream))


async def _lines(
    first: Piece | None, rest: AsyncIterator[Piece | None], stream: Stream
) -> AsyncIterator[bytes]:
    for line in _write(first, stream):
        yield line
    async for piece in rest:
        for line in _write(piece, stream):
            yield line


def _write(piece: Piece | None, stream: Stream) -> Iterator[bytes]:
    if piece is None:
        yield QUIET
        return
    name, data = piece
    ways: dict[str, Callable[[Any], Iterator[bytes]]] = {
        "piece": stream.show,
        "done": stream.finish,
        "error": stream.fail,
    }
    yield from ways[name](data)
