"""Token counts without a network.

In      text, the name of a tokenizer
Out     how many tokens; the longest prefix that fits
Pure    yes: the vocabularies are part of an installed package
Spec    000 (token budgets); 004 R2 (max_evidence_tokens)

Text that spells a control token, such as `<|endoftext|>`, is counted as the plain text that
it is. A lone surrogate counts as U+FFFD.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from itertools import accumulate
from typing import Any, Protocol

from assay.errors import InputError

TOKENIZERS = ("o200k_base", "cl100k_base")
"""The names that are known."""

DEFAULT_TOKENIZER = "o200k_base"

_BINDING = "bpe_openai._bindings"

# Where a prefix ends may change how its last pieces are cut, so this many solid pieces before
# the limit and after it are looked at again.
_BEHIND = 3
_AHEAD = 2
# In a longer stretch the limit is found by halving, then looked for this far ahead.
_LONG = 512
_BEYOND = 128


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
    return _tokenizer(tokenizer).count(_replace_surrogates(text))


def count_more(text: str, more: str, tokenizer: str = DEFAULT_TOKENIZER) -> int:
    """How many tokens *text* with *more* behind it has beyond those of *text*.

    Only the last word of *text* is read: a tokenizer cuts every text before a space that
    follows something else than white space, and no token crosses a cut.

    Raises:
        InputError: *tokenizer* is not one of `TOKENIZERS`.

    Example:
        >>> count_more("It is due in May.", "\\n\\n"), count_more("It is due in May", "\\n\\n")
        (0, 1)
    """
    at = text.rfind(" ")
    tail = text[at:] if at > 0 and not text[at - 1].isspace() else text
    return count(tail + more, tokenizer) - count(tail, tokenizer)


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
    text = _replace_surrogates(text)
    if max_tokens <= 0:
        return 0
    if known.count(text) <= max_tokens:
        return len(text)
    pieces = known.pretokenize(text)
    ends = [0, *accumulate(map(len, pieces))]
    # A text may be cut after a piece that is not white space without its pieces changing.
    solid = [0, *(at for at, piece in enumerate(pieces, 1) if not piece.isspace())]
    whole, spent = _whole_pieces(text, [ends[at] for at in solid], max_tokens, known)
    below, base = ends[solid[whole]], ends[solid[max(whole - _BEHIND, 0)]]
    spent -= known.count(text[base:below])

    def fits(length: int) -> bool:
        return spent + known.count(text[base:length]) <= max_tokens

    # No longer prefix can fit than one that ends in the next solid piece, white space aside.
    above = ends[min(solid[min(whole + _AHEAD, len(solid) - 1)] + _AHEAD, len(pieces))]
    if above - below > _LONG:
        low, high = below, above
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        above = min(above, low + _BEYOND)
    return next((length for length in range(above, base, -1) if fits(length)), base)


def _whole_pieces(
    text: str, ends: list[int], max_tokens: int, known: _Tokenizer
) -> tuple[int, int]:
    """The last of *ends* up to which *text* fits, by number, and the tokens up to there."""
    low, high, spent = 0, len(ends) - 1, 0
    while low < high:
        middle = (low + high + 1) // 2
        more = known.count(text[ends[low] : ends[middle]])
        if spent + more <= max_tokens:
            low, spent = middle, spent + more
        else:
            high = middle - 1
    return low, spent


def _replace_surrogates(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(["\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text])
    return text


@cache
def _tokenizer(name: str) -> _Tokenizer:
    if name not in TOKENIZERS:
        raise InputError(
            f"there is no tokenizer {name!r}", hint=f"known are {', '.join(TOKENIZERS)}"
        )
    # The package's wrapper refuses long texts and texts that spell control tokens, and reads
    # the vocabulary a second time; its binding does neither.
    known: _Tokenizer = _load_binding().tokenizer_for_encoding(name)
    return known


def _load_binding() -> Any:
    """The compiled half of bpe-openai, without the other half.

    Importing the package reads every vocabulary it knows, which takes a second that each
    command would pay; the compiled module holds the two in use itself.
    """
    package = PathFinder.find_spec("bpe_openai")
    where = None if package is None else package.submodule_search_locations
    found = None if where is None else PathFinder.find_spec(_BINDING, list(where))
    if found is None or found.loader is None:
        return import_module(_BINDING)
    module = sys.modules.get(_BINDING)
    if module is None:
        module = module_from_spec(found)
        found.loader.exec_module(module)
        sys.modules[_BINDING] = module
    return module
