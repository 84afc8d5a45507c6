"""One object that does what the command line, the service and the library offer.

In      a RuntimeContext (store, model, clock, redactor), packs, inputs
Out     outcomes, recorded calls, reviews, verification reports
Effects all through the context
Spec    interfaces.md, "Python"

Async only; `assay.open` wraps it for callers that are not.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from pydantic import BaseModel

from assay.answers.assemble import Assembly
from assay.answers.conditions import Where
from assay.answers.evidence.bundle import RetrievalBundle
from assay.answers.evidence.policy import SelectionPolicy
from assay.answers.retrieval import Progress, Retriever
from assay.contract.class_pack import ClassPack
from assay.contract.classes.declared import Labels
from assay.contract.contract import Contract, ModelT, checked_sources
from assay.contract.material import Material
from assay.errors import UsageError
from assay.figures.record_figures import RecordFigures
from assay.pack.pack import Pack
from assay.protocols import (
    CallFilter,
    CallRow,
    IdKind,
    ReviewFilter,
    ReviewRow,
    SessionRow,
    Store,
    VerifyReport,
)
from assay.runtime.answers.ask import TOP_K, Answered, ask
from assay.runtime.audit.erasure import erase_subject
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.context import Item, RuntimeContext
from assay.runtime.calls.input_stream import read_inputs
from assay.runtime.calls.inputs import Refused
from assay.runtime.calls.run import ItemOutcome, run_pack
from assay.runtime.classes.complete import Completed, complete
from assay.runtime.conversations.sessions import sessions_of, show
from assay.runtime.conversations.turn import Turn, Watch, converse
from assay.runtime.costs.model_use import costs_of_calls
from assay.runtime.documents import whole_call
from assay.runtime.figures.count import count_figures
from assay.runtime.figures.filter import FiguresFilter
from assay.runtime.kinds import kind_of
from assay.runtime.replay.kept import kept_call
from assay.runtime.replay.replay import Replayed, replay
from assay.runtime.reviews.decision import Decided, Decision, decide
from assay.runtime.short_ids import find_id
from assay.runtime.templates.registry import Registry


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
        inputs: Iterable[str | Path | bytes | Item | Refused],
        *,
        again: bool = False,
        budget: RunBudget | None = None,
        parallel: int | None = None,
        halted: Callable[[], bool] = lambda: False,
    ) -> AsyncIterator[ItemOutcome]:
        """Run *pack*'s flow over *inputs*; yields an outcome for each, in order.

        Args:
            inputs: Names of files or folders, a `Path` for each file that was found before, the
                bytes of inputs, or items read before; they are taken and read as places become
                free.
            again: Ask the model even for what is settled already.
            parallel: Inputs in flight; None is 8 for a model over a network and 1 for others.
            halted: Asked before each input: True settles what is under way and begins no other.
        """
        outcomes = run_pack(
            self.context,
            pack,
            read_inputs(inputs, pack.source, self.context.redactor),
            budget=budget or RunBudget(),
            again=again,
            parallel=parallel,
            halted=halted,
        )
        async with aclosing(outcomes):
            async for outcome in outcomes:
                yield outcome

    async def complete(
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
        """Ask the model for an instance of a class, and have the gate judge what it says.

        Args:
            contract: A class of pydantic with its *prompt*; or what `Contract.from_model` made of
                one, which is quicker where many calls follow.
            prompt: The template: `{{body}}` is the source `body`, `{{labels.topics}}` a label set,
                `{{schema}}` the schema, which is asked for at the end where it is not placed.
            sources: Named texts, in the order in which quotes are sought. Each has a place.
            variables: Other values that the prompt places. Nothing is quoted from them.
            labels: Every set that a `Label` of the class names.
            input: JSON that validators find as `info.context["input"]`.
            about: Its name for people, as that of a file: kept where texts are kept, else a
                surrogate of it stands on record.
            subject: Whom it is about: a mail address, or a pseudonym; what `audit erase` takes.
            again: Ask the model even when the same call is settled already.
            budget: Of the run that the call belongs to.

        Returns:
            `Completed`: its value is an instance exactly when its outcome is `accepted`.

        Raises:
            ContractClassError: the class cannot be a contract.
            PromptTemplateError: a place of the prompt has no value, or a value has no place.
            ModelUnavailableError: the model is unreachable; the call stays open.

        Spec: interfaces.md, "Python"; 007-C6.
        """
        for name, given in (("variables", variables), ("input", input)):
            if given is not None and not isinstance(given, Mapping):
                raise UsageError(f"{name} are values by name, not {type(given).__name__}")
        if not isinstance(contract, Contract):
            contract = Contract.from_model(contract, prompt=prompt, labels=labels)
        elif prompt is not None or labels is not None:
            raise UsageError(
                "a contract has its prompt and labels", hint="give them to Contract.from_model"
            )
        material = Material(
            texts=checked_sources(sources), slots=dict(variables or {}), input=dict(input or {})
        )
        return await complete(
            self.context,
            contract,
            material,
            about=about,
            subject=subject,
            again=again,
            budget=budget,
        )

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
        where: Where = (),
        again: bool = False,
        progress: Progress | None = None,
    ) -> Answered:
        """Answer *question* from *docs* or from a ready *bundle*; see `runtime.answers.ask`.

        Args:
            docs: Files and folders.
            bundle: What was retrieved elsewhere, instead of *docs*.
            policy: A whole selection policy; None is the pack's, or R2_POLICY_V1.
            pack: A pack of answers: its policy, and the models that may be asked.
            models: Name patterns of the models that may be asked, where no pack says so.
            top_k: Passages to retrieve from *docs*.
            where: Only passages with this page, title, heading, file or metadata:
                `{"page": 3}`, `["title!=Draft"]`.
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
            where=where,
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
            session=None if session is None else await self.find_id("session", session),
            directive=directive,
            budget=budget or RunBudget(**pack.budget.model_dump()),
            watch=watch,
        )

    async def sessions(
        self, limit: int = 100, *, before: str | None = None
    ) -> Sequence[SessionRow]:
        """The latest first."""
        return await sessions_of(self.context).sessions(limit, before=before)

    async def session(self, session_id: str) -> dict[str, Any]:
        """A session with its cached state; raises IntegrityError when it was edited."""
        return await show(self.context, await self.find_id("session", session_id))

    # --- ids --------------------------------------------------------------------------------

    async def find_id(self, kind: IdKind, given: str) -> str:
        """The id that *given*, an id or four characters or more of its beginning, stands for.

        Every method here that takes an id does this first.

        Raises:
            AmbiguousIdError: several ids begin so.
        """
        return await find_id(self.store, kind, given)

    # --- recorded calls ---------------------------------------------------------------------

    async def calls(self, which: CallFilter | None = None, limit: int = 100) -> Sequence[CallRow]:
        return await self.store.calls(which or CallFilter(), limit)

    async def call(self, call_id: str) -> dict[str, Any]:
        """The call's row and all its events, with payloads that are JSON or text decoded."""
        return await whole_call(self.store, await self.find_id("call", call_id))

    async def costs(self, rows: Sequence[CallRow]) -> dict[str, dict[str, Any] | None]:
        """What calls cost, by their ids, as recorded; None where a part is not known."""
        return await costs_of_calls(self.store, rows)

    async def replay(
        self,
        call_id: str,
        pack: Pack | type[BaseModel] | None = None,
        *,
        original: bytes | None = None,
    ) -> Replayed:
        """Rebuild the prompts of a call and judge its replies again; no model is asked.

        Args:
            pack: The pack, or the class, that the call was made with; None is the bundled one of
                its name, and of a class what is on record.
            original: The bytes of the input, when its texts are not kept in the store.

        Raises:
            InputError: *original* is not the input of the call, or not all that it was made of;
                or the pack is needed and not at hand.
        """
        call_id = await self.find_id("call", call_id)
        find_pack = self._find_pack(pack)
        find_template = None if self.context.registry is None else self.registry.stored_version
        kept = await kept_call(self.store, call_id, find_template)
        kind = kind_of(kept)
        if original is not None and kept.material is None:
            material = await kind.find_material(self.context, kept, find_pack, original)
            kept = replace(kept, material=material)
        return replay(kept, kind.job.restore(kept, find_pack, self.context.redactor))

    def _find_pack(self, pack: Pack | type[BaseModel] | None) -> Callable[[str], Pack]:
        if pack is None:
            return self.context.find_pack
        found = pack if isinstance(pack, Pack) else ClassPack(model=pack)
        return lambda _: cast("Pack", found)  # of which a contract's job asks no more

    # --- reviews ----------------------------------------------------------------------------

    async def reviews(self, status: str | None = "open", limit: int = 100) -> Sequence[ReviewRow]:
        return await self.store.reviews(ReviewFilter(status=status), limit)

    async def review(self, review_id: str) -> ReviewRow:
        return await self.store.review(await self.find_id("review", review_id))

    async def decide(
        self,
        review_id: str,
        decision: Decision,
        *,
        pack: Pack | type[BaseModel] | None = None,
        original: bytes | None = None,
    ) -> Decided:
        """Take a person's decision; see `assay.runtime.reviews.decision.decide`.

        Args:
            pack: The pack that the call was made with; None is the bundled one of its name.
            original: The bytes of the input, when its texts are not kept in the store.
        """
        return await decide(
            self.context,
            await self.find_id("review", review_id),
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
        """What the record comes to: outcomes, findings, tokens, cost, redactions, decisions.

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
