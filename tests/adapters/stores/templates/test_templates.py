"""The tables of the template registry, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from assay.adapters.stores.templates.read import SqlTemplates
from assay.errors import ConflictError, InputError, IntegrityError, NotFoundError
from assay.protocols import Changes
from assay.record.event import EventDraft
from assay.runtime.templates.drift import DRIFT, DriftReport, detect
from assay.runtime.templates.policy import addition
from assay.runtime.templates.registry import Registry
from assay.runtime.templates.releases import Move, Releases
from assay.templates.template import TemplateVersion, make_template
from assay.templates.version import PutRelease, PutTemplate, Reference, Registered
from assay.testing import FrozenClock
from tests.processes import PATIENCE_S, read_line, start_python
from tests.runtime.tiny import FILES, tiny_pack

ROOT = Path(__file__).resolve().parents[4]
ME = Move(by="ada", reason="better wording")


def version(number: int, body: str = "Plan {{grant}}.", **fields: Any) -> TemplateVersion:
    return make_template(
        **{"name": "planner.base", "role": "planner", "version": number, "body": body, **fields}
    )


@asynccontextmanager
async def opened(place: Any) -> AsyncIterator[Registry]:
    clock = FrozenClock()
    async with await place.open(clock=clock) as store:
        yield Registry(store=store, templates=SqlTemplates(store), clock=clock)


def execute(place: Any, statement: str) -> None:
    """What somebody with access to the database does behind the registry's back."""
    engine = create_engine(place.url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        rows = connection.exec_driver_sql(statement).rowcount
    engine.dispose()
    assert 1 == rows


def run(work: Any) -> Any:
    return asyncio.run(work)


@pytest.mark.clause("002-T1", "002-T4", "002-T6", "002-T7", "002-T8")
def test_a_version_comes_back_with_every_field(place: Any) -> None:
    """Name, role, number, text, ordered variables, digests, blueprint, author and times."""
    draft = version(
        1,
        "B {{b}} A {{a}} ü\r\n",
        variables=("b", "a"),
        role="formatter",
        name="formatter.base",
        blueprint_schema={"type": "object", "z": [1, 2.5, None]},
        blueprint_instructions=" keep order\n",
    )

    async def work() -> Registered:
        async with opened(place) as registry:
            await registry.add(draft, author="ada")
            return await registry.find(Reference.parse("formatter/formatter.base@1"))

    found = run(work())
    row = found.row
    assert ("formatter", "formatter.base", 1) == (row.role, row.name, row.version)
    assert ("B {{b}} A {{a}} ü\r\n", ("b", "a")) == (row.body, row.variables)
    assert (draft.sha256, draft.fields_sha256) == (row.sha256, row.fields_sha256)
    assert {"type": "object", "z": [1, 2.5, None]} == row.blueprint_schema
    assert " keep order\n" == row.blueprint_instructions
    assert "ada" == row.author
    assert row.created_at == row.updated_at
    assert "added" == found.release.state
    assert not found.drifted
    assert draft.fields_sha256 == found.template().fields_sha256


@pytest.mark.clause("002-T2", "002-V1")
def test_text_is_immutable_and_numbers_follow_each_other(place: Any) -> None:
    """The same version with another text, and a version that is not the next, are refused."""

    async def work() -> None:
        async with opened(place) as registry:
            with pytest.raises(ConflictError, match="not the next"):
                await registry.add(version(2), author="ada")
            await registry.add(version(1), author="ada")
            await registry.add(version(1), author="ada")
            with pytest.raises(ConflictError, match="never changes"):
                await registry.add(version(1, "Else {{grant}}."), author="ada")
            with pytest.raises(ConflictError, match="not the next"):
                await registry.add(version(3), author="ada")
            await registry.add(version(2, "Else {{grant}}."), author="ada")
            assert [1, 2] == [each.row.version for each in await registry.versions()]

    run(work())


def test_a_row_that_stands_there_is_never_written_over(place: Any) -> None:
    """Whatever the program decided before: the database refuses a second row of a version."""

    async def work() -> None:
        async with opened(place) as registry:
            await registry.add(version(1), author="ada")
            put, facts = addition(
                version(1, "Else {{grant}}."), author="eve", now="2026", active=False, file=""
            )
            number = await registry.store.start_run("test", {})
            event = EventDraft(kind="template.added", facts=facts)
            with pytest.raises(ConflictError):
                await registry.store.commit(Changes(run=number, events=(event,), writes=(put,)))
            assert "Plan {{grant}}." == (await registry.versions())[0].row.body

    run(work())


@pytest.mark.clause("002-T5")
@pytest.mark.parametrize("state", ["active", "canary"])
def test_the_database_itself_allows_one_active_version(place: Any, state: Any) -> None:
    """A second active version (or canary) of a name and role is refused by an index."""

    async def work() -> list[str]:
        async with opened(place) as registry:
            number = await registry.store.start_run("test", {})
            for each in (1, 2):
                put, facts = addition(version(each), author="a", now="2026", active=False, file="")
                put = PutTemplate(row=put.row, release=replace(put.release, state=state))
                changes = Changes(
                    run=number,
                    events=(EventDraft(kind="template.added", facts=facts),),
                    writes=(put,),
                )
                if each == 1:
                    await registry.store.commit(changes)
                else:
                    with pytest.raises(ConflictError):
                        await registry.store.commit(changes)
            await registry.add(version(2), author="a")
            second = (await registry.versions())[1]
            move = PutRelease(row=replace(second.release, state=state, moves=1), expected=0)
            event = EventDraft(kind="test.moved")
            with pytest.raises(ConflictError):
                await registry.store.commit(Changes(run=number, events=(event,), writes=(move,)))
            return [each.release.state for each in await registry.versions()]

    assert [state, "added"] == run(work())


def test_a_move_on_an_old_state_conflicts(place: Any) -> None:
    """Who read the release before somebody else moved it is told so."""

    async def work() -> None:
        async with opened(place) as registry:
            await registry.add(version(1), author="ada")
            stale = await registry.find(Reference.parse("planner/planner.base@1"))
            await Releases(registry=registry).promote(Reference.parse("planner/planner.base@1"), ME)
            number = await registry.store.start_run("test", {})
            move = PutRelease(row=replace(stale.release, state="retired"), expected=0)
            event = EventDraft(kind="test.moved")
            with pytest.raises(ConflictError, match="meanwhile"):
                await registry.store.commit(Changes(run=number, events=(event,), writes=(move,)))

    run(work())


@pytest.mark.clause("002-T5")
@pytest.mark.parametrize("active_before", [False, True])
def test_of_two_processes_that_promote_at_once_one_wins(place: Any, active_before: bool) -> None:
    """Both have read the same state; one commits, the other is told; one version is active."""

    async def prepare() -> None:
        async with opened(place) as registry:
            for each in (1, 2, 3):
                await registry.add(version(each), author="ada")
            if active_before:
                reference = Reference.parse("planner/planner.base@1")
                await Releases(registry=registry).promote(reference, ME)

    async def states() -> list[str]:
        async with opened(place) as registry:
            assert "broken" != (await registry.store.verify()).status
            return [each.release.state for each in await registry.versions()]

    run(prepare())
    program = str(Path(__file__).with_name("promoting_writer.py"))
    with ExitStack() as stack:
        children = [stack.enter_context(start_python(program, place.url, n)) for n in "23"]
        for child in children:
            assert "read\n" == read_line(child)
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        ends = sorted(child.communicate(timeout=PATIENCE_S)[0].strip() for child in children)

    assert ["lost", "won"] == ends
    found = run(states())
    assert 1 == found.count("active")
    assert ("former" if active_before else "added") == found[0]


@pytest.mark.clause("002-X1")
@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE templates SET body = 'Obey {{grant}}.'",
        "UPDATE templates SET body = 'Obey {{grant}}.', sha256 = 'sha256:0', fields_sha256 = ''",
        "UPDATE templates SET sha256 = 'sha256:0'",
        "UPDATE templates SET blueprint_instructions = 'obey'",
        "UPDATE templates SET blueprint_schema = '{\"a\":1}'",
        "UPDATE templates SET variables = '[\"other\"]'",
    ],
)
def test_an_edited_version_has_drifted_and_breaks_the_record(place: Any, edit: str) -> None:
    """The event of addition knows the digests: an edit of text, field or digest column shows."""

    async def prepare() -> None:
        async with opened(place) as registry:
            await registry.add(version(1), author="ada")

    async def look() -> tuple[bool, str]:
        async with opened(place) as registry:
            found = (await registry.versions())[0]
            return found.drifted, (await registry.store.verify()).status

    run(prepare())
    execute(place, edit)

    assert (True, "broken") == run(look())


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE templates SET variables = 'nonsense'",
        "UPDATE templates SET blueprint_schema = '{nope'",
        "UPDATE templates SET body = x'ff00ff'",
    ],
)
def test_a_row_that_is_no_version_any_more_breaks_integrity(place: Any, edit: str) -> None:
    """What cannot be read as a version is told by its id, and is no fault of the caller's."""
    if "x'" in edit and place.url.startswith("postgresql"):
        edit = "UPDATE templates SET variables = '7'"  # there a column keeps its type

    async def prepare() -> None:
        async with opened(place) as registry:
            await registry.add(version(1), author="ada")

    async def look() -> None:
        async with opened(place) as registry:
            await registry.versions()

    run(prepare())
    execute(place, edit)
    with pytest.raises(IntegrityError, match=r"planner/planner\.base@1"):
        run(look())


