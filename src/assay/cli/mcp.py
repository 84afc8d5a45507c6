"""`assay mcp`: tools for agents over standard input and output.

In      a store, a model; messages of the Model Context Protocol on standard input
Out     its answers on standard output, and nothing else there
Spec    009-M4
"""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from importlib.util import find_spec

import click

from assay.cli.options import common_options, model_options, store_option
from assay.errors import UsageError


@click.command()
@store_option
@model_options
@common_options
def command(store_url: str, model: str, script_log: str | None, as_json: bool) -> int:
    """Serve the tools gate, redact, assemble, validate, ask, run and receipt to an agent.

    The agent starts it and speaks the Model Context Protocol over standard input and output; it
    ends when its input does, or on a signal, and what was begun is brought to its end. Packs and
    documents are those of the service (ASSAY_SERVE_PACKS, ASSAY_SERVE_DOCUMENTS). Over HTTP the
    same tools stand at /mcp of assay serve.
    """
    del as_json  # the protocol is JSON in any case
    if any(find_spec(name) is None for name in ("mcp", "fastapi", "uvicorn")):
        raise UsageError(
            "the tools for agents are not installed",
            hint="pip install 'assay[mcp]', then run it again",
        )
    from assay.server.doors.agents.protocol import serve_stdio
    from assay.server.run import open_service

    async def run() -> int:
        async with open_service(store_url, model, script_log=script_log) as service:
            serving = asyncio.ensure_future(serve_stdio(service))
            code = 0

            def leave(number: int) -> None:
                nonlocal code
                code = 128 + number
                serving.cancel()

            loop = asyncio.get_running_loop()
            for each in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(each, leave, each)
            with suppress(asyncio.CancelledError):
                await serving
            return code

    return asyncio.run(run())
