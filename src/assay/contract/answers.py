"""From retrieved chunks to a prompt, and from a reply to a validated answer.

In      a retrieval bundle, a question, a policy; an assembly and an answer
Out     Assembly (answer bundle and prompt build); ValidationResult
Pure    yes: equal inputs give equal bytes; the frozen template is read once, with this module
Spec    004 R2.0 to R2.7, R5; interfaces.md, "Answers" and "Python"

The one place where evidence, prompt and gate meet; they do not know of each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pkgutil import get_data
from typing import Any, Final

from assay.contract.offer import offer_of, read_offer
from assay.contract.validation import ValidationResult, judge_answer
from assay.evidence.anchors import render
from assay.evidence.assembly import AnswerBundle, answer_bundle, failed
from assay.evidence.bundle import Malformed, RetrievalBundle, read_bundle
from assay.evidence.policy import R2_POLICY_V1, SelectionPolicy, read_policy
from assay.evidence.sanitize import normalize_question
from assay.evidence.selection import select
from assay.evidence.structure import Structure
from assay.prompt.assembly import (
    HEADERS,
    REFUSAL,
    FrozenTemplate,
    PromptBuild,
    PromptLimits,
    build,
    no_prompt,
    read_frozen_template,
    room,
)

__all__ = [
    "REFUSAL",
    "TEMPLATE_FILE",
    "Assembly",
    "ValidationResult",
    "assemble",
    "refuse",
    "run_golden",
    "validate",
]

TEMPLATE_FILE: Final = "templates/prompt_template_v1.txt"
"""Where the pack `grounded` keeps the frozen template."""

_STRUCTURE: Final = Structure(HEADERS.values())
_FROZEN: Final = get_data("assay", f"packs/grounded/{TEMPLATE_FILE}") or b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """What answer assembly made of one bundle and one question."""

    answer_bundle: AnswerBundle
    prompt_build: PromptBuild
    question: str = ""
    """With its white space normalised; not part of the wire form."""

    policy: SelectionPolicy = field(default=R2_POLICY_V1, repr=False)
    """In force; not part of the wire form."""

    @property
    def status(self) -> str:
        """`OK`, `NO_EVIDENCE` or `FAILED`."""
        return self.answer_bundle.assembly_status

    @property
    def failure_reason(self) -> str | None:
        return self.answer_bundle.failure_reason

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay assemble --json` prints."""
        return {
            "answer_bundle": self.answer_bundle.to_dict(),
            "prompt_build": self.prompt_build.to_dict(),
        }


def assemble(
    bundle: Mapping[str, Any] | RetrievalBundle,
    question: str,
    policy: Mapping[str, Any] | SelectionPolicy | None = None,
    *,
    template: bytes | None = None,
) -> Assembly:
    """Select evidence and build the prompt.

    Args:
        bundle: A RetrievalBundle or the JSON value of one. The order of its results does not
            matter.
        question: As the user asked it; only white space is normalised.
        policy: A whole policy; None is R2_POLICY_V1.
        template: The bytes of the prompt template, where a pack brings its own copy; it must
            be the frozen one.

    Returns:
        An assembly whose status is OK, NO_EVIDENCE (there is no prompt) or FAILED (a contract
        is broken; `failure_reason` says which). A malformed bundle or question never raises.

    Raises:
        InputError: the policy is refused.

    Spec: 004 R2; interfaces.md, "Answers".
    """
    chosen = R2_POLICY_V1 if policy is None else read_policy(policy)
    frozen = read_frozen_template(_FROZEN if template is None else template)
    read = read_bundle(bundle)
    if isinstance(read, Malformed):
        return _failed(read.reason, chosen, read.facts)
    facts = {
        "request_id": read.request_id,
        "index_version": read.index_version,
        "embedding_model": read.embedding_model,
        "retrieval_top_k": read.retrieval_top_k,
    }
    if frozen is None:
        return _failed("template: is not the frozen text of prompt contract V1", chosen, facts)
    asked = _question(question)
    if asked.fault:
        return _failed(asked.fault, chosen, facts)
    limits = _limits(chosen)
    split = room(frozen, asked.text, limits)
    if isinstance(split, str):
        return _failed(split, chosen, facts)
    return _assembly(read, asked.text, chosen, frozen, limits, split.evidence_tokens)


