"""Names of models: which a contract is declared for, which are the same, what others are told.

In      `provider:name` as asked, the name that a provider reported, patterns of a contract
Out     yes or no; the name without the machine's folders
Pure    yes
Spec    interfaces.md, "Models" and "Packs" (`models`); 006-M2

Two names are one model only where their spelling says so. What is not known to be the same is
another model: a contract that lists models was tried with these and no others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

IN_PROCESS: Final = frozenset({"extractive", "embedded"})
"""Providers that answer in this process: the name they report is the library's own word."""

_LATEST: Final = "-latest"
_FILE_SUFFIX: Final = ".gguf"

_OF_FILES: Final = frozenset({"embedded", "recorded", "scripted"})
"""Providers whose names are paths of the machine that asks."""

_PATH: Final = re.compile(r"[/~.\\]|[A-Za-z]:[/\\]")
"""So begins a path of a machine; the folders of a router's name do not."""

# What providers put behind a name for the snapshot of a day: `-2025-04-14`, `-20250514`,
# `@20240620`, `-05-06`, `-0613` (month and day), `-2411` (year and month).
_MONTH: Final = r"(?:0[1-9]|1[0-2])"
_DAY: Final = r"(?:0[1-9]|[12]\d|3[01])"
_DATED: Final = re.compile(
    rf"-20\d\d-{_MONTH}-{_DAY}|[-@]20\d\d{_MONTH}{_DAY}"
    rf"|-{_MONTH}-{_DAY}|-{_MONTH}{_DAY}|-2\d{_MONTH}",
    re.ASCII,
)


def is_allowed(model: str, patterns: Sequence[str]) -> bool:
    """Is *model* (`provider:name`) matched by one of *patterns*, whole or by its name alone?"""
    name = model.partition(":")[2]
    return any(
        fnmatchcase(model, pattern) or (name != "" and fnmatchcase(name, pattern))
        for pattern in patterns
    )


def is_same_model(asked: str, reported: str) -> bool:
    """Does *reported* name the model that was *asked* for, or the snapshot of a day of it?

    Args:
        asked: The name without `provider:`.
        reported: As the provider wrote it.

    A router's prefix or the folders of a file may stand before one of the two names; where both
    have some, they are the same. `.gguf` and the tag `:latest` add nothing. A snapshot asked for
    is that snapshot; one name of another day is another model.

    Example:
        >>> is_same_model("gpt-4.1", "openai/gpt-4.1-2025-04-14")
        True
        >>> is_same_model("gpt-4.1", "gpt-4.1-mini")
        False
    """
    wanted, got = _steps(asked), _steps(reported)
    shared = min(len(wanted), len(got))
    if wanted[-shared:-1] != got[-shared:-1]:
        return False
    name, other = wanted[-1], got[-1]
    if name == other:
        return True
    base = name.removesuffix(_LATEST)
    if not base or not other.startswith(base):
        return False
    rest = other[len(base) :]
    return (rest == "" and base != name) or _DATED.fullmatch(rest) is not None


def shown_model(name: str) -> str:
    """*name* (`provider:name`) as others are told it: of a file its own name, and no folder.

    Example:
        >>> shown_model("scripted:/srv/replies.jsonl"), shown_model("openai:qwen/qwen3")
        ('scripted:replies.jsonl', 'openai:qwen/qwen3')
    """
    provider, colon, rest = name.partition(":")
    if provider not in _OF_FILES and not _PATH.match(rest):
        return name
    return f"{provider}{colon}{rest.replace(chr(92), '/').rpartition('/')[2]}"


def _steps(name: str) -> list[str]:
    """The steps of a path, the last one without what adds nothing."""
    *folders, last = name.replace("\\", "/").split("/")
    return [*folders, last.removesuffix(":latest").removesuffix(_FILE_SUFFIX)]
