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
from assay.adapters.models.extractive.finds import weigh_finds
from assay.adapters.models.extractive.form import Form
from assay.adapters.models.extractive.labels import Reading
from assay.adapters.models.extractive.learned import Learned, read_learned
from assay.adapters.models.extractive.learning import Lesson, learn, lesson_key
from assay.adapters.models.extractive.lexicon import Lexicons, words
from assay.adapters.models.extractive.vectors import Vectors
from assay.contract.decoding.plan import DecodingPlan
from assay.core.text import tokens
from assay.errors import ModelUnavailableError
from assay.gate.labels import Examples, LabelSet, LexiconEntry, SetExamples
from assay.protocols import Availability, ModelFault, ModelProvider, ModelReply, ModelRequest

if TYPE_CHECKING:
    from assay.adapters.embeddings import SentenceEmbeddings

VERSION: Final = 2
"""Counts up whenever equal plans may get other replies."""

_LONGEST_ARRAYS: Final = (64, 32, 16, 12, 8, 6, 4, 3, 2, 1)
"""Tried in turn until the reply keeps within the contract's output tokens."""

_KEPT: Final = 64
"""Contracts whose lessons are kept."""

NOTHING_TO_CHOOSE: Final = (
    "extractive chooses labels and copies quotes, and this contract asks for neither; "
    "take a language model"
)


class ExtractiveModel:
    """The baseline. Equal plans give equal replies."""

    def __init__(self, embeddings: SentenceEmbeddings | None) -> None:
        self._embeddings = embeddings
        self._vectors = Vectors(embeddings) if embeddings else None
        self._lexicons = Lexicons()
        self._taught: dict[int, tuple[Examples, Learned]] = {}

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
    converses = False

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
            ModelFault: `bad_request` for a request without a plan; `setup` for a contract of which
                it could fill nothing.
        """
        if request.plan is None:
            raise ModelFault(
                "bad_request", transient=False, hint="extractive answers only planned requests"
            )
        if not can_fill(request.plan):
            raise ModelFault("setup", transient=False, hint=NOTHING_TO_CHOOSE, unfit=True)
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
        reading = Reading(plan, self._lexicons.find, self._vectors, self._learned(plan))
        return (Form(plan, reading, most).write() for most in _LONGEST_ARRAYS)

    def _answer(self, plan: DecodingPlan) -> Iterator[str]:
        question, refusal = plan.question or "", plan.refusal or ""
        return (
            answer(question, plan.evidence, refusal, self._embeddings, most, titles=plan.titles)
            for most in (3, 2, 1)
        )

    def _learned(self, plan: DecodingPlan) -> Learned | None:
        """What the contract's examples teach: as kept with the pack, else learnt now."""
        if self._vectors is None or not plan.examples.sets:
            return None
        known = self._taught.get(id(plan.examples))
        if known is None or known[0] is not plan.examples:
            sets = {slot.set.name: slot.set for slot in plan.labels}
            taught = self.learn(plan.examples, sets, plan.lexicon)[1]
            if len(self._taught) >= _KEPT:
                self._taught.clear()
            known = self._taught[id(plan.examples)] = (plan.examples, taught)
        return known[1]

    def learn(
        self,
        examples: Examples,
        sets: Mapping[str, LabelSet],
        lexicon: Mapping[str, Mapping[str, LexiconEntry]],
        *,
        anew: bool = False,
    ) -> tuple[str, Learned, bool]:
        """What *examples* teach about *sets*, its key in a file of what was learnt, and whether
        they brought it along.

        Args:
            anew: Learn even where the examples bring what was learnt from them before.

        Raises:
            ModelUnavailableError: the embeddings are not installed.
        """
        if self._embeddings is None or self._vectors is None:
            raise ModelUnavailableError(
                "nothing can be learnt from examples without the sentence embeddings",
                hint="pip install 'assay[embeddings]'",
            )
        key = lesson_key(
            examples.sets, sets, lexicon, str(self._embeddings.identity["weights_sha256"])
        )
        known = None if anew else read_learned(examples.learned, key)
        if known is not None:
            return key, known, True
        lessons = [
            self._lesson(sets[name], one, lexicon.get(name, {}))
            for name, one in examples.sets.items()
            if name in sets
        ]
        return key, learn(lessons, self._vectors.embed), False

    def _lesson(
        self, labels: LabelSet, examples: SetExamples, entries: Mapping[str, LexiconEntry]
    ) -> Lesson:
        lexicon = self._lexicons.find(labels.name, entries)

        def finds(sentence: str) -> dict[str, float]:
            found: dict[tuple[str, str], float] = {}
            for label, what, weight in weigh_finds(lexicon, sentence, words(sentence)):
                found[label, what] = max(weight, found.get((label, what), 0.0))
            summed: dict[str, float] = {}
            for (label, _), weight in found.items():
                summed[label] = summed.get(label, 0.0) + weight
            return summed

        default = labels.default if labels.default in labels.labels else lexicon.default
        return Lesson(labels=labels, default=default, examples=examples, finds=finds)


def can_fill(plan: DecodingPlan) -> bool:
    """Is there something that words can decide? Else every value would be the least that the
    schema allows, and where no other rule stands the gate would let it pass."""
    return not plan.schema or bool(plan.labels or plan.quotes or plan.fixed)


def open_extractive(name: str, *, environ: Mapping[str, str]) -> ExtractiveModel:  # noqa: ARG001
    """The baseline, with sentence embeddings where they are installed."""
    return ExtractiveModel.create()


def _look(environ: Mapping[str, str]) -> Availability:  # noqa: ARG001
    found = ExtractiveModel.create().identity
    if found.get("embeddings") is None:
        return Availability(
            usable=True,
            why="no language model: decides by words alone, for the embeddings are not installed",
            hint="pip install 'assay[embeddings]'",
        )
    return Availability(usable=True, why="no language model: decides by words and embeddings")


PROVIDER = ModelProvider(
    open=open_extractive, usage="extractive", extra="embeddings", look=_look, place=4
)
