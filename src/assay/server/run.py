"""Open what a service needs, serve it, and end so that nothing that was begun is lost.

In      settings, a store, a model, an address
Out     a service that listens
Effects sockets, the store, the model
Spec    interfaces.md, "HTTP"; 009-H7, 009-A6
"""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial

import uvicorn

from assay.errors import AssayError, InputError, UsageError
from assay.pack.pack import Pack
from assay.runtime.access.one_time_link import OneTimeLink
from assay.runtime.calls.departure import Departures
from assay.server.app import create_app
from assay.server.connections import most_connections, timed_protocol
from assay.server.documents import NamedDocuments
from assay.server.limits import Admission
from assay.server.observe.counters import Metrics
from assay.server.observe.traces import Traces, export_traces
from assay.server.observe.watched_store import watch_store
from assay.server.service import Service, find_served
from assay.server.webhooks import Webhooks
from assay.wiring.auditing import audit_keys
from assay.wiring.opening import aopen
from assay.wiring.packs import load_pack
from assay.wiring.service import service_store
from assay.wiring.settings import ServiceSettings, environment

BACKLOG = 2_048
PRUNE_EVERY_S = 600.0
_ENDING = (signal.SIGTERM, signal.SIGINT)


@asynccontextmanager
async def open_service(
    store: str | None = None,
    model: str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    script_log: str | None = None,
) -> AsyncIterator[Service]:
    """A service on an open store and model; at the end what was begun is brought to its end.

    Raises:
        UsageError: a setting is not valid.
        PackError, InputError: a pack that is to be served is none.
    """
    environ = environment() if environ is None else environ
    settings = ServiceSettings.from_environment(environ)
    packs = served_packs(settings.packs)
    async with aopen(
        store, model, settings=settings, environ=environ, script_log=script_log
    ) as runtime:
        if runtime.retriever is None:
            raise UsageError("this runtime has no retriever")
        counted = Metrics()
        traces, end_traces = start_traces(environ, settings)
        listeners = [counted.hear, *([] if traces is None else [traces.hear])]
        documents = NamedDocuments(
            retriever=runtime.retriever, folders=served_documents(settings.documents)
        )
        watched = watch_store(runtime.store, listeners)
        own = runtime.context
        departures = Departures(watched, own.clock, own.key_locks, own.owner)
        service = Service(
            runtime=replace(
                runtime,
                retriever=documents,
                context=replace(
                    own,
                    store=watched,
                    find_pack=partial(find_served, packs),
                    departures=departures,
                ),
            ),
            kept=service_store(runtime, environ),
            settings=settings,
            packs=packs,
            documents=documents,
            keys=audit_keys(settings),
            admission=Admission(at_once=settings.at_once, waiting=settings.waiting),
            metrics=counted,
            traces=traces,
        )
        beside = [asyncio.create_task(forget_answers(service))]
        telling = start_webhooks(service)
        beside += [] if telling is None else [telling]
        try:
            yield service
        finally:
            await service.finish()
            await departures.close()
            for task in beside:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await asyncio.to_thread(end_traces)


def start_traces(
    environ: Mapping[str, str], settings: ServiceSettings
) -> tuple[Traces | None, Callable[[], None]]:
    """Traces where an endpoint is named for them; and what ends them.

    Raises:
        UsageError: an endpoint is named, and the exporter is not installed.
    """
    named = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    if not any(environ.get(name) for name in named):
        return None, lambda: None
    try:
        return export_traces(texts=settings.telemetry_texts)
    except ImportError as error:
        raise UsageError(
            "an endpoint for traces is named, and no exporter is installed",
            hint="pip install 'assay[otel]'",
        ) from error


def start_webhooks(service: Service) -> asyncio.Task[None] | None:
    """The task that tells another program, where its address is set.

    Raises:
        UsageError: there is an address and no secret.
    """
    settings = service.settings
    if not settings.webhook_url:
        return None
    if not settings.webhook_secret:
        raise UsageError(
            "ASSAY_SERVE_WEBHOOK_URL is set, and nothing to sign with",
            hint="set ASSAY_SERVE_WEBHOOK_SECRET",
        )
    sender = Webhooks(service=service, url=settings.webhook_url, secret=settings.webhook_secret)
    return asyncio.create_task(sender.run())


async def forget_answers(service: Service) -> None:
    """Destroy kept answers once their time is over; until it is cancelled."""
    settings, clock = service.settings, service.runtime.context.clock
    while True:
        with suppress(AssayError):
            await service.kept.prune_answers(clock.now() - timedelta(hours=settings.answers_hours))
        await asyncio.sleep(PRUNE_EVERY_S)


def served_packs(words: str) -> dict[str, Pack]:
    """The packs that are served, by their names.

    Raises:
        UsageError: two of them have one name.
    """
    found: dict[str, Pack] = {}
    for word in words.split():
        pack = load_pack(word)
        if pack.name in found:
            raise UsageError(f"two packs are named {pack.name!r}", hint="see ASSAY_SERVE_PACKS")
        found[pack.name] = pack
    return found


def served_documents(words: str) -> dict[str, str]:
    """What may be asked over: name -> folder.

    Raises:
        UsageError: a word is not `NAME=FOLDER`.

    Example:
        >>> served_documents("pool=/srv/pool rules=/srv/rules")
        {'pool': '/srv/pool', 'rules': '/srv/rules'}
    """
    found: dict[str, str] = {}
    for word in words.split():
        name, equals, folder = word.partition("=")
        if not equals or not name or not folder or "/" in name:
            raise UsageError(
                "ASSAY_SERVE_DOCUMENTS holds a word that is not NAME=FOLDER",
                hint="as pool=/srv/documents/pool",
            )
        found[name] = folder
    return found


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine reaches *host*.

    Example:
        >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
        (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        InputError: the address is taken, or none of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, asyncio sends what is written at once; else each answer waits for 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        why = getattr(error, "strerror", None) or "not possible"
        raise InputError(
            f"cannot listen at {host}:{port} ({why})", hint="give another --port or --host"
        ) from error
    listening.listen(BACKLOG)
    listening.setblocking(False)
    return listening


async def serve(
    service: Service,
    listening: socket.socket,
    *,
    link: OneTimeLink | None = None,
    begun: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGTERM or ctrl-C; then take no more, and answer what was begun.

    Args:
        link: Signs in who sits at this machine.
        begun: Called once requests are taken.
    """
    app = create_app(service, link=link, traces=service.traces)
    server = _Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=True,
            timeout_graceful_shutdown=None,
            timeout_keep_alive=30,
            h11_max_incomplete_event_size=64_000,
            http=timed_protocol(service.settings.body_wait_s, most_connections()),
            ws="none",
            lifespan="off",
        ),
        service,
        begun,
    )
    await server.serve(sockets=[listening])


class _Server(uvicorn.Server):
    """Says when it begins and when it stops taking requests."""

    def __init__(self, config: uvicorn.Config, service: Service, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._service = service
        self._begun = begun

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """SIGTERM and ctrl-C ask for the end; what was asked for is no interruption."""
        before = {each: signal.signal(each, self.handle_exit) for each in _ENDING}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._begun()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._service.stopping = True
        await super().shutdown(sockets=sockets)
