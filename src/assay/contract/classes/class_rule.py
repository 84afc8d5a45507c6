"""Have a class read what fits its schema: its validators are asked, and its value is made.

In      ClassRule; an output that fits the schema
Out     the instance; else rule.failed for a validator, schema.class for what pydantic cannot read
Pure    as pure as the class; asked within a deadline where it holds code
Spec    007-C4; interfaces.md, "Python"

A validator that raises, whatever it raises, is a finding, and so is one that never ends. What it
says is told only where the text stands in its own code: any other may quote the reply.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core.core_schema import ErrorType

from assay.contract.classes.code import ClassCode
from assay.contract.classes.markers import HOLDS, UNMET
from assay.core.json.pointer import escape
from assay.gate.deadline import PATIENCE_S, ask_within
from assay.gate.gate import GateContext
from assay.gate.marked import QUOTE, MarkedPlaces, MarkedTexts
from assay.gate.verdict import Finding, Reading

_VALIDATORS: Final = frozenset({"value_error", "assertion_error"})
"""Types of errors that a validator raises by itself."""

_OWN: Final = frozenset(get_args(ErrorType)) - _VALIDATORS
"""Types of errors that pydantic finds without asking a validator."""

_PREFIXES: Final = ("Value error, ", "Assertion failed, ")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassRule:
    """The class can read the output."""

    model: type[BaseModel]
    code: ClassCode
    marked: MarkedPlaces
    """What holds its markers by its schema; what that has found is not told twice."""

    patience_s: float = field(default=PATIENCE_S, compare=False)

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterator[Finding | Reading]:
        """The instance that the class makes of *output*, or why it makes none."""
        seen = {
            "sources": {view.name: view.text for view in context.shown},
            "state": context.state,
            "input": context.input,
            HOLDS: MarkedTexts(context.shown, self.marked.label_sets).holds,
        }
        name = self.model.__name__
        try:
            read = self.read(output, seen)
        except TimeoutError:
            message = f"a validator of {name!r} did not end within its time"
            yield Finding(code="rule.failed", message=message)
            return
        if isinstance(read, ValidationError):
            yield from self._findings(read, output, context)
        elif not isinstance(read, BaseException | self.model):
            message = f"a validator of {name!r} made something else of it"
            yield Finding(code="rule.failed", message=message)
        elif isinstance(read, BaseException):
            message = f"a validator of {name!r} failed itself ({_kind(read)})"
            yield Finding(code="rule.failed", message=message)
        else:
            yield Reading(read)

    def read(self, output: Mapping[str, Any], seen: Mapping[str, Any]) -> BaseModel | BaseException:
        """The instance, or what was raised instead.

        It is made of the output as it stands on record, not of its bytes.

        Raises:
            TimeoutError: a validator did not end.
        """
        text = json.dumps(output)

        def read() -> BaseModel:
            return self.model.model_validate_json(
                text, strict=True, context=dict(seen), by_alias=True, by_name=False
            )

        if self.code.is_any:
            return ask_within(self.patience_s, read)
        try:
            return read()
        except Exception as error:
            return error

    def _findings(
        self, error: ValidationError, output: dict[str, Any], context: GateContext
    ) -> Iterator[Finding]:
        faults = error.errors(include_url=False, include_input=False)
        told: set[str] = set()
        if any(fault["type"] == UNMET for fault in faults):
            by_schema = self.marked(output, context)
            told = {each.path for each in by_schema if isinstance(each, Finding)}
        for fault in faults:
            of_validator = fault["type"] != UNMET and fault["type"] not in _OWN
            if of_validator or _pointer(fault["loc"], output) not in told:
                yield self._finding(fault, output)

    def _finding(self, fault: Any, output: dict[str, Any]) -> Finding:
        kind = fault["type"]
        path = _pointer(fault["loc"], output)
        if kind == UNMET:
            return Finding(
                code="evidence.not_found" if fault["ctx"]["keyword"] == QUOTE else "label.unknown",
                path=path,
                message="what the class reads here is not what its marker asks for",
            )
        if kind in _OWN:
            return Finding(
                code="schema.class",
                path=path,
                message=f"the class {self.model.__name__!r} cannot read it ({kind})",
            )
        said = str(fault["msg"])
        for prefix in _PREFIXES:
            said = said.removeprefix(prefix)
        if said not in self.code.texts:
            said = f"a validator of {self.model.__name__!r} refused it"
        return Finding(code="rule.failed", path=path, message=said)


def _kind(error: BaseException) -> str:
    name = type(error).__name__
    return name if type(error).__module__ == "builtins" else "an error of its own"


def _pointer(loc: tuple[int | str, ...], output: Any) -> str:
    """The place in the output; steps that name no key or index (ways of a union) lead nowhere."""
    node, at = output, ""
    for step in loc:
        if isinstance(node, dict) and step in node:
            node, at = node[str(step)], f"{at}/{escape(str(step))}"
        elif isinstance(node, list) and isinstance(step, int) and 0 <= step < len(node):
            node, at = node[step], f"{at}/{step}"
    return at
