"""A store's URL and a model's name become one Runtime.

In      settings, a store URL, a model name
Out     Runtime, open for the length of a context
Effects opens stores and models; this machine's time and chance
Spec    interfaces.md, "Python", "Models"
"""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from assay.adapters.keys import keyring_from
from assay.adapters.models.registry import open_model
from assay.adapters.retrievers.folder import FolderRetriever
from assay.adapters.stores import open_store
from assay.adapters.stores.database import absent_file
from assay.adapters.stores.proofs import SqlProofs
from assay.adapters.stores.sessions import SqlSessions
from assay.adapters.stores.templates.read import SqlTemplates
from assay.errors import InputError, NotFoundError, UsageError
from assay.pack.pack import Pack
from assay.protocols import Model, ModelReply, ModelRequest
from assay.runtime.calls.context import RuntimeContext
from assay.runtime.calls.execution import RetryPolicy
from assay.runtime.calls.lease import this_process
from assay.runtime.runtime import Runtime
from assay.runtime.templates.policy import Governance
from assay.runtime.templates.registry import Registry
from assay.templates.signing import read_public_key
from assay.wiring.packs import bundled_pack, redactor_for
from assay.wiring.prices import prices_of
from assay.wiring.settings import Settings, environment


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _NoModel:
    """Stands where a command calls no model; asking it is a fault."""

    name = "none"
    needs_plan = False
    identity: Mapping[str, Any] = {}

    async def complete(self, request: ModelRequest) -> ModelReply:  # noqa: ARG002
        raise UsageError("no model was opened", hint="give --model")

    async def aclose(self) -> None:
        return None


NO_MODEL = _NoModel()


@asynccontextmanager
async def aopen(
    store: str | None = None,
    model: str | None = None,
    *,
    pack: Pack | None = None,
    script_log: str | None = None,
    settings: Settings | None = None,
    environ: Mapping[str, str] | None = None,
    must_exist: bool = False,
) -> AsyncIterator[Runtime]:
    """Open store and model; everything is closed at the end of the context.

    Args:
        store: `sqlite:///PATH` or `postgresql://…`; default ASSAY_STORE.
        model: `PROVIDER:NAME`; default ASSAY_MODEL.
        pack: Adds its own redaction classes.
        script_log: With `scripted:`, a file that gets each request.
        environ: Variables with settings and keys; None means those of this process,
            and of the settings file under them.
        must_exist: For who only looks: a SQLite store that is not there is not made.

    Raises:
        NotFoundError: with *must_exist*, there is no store.
    """
    environ = environment() if environ is None else environ
    settings = settings or Settings.from_environment(environ)
    if must_exist:
        require_store(store or settings.store)
    clock = SystemClock()
    keyring = keyring_from(environ)
    governance = governance_of(settings)
    prices = prices_of(settings.prices)
    answering: Model = NO_MODEL
    if model != "none":
        answering = open_model(model or settings.model, environ=environ, script_log=script_log)
    try:
        opened = await open_store(store or settings.store, clock=clock, keyring=keyring)
    except BaseException:
        await answering.aclose()
        raise
    runtime = Runtime(
        context=RuntimeContext(
            store=opened,
            model=answering,
            clock=clock,
            redactor=redactor_for(pack, settings),
            retry=RetryPolicy(
                max_tries=settings.retry_attempts,
                max_total_s=settings.retry_total_s,
                per_try_s=settings.call_deadline_s,
            ),
            jitter=random.random,
            new_id=lambda: uuid.uuid4().hex,
            owner=this_process(),
            temperature=settings.temperature,
            effort=settings.reasoning_effort,
            prices=prices,
            keep_inputs=keyring is not None,
            library=version("assay"),
            find_pack=bundled_pack,
            registry=Registry(
                store=opened,
                templates=SqlTemplates(opened),
                clock=clock,
                governance=governance,
            ),
            sessions=SqlSessions(opened),
            proofs=SqlProofs(opened),
        ),
        retriever=FolderRetriever(Path(settings.index)),
    )
    try:
        yield runtime
    finally:
        try:
            await opened.place_own()
        finally:
            await runtime.aclose()


def require_store(url: str) -> None:
    """Make sure that a SQLite store is there, and make none.

    Raises:
        NotFoundError: its file does not exist, or nothing was ever written to it.
    """
    missing = absent_file(url)
    if missing is not None:
        raise NotFoundError(
            f"there is no store at {str(missing)!r}",
            hint="check --store or ASSAY_STORE; assay run, ask and chat make a new one",
        )


def governance_of(settings: Settings) -> Governance:
    """What the settings demand of templates.

    Raises:
        InputError: a trusted key is none, or keys are asked for and there is none.
    """
    words = settings.template_keys.split()
    if settings.template_keys and not words:
        raise InputError(
            "ASSAY_TEMPLATE_KEYS is set and holds no key",
            hint="give the trusted public keys, or unset it to take unsigned templates",
        )
    return Governance(
        strict=settings.strict_templates,
        require=settings.require_template,
        trusted=tuple(read_public_key(key) for key in words),
        two_person=settings.template_approval,
    )
