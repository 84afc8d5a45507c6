"""Settings and names become one Runtime.

In      the environment, a store URL, a model name, a pack's name or folder
Out     Runtime (async), SyncRuntime (the same for callers without an event loop), Pack
Effects opens stores, models and folders
Spec    interfaces.md, "Python", "Models"
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import wait
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.adapters.checks import PublishedChecks
from assay.adapters.folders import read_pack_folder
from assay.adapters.keys import keyring_from
from assay.adapters.models.registry import open_model
from assay.adapters.stores import open_store
from assay.contract.contract import Contract
from assay.errors import UsageError
from assay.pack.pack import Pack
from assay.pack.read import read_pack
from assay.prompt.redaction import DEFAULT_REGIONS, Redactor
from assay.protocols import (
    CallFilter,
    CallRow,
    Model,
    ModelReply,
    ModelRequest,
    ReviewRow,
    VerifyReport,
)
from assay.record.event import StoredEvent
from assay.runtime.bench import Item, Workbench
from assay.runtime.budget import RunBudget
from assay.runtime.clock import SystemClock, jitter, new_id
from assay.runtime.execution import RetryPolicy
from assay.runtime.inputs import Refused
from assay.runtime.review import Decided, Decision
from assay.runtime.run import ItemOutcome
from assay.runtime.runtime import Runtime

T = TypeVar("T")


class Settings(BaseModel):
    """What the environment may set; each field names its variable."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: str = Field(
        "sqlite:///.assay/assay.db", alias="ASSAY_STORE", description="Where the record lives."
    )
    model: str = Field("extractive", alias="ASSAY_MODEL", description="What answers.")
    temperature: float = Field(
        0.2,
        ge=0.0,
        le=2.0,
        alias="ASSAY_TEMPERATURE",
        description="Temperature of the first attempt; the second is always 0.0.",
    )
    redaction_key: str | None = Field(
        None,
        alias="ASSAY_REDACTION_KEY",
        description="Key of the surrogates (HMAC-SHA256); without it they are plain digests.",
    )
    retry_attempts: int = Field(
        4, ge=1, le=20, alias="ASSAY_RETRY_ATTEMPTS", description="Tries of one exchange."
    )
    retry_total_s: float = Field(
        120.0, gt=0, alias="ASSAY_RETRY_TOTAL_S", description="Seconds for all tries together."
    )
    call_deadline_s: float = Field(
        60.0, gt=0, alias="ASSAY_CALL_DEADLINE_S", description="Seconds for one try."
    )

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """Raises UsageError that names the variable which is wrong, never its value."""
        names = {field.alias for field in cls.model_fields.values()}
        given = {name: value for name, value in environ.items() if name in names and value}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            wrong = ", ".join(sorted({str(fault["loc"][0]) for fault in error.errors()}))
            raise UsageError(f"the setting {wrong} is not valid", hint="see docs") from error


def load_pack(name: str) -> Pack:
    """Read and check a bundled pack by name, or any pack by its folder.

    Raises:
        PackError: with file and line, when the pack does not say what it must.
        InputError: there is no such pack or folder.
    """
    files, hint = read_pack_folder(name)
    return read_pack(files, name_hint=hint, checks=PublishedChecks())


def load_contract(reference: str) -> Contract:
    """The contract that `PACK/NAME` names; PACK is a bundled pack or a folder."""
    pack_name, slash, name = reference.rpartition("/")
    if not slash or not pack_name or not name:
        raise UsageError(f"{reference!r} names no contract", hint="as PACK/NAME: intake/classify")
    return load_pack(pack_name).contract(name)


def redactor_for(pack: Pack | None, settings: Settings) -> Redactor:
    """The redactor under the environment's key, with the classes that *pack* adds."""
    extra = () if pack is None else pack.redaction_classes
    return Redactor(key=settings.redaction_key, regions=DEFAULT_REGIONS, extra=extra)


