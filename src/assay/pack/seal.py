"""The digest over everything that decides what a contract asks and accepts.

In      Contract, and what the pack says beside it
Out     the contract with its digest
Pure    yes
Spec    002-N3; interfaces.md, "Packs"

What was added after the first release stands in the digest only where a pack uses it, so that a
contract that says nothing new is the one that older records name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.contract.contract import Contract
from assay.core.json.canonical import digest_json
from assay.gate.labels import LabelSet
from assay.pack.signs import sign_facts
from assay.templates.template import TemplateVersion


def seal_contract(
    contract: Contract,
    *,
    checks: list[str] | None = None,
    result: Any = None,
    tables: list[Any] | None = None,
    formats: bool = False,
) -> Contract:
    """Give the contract the digest over everything that decides what it asks and accepts."""
    evidence = contract.evidence
    facts = {
        "name": contract.name,
        "pack": contract.pack,
        "version": contract.version,
        "schema": contract.schema.digest,
        "template": _template_facts(contract.template),
        "preamble": _template_facts(contract.preamble),
        "labels": [[rule.pattern.text, _set_facts(rule.set)] for rule in contract.labels],
        "label_sets": {name: _set_facts(one) for name, one in contract.label_sets.items()},
        "evidence": None
        if evidence is None
        else [evidence.snippets.text, [pattern.text for pattern in evidence.required]],
        "rules": [
            [rule.id, rule.code, rule.assert_text, rule.severity, rule.message]
            for rule in contract.rules
        ],
        "scores": [pattern.text for pattern in contract.scores],
        "checks": checks or [],
        "attempts": [attempt.to_dict() for attempt in contract.attempts],
        "budget": contract.budget.to_dict(),
        "models": list(contract.models),
        "lexicon": {
            name: {
                label: [list(entry.phrases), list(entry.patterns), list(entry.signals)]
                for label, entry in labels.items()
            }
            for name, labels in contract.lexicon.items()
        },
        "refusals": list(contract.refusals),
        "tokenizer": contract.tokenizer,
        "result": result,
    }
    if contract.examples.sets:
        facts["examples"] = {
            name: {label: list(texts) for label, texts in examples.items()}
            for name, examples in contract.examples.sets.items()
        }
    if contract.earlier:
        facts["earlier"] = dict(contract.earlier)
    if tables:
        facts["tables"] = tables
    if contract.signs is not None:
        facts["signs"] = sign_facts(contract.signs)
    if formats:  # what said nothing of them was read otherwise by the first release
        facts["formats"] = True
    if contract.ways:
        facts["ways"] = [dict(way) for way in contract.ways]
    if contract.send != "text":
        facts["send"] = contract.send
    if contract.system_inputs:
        facts["system_inputs"] = list(contract.system_inputs)
    return replace(contract, digest=digest_json(facts))


def _template_facts(template: TemplateVersion | None) -> str | None:
    return None if template is None else template.fields_sha256


def _set_facts(labels: LabelSet) -> list[Any]:
    facts = [
        labels.name,
        [[label, text] for label, text in labels.labels.items()],
        labels.multi,
        labels.repeats,
        list(labels.priority),
    ]
    return facts if labels.default is None else [*facts, {"default": labels.default}]
