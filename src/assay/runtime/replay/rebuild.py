"""Find again what a recorded call was made from: its contract and its job.

In      KeptCall, the pack, templates as the store holds them now
Out     Rebuilt: the contract with the recorded template version; a Job when the values are there
Effects store reads
Spec    002-N3
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.contract.contract import Contract
from assay.contract.job import ContractJob, Job
from assay.errors import NotFoundError
from assay.flow.job import Place, StageJob
from assay.pack.pack import Pack
from assay.redaction.redactor import Redactor
from assay.runtime.replay.kept import KeptCall
from assay.runtime.templates.policy import with_template, without_template
from assay.templates.template import TemplateVersion

FindTemplate = Callable[[str, str, int], Awaitable[TemplateVersion | None]]
"""(role, name, version) -> the version as the store holds it now; None when it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What a recorded call can be judged and built with."""

    contract: Contract
    job: Job | None
    """None when the material is gone."""


async def rebuild(
    kept: KeptCall, pack: Pack, redactor: Redactor, find: FindTemplate | None = None
) -> Rebuilt:
    """The contract of a call as *pack* has it, with the template version on record.

    Raises:
        NotFoundError: the pack is not the call's, or has no such contract any more.
    """
    named, _, name = kept.row.contract.rpartition("/")
    if named != pack.name:
        raise NotFoundError(
            f"call {kept.row.id} was made under pack {named!r}, not {pack.name!r}",
            hint="give its folder with --pack",
        )
    contract = pack.contract(name)
    if kept.release == "fallback":
        contract = without_template(contract)
    stored = None if find is None else await _recorded_template(kept, find)
    if stored is not None and contract.template is not None:
        contract = with_template(contract, stored, kept.release)
    return Rebuilt(contract=contract, job=job_of(kept, pack, contract, redactor))


def job_of(kept: KeptCall, pack: Pack, contract: Contract, redactor: Redactor) -> Job | None:
    """What was asked, to be built and weighed again; None when the material is gone."""
    if kept.material is None:
        return None
    facts: Mapping[str, Any] = kept.attempts[0].built if kept.attempts else {}
    stage = None if pack.stages is None else pack.stages.stages.get(facts.get("stage", ""))
    if pack.stages is None or stage is None:
        return ContractJob(contract=contract, material=kept.material, redactor=redactor)
    return StageJob(
        stage=stage,
        contract=contract,
        material=kept.material,  # with every slot as it was filled then
        place=Place(session=facts["session"], turn=facts["turn"], step=facts["step"]),
        slots=(),
        lead=pack.stages.turn_rules.correction,
        redactor=redactor,
    )


async def _recorded_template(kept: KeptCall, find: FindTemplate) -> TemplateVersion | None:
    for attempt in kept.attempts:
        recorded = attempt.built.get("template")
        if recorded is not None:
            return await find(recorded["role"], recorded["name"], int(recorded["version"]))
    return None
