"""Moves in the registry for who releases: a sheet with a reason, and who may not sign it.

In      forms
Out     sheets; versions that were added, released, taken back, retired
Effects versions and releases as events
Spec    interfaces.md, "HTTP"; 002-N2, 002-V2, 002-V3; 009-R4, 009-R5
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal
from urllib.parse import quote

from fastapi import APIRouter, Path, Request
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from assay.client.bodies import MOST_REASON
from assay.errors import AssayError, ConflictError, InputError, NotAllowedError, TemplateError
from assay.runtime.access.callers import Caller
from assay.runtime.templates.releases import Move, Releases
from assay.server.api.routes import Releaser, Served
from assay.server.api.templates import backtest_with
from assay.server.pages.frame import render_page, words_for
from assay.server.pages.registry import STATES, find_packs, find_versions
from assay.server.service import Service
from assay.templates.template import parse_template
from assay.templates.version import Reference, Registered

router = APIRouter(include_in_schema=False)

Sheet = Literal["promote", "canary", "retire"]
Number = Annotated[int, Path(ge=1, le=10**9)]
_AROUND: Final = 3
_MOST_LINE: Final = 400


# --- adding -------------------------------------------------------------------------------------


@router.get("/templates/add")
async def show_add_sheet(request: Request, _: Releaser) -> Response:
    """Where a new version is handed in."""
    return _show_add_sheet(request)


@router.post("/templates/add")
async def add_version(request: Request, service: Served, caller: Releaser) -> Response:
    """Keep a version for good; it is not released by that."""
    form = await request.form()
    reason, pasted, file = str(form.get("reason") or ""), form.get("text"), form.get("file")
    content = b""
    if isinstance(file, UploadFile):
        content = await file.read()
    if not content:
        # Browsers send line ends of a text field as CR LF, whatever was pasted.
        content = str(pasted or "").replace("\r\n", "\n").encode("utf-8", "surrogatepass")
    text = content.decode("utf-8", "replace")
    try:
        if len(reason) > MOST_REASON:
            raise InputError("the reason is too long", hint=f"up to {MOST_REASON} characters")
        version = parse_template(content, file="text")
        await service.runtime.registry.add(version, author=caller.person, reason=reason)
    except AssayError as error:
        if error.http_status >= 500:
            raise
        return _show_add_sheet(request, text=text, reason=reason, error=error)
    return _to_name(version.role, version.name, "added", after=version.version)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultLine:
    """A line near a fault; the one at fault is cut in two where it lies."""

    number: int
    before: str
    at: str | None
    """The rest of the line from the fault on; None for a line that is not at fault."""


def cut_lines(text: str, line: int, column: int) -> tuple[FaultLine, ...]:
    """The lines around a fault, counted from 1; none where it has no place.

    Example:
        >>> [(each.number, each.before, each.at) for each in cut_lines("a\\nbcd\\n", 2, 2)]
        [(1, 'a', None), (2, 'b', 'cd')]
    """
    lines = text.split("\n")
    if not 1 <= line <= len(lines):
        return ()
    found = []
    for number in range(max(1, line - _AROUND), min(len(lines), line + _AROUND) + 1):
        said = lines[number - 1].rstrip("\r")
        if number == line:
            cut = max(0, column - 1)
            start = max(0, cut - _MOST_LINE // 2)
            found.append(
                FaultLine(number=number, before=said[start:cut], at=said[cut : cut + _MOST_LINE])
            )
        elif said or number < len(lines):
            found.append(FaultLine(number=number, before=said[:_MOST_LINE], at=None))
    return tuple(found)


def _show_add_sheet(
    request: Request, *, text: str = "", reason: str = "", error: AssayError | None = None
) -> Response:
    line, column = (error.line, error.column) if isinstance(error, TemplateError) else (0, 0)
    return render_page(
        request,
        "registry_add.html",
        title=words_for(request)("registry.add.title"),
        status=200 if error is None else error.http_status,
        text=text,
        reason=reason,
        error=error,
        line=line,
        column=column,
        fault=cut_lines(text, line, column),
        most_reason=MOST_REASON,
    )


# --- moving -------------------------------------------------------------------------------------


@router.get("/templates/{role}/{name}/roll-back")
async def show_roll_back(
    request: Request, role: str, name: str, service: Served, caller: Releaser
) -> Response:
    """What would be returned to, and why."""
    return await _show_sheet(request, service, caller, role, name, "rollback")


@router.post("/templates/{role}/{name}/roll-back")
async def roll_back(
    request: Request, role: str, name: str, service: Served, caller: Releaser
) -> Response:
    """Return to the version that was active before the one that is."""
    reason = await _read_reason(request)
    try:
        move = _make_move(caller, reason)
        await Releases(registry=service.runtime.registry).roll_back(role, name, move)
    except AssayError as error:
        return await _refuse(request, service, caller, role, name, "rollback", error)
    return _to_name(role, name, "rollback")


@router.get("/templates/{role}/{name}/{version}/{sheet}")
async def show_move(
    request: Request,
    role: str,
    name: str,
    version: Number,
    sheet: Sheet,
    service: Served,
    caller: Releaser,
) -> Response:
    """What a move would do, who may not make it, and why it is made."""
    return await _show_sheet(request, service, caller, role, name, sheet, version)


@router.post("/templates/{role}/{name}/{version}/{sheet}")
async def move_version(
    request: Request,
    role: str,
    name: str,
    version: Number,
    sheet: Sheet,
    service: Served,
    caller: Releaser,
) -> Response:
    """Make a version the active one, give it a share, or take it out of use."""
    form = await request.form()
    releases = Releases(registry=service.runtime.registry)
    reference = Reference(role=role, name=name, which=str(version))
    try:
        move = _make_move(caller, await _read_reason(request))
        if sheet == "promote":
            wanted = backtest_with(service, str(form.get("backtest_with") or "") or None)
            await releases.promote(reference, move, backtest=wanted)
        elif sheet == "canary":
            await releases.canary(reference, _read_percent(str(form.get("percent") or "")), move)
        else:
            await releases.retire(reference, move)
    except AssayError as error:
        return await _refuse(request, service, caller, role, name, sheet, error, version)
    return _to_name(role, name, sheet, after=version)


def _read_percent(given: str) -> int:
    if not (given.isascii() and given.isdigit() and len(given) < 4):
        raise InputError("a canary gets from 0 to 100 per cent")
    return int(given)


async def _read_reason(request: Request) -> str:
    return str((await request.form()).get("reason") or "").strip()


def _make_move(caller: Caller, reason: str) -> Move:
    """Raises InputError: a move on a page has a reason of some length."""
    if not reason:
        raise InputError("there is no reason", hint="say why: it is kept with the move")
    if len(reason) > MOST_REASON:
        raise InputError("the reason is too long", hint=f"up to {MOST_REASON} characters")
    return Move(by=caller.person, reason=reason)


async def _refuse(
    request: Request,
    service: Service,
    caller: Caller,
    role: str,
    name: str,
    sheet: str,
    error: AssayError,
    version: int | None = None,
) -> Response:
    """The sheet once more, with what stood in the way."""
    if error.http_status >= 500:
        raise error
    return await _show_sheet(request, service, caller, role, name, sheet, version, error=error)


async def _show_sheet(
    request: Request,
    service: Service,
    caller: Caller,
    role: str,
    name: str,
    sheet: str,
    version: int | None = None,
    *,
    error: AssayError | None = None,
) -> Response:
    versions = await find_versions(service, role, name)
    active = next((each for each in versions if each.release.state == "active"), None)
    if sheet == "rollback":
        version = None if active is None else active.release.replaced
        if version is None and error is None:
            raise ConflictError("no version was active before the one that is")
    found = next((each for each in versions if each.row.version == version), None)
    releases = Releases(registry=service.runtime.registry)
    second = sheet in ("promote", "canary") and (
        found is not None and releases.needs_second_person(found, caller.person)
    )
    form = await request.form() if request.method == "POST" else {}
    t = words_for(request)
    return render_page(
        request,
        "registry_move.html",
        title=t(f"registry.move.{sheet}.title", version=version or "–"),
        status=200 if error is None else error.http_status,
        role=role,
        name=name,
        version=version,
        sheet=sheet,
        found=found,
        active=active,
        states=STATES,
        second=second,
        error=error,
        why=None
        if error is None
        else t(f"registry.refused.{_choose_sentence(error, found, second)}"),
        reason=str(form.get("reason") or ""),
        percent=str(form.get("percent") or _tell_percent(found)),
        backtest_with=str(form.get("backtest_with") or ""),
        packs=list(find_packs(service, role, name)),
        most_reason=MOST_REASON,
    )


def _tell_percent(found: Registered | None) -> int:
    return 10 if found is None or found.release.percent is None else found.release.percent


def _choose_sentence(error: AssayError, found: Registered | None, second: bool) -> str:
    """Which sentence tells of an error."""
    if isinstance(error, NotAllowedError):
        if found is not None and found.release.state == "retired":
            return "retired"
        return "second_person" if second else "not_allowed"
    if isinstance(error, ConflictError):
        return "conflict"
    return "input" if isinstance(error, InputError) else "edited"


def _to_name(role: str, name: str, done: str, *, after: int | None = None) -> Response:
    chosen = "" if after is None else f"&after={after}"
    return RedirectResponse(
        f"/templates/{quote(role)}/{quote(name)}?done={done}{chosen}", status_code=303
    )
