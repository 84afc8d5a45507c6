"""Choose labels by asking a language model, which can write nothing but labels.

In      DecodingPlan; a way to have a question completed under a grammar
Out     Choices: label, confidence, the sentence that the model names for it
Pure    given the answers: equal answers give equal choices
Spec    000-H3; 008-E1; interfaces.md, "Models" (`embedded`, `embedded:FILE.gguf`)

One question for each set of labels: the text, every label with its description, and a grammar
in which an answer is some of the labels or none; then, for each label that has to quote, which
of a few sentences says so. How good the answers are is the model's affair (decision 0043).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from assay.adapters.models.embedded.trace import Trace
from assay.adapters.models.extractive.choice import Choice
from assay.adapters.models.extractive.finds import find_places
from assay.adapters.models.extractive.lexicon import DEFAULT, FindLexicon
from assay.contract.decoding.plan import DecodingPlan
from assay.gate.labels import LabelSet
from assay.sources.mail.quoting import blocks

NONE: Final = "NONE"
"""What the model writes where no label fits."""

MOST: Final = 4
"""How many labels of a set may be named."""

READ_CHARS: Final = 1200
"""How much of the shown texts a question holds, in code points."""

_MOST_QUOTES: Final = 4
"""How many sentences are offered as evidence."""

_ANSWER_TOKENS: Final = 200
_NAMED: Final = 0.50
"""Confidence of a label that the model names; thresholds of packs stay out of its reach."""

_NOT_NAMED: Final = 0.20
_SIGNALLED: Final = 0.90
"""Of a label that a sign decides for which was found without a model."""


class LabelReading:
    """What the model says of one plan's texts; each set is asked for once."""

    method = "label_decoding"
    """As on record."""

    def __init__(
        self,
        plan: DecodingPlan,
        trace: Trace,
        lexicon: FindLexicon,
        context: Callable[[str], Mapping[str, Any]],
        *,
        only_needed: bool = False,
    ) -> None:
        """
        Args:
            context: A question, as the worker takes it.
            only_needed: Ask for no set that has a default or needs no label: below, signs alone
                speak against them. For models whose word is worth less than a default.
        """
        self._plan = plan
        self._trace = trace
        self._lexicon = lexicon
        self._context = context
        self._only_needed = only_needed
        self._kind = "e-mail" if {"subject", "body"} <= plan.texts.keys() else "text"
        self._text = _own_text(plan)
        self._named: dict[str, list[str]] = {}
        self._quotes: dict[tuple[str, str], str | None] = {}

    @property
    def opening(self) -> str | None:
        """The sentence that stands for the whole: the longest of the first few."""
        return max(self._candidates(), key=len, default=None)

    def choose_one(self, labels: LabelSet) -> Choice:
        """The one label of a set; of a set that may have several, the first that is listed."""
        return self._choose(labels, needed=labels.multi or self._default(labels) is None)[0]

    def choose_primary(self, labels: LabelSet, listed: Sequence[Choice]) -> Choice:
        """Of the labels listed, the one of highest priority; any one where none is listed."""
        if not listed:
            return self.choose_one(labels)
        order = {label: at for at, label in enumerate(labels.priority or labels.labels)}
        return min(listed, key=lambda choice: order.get(choice.label, len(order)))

    def choose_several(self, labels: LabelSet, *, at_least_one: bool) -> list[Choice]:
        """The labels that a sign decides for, then those that the model names, in its order."""
        return self._choose(labels, needed=at_least_one)

    def _choose(self, labels: LabelSet, *, needed: bool) -> list[Choice]:
        signalled = self._signalled(labels)
        default = self._default(labels)
        asked = self._ask(labels) if needed or not self._only_needed else []
        named = [label for label in asked if label not in signalled]
        listed = [*signalled, *named]
        if len(listed) > 1 and default in listed:
            listed.remove(default)
        if not listed and (needed or default is not None):
            fallback = default if default is not None else next(iter(labels.labels))
            return [Choice(label=fallback, confidence=_NOT_NAMED, quote=self.opening)]
        return [
            Choice(
                label=label,
                confidence=_SIGNALLED if label in signalled else _NAMED,
                quote=self._quote(labels, label),
            )
            for label in listed
        ]

    def find_places(self, labels: LabelSet) -> list[Choice]:
        """What the pack's patterns and phrases find: asked for numbers and names, small models
        invent them."""
        entries = self._plan.lexicon.get(labels.name, {})
        lexicon = self._lexicon(labels.name, entries)
        return find_places(lexicon, labels, self._plan.texts, lambda _, __: 1.0)

    def finds(self, labels: LabelSet) -> bool:
        """Does the pack say how to find things of these kinds?"""
        return labels.name in self._plan.lexicon

    def _ask(self, labels: LabelSet) -> list[str]:
        """The labels that the model names, first the one it named first."""
        if labels.name not in self._named:
            most = MOST if labels.multi else 1
            answer = self._complete(
                label_question(self._kind, self._text, labels),
                label_grammar(list(labels.labels), most),
            )
            # An answer that was cut off in the middle of a name names one label less.
            named = dict.fromkeys(part.strip() for part in answer.split(","))
            self._named[labels.name] = [label for label in named if label in labels.labels]
        return self._named[labels.name]

    def _quote(self, labels: LabelSet, label: str) -> str | None:
        """The sentence that the model names for a label."""
        key = (labels.name, label)
        if key not in self._quotes:
            offered = self._candidates()
            found = offered[0] if offered else None
            if len(offered) > 1:
                numbers = [str(number) for number in range(1, len(offered) + 1)]
                answer = self._complete(
                    quote_question(offered, labels.labels[label] or label),
                    label_grammar(numbers, 1),
                )
                found = offered[numbers.index(answer)] if answer in numbers else offered[0]
            self._quotes[key] = found
        return self._quotes[key]

    def _complete(self, asked: str, grammar: str) -> str:
        self._trace.require_grammar(grammar)
        operation = {
            "op": "complete",
            "context": self._context(asked),
            "grammar": grammar,
            "max_tokens": _ANSWER_TOKENS,
            "temperature": 0.0,
            "seed": 0,
        }
        return str(self._trace.run(operation)["text"])

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
        found = self._lexicon(labels.name, entries).labels_of_signals(self._plan.signals)
        return [label for label in found if label in labels.labels]


