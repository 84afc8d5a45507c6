"""Make one reply of the embedded language model.

In      ModelRequest; a way to have operations carried out
Out     Reply: the text, why it ended, what was evaluated for it
Pure    given the worker's answers: equal requests give equal replies
Spec    000-H1 to 000-H3; 004 P4.2

Labels are asked for, one set after the other; quotes, scores and echoed values follow from
that. What is left open is decoded from the request's own prompt, under a grammar in which the
decided parts are literals. A grammar that does not hold the decoder is a fault, not a reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

import jsonschema_rs

from assay.adapters.models.embedded.grammar import CONTROL, Open, Written, write
from assay.adapters.models.embedded.label_reading import LabelReading
from assay.adapters.models.embedded.trace import Trace
from assay.adapters.models.extractive.answer import quotable_lines
from assay.adapters.models.extractive.choice import Choice
from assay.adapters.models.extractive.form import Form
from assay.adapters.models.extractive.lexicon import FindLexicon
from assay.contract.decoding.plan import DecodingPlan
from assay.core.text import tokens
from assay.protocols import ModelFault, ModelRequest

if TYPE_CHECKING:
    from assay.adapters.models.extractive.labels import Reading

_LONGEST_ARRAYS: Final = (64, 8, 4, 2, 1)
"""Tried in turn until the reply keeps within the contract's output tokens."""

_OPEN_ARRAYS: Final = {64: 4, 2: 1}
"""For which of these a reply with open parts is decoded, and how long its open arrays may be:
each decoding reads the prompt anew, and this model fills long arrays with repetitions."""

_OFFERED: Final = 24
"""How many sentences of the evidence the model may choose from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came of one request."""

    text: str
    finish_reason: str
    input_tokens: int
    """All that the model evaluated, its own questions included."""

    output_tokens: int
    """Of the text, decoded or chosen."""

    method: str
    """`label_decoding`, alone or with `+constrained_decoding` behind; `constrained_decoding`,
    `patterns` (the pack's own, when nothing else was needed) or `completion`."""

    prompt_read: bool
    """Whether the model itself read the request's prompt; choices read the shown texts."""

    evaluated_sha256: str
    """Digest over every operation, in order."""

    operations: int

    facts: Mapping[str, Any] = field(default_factory=dict)
    """What the worker put on record of the prompt as it gave it to the model."""


