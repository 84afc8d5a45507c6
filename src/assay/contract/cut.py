"""Was the prompt cut on its way, without a word, by the server that answered?

In      the prompt with our count of it; what the provider counted
Out     InputCut with its finding `prompt.cut`, or None
Pure    yes
Spec    interfaces.md, "Models"; 000 (evidence from a part that was not seen is no evidence)

Tokenizers differ, so far fewer tokens must be missing than any of them could save. The least that
a whole prompt can be is taken as the smaller of
- 65 % of our own count, by the tokenizer of ours that gives fewer: those of current models stay
  above 70 % of it;
- one token for each word and each run of signs: no tokenizer in use joins two of them. Where a
  script has no spaces between words this says little, and a third of our count stands in for it.
Tokens that the provider took from a cache were seen. A count under 256 is no window that a server
runs with: it says that tokens are not counted, not that they were cut. A model that says it asked
itself other questions in place of the prompt (`prompt_read` false) counts those: nothing was cut.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from assay.contract.prompt import Prompt
from assay.core.text.tokens import TOKENIZERS, count
from assay.gate.verdict import Finding

CODE: Final = "prompt.cut"
FACT: Final = "prompt_cut"
"""Key of the facts of `model.answered`; absent where nothing was cut."""

LEAST_WINDOW: Final = 256
"""Half of the smallest context that the servers in use start with."""

LEAST_GAP: Final = 200
"""So many tokens at least are missing: fewer are an instruction block, not a text."""

SHARE: Final = 0.65
SHARE_WITHOUT_WORDS: Final = 1 / 3

_WORDS = re.compile(r"\w+|[^\w\s]+")
_CACHED: Final = ("cached_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class InputCut:
    """Far fewer tokens were seen than the prompt has."""

    counted: int
    """Our own count."""

    seen: int
    """What the provider counted, cached tokens included."""

    def to_dict(self) -> dict[str, int]:
        return {"counted": self.counted, "seen": self.seen}

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Self:
        return cls(counted=int(facts["counted"]), seen=int(facts["seen"]))

    def finding(self) -> Finding:
        return Finding(
            code=CODE,
            message=f"the server counted {self.seen} tokens of a prompt of {self.counted}: it was"
            " cut, and what the reply says may rest on a part only",
        )


def find_cut(prompt: Prompt, reported: int | None, details: Mapping[str, Any]) -> InputCut | None:
    """The cut that the counts of an exchange tell of; None where they tell of none.

    Args:
        reported: Input tokens as the provider counted them; 0 or None is no count.
        details: Of the reply: what it says of tokens from a cache, and of what was read.
    """
    if not reported or details.get("prompt_read") is False:
        return None
    seen = reported + _cached(details)
    if seen < LEAST_WINDOW or prompt.tokens - seen < LEAST_GAP or seen >= SHARE * prompt.tokens:
        return None
    counted = min(prompt.tokens, *(count(prompt.text, each) for each in TOKENIZERS))
    words = sum(1 for _ in _WORDS.finditer(prompt.text))
    least = max(min(SHARE * counted, words), SHARE_WITHOUT_WORDS * counted)
    return InputCut(counted=counted, seen=seen) if seen < least else None


def recorded_cut(answered: Mapping[str, Any] | None) -> InputCut | None:
    """The cut that the facts of `model.answered` tell of."""
    facts = None if answered is None else answered.get(FACT)
    return None if facts is None else InputCut.from_dict(facts)


def _cached(details: Mapping[str, Any]) -> int:
    usage = details.get("usage")
    told = (details, usage if isinstance(usage, Mapping) else {})
    numbers = [max(_number(each.get(name)) for each in told) for name in _CACHED]
    return sum(numbers)


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
