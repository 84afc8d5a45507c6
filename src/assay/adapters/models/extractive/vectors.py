"""Sentence vectors that remember what was embedded last.

In      sentences
Out     one row each
Pure    but for what it remembers, which changes no row
Spec    interfaces.md, "Models" (`extractive`)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from assay.adapters.embeddings import SentenceEmbeddings

_KEPT: Final = 4_096
"""Sentences whose vectors are kept, 1.5 KB each."""

_SURROGATE: Final = re.compile(r"\[[A-Z][A-Z_]*_[0-9a-f]{10}\]")


class Vectors:
    """Sentence embeddings that remember what they embedded last: greetings come every time, and
    so do the descriptions of labels."""

    def __init__(self, embeddings: SentenceEmbeddings) -> None:
        self._embeddings = embeddings
        self._known: dict[str, Any] = {}

    def embed(self, texts: Sequence[str]) -> Any:
        """One row for each text; surrogates of personal data say nothing and are left out."""
        import numpy as np

        plain = [" ".join(_SURROGATE.sub(" ", text).split()) for text in texts]
        known = self._known
        missing = list(dict.fromkeys(text for text in plain if text not in known))
        if missing:
            if len(known) + len(missing) > _KEPT:
                known = {text: known[text] for text in plain if text in known}
            rows = self._embeddings.embed(missing)
            known = {**known, **dict(zip(missing, rows, strict=True))}
            self._known = known  # a new mapping: threads share this
        return np.array([known[text] for text in plain], dtype=np.float32)
