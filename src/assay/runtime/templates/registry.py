"""The template registry: which version a prompt is made from, read afresh for every call.

In      the store, the versions that packs bring, governance
Out     versions added; Effective: what renders for a role, a name and an assignment
Effects store reads; commits events `template.added`, `template.drift`, `template.refused`
Spec    002-T1 to 002-T6, 002-V1, 002-X1; docs/decisions/0004

A pack's template is added the first time a call needs it, and is active from then on if nothing
of its name and role was ever added. From then on the release decides, not the pack's file. What
must not render raises; nothing here falls back to the file.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from assay.contract.contract import Contract
from assay.contract.contract_job import without_template
from assay.errors import (
    ConflictError,
    IntegrityError,
    NotAllowedError,
    NotFoundError,
    PromptTemplateError,
)
from assay.pack.pack import Pack
from assay.protocols import Changes, Clock, Store, TemplateStore
from assay.record.event import EventDraft
from assay.runtime.templates.cache import BoundContracts
from assay.runtime.templates.policy import (
    Governance,
    addition,
    choose,
    drift_facts,
    reason_payload,
    stamp,
    version_facts,
)
from assay.runtime.templates.role_prompt import refused_facts
from assay.templates.blueprint import check_blueprint
from assay.templates.signing import holds
from assay.templates.template import TemplateVersion
from assay.templates.version import ACTIVE, CANARY, Reference, Registered

Run = int | Callable[[], Awaitable[int]]
"""A run, or how to open one when there is something to tell."""

RUN_KIND = "registry"
"""Kind of the runs that moves in the registry open for themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effective:
    """What renders."""

    template: TemplateVersion
    """The text as it stands in the store now."""

    registered: Registered

    @property
    def release(self) -> str:
        """`active` or `canary`."""
        return self.registered.release.state


