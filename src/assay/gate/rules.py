"""Rules of a contract, in the Common Expression Language.

In      Rule; an output, the state, the input
Out     a finding when the assertion is false, errs, or is no boolean
Pure    yes
Spec    interfaces.md, "The gate" (rules)

A rule is compiled once. Each time, only those fields are handed to it that it mentions: the
expression `output.intents.exists(i, i.label == output.primary_intent)` cannot tell whether the
intents have other fields than a label, and copying an output is what an evaluation costs.
`size` of a string counts code points, as the language defines it; the evaluator by itself
counts bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from assay.errors import InputError
from assay.gate.gate import Finding, GateContext, Severity

if TYPE_CHECKING:
    import cel

ROOTS = ("output", "state", "input")
"""The variables that a rule may use."""

_TOKEN = re.compile(
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
MACROS = frozenset({"all", "exists", "exists_one", "existsOne", "map", "filter"})
# These give no item as a whole; `filter` does.
_ASKING = MACROS - {"filter"}
_SIZE = "size"
_OUR_SIZE = "size_in_code_points"

_Fields = Mapping[str, frozenset[str] | None]
"""Field -> which fields of its items are mentioned; None is all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One assertion over `output`, `state` and `input`; make it with `Rule.compile`."""

    id: str
    """Unique within the contract."""

    code: str
    """The finding code; `rule.ID` unless the pack gives another."""

    assert_text: str
    """The expression as it was written."""

    severity: Severity = "reject"
    """Of the finding when the assertion is false. A rule that errs always rejects."""

    message: str = ""
    """What people read when the assertion is false."""

    _program: cel.Program = field(repr=False, compare=False)
    _fields: Mapping[str, _Fields | None] = field(repr=False, compare=False)
    """Variable -> the fields of it that are mentioned; None is all of it."""

    _functions: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def compile(
        cls,
        *,
        id: str,
        assert_text: str,
        code: str = "",
        severity: Severity = "reject",
        message: str = "",
    ) -> Self:
        """Compile one rule of a pack.

        Args:
            id: Names the rule; `rule.ID` is its code unless *code* is given.
            assert_text: A CEL expression that is true of every acceptable output.
            code: The finding code.
            severity: Of the finding when the expression is false.
            message: For people; a sentence that names the rule when empty.

        Raises:
            InputError: *assert_text* is no CEL, or uses a variable that is not one of `ROOTS`.

        Example:
            >>> rule = Rule.compile(id="one_intent", assert_text="size(output.intents) == 1")
            >>> [finding.code for finding in rule({"intents": []}, GateContext())]
            ['rule.one_intent']
        """
        import cel  # it loads a command line of its own: 0.2 s that only rules are worth

        tokens = list(expression_tokens(assert_text))
        uses_size = any(_is_call(tokens, at, _SIZE) for at in range(len(tokens)))
        if any(token == _OUR_SIZE for token in tokens):
            raise InputError(f"rule {id!r} uses the reserved name {_OUR_SIZE!r}")
        try:
            program = cel.compile(_rewritten(assert_text) if uses_size else assert_text)
        except ValueError as error:
            raise InputError(
                f"rule {id!r} is no expression of CEL", hint=_first_line(error)
            ) from error
        unknown = {*program.variables()} - {*ROOTS} - _macro_variables(tokens)
        if unknown:
            raise InputError(
                f"rule {id!r} uses unknown variables: {', '.join(sorted(unknown))}",
                hint=f"a rule sees {', '.join(ROOTS)}",
            )
        used = {root: _mentioned_fields(tokens, root) for root in ROOTS if root in tokens}
        return cls(
            id=id,
            code=code or f"rule.{id}",
            assert_text=assert_text,
            severity=severity,
            message=message,
            _program=program,
            _fields=used,
            _functions={_OUR_SIZE: _size} if uses_size else {},
        )

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterable[Finding]:
        """One finding unless the assertion is true."""
        try:
            answer = self.evaluate(output, context.state, context.input)
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException:  # a panic of the evaluator is no Exception
            return (self._error("could not be evaluated"),)
        if answer is True:
            return ()
        if answer is not False:
            return (self._error("is neither true nor false"),)
        message = self.message or f"the rule {self.id!r} does not hold"
        return (Finding(code=self.code, severity=self.severity, message=message),)

    def evaluate(
        self,
        output: Mapping[str, Any],
        state: Mapping[str, Any] | None = None,
        input: Mapping[str, Any] | None = None,
    ) -> Any:
        """What the expression says; only `True` means that the rule holds.

        Raises:
            Exception: whatever the evaluator raises for a missing field, unequal types, ….
        """
        given = {"output": output, "state": state, "input": input}
        variables: dict[str, Any] = dict(self._functions)
        for root, fields in self._fields.items():
            variables[root] = _handed_value(given[root], fields)
        return self._program.execute(variables)

    def holds(
        self,
        output: Mapping[str, Any],
        state: Mapping[str, Any] | None = None,
        input: Mapping[str, Any] | None = None,
    ) -> bool:
        """Whether the expression is true; one that errs or is no boolean does not hold."""
        return not any(
            True for _ in self(dict(output), GateContext(state=state, input=input or {}))
        )

    def _error(self, what: str) -> Finding:
        return Finding(code=self.code, message=f"the rule {self.id!r} {what}")


def expression_tokens(source: str) -> Iterator[str]:
    """The tokens of an expression; a string literal is one, white space and comments none."""
    for match in _TOKEN.finditer(source):
        if match.lastgroup != "skip":
            yield match.group()


def _is_call(tokens: list[str], at: int, name: str) -> bool:
    return tokens[at] == name and tokens[at + 1 : at + 2] == ["("]


def _rewritten(source: str) -> str:
    """*source* with calls of `size` as calls of ours."""
    pieces: list[str] = []
    matches = list(_TOKEN.finditer(source))
    for at, match in enumerate(matches):
        text = match.group()
        after = next((m.group() for m in matches[at + 1 :] if m.lastgroup != "skip"), "")
        is_size = match.lastgroup == "name" and text == _SIZE and after == "("
        pieces.append(_OUR_SIZE if is_size else text)
    return "".join(pieces)


def _macro_variables(tokens: list[str]) -> set[str]:
    """Those that macros such as `exists(i, …)` bind."""
    return {
        tokens[at + 2]
        for at in range(len(tokens) - 3)
        if tokens[at] in MACROS and tokens[at + 1] == "(" and tokens[at + 3] == ","
    }


def _mentioned_fields(tokens: list[str], root: str) -> _Fields | None:
    """The fields of *root* that the expression selects by name; None if it does more."""
    fields: dict[str, frozenset[str] | None] = {}
    for at, token in enumerate(tokens):
        if token != root or tokens[at - 1 : at] == ["."]:
            continue
        dot, name, after = _next_field(tokens, at)
        if dot != "." or not name.isidentifier() or after == "(":
            return None
        items = _of_items(tokens, at + 3)
        known = fields.get(name, items)
        fields[name] = None if known is None or items is None else known | items
    return fields


def _of_items(tokens: list[str], at: int) -> frozenset[str] | None:
    """The fields that `.exists(i, …)` at *at* selects of each item; None if it does more."""
    dot, macro, bracket = _next_field(tokens, at - 1)
    variable, comma, _ = _next_field(tokens, at + 2)
    if dot != "." or macro not in _ASKING or bracket != "(" or comma != ",":
        return None
    fields: set[str] = set()
    depth = 1
    for place in range(at + 5, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[place], 0)
        if depth == 0:
            return frozenset(fields)
        if tokens[place] == variable and tokens[place - 1] != ".":
            dot, name, after = _next_field(tokens, place)
            if dot != "." or not name.isidentifier() or after == "(":
                return None
            fields.add(name)
    return None


def _next_field(tokens: list[str], at: int) -> tuple[str, str, str]:
    first, second, third = [*tokens[at + 1 : at + 4], "", "", ""][:3]
    return first, second, third


def _handed_value(value: Any, fields: _Fields | None) -> Any:
    """*value* without what the expression does not look at."""
    if fields is None or not isinstance(value, Mapping):
        return value
    return {
        name: value[name] if items is None else _items(value[name], items)
        for name, items in fields.items()
        if name in value
    }


def _items(value: Any, fields: frozenset[str]) -> Any:
    if value.__class__ is not list:
        return value
    return [
        {name: item[name] for name in fields if name in item} if item.__class__ is dict else item
        for item in value
    ]


def _size(value: Any) -> int:
    if isinstance(value, str | bytes | list | tuple | dict):
        return len(value)
    raise TypeError("size of what has none")


def _first_line(error: ValueError) -> str:
    return str(error).partition("\n")[0]
