"""The registry of templates for who reads it: all names, one name's versions, their difference.

In      a role and a name, two versions, a pack
Out     pages
Effects store reads
Spec    interfaces.md, "HTTP"; 002-N2, 002-X1; 009-R1 to 009-R3
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from assay.errors import NotFoundError, TemplateError
from assay.runtime.templates.diff import compare
from assay.runtime.templates.releases import Releases
from assay.server.api.routes import Reader, Served
from assay.server.pages.frame import render_page, words_for
from assay.server.service import Service
from assay.templates.signing import holds
from assay.templates.version import Registered, Unreadable
from assay.templates.word_difference import Row, align_rows, compare_words

router = APIRouter(include_in_schema=False)

STATES: Final[Mapping[str, str]] = {
    "active": "accepted",
    "canary": "review",
    "added": "",
    "former": "",
    "retired": "no_evidence",
}
"""The mark that a state is shown with."""


@dataclass(slots=True, kw_only=True)
class NameRow:
    """One template in the list of all."""

    role: str
    name: str
    versions: int = 0
    newest: int = 0
    active: int | None = None
    canary: int | None = None
    percent: int | None = None
    edited: int = 0


@router.get("/templates")
async def list_names(request: Request, service: Served, _: Reader) -> Response:
    """All templates, with what is released of them."""
    rows: dict[tuple[str, str], NameRow] = {}
    unnamed = 0
    for found in await service.runtime.registry.templates.scan():
        if isinstance(found, Unreadable):
            if found.role is None or found.name is None:
                unnamed += 1
            else:
                row = _find_row(rows, found.role, found.name)
                row.versions, row.edited = row.versions + 1, row.edited + 1
                row.newest = max(row.newest, found.version or 0)
            continue
        row = _find_row(rows, found.row.role, found.row.name)
        row.versions += 1
        row.newest = max(row.newest, found.row.version)
        row.edited += found.drifted
        if found.release.state == "active":
            row.active = found.row.version
        elif found.release.state == "canary":
            row.canary, row.percent = found.row.version, found.release.percent
    return render_page(
        request,
        "registry.html",
        title=words_for(request)("page.templates"),
        rows=[rows[key] for key in sorted(rows)],
        unnamed=unnamed,
    )


def _find_row(rows: dict[tuple[str, str], NameRow], role: str, name: str) -> NameRow:
    return rows.setdefault((role, name), NameRow(role=role, name=name))


Version = Annotated[int | None, Query(ge=1, le=10**9)]


@router.get("/templates/{role}/{name}")
async def show_name(
    request: Request,
    role: str,
    name: str,
    service: Served,
    caller: Reader,
    before: Version = None,
    after: Version = None,
    pack: str = "",
    done: str = "",
) -> Response:
    """All versions of one template, and two of them side by side."""
    versions = await find_versions(service, role, name)
    by_number = {each.row.version: each for each in versions}
    chosen = _choose_pair(versions, before, after)
    for number in chosen:
        if number not in by_number:
            raise NotFoundError(f"there is no version {number} of this template")
    registry = service.runtime.registry
    releases = Releases(registry=registry)
    active = next((each for each in versions if each.release.state == "active"), None)
    t = words_for(request)
    return render_page(
        request,
        "registry_name.html",
        title=f"{role}/{name}",
        role=role,
        name=name,
        versions=list(reversed(versions)),
        states=STATES,
        trusted={
            each.row.version
            for each in versions
            if registry.governance.trusted and holds(each, registry.governance.trusted)
        },
        second={
            each.row.version
            for each in versions
            if releases.needs_second_person(each, caller.person)
        },
        two_person=registry.governance.two_person,
        unvouched=await registry.templates.unvouched_rows(role, name),
        back_to=None if active is None else active.release.replaced,
        before=chosen[0],
        after=chosen[1],
        difference=_show_difference(service, by_number, chosen, pack),
        packs=find_packs(service, role, name),
        pack=pack,
        done=t.find(f"registry.done.{done}"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDifference:
    """Two versions as the page shows them; None for the rows of what neither has."""

    text: Sequence[Row]
    added: Sequence[str]
    removed: Sequence[str]
    reordered: bool
    instructions: Sequence[Row] | None
    schema: Sequence[Row] | None
    cases: int | None
    prompts: Sequence[Mapping[str, Any]]
    same: bool
    unreadable: str = ""
    """Why a version is no template any more."""


def _show_difference(
    service: Service, versions: Mapping[int, Registered], chosen: tuple[int, int], pack: str
) -> ShownDifference:
    old, new = (versions[number].row for number in chosen)
    added: Sequence[str] = ()
    removed: Sequence[str] = ()
    reordered, same, unreadable = False, False, ""
    cases: int | None = None
    prompts: Sequence[Mapping[str, Any]] = ()
    try:
        found = compare(
            versions[chosen[0]].template(),
            versions[chosen[1]].template(),
            service.pack(pack) if pack else None,
        )
    except TemplateError as error:
        unreadable = error.message
    else:
        added, removed, reordered, same = found.added, found.removed, found.reordered, found.same
        cases = found.cases if pack else None
        prompts = [each.to_dict() for each in found.rendered]
    instructions = old.blueprint_instructions, new.blueprint_instructions
    schemas = _write_schema(old.blueprint_schema), _write_schema(new.blueprint_schema)
    return ShownDifference(
        text=align_rows(compare_words(old.body, new.body)),
        added=added,
        removed=removed,
        reordered=reordered,
        instructions=align_rows(compare_words(*instructions)) if any(instructions) else None,
        schema=align_rows(compare_words(*schemas)) if any(schemas) else None,
        cases=cases,
        prompts=prompts,
        same=same,
        unreadable=unreadable,
    )


def _write_schema(schema: Mapping[str, Any] | None) -> str:
    if schema is None:
        return ""
    return json.dumps(dict(schema), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _choose_pair(
    versions: Sequence[Registered], before: int | None, after: int | None
) -> tuple[int, int]:
    """The two that are compared: where nobody chose, the active one and the newest."""
    numbers = [each.row.version for each in versions]
    active = next((each.row.version for each in versions if each.release.state == "active"), None)
    new = numbers[-1] if after is None else after
    if before is not None:
        return before, new
    if active is not None and active != new:
        return active, new
    earlier = [number for number in numbers if number < new]
    return (earlier[-1] if earlier else new), new


async def find_versions(service: Service, role: str, name: str) -> Sequence[Registered]:
    """All versions of a template, the oldest first.

    Raises:
        NotFoundError: there is none.
    """
    found = await service.runtime.registry.versions(role, name)
    if not found:
        raise NotFoundError("there is no template of this role and name")
    return found


def find_packs(service: Service, role: str, name: str) -> dict[str, list[str]]:
    """The packs that are served and have contracts with this template, and which contracts."""
    found: dict[str, list[str]] = {}
    for pack in service.packs.values():
        for contract in pack.contracts.values():
            own = contract.template
            if own is not None and (own.role, own.name) == (role, name):
                found.setdefault(pack.name, []).append(contract.name)
    return found
