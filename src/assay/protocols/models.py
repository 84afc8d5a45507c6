"""What answers a prompt, and what is said to it.

In      values of the pure core
Out     Model: one exchange as a request, a reply or a fault; ModelProvider: what opens it;
        Availability: whether it can be asked here
Pure    declarations only
Spec    interfaces.md, "Models"; 004 R3
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from assay.contract.decoding.plan import DecodingPlan
from assay.contract.decoding.wire_schema import WireSchema
from assay.templates.template import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """What a model is told beside the prompt. Part of the record and of the recorded key."""

    temperature: float | None
    """0.0 asks for the most likely answer; None leaves it to the model."""

    max_output_tokens: int
    """Upper limit of the answer, in model tokens; always 1 or more."""

    seed: int | None = None
    """Handed on where the provider knows a seed."""

    effort: str | None = None
    """How long a reasoning model may think, in the provider's own word (`low`); None leaves it to
    the model."""

    def to_dict(self) -> dict[str, Any]:
        """As recorded; an effort stands there only when one was asked for."""
        return {
            "temperature": self.temperature,
            "max_output_tokens": self.max_output_tokens,
            "seed": self.seed,
            **({} if self.effort is None else {"effort": self.effort}),
        }


class Listener(Protocol):
    """Hears a reply while it arrives. It reads along and says when to stop; it edits nothing."""

    def begin(self) -> None:
        """A reply begins; what was heard before belonged to a try that failed."""
        ...

    def hear(self, piece: str) -> bool:
        """Told each *piece* as it comes; True: nothing that could follow makes it acceptable.

        Whoever streams then ends the exchange and hands on what came, byte for byte, with the
        finish reason `assay_stopped`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One exchange as it is sent; equal bytes for every retry (004 R3)."""

    prompt: str
    """The whole prompt; what is sent is its UTF-8."""

    prompt_sha256: str
    """Digest of these bytes."""

    parameters: Parameters

    plan: DecodingPlan | None = None
    """For models that decode under constraints (`embedded`) or that are no language model
    (`extractive`). Derived from contract and input alone, so it adds nothing to the prompt."""

    prefix_chars: int = 0
    """How many leading code points are the same for every call: cacheable where supported."""

    parts: tuple[Part, ...] = ()
    """Which slices of the prompt go out in which role; none is one user message."""

    schema: WireSchema | None = None
    """What the reply must be, for a provider that holds its model to it; None for plain text."""

    listener: Listener | None = None
    """Hears the reply where it is read as a stream; None asks for no stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What came back, untouched."""

    text: str | bytes
    finish_reason: str | None
    input_tokens: int | None = None
    output_tokens: int | None = None
    model: str = ""
    """The name the provider itself reported, where it did."""

    details: Mapping[str, Any] = field(default_factory=dict)
    """JSON facts for the record: cache mode, weights digest, request id."""


class ModelFault(Exception):  # noqa: N818 - a fault is weighed by the execution wrapper, not shown
    """A reply did not come. `transient` faults are retried with the same bytes.

    `too_large` stays with the input; `bad_request` and `crash` do so once the model has answered
    another; all else is no fault of the input and ends the run. `code` and `parameter` are the
    provider's own words. An `unfit` model never answers such a request, whenever it is asked.
    """

    def __init__(
        self,
        kind: Literal[
            "timeout",
            "rate_limit",
            "server",
            "auth",
            "setup",
            "exhausted",
            "too_large",
            "bad_request",
            "crash",
        ],
        *,
        transient: bool,
        retry_after_s: float | None = None,
        hint: str = "",
        code: str = "",
        parameter: str = "",
        unfit: bool = False,
    ) -> None:
        super().__init__(kind)
        self.kind = kind
        self.transient = transient
        self.retry_after_s = retry_after_s
        self.hint = hint
        self.code = code
        self.parameter = parameter
        self.unfit = unfit


class Model(Protocol):
    """Something that answers a prompt."""

    @property
    def name(self) -> str:
        """`provider:name`, as given to `--model`."""
        ...

    @property
    def identity(self) -> Mapping[str, Any]:
        """JSON facts that fix what answers: weights digest, kind, library version."""
        ...

    @property
    def needs_plan(self) -> bool:
        """Does it read `ModelRequest.plan`? Deriving one takes time that others need not spend."""
        ...

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Send *request* once. Raises ModelFault; never retries, never edits."""
        ...

    async def aclose(self) -> None:
        """Release processes and connections."""
        ...


def is_over_network(model: Model) -> bool:
    """Does *model* wait for a network, so that several exchanges at once cost this machine little?

    It says so by an attribute `network`; without one it answers in this process.
    """
    return getattr(model, "network", False) is True


def can_converse(model: Model) -> bool:
    """Can *model* hold a conversation, so that it says something of its own to every message?

    One that cannot says so by an attribute `converses` that is False.
    """
    return getattr(model, "converses", True) is not False


LAST_PLACE = 99


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """What a provider says of itself before anything is asked. Never a secret."""

    usable: bool
    why: str = ""
    """One sentence: what will answer, or what is missing."""

    hint: str = ""
    """What to do about what is missing."""

    host: str = ""
    """Who is asked, where a network is; without a password."""

    names: tuple[str, ...] = ()
    """Names behind the colon that can be asked here, where the provider knows any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProvider:
    """What an entry point of the group `assay.models` names: how a provider opens its models.

    A bare callable like `open` will do in its stead.
    """

    open: Callable[..., Model]
    """`(name, *, environ) -> Model`: *name* is what follows `PROVIDER:`, *environ* holds addresses
    and keys. Raises UsageError, InputError, or ModelUnavailableError for a missing package."""

    usage: str | None = None
    """How it is written: `openai:NAME`; without a colon it takes no name, `embedded[:FILE.gguf]`
    takes one or none. None: as you like."""

    extra: str | None = None
    """The extra of `assay` that it needs: `pip install "assay[EXTRA]"`."""

    needs_key: str | None = None
    """The setting that holds its key."""

    look: Callable[[Mapping[str, str]], Availability] | None = None
    """Says whether it can be asked here, from its settings and packages alone: nothing is sent.
    None: it says nothing about itself."""

    list_names: Callable[[Mapping[str, str]], Sequence[str]] | None = None
    """Asks its server which models there are. Raises ModelUnavailableError, or
    NotFoundError where it has no list and can be asked all the same."""

    place: int = LAST_PLACE
    """Where a list of providers shows it: lower ones first, equal ones by name."""
