"""One object that does what the command line, the service and the library offer.

In      a RuntimeContext (store, model, clock, redactor), packs, inputs
Out     outcomes, recorded calls, reviews, verification reports
Effects all through the context
Spec    interfaces.md, "Python"

Async only; `assay.open` wraps it for callers that are not.
"""

from __future__ import annotations

import json
from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self, TypeVar

from assay.answers.assemble import Assembly
from assay.answers.evidence.bundle import RetrievalBundle
from assay.answers.evidence.policy import SelectionPolicy
from assay.answers.retrieval import Progress, Retriever
from assay.errors import UsageError
from assay.figures.record_figures import RecordFigures
from assay.pack.pack import Pack
from assay.protocols import CallFilter, CallRow, ReviewRow, SessionRow, Store, VerifyReport
from assay.runtime.answers.ask import TOP_K, Answered, ask
from assay.runtime.audit.erasure import erase_subject
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.context import Item, RuntimeContext
from assay.runtime.calls.inputs import (
    Refused,
    file_size,
    find_inputs,
    is_slow_to_read,
    read_file,
    read_item,
)
from assay.runtime.calls.run import ItemOutcome, run_pack
from assay.runtime.conversations.sessions import sessions_of, show
from assay.runtime.conversations.turn import Turn, Watch, converse
from assay.runtime.costs.model_use import costs_of_calls, use_of_call
from assay.runtime.figures.count import FiguresFilter, count_figures
from assay.runtime.kinds import kind_of
from assay.runtime.replay.kept import kept_call
from assay.runtime.replay.replay import Replayed, replay
from assay.runtime.reviews.decision import Decided, Decision, decide
from assay.runtime.templates.registry import Registry

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """Everything with effects, behind plain verbs. Close it, or use it as a context."""

    context: RuntimeContext
    retriever: Retriever | None = None
    """Finds passages in files and folders, for `ask`."""

    @property
    def store(self) -> Store:
        return self.context.store

    @property
    def registry(self) -> Registry:
        """The template registry.

        Raises:
            UsageError: this runtime was made without one.
        """
        if self.context.registry is None:
            raise UsageError("this runtime has no template registry", hint="open it with aopen")
        return self.context.registry

    async def run(
        self,
        pack: Pack,
        inputs: Iterable[str | bytes | Item | Refused],
        *,
        again: bool = False,
        budget: RunBudget | None = None,
        parallel: int | None = None,
        halted: Callable[[], bool] = lambda: False,
    ) -> AsyncIterator[ItemOutcome]:
        """Run *pack*'s flow over *inputs*; yields an outcome for each, in order.

        Args:
            inputs: Paths of files or folders, the bytes of inputs, or items read before; they
                are taken and read as places become free.
            again: Ask the model even for what is settled already.
            parallel: Inputs in flight; None is 8 for a model over a network and 1 for others.
            halted: Asked before each input: True settles what is under way and begins no other.
        """
        outcomes = run_pack(
            self.context,
            pack,
            self._items(pack, inputs),
            budget=budget or RunBudget(),
            again=again,
            parallel=parallel,
            halted=halted,
        )
        async with aclosing(outcomes):
            async for outcome in outcomes:
                yield outcome

    async def _items(
        self, pack: Pack, inputs: Iterable[str | bytes | Item | Refused]
    ) -> AsyncIterator[Item | Refused]:
        """The inputs, read one after another as they are asked for."""
        source, redactor = pack.source, self.context.redactor
        for number, given in enumerate(inputs, start=1):
            if isinstance(given, str):
                for path in find_inputs([given], source).taken:
                    reading = read_file(path, source, redactor)
                    aside = is_slow_to_read(file_size(path), source)
                    while (item := await _read(aside, next, reading, None)) is not None:
                        yield item
            elif isinstance(given, bytes):
                aside = is_slow_to_read(len(given), source)
                yield await _read(aside, read_item, f"input-{number}", given, source, redactor)
            else:
                yield given

    async def ask(
        self,
        question: str,
        *,
        docs: Sequence[str] = (),
        bundle: Mapping[str, Any] | RetrievalBundle | Assembly | None = None,
        policy: Mapping[str, Any] | SelectionPolicy | None = None,
        pack: Pack | None = None,
        models: Sequence[str] | None = None,
        top_k: int = TOP_K,
        again: bool = False,
        progress: Progress | None = None,
    ) -> Answered:
        """Answer *question* from *docs* or from a ready *bundle*; see `runtime.answers.ask`.

        Args:
            docs: Files and folders (`.md .txt .html .pdf .docx .eml`).
            bundle: What was retrieved elsewhere, instead of *docs*.
            policy: A whole selection policy; None is the pack's, or R2_POLICY_V1.
            pack: A pack of answers: its policy, and the models that may be asked.
            models: Name patterns of the models that may be asked, where no pack says so.
            top_k: Passages to retrieve from *docs*.
            again: Ask the model even when the same question is settled already.
            progress: Told about the files while they are indexed.
        """
        return await ask(
            self.context,
            question,
            retriever=self.retriever,
            docs=docs,
            bundle=bundle,
            policy=policy,
            pack=pack,
            models=models,
            top_k=top_k,
            again=again,
            progress=progress,
        )

    # --- conversations ----------------------------------------------------------------------

    async def chat(
        self,
        pack: Pack,
        session: str | None = None,
        message: str = "",
        *,
        directive: str = "",
        budget: RunBudget | None = None,
        watch: Watch | None = None,
    ) -> Turn:
        """One turn of a staged conversation; see `assay.runtime.conversations.turn.converse`."""
        return await converse(
            self.context,
            pack,
            message,
            session=session,
            directive=directive,
            budget=budget or RunBudget(**pack.budget.model_dump()),
            watch=watch,
        )

    async def sessions(self, limit: int = 100) -> Sequence[SessionRow]:
        """The latest first."""
        return await sessions_of(self.context).sessions(limit)

    async def session(self, session_id: str) -> dict[str, Any]:
        """A session with its cached state; raises IntegrityError when it was edited."""
        return await show(self.context, session_id)

    # --- recorded calls ---------------------------------------------------------------------

    async def calls(self, which: CallFilter | None = None, limit: int = 100) -> Sequence[CallRow]:
        return await self.store.calls(which or CallFilter(), limit)

    async def call(self, call_id: str) -> dict[str, Any]:
        """The call's row and all its events, with payloads that are JSON or text decoded."""
        row = await self.store.call(call_id)
        events = []
        async for event in self.store.events(call=call_id):
            payloads: dict[str, Any] = {}
            for name in event.commitments:
                payloads[name] = readable_payload(await self.store.payload(event.seq, name), name)
            events.append(
                {
                    "seq": event.seq,
                    "run": event.run,
                    "kind": event.kind,
                    "at": event.at,
                    "digest": event.digest,
                    "facts": dict(event.facts),
                    "payloads": payloads,
                }
            )
        use = await use_of_call(self.store, call_id)
        return {"call": {**call_document(row), "use": use.to_dict()}, "events": events}

    async def costs(self, rows: Sequence[CallRow]) -> dict[str, dict[str, Any] | None]:
        """What calls cost, by their ids, as recorded; None where a part is not known."""
        return await costs_of_calls(self.store, rows)

    async def replay(
        self, call_id: str, pack: Pack | None = None, *, original: bytes | None = None
    ) -> Replayed:
        """Rebuild the prompts of a call and judge its replies again; no model is asked.

        Args:
            pack: The pack that the call was made with; None is the bundled one of its name.
            original: The bytes of the input, when its texts are not kept in the store.

        Raises:
            InputError: *original* is not the input of the call, or not all that it was made of;
                or the pack is needed and not at hand.
        """
        find_pack = self._find_pack(pack)
        find_template = None if self.context.registry is None else self.registry.stored_version
        kept = await kept_call(self.store, call_id, find_template)
        kind = kind_of(kept)
        if original is not None and kept.material is None:
            material = await kind.find_material(self.context, kept, find_pack, original)
            kept = replace(kept, material=material)
        return replay(kept, kind.job.restore(kept, find_pack, self.context.redactor))

    def _find_pack(self, pack: Pack | None) -> Callable[[str], Pack]:
        return self.context.find_pack if pack is None else lambda _: pack

    # --- reviews ----------------------------------------------------------------------------

    async def reviews(self, status: str | None = "open", limit: int = 100) -> Sequence[ReviewRow]:
        return await self.store.reviews(status, limit)

    async def decide(
        self,
        review_id: str,
        decision: Decision,
        *,
        pack: Pack | None = None,
        original: bytes | None = None,
    ) -> Decided:
        """Take a person's decision; see `assay.runtime.reviews.decision.decide`.

        Args:
            pack: The pack that the call was made with; None is the bundled one of its name.
            original: The bytes of the input, when its texts are not kept in the store.
        """
        return await decide(
            self.context,
            review_id,
            decision,
            find_pack=self._find_pack(pack),
            original=original,
        )

    # --- the record -------------------------------------------------------------------------

    async def verify(self, anchor: Mapping[str, Any] | None = None) -> VerifyReport:
        return await self.store.verify(anchor)

    async def head(self) -> Mapping[str, Any]:
        return await self.store.head()

    async def figures(
        self, which: FiguresFilter | None = None, *, progress: Callable[[int], None] | None = None
    ) -> RecordFigures:
        """What the record comes to: outcomes, findings, latency, tokens, cost, redactions.

        Args:
            which: Which calls are counted; None counts all.
            progress: Told now and then how many events were read.
        """
        return await count_figures(self.store, which, progress=progress)

    async def erase(self, subject: str, *, reason: str, actor: str) -> int:
        """Destroy what is kept of a subject: its pseudonym, or the mail address behind it."""
        erasure = await erase_subject(
            self.store, self.context.redactor, subject, reason=reason, actor=actor
        )
        return erasure.payloads

    async def aclose(self) -> None:
        await self.context.model.aclose()
        await self.store.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


