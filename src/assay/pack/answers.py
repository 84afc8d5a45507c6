"""What a pack of answers decides: its selection policy, and the models that may be asked.

In      a Pack
Out     AnswerRules
Pure    yes
Spec    004 R2.2, R2.6, R3 "Model Target Frozen"; interfaces.md, "Packs" and "Answers"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.answers.assemble import TEMPLATE_FILE
from assay.answers.evidence.policy import SelectionPolicy, read_policy
from assay.answers.prompt_v1 import read_frozen_template
from assay.errors import InputError, PackError
from assay.pack.pack import Pack


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRules:
    """What holds for every answer under one pack."""

    policy: SelectionPolicy
    models: tuple[str, ...]
    """Name patterns; the prompt goes to no other model."""


def answer_rules(
    pack: Pack, policy: Mapping[str, Any] | SelectionPolicy | None = None
) -> AnswerRules:
    """The rules of *pack*.

    Args:
        policy: Takes the place of the pack's own.

    Raises:
        InputError: it is no pack of answers, or has not exactly one policy and none is given, or
            the policy is refused.
        PackError: its template is not byte for byte the frozen one.
    """
    if pack.source != "documents" or pack.contracts or TEMPLATE_FILE not in pack.files:
        raise InputError(
            f"pack {pack.name!r} is no pack of answers",
            hint=f"it has `source: documents`, {TEMPLATE_FILE} and no contracts",
        )
    if read_frozen_template(pack.files[TEMPLATE_FILE]) is None:
        raise PackError("is not the frozen text of prompt contract V1", file=TEMPLATE_FILE)
    if policy is None:
        if len(pack.policies) != 1:
            message = f"pack {pack.name!r} has {len(pack.policies)} policies"
            raise InputError(message, hint="give the one that holds")
        (policy,) = pack.policies.values()
    return AnswerRules(policy=read_policy(policy), models=pack.models)