AT = "WHERE id = 'planner/planner.base@1'"


@pytest.mark.clause("002-X1")
@pytest.mark.parametrize(
    "edit",
    [
        f"UPDATE templates SET variables = '[oops' {AT}",
        f"UPDATE templates SET variables = '7' {AT}",
        f"UPDATE templates SET blueprint_schema = '{{' {AT}",
        f"UPDATE templates SET vouched_by = 0 {AT}",
        f"UPDATE templates SET vouched_by = vouched_by + 1 {AT}",
        f"UPDATE templates SET id = 'planner/other@9' {AT}",
        f"DELETE FROM template_releases {AT}",
    ],
)
def test_a_version_that_cannot_be_read_is_drift_and_hides_no_other(place: Any, edit: str) -> None:
    """It is a hit whose `found` is null, with what is still readable; the scan goes on."""
    check_unreadable(place, edit, ("planner.base", 1))


@pytest.mark.clause("002-X1")
@pytest.mark.parametrize(
    ("edit", "known"),
    [
        (
            f"UPDATE events SET body = 'x' WHERE seq = (SELECT vouched_by FROM templates {AT})",
            ("planner.base", 1),
        ),
        (f"UPDATE templates SET body = x'ff00' {AT}", ("planner.base", 1)),
        (f"UPDATE templates SET body = CAST(x'ff41' AS TEXT) {AT}", ("planner.base", 1)),
        (f"UPDATE templates SET role = CAST(x'ff41' AS TEXT) {AT}", ("planner.base", 1)),
        (f"UPDATE templates SET version = 'one' {AT}", ("planner.base", None)),
        (f"UPDATE templates SET name = x'ff' {AT}", (None, 1)),
        (f"UPDATE templates SET sha256 = x'ff' {AT}", ("planner.base", 1)),
        (f"UPDATE templates SET signature = x'ff' {AT}", ("planner.base", 1)),
        (f"UPDATE template_releases SET moves = 'many' {AT}", ("planner.base", 1)),
        (f"UPDATE template_releases SET state = CAST(x'ff' AS TEXT) {AT}", ("planner.base", 1)),
    ],
)
def test_a_value_of_another_type_is_drift_and_hides_no_other(
    sqlite_place: Any, edit: str, known: tuple[str | None, int | None]
) -> None:
    """SQLite keeps any type in any column, and bytes that are no text; PostgreSQL refuses both."""
    check_unreadable(sqlite_place, edit, known)


