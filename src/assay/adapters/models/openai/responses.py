"""Responses: what is sent, and what comes back.

In      ModelRequest and what the model takes; the answer, at once or event by event
Out     arguments of `responses.create`; ModelReply
Pure    yes
Spec    003 `base_system` (`store: true`); interfaces.md, "Models"

The beginning that is the same for every call goes out as a system message, the rest as a user
message: put together they are the prompt, byte for byte. That beginning is text of the pack
alone, so nothing from outside gains the rank of a system message. Where the prompt has parts, they
go out in their roles instead. There is no seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from assay.adapters.models.stepping import Exchange, Memory, Offer
from assay.adapters.models.streaming import join_halves
from assay.protocols import ModelReply, ModelRequest

_CARRIER: Final = "text"
_LIMIT: Final = "max_output_tokens"

# Stopped short: the reason as given -> the finish reason that the gate knows.
_CUT: Final = {"max_output_tokens": "length", "content_filter": "content_filter"}
_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})


def responses_offer(request: ModelRequest, set_up: SetUp) -> Offer:
    """What *request* carries as long as nothing of it is refused."""
    return make_offer(request, set_up, carrier=_CARRIER, limits=(_LIMIT,), effort="reasoning")


def response_arguments(
    request: ModelRequest, set_up: SetUp, exchange: Exchange | None = None
) -> dict[str, Any]:
    """What `responses.create` is called with; without *exchange* nothing was refused yet."""
    exchange = exchange or Exchange(Memory(), responses_offer(request, set_up))
    parameters = request.parameters
    optional: dict[str, Any] = {
        "temperature": parameters.temperature,
        "reasoning": {"effort": parameters.effort},
        "stream": True,
    }
    body: dict[str, Any] = {
        "model": set_up.model,
        "store": True,
        "input": _messages(request),
        _LIMIT: parameters.max_output_tokens,
        **{name: optional[name] for name in exchange.offer.optional if exchange.takes(name)},
    }
    if request.schema is not None:
        if exchange.rung in ("strict", "schema"):
            fields = schema_fields(request.schema, exchange.rung)
            body[_CARRIER] = {"format": {"type": "json_schema", **fields}}
        elif exchange.rung == "json":
            body[_CARRIER] = {"format": {"type": "json_object"}}
    return body


def _messages(request: ModelRequest) -> list[dict[str, str]]:
    """White space alone is never split off: it would be an empty message."""
    at = max(0, request.prefix_chars)
    head, tail = request.prompt[:at], request.prompt[at:]
    if not request.parts and head.strip() and tail.strip():
        return [{"role": "system", "content": head}, {"role": "user", "content": tail}]
    return role_messages(request)


def responses_facts(request: ModelRequest, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Facts for the record about what was sent."""
    roles = [message["role"] for message in sent["input"]]
    split = len(roles) > 1 and not request.parts
    return {
        "api": "responses",
        "store": sent["store"],
        "limit_as": _LIMIT,
        "prompt_as": ", ".join(roles),
        **({"cache_prefix_chars": request.prefix_chars} if split else {}),
        **({} if request.parameters.seed is None else {"seed": "not supported"}),
    }


def read_response(answer: Mapping[str, Any], details: Mapping[str, Any]) -> ModelReply:
    """Read the answer, taking nothing for granted.

    Raises:
        ModelFault: it is no answer, or one that says that it failed.
    """
    if answer.get("status") == "failed":
        raise broken_reply("says that it failed, and not why")
    parts = list(_parts(answer.get("output")))
    finish = _finish(answer)
    refusals = [text for kind, text in parts if kind == "refusal"]
    if refusals:
        finish = "refusal"
    elif finish == "stop":
        finish = next((kind for kind, _ in parts if kind != "text"), finish)
    usage = read_usage(answer.get("usage"))
    model, found = answer.get("model"), answer.get("id")
    return ModelReply(
        text="".join(refusals or (text for kind, text in parts if kind == "text")),
        finish_reason=finish,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        model=model if isinstance(model, str) else "",
        details={
            **details,
            **({"response_id": found} if isinstance(found, str) else {}),
            **({"stored": False} if answer.get("store") is False else {}),
            **usage.details,
        },
    )


