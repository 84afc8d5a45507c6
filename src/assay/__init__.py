"""Exact prompts, a strict gate for model output, and a record that a stranger can check.

In      names
Out     what a caller needs, each from the module it lives in, loaded when first used
Spec    interfaces.md, "Python"
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.answers.assemble import assemble, validate
    from assay.contract.budget import Attempt, Budget
    from assay.contract.classes.markers import Label, Quote
    from assay.contract.contract import Contract, judge
    from assay.contract.outcome import Outcome
    from assay.errors import (
        AssayError,
        ContractClassError,
        ExecutionError,
        InputError,
        IntegrityError,
        PackError,
        PromptTemplateError,
        UsageError,
    )
    from assay.gate.verdict import Finding, Verdict
    from assay.pack.pack import Pack
    from assay.redaction.redactor import redact, redact_with_mapping
    from assay.runtime.classes.complete import Completed
    from assay.runtime.runtime import Runtime
    from assay.runtime.templates.role_prompt import detect_template_drift, render_role_prompt
    from assay.wiring import aopen, load_pack, open

_HOMES = {
    "AssayError": "assay.errors",
    "Attempt": "assay.contract.budget",
    "Budget": "assay.contract.budget",
    "Completed": "assay.runtime.classes.complete",
    "Contract": "assay.contract.contract",
    "ContractClassError": "assay.errors",
    "ExecutionError": "assay.errors",
    "Finding": "assay.gate.verdict",
    "InputError": "assay.errors",
    "IntegrityError": "assay.errors",
    "Label": "assay.contract.classes.markers",
    "Outcome": "assay.contract.outcome",
    "Pack": "assay.pack.pack",
    "PackError": "assay.errors",
    "PromptTemplateError": "assay.errors",
    "Quote": "assay.contract.classes.markers",
    "Runtime": "assay.runtime.runtime",
    "UsageError": "assay.errors",
    "Verdict": "assay.gate.verdict",
    "aopen": "assay.wiring",
    "detect_template_drift": "assay.runtime.templates.role_prompt",
    "render_role_prompt": "assay.runtime.templates.role_prompt",
    "assemble": "assay.answers.assemble",
    "judge": "assay.contract.contract",
    "load_pack": "assay.wiring",
    "open": "assay.wiring",
    "redact": "assay.redaction.redactor",
    "redact_with_mapping": "assay.redaction.redactor",
    "validate": "assay.answers.assemble",
}

__all__ = [
    "AssayError",
    "Attempt",
    "Budget",
    "Completed",
    "Contract",
    "ContractClassError",
    "ExecutionError",
    "Finding",
    "InputError",
    "IntegrityError",
    "Label",
    "Outcome",
    "Pack",
    "PackError",
    "PromptTemplateError",
    "Quote",
    "Runtime",
    "UsageError",
    "Verdict",
    "aopen",
    "assemble",
    "detect_template_drift",
    "judge",
    "load_pack",
    "open",
    "redact",
    "redact_with_mapping",
    "render_role_prompt",
    "validate",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