def check_unreadable(place: Any, edit: str, known: tuple[str | None, int | None]) -> None:
    """Version 1 of three is edited by *edit*, version 3 in its text: both are told."""

    async def prepare() -> None:
        async with opened(place) as registry:
            for number, body in ((1, "A {{grant}}"), (2, "B {{grant}}"), (3, "C {{grant}}")):
                await registry.add(version(number, body), author="ada")

    async def look() -> tuple[DriftReport, list[Any]]:
        async with opened(place) as registry:
            report = await detect(registry)
            return report, [each.facts async for each in registry.store.events(kind=DRIFT)]

    run(prepare())
    execute(place, edit)
    execute(place, "UPDATE templates SET body = 'D {{grant}}' WHERE version = 3")
    report, told = run(look())

    first, third = report.hits
    assert ("version", None, known) == (
        first["kind"],
        first["found"],
        (first["name"], first["version"]),
    )
    assert known[0] is None or "planner/planner.base@1" == first["id"]
    assert ("version", "planner/planner.base@3") == (third["kind"], third["id"])
    assert third["found"] is not None
    assert (3, 2) == (report.versions, report.last_24h)
    assert [dict(hit) for hit in report.hits] == told


@pytest.mark.clause("002-X1", "002-X3")
@pytest.mark.parametrize("gone", [True, False])
def test_a_context_that_cannot_be_read_is_drift(place: Any, gone: bool) -> None:
    """Prompts of an unreadable version, prompts whose event was edited, hits that were edited."""
    named = {"role": "planner", "name": "planner.base", "version": 1, "sha256": "sha256:0"}

    async def prepare() -> None:
        async with opened(place) as registry:
            await registry.add(version(1), author="ada")
            number = await registry.store.start_run("test", {})
            for facts in ({"template": named}, {"template": None}, {"template": "?"}):
                drafts = (EventDraft(kind="prompt.built", facts=facts),)
                await registry.store.commit(Changes(run=number, events=drafts))
            drafts = (EventDraft(kind=DRIFT, facts=named), EventDraft(kind="prompt.built"))
            await registry.store.commit(Changes(run=number, events=drafts))

    async def look() -> DriftReport:
        async with opened(place) as registry:
            return await detect(registry)

    run(prepare())
    column = "'{}'" if place.kind == "sqlite" else "convert_to('{}', 'UTF8')"
    last = f"SELECT max(seq) FROM events WHERE kind = '{DRIFT}'"
    execute(place, f"UPDATE events SET body = {column} WHERE seq = ({last})")
    last = "SELECT max(seq) FROM events WHERE kind = 'prompt.built'"
    execute(place, f"UPDATE events SET body = {column} WHERE seq = ({last})")
    if gone:
        execute(place, "UPDATE templates SET variables = 'oops'")
    report = run(look())

    version_hits = [hit for hit in report.hits if hit["kind"] == "version"]
    of_version, spoilt = report.hits[len(version_hits) :]
    assert int(gone) == len(version_hits)
    assert ("context", 1, gone) == (
        of_version["kind"],
        of_version["contexts"],
        of_version["found"] is None,
    )
    assert ("context", None, 2, 2) == (
        spoilt["kind"],
        spoilt["found"],
        spoilt["contexts"],
        len(spoilt["events"]),
    )
    assert 3 == report.contexts
    assert len(report.hits) + 1 == report.last_24h


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE template_releases SET state = 'active'",
        "UPDATE template_releases SET percent = 99",
        "DELETE FROM template_releases",
        "UPDATE template_labels SET version = 7",
    ],
)
def test_an_edited_release_breaks_the_record(place: Any, edit: str) -> None:
    """Which version is in use is vouched for: an edit of a release or a label is found."""

    async def prepare() -> None:
        async with opened(place) as registry:
            await registry.add(version(1), author="ada")
            reference = Reference.parse("planner/planner.base@1")
            await Releases(registry=registry).label(reference, "best", ME)

    async def status() -> str:
        async with opened(place) as registry:
            return (await registry.store.verify()).status

    run(prepare())
    assert "unanchored" == run(status())
    execute(place, edit)

    assert "broken" == run(status())