async def _read(aside: bool, read: Callable[..., T], *how: Any) -> T:
    """*read* on a thread where it takes long, so that calls under way do not wait for it; else
    here: each step of a thread waits for the interpreter."""
    return await to_thread(read, *how) if aside else read(*how)


def call_document(row: CallRow) -> dict[str, Any]:
    """A call's row as the JSON that commands and the service print."""
    return {
        "id": row.id,
        "run": row.run,
        "kind": row.kind,
        "contract": row.contract,
        "contract_digest": row.contract_digest,
        "model": row.model,
        "input": row.input,
        "input_digest": row.input_digest,
        "subject": row.subject,
        "status": row.status,
        "attempts": row.attempts,
        "outcome": row.outcome,
        "reason": row.reason,
        "decision_digest": row.decision_digest,
        "created_at": row.created_at.isoformat(),
        "settled_at": None if row.settled_at is None else row.settled_at.isoformat(),
    }


def review_document(row: ReviewRow) -> dict[str, Any]:
    """A review's row as the JSON that commands and the service print."""
    return {
        "id": row.id,
        "run": row.run,
        "call": row.call,
        "input": row.input,
        "reason": row.reason,
        "status": row.status,
        "opened_at": row.opened_at.isoformat(),
        "decided_at": None if row.decided_at is None else row.decided_at.isoformat(),
        "reviewer": row.reviewer,
    }


def readable_payload(content: bytes | None, name: str) -> Any:
    """A payload for people: JSON as JSON, text as text, None when it was erased."""
    if content is None:
        return None
    text = content.decode("utf-8", "replace")
    if name in {"raw", "prompt_redacted", "prompt", "reason", "output", "input"}:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
