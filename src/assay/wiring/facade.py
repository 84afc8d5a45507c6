"""`Runtime` for callers without an event loop: the same verbs, run on a loop of its own.

In      what `aopen` takes
Out     SyncRuntime
Effects one thread with an event loop
Spec    interfaces.md, "Python"
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import BaseModel

from assay.answers.assemble import Assembly
from assay.answers.conditions import Where
from assay.answers.evidence.bundle import RetrievalBundle
from assay.answers.evidence.policy import SelectionPolicy
from assay.answers.retrieval import Progress as IndexProgress
from assay.contract.classes.declared import Labels
from assay.contract.contract import Contract, ModelT
from assay.figures.record_figures import RecordFigures
from assay.pack.pack import Pack
from assay.protocols import CallFilter, CallRow, IdKind, ReviewRow, SessionRow, VerifyReport
from assay.record.event import StoredEvent
from assay.runtime.answers.ask import TOP_K, Answered
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.context import Item
from assay.runtime.calls.context import Progress as ArrivalProgress
from assay.runtime.calls.inputs import Refused
from assay.runtime.calls.run import ItemOutcome
from assay.runtime.classes.complete import Completed
from assay.runtime.conversations.turn import Turn, Watch
from assay.runtime.figures.filter import FiguresFilter
from assay.runtime.replay.replay import Replayed
from assay.runtime.reviews.decision import Decided, Decision
from assay.runtime.runtime import Runtime
from assay.runtime.templates.registry import Registry
from assay.wiring.opening import aopen
from assay.wiring.settings import Settings
from assay.wiring.templates import Templates

T = TypeVar("T")


class SyncRuntime:
    """`Runtime` for callers without an event loop: the same verbs, run on a loop of its own."""

    def __init__(
        self,
        store: str | None = None,
        model: str | None = None,
        *,
        pack: Pack | None = None,
        script_log: str | None = None,
        settings: Settings | None = None,
        environ: Mapping[str, str] | None = None,
        must_exist: bool = False,
        progress: ArrivalProgress | None = None,
    ) -> None:
        self._context = aopen(
            store,
            model,
            pack=pack,
            script_log=script_log,
            settings=settings,
            environ=environ,
            must_exist=must_exist,
            progress=progress,
        )
        self._templates: Templates | None = None
        self._tasks: set[asyncio.Task[Any] | None] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        try:
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
        inputs: Iterable[str | Path | bytes | Item | Refused],
        *,
        again: bool = False,
        budget: RunBudget | None = None,
        parallel: int | None = None,
        halted: Callable[[], bool] = lambda: False,
    ) -> Iterator[ItemOutcome]:
        """As `Runtime.run`; outcomes come as they settle."""
        return self._stream(
            self._runtime.run(
                pack, inputs, again=again, budget=budget, parallel=parallel, halted=halted
            )
        )

    def complete(
        self,
        contract: type[ModelT] | Contract[ModelT],
        prompt: str | None = None,
        *,
        sources: Mapping[str, str],
        variables: Mapping[str, str] | None = None,
        labels: Labels | None = None,
        input: Mapping[str, Any] | None = None,
        about: str = "",
        subject: str | None = None,
        again: bool = False,
        budget: RunBudget | None = None,
    ) -> Completed[ModelT]:
        """As `Runtime.complete`."""
        return self._wait(
            self._runtime.complete(
                contract,
                prompt,
                sources=sources,
                variables=variables,
                labels=labels,
                input=input,
                about=about,
                subject=subject,
                again=again,
                budget=budget,
            )
        )

    def ask(
        self,
        question: str,
        *,
        docs: Sequence[str] = (),
        bundle: Mapping[str, Any] | RetrievalBundle | Assembly | None = None,
        policy: Mapping[str, Any] | SelectionPolicy | None = None,
        pack: Pack | None = None,
        models: Sequence[str] | None = None,
        top_k: int = TOP_K,
        where: Where = (),
        again: bool = False,
        progress: IndexProgress | None = None,
    ) -> Answered:
        """As `Runtime.ask`: `docs=[…]` or `bundle={…}`."""
        return self._wait(
            self._runtime.ask(
                question,
                docs=docs,
                bundle=bundle,
                policy=policy,
                pack=pack,
                models=models,
                top_k=top_k,
                where=where,
                again=again,
                progress=progress,
            )
        )

    def chat(
        self,
        pack: Pack,
        session: str | None = None,
        message: str = "",
        *,
        directive: str = "",
        budget: RunBudget | None = None,
        watch: Watch | None = None,
    ) -> Turn:
        """As `Runtime.chat`."""
        return self._wait(
            self._runtime.chat(
                pack, session, message, directive=directive, budget=budget, watch=watch
            )
        )

    def sessions(self, limit: int = 100) -> Sequence[SessionRow]:
        return self._wait(self._runtime.sessions(limit))

    def session(self, session_id: str) -> dict[str, Any]:
        return self._wait(self._runtime.session(session_id))

    def calls(self, which: CallFilter | None = None, limit: int = 100) -> Sequence[CallRow]:
        return self._wait(self._runtime.calls(which, limit))

    def costs(self, rows: Sequence[CallRow]) -> dict[str, dict[str, Any] | None]:
        return self._wait(self._runtime.costs(rows))

    def call(self, call_id: str) -> dict[str, Any]:
        return self._wait(self._runtime.call(call_id))

    def replay(
        self,
        call_id: str,
        pack: Pack | type[BaseModel] | None = None,
        *,
        original: bytes | None = None,
    ) -> Replayed:
        return self._wait(self._runtime.replay(call_id, pack, original=original))

    def reviews(self, status: str | None = "open", limit: int = 100) -> Sequence[ReviewRow]:
        return self._wait(self._runtime.reviews(status, limit))

    def review(self, review_id: str) -> ReviewRow:
        return self._wait(self._runtime.review(review_id))

    def find_id(self, kind: IdKind, given: str) -> str:
        """As `Runtime.find_id`."""
        return self._wait(self._runtime.find_id(kind, given))

    def shorten_ids(self, kind: IdKind, ids: Sequence[str]) -> Mapping[str, str]:
        """The shortest beginnings, of eight characters or more, that stand for these ids."""
        return self._wait(self._runtime.store.shorten_ids(kind, ids))

    def decide(
        self,
        review_id: str,
        decision: Decision,
        *,
        pack: Pack | type[BaseModel] | None = None,
        original: bytes | None = None,
    ) -> Decided:
        return self._wait(self._runtime.decide(review_id, decision, pack=pack, original=original))

    def events(
        self, *, run: int | None = None, call: str | None = None, kind: str | None = None
    ) -> Iterator[StoredEvent]:
        """The record's events, streamed in order."""
        return self._stream(self._runtime.store.events(run=run, call=call, kind=kind))

    def verify(self, anchor: Mapping[str, Any] | None = None) -> VerifyReport:
        return self._wait(self._runtime.verify(anchor))

    def head(self) -> Mapping[str, Any]:
        return self._wait(self._runtime.head())

    def figures(
        self, which: FiguresFilter | None = None, *, progress: Callable[[int], None] | None = None
    ) -> RecordFigures:
        """As `Runtime.figures`."""
        return self._wait(self._runtime.figures(which, progress=progress))

    def erase(self, subject: str, *, reason: str, actor: str) -> int:
        return self._wait(self._runtime.erase(subject, reason=reason, actor=actor))

    @property
    def registry(self) -> Registry:
        """The template registry; its coroutines run with `do`."""
        return self._runtime.registry

    @property
    def templates(self) -> Templates:
        """The registry as `render_role_prompt` and `detect_template_drift` take it."""
        if self._templates is None:
            self._templates = Templates(self.registry, self._wait)
        return self._templates

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
        async def note_task() -> T:
            task = asyncio.current_task()
            self._tasks.add(task)
            try:
                return await work
            finally:
                self._tasks.discard(task)

        try:
            return asyncio.run_coroutine_threadsafe(note_task(), self._loop).result()
        except KeyboardInterrupt:
            # Wherever it came, between two lines of this too: the work comes to its end (a commit
            # is not cut in two) before anything else is done.
            asyncio.run_coroutine_threadsafe(self._end_tasks(), self._loop).result()
            raise

    async def _end_tasks(self) -> None:
        """Cancel what is under way, and wait for it."""
        tasks = [task for task in self._tasks if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def open(
    store: str | None = None,
    model: str | None = None,
    *,
    pack: Pack | None = None,
    script_log: str | None = None,
    settings: Settings | None = None,
    environ: Mapping[str, str] | None = None,
    must_exist: bool = False,
    progress: ArrivalProgress | None = None,
) -> SyncRuntime:
    """Open store and model as a plain context; see `aopen` for the arguments."""
    return SyncRuntime(
        store,
        model,
        pack=pack,
        script_log=script_log,
        settings=settings,
        environ=environ,
        must_exist=must_exist,
        progress=progress,
    )