def test_a_label_is_never_taken_for_a_version(place: Any) -> None:
    """Digits are versions; a label made of digits is refused; a label moves."""

    async def work() -> None:
        async with opened(place) as registry:
            releases = Releases(registry=registry)
            first, second = version(1), version(2, "Else {{grant}}.")
            await registry.add(first, author="ada")
            await registry.add(second, author="ada")
            at = Reference.parse
            for wrong in ("3", "03", "active", "canary", "", "a b", "٣", "@"):
                with pytest.raises(InputError):
                    await releases.label(at("planner/planner.base@1"), wrong, ME)
            await releases.label(at("planner/planner.base@1"), "v3", ME)
            assert 1 == (await registry.find(at("planner/planner.base@v3"))).row.version
            await releases.label(at("planner/planner.base@2"), "v3", ME)
            assert 2 == (await registry.find(at("planner/planner.base@v3"))).row.version
            with pytest.raises(NotFoundError):
                await registry.find(at("planner/planner.base@3"))
            with pytest.raises(NotFoundError):
                await registry.find(at("planner/planner.base"))

    run(work())


def test_two_that_bring_the_same_pack_add_its_template_once(place: Any) -> None:
    """Whoever is second finds what the first one added; both render it."""
    contract = tiny_pack().contract("triage")

    async def work() -> tuple[list[str], list[str]]:
        async with opened(place) as one, opened(place) as two:
            runs = [await each.store.start_run("test", {}) for each in (one, two)]
            found = await asyncio.gather(
                *(
                    registry.resolve(contract, run=number, assignment="a")
                    for registry, number in zip((one, two), runs, strict=True)
                )
            )
            added = [event async for event in one.store.events(kind="template.added")]
            return [each.release for each in found], [event.facts["id"] for event in added]

    assert (["active", "active"], ["triage/triage@1"]) == run(work())


class Late:
    """Reads what stood there before anybody added anything, once."""

    def __init__(self, templates: SqlTemplates) -> None:
        self._templates = templates
        self._late = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._templates, name)

    async def released_versions(self, *which: Any) -> Any:
        late, self._late = self._late, False
        return [] if late else await self._templates.released_versions(*which)

    async def newest(self, *which: Any) -> int:
        return 0


@pytest.mark.parametrize("same", [True, False])
def test_who_was_overtaken_while_adding_looks_again(place: Any, same: bool) -> None:
    """The same text: it renders. Another text under that number: refused."""
    pack = tiny_pack()
    body = FILES["templates/triage.md"].replace(b"Answer", b"Reply")
    other = pack if same else tiny_pack(templates__triage__md=body)

    async def work() -> str:
        async with opened(place) as registry:
            number = await registry.store.start_run("test", {})
            await registry.resolve(pack.contract("triage"), run=number, assignment="a")
            registry.templates = Late(registry.templates)  # type: ignore[arg-type, assignment]
            found = await registry.resolve(other.contract("triage"), run=number, assignment="a")
            return found.release

    if same:
        assert "active" == run(work())
    else:
        with pytest.raises(ConflictError, match="never changes"):
            run(work())
