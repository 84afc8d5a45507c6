"""The `result:` part of a contract file becomes a ResultSpec.

In      its form, the contract's labels, the pack's policies
Out     ResultSpec, and the facts about it that enter the contract's digest
Pure    yes
Spec    interfaces.md, "Packs"; 000 "audited, schema-validated results"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.contract.confirm import KeyRule
from assay.contract.result_spec import Confirm, Primary, Redact, ResultSpec, Signal, Threshold
from assay.core.json.schema import Schema
from assay.errors import AssayError
from assay.gate.labels import LabelRule
from assay.pack.document import Document, suggest_name
from assay.pack.forms import (
    ConfirmForm,
    LimitForm,
    PrimaryForm,
    ResultForm,
    SignalForm,
    ThresholdsForm,
)


def result_spec(
    document: Document,
    form: ResultForm,
    labels: tuple[LabelRule, ...],
    policies: Mapping[str, Document],
    schema: Callable[[str], Schema],
) -> ResultSpec:
    """Resolve everything that the form names.

    Args:
        schema: Finds and compiles a schema file by name.

    Raises:
        PackError: with file and line of the first fault.
    """
    return ResultSpec(
        name=form.name,
        schema=schema(form.schema_),
        primary=() if form.primary is None else (_primary(document, form.primary, labels),),
        thresholds=()
        if form.thresholds is None
        else _thresholds(document, form.thresholds, policies),
        redact=tuple(
            Redact(
                at=document.pattern(rule.at, "result", "redact", place, "at"),
                field=rule.value,
                by=rule.by,
                classes=rule.classes,
            )
            for place, rule in enumerate(form.redact)
        ),
        confirm=tuple(_confirm(document, rule, place) for place, rule in enumerate(form.confirm)),
        signals=tuple(
            _signal(document, rule, labels, place) for place, rule in enumerate(form.signals)
        ),
    )


def result_facts(form: ResultForm, spec: ResultSpec) -> dict[str, Any]:
    """What the contract's digest covers of its result: limits by value, not by name."""
    said = form.model_dump(mode="json", by_alias=True)
    # A contract that names nothing new keeps the digest that it had in the first release.
    for signal in said["signals"]:
        if signal["languages"] is None:
            del signal["languages"]
    for confirm in said["confirm"]:
        for rule in confirm["kinds"].values():
            if not rule["never"]:
                del rule["never"]
    return {
        "form": said,
        "schema": spec.schema.digest,
        "priority": [list(rule.priority) for rule in spec.primary],
        "limits": [[rule.at.text, dict(rule.limits)] for rule in spec.thresholds],
    }


def _signal(
    document: Document, form: SignalForm, labels: tuple[LabelRule, ...], place: int
) -> Signal:
    for rule in labels:
        inside, _, field = rule.pattern.text.rpartition("/")
        if inside == f"{form.to}/*" and form.item.get(field) in rule.set.labels:
            languages = None if form.languages is None else tuple(form.languages)
            return Signal(to=form.to, label=field, item=dict(form.item), languages=languages)
    message = f"the item names no label that may stand in {form.to!r}"
    raise document.fault(message, "result", "signals", place)


def _primary(document: Document, form: PrimaryForm, labels: tuple[LabelRule, ...]) -> Primary:
    sought = f"{form.of}/*/{form.label}"
    found = [rule.set for rule in labels if rule.pattern.text == sought]
    if not found:
        message = f"no label set stands at {sought!r}, so nothing says what comes first"
        raise document.fault(message, "result", "primary", "of")
    priority = found[0].priority or tuple(found[0].labels)
    return Primary(of=form.of, to=form.to, label=form.label, priority=priority)


def _thresholds(
    document: Document, form: ThresholdsForm, policies: Mapping[str, Document]
) -> tuple[Threshold, ...]:
    if form.policy not in policies:
        message = f"policy {form.policy!r} does not exist in policies/"
        raise document.fault(
            message, "result", "thresholds", "policy", hint=suggest_name(form.policy, policies)
        )
    policy = policies[form.policy]
    found: list[Threshold] = []
    for at, use in form.at.items():
        place = ("result", "thresholds", "at", at)
        limit = LimitForm(value=use) if isinstance(use, str) else use
        value: Any = policy.value
        for step in limit.value.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        limits = value if isinstance(value, dict) else {"other": value}
        if not limits or not all(_is_share(number) for number in limits.values()):
            message = (
                f"{limit.value!r} is no number from 0 to 1, and no table of such, in {policy.file}"
            )
            raise document.fault(message, *place)
        if isinstance(value, dict) and limit.by is None:
            message = f"{limit.value!r} is a table: say under `by` which field chooses"
            raise document.fault(message, *place)
        found.append(
            Threshold(
                at=document.pattern(at, *place),
                field=limit.field,
                by=limit.by,
                limits={label: float(number) for label, number in limits.items()},
            )
        )
    return tuple(found)


def _is_share(number: Any) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number <= 1


def _confirm(document: Document, form: ConfirmForm, place: int) -> Confirm:
    kinds: dict[str, KeyRule] = {}
    for kind, rule in form.kinds.items():
        try:
            kinds[kind] = KeyRule.compile(
                pattern=rule.pattern,
                check=rule.check,
                ignore=rule.ignore,
                facts=tuple(rule.facts),
                never=tuple(rule.never),
            )
        except AssayError as error:
            path = ("result", "confirm", place, "kinds", kind)
            raise document.fault(str(error), *path, hint=error.hint) from error
    return Confirm(
        at=document.pattern(form.at, "result", "confirm", place, "at"),
        field=form.value,
        by=form.by,
        kinds=kinds,
    )