class Registry:
    """Template versions in the store. Made by the wiring.

    Holds no state but parsed texts and the names of what was let through.
    """

    def __init__(
        self,
        *,
        store: Store,
        templates: TemplateStore,
        clock: Clock,
        governance: Governance | None = None,
    ) -> None:
        self.store = store
        self.templates = templates
        self.clock = clock
        self.governance = governance or Governance()
        self.bound_contracts = BoundContracts()
        self.rendered_drifted: set[str] = set()
        """`ROLE/NAME@VERSION` of what was let through since, though it was edited."""

    # --- adding and finding -----------------------------------------------------------------

    async def add(
        self, version: TemplateVersion, *, author: str, reason: str = "", pack: str = ""
    ) -> Registered:
        """Keep a version for good; it is not released by that.

        Adding the same once more changes nothing.

        Raises:
            ConflictError: the version stands there with another text, or is not the next one.
            TemplateError: the blueprint of a formatter is no JSON Schema.
        """
        check_blueprint(version.role, version.blueprint_schema, version.places)
        known = await self._find_same(version)
        if known is not None:
            return known
        newest = await self.templates.newest(version.role, version.name)
        if version.version != newest + 1:
            raise ConflictError(
                f"version {version.version} of {version.role}/{version.name} is not the next one",
                hint=f"the next is {newest + 1}",
            )
        run = await self.store.start_run(RUN_KIND, {"move": "add"})
        await self._add_version(
            version, run=run, author=author, reason=reason, pack=pack, active=False
        )
        return await self.templates.template(version.role, version.name, version.version)

    async def find(self, reference: Reference) -> Registered:
        """The version that a reference means.

        Raises:
            NotFoundError: there is none.
        """
        role, name, which = reference.role, reference.name, reference.which
        number = reference.version
        if number is None and which in (ACTIVE, CANARY):
            for found in await self.templates.released_versions(role, name):
                if found.release.state == which:
                    return found
            raise NotFoundError(
                f"no version of {role}/{name} is {which}", hint="assay templates list"
            )
        if number is None:
            number = await self.templates.label(role, name, which)
        if number is None:
            raise NotFoundError(f"there is no template {reference}", hint="assay templates list")
        return await self.templates.template(role, name, number)

    async def versions(
        self, role: str | None = None, name: str | None = None
    ) -> Sequence[Registered]:
        """All versions, in order."""
        return await self.templates.templates(role, name)

    # --- what renders -----------------------------------------------------------------------

    async def effective(
        self,
        role: str,
        name: str,
        *,
        run: Run,
        assignment: str,
        own: TemplateVersion | None = None,
        governance: Governance | None = None,
    ) -> Effective | None:
        """What renders now for this role and name; None when no version is active.

        Args:
            run: The run that events of drift and refusal belong to.
            assignment: The session or run that is asking: it decides about a canary, always
                in the same way.
            own: The version a pack brings; added when the store does not have it.
            governance: That of the pack, where it asks for more.

        Raises:
            IntegrityError: the version or a release of its name was edited and strictness is
                asked for, or it is no template any more.
            NotAllowedError: signatures are asked for and it has no good one.
            ConflictError: the store holds *own* with another text.
        """
        rules = governance or self.governance
        if rules.strict:
            await self._check_vouched(role, name, run=run, assignment=assignment, rules=rules)
        rows = await self.templates.released_versions(
            role, name, None if own is None else own.version
        )
        if own is not None and not await self._is_adopted(own, rows, run=run, rules=rules):
            rows = await self.templates.released_versions(role, name, own.version)
        found = choose(rows, assignment)
        if found is None:
            return None
        await self.check(found, run=run, rules=rules)
        return Effective(template=self.bound_contracts.parse(found), registered=found)

    async def resolve(
        self,
        contract: Contract,
        *,
        run: Run,
        assignment: str,
        strict: bool = False,
        require: bool = False,
    ) -> Contract:
        """The contract with the template that is released now in the place of the pack's.

        Args:
            strict, require: What the pack asks for, beside what the installation does.

        Raises:
            NotAllowedError: no version is active and there may be no fallback; and as
                `effective`.
        """
        own = contract.template
        if own is None:
            return contract
        rules = self.governance.with_pack(strict=strict, require=require)
        found = await self.effective(
            own.role, own.name, run=run, assignment=assignment, own=own, governance=rules
        )
        if found is not None:
            return self.bound_contracts.bind(contract, found.template, found.release)
        facts = {"role": own.role, "name": own.name, "contract": contract.reference}
        if not rules.fallback:
            await self.record_event("template.refused", {**facts, "why": "none active"}, run=run)
            raise NotAllowedError(
                f"no version of template {own.role}/{own.name} is active",
                hint=f"assay templates promote {own.role}/{own.name}@{own.version}",
            )
        await self.record_event("template.fallback", facts, run=run)
        return without_template(contract)

    async def stored_version(self, role: str, name: str, version: int) -> TemplateVersion | None:
        """The version as the store holds it now; None when it has none."""
        try:
            return self.bound_contracts.parse(await self.templates.template(role, name, version))
        except NotFoundError:
            return None

    async def record_event(self, kind: str, facts: Mapping[str, Any], *, run: Run) -> None:
        """Put a fact on record."""
        event = EventDraft(kind=kind, facts=facts)
        await self.store.commit(Changes(run=await number(run), events=(event,)))

    # --- inside -----------------------------------------------------------------------------

    async def _check_vouched(
        self, role: str, name: str, *, run: Run, assignment: str, rules: Governance
    ) -> None:
        """Which version is in use, and whether one is, decides as much as its text does."""
        edited = await self.templates.unvouched_rows(role, name)
        if not edited:
            return
        found = choose(await self.templates.released_versions(role, name), assignment)
        if found is not None and found.drifted:  # which has an event of its own
            await self.check(found, run=run, rules=rules)
        table, _, own = edited[0].partition("/")
        facts = {"id": own, "role": role, "name": name, "why": f"{_ROWS[table]} edited"}
        await self.record_event("template.refused", facts, run=run)
        raise unvouched(edited[0])

    async def _find_same(self, version: TemplateVersion) -> Registered | None:
        try:
            found = await self.templates.template(version.role, version.name, version.version)
        except NotFoundError:
            return None
        await self._require_same(found, version)
        return found

    async def _require_same(self, found: Registered, version: TemplateVersion) -> None:
        if found.recorded_fields_sha256 != version.fields_sha256:
            newest = await self.templates.newest(version.role, version.name)
            raise ConflictError(
                f"template {found.row.id} is in the store with another text: a version never "
                "changes",
                hint=f"give the new text the version {newest + 1}",
            )

    async def _is_adopted(
        self,
        own: TemplateVersion,
        rows: Sequence[Registered],
        *,
        run: Run,
        rules: Governance,
    ) -> bool:
        """Is a pack's version in the store? False when it was put there just now."""
        for found in rows:
            if found.row.version == own.version:
                await self._require_same(found, own)
                return True
        newest = await self.templates.newest(own.role, own.name)
        if own.version < newest:
            raise ConflictError(
                f"version {own.version} of {own.role}/{own.name} is older than what the store "
                "has, and is not among it",
                hint=f"give the pack's template the version {newest + 1}",
            )
        # Without an approval nothing becomes active where two persons must agree.
        active = newest == 0 and not rules.two_person
        try:
            await self._add_version(
                own, run=run, author="pack", reason="", pack=own.declared_in, active=active
            )
        except ConflictError:  # another process was faster: what stands there now counts
            await self._find_same(own)
        return False

    async def _add_version(
        self,
        version: TemplateVersion,
        *,
        run: Run,
        author: str,
        reason: str,
        pack: str,
        active: bool,
    ) -> None:
        put, facts = addition(
            version, author=author, now=stamp(self.clock), active=active, file=pack
        )
        # One event: it vouches for both rows, and its digests are what drift compares with.
        event = EventDraft(kind="template.added", facts=facts, payloads=reason_payload(reason))
        await self.store.commit(Changes(run=await number(run), events=(event,), writes=(put,)))

    async def check(
        self, found: Registered, *, run: Run | None = None, rules: Governance | None = None
    ) -> None:
        """May this version render? Drift and refusal are put on record.

        Raises:
            IntegrityError: it was edited and strictness is asked for.
            NotAllowedError: signatures are asked for and it has no good one.
        """
        rules = rules or self.governance
        if run is None:
            run = partial(self.store.start_run, RUN_KIND, {"move": "look"})
        if found.drifted:
            await self.record_event("template.drift", drift_facts(found), run=run)
            if rules.strict:
                raise IntegrityError(
                    f"template {found.row.id} was edited in the store since it was added",
                    hint="restore its text, or add and promote a new version",
                )
            self.rendered_drifted.add(found.row.id)
        if rules.trusted and not holds(found, rules.trusted):
            await self.record_event(
                "template.refused", {**version_facts(found), "why": "no good signature"}, run=run
            )
            raise NotAllowedError(
                f"template {found.row.id} has no signature under a trusted key",
                hint=f"assay templates sign {found.row.id} --key FILE",
            )


