"""Moves in the registry: promote, canary, roll back, retire, sign, label.

In      a reference, who, why
Out     the version as it stands after the move
Effects one run with one event for each move, and the rows it changes, in one transaction
Spec    002-N2, 002-V2, 002-V3; docs/decisions/0004

Every move names the state that it was decided on. Whoever comes second is told: ConflictError.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import ConflictError, InputError, IntegrityError, NotAllowedError
from assay.protocols import Changes, Write
from assay.record.event import EventDraft
from assay.runtime.templates.policy import reason_payload, stamp, version_facts
from assay.runtime.templates.registry import RUN_KIND, Registry, unvouched
from assay.templates.signing import SigningKey, holds
from assay.templates.version import (
    LabelRow,
    PutLabel,
    PutRelease,
    PutSignature,
    Reference,
    Registered,
    ReleaseRow,
    check_label,
)

Backtest = Callable[[Registered, Registered | None], Awaitable[int]]
"""How many recorded accepted calls would turn with the candidate in the active one's place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Who moves a release, and why."""

    by: str
    reason: str = ""

    def __post_init__(self) -> None:
        if not self.by.strip():
            raise InputError("a move needs the name of who makes it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Releases:
    """What changes the release of versions."""

    registry: Registry

    async def promote(
        self, reference: Reference, move: Move, *, backtest: Backtest | None = None
    ) -> Registered:
        """Make a version the active one; the one before it stays, for audit and roll back.

        Args:
            backtest: Asked first; the move is refused while recorded accepted calls would turn.

        Raises:
            ConflictError: another version was released meanwhile.
            NotAllowedError: the rules forbid it.
            IntegrityError: the version was edited since it was added.
        """
        found, active = await self._pair(reference)
        if found.release.state == "active":
            raise ConflictError(f"{found.row.id} is active already")
        await self._may_release(found, active, move)
        if backtest is not None:
            turned = await backtest(found, active)
            if turned:
                raise NotAllowedError(
                    f"{turned} accepted calls on record would turn with {found.row.id}",
                    hint="assay backtest shows them",
                )
        replaced = None if active is None else active.row.version
        puts = [] if active is None else [self._release_row(active, move, state="former")]
        puts.append(self._release_row(found, move, state="active", replaced=replaced))
        return await self._commit("promote", "template.promoted", move, active, found, puts)

    async def canary(self, reference: Reference, percent: int, move: Move) -> Registered:
        """Give a version to *percent* in a hundred sessions or runs; 0 ends it.

        Raises:
            InputError: no such percentage.
            ConflictError, NotAllowedError, IntegrityError: as `promote`.
        """
        if not 0 <= percent <= 100:
            raise InputError("a canary gets from 0 to 100 per cent")
        found, _ = await self._pair(reference)
        if found.release.state == "active":
            raise ConflictError(f"{found.row.id} is active: it cannot be a canary as well")
        before = await self._released(found, "canary")
        if percent == 0:
            if found.release.state != "canary":
                raise ConflictError(f"{found.row.id} is no canary")
            await self._require_vouched(found)
            puts = [self._release_row(found, move, state="former")]
            return await self._commit("canary", "template.canary", move, found, None, puts, 0)
        await self._may_release(found, before, move)
        puts = []
        if before is not None and before.row.id != found.row.id:
            puts.append(self._release_row(before, move, state="former"))
        puts.append(self._release_row(found, move, state="canary", percent=percent))
        return await self._commit("canary", "template.canary", move, before, found, puts, percent)

    async def roll_back(self, role: str, name: str, move: Move) -> Registered:
        """Return to the version that was active before the one that is.

        Raises:
            ConflictError: there is none to return to, or somebody moved meanwhile.
            IntegrityError: what would be returned to was edited, or is not signed as it must be.
        """
        active = await self.registry.find(Reference(role=role, name=name))
        if active.release.replaced is None:
            raise ConflictError(f"{active.row.id} replaced no version: there is none to return to")
        earlier = await self.registry.templates.template(role, name, active.release.replaced)
        if earlier.release.state == "retired":
            raise NotAllowedError(
                f"{earlier.row.id} is retired", hint="promote another version instead"
            )
        # Going back needs no second person: the version was released by two before.
        await self._require_vouched(active, earlier)
        self._sound(earlier)
        puts = [
            self._release_row(active, move, state="former", replaced=active.release.replaced),
            self._release_row(earlier, move, state="active", replaced=earlier.release.replaced),
        ]
        return await self._commit("rollback", "template.rolled_back", move, active, earlier, puts)

    async def retire(self, reference: Reference, move: Move) -> Registered:
        """Take a version out of use for good; it stays for audit and replay.

        Raises:
            ConflictError: it is retired already, or somebody moved meanwhile.
        """
        found = await self.registry.find(reference)
        if found.release.state == "retired":
            raise ConflictError(f"{found.row.id} is retired already")
        await self._require_vouched(found)
        puts = [self._release_row(found, move, state="retired")]
        await self._commit("retire", "template.retired", move, found, None, puts)
        return await self._read_again(found)

    async def sign(self, reference: Reference, key: SigningKey, move: Move) -> Registered:
        """Put a signature on a version.

        Raises:
            InputError: the text of the version was edited since it was added.
            IntegrityError: something else of it was.
        """
        found = await self.registry.find(reference)
        signature = key.sign(found)
        await self._require_vouched(found)  # the event vouches for the whole row anew
        put = PutSignature(
            row=replace(
                found.row,
                signature=signature.text,
                signer=signature.signer,
                updated_at=stamp(self.registry.clock),
            )
        )
        facts = {
            "signer": signature.signer,
            "sha256": found.recorded_sha256,
            "fields_sha256": found.recorded_fields_sha256,
        }
        return await self._record_move("sign", "template.signed", found, move, facts, put)

    async def label(self, reference: Reference, label: str, move: Move) -> Registered:
        """Give a version a name of the user's own, or move the name to it.

        Raises:
            InputError: the label could be taken for a version or a state.
        """
        check_label(label)
        found = await self.registry.find(reference)
        row = LabelRow(
            id=f"{found.row.role}/{found.row.name}@{label}",
            role=found.row.role,
            name=found.row.name,
            label=label,
            version=found.row.version,
            changed_at=stamp(self.registry.clock),
            changed_by=move.by,
        )
        put = PutLabel(row=row)
        return await self._record_move(
            "label", "template.labelled", found, move, {"label": label}, put
        )

    def needs_second_person(self, found: Registered, by: str) -> bool:
        """Whether *by* added the version, and may therefore not release it."""
        return self.registry.governance.two_person and _is_same_person(by, found.row.author)

    # --- inside -----------------------------------------------------------------------------

    async def _pair(self, reference: Reference) -> tuple[Registered, Registered | None]:
        """The version meant, and the one that is active now."""
        found = await self.registry.find(reference)
        return found, await self._released(found, "active")

    async def _released(self, like: Registered, state: str) -> Registered | None:
        rows = await self.registry.templates.released_versions(like.row.role, like.row.name)
        return next((row for row in rows if row.release.state == state), None)

    async def _read_again(self, found: Registered) -> Registered:
        row = found.row
        return await self.registry.templates.template(row.role, row.name, row.version)

    async def _may_release(
        self, found: Registered, replaced: Registered | None, move: Move
    ) -> None:
        if found.release.state == "retired":
            raise NotAllowedError(
                f"{found.row.id} is retired", hint="add its text again as a new version"
            )
        if self.needs_second_person(found, move.by):
            raise NotAllowedError(
                f"who added {found.row.id} may not release it", hint="ask a second person"
            )
        self._sound(found)
        await self._require_vouched(found, replaced)

    async def _require_vouched(self, *touched: Registered | None) -> None:
        """No move may carry an edit on under an event of its own.

        Where two persons must agree, or strictness is asked for, nothing of that name may have
        been edited: what was deleted is touched by no move.
        """
        rules, one = self.registry.governance, next(each for each in touched if each is not None)
        edited = await self.registry.templates.unvouched_rows(one.row.role, one.row.name)
        if not (rules.two_person or rules.strict):
            own = {each.row.id for each in touched if each is not None}
            edited = [row for row in edited if row.partition("/")[2] in own]
        if edited:
            raise unvouched(edited[0])

    def _sound(self, found: Registered) -> None:
        if found.drifted:
            raise IntegrityError(
                f"{found.row.id} was edited in the store since it was added",
                hint="restore its text, or add a new version",
            )
        trusted = self.registry.governance.trusted
        if trusted and not holds(found, trusted):
            raise NotAllowedError(
                f"{found.row.id} has no signature under a trusted key",
                hint=f"assay templates sign {found.row.id} --key FILE",
            )

    def _release_row(self, found: Registered, move: Move, **changes: Any) -> PutRelease:
        release = found.release
        row: ReleaseRow = replace(
            release,
            **{"percent": None, "replaced": release.replaced, **changes},
            moves=release.moves + 1,
            changed_at=stamp(self.registry.clock),
            changed_by=move.by,
        )
        return PutRelease(row=row, expected=release.moves)

    async def _commit(
        self,
        word: str,
        kind: str,
        move: Move,
        before: Registered | None,
        after: Registered | None,
        puts: list[PutRelease],
        percent: int | None = None,
    ) -> Registered:
        meant = after or before
        assert meant is not None
        facts: dict[str, Any] = {"before": _digests(before), "after": _digests(after)}
        if percent is not None:
            facts["percent"] = percent
        return await self._record_move(word, kind, meant, move, facts, *puts)

    async def _record_move(
        self,
        word: str,
        kind: str,
        found: Registered,
        move: Move,
        facts: dict[str, Any],
        *writes: Write,
    ) -> Registered:
        store = self.registry.store
        event = EventDraft(
            kind=kind,
            facts={**version_facts(found), "by": move.by, **facts},
            payloads=reason_payload(move.reason),
        )
        run = await store.start_run(RUN_KIND, {"move": word})
        await store.commit(Changes(run=run, events=(event,), writes=writes))
        return await self._read_again(found)


def _digests(found: Registered | None) -> dict[str, Any] | None:
    """The version as the event of a move names it."""
    if found is None:
        return None
    return {
        "version": found.row.version,
        "sha256": found.recorded_sha256,
        "fields_sha256": found.recorded_fields_sha256,
    }


def _is_same_person(one: str, other: str) -> bool:
    """Do two names stand for one person, whatever their case and the space around them?"""
    return one.strip().casefold() == other.strip().casefold()