def validate(
    assembly: Assembly | Mapping[str, Any],
    answer: str | bytes,
    policy: Mapping[str, Any] | SelectionPolicy | None = None,
) -> ValidationResult:
    """Judge *answer* against what it was made from.

    Args:
        assembly: What `assemble` returned, or the document that `assay assemble --json` printed.
        answer: The reply of the model, untouched; bytes must be UTF-8.
        policy: Says what names that the evidence lacks do; None is the assembly's own.

    Returns:
        PASSED with the answer, or FAILED with findings and without an answer.

    Raises:
        InputError: *assembly* is no such document, or the policy is refused.
        IntegrityError: the document's parts do not fit each other.

    Spec: 004 R5; interfaces.md, "Answers".
    """
    if isinstance(assembly, Assembly):
        offer = offer_of(assembly.answer_bundle)
        chosen = assembly.policy if policy is None else read_policy(policy)
    else:
        offer = read_offer(assembly)
        chosen = R2_POLICY_V1 if policy is None else read_policy(policy)
    return judge_answer(offer, answer, names=chosen.unsupported_entities)


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
    from assay.contract.grounded_cases import faults_of

    return faults_of(case, policy or R2_POLICY_V1)


def refuse(reason: str, policy: SelectionPolicy | None = None) -> Assembly:
    """The FAILED assembly of an input that cannot even be read as JSON."""
    return _failed(reason, policy or R2_POLICY_V1, {})


def _assembly(
    bundle: RetrievalBundle,
    question: str,
    policy: SelectionPolicy,
    frozen: FrozenTemplate,
    limits: PromptLimits,
    left: int,
) -> Assembly:
    """Select, render and build; drop the lowest chunk as long as the total is over (PB4)."""
    selection = select(bundle, policy, _STRUCTURE)
    candidates = selection.candidates
    most = min(policy.max_evidence_tokens, left)
    while True:
        block = render(candidates, most, policy.tokenizer)
        if not block.evidence:
            prompt = no_prompt("NO_EVIDENCE")
            break
        prompt = build(frozen, block.text, question, limits, evidence_tokens=block.tokens)
        if prompt.build_status == "OK":
            break
        candidates = candidates[: len(block.evidence) - 1]
    return Assembly(
        answer_bundle=answer_bundle(bundle, policy, selection, block),
        prompt_build=prompt,
        question=question,
        policy=policy,
    )


def _failed(reason: str, policy: SelectionPolicy, facts: Mapping[str, Any]) -> Assembly:
    return Assembly(
        answer_bundle=failed(reason, policy, facts),
        prompt_build=no_prompt("FAILED", reason),
        policy=policy,
    )


@dataclass(frozen=True, slots=True)
class _Question:
    text: str
    fault: str = ""


def _question(question: Any) -> _Question:
    if not isinstance(question, str):
        return _Question("", "question: must be text")
    try:
        question.encode("utf-8")
    except UnicodeEncodeError:
        return _Question("", "question: holds a lone surrogate")
    text = normalize_question(question)
    if not text:
        return _Question("", "question: is empty")
    if _STRUCTURE.conflicts(text):
        return _Question("", "question: holds a section header or evidence header of the prompt")
    return _Question(text)


def _limits(policy: SelectionPolicy) -> PromptLimits:
    return PromptLimits(
        max_total_prompt_tokens=policy.max_total_prompt_tokens,
        reserved_output_tokens=policy.reserved_output_tokens,
        max_question_tokens=policy.max_question_tokens,
        max_fixed_tokens=policy.max_fixed_tokens,
        tokenizer=policy.tokenizer,
    )
