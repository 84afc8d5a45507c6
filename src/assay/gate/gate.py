"""Weigh one model output: finish reason, strict JSON, schema, then every check.

In      raw output, what the model was shown, the compiled schema, checks
Out     Verdict: findings, the output when accepted, spans of its evidence
Pure    yes
Spec    000 H1-H4; interfaces.md, "The gate"

Obligations, in order; each is fail-closed:
 1. A finish reason that does not say the reply is whole rejects it, whatever the text is; of a
    reply that we stopped ourselves, what stopped it is found again and named.
 2. The text is one JSON object under the strict rules, or it is rejected; no repair.
 3. The object fits the schema; every fault is named.
 4. Every check is asked. A check that raises is a finding, never a pass.
 5. The output is handed on only with a verdict that has no finding of severity `reject`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from assay.core.json.faults import place_name
from assay.core.json.schema import Fault, Schema
from assay.core.json.strict import Refused, parse_object
from assay.core.text.spans import Shown
from assay.errors import InputError
from assay.gate.places import PlaceRule
from assay.gate.prefix import STOPPED, PrefixWatch, explain_prefix
from assay.gate.verdict import Finding, LocatedAt, Reading, Verdict

RULES_VERSION: Final = 3
"""Of all that decides a verdict beside the contract: the checks of `gate` and `answers/gate`.
Raised by whoever changes what they find. Records of the first release name none."""

MAX_FINDINGS = 200
"""How many findings a verdict lists; a reply of a megabyte can earn a hundred thousand."""

WHOLE_REASONS: Final = frozenset({None, "stop", "end_turn", "stop_sequence", "eos"})
"""Finish reasons of a reply that its model ended by itself."""
_TRUNCATED = frozenset({"length", "max_tokens"})
_FILTERED = frozenset({"content_filter", "safety", "refusal"})


@dataclass(frozen=True, slots=True, kw_only=True)
class GateContext:
    """What an output is weighed against, beside the contract."""

    shown: tuple[Shown, ...] = ()
    """What this attempt was shown of every source, in search order."""

    state: Mapping[str, Any] | None = None
    """What rules see as `state`; None outside a session."""

    input: Mapping[str, Any] = field(default_factory=dict)
    """What rules see as `input`."""

    raw: bytes = b""
    """The output as it came; `judge` fills it in."""

    schema: Schema | None = None
    """What the output fits; None when it fits none. `judge` fills it in."""


class Check(Protocol):
    """One question about one output.

    A check reads; it never repairs the output, calls a model, or looks at a clock. It is
    asked only about outputs that fit the schema, unless it has a true attribute
    `any_shape`: then it is also asked when they do not, so that all faults are seen at once.
    """

    def __call__(
        self, output: dict[str, Any], context: GateContext
    ) -> Iterable[Finding | LocatedAt | Reading]:
        """Give a finding for each fault, a span for each snippet found; nothing to accept."""
        ...


def judge(
    raw: bytes | str,
    context: GateContext,
    checks: Sequence[Check],
    *,
    schema: Schema,
    finish_reason: str | None = None,
    refusals: Sequence[str] = (),
) -> Verdict:
    """Weigh one output. Never raises because of it, never repairs it.

    A verdict lists at most MAX_FINDINGS findings and says when there are more.

    Args:
        raw: Exactly what the model sent.
        context: What it is weighed against.
        checks: What is asked after the schema, in this order. None is lawful: a contract
            may be as small as its schema.
        schema: What the object must fit.
        finish_reason: Why the model stopped, as the provider said it; None if unsaid.
        refusals: Openings of refusals beside the listed ones.

    Raises:
        InputError: *raw* is neither text nor bytes: a fault of the caller, not of a model.

    Example:
        >>> schema = Schema.compile({"type": "object", "required": ["label"]})
        >>> judge('{"label": "A"}', GateContext(), [], schema=schema).accepted
        True
        >>> [f.code for f in judge("{}", GateContext(), [], schema=schema).findings]
        ['schema.required']
    """
    if not isinstance(raw, bytes | str):
        raise InputError(
            "an output to be judged is text or bytes", hint="an empty one is '' and is rejected"
        )
    # 1
    stopped = stopped_early(finish_reason)
    if finish_reason == STOPPED:
        return _judge_stopped(raw, context, checks, schema, refusals)
    if stopped is not None:
        return _reject(stopped)
    # 2
    parsed = parse_object(raw, refusals=refusals)
    if isinstance(parsed, Refused):
        return _reject(Finding(code=parsed.code, message=parsed.message))
    output: dict[str, Any] | None = parsed.value
    assert output is not None
    # 3
    findings: list[Finding] = []
    fits = schema.is_valid(output)
    if not fits:
        findings += map(_schema_finding, schema.faults(output))
        checks = [check for check in checks if getattr(check, "any_shape", False)]
    elif parsed.is_large:
        findings += map(_inexact_finding, schema.inexact_integers(output))
    context = GateContext(
        shown=context.shown,
        state=context.state,
        input=context.input,
        raw=parsed.raw,
        schema=schema if fits else None,
    )
    # 4
    spans: list[LocatedAt] = []
    value: Any = None
    for check in checks:
        rejects = 0
        try:
            for item in check(output, context):
                if item.__class__ is LocatedAt:
                    spans.append(item)
                    continue
                if item.__class__ is Reading:
                    value = item.value
                    continue
                findings.append(_finding(item))
                rejects += findings[-1].severity != "note"
                if rejects > MAX_FINDINGS:
                    break
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # a panic of an extension module is no Exception
            findings.append(_broken(check, error))
    # 5
    if not findings:
        return Verdict(findings=(), output=output, spans=tuple(spans), value=value)
    if any(finding.severity != "note" for finding in findings):
        output = value = None
    return Verdict(
        findings=_bound_findings(findings), output=output, spans=tuple(spans), value=value
    )


def prefix_watch(
    context: GateContext,
    checks: Sequence[Check],
    *,
    schema: Schema,
    refusals: Sequence[str] = (),
) -> PrefixWatch:
    """A watch over one reply that `judge` would be given with the same arguments.

    A check is asked early where it has a method `growing`, which says what it knows of single
    places; of all others nothing is known before the reply is whole.
    """
    rules: list[PlaceRule] = []
    for check in checks:
        growing = getattr(check, "growing", None)
        if growing is not None:
            rules += growing(context)
    return PrefixWatch(rules, schema, refusals)


def _judge_stopped(
    raw: bytes | str,
    context: GateContext,
    checks: Sequence[Check],
    schema: Schema,
    refusals: Sequence[str],
) -> Verdict:
    """A reply that was stopped while it arrived: what stopped it, and that it was."""
    stopped = Finding(
        code="output.stopped",
        message="the reply was stopped while it arrived, as no continuation would be accepted",
    )
    try:
        watch = prefix_watch(context, checks, schema=schema, refusals=refusals)
        text, fault = explain_prefix(raw, watch)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:  # whatever a check does, the reply stays rejected
        return _reject(stopped)
    if fault is None:
        return _reject(stopped)
    where = f" ({place_name(text, fault.at)})" if fault.at >= 0 else ""
    found = Finding(code=fault.code, path=fault.path, message=f"{fault.message}{where}")
    return Verdict(findings=(found, stopped), output=None)


def _bound_findings(findings: list[Finding]) -> tuple[Finding, ...]:
    """At most MAX_FINDINGS, those that reject among them, and a note when there are more."""
    if len(findings) <= MAX_FINDINGS:
        return tuple(findings)
    kept = findings[:MAX_FINDINGS]
    if all(finding.severity == "note" for finding in kept):
        kept[-1:] = [finding for finding in findings if finding.severity != "note"][:1] or kept[-1:]
    more = Finding(
        code="findings.more",
        severity="note",
        message=f"there are more findings than the {MAX_FINDINGS} listed",
    )
    return (*kept, more)


def _schema_finding(fault: Fault) -> Finding:
    return Finding(code=f"schema.{fault.keyword}", path=fault.pointer, message=fault.message)


def _inexact_finding(fault: Fault) -> Finding:
    message = "must be an integer within 2^53 - 1, however it is written"
    return Finding(code="json.number", path=fault.pointer, message=message)


def _reject(finding: Finding) -> Verdict:
    return Verdict(findings=(finding,), output=None)


def stopped_early(reason: str | None) -> Finding | None:
    """What a finish reason says against a reply; None when the reply is whole.

    Spec: interfaces.md, "The gate" (finish reasons).
    """
    if reason in WHOLE_REASONS:
        return None
    if reason in _TRUNCATED:
        return Finding(code="output.truncated", message="the model stopped at its length limit")
    if reason in _FILTERED:
        return Finding(code="output.filtered", message="the provider withheld or cut the reply")
    return Finding(
        code="output.stopped", message="the model stopped for a reason that is not a whole reply"
    )


def _finding(item: Any) -> Finding:
    if not isinstance(item, Finding):
        raise TypeError("a check gives findings and spans")
    return item


def _broken(check: Check, error: BaseException) -> Finding:
    name = getattr(check, "__name__", None) or type(check).__name__
    # The kind of the error alone: its message may quote the output.
    return Finding(
        code="check.error", message=f"the check {name!r} failed itself ({type(error).__name__})"
    )