def _as_users_turn(text: str) -> dict[str, Any]:
    return {"text": text, "chat": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How one model is spoken to; as it stands, that of the model that came with this program."""

    context: Callable[[ModelRequest], Mapping[str, Any]] = lambda request: _as_users_turn(
        request.prompt
    )
    """The request's own prompt, as the worker takes it."""

    question: Callable[[str], Mapping[str, Any]] = _as_users_turn
    """A question of ours, as the worker takes it."""

    follows: bool = False
    """It can follow instructions; else it is asked only for labels that have to be named, and
    answers by writing one of the sentences of the evidence, or the refusal."""

    control: re.Pattern[str] = CONTROL
    """Where in a text one of its control tokens may begin."""


PLAIN_WAY: Final = Way()


def reply(request: ModelRequest, trace: Trace, lexicon: FindLexicon, way: Way = PLAIN_WAY) -> Reply:
    """Answer *request*.

    Raises:
        ModelFault: `too_large` for a prompt that is too long, `bad_request` when no grammar
            holds.
    """
    plan = request.plan
    if plan is not None and plan.schema:
        return _object(request, plan, trace, lexicon, way)
    if plan is not None and plan.evidence and not way.follows:
        return _answer(request, plan, trace, way)
    made = _decode(request, trace, "", way)
    return _reply(made["text"], trace, "completion", decoded=made, count=made["tokens"])


class OpenForm(Form):
    """A form that leaves to the model what no label decides."""

    def __init__(self, plan: DecodingPlan, reading: LabelReading, most: int) -> None:
        super().__init__(plan, cast("Reading", reading), most)
        self._finds = reading.finds

    def draft(self) -> Any:
        """The object, open where something is to be decoded."""
        return self._fill(self._plan.schema, "", None)

    def _fill(self, schema: Mapping[str, Any], at: str, choice: Choice | None) -> Any:
        here = self._resolve(schema)
        if self._is_decided(here, at, choice):
            return super()._fill(schema, at, choice)
        return Open(schema=here, at=at)

    def _is_decided(self, schema: Mapping[str, Any], at: str, choice: Choice | None) -> bool:
        if at in self._plan.fixed or at in self._slots or "const" in schema:
            return True
        if at in self._scores or at in self._quotes:
            return choice is not None
        if "properties" in schema:
            return self._asks(at)
        inside = f"{at}/*"
        if inside in self._quotes:
            # Where nothing was shown there is nothing to quote: an empty list says so.
            return choice is not None or not self._plan.sentences
        items = schema.get("items")
        if isinstance(items, Mapping):
            slot = self._slots.get(inside) or self._driver(items.get("properties", {}), inside)
            if slot is None:
                return False
            return not self._holds_value(items, inside) or self._finds(slot.set)
        return schema.get("type") == "string" and choice is not None and choice.value is not None


def _object(
    request: ModelRequest, plan: DecodingPlan, trace: Trace, lexicon: FindLexicon, way: Way
) -> Reply:
    reading = LabelReading(plan, trace, lexicon, way.question, only_needed=not way.follows)
    limit = request.parameters.max_output_tokens
    validator = jsonschema_rs.validator_for(dict(plan.schema))
    scored = f"{reading.method}+" if plan.labels else ""
    made: dict[str, Any] = {"text": "", "finish_reason": "length", "tokens": 0}
    for most in _LONGEST_ARRAYS:
        draft = OpenForm(plan, reading, most).draft()
        capped = _cap_arrays(draft, _OPEN_ARRAYS.get(most, most))
        written: Written = write(capped, plan, way.control)
        if written.text is not None:
            count = tokens.count(written.text)
            if count > limit and most > 1:
                continue
            method = reading.method if trace.operations else "patterns"
            return _reply(written.text, trace, method, count=count)
        if most not in _OPEN_ARRAYS:
            continue
        trace.require_grammar(written.grammar)
        made = _decode(request, trace, written.grammar, way)
        if made["finish_reason"] == "stop":
            break
    method = f"{scored}constrained_decoding"
    if made["finish_reason"] == "stop" and not _fits(made["text"], validator):
        raise ModelFault("server", transient=False, hint="the decoder left its grammar")
    return _reply(made["text"], trace, method, decoded=made, count=made["tokens"])


def _fits(text: str, validator: jsonschema_rs.Validator) -> bool:
    try:
        return bool(validator.is_valid(json.loads(text)))
    except ValueError:
        return False


def _cap_arrays(draft: Any, most: int) -> Any:
    """*draft* with no open array longer than *most*, as far as its schema allows."""
    match draft:
        case Open(schema=schema, at=at):
            return Open(schema=_shorten_prompt(schema, most), at=at)
        case Mapping():
            return {key: _cap_arrays(value, most) for key, value in draft.items()}
        case list():
            return [_cap_arrays(value, most) for value in draft]
    return draft


def _shorten_prompt(schema: Mapping[str, Any], most: int) -> dict[str, Any]:
    result = dict(schema)
    if "maxItems" in schema:
        result["maxItems"] = max(min(most, schema["maxItems"]), schema.get("minItems", 0))
    if isinstance(schema.get("items"), Mapping):
        result["items"] = _shorten_prompt(schema["items"], most)
    if "properties" in schema:
        result["properties"] = {
            key: _shorten_prompt(value, most) for key, value in schema["properties"].items()
        }
    return result


def _decode(request: ModelRequest, trace: Trace, grammar: str, way: Way) -> dict[str, Any]:
    """The worker's answer to a completion of the request's own prompt.

    A temperature that is left to the model is 0: the likeliest answer.
    """
    return trace.run(
        {
            "op": "complete",
            "context": way.context(request),
            "grammar": grammar,
            "max_tokens": request.parameters.max_output_tokens,
            "temperature": request.parameters.temperature or 0.0,
            "seed": request.parameters.seed or 0,
        }
    )


def _answer(request: ModelRequest, plan: DecodingPlan, trace: Trace, way: Way) -> Reply:
    """One of the sentences of the evidence with its anchor, or the refusal: the model chooses by
    writing, and can write nothing else."""
    lines = [*quotable_lines(plan.evidence)[:_OFFERED], plan.refusal or ""]
    offered = " | ".join(
        json.dumps(way.control.sub(lambda found: f"{found[0]} ", line), ensure_ascii=False)
        for line in dict.fromkeys(lines)
    )
    grammar = f"%llguidance {{}}\nstart: {offered}\n"
    trace.require_grammar(grammar)
    made = _decode(request, trace, grammar, way)
    return _reply(made["text"], trace, "constrained_decoding", decoded=made, count=made["tokens"])


def _reply(
    text: str, trace: Trace, method: str, *, count: int, decoded: Mapping[str, Any] | None = None
) -> Reply:
    return Reply(
        text=text,
        finish_reason="stop" if decoded is None else decoded["finish_reason"],
        input_tokens=trace.tokens,
        output_tokens=count,
        method=method,
        prompt_read=decoded is not None,
        evaluated_sha256=trace.digest,
        operations=trace.operations,
        facts={} if decoded is None else decoded.get("facts", {}),
    )
