"""`assay serve`: the HTTP API and the pages, on one machine or on many.

In      an address, a store, a model
Out     a line with the address; the service until SIGTERM or ctrl-C
Spec    interfaces.md, "HTTP"; 009-A6, 009-H7
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import closing
from importlib.util import find_spec
from socket import socket

import click

from assay.cli.options import common_options, model_options, store_option
from assay.cli.output import say, terminal, to_json, write
from assay.errors import UsageError

PORT = 8320


@click.command()
@store_option
@model_options
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option(
    "--port",
    default=PORT,
    show_default=True,
    type=click.IntRange(0, 65_535),
    help="Port to listen at; 0 takes any that is free.",
)
@click.option(
    "--log",
    type=click.Choice(["auto", "json", "text"]),
    default="auto",
    show_default=True,
    help="Lines on standard error: auto is text at a terminal, JSON elsewhere.",
)
@common_options
def command(
    store_url: str,
    model: str,
    script_log: str | None,
    host: str,
    port: int,
    log: str,
    as_json: bool,
) -> None:
    """Serve the API and the pages until ctrl-C or SIGTERM; what was begun is brought to its end.

    Programs call it with keys (assay keys add). On a laptop a one-time link for the pages is
    printed; teams sign in through a provider (ASSAY_OIDC_ISSUER).
    """
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise UsageError(
            "the service is not installed", hint="pip install 'assay[server]', then run it again"
        )
    from assay.runtime.access.one_time_link import OneTimeLink
    from assay.server.observe.requests import start_logs
    from assay.server.run import is_loopback, listen, open_service, serve

    lines = "text" if terminal(stderr=True).is_terminal else "json"
    wanted = lines if log == "auto" else log
    debugging = logging.getLogger("assay").isEnabledFor(logging.DEBUG)
    start_logs(as_json=wanted == "json", tracebacks=debugging)

    async def run() -> None:
        with closing(listen(host, port)) as listening:
            await serve_at(listening)

    async def serve_at(listening: socket) -> None:
        address, taken = listening.getsockname()[:2]
        shown = f"http://{f'[{address}]' if ':' in address else address}:{taken}"
        async with open_service(store_url, model, script_log=script_log) as service:
            alone = is_loopback(address) and not service.settings.oidc_issuer
            link = OneTimeLink(service.runtime.context.clock) if alone else None
            entrance = None if link is None else f"{shown}/sign-in/link?token={link.make()}"

            def begun() -> None:
                if as_json:
                    write(to_json({"address": shown, "sign_in": entrance}))
                    return
                say(f"serving {shown}")
                if entrance is not None:
                    say(f"sign in once, within half an hour: {entrance}")

            await serve(service, listening, link=link, begun=begun)

    asyncio.run(run())
