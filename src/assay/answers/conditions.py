"""Which passages may be used: conditions on page, title, heading and metadata.

In      conditions as a caller writes them; what is known of a passage; a bundle
Out     whether they hold; the bundle with the results of which they do
Pure    yes
Spec    008-R7
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.answers.evidence.bundle import Chunk, RetrievalBundle
from assay.answers.evidence.metadata import metadata_text
from assay.answers.retrieval import Condition
from assay.errors import InputError

Where = Mapping[str, Any] | Iterable[str | Condition]
"""Conditions as a caller writes them: `{"page": 3}`, or `["page=3", "title!=Draft"]`."""


def read_conditions(given: Where) -> tuple[Condition, ...]:
    """Conditions from a mapping, of which all keys must be equal, or from texts.

    Raises:
        InputError: a text is no `KEY=VALUE` or `KEY!=VALUE`, a value no text or number.

    Example:
        >>> read_conditions(["page!=3"])
        (Condition(key='page', value='3', holds=False),)
    """
    if isinstance(given, str):
        given = [given]
    if isinstance(given, Mapping):
        return tuple(Condition(key=key, value=_value(key, value)) for key, value in given.items())
    return tuple(each if isinstance(each, Condition) else _read(each) for each in given)


def _read(text: str) -> Condition:
    key, sign, value = text.partition("=")
    name = key.removesuffix("!").strip()
    if not sign or not name:
        raise InputError(
            f"where: {text!r} is no condition", hint="write KEY=VALUE or KEY!=VALUE, as page=3"
        )
    return Condition(key=name, value=value.strip(), holds=not key.endswith("!"))


def _value(key: str, value: Any) -> str:
    text = metadata_text(value)
    if text is None:
        raise InputError(
            f"where: the value of {key!r} is no short text or number",
            hint='give one value, as {"page": 3}',
        )
    return text


def meets(facts: Mapping[str, str], conditions: Sequence[Condition]) -> bool:
    """Whether all conditions hold of a passage; what it does not have equals nothing.

    A heading holds for what stands below it: `Fees` for `Fees > Parking`; the name of a file
    without its folders for the file.
    """
    return all(_meets(facts, condition) for condition in conditions)


def _meets(facts: Mapping[str, str], condition: Condition) -> bool:
    value = facts.get(condition.key)
    equal = value == condition.value
    if condition.key == "heading" and value is not None:
        equal = equal or value.startswith(f"{condition.value} > ")
    elif condition.key in ("file", "source") and value is not None:
        equal = equal or value.endswith(f"/{condition.value}")
    return equal == condition.holds


def require_known(conditions: Sequence[Condition], keys: Iterable[str]) -> None:
    """Refuse a key that no passage has: it would find nothing, or everything.

    Raises:
        InputError: with the keys that there are.
    """
    known = sorted(set(keys))
    for condition in conditions:
        if condition.key not in known:
            raise InputError(
                f"where: no passage has {condition.key!r} to filter by",
                hint=f"there are {', '.join(known[:20])}" if known else "",
            )


def facts_of(chunk: Chunk) -> dict[str, str]:
    """What conditions can name of a chunk that was retrieved elsewhere."""
    facts = {"knowledge_id": chunk.knowledge_id, "chunk_id": chunk.chunk_id}
    if chunk.source_reference is not None:
        facts |= {"source": chunk.source_reference, "file": chunk.source_reference}
    return {**facts, **chunk.metadata}


def filter_bundle(bundle: RetrievalBundle, conditions: Sequence[Condition]) -> RetrievalBundle:
    """The results of *bundle* of which all *conditions* hold, ranked anew in their order.

    Raises:
        InputError: no result has what a condition names.
    """
    if not conditions or not bundle.results:
        return bundle
    facts = [facts_of(chunk) for chunk in bundle.results]
    require_known(conditions, [key for each in facts for key in each])
    kept = [
        chunk for chunk, each in zip(bundle.results, facts, strict=True) if meets(each, conditions)
    ]
    ranked = tuple(replace(chunk, rank=rank) for rank, chunk in enumerate(kept))
    return replace(bundle, results=ranked, no_evidence=bundle.no_evidence or not ranked)
