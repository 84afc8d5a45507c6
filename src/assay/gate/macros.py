"""Macros of CEL, item by item: the same answer in any order, and never beyond a limit of work.

In      an expression; its variables
Out     what it says; CostError where it would take too long
Pure    yes
Spec    005-G12; CEL language definition, "Macros" (`all` and `exists` absorb errors)

The evaluator copies what an expression mentions once for every item, and a list that `map` or
`filter` makes once for every item of it; it has no limit of its own, and ends at the first item
that errs even where a later one decides. So an expression that could take long, or erred, is
taken apart here: each macro is evaluated by asking about one item at a time and counting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assay.gate.handed import Fields, handed_value, mentioned_fields
from assay.gate.tokens import (
    CLOSING,
    OPENING,
    bracket_partners,
    depths_in_macros,
    expression_marks,
    expression_tokens,
    is_macro,
)

if TYPE_CHECKING:
    import cel

MAX_WORK: Final = 2_000_000
"""What one evaluation of a rule may cost: values handed to the evaluator, and `_CALL` for each
time that it is asked. About a second; a rule over ten thousand items costs a fifth of it."""

_CALL: Final = 30

HELD: Final = "held_by_macro_"
"""With a number behind it, stands for the value of a macro; no rule may use such a name."""


class CostError(Exception):
    """The work that a rule may cost is done, and the rule has no answer yet."""


class _MacroError(Exception):
    """A macro has no value: an item erred, or there is nothing to go through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Macro:
    """One outermost macro of an expression: `over.name(variable, parts…)`."""

    name: str
    over: str
    variable: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """An expression without its outermost macros, and these."""

    program: cel.Program
    names: Mapping[str, Fields | None]
    """The variables that it mentions, and what of each; None is all of it."""

    macros: tuple[_Macro, ...]


class Pieces:
    """An expression that is taken apart when first needed; compiled parts are kept."""

    def __init__(self, source: str, compile: Callable[[str], cel.Program]) -> None:
        self._source = source
        self._compile = compile
        self._pieces: dict[str, _Piece] = {}

    def evaluate(self, variables: Mapping[str, Any]) -> Any:
        """What the expression says.

        Raises:
            CostError: it costs more than MAX_WORK.
            Exception: it errs; in any order of the items, or in none.
        """
        return _Evaluation(self).value(self._source, dict(variables))

    def piece(self, source: str) -> _Piece:
        """*source*, taken apart."""
        found = self._pieces.get(source)
        if found is None:
            bare, macros = take_apart(source)
            program = self._compile(bare)
            tokens = expression_tokens(bare)
            names = {name: mentioned_fields(tokens, name) for name in tokens if name.isidentifier()}
            found = _Piece(program=program, names=names, macros=tuple(macros))
            self._pieces[source] = found
        return found


class _Evaluation:
    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._left = MAX_WORK
        self._handed: dict[tuple[int, int], tuple[Any, Any]] = {}
        self._sizes: dict[int, tuple[Any, int]] = {}
        """Sizes of lists and objects by identity; each is held, so that no other gets its id."""

    def value(self, source: str, variables: dict[str, Any]) -> Any:
        piece = self._pieces.piece(source)
        given = {
            name: self._select_mentioned(held, piece.names[name])
            for name, held in variables.items()
            if name in piece.names
        }
        for number, macro in enumerate(piece.macros):
            try:
                given[f"{HELD}{number}"] = self._macro(macro, variables)
            except CostError:
                raise
            except Exception:  # noqa: S112 - a macro without a value errs only where it is asked for
                continue
        self._spend(_CALL + sum(map(self._size, given.values())))
        return piece.program.execute(given)

    def _macro(self, macro: _Macro, variables: dict[str, Any]) -> Any:
        over = self.value(macro.over, variables)
        if not isinstance(over, list | dict):
            raise _MacroError
        items = list(over)
        first, *others = macro.parts

        def ask(part: str) -> Iterator[tuple[Any, Any]]:
            """Each item, and what *part* says of it; an error is an answer."""
            for item in items:
                try:
                    yield item, self.value(part, {**variables, macro.variable: item})
                except CostError:
                    raise
                except Exception as error:
                    yield item, error

        if macro.name in ("all", "exists"):
            return _decide(ask(first), decisive=macro.name == "exists")
        if macro.name == "map" and not others:
            return [self._keep(said) for _, said in ask(first)]
        chosen = [item for item, said in ask(first) if _boolean(said)]
        if macro.name == "filter":
            return chosen
        if macro.name == "map":
            items = chosen
            return [self._keep(said) for _, said in ask(others[0])]
        return len(chosen) == 1

    def _select_mentioned(self, value: Any, fields: Fields | None) -> Any:
        """*value* without what is not mentioned; the same again for the same."""
        if fields is None or not isinstance(value, Mapping):
            return value
        key = (id(value), id(fields))
        if key not in self._handed:
            self._handed[key] = (value, handed_value(value, fields))
        return self._handed[key][1]

    def _keep(self, said: Any) -> Any:
        """An item of a list that is made."""
        if isinstance(said, Exception):
            raise _MacroError
        self._spend(self._size(said))
        return said

    def _spend(self, work: int) -> None:
        self._left -= work
        if self._left < 0:
            raise CostError

    def _size(self, value: Any) -> int:
        if isinstance(value, str | bytes):
            return 1 + len(value) // 16
        if not isinstance(value, list | dict):
            return 1
        known = self._sizes.get(id(value))
        if known is None:
            known = self._sizes[id(value)] = (value, size_of(value))
        return known[1]