_ROWS: Final = {
    "templates": "version",
    "template_releases": "release",
    "template_labels": "label",
}


def unvouched(row: str) -> IntegrityError:
    """The error for a row of the registry that is not what was last recorded of it."""
    table, _, own = row.partition("/")
    what = f"template {own}" if table == "templates" else f"the {_ROWS[table]} of template {own}"
    return IntegrityError(
        f"{what} was edited, moved or deleted in the store",
        hint="`assay audit verify` tells what the record says of it; restore it from a backup",
    )


async def number(run: Run) -> int:
    """The run's number; opens it where that was put off."""
    return run if isinstance(run, int) else await run()


async def resolve_contract(
    registry: Registry | None, pack: Pack, contract: Contract, *, run: int, assignment: str
) -> Contract:
    """The contract of a pack as it is released now; see `Registry.resolve`.

    Args:
        registry: None takes the pack's own template.
        assignment: `run N` or `session ID`.
    """
    if registry is None:
        return contract
    return await registry.resolve(
        contract,
        run=run,
        assignment=assignment,
        strict=pack.strict_templates,
        require=pack.require_template,
    )


async def tell_refused(
    store: Store, contract: Contract, error: PromptTemplateError, *, run: int
) -> None:
    """Put on record that a prompt was not made for want, or excess, of variables (002-M1)."""
    event = EventDraft(kind="template.variables", facts=refused_facts(contract.template, error))
    await store.commit(Changes(run=run, events=(event,)))
