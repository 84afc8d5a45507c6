"""One language's sentences, found by key.

In      keys with dots, sentences with `{places}`
Out     Words: a key and values become a sentence
Pure    yes
Spec    009-P1, 007-F11
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One language's sentences."""

    language: str
    sentences: Mapping[str, str]

    def __call__(self, key: str, **values: Any) -> str:
        """The sentence under *key* with its places filled.

        Raises:
            KeyError: the catalogue has no such key, or a place has no value.

        Example:
            >>> Words(language="en", sentences={"greet": "Hello, {name}."})("greet", name="Ann")
            'Hello, Ann.'
        """
        return _PLACE.sub(lambda match: str(values[match[1]]), self.sentences[key])

    def count(self, key: str, count: int, **values: Any) -> str:
        """`KEY.one` or `KEY.many`, with the place `count`."""
        return self(f"{key}.{'one' if count == 1 else 'many'}", count=count, **values)

    def find(self, key: str) -> str | None:
        """The sentence under *key*, where there is one."""
        return self.sentences.get(key)
