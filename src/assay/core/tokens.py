"""Token counts without a network.

In      text, the name of a tokenizer
Out     how many tokens; the longest prefix that fits
Pure    yes
Spec    000 (token budgets); 004 R2 (max_evidence_tokens)
"""

from __future__ import annotations


def count(text: str, tokenizer: str = "o200k_base") -> int:
    raise NotImplementedError


def prefix_within(text: str, max_tokens: int, tokenizer: str = "o200k_base") -> int:
    raise NotImplementedError
