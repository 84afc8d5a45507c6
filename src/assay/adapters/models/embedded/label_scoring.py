"""Choose labels by how likely a language model finds their descriptions after a text.

In      DecodingPlan; a way to have continuations scored
Out     Choices: label, confidence, the sentence that speaks most for it
Pure    given the scores: equal scores give equal choices
Spec    000-H3; interfaces.md, "Models" (`embedded`)

A model this small cannot follow a list of instructions, but it can tell which of two phrases
goes better with a text. So each label is weighed by itself: the log-likelihood of its
description after the text, less that after texts that say nothing (a phrase is not chosen for
being common), by the root of its length. What stands out from the other labels is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from assay.adapters.models.extractive.labels import Choice, Reading
from assay.adapters.models.extractive.lexicon import DEFAULT, Lexicon
from assay.contract.decoding.plan import DecodingPlan
from assay.core.json.canonical import canonical
from assay.gate.labels import LabelSet, LexiconEntry
from assay.protocols import ModelFault
from assay.sources.mail.quoting import blocks

Ask = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Have one operation carried out by the worker."""

FindLexicon = Callable[[str, Mapping[str, LexiconEntry]], Lexicon]
"""The prepared lexicon of a label set."""

READ_CHARS: Final = 1200
"""How much of the shown texts a choice looks at, in code points."""

_MOST_QUOTES: Final = 4
"""How many sentences are compared as evidence."""

_NOTHING: Final = ("...",)
"""Texts that say nothing: what a description scores here is its own commonness."""

_STANDS_OUT: Final = 2.0
"""Standard deviations above the mean of its set that a label needs to replace the default, or
to stand beside the best one. With few labels nothing stands out that far."""

_UNASKED: Final = 2.7
"""The same, for sets of which no label has to be named."""

SURE: Final = 10.0
"""Weight of a label that a deterministic sign decides for."""

_SIGNALLED: Final = 0.90
"""Its confidence."""

_BESIDE: Final = 0.25
"""How far below the best one, in standard deviations, another label still counts."""


@dataclass(slots=True)
class Trace:
    """What was really evaluated for one reply."""

    ask: Ask
    known: dict[str, dict[str, Any]]
    """Answers that every call needs, from calls before; equal operations give equal answers."""

    operations: int = 0
    tokens: int = 0
    """Evaluated by the model; calibration counts whenever it is used."""

    _digest: Any = field(default_factory=sha256)

    @property
    def digest(self) -> str:
        """Over all operations in order: replays of a request have the same."""
        return f"sha256:{self._digest.hexdigest()}"

    def run(self, operation: Mapping[str, Any], *, keep: bool = False) -> dict[str, Any]:
        """Carry out *operation*; with *keep*, remember its answer for later calls."""
        key = canonical(operation)
        self._digest.update(key)
        name = key.decode("utf-8")
        answer = self.known[name] if keep and name in self.known else self.ask(operation)
        if keep:
            if len(self.known) >= 256:
                self.known.clear()
            self.known[name] = answer
        self.operations += 1
        self.tokens += int(answer["evaluated"])
        return answer

    def likelihoods(
        self, kind: str, text: str, endings: Sequence[str], *, keep: bool = False
    ) -> list[tuple[float, int]]:
        """(log-likelihood, tokens) of each of *endings* as what *text* is about."""
        asked = f"{kind.capitalize()}:\n{text}\n\nWhat this {kind} is about:"
        context = {"text": asked, "chat": False}
        operation = {
            "op": "score",
            "context": context,
            "continuations": [f" {break_control_strings(ending)}" for ending in endings],
        }
        return [(score, count) for score, count in self.run(operation, keep=keep)["scores"]]


def require_grammar(trace: Trace, grammar: str) -> None:
    """Have the worker try *grammar*. Raises ModelFault when it holds nothing."""
    if not trace.run({"op": "check", "grammar": grammar}, keep=True)["constrains"]:
        raise ModelFault(
            "bad_request",
            transient=False,
            hint="no grammar can be made for this contract's schema",
        )


