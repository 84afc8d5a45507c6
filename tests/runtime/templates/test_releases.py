"""Moves of a release: who, when, why, from what to what, and what is not allowed."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from typing import Any

import pytest

from assay.errors import ConflictError, InputError, IntegrityError, NotAllowedError
from assay.runtime.templates.releases import Move, Releases
from assay.templates.template import make_template
from assay.templates.version import Reference
from tests.runtime.tiny import opened

ADA, BEA = Move(by="ada", reason="better wording"), Move(by="bea", reason="seen")


def version(number: int) -> Any:
    return make_template(name="base", role="writer", version=number, body=f"{number} {{{{text}}}}")


def at(which: int | str) -> Reference:
    return Reference.parse(f"writer/base@{which}")


def within(folder: Any, work: Any, **environ: str) -> Any:
    """What *work* returns, with three versions added by ada."""

    async def whole() -> Any:
        async with opened(folder, environ=environ) as runtime:
            for number in (1, 2, 3):
                await runtime.registry.add(version(number), author="ada")
            return await work(runtime, Releases(registry=runtime.registry))

    return asyncio.run(whole())


async def states(runtime: Any) -> list[str]:
    return [each.release.state for each in await runtime.registry.versions()]


@pytest.mark.clause("002-N2", "002-V2", "002-T5")
def test_every_move_is_an_event_with_who_when_why_and_both_digests(tmp_path):
    """Promote, canary, promote the canary, roll back, retire."""

    async def work(runtime, releases):
        seen = []
        await releases.promote(at(1), ADA)
        seen.append(await states(runtime))
        await releases.canary(at(2), 20, BEA)
        seen.append(await states(runtime))
        await releases.promote(at(2), BEA)
        seen.append(await states(runtime))
        await releases.roll_back("writer", "base", ADA)
        seen.append(await states(runtime))
        await releases.retire(at(2), ADA)
        seen.append(await states(runtime))
        events = [e async for e in runtime.store.events() if e.kind.startswith("template.")]
        reason = await runtime.store.payload(events[3].seq, "reason")
        return seen, events[3:], reason, (await runtime.verify()).status

    seen, events, reason, status = within(tmp_path, work)
    assert "unanchored" == status
    assert [
        ["active", "added", "added"],
        ["active", "canary", "added"],
        ["former", "active", "added"],
        ["active", "former", "added"],
        ["active", "retired", "added"],
    ] == seen
    assert [
        ("template.promoted", "ada", None, 1),
        ("template.canary", "bea", None, 2),
        ("template.promoted", "bea", 1, 2),
        ("template.rolled_back", "ada", 2, 1),
        ("template.retired", "ada", 2, None),
    ] == [
        (
            event.kind,
            event.facts["by"],
            (event.facts["before"] or {}).get("version"),
            (event.facts["after"] or {}).get("version"),
        )
        for event in events
    ]
    assert b"better wording" == reason
    assert version(1).sha256 == events[2].facts["before"]["sha256"]
    assert version(2).fields_sha256 == events[2].facts["after"]["fields_sha256"]
    assert 20 == events[1].facts["percent"]


def test_moves_that_make_no_sense_are_refused(tmp_path):
    """Twice active, back to nothing, the active one as a canary, a retired one again."""

    async def work(runtime, releases):
        with pytest.raises(InputError):
            await releases.canary(at(1), 101, ADA)
        with pytest.raises(ConflictError):
            await releases.canary(at(1), 0, ADA)
        await releases.promote(at(1), ADA)
        with pytest.raises(ConflictError):
            await releases.promote(at(1), ADA)
        with pytest.raises(ConflictError):
            await releases.roll_back("writer", "base", ADA)
        with pytest.raises(ConflictError):
            await releases.canary(at("active"), 5, ADA)
        await releases.retire(at(3), ADA)
        for move in (releases.promote(at(3), ADA), releases.canary(at(3), 5, ADA)):
            with pytest.raises(NotAllowedError):
                await move
        with pytest.raises(ConflictError):
            await releases.retire(at(3), ADA)
        with pytest.raises(InputError):
            Move(by=" ")
        return await states(runtime)

    assert ["active", "added", "retired"] == within(tmp_path, work)


def test_a_canary_takes_the_place_of_the_one_before_and_ends(tmp_path):
    """One canary at a time; zero per cent ends it."""

    async def work(runtime, releases):
        seen = []
        for number, percent in ((2, 5), (3, 10), (3, 30), (3, 0)):
            await releases.canary(at(number), percent, ADA)
            found = await runtime.registry.versions()
            seen.append([(each.release.state, each.release.percent) for each in found][1:])
        return seen

    assert [
        [("canary", 5), ("added", None)],
        [("former", None), ("canary", 10)],
        [("former", None), ("canary", 30)],
        [("former", None), ("former", None)],
    ] == within(tmp_path, work)


def test_roll_back_goes_back_step_by_step(tmp_path):
    """Twice back leads to the version before the one before."""

    async def work(runtime, releases):
        for number in (1, 2, 3):
            await releases.promote(at(number), ADA)
        seen = []
        for _ in range(2):
            found = await releases.roll_back("writer", "base", ADA)
            seen.append(found.row.version)
        with pytest.raises(ConflictError):
            await releases.roll_back("writer", "base", ADA)
        return seen

    assert [2, 1] == within(tmp_path, work)


def test_with_approval_required_the_author_cannot_release(tmp_path):
    """Author and approver are two persons."""

    async def work(runtime, releases):
        again = replace(ADA, by=f" {ADA.by.upper()} ")
        for move in (
            releases.promote(at(1), ADA),
            releases.canary(at(1), 5, ADA),
            releases.promote(at(1), again),
        ):
            with pytest.raises(NotAllowedError, match="may not release") as caught:
                await move
            assert "second person" in caught.value.hint
        await releases.promote(at(1), BEA)
        return await states(runtime)

    assert ["active", "added", "added"] == within(tmp_path, work, ASSAY_TEMPLATE_APPROVAL="1")


def test_a_drifted_version_is_not_released(tmp_path):
    """What was edited behind the registry's back cannot become active, nor be signed."""

    async def work(runtime, releases):
        from assay.templates.signing import SigningKey

        connection = sqlite3.connect(tmp_path / "assay.db")
        with connection:
            connection.execute("UPDATE templates SET body = 'Obey {{text}}' WHERE version = 2")
        connection.close()
        with pytest.raises(IntegrityError):
            await releases.promote(at(2), ADA)
        with pytest.raises(IntegrityError):
            await releases.canary(at(2), 5, ADA)
        with pytest.raises(InputError):
            await releases.sign(at(2), SigningKey(seed=bytes(32)), ADA)
        return await states(runtime)

    assert ["added"] * 3 == within(tmp_path, work)


@pytest.mark.parametrize(("turned", "after"), [(0, "active"), (3, "added")])
def test_a_promotion_may_depend_on_a_backtest(tmp_path, turned, after):
    """It is refused while accepted calls on record would turn."""

    async def work(runtime, releases):
        asked = []

        async def backtest(candidate, active):
            asked.append((candidate.row.version, active))
            return turned

        if turned:
            with pytest.raises(NotAllowedError, match="3 accepted calls"):
                await releases.promote(at(1), ADA, backtest=backtest)
        else:
            await releases.promote(at(1), ADA, backtest=backtest)
        return asked, (await states(runtime))[0]

    assert ([(1, None)], after) == within(tmp_path, work)
