"""Put the events of a message that Anthropic streams together.

In      ServerEvent after ServerEvent
Out     the message as it would have come at once; the text of it, piece by piece
Pure    yes: it holds what came and nothing else
Spec    interfaces.md, "Models" (streams, one forced tool)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.adapters.models.anthropic.messages import HIDDEN, TOOL_USED, block_input
from assay.adapters.models.event_stream import ServerEvent
from assay.adapters.models.http_faults import broken_reply, parse_answer
from assay.adapters.models.provider_errors import error_inside
from assay.adapters.models.streaming import join_halves


class MessageAssembly:
    """One streamed message (`streaming.Assembly`).

    Args:
        tool: The tool that the model must use: what it is given is the text. None: text is.
    """

    def __init__(self, tool: str | None) -> None:
        self.over = False
        self.error: object | None = None
        self.hidden = ""
        """Reasoning that came, which is paid for and not judged."""
        self._tool = tool
        self._message: dict[str, Any] | None = None
        self._usage: dict[str, Any] = {}
        self._blocks: list[dict[str, Any]] = []
        self._texts: list[list[str]] = []
        self._stop: str | None = None

    def take(self, event: ServerEvent) -> str:
        """The text that *event* adds to the reply."""
        data = parse_answer(event.data)
        error = error_inside(data)
        if error is not None or event.name == "error":
            self.error, self.over = error or data, True
            return ""
        kind = data.get("type")
        if kind == "message_start":
            self._start_message(data.get("message"))
        elif kind == "content_block_start":
            return self._start_block(data, event.data)
        elif kind == "content_block_delta":
            return self._add_to_block(data)
        elif kind == "message_delta":
            self._end_message(data)
        elif kind == "message_stop":
            self.over = True
        return ""

    def answer(self) -> dict[str, Any]:
        """The message as it would have come at once."""
        if not self.over or self._message is None or self._stop is None:
            raise broken_reply("ended before the reply did")
        content = [
            {**block, "text": join_halves("".join(texts))} if block.get("type") == "text" else block
            for block, texts in zip(self._blocks, self._texts, strict=True)
        ]
        return {**self.begun(), "content": content, "stop_reason": self._stop}

    def begun(self) -> dict[str, Any]:
        """What is known of a message that was not read to its end."""
        return {**(self._message or {}), "usage": self._usage}

    @property
    def inputs(self) -> dict[int, str]:
        """What tools were given, by the place of their blocks."""
        return {
            place: join_halves("".join(texts))
            for place, (block, texts) in enumerate(zip(self._blocks, self._texts, strict=True))
            if block.get("type") == TOOL_USED
        }

    def _start_message(self, message: object) -> None:
        if self._message is not None or not isinstance(message, Mapping):
            raise broken_reply("does not begin as a message does")
        if message.get("content"):
            raise broken_reply("has content before its first block")
        self._message = dict(message)
        self._add_usage(message.get("usage"))

    def _add_usage(self, usage: object) -> None:
        if isinstance(usage, Mapping):  # counts of the end stand for those of the beginning
            self._usage |= {name: value for name, value in usage.items() if value is not None}

    def _start_block(self, data: Mapping[str, Any], raw: bytes) -> str:
        block = data.get("content_block")
        if self._message is None or not isinstance(block, dict):
            raise broken_reply("holds a content block that is none")
        if data.get("index") != len(self._blocks):
            raise broken_reply("holds content blocks out of their order")
        self._blocks.append(block)
        self._texts.append([])
        if block.get("type") == "text" and isinstance(block.get("text"), str):
            return self._keep_piece(block["text"])
        if block.get("type") == TOOL_USED and block.get("input"):
            # The whole input at once, from servers that play a stream.
            return self._keep_piece(block_input(raw) or "")
        return ""

    def _add_to_block(self, data: Mapping[str, Any]) -> str:
        delta = data.get("delta")
        last = len(self._blocks) - 1
        if last < 0 or data.get("index") != last or not isinstance(delta, Mapping):
            raise broken_reply("holds a piece of a content block that was not begun")
        kind = self._blocks[last].get("type")
        if kind in HIDDEN:
            thought = delta.get("thinking")
            self.hidden += thought if isinstance(thought, str) else ""
            return ""
        name = {"text_delta": "text", "input_json_delta": "partial_json"}.get(
            str(delta.get("type"))
        )
        if name is None:
            return ""  # signatures, citations
        piece = delta.get(name)
        fits = {"text": "text", TOOL_USED: "partial_json"}.get(str(kind), name) == name
        if not isinstance(piece, str) or not fits:
            raise broken_reply("holds a piece that does not fit its content block")
        return self._keep_piece(piece)

    def _keep_piece(self, piece: str) -> str:
        """Keep a piece of the last block; give it back if it is one of the reply's text."""
        self._texts[-1].append(piece)
        block = self._blocks[-1]
        if self._tool is None:
            return piece if block.get("type") == "text" else ""
        # A second call is never heard: the reply is stopped as it is.
        calls = [each for each in self._blocks if each.get("type") == TOOL_USED]
        return piece if len(calls) == 1 and block is calls[0] else ""

    def _end_message(self, data: Mapping[str, Any]) -> None:
        delta = data.get("delta")
        stop = delta.get("stop_reason") if isinstance(delta, Mapping) else None
        if not isinstance(stop, str | None):
            raise broken_reply("holds a stop reason that is no string")
        self._stop = stop if stop is not None else self._stop
        self._add_usage(data.get("usage"))
