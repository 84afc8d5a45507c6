"""Golden cases: inputs and replies, with the outcome that must follow.

In      Pack with `golden/*.jsonl` and `golden/*.yaml`
Out     Fault for every case that ends otherwise, with file and line
Pure    yes: the kernel is run without a model, a clock or a store
Spec    interfaces.md, "Packs" (golden/*.jsonl); 000 retry policy; 007-P2

One JSON object a line, or in YAML one item of a list, which is written more easily by hand and
may have comments. Without a `kind` it is a call of a contract:

    {"name": "…", "contract": "classify",
     "sources": {"subject": "…", "body": "…"},
     "replies": [{"json": {…}}, "text", {"text": "…", "finish_reason": "length"}],
     "expect": {"outcome": "accepted", "attempts": 2, "codes": [["json.fenced"], []],
                "result": {…}}}

`replies` stand for what the model says to attempt 1, 2 …; `codes` are the finding codes of
each attempt; `result` is compared in the parts that it names. A case of kind `stage` names a
`stage` in place of the contract, one of kind `answer` gives `bundle` and `question`: each is the
job that a call of its kind would be, and all climb their ladder here. Cases of kind `assemble`
and `validate` look at the two halves of an answer alone and are run by `answers/golden.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field

from assay.answers.evidence.policy import read_policy
from assay.answers.golden import run_golden
from assay.answers.job import answer_job
from assay.contract.contract_job import ContractJob
from assay.contract.job import Job, Stop
from assay.contract.material import Material
from assay.contract.outcome import Outcome, Reason
from assay.contract.result_spec import Result
from assay.contract.shortened import Shortened
from assay.errors import AssayError, NotFoundError, PackError
from assay.flow.job import Place, StageJob
from assay.gate.verdict import Finding
from assay.pack.document import Document, decode, read_json, read_yaml, validate_form
from assay.pack.forms import Form, Name
from assay.pack.pack import Pack
from assay.redaction.redactor import Redactor

GOLDEN: Final = "golden/"
ENDING: Final = ".jsonl"
CALL: Final = "call"
HALVES: Final = frozenset({"assemble", "validate"})
"""Kinds of case that look at one half of an answer."""


class ReplyForm(Form):
    """What a model says: a JSON value written compactly, or a text to the letter."""

    json_: Annotated[Any, Field(alias="json")] = None
    text: str | None = None
    finish_reason: str | None = None

    def raw(self) -> str:
        """The text that the gate gets."""
        if self.text is not None:
            return self.text
        return json.dumps(self.json_, ensure_ascii=False, separators=(",", ":"))


def _reply(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value


class ShortenedForm(Form):
    """What an attempt left out."""

    omitted_chars: int | None = None
    own_words: bool


class ExpectForm(Form):
    """What must follow; what is absent is not compared."""

    outcome: Literal["accepted", "no_evidence", "needs_review"]
    reason: str | None = None
    attempts: int | None = None
    codes: list[list[str]] | None = None
    """Finding codes of each attempt, sorted, notes included."""

    result: dict[str, Any] | None = None
    shortened: ShortenedForm | None = None
    """What the accepted attempt did not show the model."""

    prompts: list[str] | None = None
    """Digest of each attempt's prompt."""


class _Case(Form):
    """What cases of all kinds of call have."""

    name: str
    replies: list[Annotated[ReplyForm, BeforeValidator(_reply)]]
    """What the model says to attempt 1, 2 …"""

    expect: ExpectForm


class _TextCase(_Case):
    """What a call over named texts is about."""

    sources: dict[str, str] = Field(default_factory=dict)
    slots: dict[str, str] = Field(default_factory=dict)
    signals: list[str] = Field(default_factory=list)
    state: dict[str, Any] | None = None
    input: dict[str, Any] = Field(default_factory=dict)

    def material(self) -> Material:
        return Material(
            texts=self.sources,
            slots=self.slots,
            signals=tuple(self.signals),
            state=self.state,
            input=self.input,
        )


class CallCase(_TextCase):
    """One input through one contract."""

    kind: Literal["call"] = "call"
    contract: Name

    def job(self, pack: Pack) -> Job:
        """The call, ready to be built. Raises NotFoundError when the pack has no such contract."""
        return ContractJob(
            contract=pack.contract(self.contract),
            material=self.material(),
            redactor=Redactor(extra=pack.redaction_classes),
        )


