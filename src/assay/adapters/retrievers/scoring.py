"""How near a passage is to a question, as one number that a threshold can be held against.

In      the question's words and their rarity, a passage's words, the cosine of their vectors
Out     a similarity from 0.0 to 1.0
Pure    yes
Spec    004 S3 (gates on similarity); interfaces.md, "Answers" (0.50 and 0.30)

Half of it is the share of the question's words that the passage holds, rare words counting
more; half is nearness in meaning, stretched so that 0 is what unrelated texts have and 1 what
paraphrases have. Both halves are needed for a high score: a passage that shares a rare word
and nothing else stays under the upper gate, and so does one that is merely about the like.
`tools/quality_ask.py` measures what the gates of R2_POLICY_V1 then let pass.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Final

UNRELATED_COSINE: Final = 0.05
"""Where unrelated texts lie, on the average."""

PARAPHRASE_COSINE: Final = 0.70
"""From here on two texts say the same."""

WORDS_SHARE: Final = 0.4
"""Weight of the words; the rest is that of the meaning."""


def rarity(holders: Mapping[str, int], passages: int) -> dict[str, float]:
    """How much each word of a question counts.

    Args:
        holders: Word -> passages of the index that hold it.
        passages: All passages of the index.

    Example:
        >>> weights = rarity({"fee": 9, "sextant": 0}, 9)
        >>> weights["sextant"] > weights["fee"] > 0
        True
    """
    return {
        word: math.log(1.0 + (passages + 1.0) / (1.0 + holding))
        for word, holding in holders.items()
    }


def coverage(weights: Mapping[str, float], words: Collection[str]) -> float:
    """The weighted share of the question's words that stand among *words*."""
    total = sum(weights.values())
    if total <= 0.0:
        return 0.0
    return sum(weight for word, weight in weights.items() if word in words) / total


def similarity(covered: float, cosine: float | None) -> float:
    """One number from both, with six decimals; the words alone where there are no vectors.

    Example:
        >>> similarity(1.0, 0.70), similarity(0.0, 0.0), similarity(0.5, None)
        (1.0, 0.0, 0.5)
    """
    if cosine is None:
        return round(min(1.0, max(0.0, covered)), 6)
    near = (cosine - UNRELATED_COSINE) / (PARAPHRASE_COSINE - UNRELATED_COSINE)
    near = min(1.0, max(0.0, near))
    return round(min(1.0, WORDS_SHARE * covered + (1.0 - WORDS_SHARE) * near), 6)