class LabelReading:
    """What the model makes of one plan's texts; each set is weighed once."""

    method = "label_scoring"
    """As on record."""

    def __init__(self, plan: DecodingPlan, trace: Trace, lexicon: FindLexicon) -> None:
        self._plan = plan
        self._trace = trace
        self._lexicon = lexicon
        self._kind = "e-mail" if {"subject", "body"} <= plan.texts.keys() else "text"
        self._text = _read(plan)
        self._weights: dict[str, dict[str, float]] = {}
        self._support: dict[tuple[str, str], str | None] = {}

    @property
    def opening(self) -> str | None:
        """The sentence that stands for the whole: the longest of the first few."""
        return max(self._candidates(), key=len, default=None)

    def choose_one(self, labels: LabelSet) -> Choice:
        """The one label of a set; the pack's default unless another clearly stands out.

        Of a set that may have several, the first that would be listed.
        """
        if labels.multi:
            return self.choose_several(labels, at_least_one=True)[0]
        default = self._default(labels)
        few = math.sqrt(len(labels.labels) - 1) < _STANDS_OUT
        if default is not None and few and not self._signalled(labels):
            # Of so few labels none can stand out that far: there is nothing to ask.
            return Choice(label=default, confidence=_confidence(0.0), quote=self.opening)
        weights = self._weigh(labels)
        best = _best(weights)
        if default is not None and weights[best] < _STANDS_OUT:
            best = default
        return self._choice(labels, best)

    def choose_primary(self, labels: LabelSet, listed: Sequence[Choice]) -> Choice:
        """Of the labels listed, the one of highest priority; any one where none is listed."""
        if not listed:
            return self.choose_one(labels)
        order = {label: at for at, label in enumerate(labels.priority or labels.labels)}
        return min(listed, key=lambda choice: order.get(choice.label, len(order)))

    def choose_several(self, labels: LabelSet, *, at_least_one: bool) -> list[Choice]:
        """The labels of a set that stand out, best first."""
        weights = self._weigh(labels)
        signalled = [label for label, weight in weights.items() if weight == SURE]
        best = max((weight for weight in weights.values() if weight != SURE), default=0.0)
        default = self._default(labels)
        needed = max(_STANDS_OUT if at_least_one else _UNASKED, best - _BESIDE)
        listed = signalled + [
            label for label, weight in weights.items() if needed <= weight != SURE
        ]
        listed.sort(key=lambda label: (-weights[label], label))
        if len(listed) > 1 and default in listed:
            listed.remove(default)
        if not listed and at_least_one:
            listed = [labels.default if labels.default in weights else _best(weights)]
        return [self._choice(labels, label) for label in listed]

    def find_places(self, labels: LabelSet) -> list[Choice]:
        """What the pack's patterns and phrases find.

        No likelihoods here: asked for numbers and names, a model of this size invents them.
        """
        return Reading(self._plan, self._lexicon, None).find_places(labels)

    def finds(self, labels: LabelSet) -> bool:
        """Does the pack say how to find things of these kinds?"""
        return labels.name in self._plan.lexicon

    # --- weighing -------------------------------------------------------------------------------

    def _weigh(self, labels: LabelSet) -> dict[str, float]:
        """Label -> how far it stands out, in standard deviations."""
        if labels.name not in self._weights:
            endings = label_phrases(labels)
            here = _by_length(self._trace.likelihoods(self._kind, self._text, endings))
            empty = [
                _by_length(self._trace.likelihoods(self._kind, text, endings, keep=True))
                for text in _NOTHING
            ]
            raw = [
                score - sum(row[at] for row in empty) / len(empty) for at, score in enumerate(here)
            ]
            self._weights[labels.name] = dict(
                zip(labels.labels, _standard_scores(raw), strict=True)
            )
            for label in self._signalled(labels):
                self._weights[labels.name][label] = SURE
        return self._weights[labels.name]

    def _choice(self, labels: LabelSet, label: str) -> Choice:
        weight = self._weigh(labels)[label]
        return Choice(
            label=label,
            confidence=_SIGNALLED if weight == SURE else _confidence(weight),
            quote=(self.opening if label == self._default(labels) else self._quote(labels, label)),
            weight=weight,
        )

    def _quote(self, labels: LabelSet, label: str) -> str | None:
        """The sentence after which the label's description is likeliest."""
        key = (labels.name, label)
        if key not in self._support:
            ending = labels.labels[label] or label_phrases(labels)[list(labels.labels).index(label)]
            candidates = self._candidates()
            scores = (
                [self._trace.likelihoods("text", text, [ending])[0][0] for text in candidates]
                if len(candidates) > 1
                else [0.0] * len(candidates)
            )
            best = max(range(len(scores)), key=lambda at: (scores[at], -at), default=None)
            self._support[key] = None if best is None else candidates[best]
        return self._support[key]

    def _candidates(self) -> list[str]:
        """The first sentences that say something, else the first of all."""
        texts = list(dict.fromkeys(quote.text for quote in self._plan.sentences))
        telling = [text for text in texts if len(text.split()) > 2 and text[:40] in self._text]
        return (telling or texts)[:_MOST_QUOTES]

    def _default(self, labels: LabelSet) -> str | None:
        if labels.default in labels.labels:
            return labels.default
        entries = self._plan.lexicon.get(labels.name, {})
        return next((label for label, entry in entries.items() if DEFAULT in entry.phrases), None)

    def _signalled(self, labels: LabelSet) -> list[str]:
        entries = self._plan.lexicon.get(labels.name, {})
        return [
            label
            for label in self._lexicon(labels.name, entries).labels_of_signals(self._plan.signals)
            if label in labels.labels
        ]


