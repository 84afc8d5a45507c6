"""Tables of words, written as texts.

In      words with white space between them
Out     the words as a set
Pure    yes
Spec    none of its own
"""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """The words of *words*.

    Example:
        >>> sorted(word_set("under over"))
        ['over', 'under']
    """
    return frozenset(words.split())
