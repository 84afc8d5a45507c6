"""What one model of one server takes, as far as it has refused, and what to send instead.

In      Offer: what a request could carry; Refusal: what the server would not take of it
Out     Taken: what is still sent, shared by all requests of a model; Exchange: one request
Pure    yes; Memory and Exchange hold the latest value, and nothing is awaited between
Spec    interfaces.md, "Models" (output modes, parameters that a model refuses)

What is known only grows: names that are refused, and how far down the ladder of output modes the
model is. So requests in flight may learn at the same time, in any order, with the same end.

What a refusal names is remembered at once. What it does not name is remembered only when the
changed request went through: else the fault was the input's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal

from assay.errors import UsageError

Rung = Literal["strict", "schema", "json", "text"]
RUNGS: Final[tuple[Rung, ...]] = ("strict", "schema", "json", "text")
"""How a model is held to the form of its reply, from the closest: by the schema in the provider's
strict subset, by the schema, to JSON of whatever form, by the prompt alone."""

About = Literal["parameter", "output", "schema", "reply", "unnamed"]

MODE_SETTING: Final = "ASSAY_OUTPUT_MODE"
VARIABLES: Final = {
    MODE_SETTING: "How a provider is asked to hold its model to the contract: `auto`, the default, "
    "sends the schema and steps down to `json` and `text` where it is refused; `schema`, `json` "
    "and `text` send that alone, and a refusal ends the run with 40. The gate judges all the same.",
}
"""What is read from the environment here, for the page on settings."""

MAX_REFUSALS: Final = 10
"""Of one exchange: every optional parameter once, the limit once, the ladder once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What a server would not take."""

    parameter: str
    """By its name in the request; empty when the server names none."""

    code: str
    """The provider's own."""

    about: About
    """`output`: the mode, whatever the schema. `schema`: this schema in this mode. `reply`: the
    model failed to write in the form that it was held to, this time. `unnamed`: it is not said."""

    def to_dict(self) -> dict[str, str]:
        return {"parameter": self.parameter, "code": self.code}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What a request carries as long as nothing of it is refused."""

    rungs: tuple[Rung, ...] = ("text",)
    """What the API has for this reply, from the closest; one alone is never left."""

    schema_sha256: str = ""
    """Digest of the schema that the reply is held to; empty for plain text."""

    carriers: frozenset[str] = frozenset()
    """Names of the request under which the output mode travels (`response_format`)."""

    optional: tuple[str, ...] = ()
    """Names that can be left out (`temperature`), of those that the request has."""

    limits: tuple[str, ...] = ("max_tokens",)
    """Names for the limit of the reply, the one to begin with first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What a model is known to refuse. Knowledge is joined, never taken back."""

    refused: frozenset[str] = frozenset()
    """Names of parameters."""

    level: int = 0
    """The first of RUNGS that is not refused for every schema."""

    levels: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """The same for one schema, by its digest."""

    def join(self, other: Taken) -> Taken:
        """What either knows."""
        digests = {**self.levels, **other.levels}
        return Taken(
            refused=self.refused | other.refused,
            level=max(self.level, other.level),
            levels=MappingProxyType(
                {each: max(self.levels.get(each, 0), other.levels.get(each, 0)) for each in digests}
            ),
        )

    def rung(self, offer: Offer) -> Rung:
        """How the model is held to the form of this reply."""
        level = max(self.level, self.levels.get(offer.schema_sha256, 0))
        return next((each for each in offer.rungs if RUNGS.index(each) >= level), offer.rungs[-1])

    def limit(self, offer: Offer) -> str:
        """The name of the limit: the first that is not refused."""
        return next((name for name in offer.limits if name not in self.refused), offer.limits[0])

    def takes(self, name: str) -> bool:
        """Whether the optional parameter *name* is sent."""
        return name not in self.refused


def step(taken: Taken, refusal: Refusal, offer: Offer) -> Taken | None:
    """What is known after *refusal* of a request made from *offer* with *taken*.

    Returns:
        More than *taken*, so that the next request differs; None when nothing can be changed.
    """
    if refusal.about != "parameter":
        return _step_down(taken, refusal, offer)
    name = refusal.parameter
    if name in taken.refused:
        return None
    if name in offer.optional or (
        name == taken.limit(offer) and set(offer.limits) - taken.refused - {name}
    ):
        return replace(taken, refused=taken.refused | {name})
    return None


def _step_down(taken: Taken, refusal: Refusal, offer: Offer) -> Taken | None:
    rung = taken.rung(offer)
    lower = offer.rungs[offer.rungs.index(rung) + 1 :]
    if rung == "strict" and refusal.about in ("output", "unnamed"):
        # It is not the subset that is refused: without `strict` it is still a schema.
        lower = tuple(each for each in lower if each != "schema")
    if not lower:
        return None
    level = RUNGS.index(lower[0])
    if refusal.about in ("output", "unnamed"):
        return replace(taken, level=max(taken.level, level))
    levels = MappingProxyType({**taken.levels, offer.schema_sha256: level})
    return replace(taken, levels=levels)


def _lesson(refusal: Refusal, changed: Taken, offer: Offer) -> Taken:
    """What *refusal* says of requests to come, whether or not the changed one goes through."""
    if refusal.about == "parameter":
        return Taken(refused=frozenset({refusal.parameter}))
    if refusal.about == "output":
        return Taken(level=changed.level)
    if refusal.about == "schema":
        digest = offer.schema_sha256
        return Taken(levels=MappingProxyType({digest: changed.levels[digest]}))
    return Taken()


class Memory:
    """What one model of one server takes, for as long as the model is open."""

    def __init__(self) -> None:
        self.taken = Taken()

    def learn(self, more: Taken) -> None:
        self.taken = self.taken.join(more)


class Exchange:
    """One request, sent again with something changed for as long as that helps.

    What a request is made of is read from `taken`; a refusal goes to `step`; a reply to `settle`.
    """

    def __init__(self, memory: Memory, offer: Offer) -> None:
        self._memory = memory
        self.offer = offer
        self.taken = memory.taken
        self._refusals: list[Refusal] = []

    @property
    def rung(self) -> Rung:
        return self.taken.rung(self.offer)

    @property
    def limit(self) -> str:
        return self.taken.limit(self.offer)

    def takes(self, name: str) -> bool:
        """Whether the optional parameter *name* is sent."""
        return self.taken.takes(name)

    def step(self, refusal: Refusal) -> bool:
        """Whether there is something else to send; `taken` is then what the server may take."""
        changed = step(self.taken, refusal, self.offer)
        if changed is None or len(self._refusals) >= MAX_REFUSALS:
            return False
        self._refusals.append(refusal)
        self.taken = changed
        self._memory.learn(_lesson(refusal, changed, self.offer))
        return True

    def settle(self) -> None:
        """The request went through: what no refusal named was rightly guessed."""
        if any(each.about == "reply" for each in self._refusals):
            return  # the model failed at this reply; the next may do
        self._memory.learn(self.taken)

    def facts(self) -> dict[str, Any]:
        """For the record of the reply: what was applied, and what was refused on the way."""
        left_out = [name for name in self.offer.optional if not self.takes(name)]
        limit = self.limit
        facts: dict[str, Any] = {}
        if self.offer.schema_sha256:
            rung = self.rung
            facts["output_mode"] = "schema" if rung == "strict" else rung
            facts["strict"] = rung == "strict"
            if rung in ("strict", "schema"):
                facts["schema_sha256"] = self.offer.schema_sha256
        if left_out:
            facts["not_applied"] = left_out
        if limit != self.offer.limits[0]:
            facts["renamed"] = {self.offer.limits[0]: limit}
        if self._refusals:
            facts["refused"] = [each.to_dict() for each in self._refusals]
        return facts


def offered_rungs(mode: str, have: tuple[Rung, ...]) -> tuple[Rung, ...]:
    """The rungs of an API that the setting allows; a fixed mode is one that is never left.

    A mode that the API lacks is the next one down that it has.
    """
    if mode == "auto":
        return have
    start = {"schema": 0, "json": 2, "text": 3}[mode]
    return (next((each for each in have if RUNGS.index(each) >= start), have[-1]),)


def output_mode(environ: Mapping[str, str]) -> str:
    """`ASSAY_OUTPUT_MODE`, `auto` by default. Raises UsageError for what is no mode."""
    mode = environ.get(MODE_SETTING) or "auto"
    if mode not in ("auto", "schema", "json", "text"):
        raise UsageError(
            f"the setting {MODE_SETTING} is not valid",
            hint=f"{MODE_SETTING} is auto, schema, json or text",
        )
    return mode
