"""The tools that agents call: the same work as the routes of the API, by name.

In      the name of a tool, its arguments
Out     the JSON of the route that does the same
Effects those of the runtime
Spec    009-M1, 009-M2, 009-M3
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from assay.client.answers import (
    Answer,
    AskAnswer,
    AssembleAnswer,
    RedactAnswer,
    RunAnswer,
    ValidateAnswer,
    VerdictAnswer,
)
from assay.client.bodies import (
    AnswerBody,
    AssembleBody,
    Body,
    GateBody,
    ReceiptBody,
    RedactBody,
    RunBody,
    ValidateBody,
)
from assay.errors import AssayError, NotFoundError
from assay.runtime.access.roles import Permission
from assay.server.api.judging import assemble_chunks, judge_output, redact_text, validate_answer
from assay.server.api.records import receipt_document
from assay.server.api.work import answer_question, run_inputs, tell_nobody
from assay.server.errors import bad_arguments, unexpected
from assay.server.said import remember_arguments
from assay.server.service import Service

Work = Callable[[Service, Any], Awaitable[dict[str, Any]]]
Require = Callable[[Permission], None]
"""Raises MayNotError where whoever calls has not got the permission."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool: what it takes, what it gives, what it needs."""

    name: str
    title: str
    description: str
    permission: Permission
    body: type[Body]
    answer: type[Answer]
    work: Work
    asks_model: bool = False
    """Whether it costs, and leaves something on record."""

    @property
    def input_schema(self) -> dict[str, Any]:
        return self.body.model_json_schema()

    @property
    def output_schema(self) -> dict[str, Any]:
        return self.answer.model_json_schema(mode="serialization")


TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for tool in (
        Tool(
            name="gate",
            title="Judge one model output",
            description="Hold a model's output against a contract: strict JSON, schema, labels, "
            "quotes, rules. A rejected output is an answer with findings, not an error. No model "
            "is called and nothing is recorded. Needs the permission `judge`.",
            permission="judge",
            body=GateBody,
            answer=VerdictAnswer,
            work=judge_output,
        ),
        Tool(
            name="redact",
            title="Redact a text",
            description="Put surrogates in place of personal data; equal values get equal ones. "
            "Needs the permission `judge`.",
            permission="judge",
            body=RedactBody,
            answer=RedactAnswer,
            work=redact_text,
        ),
        Tool(
            name="assemble",
            title="Assemble chunks into a prompt",
            description="Choose evidence from retrieved chunks by a policy and build the prompt "
            "that asks for a cited answer. Needs the permission `judge`.",
            permission="judge",
            body=AssembleBody,
            answer=AssembleAnswer,
            work=lambda _, body: assemble_chunks(body),
        ),
        Tool(
            name="validate",
            title="Judge a cited answer",
            description="Hold an answer against what `assemble` gave: each sentence cites its "
            "source, each fact stands in it. Needs the permission `judge`.",
            permission="judge",
            body=ValidateBody,
            answer=ValidateAnswer,
            work=lambda _, body: validate_answer(body),
        ),
        Tool(
            name="ask",
            title="Answer a question from documents",
            description="A validated answer with its citations, a refusal, or a case for a person. "
            "Documents go by the names that the service gives them. A model is asked, and the "
            "call is recorded. Needs the permission `ask`.",
            permission="ask",
            body=AnswerBody,
            answer=AskAnswer,
            work=answer_question,
            asks_model=True,
        ),
        Tool(
            name="run",
            title="Run inputs through a pack",
            description="Bring texts or files through the flow of a pack; each gets one outcome: "
            "accepted, no_evidence or needs_review. A model is asked, and every call is recorded. "
            "Needs the permission `ask`.",
            permission="ask",
            body=RunBody,
            answer=RunAnswer,
            work=lambda service, body: run_inputs(service, body, tell_nobody),
            asks_model=True,
        ),
        Tool(
            name="receipt",
            title="Prove a decision",
            description="One document that proves a recorded call far from the store. Needs the "
            "permission `texts`.",
            permission="texts",
            body=ReceiptBody,
            answer=Answer,
            work=lambda service, body: receipt_document(service, body.call),
        ),
    )
}


def find_tool(name: str) -> Tool:
    """The tool of this name. Raises NotFoundError."""
    found = TOOLS.get(name)
    if found is None:
        raise NotFoundError("there is no such tool", hint=f"one of {', '.join(TOOLS)}")
    return found


async def call_tool(
    service: Service, tool: Tool, arguments: Mapping[str, Any], require: Require
) -> dict[str, Any]:
    """What *tool* answers. What it began is brought to its end, whoever listens.

    Raises:
        MayNotError: the caller may not.
        BadRequestError: the arguments are not those of its schema.
        AssayError: whatever the route that does the same would tell.
    """
    require(tool.permission)
    remember_arguments(arguments)
    try:
        body = tool.body.model_validate(arguments)
    except ValidationError as error:
        raise bad_arguments(error) from error

    async def work() -> dict[str, Any]:
        return await tool.work(service, body)

    try:
        return await service.carry(work())
    except AssayError:
        raise
    except Exception as error:
        raise unexpected(error) from error
