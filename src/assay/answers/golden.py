"""Golden cases of the grounded answers.

In      a case as it stands in `golden/*.jsonl`, a policy
Out     every way in which it ended otherwise than expected
Pure    yes
Spec    004 R2.7; interfaces.md, "Packs" (golden)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.answers.assemble import Assembly, assemble, validate
from assay.answers.evidence.policy import R2_POLICY_V1, SelectionPolicy
from assay.answers.prompt_v1 import HEADERS
from assay.errors import AssayError

_KEYS = frozenset(
    {"name", "kind", "bundle", "question", "answer", "policy", "expect", "same_as", "about"}
)
_SPECIAL = frozenset({"codes", "prompt_contains", "prompt_lacks", "evidence_contains"})


def run_golden(case: Mapping[str, Any], policy: SelectionPolicy | None = None) -> list[str]:
    """Run one golden case of the pack; the ways in which it ended otherwise than expected.

    Args:
        case: `{"name", "kind": "assemble"|"validate", "bundle", "question", "answer"?,
            "policy"?, "expect"}`. `expect` names places of the resulting document by JSON
            Pointer, with the value that must stand there; `assemble` may also expect
            `"prompt_contains"`, `"prompt_lacks"` and `"same_as"` (a bundle that must give the
            same bytes), `validate` also `"codes"`.
        policy: For cases that bring none.

    Spec: 004 R2.7.
    """
    unknown = sorted(set(case) - _KEYS)
    if unknown or case.get("kind") not in {"assemble", "validate"} or "expect" not in case:
        return [f"is no case of grounded answers (unknown: {', '.join(unknown) or 'none'})"]
    try:
        return list(_faults(case, policy or R2_POLICY_V1))
    except AssayError as error:
        return [f"ended with {error.code}: {error}"]


def _faults(case: Mapping[str, Any], policy: SelectionPolicy) -> Iterator[str]:
    chosen = case.get("policy", policy)
    assembly = assemble(case["bundle"], case["question"], chosen)
    document = assembly.to_dict()
    if assemble(case["bundle"], case["question"], chosen).to_dict() != document:
        yield "a second assembly differs from the first"
    if "same_as" in case:
        other = assemble(case["same_as"], case["question"], chosen)
        if other.prompt_build != assembly.prompt_build:
            yield "the prompt differs from that of same_as"
    if case["kind"] == "validate":
        result = validate(assembly, case["answer"])
        if validate(document, case["answer"]).to_dict() != result.to_dict():
            yield "the printed assembly is judged otherwise than the assembly"
        document = result.to_dict()
    yield from _unlike(case["expect"], document, assembly)


def _unlike(expect: Mapping[str, Any], document: Any, assembly: Assembly) -> Iterator[str]:
    prompt = assembly.prompt_build.prompt_text
    if prompt:
        yield from _structure(prompt)
    for place, value in expect.items():
        if place not in _SPECIAL:
            found = _value_at(document, place)
            if found != value or type(found) is not type(value):
                yield f"{place} is {found!r}, not {value!r}"
    if "codes" in expect:
        codes = sorted({finding["code"] for finding in document["findings"]})
        if codes != sorted(expect["codes"]):
            yield f"found {codes}, not {sorted(expect['codes'])}"
    evidence = assembly.answer_bundle.evidence_block_text
    yield from (
        f"the prompt lacks {part!r}"
        for part in expect.get("prompt_contains", ())
        if part not in prompt
    )
    yield from (
        f"the prompt holds {part!r}" for part in expect.get("prompt_lacks", ()) if part in prompt
    )
    for part in expect.get("evidence_contains", ()):
        if part not in evidence or part in prompt.replace(evidence, "", 1):
            yield f"{part!r} is not in the evidence section alone"


def _structure(prompt: str) -> Iterator[str]:
    """Every prompt has the five headers once, in order (004 P1)."""
    places = [prompt.find(header) for header in HEADERS.values()]
    if -1 in places or places != sorted(places):
        yield "the sections are not there in their order"
    if any(prompt.count(header) != 1 for header in HEADERS.values()):
        yield "a section header stands twice"


def _value_at(document: Any, pointer: str) -> Any:
    """The value at a JSON Pointer; None where there is none."""
    value = document
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value
