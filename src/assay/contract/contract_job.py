"""The plain contract as a job: named texts in, one JSON object out.

In      a contract with its material; or a recorded call and the pack it was made under
Out     ContractJob; the contract of a recorded call; the lines of a correction prompt
Pure    yes
Spec    000; 003-C4 (corrections); architecture.md, "One machine"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from assay.contract.budget import Budget
from assay.contract.build import build
from assay.contract.class_pack import ClassPack
from assay.contract.classes.declared import PACK
from assay.contract.comparison import (
    Cause,
    Rejudged,
    compare_verdicts,
    explain_prompt,
    rejudge_without_sources,
)
from assay.contract.contract import Contract, judge
from assay.contract.decoding.plan import DecodingPlan, plan
from assay.contract.decoding.wire_schema import WireSchema, wire_schema
from assay.contract.exchange import findings_on_record, of_text
from assay.contract.job import FindPack, PackSource, Stop, Weighed
from assay.contract.kept import CONTRACT, CallKind, KeptAttempt, KeptCall
from assay.contract.material import Built, Material, OverBudget
from assay.contract.outcome import Outcome, Reason
from assay.contract.private import hide
from assay.contract.private_decoding import loosen_schema, plan_private
from assay.contract.result import settle_result
from assay.contract.result_spec import Result
from assay.contract.surrogates import UNKNOWN, ForeignSurrogates, Hidden
from assay.core.json.canonical import canonical, digest_json
from assay.core.json.pointer import unescape
from assay.core.json.schema import Schema, property_names
from assay.core.text.spans import Shown
from assay.errors import InputError, NotFoundError
from assay.gate.gate import GateContext, prefix_watch
from assay.gate.prefix import Watch
from assay.gate.verdict import Finding, Verdict
from assay.redaction.redactor import Redactor
from assay.templates.template import TemplateVersion

_FORMATS_JUDGED_SINCE: Final = 2
"""Version of the rules from which on `format` is judged unless a contract says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractJob:
    """A contract over named texts: schema, labels, evidence, rules."""

    kind: ClassVar[CallKind] = "contract"
    assembles: ClassVar[bool] = False

    contract: Contract
    material: Material
    redactor: Redactor
    complete: bool = True

    @classmethod
    def restore(
        cls,
        kept: KeptCall,
        find_pack: FindPack,
        redactor: Redactor,
        *,
        template: TemplateVersion | None = None,
        candidate: bool = False,  # noqa: ARG003 - a contract is always the pack's
    ) -> Self:
        """See `Job.restore`."""
        by_class = kept.pack == PACK
        pack = ClassPack.of_call(kept, find_pack) if by_class else find_pack(kept.pack)
        return cls(
            contract=contract_of(kept, pack, template),
            material=kept.material or Material(),
            redactor=redactor.with_classes(pack.redaction_classes),
            complete=kept.material is not None,
        )

    @property
    def reference(self) -> str:
        return self.contract.reference

    @property
    def digest(self) -> str:
        return self.contract.digest

    @property
    def pack(self) -> str:
        return self.contract.pack

    @property
    def pack_version(self) -> str:
        return self.contract.pack_version

    @property
    def template_digest(self) -> str | None:
        template = self.contract.template
        return None if template is None or self.contract.fallback else template.fields_sha256

    @property
    def attempts(self) -> int:
        return len(self.contract.attempts)

    @property
    def budget(self) -> Budget:
        return self.contract.budget

    @property
    def models(self) -> tuple[str, ...]:
        return self.contract.models

    @property
    def is_private(self) -> bool:
        """Whether prompts hold surrogates in place of personal data."""
        return self.contract.send == "redacted"

    @property
    def _is_whole(self) -> bool:
        """Whether all that judges is at hand."""
        return self.contract.declared is None or self.contract.declared.is_whole

    def allows(self, model: str) -> bool:
        return self.contract.allows(model)

    def temperature(self, attempt: int) -> float | None:
        return self.contract.attempt(attempt).temperature

    def build(self, attempt: int, findings: Sequence[Finding]) -> Built | Stop:
        material = self.material
        findings = of_text(findings)
        if findings and self.contract.attempt(attempt).correct:
            material = replace(material, correction=self.correction(findings))
        built = build(self.contract, material, attempt, self.redactor)
        if isinstance(built, OverBudget):
            facts = {"scope": "contract", "tokens": built.tokens, "limit": built.limit}
            return Stop(outcome=Outcome.review(Reason.BUDGET_EXCEEDED), facts={"budget": facts})
        return built

    def correction(self, findings: Sequence[Finding]) -> str:
        """What a correction prompt says of the attempt before (003-C4)."""
        return "\n".join(correction_lines(self.contract.schema, findings))

    def context(self, built: Built) -> Mapping[str, Any]:
        return {
            "snippet_ids": [],
            "retrieval_metrics": {},
            "placed": [shown.name for shown in built.shown],
            "release": self.contract.release,
            "fields_sha256": self.template_digest,
            "tokenizer": self.contract.tokenizer,
            **({} if built.hidden is None else {"hidden": built.hidden.counts(built.prompt.text)}),
        }

    def artefacts(self, built: Built) -> Mapping[str, bytes]:  # noqa: ARG002
        declared = self.contract.declared
        return {} if declared is None else {CONTRACT: canonical(declared.document)}

    def plan(self, built: Built) -> DecodingPlan | None:
        if built.hidden is not None:
            return plan_private(self.contract, built, self.material, built.hidden)
        return plan(self.contract, built, self.material)

    def wire_schema(self) -> WireSchema | None:
        schema = wire_schema(self.contract)
        return loosen_schema(schema) if self.is_private else schema

    def watch(self, built: Built) -> Watch | None:
        if built.hidden is not None:  # its values are put back when the reply is whole
            return None
        contract = self.contract
        return prefix_watch(
            GateContext(shown=built.shown),
            contract.checks,
            schema=contract.schema,
            refusals=contract.refusals,
        )

    def weigh(self, raw: bytes, built: Built, finish_reason: str | None) -> Weighed:
        raw, beside = self.restore_values(raw, built.hidden, built)
        verdict = judge(
            self.contract,
            raw,
            shown=built.shown,
            state=self.material.state,
            input=self.material.input,
            finish_reason=finish_reason,
            beside=beside,
        )
        return self.settle(verdict, built)

    def restore_values(
        self, raw: bytes, hidden: Hidden | None, built: Built | None
    ) -> tuple[bytes, tuple[ForeignSurrogates, ...]]:
        """The reply as it is judged, and what is wrong with its surrogates.

        Where the contract sends its texts as they are, it is the reply itself.
        """
        if hidden is None:
            return raw, ()
        restored, findings = hidden.surrogates.restore_reply(
            raw, None if built is None else built.prompt.text
        )
        return restored, (ForeignSurrogates(findings),) if findings else ()

    def weigh_decision(self, raw: bytes) -> Weighed:
        if not self._is_whole:
            raise InputError(
                f"contract {self.reference!r} is a class with code of its own, which is not here",
                hint="give the class, as in --class MODULE:CLASS",
            )
        verdict = judge(
            self.contract,
            raw,
            shown=tuple(Shown.of_text(name, text) for name, text in self.material.texts.items()),
            state=self.material.state,
            input=self.material.input,
            by_person=True,
        )
        return self.settle(verdict)

    def rejudge(
        self, attempt: KeptAttempt, built: Built | None, shown: tuple[Shown, ...] | None
    ) -> Rejudged:
        if not self._is_whole:  # what the class's code would say is not known
            return Rejudged(verdict="unavailable", findings=attempt.findings or ())
        if not self.complete and self.is_private:  # the values are gone with the texts
            return Rejudged(verdict="unavailable", findings=attempt.findings or ())
        if not self.complete:
            return rejudge_without_sources(self.contract, attempt)
        raw = attempt.raw or b""
        hidden = built.hidden if built is not None else None
        if self.is_private and hidden is None:
            hidden = hide(self.material, self.redactor)
        restored, beside = self.restore_values(raw, hidden, built)
        foreign = any(each.code == UNKNOWN for check in beside for each in check.findings)
        if foreign and not any(code == UNKNOWN for code, _ in attempt.codes):
            # Surrogates made under another key: these values cannot be put back.
            return Rejudged(verdict="unavailable", findings=attempt.findings or ())
        if built is None or shown is None:
            verdict = judge(
                self.contract,
                restored,
                shown=shown or (),
                finish_reason=attempt.finish_reason,
                beside=beside,
            )
            weighed = Weighed(
                accepted=verdict.accepted,
                findings=verdict.findings,
            )
        else:
            weighed = self.weigh(raw, replace(built, shown=shown), attempt.finish_reason)
        weighed = weighed.with_findings(findings_on_record(attempt, self.models))
        return Rejudged(
            verdict=compare_verdicts(attempt, weighed.accepted, weighed.findings),
            findings=weighed.findings,
            result_digest=None if weighed.result is None else weighed.result.digest,
        )

    def explain(
        self, attempt: KeptAttempt, built: Built | None, byte: int | None, *, same: bool
    ) -> tuple[str | None, Cause]:
        return explain_prompt(self.contract, attempt, built, byte, same=same)

    def settle(self, verdict: Verdict, built: Built | None = None) -> Weighed:
        """The result of a verdict of acceptance, itself held to its published schema."""
        result: Result | None = None
        if verdict.accepted:
            result, verdict = settle_result(
                self.contract, verdict, self.material, self.redactor, built=built
            )
        return Weighed(
            accepted=result is not None,
            findings=verdict.findings,
            spans=tuple(span.to_dict() for span in verdict.spans),
            result=result,
            verdict=verdict,
            schema=self.contract.schema,
        )


