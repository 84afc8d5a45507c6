"""Two versions of a template, side by side, also in the prompts of a pack's golden cases.

In      two versions, perhaps a pack
Out     Difference
Pure    yes
Spec    002-N2
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assay.contract.build import build
from assay.contract.contract import Contract
from assay.contract.material import Material, OverBudget
from assay.errors import PromptTemplateError
from assay.pack.document import validate_form
from assay.pack.golden import CALL, CallCase, golden_cases
from assay.pack.pack import Pack
from assay.redaction.redactor import Redactor
from assay.templates.diff import Difference, RenderedPair, difference
from assay.templates.template import TemplateVersion


def compare(
    before: TemplateVersion, after: TemplateVersion, pack: Pack | None = None
) -> Difference:
    """Compare two versions.

    Args:
        pack: Its golden cases are rendered with both, where a contract has the template.
    """
    pairs = () if pack is None else tuple(_pairs(pack, before, after))
    return difference(before, after, pairs)


def _pairs(pack: Pack, before: TemplateVersion, after: TemplateVersion) -> Iterator[RenderedPair]:
    redactor = Redactor(extra=pack.redaction_classes)
    for case in golden_cases(pack.files):
        if case.value.get("kind", CALL) != CALL:
            continue
        form = validate_form(case.document, CallCase)
        contract = pack.contract(form.contract)
        own = contract.template
        if own is None or (own.role, own.name) != (before.role, before.name):
            continue
        material = Material(
            texts=form.sources,
            slots=form.slots,
            signals=tuple(form.signals),
            state=form.state,
            input=form.input,
        )
        old, fault = _prompt(contract, before, material, redactor)
        new, other = _prompt(contract, after, material, redactor)
        yield RenderedPair(case=case.name, before=old, after=new, fault=fault or other)


def _prompt(
    contract: Contract, template: TemplateVersion, material: Material, redactor: Redactor
) -> tuple[str | None, str]:
    try:
        built = build(replace(contract, template=template), material, 1, redactor)
    except PromptTemplateError as error:
        return None, error.message
    if isinstance(built, OverBudget):
        return None, f"over budget: {built.tokens} tokens, {built.limit} allowed"
    return built.prompt.text, ""
