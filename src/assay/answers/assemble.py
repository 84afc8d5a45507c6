"""From retrieved chunks to a prompt, and from a reply to a validated answer.

In      a retrieval bundle, a question, a policy; an assembly and an answer
Out     Assembly (answer bundle and prompt build); ValidationResult
Pure    yes: equal inputs give equal bytes
Spec    004 R2.0 to R2.7, R5; interfaces.md, "Answers" and "Python"

The one place where evidence, prompt and gate meet; they do not know of each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from assay.answers.evidence.anchors import render
from assay.answers.evidence.assembly import AnswerBundle, answer_bundle, failed_bundle
from assay.answers.evidence.bundle import Malformed, RetrievalBundle, read_bundle
from assay.answers.evidence.policy import R2_POLICY_V1, SelectionPolicy, read_policy
from assay.answers.evidence.sanitize import normalize_question
from assay.answers.evidence.selection import select
from assay.answers.evidence.structure import Structure
from assay.answers.gate.validation import ValidationResult, judge_answer
from assay.answers.offer import offer_of, read_offer
from assay.answers.prompt_v1 import (
    FROZEN_TEXT,
    HEADERS,
    REFUSAL,
    FrozenTemplate,
    PromptBuild,
    PromptLimits,
    build,
    no_prompt,
    read_frozen_template,
    token_room,
)

__all__ = [
    "REFUSAL",
    "TEMPLATE_FILE",
    "Assembly",
    "ValidationResult",
    "assemble",
    "refuse",
    "validate",
]

TEMPLATE_FILE: Final = "templates/prompt_template_v1.txt"
"""Where the pack `grounded` keeps the frozen template."""

_STRUCTURE: Final = Structure(HEADERS.values())


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
    frozen = read_frozen_template(FROZEN_TEXT if template is None else template)
    read = read_bundle(bundle)
    if isinstance(read, Malformed):
        return _failed_assembly(read.reason, chosen, read.facts)
    facts = {
        "request_id": read.request_id,
        "index_version": read.index_version,
        "embedding_model": read.embedding_model,
        "retrieval_top_k": read.retrieval_top_k,
    }
    if frozen is None:
        return _failed_assembly(
            "template: is not the frozen text of prompt contract V1", chosen, facts
        )
    asked = _question(question)
    if asked.fault:
        return _failed_assembly(asked.fault, chosen, facts)
    limits = _limits(chosen)
    split = token_room(frozen, asked.text, limits)
    if isinstance(split, str):
        return _failed_assembly(split, chosen, facts)
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
        policy: Says what names that the evidence lacks do, how much of a sentence must be
            carried, and what a claim that was turned round does; None is the assembly's own.

    Returns:
        PASSED with the answer, or FAILED with findings and without an answer.

    Raises:
        InputError: *assembly* is no such document, or the policy is refused.
        IntegrityError: the document's parts do not fit each other.

    Spec: 004 R5; interfaces.md, "Answers".
    """
    if isinstance(assembly, Assembly):
        offer = offer_of(assembly.answer_bundle, assembly.question)
        chosen = assembly.policy if policy is None else read_policy(policy)
    else:
        offer = read_offer(assembly)
        chosen = R2_POLICY_V1 if policy is None else read_policy(policy)
    return judge_answer(
        offer,
        answer,
        names=chosen.unsupported_entities,
        support_floor=chosen.support_floor,
        negation=chosen.negation,
    )


def refuse(reason: str, policy: SelectionPolicy | None = None) -> Assembly:
    """The FAILED assembly of an input that cannot even be read as JSON."""
    return _failed_assembly(reason, policy or R2_POLICY_V1, {})


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


def _failed_assembly(reason: str, policy: SelectionPolicy, facts: Mapping[str, Any]) -> Assembly:
    return Assembly(
        answer_bundle=failed_bundle(reason, policy, facts),
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
