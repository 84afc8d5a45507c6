"""What an answer says was used.

In      the `usage` of a chat completion or a response, in whatever shape
Out     Usage
Pure    yes
Spec    interfaces.md, "Models"

Hidden reasoning is paid for as output. OpenAI counts it in already; where a server leaves it out
of the output, its own total gives it away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.adapters.models.http_faults import token_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts as reported; None is not reported."""

    input_tokens: int | None
    output_tokens: int | None
    """With hidden reasoning."""

    details: Mapping[str, int]
    """`cached_tokens` and `reasoning_tokens`, where they are more than none."""


def read_usage(usage: object) -> Usage:
    """Counts by the names of either API."""
    found: Mapping[str, Any] = usage if isinstance(usage, Mapping) else {}
    into = _count(found, "prompt_tokens", "input_tokens")
    out = _count(found, "completion_tokens", "output_tokens")
    total = token_count(found.get("total_tokens"))
    if into and out is not None and total is not None:
        out = max(out, total - into)
    of_input = _details(found, "prompt_tokens_details", "input_tokens_details")
    of_output = _details(found, "completion_tokens_details", "output_tokens_details")
    details = {
        "cached_tokens": _count(of_input, "cached_tokens")
        or _count(found, "prompt_cache_hit_tokens"),
        "reasoning_tokens": _count(of_output, "reasoning_tokens")
        or _count(found, "reasoning_tokens"),
    }
    return Usage(
        input_tokens=into,
        output_tokens=out,
        details={name: number for name, number in details.items() if number},
    )


def _count(values: Mapping[str, Any], *names: str) -> int | None:
    counts = (token_count(values.get(name)) for name in names)
    return next((count for count in counts if count is not None), None)


def _details(usage: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    return next((usage[name] for name in names if isinstance(usage.get(name), Mapping)), {})