class StageCase(_TextCase):
    """One step of a turn: the contract of a stage, with what the graph adds to it."""

    kind: Literal["stage"]
    stage: Name

    def job(self, pack: Pack) -> Job:
        """The call, ready to be built. Raises NotFoundError when the pack has no such stage."""
        stage = None if pack.stages is None else pack.stages.stage(self.stage)
        if pack.stages is None or stage is None:
            raise NotFoundError(f"the pack has no stage {self.stage!r}")
        return StageJob(
            stage=stage,
            contract=pack.contract(stage.contract),
            material=self.material(),
            place=Place(session="golden", turn=1, step=0),
            slots=(),
            lead=pack.stages.turn_rules.correction,
            redactor=Redactor(extra=pack.redaction_classes),
        )


class AnswerCase(_Case):
    """One question with what was retrieved for it."""

    kind: Literal["answer"]
    bundle: dict[str, Any]
    question: str
    policy: dict[str, Any] | None = None
    """Takes the place of the pack's own."""

    def job(self, pack: Pack) -> Job:
        """The call, ready to be built. Raises InputError when the policy is refused."""
        return answer_job(
            self.bundle,
            self.question,
            pack.answer_policy() if self.policy is None else read_policy(self.policy),
            Redactor(extra=pack.redaction_classes),
            pack=pack.name,
            pack_version=pack.version,
            models=pack.models,
        )


