"""Verify a pack: it reads, it is what was locked, it names only parts of the input that there
are, its golden cases end as expected and meet every pointer of its contracts.

In      files of a pack
Out     Verification: what was checked, every fault with file and line
Pure    yes
Spec    interfaces.md, `assay pack verify`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import PackError
from assay.gate.gate import Check
from assay.pack.coverage import cover_pointers
from assay.pack.golden import GoldenCase, golden_cases, run_case
from assay.pack.input_names import input_faults
from assay.pack.lock import LOCK, lock_faults
from assay.pack.pack import Pack
from assay.pack.read import read_pack


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What `verify` found."""

    pack: Pack | None
    """None when the files do not even read as a pack."""

    golden: int
    """Golden cases that were run."""

    pointers: int = 0
    """Pointers of contracts that were held against their replies."""

    faults: tuple[PackError, ...]

    @property
    def holds(self) -> bool:
        return not self.faults

    def to_dict(self) -> dict[str, Any]:
        """What `assay pack verify --json` prints."""
        pack = self.pack
        return {
            "pack": None if pack is None else pack.name,
            "version": None if pack is None else pack.version,
            "digest": None if pack is None else pack.digest,
            "status": "ok" if self.holds else "failed",
            "locked": pack is not None and LOCK in pack.files,
            "checked": {
                "files": 0 if pack is None else len(pack.files),
                "contracts": 0 if pack is None else len(pack.contracts),
                "templates": 0 if pack is None else len(pack.templates),
                "label_sets": 0 if pack is None else len(pack.label_sets),
                "stages": 0 if pack is None or pack.stages is None else len(pack.stages.stages),
                "golden": self.golden,
                "pointers": self.pointers,
            },
            "faults": [
                {"file": fault.file, "line": fault.line, "message": str(fault), "hint": fault.hint}
                for fault in self.faults
            ],
            "warnings": [
                {"file": warning.file, "line": warning.line, "message": str(warning)}
                for warning in (() if pack is None else pack.warnings)
            ],
        }


def verify_pack(
    files: Mapping[str, bytes],
    *,
    name_hint: str = "",
    checks: Mapping[str, Check] | None = None,
    lock_required: bool = False,
) -> Verification:
    """Check everything about a pack that can be checked without a model.

    Digests are compared first and named even when the files no longer read: what was changed
    by hand is the likely cause.
    """
    faults = list(lock_faults(files, required=lock_required))
    try:
        pack = read_pack(files, name_hint=name_hint, checks=checks)
    except PackError as error:
        return Verification(pack=None, golden=0, faults=(*faults, error))
    faults += _flow_faults(pack)
    cases: list[GoldenCase] = []
    try:
        for case in golden_cases(files):
            cases.append(case)
            fault = run_case(pack, case)
            if fault is not None:
                faults.append(fault)
    except PackError as error:
        # Which pointers the cases meet is only known when all of them can be read.
        return Verification(pack=pack, golden=len(cases), faults=(*faults, error))
    faults += input_faults(pack, cases)
    coverage = cover_pointers(pack, cases)
    return Verification(
        pack=pack,
        golden=len(cases),
        pointers=coverage.pointers,
        faults=(*faults, *coverage.faults),
    )


def _flow_faults(pack: Pack) -> Iterator[PackError]:
    """A contract without a template can judge, but a flow has to call a model with it."""
    for contract in pack.ordered_contracts():
        if contract.template is None and "pack.yaml" in pack.files:
            message = "stands in the flow and has no template"
            yield PackError(message, file=f"contracts/{contract.name}.yaml", line=1)
