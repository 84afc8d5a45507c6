"""The tokens of an expression of CEL: its words, its brackets, and where its macros stand.

In      an expression
Out     tokens, places of brackets, depth within macros
Pure    yes
Spec    CEL language definition, "Syntax", "Macros"
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MACROS: Final = frozenset({"all", "exists", "exists_one", "existsOne", "map", "filter"})
OPENING: Final = frozenset("([{")
CLOSING: Final = frozenset(")]}")

TOKEN: Final = re.compile(
    r"""
      (?P<skip>\s+|//[^\n]*)
    | (?P<text>
          [bB]?[rR][bB]?(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"[^"\n]*"|'[^'\n]*')
        | [bB]?(?:\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}
                |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      )
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


def expression_marks(source: str) -> list[re.Match[str]]:
    """The tokens of *source* with their places, without white space and comments."""
    return [match for match in TOKEN.finditer(source) if match.lastgroup != "skip"]


def expression_tokens(source: str) -> list[str]:
    """The tokens of *source*; a string literal is one, white space and comments none."""
    return [match.group() for match in expression_marks(source)]


def next_tokens(tokens: list[str], at: int) -> tuple[str, str, str]:
    """The three tokens behind the one at *at*; empty where there is none."""
    first, second, third = [*tokens[at + 1 : at + 4], "", "", ""][:3]
    return first, second, third


def is_macro(tokens: list[str], at: int) -> bool:
    """Whether the token at *at* is the name of a macro that is called on something."""
    called = tokens[at + 1 : at + 2] == ["("]
    return tokens[at] in MACROS and at > 1 and tokens[at - 1] == "." and called


def bracket_partners(tokens: list[str]) -> dict[int, int]:
    """Place of each bracket -> place of its partner, both ways."""
    partner: dict[int, int] = {}
    open_: list[int] = []
    for at, word in enumerate(tokens):
        if word in OPENING:
            open_.append(at)
        elif word in CLOSING and open_:
            partner[at] = open_.pop()
            partner[partner[at]] = at
    return partner


def depths_in_macros(tokens: list[str]) -> Iterator[int]:
    """For each token, within how many macros it stands; a macro's own brackets are within it."""
    brackets: list[bool] = []
    for at, word in enumerate(tokens):
        if word in OPENING:
            brackets.append(word == "(" and is_macro(tokens, at - 1))
        yield sum(brackets)
        if word in CLOSING and brackets:
            brackets.pop()