def size_of(value: Any) -> int:
    """How many values *value* holds, itself among them; sixteen characters count as one more."""
    size = 0
    waiting = [value]
    while waiting:
        each = waiting.pop()
        size += 1
        if isinstance(each, str | bytes):
            size += len(each) // 16
        elif isinstance(each, Mapping):
            waiting.extend(each.values())
            size += len(each)
        elif isinstance(each, list | tuple):
            waiting.extend(each)
    return size


def depth_of_macros(tokens: list[str]) -> int:
    """How many macros stand within each other at most."""
    return max(depths_in_macros(tokens), default=0)


def repeated_paths(tokens: list[str], roots: Collection[str]) -> tuple[tuple[str, ...], ...] | None:
    """The places that the parts of macros mention; None where macros are nested or make lists.

    Example:
        >>> repeated_paths("output . a . all ( i , i < output . b )".split(), ["output"])
        (('output', 'b'),)
    """
    depths = list(depths_in_macros(tokens))
    if max(depths, default=0) != 1 or {"map", "filter"} & {*tokens}:
        return None
    paths = []
    for at, (word, depth) in enumerate(zip(tokens, depths, strict=True)):
        if word in roots and depth and tokens[at - 1] != ".":
            path, place = [word], at + 1
            while tokens[place : place + 1] == ["."] and tokens[place + 2 : place + 3] != ["("]:
                path.append(tokens[place + 1])
                place += 2
            paths.append(tuple(path))
    return tuple(paths)


def take_apart(source: str) -> tuple[str, list[_Macro]]:
    """*source* with its outermost macros as variables, and these macros.

    Example:
        >>> bare, (macro,) = take_apart("size(output.a) > 0 && output.a.all(i, i > 0)")
        >>> bare, macro.over, macro.parts
        ('size(output.a) > 0 && held_by_macro_0', 'output.a', ('i > 0',))
    """
    marks = expression_marks(source)
    words = [mark.group() for mark in marks]
    found: list[_Macro] = []
    pieces: list[str] = []
    done = 0
    at = 0
    partner = bracket_partners(words)
    ends: list[tuple[int, int, _Macro]] = []
    while at < len(words):
        # The last macro of a chain holds the others in what it goes over.
        if is_macro(words, at):
            stop = partner.get(at + 1, len(words) - 1)
            start = _start_of_chain(words, at - 2, partner)
            macro = _macro_at(source, marks, words, start, at, stop)
            while ends and ends[-1][0] >= start:
                ends.pop()
            ends.append((start, stop, macro))
            at = stop
        at += 1
    for start, stop, macro in ends:
        pieces.append(source[done : marks[start].start()])
        pieces.append(f"{HELD}{len(found)}")
        found.append(macro)
        done = marks[stop].end()
    return "".join(pieces) + source[done:], found


def _start_of_chain(words: list[str], at: int, partner: dict[int, int]) -> int:
    """Where the operand begins whose last token stands at *at*."""
    while True:
        while words[at] in CLOSING:
            at = partner[at]
            before = words[at - 1] if at else ""
            if not (before.isidentifier() or before in CLOSING) or before in _OPERATORS:
                break
            at -= 1
        if at < 2 or words[at - 1] != ".":
            return at
        at -= 2


_OPERATORS: Final = frozenset({"in"})


def _macro_at(
    source: str, marks: list[re.Match[str]], words: list[str], start: int, at: int, stop: int
) -> _Macro:
    commas = [at + 1]
    depth = 0
    for place in range(at + 2, stop):
        depth += (words[place] in OPENING) - (words[place] in CLOSING)
        if depth == 0 and words[place] == ",":
            commas.append(place)
    parts = [
        source[marks[left].end() : marks[right].start()].strip()
        for left, right in zip(commas, [*commas[1:], stop], strict=True)
    ]
    variable, *rest = parts
    if (
        not variable.isidentifier()
        or len(rest) not in (1, 2)
        or (len(rest) == 2 and words[at] != "map")
    ):
        raise _MacroError  # a form that is not known here
    over = source[marks[start].start() : marks[at - 2].end()]
    return _Macro(name=words[at], over=over, variable=variable, parts=tuple(rest))


def _decide(answers: Iterator[tuple[Any, Any]], *, decisive: bool) -> bool:
    """*decisive* where one item says so, whatever the others do; an error where one may have."""
    other = not decisive
    failed = False
    for _, said in answers:
        if said is decisive:
            return not other
        failed = failed or said is not other
    if failed:
        raise _MacroError
    return other


def _boolean(said: object) -> bool:
    if isinstance(said, bool):
        return said
    raise _MacroError
