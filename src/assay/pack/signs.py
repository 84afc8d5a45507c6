"""`signs.yaml`: what dangers sound like, and which labels of a contract answer them.

In      `signs.yaml`; the `signs` of a contract
Out     Sign by name; a SignsRule and the facts that the contract's digest covers of it
Pure    yes
Spec    005-M11; interfaces.md, "Packs"
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assay.contract.signs import Sign, SignsRule
from assay.errors import AssayError
from assay.gate.labels import LabelRule
from assay.pack.document import Document, suggest_name, validate_form
from assay.pack.forms import SignForm

SIGNS: Final = "signs.yaml"


def read_signs(document: Document) -> dict[str, Sign]:
    """Every sign of the file by its name.

    Raises:
        PackError: with file and line of the first fault.
    """
    if not isinstance(document.value, dict):
        raise document.fault("must be a mapping")
    signs: dict[str, Sign] = {}
    for name, entry in document.value.items():
        form = validate_form(document, SignForm, name, value=entry)
        try:
            signs[name] = Sign.compile(
                name=name,
                patterns=[each for patterns in form.patterns.values() for each in patterns],
                exceptions=[each for patterns in form.but_not.values() for each in patterns],
                everywhere=form.everywhere,
            )
        except AssayError as error:
            raise document.fault(str(error), name, hint=error.hint) from error
    return signs


def use_signs(
    document: Document,
    uses: Mapping[str, Mapping[str, list[str]]],
    signs: Mapping[str, Sign],
    labels: tuple[LabelRule, ...],
    *,
    cut_holds: bool,
) -> SignsRule | None:
    """The check that a contract's `signs` come to; None without any.

    Raises:
        PackError: a sign, a place or a label does not exist: the sign could never be answered.
    """
    used = []
    for name, answers in uses.items():
        if name not in signs:
            message = f"sign {name!r} does not exist in {SIGNS}"
            raise document.fault(message, "signs", name, hint=suggest_name(name, signs))
        if not answers:
            raise document.fault(f"sign {name!r} names no label that answers it", "signs", name)
        places = []
        for pattern, answering in answers.items():
            known = next((rule.set for rule in labels if rule.pattern.text == pattern), None)
            if known is None:
                message = f"no label set stands at {pattern!r}"
                raise document.fault(message, "signs", name, pattern)
            for label in answering:
                if label not in known.labels:
                    message = f"{label!r} is no label of {known.name!r}"
                    hint = suggest_name(label, known.labels)
                    raise document.fault(message, "signs", name, pattern, hint=hint)
            compiled = document.pattern(pattern, "signs", name, pattern)
            places.append((compiled, tuple(answering)))
        used.append((signs[name], tuple(places)))
    return SignsRule(signs=tuple(used), cut_holds=cut_holds) if used else None


def sign_facts(rule: SignsRule) -> dict[str, Any]:
    """What the contract's digest covers of its signs."""
    return {
        "cut_holds": rule.cut_holds,
        "signs": [
            {
                "name": sign.name,
                "everywhere": sign.everywhere,
                "patterns": list(sign.patterns),
                "but_not": list(sign.exceptions),
                "answers": [[pattern.text, list(labels)] for pattern, labels in answers],
            }
            for sign, answers in rule.signs
        ],
    }
