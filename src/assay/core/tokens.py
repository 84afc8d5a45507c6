"""Token counts without a network.

In      text, the name of a tokenizer
Out     how many tokens; the longest prefix that fits
Pure    yes: the vocabularies are part of an installed package
Spec    000 (token budgets); 004 R2 (max_evidence_tokens)

Text that spells a control token, such as `<|endoftext|>`, is counted as the plain text that
it is. A lone surrogate counts as U+FFFD.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Protocol

from bpe_openai import _bindings

from assay.errors import InputError

TOKENIZERS = ("o200k_base", "cl100k_base")
"""The names that are known."""

DEFAULT_TOKENIZER = "o200k_base"

# Far more than the code points of any token, and of the white space before a word.
_WINDOW = 4096


class _Tokenizer(Protocol):
    def count(self, text: str) -> int: ...

    def pretokenize(self, text: str) -> list[str]: ...


def count(text: str, tokenizer: str = DEFAULT_TOKENIZER) -> int:
    """How many tokens *text* is; 0 only for the empty text.

    Raises:
        InputError: *tokenizer* is not one of `TOKENIZERS`.

    Example:
        >>> count("Ein Rohr ist gebrochen.")
        6
    """
    return _tokenizer(tokenizer).count(_encodable(text))


def prefix_within(text: str, max_tokens: int, tokenizer: str = DEFAULT_TOKENIZER) -> int:
    """The length, in code points, of the longest prefix of *text* of at most *max_tokens*.

    A longer prefix is not always more tokens: `interna` is two and `internal` is one. The
    answer is the longest of all that fit, found piece by piece, as no token crosses the
    pieces that the tokenizer cuts a text into.

    Raises:
        InputError: *tokenizer* is not one of `TOKENIZERS`.

    Example:
        >>> prefix_within("Ein Rohr ist gebrochen.", 2)
        8
    """
    known = _tokenizer(tokenizer)
    text = _encodable(text)
    if max_tokens <= 0:
        return 0
    if known.count(text) <= max_tokens:
        return len(text)
    raise NotImplementedError
