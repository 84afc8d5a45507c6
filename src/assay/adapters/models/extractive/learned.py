"""What example sentences taught about label sets, and how likely it makes each label.

In      vectors of the sentences of a text; what the lexicon finds
Out     Likely: each label with its probability and the sentence that says so most
Pure    yes, given the vectors
Spec    interfaces.md, "Models" (`extractive`), "Packs" (`examples.yaml`); 008-L2 to 008-L6

A label scores by the whole text and by its best sentence; both scores and the lexicon's finds
become one probability. The numbers are learnt in `learning`, kept as single-precision floats and
rounded, so that a file of them gives the same labels as learning again.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FORMAT: Final = 1
"""Counts up whenever equal examples teach something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likely:
    """One label and how likely it is."""

    label: str
    probability: float
    """From 0.0 to 1.0, with six decimals; of the examples held out in learning, this share was
    right."""

    sentence: int
    """Which of the sentences says so most."""

    listed: bool
    """Whether it stands in a list of several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How often examples that were held out got their label."""

    examples: int
    found: int
    by_label: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Label -> (examples, found)."""

    @property
    def share(self) -> float:
        """0.0 without examples."""
        return self.found / self.examples if self.examples else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedSet:
    """What was learnt about one label set."""

    labels: tuple[str, ...]
    default: str | None
    multi: bool
    weights: Floats
    """Shape (385, labels): a column scores a vector, its last row is added."""

    factors: tuple[float, float, float, float]
    """Of the whole text's score, of the best sentence's, of the lexicon's finds; and the last
    of the default label, or for all labels where there can be several."""

    thresholds: tuple[float, ...]
    """Of each label, from where on it is listed."""

    agreement: Agreement

    def weigh(
        self,
        rows: Floats,
        finds: Mapping[str, float],
        by_sentence: Mapping[str, Mapping[int, float]],
    ) -> list[Likely]:
        """Every label, likeliest first; ties in the order of the set.

        Args:
            rows: Of the whole text and of each sentence, as `whole_and_sentences` gives them.
            finds: Label -> what the lexicon found, weighed.
            by_sentence: Label -> sentence -> what of it stands there.
        """
        import numpy as np

        scores = extend(rows) @ self.weights
        features = feature_table(scores, [finds.get(label, 0.0) for label in self.labels])
        chances = likelihoods(
            features, self.factors, multi=self.multi, default=self._place_of_default
        )
        said = self.factors[1] * scores[1:]
        for at, label in enumerate(self.labels):
            for sentence, weight in by_sentence.get(label, {}).items():
                if sentence < len(said):
                    said[sentence, at] += self.factors[2] * np.log1p(weight)
        best = said.round(6).argmax(axis=0)
        found = [
            Likely(
                label=label,
                probability=round(float(chances[at]), 6),
                sentence=int(best[at]),
                listed=round(float(chances[at]), 6) >= self.thresholds[at],
            )
            for at, label in enumerate(self.labels)
        ]
        return sorted(found, key=lambda each: -each.probability)

    @property
    def _place_of_default(self) -> int | None:
        return self.labels.index(self.default) if self.default in self.labels else None

    def to_dict(self) -> dict[str, Any]:
        """As `examples.learned` holds it."""
        return {
            "labels": list(self.labels),
            "default": self.default,
            "multi": self.multi,
            "weights": _encode(self.weights),
            "factors": list(self.factors),
            "thresholds": list(self.thresholds),
            "agreement": {
                "examples": self.agreement.examples,
                "found": self.agreement.found,
                "by_label": {
                    name: list(counts) for name, counts in self.agreement.by_label.items()
                },
            },
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> LearnedSet:
        """What `to_dict` gave.

        Raises:
            KeyError, TypeError, ValueError: it is something else.
        """
        labels = tuple(document["labels"])
        agreement = document["agreement"]
        return cls(
            labels=labels,
            default=document["default"],
            multi=bool(document["multi"]),
            weights=_decode(document["weights"]).reshape(-1, len(labels)),
            factors=tuple(map(float, document["factors"])),  # type: ignore[arg-type]
            thresholds=tuple(map(float, document["thresholds"])),
            agreement=Agreement(
                examples=agreement["examples"],
                found=agreement["found"],
                by_label={name: (a, b) for name, (a, b) in agreement["by_label"].items()},
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What the examples of one contract taught."""

    middle: Floats
    """Mean of all examples' vectors, shape (384,): what every vector is seen from."""

    sets: Mapping[str, LearnedSet]

    def to_dict(self) -> dict[str, Any]:
        """As `examples.learned` holds it."""
        return {
            "middle": _encode(self.middle),
            "sets": {name: one.to_dict() for name, one in self.sets.items()},
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Learned:
        """What `to_dict` gave; see `LearnedSet.from_dict`."""
        return cls(
            middle=_decode(document["middle"]),
            sets={name: LearnedSet.from_dict(one) for name, one in document["sets"].items()},
        )


def write_learned(by_key: Mapping[str, Learned]) -> bytes:
    """The bytes of `examples.learned`: what was learnt, by the key of what it was learnt from."""
    document = {
        "format": FORMAT,
        "learned": {key: one.to_dict() for key, one in sorted(by_key.items())},
    }
    return json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8") + b"\n"


def read_learned(data: bytes, key: str) -> Learned | None:
    """What *data* holds for *key*; None where it holds nothing for it, or is no such file: then
    it is learnt again."""
    if not data:
        return None
    try:
        document = json.loads(data)
        if document["format"] != FORMAT or key not in document["learned"]:
            return None
        found = Learned.from_dict(document["learned"][key])
        width = len(found.middle) + 1
        fits = all(
            one.weights.shape == (width, len(one.labels))
            and len(one.factors) == 4
            and len(one.thresholds) == len(one.labels)
            for one in found.sets.values()
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return found if fits else None


def extend(vectors: Floats) -> Floats:
    """Vectors with a last column of ones, for what is added to every score."""
    import numpy as np

    return np.hstack([vectors, np.ones((len(vectors), 1))])


def feature_table(scores: Floats, finds: Sequence[float]) -> Floats:
    """For each label: the whole text's score, the best sentence's, the lexicon's finds.

    Args:
        scores: Shape (1 + sentences, labels), that of the whole text first; one sentence or more.
    """
    import numpy as np

    return np.stack(
        [scores[0], scores[1:].max(axis=0), np.log1p(np.asarray(finds, dtype=np.float64))], axis=1
    )


def likelihoods(
    features: Floats, factors: Sequence[float], *, multi: bool, default: int | None
) -> Floats:
    """The probability of each label: of its own where there can be several, else of them all 1.

    Args:
        features: Shape (…, labels, 3).
        default: Place of the default label.
    """
    import numpy as np

    sums = features @ np.asarray(factors[:3])
    if multi:
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(sums + factors[3], -60.0, 60.0))))
    if default is not None:
        sums[..., default] += factors[3]
    raised = np.exp(sums - sums.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def whole_and_sentences(vectors: Floats, lengths: Sequence[float], middle: Floats) -> Floats:
    """The rows that `LearnedSet.weigh` takes: the whole text, then each sentence.

    Args:
        vectors: Of the sentences, as they were embedded; at least one.
        lengths: How much of the text each one is.
    """
    import numpy as np

    shares = np.asarray(lengths, dtype=np.float64)[:, None]
    whole = (shares * vectors).sum(axis=0, keepdims=True) / max(float(shares.sum()), 1e-9)
    moved = np.vstack([whole, vectors]) - middle
    return np.asarray(moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-6))


def _encode(numbers: Floats) -> str:
    import numpy as np

    return base64.b64encode(np.asarray(numbers, dtype="<f4").tobytes()).decode("ascii")


def _decode(text: str) -> Floats:
    import numpy as np

    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4").astype(np.float64)
