"""What the example sentences of a pack teach, worked out or as it is kept with the pack.

In      a pack
Out     Taught by contract; the bytes of `examples.learned`
Effects loads the sentence embeddings where they are installed
Spec    interfaces.md, "Packs" (`examples.yaml`); 008-L2, 008-L7, 008-L8
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.adapters.models.extractive.learned import Learned, write_learned
from assay.adapters.models.extractive.learning import can_learn
from assay.adapters.models.extractive.model import ExtractiveModel
from assay.pack.pack import Pack


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """What one contract's examples teach."""

    contract: str
    key: str
    learned: Learned
    kept: bool
    """Whether the pack's `examples.learned` held it."""

    def to_rows(self) -> list[dict[str, Any]]:
        """One for each label set, as `assay pack verify --json` prints them."""
        return [
            {
                "contract": self.contract,
                "set": name,
                "examples": one.agreement.examples,
                "agreement": round(one.agreement.share, 3),
                "labels": {
                    label: {"examples": count, "found": found}
                    for label, (count, found) in one.agreement.by_label.items()
                },
            }
            for name, one in self.learned.sets.items()
        ]


def examples_of(pack: Pack) -> int:
    """How many sentences the pack's contracts learn from."""
    return len(
        {
            text
            for contract in pack.contracts.values()
            for examples in contract.examples.sets.values()
            for texts in examples.values()
            for text in texts
        }
    )


def learn_pack(pack: Pack, *, anew: bool = False) -> list[Taught]:
    """What every contract with examples teaches; empty where none has any.

    Args:
        anew: Learn again what is kept with the pack.

    Raises:
        ModelUnavailableError: the embeddings are not installed.
    """
    model: ExtractiveModel | None = None
    found = []
    for name, contract in pack.contracts.items():
        sets = {rule.set.name: rule.set for rule in contract.labels}
        usable = (one for each, one in contract.examples.sets.items() if each in sets)
        if not any(can_learn(one) for one in usable):
            continue
        model = model or ExtractiveModel.create()
        key, learned, kept = model.learn(contract.examples, sets, contract.lexicon, anew=anew)
        found.append(Taught(contract=name, key=key, learned=learned, kept=kept))
    return found


def learned_file(taught: Sequence[Taught]) -> bytes:
    """The bytes of `examples.learned`."""
    return write_learned({one.key: one.learned for one in taught})
