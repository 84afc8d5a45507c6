"""The frozen numbers of selection, and what a policy may not say.

In      a mapping, as read from a policy file
Out     SelectionPolicy, or InputError that names the field
Pure    yes
Spec    004 R2.2 "Selection Policy Snapshot Used"; interfaces.md, "Answers"
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, Final, Literal

from assay.core.json.canonical import digest_json
from assay.core.text.tokens import TOKENIZERS
from assay.errors import InputError

FROZEN: Final[Mapping[str, Any]] = {
    "ordering_mode": "rank_strict",
    "sanitization_mode": "safe_normalize_v1",
    "strict_no_evidence": True,
}
"""Fields that can have one value only."""

BESIDE: Final = frozenset({"support_floor", "negation"})
"""Fields of the gate alone: no prompt depends on them, and R2_POLICY_V1 is itself with any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionPolicy:
    """A whole policy; the defaults are `R2_POLICY_V1`."""

    policy_version: str = "R2_POLICY_V1"
    max_chunks: int = 6
    """How many chunks may become evidence."""

    max_chunks_per_knowledge_id: int = 2
    max_evidence_tokens: int = 2200
    """Tokens of the evidence block, its header lines included."""

    reserved_output_tokens: int = 800
    """Kept free for the answer; part of the total."""

    max_total_prompt_tokens: int = 3500
    """Every token of the prompt plus the reserve."""

    max_chunk_token_ratio: float = 0.35
    """Share of `max_evidence_tokens` that the text of one chunk may take."""

    overlap_ratio_threshold: float = 0.80
    """From this share of shared word 5-grams on, a chunk is a near-duplicate."""

    ordering_mode: str = "rank_strict"
    sanitization_mode: str = "safe_normalize_v1"
    strict_no_evidence: bool = True
    top_similarity_threshold: float = 0.50
    """What the best-ranked chunk must reach."""

    min_similarity_threshold: float = 0.30
    """What every chunk must reach."""

    max_question_tokens: int = 200
    max_fixed_tokens: int = 300
    """Everything of the prompt that is neither evidence nor question."""

    tokenizer: str = "o200k_base"
    unsupported_entities: Literal["note", "reject"] = "note"
    """What a name or acronym expansion that the cited chunks lack does to an answer."""

    support_floor: float = 0.41
    """From 0 to 1: the least share of a sentence's content words that the chunks it cites hold;
    0 asks for nothing. Not part of the identity of R2_POLICY_V1."""

    negation: Literal["note", "reject"] = "reject"
    """What a claim that is turned round against its passage does to an answer. Not part of the
    identity of R2_POLICY_V1."""

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(field.name, getattr(self, field.name))
        if self.policy_version == "R2_POLICY_V1":
            self._must_be_v1()

    def _must_be_v1(self) -> None:
        for field in fields(self):
            if field.name not in BESIDE and getattr(self, field.name) != field.default:
                raise InputError(
                    f"policy: calls itself R2_POLICY_V1 but {field.name!r} differs from it",
                    hint="give a changed policy a policy_version of its own",
                )

    @property
    def max_chunk_tokens(self) -> int:
        """Tokens that the text of one chunk may take."""
        return math.floor(self.max_chunk_token_ratio * self.max_evidence_tokens + 1e-9)

    @property
    def digest(self) -> str:
        """Over every field that `to_dict` gives."""
        return digest_json(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Every field by its name; one of `BESIDE` only where it differs from its default.

        What was recorded before there were such fields has the same form, and so the same
        digest, as what is recorded with their defaults now.
        """
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name not in BESIDE or getattr(self, field.name) != field.default
        }

    def thresholds(self) -> dict[str, float]:
        """The gates, as the trace names them."""
        return {
            "top_similarity_threshold": self.top_similarity_threshold,
            "min_similarity_threshold": self.min_similarity_threshold,
            "overlap_ratio_threshold": self.overlap_ratio_threshold,
            "max_chunk_token_ratio": self.max_chunk_token_ratio,
        }


REQUIRED: Final = (
    "policy_version",
    "max_chunks",
    "max_chunks_per_knowledge_id",
    "max_evidence_tokens",
    "reserved_output_tokens",
    "max_total_prompt_tokens",
    "max_chunk_token_ratio",
    "overlap_ratio_threshold",
    "ordering_mode",
    "sanitization_mode",
    "strict_no_evidence",
)
"""The specification's snapshot: a policy file has all of these. The others have defaults."""


def read_policy(value: Any) -> SelectionPolicy:
    """Turn a policy file's content into a policy.

    Args:
        value: A mapping; a whole policy, not a set of changes.

    Raises:
        InputError: a field is missing, unknown, of the wrong type or out of range; a mode is
            not the specification's; the policy calls itself R2_POLICY_V1 and differs from it.

    Spec: 004 R2.2; interfaces.md, "Answers".
    """
    if isinstance(value, SelectionPolicy):
        return value
    if not isinstance(value, Mapping):
        raise InputError("policy: is no mapping", hint="a policy file holds field: value lines")
    known = [field.name for field in fields(SelectionPolicy)]
    for name in value:
        if name not in known:
            near = get_close_matches(str(name), known, n=1)
            raise InputError(
                f"policy: field {name!r} is not known",
                hint=f"did you mean {near[0]!r}?" if near else "",
            )
    missing = [name for name in REQUIRED if name not in value]
    if missing:
        raise InputError(
            f"policy: {', '.join(repr(name) for name in missing)} missing",
            hint="a policy file is a whole policy",
        )
    return SelectionPolicy(**{str(name): _number(name, item) for name, item in value.items()})


def _number(name: str, value: Any) -> Any:
    """An integer where a ratio is meant is that ratio (`1` is `1.0`)."""
    ratio = name.endswith(("_ratio", "_threshold", "_floor"))
    return float(value) if ratio and type(value) is int else value


def _check(name: str, value: Any) -> None:
    if name in FROZEN:
        if type(value) is not type(FROZEN[name]) or value != FROZEN[name]:
            raise _wrong(name, f"must be {FROZEN[name]!r}")
    elif name == "policy_version":
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise _wrong(name, "must be a name")
    elif name == "tokenizer":
        if value not in TOKENIZERS:
            raise _wrong(name, f"must be one of {', '.join(TOKENIZERS)}")
    elif name in {"unsupported_entities", "negation"}:
        if not isinstance(value, str) or value not in {"note", "reject"}:
            raise _wrong(name, "must be 'note' or 'reject'")
    elif name == "support_floor":
        if type(value) is not float or not 0.0 <= value <= 1.0:
            raise _wrong(name, "must be a number from 0 to 1")
    elif name.endswith(("_ratio", "_threshold")):
        low = -1.0 if "similarity" in name else 0.0
        if type(value) is not float or not low <= value <= 1.0:
            raise _wrong(name, f"must be a number from {low:g} to 1")
        if "similarity" not in name and value == 0.0:
            raise _wrong(name, "must be more than 0")
    elif type(value) is not int or not 0 <= value < 2**31:
        raise _wrong(name, "must be a whole number, 0 or more")


def _wrong(name: str, message: str) -> InputError:
    return InputError(f"policy: {name!r} {message}")


R2_POLICY_V1: Final = SelectionPolicy()
"""The specification's snapshot."""