def contract_of(
    kept: KeptCall, pack: PackSource, template: TemplateVersion | None = None
) -> Contract:
    """The contract of a recorded call as *pack* has it, with the template version on record.

    Args:
        template: Renders instead of the version on record.

    Raises:
        NotFoundError: the pack is not the call's, or has no such contract any more.
    """
    if kept.pack != pack.name:
        raise NotFoundError(
            f"call {kept.id} was made under pack {kept.pack!r}, not {pack.name!r}",
            hint="give its folder with --pack",
        )
    contract = pack.contract(kept.contract_name)
    if contract.before_formats is not None and _is_before_formats(kept, contract.before_formats):
        contract = contract.before_formats
    if template is not None:
        return with_template(contract, template, "canary")
    if kept.release == "fallback":
        return without_template(contract)
    if kept.template is not None and contract.template is not None:
        return with_template(contract, kept.template, kept.release)
    return contract


def _is_before_formats(kept: KeptCall, before: Contract) -> bool:
    """Whether a call was made while `format` was a remark in its contract."""
    judged = [attempt.rules or 1 for attempt in kept.attempts if attempt.judged is not None]
    return kept.contract_digest == before.digest or (
        bool(judged) and max(judged) < _FORMATS_JUDGED_SINCE
    )


def with_template(contract: Contract, template: TemplateVersion, release: str) -> Contract:
    """The contract with another version of its template; its digest tells the two apart."""
    own = contract.template
    digest = contract.digest
    if own is None or own.fields_sha256 != template.fields_sha256:
        digest = digest_json({"contract": contract.digest, "template": template.fields_sha256})
    return replace(contract, template=template, release=release, digest=digest)


def without_template(contract: Contract) -> Contract:
    """The contract when no version is active: prompts are the role and the input as JSON."""
    digest = digest_json({"contract": contract.digest, "template": None})
    return replace(contract, fallback=True, release="fallback", digest=digest)


def correction_lines(schema: Schema, findings: Sequence[Finding]) -> Iterator[str]:
    """What the gate found, one line each, in words of the contract alone (003-C4).

    Codes and messages are ours; a path may hold keys that the model invented: only steps that
    the schema names, and numbers, are written. No word of the refused reply is.
    """
    declared = property_names(schema.document)
    seen = set()
    for finding in findings:
        if finding.severity != "reject":
            continue
        steps = [unescape(step) for step in finding.path.split("/")[1:]]
        path = "/".join(
            step if step in declared or (step.isascii() and step.isdigit()) else "…"
            for step in steps
        )
        line = f"- {finding.code} at /{path}: {finding.message}"
        if line not in seen:
            seen.add(line)
            yield line
