"""An accepted output becomes an audited result.

In      Contract, Verdict, Material, Redactor
Out     Result: evidence spans, confirmations, redacted values, thresholds, checked against
        its own published schema; or the verdict with findings, when it breaks that schema
Pure    yes
Spec    000 "audited, schema-validated results"; interfaces.md, `assay run --json`

What is done to an output is data of the contract (`result:`): nothing here knows a pack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from assay.contract.confirm import confirm
from assay.contract.masking import (
    Mask,
    mask_slice,
    masks_of_texts,
    spelling_pattern,
)
from assay.contract.result_spec import Result, ResultSpec, Signal
from assay.core.json.canonical import digest_json
from assay.core.json.pointer import PointerPattern
from assay.errors import InputError
from assay.gate.verdict import Finding, LocatedAt, Verdict
from assay.redaction.redactor import Redactor

if TYPE_CHECKING:
    from assay.contract.contract import Contract
    from assay.contract.material import Built, Material

EVIDENCE: Final = "evidence"
"""The key that takes the place of the snippet list."""

OTHER: Final = "other"
"""In limits by label: every label that has no limit of its own."""


def settle_result(
    contract: Contract,
    verdict: Verdict,
    material: Material,
    redactor: Redactor,
    *,
    built: Built | None = None,
) -> tuple[Result | None, Verdict]:
    """Turn the output of an accepted *verdict* into the audited result.

    Args:
        built: The attempt that was answered. With it the redaction of its prompt is used
            for the snippets; without it the sources are redacted again.

    Returns:
        The result and the verdict. When the result breaks its own schema there is no
        result, and the verdict is one of rejection that carries `result.schema` findings.

    Raises:
        InputError: *verdict* is not one of acceptance.
    """
    if not verdict.accepted or verdict.output is None:
        raise InputError("a rejected output has no result")
    value = _copy(verdict.output)
    spec = contract.result
    if spec is None:
        return _seal_result(contract.name, value), verdict
    values = _personal_values(spec, value, redactor)
    if contract.evidence is not None:
        masks: Mapping[str, Sequence[Mask]] = (
            built.hidden.masks
            if built is not None and built.hidden is not None
            else masks_of_prompt(built)
            if built is not None
            else masks_of_texts(material.texts, (span.source for span in verdict.spans), redactor)
        )
        shown = _evidence(verdict.spans, material.texts, masks, values)
        _replace_snippets(value, contract.evidence.snippets.text, shown)
    _confirm(spec, value, material, redactor)
    _redact(spec, value, redactor)
    _mark_primary(spec, value)
    _mark_thresholds(spec, value)
    _add_signals(spec, value, material)
    findings = tuple(
        Finding(
            code="result.schema",
            path=fault.pointer,
            message=f"the result breaks its own schema: {fault.keyword}",
        )
        for fault in spec.schema.faults(value)
    )
    if findings:
        return None, replace(verdict, findings=verdict.findings + findings, output=None, value=None)
    return _seal_result(spec.name, value), verdict


def _seal_result(name: str, value: dict[str, Any]) -> Result:
    # Objects that stand in two places of the value become two: nothing is shared.
    apart = _copy(value)
    return Result(name=name, value=apart, digest=digest_json(apart))


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copy(item) for item in value]
    return value


# --- evidence -------------------------------------------------------------------------------


def masks_of_prompt(built: Built) -> dict[str, tuple[Mask, ...]]:
    """What redaction found in the prompt, carried back to the sources it shows.

    The prompt was redacted already for the record: this costs nothing, and the snippets of
    a result show what the redacted prompt shows.
    """
    masks: dict[str, list[Mask]] = {shown.name: [] for shown in built.shown}
    spans = built.prompt.redaction.spans
    for place in built.placements:
        stop_at = place.at + place.stop - place.start
        back = place.start - place.at
        masks[place.source] += [
            Mask(
                start=max(span.start, place.at) + back,
                stop=min(span.stop, stop_at) + back,
                surrogate=span.surrogate,
            )
            for span in spans
            if span.start < stop_at and span.stop > place.at
        ]
    return {name: tuple(found) for name, found in masks.items()}


def _evidence(
    spans: Sequence[LocatedAt],
    texts: Mapping[str, str],
    masks: Mapping[str, Sequence[Mask]],
    values: Sequence[tuple[Any, str]],
) -> dict[str, list[dict[str, Any]]]:
    """Evidence entries by the pointer of the list that the snippet stood in."""
    found: dict[str, list[dict[str, Any]]] = {}
    for span in spans:
        text = texts[span.source]
        entry = {
            "source": span.source,
            "start": span.start,
            "stop": span.stop,
            "digest": span.digest,
            "snippet_redacted": mask_slice(
                text, span.start, span.stop, masks.get(span.source, ()), values
            ),
        }
        found.setdefault(span.path.rpartition("/")[0], []).append(entry)
    return found


def _replace_snippets(
    value: dict[str, Any], pattern: str, evidence: Mapping[str, list[dict[str, Any]]]
) -> None:
    """Put `evidence` where the list of snippets stood, in the same place of its object."""
    parent, _, field = pattern.removesuffix("/*").rpartition("/")
    name = field.replace("~1", "/").replace("~0", "~")
    for pointer, holder in tuple(PointerPattern.compile(parent).find(value)):
        if not isinstance(holder, dict) or name not in holder:
            continue
        entries = evidence.get(f"{pointer}/{field}", [])
        items = [(EVIDENCE, entries) if key == name else (key, holder[key]) for key in holder]
        holder.clear()
        holder.update(items)


# --- values ---------------------------------------------------------------------------------


def _objects(pattern: PointerPattern, value: Any) -> Iterator[dict[str, Any]]:
    for _, found in pattern.find(value):
        if isinstance(found, dict):
            yield found


def _personal_values(
    spec: ResultSpec, value: dict[str, Any], redactor: Redactor
) -> list[tuple[Any, str]]:
    """Values that are personal by type, as patterns, each with its surrogate."""
    found: list[tuple[Any, str]] = []
    for rule in spec.redact:
        for item in _objects(rule.at, value):
            kind, text = item.get(rule.by), item.get(rule.field)
            if isinstance(kind, str) and isinstance(text, str) and kind in rule.classes:
                pattern = spelling_pattern(text)
                if pattern is not None:
                    found.append((pattern, redactor.surrogate(rule.classes[kind], text)))
    return found


def _confirm(
    spec: ResultSpec, value: dict[str, Any], material: Material, redactor: Redactor
) -> None:
    for rule in spec.confirm:
        for item in _objects(rule.at, value):
            kind, text = item.get(rule.by), item.get(rule.field)
            known = rule.kinds.get(kind) if isinstance(kind, str) else None
            answer = confirm(
                text if isinstance(text, str) else "",
                known,
                material.texts,
                material.input,
                redactor,
            )
            item["confirmed"] = answer.confirmed
            item["reason"] = answer.reason


def _redact(spec: ResultSpec, value: dict[str, Any], redactor: Redactor) -> None:
    for rule in spec.redact:
        for item in _objects(rule.at, value):
            kind, text = item.get(rule.by), item.get(rule.field)
            if not isinstance(text, str):
                continue
            cls = rule.classes.get(kind) if isinstance(kind, str) else None
            item[rule.field] = (
                redactor.redact(text).text if cls is None else redactor.surrogate(cls, text)
            )


# --- labels ---------------------------------------------------------------------------------


def _mark_primary(spec: ResultSpec, value: dict[str, Any]) -> None:
    """The primary object is the listed one itself, so what marks one marks the other."""
    for rule in spec.primary:
        rank = {label: place for place, label in enumerate(rule.priority)}
        listed = [
            item for _, items in PointerPattern.compile(rule.of).find(value) for item in items
        ]
        chosen = min(
            listed, key=lambda item: rank.get(str(item.get(rule.label)), len(rank)), default=None
        )
        parent, _, name = rule.to.rpartition("/")
        for holder in tuple(_objects(PointerPattern.compile(parent), value)):
            holder[name] = chosen


def _add_signals(spec: ResultSpec, value: dict[str, Any], material: Material) -> None:
    """A label that signs decide is listed once: the model's own entry stays as it is."""
    for rule in spec.signals:
        signs = material.signals if rule.languages is None else _language_signs(rule, material)
        if not signs:
            continue
        for _, items in PointerPattern.compile(rule.to).find(value):
            if not any(item.get(rule.label) == rule.item[rule.label] for item in items):
                items.append({**rule.item, EVIDENCE: [], "signals": list(signs)})


def _language_signs(rule: Signal, material: Material) -> tuple[str, ...]:
    """The guessed language, where the contract takes others; none where there is no guess."""
    guessed = material.input.get("language")
    known = not isinstance(guessed, str) or guessed in (rule.languages or ())
    return () if known else (f"language: {guessed}",)


def _mark_thresholds(spec: ResultSpec, value: dict[str, Any]) -> None:
    for rule in spec.thresholds:
        for item in _objects(rule.at, value):
            kind = OTHER if rule.by is None else str(item.get(rule.by))
            limit = rule.limits.get(kind, rule.limits.get(OTHER))
            confidence = item.get(rule.field)
            if limit is None or not isinstance(confidence, int | float):
                continue
            if confidence < limit:
                item["below_threshold"] = True
