"""Read a message of Anthropic, come at once or put together from a stream.

In      the parsed answer, the text of what tools were given, the tool that the model must use
Out     ModelReply
Pure    yes
Spec    interfaces.md, "Models" (one forced tool, byte for byte; anything else is `output.stopped`)
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from assay.adapters.models.http_faults import broken_reply, token_count
from assay.gate.gate import WHOLE_REASONS
from assay.protocols import ModelReply

HIDDEN: Final = frozenset({"thinking", "redacted_thinking"})
"""Blocks of hidden reasoning: not judged, and no sign that the reply is not whole."""

TOOL_USED: Final = "tool_use"
_INPUT_COUNTS: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def read_message(
    answer: Mapping[str, Any],
    inputs: Mapping[int, str],
    *,
    tool: str | None,
    details: Mapping[str, Any],
) -> ModelReply:
    """Read *answer*, taking nothing for granted.

    Args:
        inputs: Place of a block in the content -> what the tool was given, as it was written;
            a block whose bytes are not known has none.
        tool: The one that the model must use; None where it writes text.
    """
    content = answer.get("content")
    if not isinstance(content, list):
        raise broken_reply("holds no content")
    finish, model = answer.get("stop_reason"), answer.get("model")
    if not isinstance(finish, str | None):
        raise broken_reply("holds a stop reason that is no string")
    blocks = [(place, *_kind_and_text(block)) for place, block in enumerate(content)]
    if tool is None:
        text, finish = _read_text(blocks, finish)
    else:
        text, finish = _read_tool(content, blocks, inputs, tool, finish)
    usage = read_usage(answer.get("usage"))
    return ModelReply(
        text=text,
        finish_reason=finish,
        input_tokens=usage["input"],
        output_tokens=usage["output"],
        model=model if isinstance(model, str) else "",
        details={**details, **usage["details"]},
    )


def _kind_and_text(block: Any) -> tuple[str, str]:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str):
        raise broken_reply("holds a content block without a type")
    if kind != "text":
        return kind, ""
    if not isinstance(block.get("text"), str):
        raise broken_reply("holds a text block without text")
    return kind, block["text"]


def _read_text(blocks: list[tuple[int, str, str]], finish: str | None) -> tuple[str, str | None]:
    """The text blocks in their order; a call of a tool beside them was never asked for."""
    text = "".join(text for _, kind, text in blocks if kind == "text")
    beside = next((kind for _, kind, _ in blocks if kind not in HIDDEN | {"text"}), None)
    return text, beside if beside and finish in WHOLE_REASONS else finish


def _read_tool(
    content: list[Any],
    blocks: list[tuple[int, str, str]],
    inputs: Mapping[int, str],
    tool: str,
    finish: str | None,
) -> tuple[str, str | None]:
    """What the one tool was given, where it alone was used; else whatever came, as stopped."""
    calls = [place for place, kind, _ in blocks if kind not in HIDDEN | {"text"}]
    beside = "".join(text for _, _, text in blocks)
    alone = (
        len(calls) == 1
        and content[calls[0]].get("type") == TOOL_USED
        and content[calls[0]].get("name") == tool
        and calls[0] in inputs
        and not beside.strip()
    )
    text = inputs.get(calls[0], "") if calls else beside
    if alone:
        return text, "end_turn" if finish == TOOL_USED else finish
    if finish in WHOLE_REASONS:  # `tool_use` is none of them already
        finish = TOOL_USED if calls else "tool_not_used"
    return text, finish


def read_usage(usage: object) -> dict[str, Any]:
    """Token counts as reported: `input` with what the cache wrote and read, `output`, `details`.

    None, or 0 for a request that was sent, is no count.
    """
    found: Mapping[str, Any] = usage if isinstance(usage, Mapping) else {}
    counts = {name: token_count(found.get(name)) or 0 for name in _INPUT_COUNTS}
    of_output = found.get("output_tokens_details")
    hidden = of_output.get("thinking_tokens") if isinstance(of_output, Mapping) else None
    details = {
        **counts,
        "cached_tokens": counts["cache_read_input_tokens"],
        "reasoning_tokens": token_count(hidden),
    }
    return {
        "input": sum(counts.values()) or None,
        "output": token_count(found.get("output_tokens")) or None,
        "details": {name: number for name, number in details.items() if number},
    }


def tool_inputs(body: bytes) -> dict[int, str]:
    """What the tools of an answer that came at once were given, cut out of its bytes.

    Where a name stands twice on the way there, it is not known which one was meant: nothing is cut.
    """
    try:
        text = body.decode(json.detect_encoding(body), "surrogatepass").removeprefix("\ufeff")
        content = _member(text, _skip(text, 0), "content")
        if content is None or text[content] != "[":
            return {}
        cut = {}
        for place, start in enumerate(_items(text, content)):
            if text[start] == "{" and (at := _member(text, start, "input")) is not None:
                cut[place] = text[at : _DECODER.raw_decode(text, at)[1]]
    except (ValueError, IndexError, RecursionError):
        return {}
    return cut


def block_input(event: bytes) -> str | None:
    """What the tool of a `content_block_start` was given in it; None where that is not known."""
    try:
        text = event.decode("utf-8", "surrogatepass")
        block = _member(text, _skip(text, 0), "content_block")
        at = None if block is None else _member(text, block, "input")
        return None if at is None else text[at : _DECODER.raw_decode(text, at)[1]]
    except (ValueError, IndexError, RecursionError):
        return None


_DECODER: Final = json.JSONDecoder()


def _skip(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at


def _member(text: str, at: int, name: str) -> int | None:
    """Where the value of *name* begins in the object at *at*; None unless it stands there once."""
    found = []
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        value = _skip(text, _skip(text, at) + 1)
        if key == name:
            found.append(value)
        at = _next(text, value)
    return found[0] if len(found) == 1 else None


def _items(text: str, at: int) -> Iterator[int]:
    """Where the items of the array at *at* begin."""
    at = _skip(text, at + 1)
    while text[at] != "]":
        yield at
        at = _next(text, at)


def _next(text: str, value: int) -> int:
    """Where what follows the value at *value* begins: a member, an item, the closing bracket."""
    at = _skip(text, _DECODER.raw_decode(text, value)[1])
    return _skip(text, at + 1) if text[at] == "," else at
