"""`/v1/gate`, `/render`, `/redact`, `/assemble`, `/validate`: no model is called.

In      bodies of the API
Out     the JSON of the commands of the same names
Spec    interfaces.md, "HTTP"
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, TypeVar

from starlette.responses import JSONResponse, Response

from assay.answers import assemble as answers
from assay.answers.evidence.policy import read_policy
from assay.client.answers import (
    AssembleAnswer,
    RedactAnswer,
    RenderAnswer,
    ValidateAnswer,
    VerdictAnswer,
)
from assay.client.bodies import (
    AssembleBody,
    GateBody,
    RedactBody,
    RenderBody,
    ValidateBody,
)
from assay.contract.contract import judge
from assay.contract.prompt import TemplateRef
from assay.core.json.canonical import digest
from assay.server.api.routes import Judger, Served, api_router
from assay.server.service import Service
from assay.templates.template import TemplateVersion, is_version, parse_body, parse_template, render
from assay.templates.version import Reference
from assay.wiring.packs import redactor_for

T = TypeVar("T")

AT_ONCE_CHARS: Final = 20_000
"""What is longer is judged on a thread of its own, so that nobody else waits for it."""

router = api_router("", "judging")


async def work_aside(size: int, work: Callable[[], T]) -> T:
    """*work*, on a thread where what it reads is long."""
    if size <= AT_ONCE_CHARS:
        return work()
    return await asyncio.to_thread(work)


async def judge_output(service: Service, body: GateBody) -> dict[str, Any]:
    """The verdict on one output."""
    contract = service.contract(body.contract)
    size = len(body.output) + sum(map(len, body.sources.values()))
    verdict = await work_aside(
        size,
        lambda: judge(
            contract,
            body.output,
            sources=body.sources,
            state=body.state,
            input=body.input,
            finish_reason=body.finish_reason,
        ),
    )
    return verdict.to_dict()


async def redact_text(service: Service, body: RedactBody) -> dict[str, Any]:
    """The redacted view of a text."""
    redactor = service.runtime.context.redactor
    if body.regions:
        regions = tuple(region.upper() for region in body.regions)
        redactor = redactor_for(None, service.settings, regions)
    view = await work_aside(len(body.text), lambda: redactor.redact(body.text))
    return view.to_dict()


async def assemble_chunks(body: AssembleBody) -> dict[str, Any]:
    """Chunks as evidence, and the prompt that they became."""
    policy = None if body.policy is None else read_policy(body.policy)
    done = await asyncio.to_thread(answers.assemble, body.bundle, body.question, policy)
    return done.to_dict()


async def validate_answer(body: ValidateBody) -> dict[str, Any]:
    """An answer held against its assembly."""
    policy: Any = None if body.policy is None else read_policy(body.policy)
    done = await asyncio.to_thread(answers.validate, body.assembly, body.answer, policy)
    return done.to_dict()


@router.post("/gate", response_model=VerdictAnswer, summary="Judge one model output")
async def gate(body: GateBody, service: Served, _: Judger) -> Response:
    """The same verdict as `assay gate`; a rejected output is an answer, not an error."""
    return JSONResponse(await judge_output(service, body))


@router.post("/render", response_model=RenderAnswer, summary="Render a template")
async def render_template(body: RenderBody, service: Served, _: Judger) -> Response:
    """A version of the registry, or a text; exactly the declared variables."""
    version, reference = await _find_template(body, service)
    rendered = render(version, body.variables)
    view = service.runtime.context.redactor.redact(rendered.text)
    return JSONResponse(
        {
            "text": rendered.text,
            "sha256": digest(rendered.text),
            "redacted": view.text,
            "redaction_map": dict(view.map),
            "truncated": view.truncated,
            "template": None if reference is None else reference.to_dict(),
            "variables": list(rendered.variables),
            "parts": [part.to_dict() for part in rendered.parts],
        }
    )


async def _find_template(
    body: RenderBody, service: Served
) -> tuple[TemplateVersion, TemplateRef | None]:
    if body.template is not None:
        registry = service.runtime.registry
        found = await registry.find(Reference.parse(body.template))
        await registry.check(found)
        version = registry.bound_contracts.parse(found)
        return version, TemplateRef.of(version)
    data = (body.body or "").encode("utf-8")
    if not is_version(data):
        return parse_body(data, file="body"), None
    version = parse_template(data, file="body")
    return version, TemplateRef.of(version)


@router.post("/redact", response_model=RedactAnswer, summary="Redact a text")
async def redact(body: RedactBody, service: Served, _: Judger) -> Response:
    """Equal values get equal surrogates."""
    return JSONResponse(await redact_text(service, body))


@router.post("/assemble", response_model=AssembleAnswer, summary="Assemble chunks into a prompt")
async def assemble(body: AssembleBody, _: Judger) -> Response:
    """`FAILED` and `NO_EVIDENCE` are answers, too."""
    return JSONResponse(await assemble_chunks(body))


@router.post("/validate", response_model=ValidateAnswer, summary="Judge an answer")
async def validate(body: ValidateBody, _: Judger) -> Response:
    """Against what `/v1/assemble` gave."""
    return JSONResponse(await validate_answer(body))
