"""Choose labels by asking a language model, which can write nothing but labels.

In      DecodingPlan; a way to have a question completed under a grammar
Out     Choices, as from `label_scoring.py`
Pure    given the answers: equal answers give equal choices
Spec    000-H3; interfaces.md, "Models" (`embedded:FILE.gguf`)

One question for each set of labels: the text, every label with its description, and a grammar
in which an answer is some of the labels or none. For models that follow instructions; those
too small for it do better when each description is weighed by itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from assay.adapters.models.embedded.label_scoring import (
    SURE,
    FindLexicon,
    LabelReading,
    Trace,
    require_grammar,
)
from assay.contract.decoding.plan import DecodingPlan
from assay.gate.labels import LabelSet

NONE: Final = "NONE"
"""What the model writes where no label fits."""

MOST: Final = 4
"""How many labels of a set may be named."""

_NAMED: Final = 3.0
"""Weight of the label named first: well above what `label_scoring` asks for."""

_STEP: Final = 0.05
"""How much less each further one weighs; all of MOST stay beside the first."""

_ANSWER_TOKENS: Final = 200


class LabelAsking(LabelReading):
    """What the model says of one plan's texts; each set is asked for once."""

    method = "label_decoding"

    def __init__(
        self,
        plan: DecodingPlan,
        trace: Trace,
        lexicon: FindLexicon,
        *,
        context: Callable[[str], Mapping[str, Any]],
    ) -> None:
        super().__init__(plan, trace, lexicon)
        self._context = context
        """A question, as the worker takes it."""

    def _weigh(self, labels: LabelSet) -> dict[str, float]:
        if labels.name not in self._weights:
            named = self._ask(labels)
            weights = dict.fromkeys(labels.labels, 0.0)
            for place, label in enumerate(named):
                weights[label] = _NAMED - _STEP * place
            default = self._default(labels)
            if not named and default is not None:
                weights[default] = _NAMED
            weights |= dict.fromkeys(self._signalled(labels), SURE)
            self._weights[labels.name] = weights
        return self._weights[labels.name]

    def _ask(self, labels: LabelSet) -> list[str]:
        """The labels that the model names, first the one it named first."""
        most = MOST if labels.multi else 1
        grammar = label_grammar(list(labels.labels), most)
        require_grammar(self._trace, grammar)
        answer = self._trace.run(
            {
                "op": "complete",
                "context": self._context(question(self._kind, self._text, labels)),
                "grammar": grammar,
                "max_tokens": _ANSWER_TOKENS,
                "temperature": 0.0,
                "seed": 0,
            }
        )
        # An answer that was cut off in the middle of a name names one label less.
        named = dict.fromkeys(part.strip() for part in str(answer["text"]).split(","))
        return [label for label in named if label in labels.labels]


def question(kind: str, text: str, labels: LabelSet) -> str:
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


def label_grammar(labels: list[str], most: int) -> str:
    """Up to *most* of *labels* with commas between them; where several may stand, also none."""
    names = " | ".join(json.dumps(label, ensure_ascii=False) for label in labels)
    several = f' (", " label){{0,{most - 1}}} | "{NONE}"' if most > 1 else ""
    return f"%llguidance {{}}\nstart: label{several}\nlabel: {names}\n"
