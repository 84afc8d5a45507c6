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

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from assay.errors import InputError
from assay.gate.gate import GateContext
from assay.gate.handed import Fields, handed_value, mentioned_fields
from assay.gate.macros import (
    HELD,
    MAX_WORK,
    CostError,
    Pieces,
    depth_of_macros,
    repeated_paths,
    size_of,
)
from assay.gate.tokens import MACROS, TOKEN, expression_tokens
from assay.gate.verdict import Finding, Severity

if TYPE_CHECKING:
    import cel

ROOTS = ("output", "state", "input")
"""The variables that a rule may use."""

_SIZE = "size"
_OUR_SIZE = "size_in_code_points"

_SMALL = 64
"""What may be copied for every item of a list without a thought."""


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
    _fields: Mapping[str, Fields | None] = field(repr=False, compare=False)
    """Variable -> the fields of it that are mentioned; None is all of it."""

    _functions: Mapping[str, Any] = field(repr=False, compare=False)
    _pieces: Pieces = field(repr=False, compare=False)
    _depth: int = field(repr=False, compare=False)
    """How many macros stand within each other."""

    _repeated: tuple[tuple[str, ...], ...] | None = field(repr=False, compare=False)
    """What is mentioned once for every item; None where more is done with each."""

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

        tokens = expression_tokens(assert_text)
        uses_size = any(_is_call(tokens, at, _SIZE) for at in range(len(tokens)))
        if any(token == _OUR_SIZE or token.startswith(HELD) for token in tokens):
            raise InputError(f"rule {id!r} uses a reserved name ({_OUR_SIZE!r}, {HELD!r})")
        source = _rewritten(assert_text) if uses_size else assert_text
        try:
            program = cel.compile(source)
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
        used = {root: mentioned_fields(tokens, root) for root in ROOTS if root in tokens}
        return cls(
            id=id,
            code=code or f"rule.{id}",
            assert_text=assert_text,
            severity=severity,
            message=message,
            _program=program,
            _fields=used,
            _functions={_OUR_SIZE: _size} if uses_size else {},
            _pieces=Pieces(source, cel.compile),
            _depth=depth_of_macros(tokens),
            _repeated=repeated_paths(tokens, ROOTS),
        )

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterable[Finding]:
        """One finding unless the assertion is true."""
        try:
            answer = self.evaluate(output, context.state, context.input)
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except CostError:
            return (self._error("costs more than a rule may, so it was not evaluated"),)
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

        The order of the items of a list makes no difference: where an item errs and another
        decides, `exists` and `all` are decided.

        Raises:
            CostError: it would cost more than `MAX_WORK`.
            Exception: whatever the evaluator raises for a missing field, unequal types, ….
        """
        given = {"output": output, "state": state, "input": input}
        variables: dict[str, Any] = dict(self._functions)
        for root, fields in self._fields.items():
            variables[root] = handed_value(given[root], fields)
        if not self._depth:
            return self._program.execute(variables)
        if self._costs_at_most(variables) > MAX_WORK:
            return self._pieces.evaluate(variables)
        try:
            return self._program.execute(variables)
        except Exception:
            return self._pieces.evaluate(variables)

    def _costs_at_most(self, variables: Mapping[str, Any]) -> int:
        """How many values the evaluator would copy, from above."""
        if self._repeated is not None and all(
            _is_small(variables, path) for path in self._repeated
        ):
            return 0  # each item is looked at and nothing is copied for it
        size = size_of({root: variables[root] for root in self._fields})
        return int(size ** (self._depth + 1))

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


def _is_call(tokens: list[str], at: int, name: str) -> bool:
    return tokens[at] == name and tokens[at + 1 : at + 2] == ["("]


def _rewritten(source: str) -> str:
    """*source* with calls of `size` as calls of ours."""
    pieces: list[str] = []
    matches = list(TOKEN.finditer(source))
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


def _is_small(variables: Mapping[str, Any], path: tuple[str, ...]) -> bool:
    found: Any = variables
    for step in path:
        found = found.get(step) if isinstance(found, Mapping) else None
    return not isinstance(found, Mapping | list | tuple) and size_of(found) <= _SMALL


def _size(value: Any) -> int:
    if isinstance(value, str | bytes | list | tuple | dict):
        return len(value)
    raise TypeError("size of what has none")


def _first_line(error: ValueError) -> str:
    return str(error).partition("\n")[0]
