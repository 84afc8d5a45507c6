"""Token budgets: what one call may use.

In      limits, tokens used
Out     what is left; which limit is broken
Pure    yes
Spec    000 token budgets

A budget is enforced before a call is made: the input is counted, and the whole of the
allowed output counts as used until the model says how much it was. The budget of a whole
run is kept where runs are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from assay.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What one rung of the ladder changes against the environment's settings."""

    temperature: float | None = None
    """None keeps the temperature configured for the environment."""

    shorten: bool = False
    """Show less of the input: quoted parts, signatures and disclaimers go first."""

    max_input_tokens: int | None = None
    """The budget of this attempt; None is the contract's, or half of it when `shorten`."""

    correct: bool = False
    """Tell the model what the gate found wrong with the output before (003)."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "temperature": self.temperature,
            "shorten": self.shorten,
            "max_input_tokens": self.max_input_tokens,
            "correct": self.correct,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens used so far."""

    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def plus(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )

    @classmethod
    def of_exchange(
        cls,
        *,
        counted: int,
        allowed: int,
        input_tokens: int | None,
        output_tokens: int | None,
        details: Mapping[str, Any],
    ) -> Self:
        """What one exchange used, as its provider reports it.

        Args:
            counted: Our own count of the prompt.
            allowed: What the model was told it may write at most.
            details: JSON facts of the reply; `reasoning_tokens` is what it thought with.

        A count of 0 or none, for a prompt that was sent, is no count: *counted* and *allowed*
        stand in its place, so that no budget is passed by a server that does not count.

        Spec: interfaces.md, "Models"; 005-R21.
        """
        written = all_output(output_tokens, details)
        return cls(input_tokens=input_tokens or counted, output_tokens=written or allowed)

    def to_dict(self) -> dict[str, int]:
        return {"input_tokens": self.input_tokens, "output_tokens": self.output_tokens}


def all_output(output_tokens: int | None, details: Mapping[str, Any]) -> int | None:
    """What a model wrote, thinking included.

    Thinking is part of the output, as providers count. There are servers that count it beside
    the output: it is more than the output then, which it cannot be as a part.
    """
    thought = details.get("reasoning_tokens")
    if output_tokens is None or type(thought) is not int or thought <= output_tokens:
        return output_tokens
    return output_tokens + thought


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one call; None leaves a limit open."""

    max_input_tokens: int
    """Tokens of the whole prompt, counted before it is sent."""

    max_output_tokens: int
    """What the model is told it may write at most."""

    max_total_tokens: int | None = None
    """Over all attempts of one call, input and output together."""

    def __post_init__(self) -> None:
        for name in ("max_input_tokens", "max_output_tokens", "max_total_tokens"):
            limit = getattr(self, name)
            if limit is not None and limit < 1:
                raise InputError(f"{name} must be at least 1")

    def to_dict(self) -> dict[str, Any]:
        return {
            "max_input_tokens": self.max_input_tokens,
            "max_output_tokens": self.max_output_tokens,
            "max_total_tokens": self.max_total_tokens,
        }

    def input_limit(self, attempt: Attempt) -> int:
        """Tokens that the prompt of *attempt* may have: never more than the contract allows."""
        if attempt.max_input_tokens is not None:
            return min(attempt.max_input_tokens, self.max_input_tokens)
        return max(1, self.max_input_tokens // 2) if attempt.shorten else self.max_input_tokens

    def broken_by(self, input_tokens: int, used: Usage) -> str | None:
        """Name the limit that one more call with *input_tokens* could break, or None.

        Args:
            input_tokens: Tokens of the prompt about to be sent.
            used: What earlier attempts of the same call used.
        """
        if input_tokens > self.max_input_tokens:
            return "max_input_tokens"
        if self.max_total_tokens is None:
            return None
        worst = used.total_tokens + input_tokens + self.max_output_tokens
        return "max_total_tokens" if worst > self.max_total_tokens else None
