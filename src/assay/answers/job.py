"""A grounded answer as one recorded call: assembly makes the prompt, R5 weighs the reply.

In      a retrieval bundle, a question, a policy, a redactor
Out     AnswerJob: one prompt, at most two attempts; NO_EVIDENCE and FAILED end it unsent
Pure    yes: equal inputs give equal bytes
Spec    004 R2 to R5; interfaces.md, "Answers" (`assay ask`)

Both attempts send the same bytes, the second at temperature 0.0: an assembly has one prompt
(PB5), and every answer is judged against the evidence that `answer_bundle` shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from assay.answers.assemble import REFUSAL, Assembly, assemble, refuse, validate
from assay.answers.evidence.bundle import RetrievalBundle
from assay.answers.evidence.policy import R2_POLICY_V1, SelectionPolicy, read_policy
from assay.answers.gate.validation import ValidationResult
from assay.answers.prompt_v1 import TEMPLATE_SHA256
from assay.contract.budget import Budget
from assay.contract.comparison import Cause, Rejudged, compare_verdicts, section_at
from assay.contract.decoding.plan import DecodingPlan
from assay.contract.exchange import findings_on_record
from assay.contract.job import FindPack, Stop, Weighed
from assay.contract.kept import CallKind, KeptAttempt, KeptCall
from assay.contract.material import Built, Material
from assay.contract.model_names import is_allowed
from assay.contract.outcome import Outcome, Reason
from assay.contract.prompt import Prompt, TemplateRef
from assay.contract.result_spec import Result
from assay.core.json.canonical import canonical, digest, digest_json
from assay.core.text.spans import Shown
from assay.errors import InputError
from assay.gate.gate import stopped_early
from assay.gate.verdict import Finding
from assay.redaction.redactor import Redactor
from assay.templates.template import TemplateVersion

CONTRACT: Final = "answer"
"""Name of the one contract that a pack of answers has."""

_TEMPERATURES: Final[tuple[float | None, ...]] = (None, 0.0)
"""Of each attempt; None is what the environment sets."""

_TEMPLATE: Final = "prompt_template_v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerJob:
    """One question with what was retrieved for it. Use `answer_job`."""

    kind: ClassVar[CallKind] = "answer"
    assembles: ClassVar[bool] = True

    pack: str
    """Name of the pack of answers whose policy holds."""

    pack_version: str
    assembly: Assembly
    redactor: Redactor
    models: tuple[str, ...] = ("*",)
    """The model family that this prompt is frozen for, as name patterns."""

    complete: bool = True

    @classmethod
    def restore(
        cls,
        kept: KeptCall,
        find_pack: FindPack,
        redactor: Redactor,
        *,
        template: TemplateVersion | None = None,
        candidate: bool = False,
    ) -> Self:
        """See `Job.restore`. The record holds all of it: bundle, question, policy, models.

        Raises:
            InputError: the policy is refused by this version, or another template is to render:
                that of answers is frozen.
        """
        if template is not None:
            raise InputError("the template of answers is frozen: there is no candidate for it")
        pack_version = str(kept.opened.get("pack_version", ""))
        models: tuple[str, ...] = ("*",)
        if kept.material is None:
            assembly = refuse("its sources are not kept")
        else:
            given = kept.material.input
            policy, models = read_policy(given["policy"]), tuple(given["models"])
            if candidate:
                pack = find_pack(kept.pack)
                policy, models = pack.answer_policy(), pack.models
                pack_version = pack.version
            assembly = _assembled(given["bundle"], kept.material.question or "", policy)
        return cls(
            pack=kept.pack,
            pack_version=pack_version,
            assembly=assembly,
            redactor=redactor,
            models=models,
            complete=kept.material is not None,
        )

    @property
    def reference(self) -> str:
        return f"{self.pack}/{CONTRACT}"

    @property
    def digest(self) -> str:
        """Over template, policy, attempts and model family."""
        return digest_json(
            {
                "contract": self.reference,
                "version": self.pack_version,
                "template": TEMPLATE_SHA256,
                "policy": self.assembly.policy.digest,
                "temperatures": list(_TEMPERATURES),
                "models": list(self.models),
            }
        )

    @property
    def template_digest(self) -> str | None:
        return TEMPLATE_SHA256

    @property
    def attempts(self) -> int:
        return len(_TEMPERATURES)

    @property
    def budget(self) -> Budget:
        policy = self.assembly.policy
        reserve = max(1, policy.reserved_output_tokens)
        return Budget(
            max_input_tokens=max(1, policy.max_total_prompt_tokens - policy.reserved_output_tokens),
            max_output_tokens=reserve,
        )

    def allows(self, model: str) -> bool:
        return is_allowed(model, self.models)

    def temperature(self, attempt: int) -> float | None:
        return _TEMPERATURES[attempt - 1]

    def build(self, attempt: int, findings: Sequence[Finding]) -> Built | Stop:  # noqa: ARG002
        """The frozen prompt, the same for each attempt; or why no model is asked."""
        if self.assembly.status == "NO_EVIDENCE":
            return self._unsent(Outcome.no_evidence())
        if self.assembly.status != "OK":
            return self._unsent(Outcome.review(Reason.ASSEMBLY_FAILED))
        made = self.assembly.prompt_build
        counts = made.token_counts
        text = made.prompt_text
        prompt = Prompt(
            text=text,
            sha256=digest(text),
            sections=made.sections,
            tokens=counts["total_prompt_tokens"] - counts["reserved_output_tokens"],
            redaction=self.redactor.redact(text),
            template=TemplateRef(name=_TEMPLATE, role=self.pack, version=1, sha256=TEMPLATE_SHA256),
        )
        return Built(
            prompt=prompt,
            shown=(),
            omitted=(),
            attempt=attempt,
            max_input_tokens=self.budget.max_input_tokens,
            prefix_chars=made.prefix_chars,
        )

    def context(self, built: Built) -> Mapping[str, Any]:  # noqa: ARG002
        """Ids and metrics of the evidence; ids pass the redaction, as they come from outside."""
        return {
            "snippet_ids": [
                self.redactor.redact(item.chunk_id).text
                for item in self.assembly.answer_bundle.selected_evidence
            ],
            "fields_sha256": TEMPLATE_SHA256,
            **self._facts(),
        }

    def artefacts(self, built: Built) -> Mapping[str, bytes]:  # noqa: ARG002
        return {"answer_bundle": self._trail()}

    def plan(self, built: Built) -> DecodingPlan | None:  # noqa: ARG002
        evidence = self.assembly.answer_bundle.selected_evidence
        return DecodingPlan(
            question=self.assembly.question,
            evidence=tuple((item.citation_anchor, item.sanitized_text) for item in evidence),
            titles={item.citation_anchor: item.source_reference for item in evidence},
            refusal=REFUSAL,
        )

    def wire_schema(self) -> None:
        """An answer is plain text."""

    def watch(self, built: Built) -> None:
        """An answer is read to its end (004 R3)."""

    def weigh(self, raw: bytes, built: Built, finish_reason: str | None) -> Weighed:  # noqa: ARG002
        judged = judge_reply(self.assembly, raw, finish_reason)
        findings = judged.findings
        if not judged.accepted:
            return Weighed(accepted=False, findings=findings)
        refused = judged.generation_status == "NO_EVIDENCE"
        # The span that carries a citation follows from answer and evidence: it is told, not kept,
        # so that the digest of a result is the one that earlier versions gave it.
        value = {
            "answer": judged.validated_answer_text,
            "generation_status": judged.generation_status,
            "citations": [
                {name: each[name] for name in each if name != "span"}
                for each in judged.validated_citations
            ],
            "grounding_metrics": dict(judged.grounding_metrics),
        }
        return Weighed(
            accepted=True,
            findings=findings,
            result=Result(name="answer", value=value, digest=digest_json(value)),
            outcome=Outcome.no_evidence() if refused else None,
        )

    def weigh_decision(self, raw: bytes) -> Weighed:
        """What a person hands in as the answer; the line end of a file is no part of it."""
        built = self.build(1, ())
        if isinstance(built, Stop):
            message = "there is no evidence that an answer could cite"
            raise InputError(message, hint="--reject the case")
        return self.weigh(raw.rstrip(b"\r\n"), built, None)

    def rejudge(
        self,
        attempt: KeptAttempt,
        built: Built | None,
        shown: tuple[Shown, ...] | None,  # noqa: ARG002 - evidence is shown whole
    ) -> Rejudged:
        """An answer cannot be judged without the evidence that it cites."""
        if built is None:
            return Rejudged(verdict="changed" if self.complete else "unavailable")
        weighed = self.weigh(attempt.raw or b"", built, attempt.finish_reason).with_findings(
            findings_on_record(attempt, self.models)
        )
        return Rejudged(
            verdict=compare_verdicts(attempt, weighed.accepted, weighed.findings),
            findings=weighed.findings,
            outcome=weighed.outcome,
            result_digest=None if weighed.result is None else weighed.result.digest,
        )

    def explain(
        self, attempt: KeptAttempt, built: Built | None, byte: int | None, *, same: bool
    ) -> tuple[str | None, Cause]:
        if built is None:
            return None, Cause.POLICY
        section = None if byte is None else section_at(built.prompt.sections, byte)
        template = attempt.built.get("template") or {}
        if template.get("sha256") != self.template_digest:
            return section, Cause.TEMPLATE
        if attempt.built.get("tokenizer") != self.assembly.policy.tokenizer:
            return section, Cause.TOKENIZER
        return section, Cause.VARIABLE if same else Cause.POLICY

    def _unsent(self, outcome: Outcome) -> Stop:
        bundle = self.assembly.answer_bundle
        reason = bundle.failure_reason
        facts = {
            "assembly_status": bundle.assembly_status,
            # It names places and rules, never text; ids in it are cut by the redaction.
            "failure_reason": None if reason is None else self.redactor.redact(reason).text,
            **self._facts(),
        }
        return Stop(outcome=outcome, facts=facts, payloads={"answer_bundle": self._trail()})

    def _facts(self) -> dict[str, Any]:
        bundle = self.assembly.answer_bundle.to_dict()
        metrics = {k: v for k, v in bundle["assembly_metrics"].items() if k != "drops"}
        known = (
            *("policy_version", "policy_digest", "tokenizer", "thresholds"),
            *("support_floor", "negation"),
        )
        trace = {name: bundle["trace"][name] for name in known}
        scores = [item["similarity_score"] for item in bundle["selected_evidence"]]
        return {
            "retrieval_metrics": {**metrics, "similarity_scores": scores},
            "retrieval": trace,
            "tokenizer": trace["tokenizer"],
        }

    def _trail(self) -> bytes:
        """The answer bundle without its texts, which are kept only where they are encrypted."""
        bundle = self.assembly.answer_bundle.to_dict()
        for item in bundle["selected_evidence"]:
            item["text_sha256"] = digest(item.pop("sanitized_text"))
        bundle["evidence_block_sha256"] = digest(bundle.pop("evidence_block_text"))
        return canonical(bundle)


def answer_job(
    bundle: Mapping[str, Any] | RetrievalBundle | Assembly,
    question: str,
    policy: SelectionPolicy,
    redactor: Redactor,
    *,
    pack: str,
    pack_version: str,
    models: Sequence[str] = ("*",),
) -> AnswerJob:
    """Assemble, and make the call of it.

    Args:
        bundle: What was retrieved; or an assembly that failed before there was a bundle.
        pack, pack_version: Of the pack of answers under which the call is recorded.
    """
    return AnswerJob(
        pack=pack,
        pack_version=pack_version,
        assembly=_assembled(bundle, question, policy),
        redactor=redactor,
        models=tuple(models),
    )


def _assembled(
    bundle: Mapping[str, Any] | RetrievalBundle | Assembly, question: str, policy: SelectionPolicy
) -> Assembly:
    return bundle if isinstance(bundle, Assembly) else assemble(bundle, question, policy)


def answer_material(
    bundle: Mapping[str, Any] | RetrievalBundle | Assembly,
    question: str,
    policy: SelectionPolicy,
    *,
    models: Sequence[str] = ("*",),
) -> Material:
    """What a resumed or replayed answer has to find again.

    A bundle that has no JSON form cannot be kept: what stands for it is why it failed.
    """
    given: Any
    if isinstance(bundle, Assembly):
        given = {"failed": bundle.failure_reason}
    else:
        given = bundle.to_dict() if isinstance(bundle, RetrievalBundle) else bundle
    try:
        canonical({"bundle": given, "question": question})
    except Exception:  # whatever has no canonical form: the assembly says what is wrong with it
        failed = assemble(bundle, question, policy) if not isinstance(bundle, Assembly) else bundle
        given, question = {"failed": failed.failure_reason}, ""
    kept = {"bundle": given, "policy": policy.to_dict(), "models": list(models)}
    return Material(texts={}, question=question, input=kept)


def judge_reply(
    assembly: Assembly, raw: bytes | str, finish_reason: str | None
) -> ValidationResult:
    """R5 over a reply as it came: first why the model stopped, then what it said."""
    stopped = stopped_early(finish_reason)
    if stopped is None:
        return validate(assembly, raw)
    fault = replace(stopped, start=0, stop=0)
    return ValidationResult(
        generation_status="FAILED",
        validation_status="FAILED",
        failure_reason=fault.code,
        validated_answer_text=None,
        validated_citations=(),
        grounding_metrics={},
        findings=(fault,),
    )


def policy_of(value: Mapping[str, Any] | SelectionPolicy | None) -> SelectionPolicy:
    """The policy in force.

    Raises:
        InputError: it is refused.
    """
    return R2_POLICY_V1 if value is None else read_policy(value)
