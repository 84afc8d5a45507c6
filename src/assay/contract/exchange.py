"""What is wrong with an exchange, whatever the text of its reply says.

In      the facts of `model.answered`, fresh or from the record
Out     findings, which `Weighed.with_findings` puts before those of the text
Pure    yes
Spec    006-M2, 006-M10; interfaces.md, "Models"

All that is read stands on record, so a replay finds the same. The exchange is at fault and not
the text: a second attempt may be free of it, and no correction prompt speaks of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from assay.contract.cut import CODE, recorded_cut
from assay.contract.kept import KeptAttempt
from assay.contract.model_names import IN_PROCESS, is_allowed, is_same_model
from assay.gate.verdict import Finding

CODES_OF_EXCHANGE: Final = frozenset({"output.other_model", CODE})
"""Findings that speak of the exchange and not of the text."""

_SHOWN: Final = re.compile(r"[A-Za-z0-9_.:@+-]{1,80}", re.ASCII)


def exchange_findings(
    answered: Mapping[str, Any],
    models: Sequence[str],
) -> tuple[Finding, ...]:
    """Everything that is wrong with an exchange.

    Args:
        answered: Facts of `model.answered`.
        models: Patterns of the models that the contract is declared for.
    """
    cut = recorded_cut(answered)
    return (*_other_model(answered, models), *(() if cut is None else (cut.finding(),)))


def findings_on_record(attempt: KeptAttempt, models: Sequence[str]) -> tuple[Finding, ...]:
    """The same of an attempt on record."""
    if attempt.answered is None:
        return ()
    return exchange_findings(attempt.answered, models)


def of_text(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Those of *findings* that speak of the text: what a model can correct."""
    return tuple(each for each in findings if each.code not in CODES_OF_EXCHANGE)


def _other_model(answered: Mapping[str, Any], models: Sequence[str]) -> Iterator[Finding]:
    """A contract that lists models is not answered by one that it does not list.

    A deployment with a name of one's own (Azure) reports the model behind it: a contract lists
    both. A provider that reports no name contradicts nothing.
    """
    asked, reported = str(answered["model_name"]), str(answered.get("provider_model") or "")
    provider, _, name = asked.partition(":")
    if not reported or provider in IN_PROCESS:
        return
    if is_allowed(f"{provider}:{reported}", models) or is_same_model(name, reported):
        return
    last = re.split(r"[/\\]", reported)[-1]
    named = f" ({last})" if _SHOWN.fullmatch(last) else ""
    yield Finding(
        code="output.other_model",
        severity="reject",
        path="",
        message=f"the provider reports another model{named} than the contract lists",
    )
