"""`/v1/templates`: versions, releases, drift.

In      references, texts of versions, moves with their reasons
Out     the JSON of `assay templates`
Effects versions and releases as events
Spec    interfaces.md, "HTTP"; 002
"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from fastapi import Path, Query
from starlette.responses import JSONResponse, Response

from assay.client.answers import Answer, TemplateAnswer, TemplatesAnswer
from assay.client.bodies import CanaryBody, LabelBody, PromoteBody, ReasonBody, TemplateBody
from assay.runtime.replay.backtest import backtest_would_turn
from assay.runtime.templates import drift as drifting
from assay.runtime.templates.diff import compare
from assay.runtime.templates.releases import Backtest, Move, Releases
from assay.runtime.templates.stats import template_stats
from assay.server.api.routes import Reader, Releaser, Served, api_router
from assay.server.service import Service
from assay.server.shown_models import shown_names
from assay.templates.template import parse_template
from assay.templates.version import Reference, Registered

router = api_router("/templates", "templates")

Role = Annotated[str, Path(examples=["planner"])]
Name = Annotated[str, Path(examples=["outline"])]
Which = Annotated[str, Path(description="A number, `active`, `canary` or a label.")]


def reference(role: str, name: str, which: str) -> Reference:
    """Raises InputError for what names no version."""
    return Reference.parse(f"{role}/{name}@{which}")


@router.get("", response_model=TemplatesAnswer, summary="List versions")
async def versions(
    service: Served, _: Reader, role: str | None = None, name: str | None = None
) -> Response:
    """All, with their state."""
    found = await service.runtime.registry.versions(role, name)
    return JSONResponse({"templates": [each.to_dict(text=False) for each in found]})


@router.post("", response_model=TemplateAnswer, status_code=201, summary="Add a version")
async def add(body: TemplateBody, service: Served, caller: Releaser) -> Response:
    """Kept for good; released by `promote`, not by this."""
    version = parse_template(body.text.encode("utf-8", "surrogatepass"), file="text")
    found = await service.runtime.registry.add(version, author=caller.person, reason=body.reason)
    return JSONResponse({"template": found.to_dict(text=False)}, status_code=201)


@router.get("/drift", response_model=Answer, summary="Look for edited versions")
async def drift(service: Served, _: Reader) -> Response:
    """Every version and every recorded prompt's version against what the store holds now."""
    return JSONResponse((await drifting.detect(service.runtime.registry)).to_dict())


@router.get("/stats", response_model=Answer, summary="Count by version")
async def stats(service: Served, _: Reader) -> Response:
    """Drift, fallbacks, redactions, prompt lengths, verdicts by version."""
    day_ago = service.runtime.registry.clock.now() - timedelta(hours=24)
    found = await template_stats(service.runtime.store, day_ago=day_ago, since=None)
    document = found.to_dict()
    return JSONResponse({**document, "models": shown_names(document["models"])})


@router.get("/{role}/{name}/diff", response_model=Answer, summary="Compare two versions")
async def diff(
    role: Role,
    name: Name,
    service: Served,
    _: Reader,
    before: Annotated[str, Query(examples=["1"])],
    after: Annotated[str, Query(examples=["2"])],
    pack: Annotated[str | None, Query(description="Render its golden cases with both.")] = None,
) -> Response:
    """Text, variables, blueprint, prompts of golden cases."""
    registry = service.runtime.registry
    old, new = [
        (await registry.find(reference(role, name, which))).template() for which in (before, after)
    ]
    found = compare(old, new, None if pack is None else service.pack(pack))
    return JSONResponse(found.to_dict())


@router.get("/{role}/{name}/{which}", response_model=TemplateAnswer, summary="Show a version")
async def show(role: Role, name: Name, which: Which, service: Served, _: Reader) -> Response:
    """With its text."""
    found = await service.runtime.registry.find(reference(role, name, which))
    return JSONResponse({"template": found.to_dict()})


@router.post(
    "/{role}/{name}/{which}/promote", response_model=TemplateAnswer, summary="Make it active"
)
async def promote(
    role: Role, name: Name, which: Which, body: PromoteBody, service: Served, caller: Releaser
) -> Response:
    """The version before it stays, for audit and roll back."""
    done = await Releases(registry=service.runtime.registry).promote(
        reference(role, name, which),
        Move(by=caller.person, reason=body.reason),
        backtest=backtest_with(service, body.backtest_with),
    )
    return _tell_version(done)


def backtest_with(service: Service, pack: str | None) -> Backtest | None:
    """What a promotion asks first, where a pack is named."""
    if pack is None:
        return None
    found = service.pack(pack)

    async def count_turned(candidate: Registered, active: Registered | None) -> int:  # noqa: ARG001
        async with service.backtests:
            return await backtest_would_turn(service.runtime.context, found, candidate.template())

    return count_turned


@router.post(
    "/{role}/{name}/{which}/canary", response_model=TemplateAnswer, summary="Give it a share"
)
async def canary(
    role: Role, name: Name, which: Which, body: CanaryBody, service: Served, caller: Releaser
) -> Response:
    """0 ends it."""
    done = await Releases(registry=service.runtime.registry).canary(
        reference(role, name, which), body.percent, Move(by=caller.person, reason=body.reason)
    )
    return _tell_version(done)


@router.post(
    "/{role}/{name}/{which}/retire", response_model=TemplateAnswer, summary="Take it out of use"
)
async def retire(
    role: Role, name: Name, which: Which, body: ReasonBody, service: Served, caller: Releaser
) -> Response:
    """For good; it stays for audit and replay."""
    done = await Releases(registry=service.runtime.registry).retire(
        reference(role, name, which), Move(by=caller.person, reason=body.reason)
    )
    return _tell_version(done)


@router.post("/{role}/{name}/{which}/label", response_model=TemplateAnswer, summary="Label it")
async def label(
    role: Role, name: Name, which: Which, body: LabelBody, service: Served, caller: Releaser
) -> Response:
    """A name of your own for this version."""
    done = await Releases(registry=service.runtime.registry).label(
        reference(role, name, which), body.label, Move(by=caller.person, reason=body.reason)
    )
    return _tell_version(done)


@router.post("/{role}/{name}/rollback", response_model=TemplateAnswer, summary="Return to before")
async def roll_back(
    role: Role, name: Name, body: ReasonBody, service: Served, caller: Releaser
) -> Response:
    """To the version that was active before the one that is."""
    wanted = reference(role, name, "active")
    done = await Releases(registry=service.runtime.registry).roll_back(
        wanted.role, wanted.name, Move(by=caller.person, reason=body.reason)
    )
    return _tell_version(done)


def _tell_version(found: Any) -> Response:
    return JSONResponse({"template": found.to_dict(text=False)})
