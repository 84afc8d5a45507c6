"""Rows of the registry that were edited behind its back: found, and refused where they matter."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from assay.adapters.stores.templates.read import SqlTemplates
from assay.errors import IntegrityError
from assay.protocols import VerifyReport
from assay.runtime.templates.policy import Governance
from assay.runtime.templates.registry import Registry
from assay.runtime.templates.releases import Move, Releases
from assay.templates.signing import SigningKey
from assay.templates.template import make_template
from assay.templates.version import Reference
from assay.testing import FrozenClock
from tests.adapters.stores.conftest import Place

ROOT = Path(__file__).resolve().parents[4]
KEY = SigningKey(seed=bytes(32))
ADA, BEA = Move(by="ada"), Move(by="bea")
AT1, AT2 = "WHERE id = 'writer/base@1'", "WHERE id = 'writer/base@2'"

EDITS = {
    "author": [f"UPDATE templates SET author = 'eve' {AT2}"],
    "time of addition": [f"UPDATE templates SET created_at = '2001' {AT2}"],
    "time of change": [f"UPDATE templates SET updated_at = '2001' {AT1}"],
    "text": [f"UPDATE templates SET body = 'Obey {{{{text}}}}' {AT2}"],
    "signature": [f"UPDATE templates SET signature = 'AAAA' {AT1}"],
    "signature taken away": [f"UPDATE templates SET signature = NULL, signer = NULL {AT1}"],
    "signed row put back": [
        "UPDATE templates SET signature = NULL, signer = NULL, updated_at = created_at,"
        f" vouched_by = (SELECT min(seq) FROM events WHERE kind = 'template.added') {AT1}"
    ],
    "made up signer": [f"UPDATE templates SET signer = 'ff' {AT2}"],
    "active pointer moved": [
        f"UPDATE template_releases SET state = 'former' {AT2}",
        f"UPDATE template_releases SET state = 'active' {AT1}",
    ],
    "release points at another version": [f"UPDATE template_releases SET version = 1 {AT2}"],
    "who released": [f"UPDATE template_releases SET changed_by = 'eve' {AT2}"],
    "what was replaced": [f"UPDATE template_releases SET replaced = NULL {AT2}"],
    "active version deleted": [
        f"DELETE FROM templates {AT2}",
        f"DELETE FROM template_releases {AT2}",
    ],
    "text of the active version deleted": [f"DELETE FROM templates {AT2}"],
    "release deleted": [f"DELETE FROM template_releases {AT2}"],
    "label moved": ["UPDATE template_labels SET version = 2"],
    "label deleted": ["DELETE FROM template_labels"],
    "version made up": [
        "INSERT INTO templates (id, role, name, version, body, variables, sha256, fields_sha256,"
        " blueprint_instructions, author, created_at, updated_at, vouched_by)"
        " SELECT 'writer/base@9', role, name, 9, body, variables, sha256, fields_sha256,"
        f" blueprint_instructions, author, created_at, updated_at, vouched_by FROM templates {AT2}"
    ],
    "release made up": [
        "INSERT INTO template_releases (id, role, name, version, state, moves, changed_at,"
        " changed_by, vouched_by) SELECT 'writer/base@9', role, name, 9, 'added', 0, changed_at,"
        f" changed_by, vouched_by FROM template_releases {AT2}"
    ],
}


@asynccontextmanager
async def opened(place: Place, **rules: Any) -> AsyncIterator[Registry]:
    clock = FrozenClock()
    async with await place.open(clock=clock) as store:
        yield Registry(
            store=store,
            templates=SqlTemplates(store),
            clock=clock,
            governance=Governance(**rules),
        )


def at(which: int | str) -> Reference:
    return Reference.parse(f"writer/base@{which}")


def run(work: Any) -> Any:
    return asyncio.run(work)


async def fill(place: Place) -> None:
    """Three versions by ada: the first signed, labelled and replaced by the second."""
    async with opened(place) as registry:
        for number in (1, 2, 3):
            body = f"{number} {{{{text}}}}"
            version = make_template(name="base", role="writer", version=number, body=body)
            await registry.add(version, author="ada")
        releases = Releases(registry=registry)
        await releases.promote(at(1), BEA)
        await releases.sign(at(1), KEY, ADA)
        await releases.label(at(1), "good", ADA)
        await releases.promote(at(2), BEA)


def execute(place: Place, *statements: str) -> None:
    """What somebody with access to the database does behind the registry's back."""
    engine = create_engine(place.url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        for statement in statements:
            assert 1 == connection.exec_driver_sql(statement).rowcount
    engine.dispose()


async def verified(place: Place) -> VerifyReport:
    async with await place.open(clock=FrozenClock()) as store:
        report: VerifyReport = await store.verify()
        return report


@pytest.mark.clause("005-R18")
def test_a_registry_that_nobody_edited_verifies_and_renders(place: Place) -> None:
    """Added, promoted, signed, labelled, replaced: strict mode and four eyes find no fault."""

    async def work() -> int:
        await fill(place)
        async with opened(place, strict=True, two_person=True) as registry:
            found = await registry.effective("writer", "base", run=1, assignment="a")
            assert found is not None
            await Releases(registry=registry).promote(at(3), BEA)
            again = await registry.effective("writer", "base", run=1, assignment="a")
            assert again is not None
            assert 3 == again.template.version
        return found.template.version

    assert 2 == run(work())
    assert "unanchored" == run(verified(place)).status


@pytest.mark.clause("005-R18")
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_of_the_registry_is_found_and_refused(place: Place, edit: str) -> None:
    """Verification names the row and its event; strict mode and approval refuse."""
    run(fill(place))
    execute(place, *EDITS[edit])

    report = run(verified(place))
    assert "broken" == report.status
    assert report.first_bad_seq is not None
    assert "template" in str(report.first_bad_why)

    async def work() -> None:
        async with opened(place, strict=True) as registry:
            with pytest.raises(IntegrityError):
                await registry.effective("writer", "base", run=1, assignment="a")
        async with opened(place, two_person=True) as registry:
            with pytest.raises(IntegrityError):
                await Releases(registry=registry).promote(at(3), BEA)

    run(work())


@pytest.mark.clause("005-R18")
@pytest.mark.parametrize(
    "move",
    [
        lambda releases: releases.promote(at(3), ADA),
        lambda releases: releases.canary(at(3), 10, ADA),
        lambda releases: releases.sign(at(3), KEY, ADA),
        lambda releases: releases.retire(at(3), ADA),
    ],
    ids=["promote", "canary", "sign", "retire"],
)
def test_no_move_carries_an_edited_author_on(place: Place, move: Any) -> None:
    """Who added a version would be the second person once somebody else is named: refused."""

    async def work() -> None:
        async with opened(place, two_person=True) as registry:
            with pytest.raises(IntegrityError):
                await move(Releases(registry=registry))

    run(fill(place))
    execute(place, "UPDATE templates SET author = 'eve' WHERE version = 3")
    run(work())
    execute(place, "UPDATE templates SET author = 'ada' WHERE version = 3")
    assert "unanchored" == run(verified(place)).status


@pytest.mark.clause("005-R18")
def test_what_the_record_says_later_is_seen_by_who_has_looked_before(place: Place) -> None:
    """Moves of another process are no edits, and edits after the first look are found."""

    async def work() -> None:
        async with opened(place, strict=True) as one, opened(place) as other:
            await one.effective("writer", "base", run=1, assignment="a")
            await Releases(registry=other).promote(at(3), BEA)
            found = await one.effective("writer", "base", run=1, assignment="a")
            assert found is not None
            assert 3 == found.template.version
            execute(place, f"UPDATE template_releases SET percent = 5 {AT1}")
            with pytest.raises(IntegrityError, match="release of template writer/base@1"):
                await one.effective("writer", "base", run=1, assignment="a")

    run(fill(place))
    run(work())


OLD = "classifier/intake.classify@2"
OLD_EDITS = {
    "author": f"UPDATE templates SET author = 'eve' WHERE id = '{OLD}'",
    "text": f"UPDATE templates SET body = body || ' ' WHERE id = '{OLD}'",
    "time of addition": f"UPDATE templates SET created_at = '2001' WHERE id = '{OLD}'",
    "time of signature": f"UPDATE templates SET updated_at = '2999' WHERE id = '{OLD}'",
    "signature": f"UPDATE templates SET signature = 'AAAA' WHERE id = '{OLD}'",
    "unsigned": f"UPDATE templates SET signature = NULL, signer = NULL WHERE id = '{OLD}'",
    "signer": f"UPDATE templates SET signer = '{'0' * 64}' WHERE id = '{OLD}'",
    "deleted": f"DELETE FROM templates WHERE id = '{OLD}'",
    "release": f"UPDATE template_releases SET state = 'retired' WHERE id = '{OLD}'",
    "vouched for by another": (
        "UPDATE templates SET vouched_by = (SELECT vouched_by FROM templates WHERE id ="
        f" 'classifier/intake.classify@3') WHERE id = '{OLD}'"
    ),
}


@pytest.mark.clause("005-R18")
@pytest.mark.parametrize("edit", [None, *OLD_EDITS])
def test_a_registry_of_the_first_release_is_vouched_for_by_what_its_events_hold(
    tmp_path: Path, edit: str | None
) -> None:
    """Untouched it verifies; an edit of any field of a version, or of its signature, is found."""
    file = tmp_path / "record.sqlite"
    shutil.copy(ROOT / "tests" / "fixtures" / "first_release" / "record.sqlite", file)
    if edit is not None:
        connection = sqlite3.connect(file)
        with connection:
            assert 1 == connection.execute(OLD_EDITS[edit]).rowcount
        connection.close()
    place = Place(f"sqlite:///{file}", "sqlite")

    async def unvouched() -> Any:
        async with opened(place) as registry:
            return await registry.templates.unvouched_rows("classifier", "intake.classify")

    report = run(verified(place))
    assert ("unanchored" if edit is None else "broken") == report.status
    assert edit is None or OLD in str(report.first_bad_why)
    assert (edit is not None) == bool(run(unvouched()))


@pytest.mark.clause("005-R18")
def test_a_version_of_the_first_release_is_signed_again(tmp_path: Path) -> None:
    """From then on the event of the signature vouches for its whole row."""
    file = tmp_path / "record.sqlite"
    shutil.copy(ROOT / "tests" / "fixtures" / "first_release" / "record.sqlite", file)
    place = Place(f"sqlite:///{file}", "sqlite")

    async def work() -> None:
        async with opened(place, strict=True) as registry:
            await Releases(registry=registry).sign(Reference.parse(OLD), KEY, ADA)
            assert [] == await registry.templates.unvouched_rows("classifier", "intake.classify")

    run(work())
    assert "unanchored" == run(verified(place)).status
    execute(place, f"UPDATE templates SET author = 'eve' WHERE id = '{OLD}'")
    assert "broken" == run(verified(place)).status
