"""Golden cases: inputs and replies, with the outcome that must follow.

In      Pack with `golden/*.jsonl`
Out     Fault for every case that ends otherwise, with file and line
Pure    yes: the kernel is run without a model, a clock or a store
Spec    interfaces.md, "Packs" (golden/*.jsonl); 000 retry policy

One JSON object a line. Without a `kind` it is a call:

    {"name": "…", "contract": "classify",
     "sources": {"subject": "…", "body": "…"},
     "replies": [{"json": {…}}, "text", {"text": "…", "finish_reason": "length"}],
     "expect": {"outcome": "accepted", "attempts": 2, "codes": [["json.fenced"], []],
                "result": {…}}}

`replies` stand for what the model says to attempt 1, 2 …; `codes` are the finding codes of
each attempt; `result` is compared in the parts that it names. Cases of kind `assemble` and
`validate` belong to the grounded answers and are run by their own code.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field

from assay.contract.build import build
from assay.contract.contract import Contract, judge
from assay.contract.material import Material, OverBudget
from assay.contract.outcome import Outcome, Reason
from assay.contract.result import settle_result
from assay.contract.result_spec import Result
from assay.errors import AssayError, PackError
from assay.pack.document import Document, decode, read_json, validate_form
from assay.pack.forms import Form, Name
from assay.pack.pack import Pack
from assay.redaction.redactor import Redactor

GOLDEN: Final = "golden/"
ENDING: Final = ".jsonl"
CALL: Final = "call"
ANSWERS: Final = frozenset({"assemble", "validate"})
"""Kinds of the grounded answers, which their own code runs."""


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


class ExpectForm(Form):
    """What must follow; what is absent is not compared."""

    outcome: Literal["accepted", "needs_review"]
    reason: str | None = None
    attempts: int | None = None
    codes: list[list[str]] | None = None
    """Finding codes of each attempt, sorted, notes included."""

    result: dict[str, Any] | None = None
    prompts: list[str] | None = None
    """Digest of each attempt's prompt."""


class CallCase(Form):
    """One input through one contract."""

    kind: Literal["call"] = "call"
    name: str
    contract: Name
    sources: dict[str, str] = Field(default_factory=dict)
    slots: dict[str, str] = Field(default_factory=dict)
    signals: list[str] = Field(default_factory=list)
    state: dict[str, Any] | None = None
    input: dict[str, Any] = Field(default_factory=dict)
    replies: list[Annotated[ReplyForm, BeforeValidator(_reply)]]
    """What the model says to attempt 1, 2 …"""

    expect: ExpectForm


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenCase:
    """One line of a golden file."""

    file: str
    line: int
    document: Document
    """The case; every place of it has the one line."""

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


def golden_cases(files: Mapping[str, bytes]) -> Iterator[GoldenCase]:
    """All cases of a pack, in order of file and line.

    Raises:
        PackError: a line is no JSON object.
    """
    for file in sorted(files):
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


def run_case(pack: Pack, case: GoldenCase) -> PackError | None:
    """Run one case; None when everything is as expected."""
    kind = case.value.get("kind", CALL)
    if kind in ANSWERS:
        return _run_answer(pack, case)
    if kind != CALL:
        return _fault(case, f"kind {kind!r} does not exist")
    try:
        form = validate_form(case.document, CallCase)
        contract = pack.contract(form.contract)
        ended = run_call(contract, form, Redactor(extra=pack.redaction_classes))
    except AssayError as error:
        return _fault(case, error.message.removeprefix(f"{case.file}:{case.line}: "))
    for message in _differences(form.expect, ended):
        return _fault(case, message)
    return None


def _run_answer(pack: Pack, case: GoldenCase) -> PackError | None:
    """A case of assembly or validation, under the pack's policy if it has exactly one."""
    from assay.answers.evidence.policy import read_policy
    from assay.answers.golden import run_golden

    policies = list(pack.policies.values())
    try:
        policy = read_policy(policies[0]) if len(policies) == 1 else None
        differences = run_golden(case.value, policy)
    except AssayError as error:
        return _fault(case, error.message)
    return _fault(case, "; ".join(differences)) if differences else None


def run_call(contract: Contract, case: CallCase, redactor: Redactor) -> CaseResult:
    """Climb the contract's ladder with the replies of *case*."""
    material = Material(
        texts=case.sources,
        slots=case.slots,
        signals=tuple(case.signals),
        state=case.state,
        input=case.input,
    )
    codes: list[tuple[str, ...]] = []
    prompts: list[str] = []
    for number, reply in enumerate(case.replies[: len(contract.attempts)], start=1):
        built = build(contract, material, number, redactor)
        if isinstance(built, OverBudget):
            outcome = Outcome.review(Reason.BUDGET_EXCEEDED)
            return _settled_outcome(outcome, codes, prompts, None)
        verdict = judge(
            contract,
            reply.raw(),
            shown=built.shown,
            state=material.state,
            input=material.input,
            finish_reason=reply.finish_reason,
        )
        prompts.append(built.prompt.sha256)
        result: Result | None = None
        if verdict.accepted:
            result, verdict = settle_result(contract, verdict, material, redactor, built=built)
        codes.append(tuple(sorted({finding.code for finding in verdict.findings})))
        if result is not None:
            return _settled_outcome(Outcome.accepted(), codes, prompts, result)
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
        yield f"found {[list(codes) for codes in ended.codes]}, not {expect.codes}"
    if expect.prompts is not None and list(ended.prompts) != expect.prompts:
        yield f"built prompts {list(ended.prompts)}"
    if expect.result is not None:
        value = None if ended.result is None else ended.result.value
        place = _unlike(expect.result, value, "")
        if place is not None:
            yield f"the result differs at {place or '/'}"


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


def _fault(case: GoldenCase, message: str) -> PackError:
    return PackError(f"case {case.name!r}: {message}", file=case.file, line=case.line)