def label_question(kind: str, text: str, labels: LabelSet) -> str:
    """What the model is asked of *text*, a text of this *kind*."""
    listed = "\n".join(
        f"- {label}: {description}" if description else f"- {label}"
        for label, description in labels.labels.items()
    )
    wanted = (
        f"Which of these fit this {kind}? Answer with their names, the most fitting first, with "
        f"commas between them; few fit. Answer {NONE} if none fits."
        if labels.multi
        else f"Which of these fits this {kind} best? Answer with its name alone."
    )
    name = labels.name.replace("_", " ")
    return (
        f"{kind.capitalize()}:\n{text}\n\nThe {name} of the {kind} is one of:\n{listed}\n\n{wanted}"
    )


def quote_question(sentences: Sequence[str], description: str) -> str:
    """Which of a few sentences says what a label stands for."""
    listed = "\n".join(f"{number}. {text}" for number, text in enumerate(sentences, start=1))
    return (
        f"{listed}\n\nWhich of these sentences says: {description}? Answer with its number alone."
    )


def label_grammar(labels: Sequence[str], most: int) -> str:
    """Up to *most* of *labels* with commas between them; where several may stand, also none."""
    names = " | ".join(json.dumps(label, ensure_ascii=False) for label in labels)
    several = f' (", " label){{0,{most - 1}}} | "{NONE}"' if most > 1 else ""
    return f"%llguidance {{}}\nstart: label{several}\nlabel: {names}\n"


def _own_text(plan: DecodingPlan) -> str:
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
