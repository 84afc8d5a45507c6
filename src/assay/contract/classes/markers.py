"""What a field of a class says beyond its type: that it quotes a source, that it is a label.

In      `Annotated[str, Quote("body")]`, `Annotated[str, Label("topics")]`
Out     keywords of the class's JSON Schema (`assay.gate.marked` holds an output to them), and a
        question that the class itself asks of what it reads
Pure    yes
Spec    007-C2; interfaces.md, "Python"

A marker is held twice. In the schema it travels with aliases, lists and unions, gives places and
spans, and needs no class. In the class it is asked of the value that is made, so that a way of a
union whose quote does not hold is no way, and no other name or door leads past it. Whoever makes an
instance by himself is asked nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from assay.errors import ContractClassError, UsageError
from assay.gate.marked import LABELS, QUOTE

HOLDS: Final = "assay.holds"
"""Key of the context of a validation: whether a text is what a marker asks for."""

UNMET: Final = "assay_marker"
"""Type of the error of a marker that does not hold."""

Holds = Callable[[str, str, Any], bool]
"""(keyword, text, what the marker names) -> whether it holds."""


class _Marker(ABC):
    """What both markers do with a schema of pydantic."""

    __slots__ = ()

    @property
    @abstractmethod
    def keyword(self) -> str:
        """Of the schema."""

    @property
    @abstractmethod
    def named(self) -> Any:
        """What stands under the keyword."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any = None) -> CoreSchema:
        if handler is None:  # asked of the class: nobody has called it
            raise UsageError(
                "a marker is not called", hint='write Annotated[str, Quote("body")], or Quote()'
            )
        return core_schema.with_info_after_validator_function(self.ask, handler(source))

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        found = dict(handler(core))
        if self.keyword in found:
            raise ContractClassError(
                f"two markers {type(self).__name__} stand on one text",
                hint='name both in one, as in Quote("subject", "body")',
            )
        return {**found, self.keyword: self.named}

    def ask(self, value: Any, info: core_schema.ValidationInfo) -> Any:
        """*value* as it is; where the gate asks and it does not hold, an error."""
        holds = info.context.get(HOLDS) if isinstance(info.context, Mapping) else None
        if holds is None or not isinstance(value, str) or holds(self.keyword, value, self.named):
            return value
        raise PydanticCustomError(
            UNMET, "is not what its marker asks for", {"keyword": self.keyword}
        )


@dataclass(frozen=True, slots=True, init=False)
class Quote(_Marker):
    """The text must stand, word for word, in a source.

    Example:
        >>> Quote("subject", "body").sources
        ('subject', 'body')
    """

    sources: tuple[str, ...]
    """Names of the sources in one of which it stands; empty means any."""

    def __init__(self, *sources: str) -> None:
        for source in sources:
            if not isinstance(source, str) or not source:
                raise UsageError(
                    "Quote takes the names of sources", hint='write Quote("body"), or Quote()'
                )
        object.__setattr__(self, "sources", sources)

    @property
    def keyword(self) -> str:
        return QUOTE

    @property
    def named(self) -> list[str]:
        return list(self.sources)


@dataclass(frozen=True, slots=True, init=False)
class Label(_Marker):
    """The text must be a label of a set that is given at run time.

    Example:
        >>> Label("topics").set
        'topics'
    """

    set: str
    """What `labels={SET: …}` calls the set."""

    def __init__(self, set: str) -> None:
        if not isinstance(set, str) or not set:
            raise UsageError("Label takes the name of a set", hint='write Label("topics")')
        object.__setattr__(self, "set", set)

    @property
    def keyword(self) -> str:
        return LABELS

    @property
    def named(self) -> str:
        return self.set