@asynccontextmanager
async def aopen(
    store: str | None = None,
    model: str | None = None,
    *,
    pack: Pack | None = None,
    script_log: str | None = None,
    settings: Settings | None = None,
    environ: Mapping[str, str] = os.environ,
) -> AsyncIterator[Runtime]:
    """Open store and model; everything is closed at the end of the context.

    Args:
        store: `sqlite:///PATH` or `postgresql://…`; default ASSAY_STORE.
        model: `PROVIDER:NAME`; default ASSAY_MODEL.
        pack: Adds its own redaction classes.
        script_log: With `scripted:`, a file that gets each request.
    """
    known = settings or Settings.from_environment(environ)
    clock = SystemClock()
    keyring = keyring_from(environ)
    answering: Model = NO_MODEL
    if model != "none":
        answering = open_model(model or known.model, environ=environ, script_log=script_log)
    try:
        opened = await open_store(store or known.store, clock=clock, keyring=keyring)
    except BaseException:
        await answering.aclose()
        raise
    runtime = Runtime(
        bench=Workbench(
            store=opened,
            model=answering,
            clock=clock,
            redactor=redactor_for(pack, known),
            retry=RetryPolicy(
                max_tries=known.retry_attempts,
                max_total_s=known.retry_total_s,
                per_try_s=known.call_deadline_s,
            ),
            jitter=jitter,
            new_id=new_id,
            temperature=known.temperature,
            keep_inputs=keyring is not None,
        )
    )
    try:
        yield runtime
    finally:
        await runtime.aclose()


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


class SyncRuntime:
    """`Runtime` for callers without an event loop: the same verbs, run on a loop of its own."""

    def __init__(self, **how: Any) -> None:
        self._how = how
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._context = aopen(**self._how)
            self._runtime = self._wait(self._context.__aenter__())
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._wait(self._context.__aexit__(None, None, None))
        finally:
            self._stop()

    def run(
        self,
        pack: Pack,
        inputs: Iterable[str | bytes | Item | Refused],
        *,
        again: bool = False,
        budget: RunBudget | None = None,
    ) -> Iterator[ItemOutcome]:
        """As `Runtime.run`; outcomes come as they settle."""
        return self._stream(self._runtime.run(pack, inputs, again=again, budget=budget))

    def calls(self, which: CallFilter | None = None, limit: int = 100) -> Sequence[CallRow]:
        return self._wait(self._runtime.calls(which, limit))

    def call(self, call_id: str) -> dict[str, Any]:
        return self._wait(self._runtime.call(call_id))

    def reviews(self, status: str | None = "open", limit: int = 100) -> Sequence[ReviewRow]:
        return self._wait(self._runtime.reviews(status, limit))

    def review(self, review_id: str) -> ReviewRow:
        return self._wait(self._runtime.store.review(review_id))

    def decide(self, review_id: str, decision: Decision, **how: Any) -> Decided:
        return self._wait(self._runtime.decide(review_id, decision, **how))

    def events(
        self, *, run: int | None = None, call: str | None = None, kind: str | None = None
    ) -> Iterator[StoredEvent]:
        """The record's events, streamed in order."""
        return self._stream(self._runtime.store.events(run=run, call=call, kind=kind))

    def verify(self, anchor: Mapping[str, Any] | None = None) -> VerifyReport:
        return self._wait(self._runtime.verify(anchor))

    def head(self) -> Mapping[str, Any]:
        return self._wait(self._runtime.head())

    def erase(self, subject: str, *, reason: str, actor: str) -> int:
        return self._wait(self._runtime.erase(subject, reason=reason, actor=actor))

    @property
    def runtime(self) -> Runtime:
        return self._runtime

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run any coroutine of the async runtime to its end."""
        return self._wait(work)

    def _stream(self, values: AsyncIterator[T]) -> Iterator[T]:
        async def following() -> T:
            return await anext(values)

        async def close() -> None:
            if isinstance(values, AsyncGenerator):
                await values.aclose()

        try:
            while True:
                try:
                    yield self._wait(following())
                except StopAsyncIteration:
                    return
        finally:
            self._wait(close())

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        task: list[asyncio.Task[Any] | None] = []

        async def known() -> T:
            task.append(asyncio.current_task())
            return await work

        future = asyncio.run_coroutine_threadsafe(known(), self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            # Let the work come to its end (a commit is not cut in two) before going on.
            if task and task[0] is not None:
                self._loop.call_soon_threadsafe(task[0].cancel)
            wait([future])
            raise

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def open(store: str | None = None, model: str | None = None, **how: Any) -> SyncRuntime:
    """Open store and model as a plain context; see `aopen` for the arguments."""
    return SyncRuntime(store=store, model=model, **how)