def _finish(answer: Mapping[str, Any]) -> str:
    """`stop` only for what says that it is complete."""
    status = answer.get("status")
    if status == "completed":
        return "stop"
    if status != "incomplete":
        raise broken_reply("says neither that it is complete nor that it is not")
    why = answer.get("incomplete_details")
    reason = why.get("reason") if isinstance(why, dict) else None
    return _CUT.get(reason, "incomplete") if isinstance(reason, str) else "incomplete"


def _parts(output: object) -> Iterator[tuple[str, str]]:
    """(`text` or `refusal`, its text) in order; any other kind says that the reply is not whole."""
    if not isinstance(output, list):
        raise broken_reply("holds no output")
    for item in output:
        kind = item.get("type") if isinstance(item, dict) else None
        if not isinstance(kind, str):
            raise broken_reply("holds an output item without a type")
        if kind == "reasoning":
            continue
        if kind != "message":
            yield "other_output", ""  # a call of a tool, say, and none was offered
            continue
        content = item.get("content")
        if not isinstance(content, list):
            raise broken_reply("holds a message without content")
        yield from map(_part, content)
        if item.get("status") in ("incomplete", "in_progress"):
            yield "incomplete", ""


def _part(part: object) -> tuple[str, str]:
    kind = part.get("type") if isinstance(part, dict) else None
    for name, field, said in (("output_text", "text", "text"), ("refusal", "refusal", "refusal")):
        if isinstance(part, dict) and kind == name:
            if not isinstance(part.get(field), str):
                raise broken_reply("holds a part without text")
            return said, part[field]
    raise broken_reply("holds a part of a kind that is not known")


class ResponsesAssembly:
    """Puts the events of one response together (`streaming.Assembly`).

    The last event holds the whole response: that is the answer, and the text that was read along
    must be its text.
    """

    def __init__(self) -> None:
        self.over = False
        self.error: object | None = None
        self.hidden = ""
        self._begun: dict[str, Any] = {}
        self._items: dict[int, Any] = {}
        self._texts: list[str] = []
        self._whole: dict[str, Any] | None = None

    def take(self, event: ServerEvent) -> str:
        """The text that an event adds."""
        if event.data.strip() == DONE:
            self.over = True
            return ""
        data = parse_answer(event.data)
        named = data.get("type")
        kind = named if isinstance(named, str) else event.name
        whole, delta = data.get("response"), data.get("delta")
        if kind == "error" or error_inside(data) is not None:
            self.error, self.over = error_inside(data) or data, True
        elif kind in _ENDS and isinstance(whole, dict):
            self._whole, self.over = whole, True
        elif isinstance(whole, dict):
            self._begun = whole
        elif kind == "response.output_item.done" and type(data.get("output_index")) is int:
            self._items[data["output_index"]] = data.get("item")
        elif isinstance(delta, str) and "reasoning" in kind:
            self.hidden += delta
        elif isinstance(delta, str) and kind == "response.output_text.delta":
            self._texts.append(delta)
            return delta
        return ""

    def answer(self) -> dict[str, Any]:
        """The response as it would have come at once."""
        if self._whole is None:
            raise broken_reply("ended before the reply did")
        whole = self._whole
        if not whole.get("output") and self._items:
            # Servers that keep nothing leave the items out of the last event.
            whole = {**whole, "output": [item for _, item in sorted(self._items.items())]}
        heard = join_halves("".join(self._texts))
        if whole.get("status") != "failed" and heard:
            texts = (text for kind, text in _parts(whole.get("output")) if kind == "text")
            if "".join(texts) != heard:
                raise broken_reply("ends in another text than it streamed")
        return whole

    def begun(self) -> dict[str, Any]:
        """What is known of a response that was not read to its end."""
        return self._begun
