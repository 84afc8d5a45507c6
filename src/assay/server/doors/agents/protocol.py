"""The tools as a server of the Model Context Protocol, over standard input and output or HTTP.

In      an open Service, what the caller may
Out     a server of the SDK; results with structured content, errors in the one shape
Effects those of the tools; standard input and output, for the local user
Spec    009-M1, 009-M2, 009-M4
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from importlib.metadata import version
from typing import Any, Final, cast

from anyio import AsyncFile
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from starlette.types import Receive, Scope, Send

from assay.errors import AssayError, NotFoundError
from assay.runtime.access.roles import Permission
from assay.server.doors.agents.tools import TOOLS, Require, call_tool, find_tool
from assay.server.errors import error_body
from assay.server.service import Service

_INSTRUCTIONS: Final = (
    "Judge model outputs, redact texts and ask questions whose answers are checked, on record. "
    "An outcome other than `accepted` is for a person: do not go on as if it had been accepted. "
    'Errors are {"error": {"code", "message", "hint"}}.'
)


def make_server(service: Service, require: Require) -> Server[Any]:
    """A server whose tools do what *require* lets the caller do."""

    async def list_tools(_: Any, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[describe_tool(name) for name in TOOLS])

    async def call(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            tool = find_tool(params.name)
        except NotFoundError as error:
            raise MCPError(types.INVALID_PARAMS, str(error), error_body(error)) from error
        try:
            done = await call_tool(service, tool, params.arguments or {}, require)
        except AssayError as error:
            return _result(error_body(error), is_error=True)
        return _result(done, is_error=False)

    return Server(
        "assay",
        version=version("assay"),
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call,
        get_tool_input_schema=lambda name: TOOLS[name].input_schema if name in TOOLS else None,
    )


def describe_tool(name: str) -> types.Tool:
    """A tool as agents are told of it."""
    tool = TOOLS[name]
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.asks_model,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=tool.asks_model,
        ),
    )


def _result(document: dict[str, Any], *, is_error: bool) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=json.dumps(document))],
        structured_content=document,
        is_error=is_error,
    )


async def serve_stdio(service: Service) -> None:
    """Serve the local user, who may all, until standard input ends."""

    def require_nothing(permission: Permission) -> None:
        del permission

    server = make_server(service, require_nothing)
    lines = cast("AsyncFile[str]", read_lines())  # of which no more is asked
    async with stdio_server(stdin=lines) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def read_lines() -> AsyncIterator[str]:
    """The lines of standard input; nothing else of this process reads from it meanwhile.

    A thread that waits for a line cannot be called off: this one does not keep the process from
    ending when it is asked to.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    private = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def read() -> None:
        with suppress(RuntimeError), open(private, encoding="utf-8", errors="replace") as stream:  # noqa: PTH123
            for line in stream:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, name="standard input", daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line


async def answer_http(
    service: Service, require: Require, scope: Scope, receive: Receive, send: Send
) -> None:
    """Answer one message of a caller; nothing is kept between two."""
    manager = StreamableHTTPSessionManager(
        app=make_server(service, require),
        stateless=True,
        max_request_body_size=service.settings.max_body_bytes,
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)
