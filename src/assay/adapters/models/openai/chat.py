"""Chat completions: what is sent, and what comes back.

In      ModelRequest and what the model takes; the answer, at once or event by event
Out     arguments of `chat.completions.create`; ModelReply
Pure    yes
Spec    004 R3; interfaces.md, "Models"

The prompt goes out as one user message, or as its parts in their roles, and no text is added.
What the provider is told beside it is on record: the schema of the reply, the limit, what was
left out. These servers cache equal beginnings by themselves, so a cacheable prefix needs no mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assay.adapters.models.event_stream import DONE, ServerEvent
from assay.adapters.models.http_faults import broken_reply, parse_answer
from assay.adapters.models.openai.request_parts import (
    SetUp,
    make_offer,
    role_messages,
    schema_fields,
)
from assay.adapters.models.openai.usage import read_usage
from assay.adapters.models.provider_errors import error_inside
from assay.adapters.models.stepping import Exchange, Offer
from assay.adapters.models.streaming import join_halves
from assay.gate.gate import WHOLE_REASONS
from assay.protocols import ModelReply, ModelRequest

_CARRIER: Final = "response_format"
_CALLS: Final = ("tool_calls", "function_call")
_TEXT_PARTS: Final = frozenset({"text", "output_text"})
_HIDDEN_PARTS: Final = frozenset({"thinking", "reasoning", "redacted_thinking"})
_HIDDEN_FIELDS: Final = ("reasoning_content", "reasoning")


def chat_offer(request: ModelRequest, set_up: SetUp) -> Offer:
    """What *request* carries as long as nothing of it is refused."""
    return make_offer(
        request, set_up, carrier=_CARRIER, limits=set_up.limits, effort="reasoning_effort"
    )


def chat_arguments(request: ModelRequest, set_up: SetUp, exchange: Exchange) -> dict[str, Any]:
    """What `chat.completions.create` is called with."""
    parameters = request.parameters
    optional: dict[str, Any] = {
        "temperature": parameters.temperature,
        "seed": parameters.seed,
        "reasoning_effort": parameters.effort,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    sent = [name for name in exchange.offer.optional if exchange.takes(name)]
    if "stream" not in sent:
        sent = [name for name in sent if name != "stream_options"]
    body: dict[str, Any] = {
        "model": set_up.model,
        "messages": role_messages(request),
        exchange.limit: parameters.max_output_tokens,
        **{name: optional[name] for name in sent},
    }
    if request.schema is not None:
        if exchange.rung in ("strict", "schema"):
            fields = schema_fields(request.schema, exchange.rung)
            body[_CARRIER] = {"type": "json_schema", "json_schema": fields}
        elif exchange.rung == "json":
            body[_CARRIER] = {"type": "json_object"}
    return body


def chat_facts(sent: Mapping[str, Any], exchange: Exchange) -> dict[str, Any]:
    """Facts for the record about what was sent."""
    roles = [message["role"] for message in sent["messages"]]
    return {"prompt_as": ", ".join(roles), "limit_as": exchange.limit}


def read_completion(answer: Mapping[str, Any], details: Mapping[str, Any]) -> ModelReply:
    """Read the answer, taking nothing for granted.

    Raises:
        ModelFault: it is no answer.
    """
    choices = answer.get("choices")
    if not (isinstance(choices, list) and choices and isinstance(choices[0], dict)):
        raise broken_reply("holds no choice")
    choice: dict[str, Any] = choices[0]
    message = choice.get("message")
    if not isinstance(message, dict):
        raise broken_reply("holds no message")
    finish = choice.get("finish_reason")
    if not isinstance(finish, str | None):
        raise broken_reply("holds a finish reason that is no string")
    text, other = _message_text(message.get("content"))
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        text, finish = refusal, "refusal"
    elif other == "refusal":
        finish = "refusal"
    elif finish in WHOLE_REASONS:
        # What was not offered was not asked for: text beside it is not the whole reply.
        beside = next((name for name in _CALLS if message.get(name)), other)
        finish = beside or finish
    usage = read_usage(answer.get("usage"))
    model = answer.get("model")
    fingerprint = answer.get("system_fingerprint")
    return ModelReply(
        text=text,
        finish_reason=finish,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        model=model if isinstance(model, str) else "",
        details={
            **details,
            **({"system_fingerprint": fingerprint} if isinstance(fingerprint, str) else {}),
            **usage.details,
        },
    )


def _message_text(content: object) -> tuple[str, str]:
    """The text of a message, also where it comes in parts, and what else lies beside it.

    Hidden reasoning is neither: it is not judged.
    """
    if content is None or isinstance(content, str):
        return content or "", ""
    if not isinstance(content, list):
        raise broken_reply("holds a text that is no string")
    texts: list[str] = []
    other = ""
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str):
            raise broken_reply("holds a part without a type")
        if kind in _TEXT_PARTS or kind == "refusal":
            text = part.get("refusal" if kind == "refusal" else "text")
            if not isinstance(text, str):
                raise broken_reply("holds a part without text")
            texts.append(text)
        if kind not in _TEXT_PARTS and kind not in _HIDDEN_PARTS:
            other = "refusal" if "refusal" in (kind, other) else "other_output"
    return "".join(texts), other


class ChatAssembly:
    """Puts the chunks of one completion together (`streaming.Assembly`)."""

    def __init__(self, *, shows_its_end: bool = False) -> None:
        """
        Args:
            shows_its_end: The text is one JSON object, so that the gate sees whether it is whole.
        """
        self._shows_its_end = shows_its_end
        self.over = False
        self.error: object | None = None
        self.hidden = ""
        self._facts: dict[str, Any] = {}
        self._content: list[Any] = []
        self._refusal = ""
        self._calls: dict[str, list[Any]] = {}
        self._finish: str | None = None
        self._ended = False
        self._done = False

    def take(self, event: ServerEvent) -> str:
        """The text that a chunk adds."""
        if event.data.strip() == DONE:
            self.over = self._done = True
            return ""
        chunk = parse_answer(event.data)
        self.error = error_inside(chunk) or (chunk if event.name == "error" else None)
        if self.error is not None:
            self.over = True
            return ""
        for name in ("model", "system_fingerprint", "usage"):
            if chunk.get(name):
                self._facts[name] = chunk[name]
        choices = chunk.get("choices")
        first = [
            choice
            for choice in (choices if isinstance(choices, list) else [])
            if isinstance(choice, dict) and choice.get("index") in (0, None)
        ]
        return "".join(self._take_choice(choice) for choice in first)

    def _take_choice(self, choice: Mapping[str, Any]) -> str:
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            # A server that plays a stream sends the whole message in one event.
            message = choice.get("message")
            delta = message if isinstance(message, dict) and not self._content else {}
        finish = choice.get("finish_reason")
        if not isinstance(finish, str | None):
            raise broken_reply("holds a finish reason that is no string")
        if finish and (not self._ended or self._finish in WHOLE_REASONS):
            self._finish, self._ended = finish, True
        elif not self._ended:
            self._finish = finish
        for name in _CALLS:
            if delta.get(name):
                self._calls.setdefault(name, []).append(delta[name])
        self.hidden += "".join(
            delta[name] for name in _HIDDEN_FIELDS if isinstance(delta.get(name), str)
        )
        if isinstance(delta.get("refusal"), str):
            self._refusal += delta["refusal"]
        content = delta.get("content")
        text, _ = _message_text(content)
        if content:
            self._content.append(content)
        return text

    def answer(self) -> dict[str, Any]:
        """The completion as it would have come at once.

        The end is said by a finish reason; where a server gives none, by `[DONE]` behind a text
        that shows its end by itself.
        """
        said = self._ended or (self._done and self._shows_its_end and bool(self._content))
        if not said:
            raise broken_reply("ended before the reply did")
        content: Any = None
        if all(isinstance(each, str) for each in self._content):
            content = join_halves("".join(self._content)) if self._content else None
        else:
            content = _one_list(self._content)
        message = {"role": "assistant", "content": content, **self._calls}
        if self._refusal:
            message["refusal"] = join_halves(self._refusal)
        choice = {"index": 0, "message": message, "finish_reason": self._finish}
        return {**self._facts, "choices": [choice]}

    def begun(self) -> dict[str, Any]:
        """What is known of a completion that was not read to its end."""
        return self._facts


def _one_list(contents: list[Any]) -> list[Any]:
    """The parts of a message whose text came in strings and in lists of parts."""
    parts: list[Any] = []
    for content in contents:
        parts += [{"type": "text", "text": content}] if isinstance(content, str) else content
    return parts