CASES: Final[Mapping[str, type[CallCase] | type[StageCase] | type[AnswerCase]]] = {
    CALL: CallCase,
    "stage": StageCase,
    "answer": AnswerCase,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenCase:
    """One line of a golden file, or one item of its list."""

    file: str
    line: int
    document: Document
    """The case; in JSON Lines every place of it has the one line."""

    @property
    def value(self) -> dict[str, Any]:
        """The case as JSON."""
        value: dict[str, Any] = self.document.value
        return value

    @property
    def name(self) -> str:
        """As the case calls itself."""
        return str(self.value.get("name", f"line {self.line}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """How a case ended."""

    outcome: Outcome
    codes: tuple[tuple[str, ...], ...]
    prompts: tuple[str, ...]
    result: Result | None
    shortened: Shortened | None = None


def golden_cases(files: Mapping[str, bytes]) -> Iterator[GoldenCase]:
    """All cases of a pack, in order of file and line.

    Raises:
        PackError: a line is no JSON object, or a file of YAML no list of mappings.
    """
    for file in sorted(files):
        if file.startswith(GOLDEN) and file.endswith((".yaml", ".yml")):
            yield from _listed_cases(file, files[file])
        if not file.startswith(GOLDEN) or not file.endswith(ENDING):
            continue
        for number, line in enumerate(decode(file, files[file]).split("\n"), start=1):
            if not line.strip():
                continue
            try:
                read = read_json(file, line.encode("utf-8"))
            except PackError as error:
                message = error.message.partition(": ")[2]
                raise PackError(message, file=file, line=number) from error
            if not isinstance(read.value, dict):
                raise PackError("a case must be a JSON object", file=file, line=number)
            document = replace(read, lines=dict.fromkeys(read.lines, number))
            yield GoldenCase(file=file, line=number, document=document)


def _listed_cases(file: str, data: bytes) -> Iterator[GoldenCase]:
    if file.endswith(".yml"):
        raise PackError("would not be read", file=file, hint="call it .yaml")
    read = read_yaml(file, data)
    if read.value is None:
        return
    if not isinstance(read.value, list):
        raise read.fault("must be a list of cases: begin each with `- name:`")
    for place, value in enumerate(read.value):
        if not isinstance(value, dict):
            raise read.fault("a case must be a mapping", place)
        lines = {path[1:]: line for path, line in read.lines.items() if path[:1] == (place,)}
        document = Document(file=file, value=value, lines=lines)
        yield GoldenCase(file=file, line=read.line(place), document=document)


def run_case(pack: Pack, case: GoldenCase) -> PackError | None:
    """Run one case; None when everything is as expected."""
    kind = case.value.get("kind", CALL)
    if kind in HALVES:
        return _run_half(pack, case)
    if kind not in CASES:
        return _fault(case, f"kind {kind!r} does not exist")
    try:
        form = validate_form(case.document, CASES[kind])
        ended = climb_ladder(form.job(pack), form.replies)
    except PackError as error:
        line = error.line if error.file == case.file and error.line else case.line
        return _fault(case, error.message.removeprefix(f"{case.file}:{line}: "), line)
    except AssayError as error:
        return _fault(case, error.message)
    for message in _differences(form.expect, ended):
        return _fault(case, message)
    return None


def _run_half(pack: Pack, case: GoldenCase) -> PackError | None:
    """A case of assembly or validation, under the pack's policy if it has exactly one."""
    policies = list(pack.policies.values())
    try:
        policy = read_policy(policies[0]) if len(policies) == 1 else None
        differences = run_golden(case.value, policy)
    except AssayError as error:
        return _fault(case, error.message)
    return _fault(case, "; ".join(differences)) if differences else None


def climb_ladder(job: Job, replies: Sequence[ReplyForm]) -> CaseResult:
    """Put *replies* to the attempts of *job*, as a run does with those of a model."""
    codes: list[tuple[str, ...]] = []
    prompts: list[str] = []
    findings: tuple[Finding, ...] = ()
    rungs: list[ReplyForm | None] = [*replies[: job.attempts]] or [None]
    for number, reply in enumerate(rungs, start=1):
        built = job.build(number, findings)
        if isinstance(built, Stop):
            return _settled_outcome(built.outcome, codes, prompts, None)
        if reply is None:
            break
        prompts.append(built.prompt.sha256)
        weighed = job.weigh(
            reply.raw().encode("utf-8", "surrogatepass"), built, reply.finish_reason
        )
        findings = weighed.findings
        codes.append(tuple(sorted({finding.code for finding in findings})))
        if weighed.accepted:
            outcome = weighed.outcome or Outcome.accepted()
            ended = _settled_outcome(outcome, codes, prompts, weighed.result)
            return replace(ended, shortened=Shortened.of_built(built))
    return _settled_outcome(Outcome.review(Reason.GATE_REJECTED), codes, prompts, None)


def _settled_outcome(
    outcome: Outcome,
    codes: list[tuple[str, ...]],
    prompts: list[str],
    result: Result | None,
) -> CaseResult:
    return CaseResult(outcome=outcome, codes=tuple(codes), prompts=tuple(prompts), result=result)


def _differences(expect: ExpectForm, ended: CaseResult) -> Iterator[str]:
    outcome = ended.outcome
    if outcome.status != expect.outcome:
        found = ", ".join(sorted({code for codes in ended.codes for code in codes}))
        yield f"ended {outcome.status}, not {expect.outcome} (findings: {found or 'none'})"
    if expect.reason is not None and outcome.reason != expect.reason:
        yield f"ended for the reason {outcome.reason}, not {expect.reason}"
    if expect.attempts is not None and len(ended.codes) != expect.attempts:
        yield f"took {len(ended.codes)} attempts, not {expect.attempts}"
    if expect.codes is not None and [list(codes) for codes in ended.codes] != [
        sorted(set(codes)) for codes in expect.codes
    ]:
        yield f"found {_codes_text(ended.codes)}, not {_codes_text(expect.codes)}"
    if expect.prompts is not None and list(ended.prompts) != expect.prompts:
        yield f"built prompts {list(ended.prompts)}"
    yield from _shortened_otherwise(expect.shortened, ended.shortened)
    if expect.result is not None:
        value = None if ended.result is None else ended.result.value
        place = _unlike(expect.result, value, "")
        if place is not None:
            yield f"the result differs at {place or '/'}"


def _shortened_otherwise(wanted: ShortenedForm | None, found: Shortened | None) -> Iterator[str]:
    if wanted is None:
        return
    if found is None:
        yield "showed the model everything"
    elif found.own_words != wanted.own_words:
        yield f"left out {'' if found.own_words else 'no '}own words"
    elif wanted.omitted_chars not in (None, found.omitted_chars):
        yield f"left out {found.omitted_chars} characters, not {wanted.omitted_chars}"


def _unlike(expected: Any, found: Any, path: str) -> str | None:
    """The first place where *found* is not as expected; objects may have more keys."""
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return path
        for key, item in expected.items():
            if key not in found:
                return f"{path}/{key}"
            if (place := _unlike(item, found[key], f"{path}/{key}")) is not None:
                return place
        return None
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return path
        for number, (item, other) in enumerate(zip(expected, found, strict=True)):
            if (place := _unlike(item, other, f"{path}/{number}")) is not None:
                return place
        return None
    same = type(expected) is type(found) or isinstance(expected, float) is isinstance(found, float)
    return None if same and expected == found else path


def _fault(case: GoldenCase, message: str, line: int = 0) -> PackError:
    return PackError(f"case {case.name!r}: {message}", file=case.file, line=line or case.line)


def _codes_text(attempts: Sequence[Sequence[str]]) -> str:
    """Finding codes of each attempt, in words."""
    told = (", ".join(codes) or "nothing" for codes in attempts)
    return "; ".join(f"{text} in attempt {at}" for at, text in enumerate(told, 1)) or "no attempt"
