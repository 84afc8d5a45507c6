"""The Python within a class: which functions read a value, what they say, what they are.

In      a pydantic class
Out     ClassCode: whether there is any, a digest of each piece, the fixed texts of its messages
Pure    yes; the source text of a function is read as Python keeps it
Spec    007-C4, 007-C5
"""

from __future__ import annotations

import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final

from pydantic import BaseModel

from assay.core.json.canonical import digest, digest_json
from assay.errors import ContractClassError

_SKIPPED: Final = frozenset({"serialization", "metadata", "cls", "schema_ref", "type", "config"})
"""Keys of pydantic's own description of a class under which nothing reads a value."""

_CONSENTS: Final = frozenset({"PydanticOmit", "PydanticUseDefault"})
"""Exceptions that lead to an instance."""

_NOT_A_USERS: Final = ("pydantic", "assay.contract.classes.markers")

_FUNCTIONS: Final = ("function", "default_factory", "discriminator")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCode:
    """What of a class is Python and not schema."""

    digests: tuple[str, ...]
    """One for each function that reads a value, in pydantic's order."""

    texts: frozenset[str]
    """Strings that stand in the functions themselves: messages that cannot quote a reply."""

    @property
    def is_any(self) -> bool:
        """Whether the schema is not all that decides."""
        return bool(self.digests)


def code_of(model: type[BaseModel]) -> ClassCode:
    """The functions of *model* and of every class within it."""
    functions = list(dict.fromkeys(_functions(model.__pydantic_core_schema__)))
    _refuse_silence(model, functions)
    texts: set[str] = set()
    for function in functions:
        code = getattr(function, "__code__", None)
        if code is not None:
            texts.update(_strings(code))
    return ClassCode(digests=tuple(dict.fromkeys(map(_digest, functions))), texts=frozenset(texts))


def _refuse_silence(model: type[BaseModel], functions: list[Callable[..., Any]]) -> None:
    """Code that would let a value pass without having looked at it.

    Raises:
        ContractClassError: a validator is a coroutine, which pydantic never runs, or leaves a value
            out, or takes a default for it, by an exception that pydantic takes for consent.
    """
    for function in functions:
        name = getattr(function, "__qualname__", type(function).__name__)
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            raise ContractClassError(
                f"class {model.__name__!r} has a validator that is never run: {name} is async",
                hint="make it a plain function",
            )
        code = getattr(function, "__code__", None)
        for word in () if code is None else _names(code):
            if word in _CONSENTS:
                raise ContractClassError(
                    f"class {model.__name__!r} has a validator that raises {word}: {name}",
                    hint="raise ValueError: what is left out, or replaced, is not judged",
                )


def _functions(node: Any) -> Iterator[Callable[..., Any]]:
    if isinstance(node, list | tuple):
        for each in node:
            yield from _functions(each)
    elif isinstance(node, Mapping):
        cls = node.get("cls")
        if node.get("custom_init") and inspect.isclass(cls):
            yield from _own(cls.__init__)
        if node.get("post_init") and inspect.isclass(cls):
            named = node["post_init"]  # a dataclass says only that there is one
            yield from _own(getattr(cls, named if isinstance(named, str) else "__post_init__"))
        for key, value in node.items():
            if key in _FUNCTIONS and callable(value):
                yield from _own(value)
            elif key not in _SKIPPED:
                yield from _functions(value)


def _own(function: Any) -> Iterator[Callable[..., Any]]:
    """*function* itself, without what wraps it; nothing for pydantic's own."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__func__"):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    if not str(getattr(function, "__module__", "")).startswith(_NOT_A_USERS):
        yield function


def _digest(function: Callable[..., Any]) -> str:
    """Over the source text; over the compiled code and Python's version where there is none."""
    name = getattr(function, "__qualname__", type(function).__name__)
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        compiled = None if code is None else _code_facts(code)
        return digest_json([name, list(sys.version_info[:2]), compiled])
    return digest(source)


def _code_facts(code: CodeType) -> list[Any]:
    inner = [
        _code_facts(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts
    ]
    return [code.co_code.hex(), list(code.co_names), inner]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)


def _strings(code: CodeType) -> Iterator[str]:
    for each in code.co_consts:
        if isinstance(each, str):
            yield each
        elif isinstance(each, CodeType):
            yield from _strings(each)
