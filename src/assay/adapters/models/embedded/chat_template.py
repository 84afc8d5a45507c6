"""Put messages into a model's own chat template, so that their text stays text.

In      the template of a GGUF file, messages with roles
Out     pieces: what the template writes, and between them the messages, untouched
Pure    yes; a template is a program of a stranger, so it runs sandboxed and bounded
Spec    interfaces.md, "Models" (`embedded:FILE.gguf`)

The template never sees a message: it is given a mark in its place, and the message is put in
where the mark came out. So no template can change a text, and nothing in a text is taken for
what the template writes. What a template asks of its surroundings is the same on every day:
no clock, no thinking aloud.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jinja2.exceptions import SecurityError, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from assay.adapters.models.embedded.gguf import THOUGHT_MARKS

MOST_CHARS: Final = 1 << 16
"""Longest that a template may write around the messages, in code points."""

DAY: Final = (2026, 1, 1)
"""The only day that a template is told, whatever day it is: equal requests, equal prompts."""

_LONGEST_VALUE: Final = 1 << 16
_GENERATION: Final = re.compile(r"\{%(-?)\s*(end)?generation\s*(-?)%\}")
_MARKS: Final = "\ue000\ue001\ue002\ue003"


class ChatTemplateError(ValueError):
    """The template cannot be used; the message says why, in words for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a rendered prompt."""

    text: str
    foreign: bool
    """It is a message: nothing in it has a meaning for the model's machinery."""


def render_pieces(
    template: str, messages: Sequence[Mapping[str, str]], **tokens: str
) -> list[Piece]:
    """Render *template* up to where the model's turn begins; thinking is over by then.

    Args:
        template: Jinja, as the file has it.
        messages: `role` and `content` of each, in their order.
        tokens: `bos_token` and `eos_token`, as far as the model has them.

    Raises:
        ChatTemplateError: it fails, loses a message or shows it twice, or writes without end.
    """
    sign = next((each for each in _MARKS if each not in template), None)
    if sign is None:
        raise ChatTemplateError("it holds every mark that could stand for a message")
    marks = [f"{sign}{index}{sign}" for index in range(len(messages))]
    shown = [
        {"role": message["role"], "content": mark}
        for message, mark in zip(messages, marks, strict=True)
    ]
    rendered = _render(template, shown, tokens)
    pieces: list[Piece] = []
    rest = rendered
    for message, mark in zip(messages, marks, strict=True):
        before, found, rest = rest.partition(mark)
        if not found or sign in before:
            raise ChatTemplateError(f"it does not show the {message['role']} message in its place")
        pieces += [Piece(text=before, foreign=False), Piece(text=message["content"], foreign=True)]
    if sign in rest:
        raise ChatTemplateError("it shows a message more than once")
    pieces.append(Piece(text=_end_thought(rest), foreign=False))
    return [piece for piece in pieces if piece.text]


def has_thoughts(template: str) -> bool:
    """Whether models with this template think before they answer."""
    return any(end in template for _, end in THOUGHT_MARKS.items())


def without_thought(text: str) -> str:
    """*text* without the thought at its beginning; empty where the thought has no end."""
    bare = text.lstrip()
    for begin, end in THOUGHT_MARKS.items():
        if bare.startswith(begin):
            return bare.partition(end)[2].lstrip()
    return text


def _end_thought(opening: str) -> str:
    """Where the model's turn begins inside a thought, the thought is over at once."""
    for begin, end in THOUGHT_MARKS.items():
        if begin in opening and end not in opening.rpartition(begin)[2]:
            return f"{opening.rstrip()}\n\n{end}\n\n"
    return opening


def _render(template: str, messages: Sequence[Mapping[str, str]], tokens: Mapping[str, str]) -> str:
    settings: dict[str, Any] = {
        **{"bos_token": "", "eos_token": "", "add_generation_prompt": True},
        **{"enable_thinking": False, "thinking": False, "tools": None, "documents": None},
    }
    written: list[str] = []
    length = 0
    try:
        compiled = _Sandbox().from_string(_GENERATION.sub(_plain_block, template))
        for part in compiled.generate(**settings | dict(tokens), messages=messages):
            length += len(part)
            if length > MOST_CHARS:
                raise ChatTemplateError("it writes without end")
            written.append(part)
    except ChatTemplateError:
        raise
    except SecurityError as error:
        raise ChatTemplateError("it asks for what no template may do") from error
    except TemplateError as error:
        raise ChatTemplateError(f"it fails: {_in_brief(error)}") from error
    except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError) as error:
        raise ChatTemplateError(f"it fails: {_in_brief(error)}") from error
    except (AttributeError, ValueError) as error:
        raise ChatTemplateError(f"it fails: {_in_brief(error)}") from error
    return "".join(written)


def _plain_block(found: re.Match[str]) -> str:
    """The block that marks what a model learns from means nothing here."""
    return f"{{%{found[1]} {'endif' if found[2] else 'if true'} {found[3]}%}}"


def _in_brief(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:120]


class _Sandbox(ImmutableSandboxedEnvironment):
    """What templates of chat models are written for, without anything that grows or tells time."""

    intercepted_binops = frozenset(["*", "**", "%"])

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        self.filters["tojson"] = _write_json
        for name in ("center", "format", "wordwrap"):
            self.filters.pop(name, None)
        self.globals["raise_exception"] = _raise_exception
        self.globals["strftime_now"] = _strftime

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Numbers of a bounded size; a text is repeated within bounds and not formatted."""
        if operator == "*" and isinstance(left, str) and isinstance(right, int):
            if len(left) * right <= _LONGEST_VALUE:
                return left * right
            raise SecurityError("a text grows too long")
        numbers = (int, float)
        if not isinstance(left, numbers) or not isinstance(right, numbers):
            raise SecurityError("a text may not be multiplied or formatted")
        if operator == "**" or max(abs(left), abs(right)) > _LONGEST_VALUE:
            raise SecurityError("a number grows too large")
        return super().call_binop(context, operator, left, right)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """No method of texts that makes a long one of a short one."""
        grows = {"center", "expandtabs", "format", "format_map", "ljust", "rjust", "zfill"}
        if isinstance(obj, str | bytes) and attr in grows | {"translate", "encode"}:
            return False
        return bool(super().is_safe_attribute(obj, attr, value))


def _write_json(value: Any, indent: int | None = None, **_: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=None if indent is None else min(indent, 8))


def _raise_exception(message: Any) -> None:
    raise TemplateError(str(message))


def _strftime(wanted: str) -> str:
    """DAY, written as *wanted*."""
    year, month, day = DAY
    known: Mapping[str, Callable[[], str]] = {
        "Y": lambda: f"{year}",
        "m": lambda: f"{month:02}",
        "d": lambda: f"{day:02}",
        "b": lambda: "Jan",
        "B": lambda: "January",
        "H": lambda: "00",
        "M": lambda: "00",
        "S": lambda: "00",
    }
    return re.sub("%-?([A-Za-z])", lambda found: known.get(found[1], str)(), str(wanted)[:200])
