"""What a field of a class says beyond its type: that it quotes a source, that it is a label.

In      `Annotated[str, Quote("body")]`, `Annotated[str, Label("topics")]`
Out     keywords of the class's JSON Schema, which `assay.gate.marked` holds an output to
Pure    yes
Spec    007-C2; interfaces.md, "Python"

The markers travel inside the schema, so that aliases, unions, generics and classes within classes
need no rule of their own: wherever pydantic says a value stands, its marker stands, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.errors import UsageError
from assay.gate.marked import LABELS, QUOTE


@dataclass(frozen=True, slots=True, init=False)
class Quote:
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

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {**handler(core), QUOTE: list(self.sources)}


@dataclass(frozen=True, slots=True, init=False)
class Label:
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

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {**handler(core), LABELS: self.set}
