"""One sentence for people on why an input or a call ended as it did.

In      an outcome's reason, facts of the call, the findings of its last attempt
Out     a sentence; None for what was accepted
Pure    yes
Spec    005-M10; interfaces.md, "Beside these fields" (`detail`)

A sentence holds numbers, codes and names of the contract, and nothing of the input or the reply:
no text, no name of a file, no key that a model invented.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from assay.contract.outcome import Reason
from assay.core.json.pointer import unescape
from assay.core.json.schema import Schema
from assay.gate.verdict import Finding

_STEP_CHARS: Final = 40


def detail_of(reason: str | None, facts: Mapping[str, Any] | None = None) -> str | None:
    """The sentence for *reason*.

    Args:
        facts: Those of the call's end (`budget`, `rejected`, `failure`, …); what is absent is
            left out of the sentence.

    Example:
        >>> detail_of("gate.rejected", {"rejected": {"attempts": 2, "code": "json.fenced"}})
        'The gate rejected all 2 attempts, the last one for json.fenced.'
    """
    if reason is None:
        return None
    sentence = _SENTENCES.get(reason)
    return None if sentence is None else sentence(facts or {})


def unreadable_detail(why: str) -> str:
    """The sentence for an input that gave no text.

    Args:
        why: What its reader says; of the content it holds nothing.
    """
    return f"The input could not be read: {why.rstrip('. ')}."


def shortened_detail(omitted_chars: int) -> str:
    """The sentence for an input whose own words were not all shown to the model."""
    return (
        f"What was accepted was judged without {_count(omitted_chars, 'character')} of the input, "
        "own words of the sender among them, that did not fit the prompt."
    )


def rejection_facts(attempts: int, findings: Sequence[Finding], schema: Schema | None) -> Any:
    """What a sentence says of the last rejection: its first finding, in words of the contract.

    Args:
        schema: Of the contract: a step of a path that it does not declare may be the model's.
    """
    first = next((finding for finding in findings if finding.severity != "note"), None)
    if first is None:
        return {"attempts": attempts}
    return {"attempts": attempts, "code": first.code, "path": _declared_path(first.path, schema)}


def _declared_path(path: str, schema: Schema | None) -> str:
    if schema is None:
        return ""
    said = ""
    for step in map(unescape, path.split("/")[1:]):
        known = schema.declares(step) or (step.isascii() and step.isdigit())
        said += f"/{step[:_STEP_CHARS]}" if known else "/…"
    return said


def _rejection_sentence(facts: Mapping[str, Any]) -> str:
    if "guard" in facts:
        return f"The guard {facts['guard']} of the stage does not hold, so no model was asked."
    rejected = facts.get("rejected")
    if not rejected:
        return "The gate rejected every attempt."
    tries = rejected["attempts"]
    whole = "The gate rejected the only attempt" if tries == 1 else f"The gate rejected all {tries}"
    whole += "" if tries == 1 else " attempts, the last one"
    code = rejected.get("code")
    place = f" at {rejected['path']}" if rejected.get("path") else ""
    return f"{whole} for {code}{place}." if code else f"{whole.removesuffix(', the last one')}."


def _budget_sentence(facts: Mapping[str, Any]) -> str:
    budget: Mapping[str, Any] = facts.get("budget", {})
    if budget.get("scope") == "run":
        limits = [
            f"{budget[used]} of {budget[limit]} {what} tokens"
            for limit, used, what in _RUN_LIMITS
            if budget.get(limit) is not None and used in budget
        ]
        if "max_cost" in budget:
            currency = budget.get("currency", "in money")
            limits.append(f"{budget['cost']} of {budget['max_cost']} {currency}")
        said = f" ({', '.join(limits)} are used{_next_cost(budget)})" if limits else ""
        return f"The budget of the run has no room for this call{said}."
    if budget.get("scope") == "provider":
        code = str(budget.get("limit", ""))
        return f"The model's server refused the prompt as too long{f' ({code})' if code else ''}."
    if "tokens" in budget:
        return (
            f"The prompt does not fit its {_count(budget['limit'], 'token')} even when shortened; "
            f"without any text of the input it has {budget['tokens']}."
        )
    if "limit" in budget:
        used = budget.get("input_tokens", 0) + budget.get("output_tokens", 0)
        return f"One more attempt could break {budget['limit']}; {_count(used, 'token')} are used."
    return "What had to be sent does not fit the token budget even when shortened."


def _next_cost(budget: Mapping[str, Any]) -> str:
    if "call_cost" not in budget:
        return ""
    cost = budget["call_cost"]
    known = "what it costs is not known" if cost is None else f"it costs up to {cost}"
    return f"; {known}"


_RUN_LIMITS: Final = (
    ("max_input_tokens", "input_tokens", "input"),
    ("max_output_tokens", "output_tokens", "output"),
)


def _fault_sentence(facts: Mapping[str, Any]) -> str:
    failure = facts.get("failure")
    if not failure:
        return "It was tried until it was clear that it is at fault itself."
    return f"The model gave no reply to this input ({failure})."


def _assembly_sentence(facts: Mapping[str, Any]) -> str:
    why = facts.get("failure_reason")
    if not why:
        return "What was retrieved, or the question, breaks a rule of the assembly."
    return f"The assembly failed: {str(why).rstrip('. ')}."


def _shortened_sentence(facts: Mapping[str, Any]) -> str:
    if "omitted_chars" in facts:
        return shortened_detail(int(facts["omitted_chars"]))
    return "What was accepted was judged without own words of the sender that did not fit."


def _always(sentence: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda facts: sentence  # noqa: ARG005


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


_SENTENCES: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    Reason.GATE_REJECTED: _rejection_sentence,
    Reason.BUDGET_EXCEEDED: _budget_sentence,
    Reason.INPUT_UNREADABLE: _always("The input could not be read."),
    Reason.INPUT_SHORTENED: _shortened_sentence,
    Reason.MODEL_REFUSED: _always("The contract is not declared for models of this name."),
    Reason.ASSEMBLY_FAILED: _assembly_sentence,
    Reason.NO_EVIDENCE: _always("Nothing that was retrieved is good enough to answer from."),
    Reason.SESSION_CONFLICT: _always("Another turn of this session is under way or came first."),
    Reason.GAVE_UP: _fault_sentence,
}
"""Every reason has its sentence."""
