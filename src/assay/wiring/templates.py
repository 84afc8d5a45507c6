"""The registry for callers without an event loop.

In      a Registry, how to wait for a coroutine
Out     Templates, which is a `TemplateSource`
Effects store reads and commits
Spec    interfaces.md, "Python" (`render_role_prompt(…, registry=registry)`)
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from assay.errors import NotFoundError, UsageError
from assay.runtime.replay.backtest import backtest_would_turn
from assay.runtime.runtime import Runtime
from assay.runtime.templates.drift import contexts
from assay.runtime.templates.registry import RUN_KIND, Registry
from assay.runtime.templates.releases import Backtest
from assay.runtime.templates.role_prompt import JobContext, StoredDigests
from assay.templates.template import TemplateVersion
from assay.templates.version import Registered
from assay.wiring.packs import load_pack

Wait = Callable[[Coroutine[Any, Any, Any]], Any]


class Templates:
    """What `render_role_prompt` and `detect_template_drift` read, fresh from the store."""

    def __init__(self, registry: Registry, wait: Wait, *, assignment: str = "") -> None:
        """Use *registry*.

        Args:
            assignment: The session that prompts are made for; it decides about a canary.
        """
        self._registry = registry
        self._wait = wait
        self._assignment = assignment
        self._run: int | None = None

    @property
    def fallback_allowed(self) -> bool:
        return self._registry.governance.fallback

    def for_session(self, assignment: str) -> Templates:
        """The same, for prompts of one session."""
        return Templates(self._registry, self._wait, assignment=assignment)

    def active(self, role: str, name: str) -> TemplateVersion | None:
        """What renders now. Raises as `Registry.effective`."""
        work = self._registry.effective(role, name, run=self._ask, assignment=self._assignment)
        found = self._wait(work)
        return None if found is None else found.template

    def stored_digests(self, role: str, name: str, version: int) -> StoredDigests | None:
        try:
            found = self._wait(self._registry.templates.template(role, name, version))
        except NotFoundError:
            return None
        return StoredDigests(sha256=found.found_sha256, fields_sha256=found.found_fields_sha256)

    def record_event(self, kind: str, facts: Mapping[str, Any]) -> None:
        async def record() -> None:
            await self._registry.record_event(kind, facts, run=await self._ask())

        self._wait(record())

    def contexts(self, call: str) -> tuple[JobContext, ...]:
        """What the record keeps of each prompt of a call."""
        found: tuple[JobContext, ...] = self._wait(contexts(self._registry, call, self))
        return found

    async def _ask(self) -> int:
        """The run that what happens here belongs to; opened when there is something to tell."""
        if self._run is None:
            self._run = await self._registry.store.start_run(RUN_KIND, {"move": "render"})
        return self._run


def backtest_for(runtime: Runtime, pack_name: str | None) -> Backtest:
    """What `promote --require-backtest` asks.

    Raises:
        UsageError: there is no pack to backtest with.
    """
    if pack_name is None:
        raise UsageError("a backtest needs the pack of the calls", hint="give --pack PACK")
    pack = load_pack(pack_name)

    async def count_turned(candidate: Registered, active: Registered | None) -> int:  # noqa: ARG001
        return await backtest_would_turn(runtime.context, pack, candidate.template())

    return count_turned