def break_control_strings(text: str) -> str:
    """*text* as a continuation: nothing in it can be written as a control token."""
    return text.replace("<", "< ")


def label_phrases(labels: LabelSet) -> list[str]:
    """What is scored for each label: its name in words, then its description.

    What all names of a set begin with says nothing and is left out.
    """
    names = list(labels.labels)
    shared = 0
    while len(names) > 1 and len({name[: shared + 1] for name in names}) == 1 < len(names[0]):
        if shared >= min(map(len, names)):
            break
        shared += 1
    start = names[0].rfind("_", 0, shared) + 1
    return [
        ", ".join(
            part for part in (name[start:].replace("_", " ").lower(), text.rstrip(".")) if part
        )
        for name, text in labels.labels.items()
    ]


def _read(plan: DecodingPlan) -> str:
    """The shown texts without what the sender did not write, each under its name."""
    parts = []
    for name, text in plan.texts.items():
        own = "\n".join(
            text[block.start : block.stop].strip()
            for block in blocks(text)
            if block.kind in ("own", "forwarded")
        )
        said = (own or text).strip()
        if said:
            parts.append(said if len(plan.texts) == 1 else f"{name.capitalize()}: {said}")
    return "\n".join(parts)[:READ_CHARS]


def _by_length(scores: Sequence[tuple[float, int]]) -> list[float]:
    return [score / math.sqrt(max(1, count)) for score, count in scores]


def _standard_scores(values: Sequence[float]) -> list[float]:
    """How many standard deviations each value is above the mean."""
    middle = sum(values) / len(values)
    spread = math.sqrt(sum((value - middle) ** 2 for value in values) / len(values))
    return [round((value - middle) / spread, 6) if spread else 0.0 for value in values]


def _best(weights: Mapping[str, float]) -> str:
    """The heaviest label; of equals, the first."""
    return max(weights, key=lambda label: weights[label])


def _confidence(weight: float) -> float:
    """0 -> 0.20, 1 -> 0.30, 2 -> 0.40, 4 and more -> 0.60.

    Roughly how often such a choice was right on mails in English; thresholds of packs, made
    for models that can read, stay out of reach.
    """
    return min(0.60, max(0.05, 0.20 + 0.10 * weight))
