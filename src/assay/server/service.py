"""What every route works with: the runtime, the packs that are served, the work under way.

In      an open Runtime, settings
Out     Service
Effects those of the runtime; tasks that outlive a request whose sender is gone
Spec    interfaces.md, "HTTP"; 009-H1, 009-H7
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from assay.contract.contract import Contract
from assay.errors import NotFoundError
from assay.pack.pack import Pack
from assay.protocols.service import ServiceStore
from assay.runtime.audit.checkpoints import AuditKeys
from assay.runtime.calls.context import Progress
from assay.runtime.calls.file_names import recorded_name
from assay.runtime.runtime import Runtime
from assay.server.answer_places import LatestPlaces
from assay.server.documents import NamedDocuments
from assay.server.kept_figures import FiguresCache
from assay.server.limits import Admission
from assay.server.observe.counters import Metrics
from assay.server.observe.traces import Traces
from assay.server.verification import Verifications
from assay.wiring.packs import redactor_for
from assay.wiring.settings import ServiceSettings

T = TypeVar("T")

_BACKTESTS_AT_ONCE: Final = 2


@dataclass(slots=True, kw_only=True)
class Service:
    """What the routes share. Made once for an application."""

    runtime: Runtime
    kept: ServiceStore
    settings: ServiceSettings
    packs: Mapping[str, Pack]
    documents: NamedDocuments

    keys: AuditKeys
    admission: Admission
    metrics: Metrics
    traces: Traces | None = None
    stopping: bool = False
    verifications: Verifications = field(default_factory=Verifications)
    figures: FiguresCache = field(default_factory=FiguresCache)
    answer_places: LatestPlaces = field(default_factory=LatestPlaces)
    backtests: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(_BACKTESTS_AT_ONCE)
    )
    """Each keeps a thread busy for as long as the record has calls; more of them wait."""

    _runtimes: dict[str, Runtime] = field(default_factory=dict)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    def pack(self, name: str) -> Pack:
        """A pack by its name; no caller reaches a folder of this machine. Raises NotFoundError."""
        return find_served(self.packs, name)

    def contract(self, reference: str) -> Contract:
        """The contract that `PACK/NAME` names."""
        pack_name, slash, name = reference.partition("/")
        if not slash:
            raise NotFoundError("the name is none of a contract", hint="as PACK/NAME")
        return self.pack(pack_name).contract(name)

    def recorded_input(self, name: str | None) -> str | None:
        """An input's name as it was handed in, as the record calls it; None where none is given."""
        return recorded_name(name, self.runtime.context.redactor) if name else None

    def runtime_of(self, pack: Pack, progress: Progress | None = None) -> Runtime:
        """The runtime with the redaction classes of *pack*."""
        known = self._runtimes.get(pack.name)
        if known is None:
            context = replace(self.runtime.context, redactor=redactor_for(pack, self.settings))
            known = self._runtimes[pack.name] = replace(self.runtime, context=context)
        if progress is None:
            return known
        return replace(known, context=replace(known.context, progress=progress))

    async def carry(self, work: Coroutine[Any, Any, T]) -> T:
        """Bring *work* to its end, also when whoever asked for it is gone by then.

        What a model was asked is paid for, and what it says belongs on record.
        """
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def finish(self) -> None:
        """Wait for all that was begun."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))


def find_served(packs: Mapping[str, Pack], name: str) -> Pack:
    """The pack of *packs* with this name.

    Raises:
        NotFoundError: it is not served here.
    """
    found = packs.get(name)
    if found is None:
        raise NotFoundError(
            "no pack of this name is served",
            hint=f"one of {', '.join(sorted(packs))} (ASSAY_SERVE_PACKS)",
        )
    return found
