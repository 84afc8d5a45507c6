"""What all calls of one runtime share, one input of a call, and what became of it.

In      nothing
Out     RuntimeContext, Item, Settled
Pure    values only; the store and the model in a context have effects
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from assay.contract.job import Weighed
from assay.contract.material import Material
from assay.contract.outcome import Outcome
from assay.contract.shortened import Shortened
from assay.core.json.canonical import canonical, digest_json
from assay.errors import InputError, UsageError
from assay.pack.pack import Pack
from assay.protocols import Clock, Model, Proofs, SessionRow, Sessions, Store, Write
from assay.record.event import EventDraft
from assay.redaction.redactor import Redactor
from assay.runtime.calls.departure import Departures
from assay.runtime.calls.key_lock import KeyLocks
from assay.runtime.calls.pace import Pace
from assay.runtime.calls.patience import RetryPolicy
from assay.runtime.costs.cost import Price
from assay.runtime.costs.price_list import NO_PRICES, PriceList
from assay.runtime.templates.registry import Registry
from assay.sources.reading import UnreadPart


def no_pack(name: str) -> Pack:
    """No pack is at hand. Raises InputError."""
    raise InputError(f"pack {name!r} is not at hand", hint="hand it in")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """How far a reply has arrived."""

    contract: str
    """`PACK/NAME`."""

    attempt: int
    """From 1."""

    tries: int = 0
    """Replies that began for this attempt; more than one after faults on the way."""

    chars: int = 0
    """Code points so far."""

    unjudged: str = ""
    """What has just arrived, judged by nobody yet; only where a pack says `show: unjudged`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Who is told while replies arrive."""

    hear: Callable[[Heard], None]
    """Called for every piece; it must be quick."""

    unjudged: bool = False
    """Whether it is told the text as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeContext:
    """What all calls of one runtime share."""

    store: Store
    model: Model
    clock: Clock
    redactor: Redactor
    retry: RetryPolicy
    jitter: Callable[[], float]
    """A number from 0 up to 1 for the back-off; injected so that tests can fix it."""

    new_id: Callable[[], str]
    owner: str
    """Names this process on the calls that it makes."""

    temperature: float | None
    """Of the first attempt, "configured for the environment"; None leaves it out of all."""

    keep_inputs: bool
    """Source texts are stored for replay and review: only when they are encrypted at rest."""

    library: str
    """Version of this library, put on record beside what it judges."""

    effort: str | None = None
    """How long a reasoning model may think; None leaves it to the model."""

    prices: PriceList = NO_PRICES
    """What models cost, as far as it is known."""

    progress: Progress | None = None
    """Is told while replies arrive; None asks for no stream on its behalf."""

    find_pack: Callable[[str], Pack] = no_pack
    """The bundled pack of a name; for recorded calls, where no other is handed in."""

    registry: Registry | None = None
    """Decides which version of a template renders; None takes those of the packs as they are."""

    sessions: Sessions | None = None
    """Where conversations are read; None has none."""

    proofs: Proofs | None = None
    """What checkpoints and receipts are made from; None has none."""

    pace: Pace = field(default_factory=Pace)
    """How fast the model's provider lets all these calls through."""

    key_locks: KeyLocks = field(default_factory=KeyLocks)
    """Tasks that make the very same call take turns: the second finds the first one's outcome."""

    departures: Departures | None = None
    """Of a process that lives on when a call fails; None where it ends with it."""

    @property
    def record(self) -> Proofs:
        """The proving side of the store. Raises UsageError when there is none."""
        if self.proofs is None:
            raise UsageError("this store proves nothing to strangers")
        return self.proofs

    @property
    def price(self) -> Price | None:
        """What the model costs as it was asked for; None where that is not known."""
        return self.prices.find(self.model.name, self.model.identity)

    @property
    def model_digest(self) -> str:
        """What exactly answers: the name and the facts that fix it."""
        return digest_json({"name": self.model.name, "identity": dict(self.model.identity)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One input, ready to be put into prompts."""

    name: str
    """For people: the file name as given."""

    digest: str
    """Over the bytes of the input."""

    subject: str
    """Pseudonym of whom it is about; what `audit erase` takes."""

    material: Material
    notes: tuple[dict[str, str], ...] = ()
    """What reading it had to put up with: charsets claimed, parts left out."""

    unread: tuple[UnreadPart, ...] = ()
    """Parts of it that gave no text, or not all of theirs."""

    def material_bytes(self) -> bytes:
        """The material as canonical JSON: what a resumed or replayed call must find again."""
        return canonical(self.material.to_dict())


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What became of one call."""

    call: str
    contract: str
    outcome: Outcome
    result: dict[str, Any] | None
    attempts: int
    reused: bool = False
    """It was settled before; no model was asked this time."""

    erased: bool = False
    """It was settled before, and what it said has been erased since."""

    weighed: Weighed | None = None
    """Of the last attempt; None when reused or when no reply was weighed."""

    detail: str | None = None
    """One sentence on why it ended so, without personal data; None when accepted."""

    shortened: Shortened | None = None
    """What its accepted attempt did not show the model; None without one, or when nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequences:
    """What a person's decision sets in motion, beside being recorded."""

    events: tuple[EventDraft, ...] = ()
    writes: tuple[Write, ...] = ()
    session: SessionRow | None = None
    """Where a session stands afterwards, when one is moved on."""


NO_CONSEQUENCES: Final = Consequences()

Writes = Callable[[Settled], tuple[tuple[EventDraft, ...], tuple[Write, ...]]]
"""What else the settling transaction does: more events, more rows."""


def no_writes(settled: Settled) -> tuple[tuple[EventDraft, ...], tuple[Write, ...]]:  # noqa: ARG001
    """Nothing beside the outcome."""
    return (), ()
