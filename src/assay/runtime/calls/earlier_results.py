"""A flow in which one role works with what an earlier one delivered.

In      a contract, the input's material, earlier contracts with their results
Out     the material with the earlier results in it; None when one of them is missing
Pure    yes
Spec    002 roles (planner, writer, formatter); docs/decisions/0007

A contract says under `earlier` which results it takes, and under which names. Each becomes a
source text of that name, so that the template can place it, evidence can quote it and a budget
can cut it; rules see the result itself as `input.NAME`. Evidence has served its purpose when a
result is handed on: the places where the earlier contract's snippets stand are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.contract.contract import Contract
from assay.contract.material import Material
from assay.contract.result import EVIDENCE
from assay.core.json.pointer import PointerPattern


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierResult:
    """What an earlier contract of the flow came to."""

    contract: Contract
    result: dict[str, Any] | None
    """None when it is with a person."""


def with_earlier_results(
    contract: Contract, material: Material, delivered: Mapping[str, EarlierResult]
) -> Material | None:
    """*material* with the earlier results that *contract* takes.

    Args:
        delivered: By name of the result.

    Returns:
        None when a result that it takes is not there: the contract cannot be asked.
    """
    if not contract.earlier:
        return material
    texts, facts = dict(material.texts), dict(material.input)
    for name, wanted in contract.earlier.items():
        result, slash, place = wanted.partition("/")
        earlier = delivered.get(result)
        if earlier is None or earlier.result is None:
            return None
        value: Any = earlier.result
        if slash:
            pattern = PointerPattern.compile(f"/{place}")
            value = next((found for _, found in pattern.find(value)), "")
        texts.pop(name, None)  # what was delivered comes last, and nothing stands in its name
        texts[name] = as_text(_without_evidence(value, earlier.contract))
        facts[name] = value
    return replace(material, texts=texts, input=facts)


def as_text(value: Any, depth: int = 0) -> str:
    """A JSON value as people write it, so that its strings can be quoted word for word.

    Example:
        >>> print(as_text({"title": "Wells", "points": ["dig", "pump"], "need": {"text": "Dry."}}))
        title: Wells
        points:
        - dig
        - pump
        need: Dry.
    """
    if isinstance(value, Mapping):
        if len(value) == 1 and depth:
            return as_text(next(iter(value.values())), depth)
        return "\n".join(_line(f"{key}:", item, depth) for key, item in value.items())
    if isinstance(value, list):
        return "\n".join(f"- {as_text(item, depth + 1)}" for item in value)
    if isinstance(value, str):
        return value
    if value is None:
        return "none"
    return str(value) if not isinstance(value, bool) else "yes" if value else "no"


def _line(head: str, item: Any, depth: int) -> str:
    text = as_text(item, depth + 1)
    nested = isinstance(item, list) or (isinstance(item, Mapping) and len(item) > 1)
    return f"{head}\n{text}" if nested and text else f"{head} {text}".rstrip()


def _without_evidence(result: Any, contract: Contract) -> Any:
    if contract.evidence is None:
        return result
    field = contract.evidence.snippets.text.removesuffix("/*").rpartition("/")[2]
    hidden = {field.replace("~1", "/").replace("~0", "~"), EVIDENCE}
    return _strip_evidence(result, hidden)


def _strip_evidence(value: Any, hidden: set[str]) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _strip_evidence(item, hidden) for key, item in value.items() if key not in hidden
        }
    if isinstance(value, list):
        return [_strip_evidence(item, hidden) for item in value]
    return value
