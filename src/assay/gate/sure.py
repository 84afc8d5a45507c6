"""What of a rule can be told without its evaluator.

In      the tokens of an expression of CEL that compiles
Out     a function of the variables: True or False where that is certain, None where it is not
Pure    yes
Spec    interfaces.md, "The gate" (rules)

Handing values to the evaluator costs a microsecond a text, so a rule that compares a handful
of labels costs more than reading the whole output. The language has one meaning where two
texts, two booleans or two integers that are really there are compared; only that is told here.
A missing field, a value of another type, a function, a macro or an operator that is not listed
is never certain, and the evaluator is asked. What is told:

    A || B   A && B   !A   (A)   X == X   X != X   X < X …   X in LIST   PATH
    PATH.exists(v, A)   PATH.all(v, A)   'text'   12   size(PATH)   true   false
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final

Variables = dict[str, Any]
Sure = Callable[[Variables], bool | None]
_Value = Callable[[Variables], Any]

_NOTHING: Final = object()
_COMPARED = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_ORDERED = frozenset({"<", "<=", ">", ">="})
_TRUTHS = {"true": True, "false": False}
_WORDS = frozenset({"true", "false", "null", "in", "size", "has"})
_EQUAL = frozenset({str, bool})
_LARGEST = 2**53


class _NotTold(Exception):  # noqa: N818 - no error: the evaluator is asked
    """The expression has a part that is not told here."""


def sure(tokens: Sequence[str], roots: Sequence[str]) -> Sure | None:
    """Read an expression; None when it has a part that is not told here.

    Args:
        tokens: Of an expression that the evaluator has compiled; a literal text is one token,
            every other sign is one by itself.
        roots: The variables that are given.

    Example:
        >>> told = sure(["x", ".", "a", "=", "=", "x", ".", "b"], ["x"])
        >>> [told({"x": x}) for x in ({"a": "A", "b": "A"}, {"a": "A", "b": "B"}, {"a": "A"})]
        [True, False, None]
    """
    reader = _Reader(tokens, roots)
    try:
        told = reader.either()
    except _NotTold:
        return None
    return told if reader.at == len(tokens) else None


class _Reader:
    """Reads by recursive descent, each method one level of precedence."""

    def __init__(self, tokens: Sequence[str], roots: Sequence[str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.known = [*roots]

    def either(self) -> Sure:
        parts = [self.both()]
        while self.take("|", "|"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else _either(parts)

    def both(self) -> Sure:
        parts = [self.single()]
        while self.take("&", "&"):
            parts.append(self.single())
        return parts[0] if len(parts) == 1 else _both(parts)

    def single(self) -> Sure:
        if self.peek() == "!" and self.peek(1) != "=":
            self.at += 1
            return _not(self.unary())
        if self.take("("):
            told = self.either()
            self.need(")")
            # What stands in brackets may itself be compared; that is not told.
            return told
        return self.relation()

    def unary(self) -> Sure:
        """What `!` binds to: brackets, or one place."""
        if self.peek() == "(":
            return self.single()
        value, macro = self.path()
        return macro if macro is not None else _truth(value)

    def relation(self) -> Sure:
        left, macro = self.value()
        if macro is not None:
            return macro
        for sign, compared in _COMPARED.items():
            longer = len(sign) == 1 and self.peek(1) == "="
            if not longer and self.take(*sign):
                return _compare(left, self.operand(), compared, ordered=sign in _ORDERED)
        if self.take("in"):
            return _among(left, self.operand())
        return _truth(left)

    def operand(self) -> _Value:
        value, macro = self.value()
        if macro is not None:
            raise _NotTold
        return value

    def value(self) -> tuple[_Value, Sure | None]:
        word = self.peek()
        if word in _TRUTHS:
            self.at += 1
            return _constant(_TRUTHS[word]), None
        if word[:1] in {"'", '"'}:
            if "\\" in word or word[:3] in {"'''", '"""'}:
                raise _NotTold
            self.at += 1
            return _constant(word[1:-1]), None
        if word.isascii() and word.isdigit():
            return _constant(self.integer()), None
        if self.take("size", "("):
            value, macro = self.path()
            self.need(")")
            if macro is not None:
                raise _NotTold
            return _size(value), None
        return self.path()

    def integer(self) -> int:
        start = self.at
        while self.peek().isascii() and self.peek().isdigit():
            self.at += 1
        digits = "".join(self.tokens[start : self.at])
        if len(digits) > 15 or (len(digits) > 1 and digits[0] == "0"):
            raise _NotTold
        return int(digits)

    def path(self) -> tuple[_Value, Sure | None]:
        """A place, or a macro over the items there."""
        root = self.peek()
        if root not in self.known:
            raise _NotTold
        self.at += 1
        steps: list[str] = []
        while self.take("."):
            name = self.peek()
            if not name.isidentifier():
                raise _NotTold
            self.at += 1
            if self.peek() == "(":
                return _place(root, steps), self.macro(name, _place(root, steps))
            steps.append(name)
        if self.peek() in {"[", "(", "{"}:
            raise _NotTold
        return _place(root, steps), None

    def macro(self, name: str, items: _Value) -> Sure:
        self.need("(")
        variable = self.peek()
        if name not in {"exists", "all"} or variable in {*self.known, *_WORDS}:
            raise _NotTold
        self.at += 1
        self.need(",")
        self.known.append(variable)
        told = self.either()
        self.known.pop()
        self.need(")")
        if self.peek() in {".", "["}:
            raise _NotTold
        return _every(items, variable, told, wanted=name == "all")

    def peek(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else ""

    def take(self, *wanted: str) -> bool:
        if tuple(self.tokens[self.at : self.at + len(wanted)]) != wanted:
            return False
        self.at += len(wanted)
        return True

    def need(self, token: str) -> None:
        if not self.take(token):
            raise _NotTold


def _either(parts: Sequence[Sure]) -> Sure:
    def told(variables: Variables) -> bool | None:
        answers = [part(variables) for part in parts]
        return None if None in answers else True in answers

    return told


def _both(parts: Sequence[Sure]) -> Sure:
    def told(variables: Variables) -> bool | None:
        answers = [part(variables) for part in parts]
        return None if None in answers else False not in answers

    return told


def _not(part: Sure) -> Sure:
    def told(variables: Variables) -> bool | None:
        answer = part(variables)
        return None if answer is None else not answer

    return told


def _truth(value: _Value) -> Sure:
    def told(variables: Variables) -> bool | None:
        found = value(variables)
        return found if found.__class__ is bool else None

    return told


def _compare(
    left: _Value, right: _Value, compared: Callable[[Any, Any], bool], *, ordered: bool
) -> Sure:
    def told(variables: Variables) -> bool | None:
        one, other = left(variables), right(variables)
        kind = one.__class__
        if kind is not other.__class__:
            return None
        if kind is int:
            return compared(one, other) if -_LARGEST < one < _LARGEST > other > -_LARGEST else None
        return compared(one, other) if not ordered and kind in _EQUAL else None

    return told


def _among(left: _Value, right: _Value) -> Sure:
    def told(variables: Variables) -> bool | None:
        one, items = left(variables), right(variables)
        if one.__class__ is not str or items.__class__ is not list:
            return None
        return one in items if all(item.__class__ is str for item in items) else None

    return told


def _every(items: _Value, variable: str, part: Sure, *, wanted: bool) -> Sure:
    """All items agree with *wanted*, or some does not."""

    def told(variables: Variables) -> bool | None:
        found = items(variables)
        if found.__class__ is not list:
            return None
        answers = []
        for item in found:
            variables[variable] = item
            answers.append(part(variables))
        if None in answers:
            return None
        return False not in answers if wanted else True in answers

    return told


def _constant(value: Any) -> _Value:
    return lambda _: value


def _place(root: str, steps: Sequence[str]) -> _Value:
    if len(steps) == 1:
        (step,) = steps

        def field(variables: Variables) -> Any:
            found = variables[root]
            return found.get(step, _NOTHING) if found.__class__ is dict else _NOTHING

        return field

    def place(variables: Variables) -> Any:
        found = variables[root]
        for step in steps:
            if found.__class__ is not dict:
                return _NOTHING
            found = found.get(step, _NOTHING)
        return found

    return place


def _size(value: _Value) -> _Value:
    def size(variables: Variables) -> Any:
        found = value(variables)
        return len(found) if found.__class__ in {str, list, dict} else _NOTHING

    return size
