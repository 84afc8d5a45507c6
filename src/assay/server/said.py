"""What the request under way said, so that no error repeats it.

In      a request, or the arguments of a tool; the text of an error
Out     the text, with `…` in place of every value of the request
Effects remembers the request for as long as it is worked on
Spec    009-H2

Errors of the runtime name what they are about, which is right at a terminal. Here the same words
may be somebody's name, so they are left out at the one place that every error passes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

from starlette.types import Scope

from assay.client.bodies import FIELDS

_LEAST_CHARS: Final = 3
_MOST_LOOKED_AT: Final = 200_000
"""Bytes. Of a longer body nothing that is quoted is repeated, whatever it is."""

_FORM: Final = b"application/x-www-form-urlencoded"
_QUOTED: Final = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_OPEN_HEADERS: Final = frozenset({b"authorization", b"cookie", b"host", b"user-agent", b"accept"})
"""Of which no error speaks, or which say nothing of anybody."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """A request, read only where an error is told, and once."""

    scope: Scope = field(default_factory=dict)
    body: bytes = b""
    arguments: Any = None
    known: frozenset[str] = frozenset()
    """Names that the service gives: telling them tells nothing."""

    @property
    def long(self) -> bool:
        """Whether the body is so long that its texts are not looked through."""
        return len(self.body) > _MOST_LOOKED_AT

    @cached_property
    def strings(self) -> set[str]:
        """Every text of the request that is no name of ours; of a long body none."""
        found = {unquote(part) for part in self.scope.get("path", "").split("/")}
        found |= {
            unquote(part) for part in self.scope.get("raw_path", b"").decode("latin-1").split("/")
        }
        query = self.scope.get("query_string", b"").decode("latin-1")
        found |= {text for pair in parse_qsl(query, keep_blank_values=True) for text in pair}
        for name, value in self.scope.get("headers", ()):
            if name not in _OPEN_HEADERS:
                found.add(value.decode("latin-1"))
        found |= set(_texts_of(self.arguments))
        if not self.long:
            found |= self._body_texts()
        own = self.known | FIELDS | {*_WORDS_OF_PROTOCOLS.split()}
        return {text for text in found if len(text) >= _LEAST_CHARS and text not in own}

    def _body_texts(self) -> set[str]:
        headers = dict(self.scope.get("headers", ()))
        if headers.get(b"content-type", b"").partition(b";")[0].strip() == _FORM:
            pairs = parse_qsl(self.body.decode("latin-1"), encoding="utf-8", errors="replace")
            return {text for pair in pairs for text in pair}
        try:
            return set(_texts_of(json.loads(self.body)))
        except (ValueError, RecursionError):
            return set(re.findall(r"[^\s\"'{}\[\]:,=&]+", self.body.decode("latin-1")))


_WORDS_OF_PROTOCOLS: Final = (
    "v1 openai mcp chat completions responses application/json jsonrpc params method arguments "
    "model models messages message role user system assistant developer content text type format "
    "response_format json_schema json_object schema strict input instructions metadata "
    "assay_contract stream stream_options include_usage modalities temperature tools functions "
    "object string array number integer boolean null properties required items enum const title "
    "description additionalProperties body subject header contract request output"
)
"""Words of the protocols themselves, which every request holds: telling them tells nothing."""

_REQUEST: ContextVar[Said | None] = ContextVar("request", default=None)


def remember(said: Said) -> None:
    """From here on, and in all work that is begun from here, errors leave out what *said* holds."""
    _REQUEST.set(said)


def remember_arguments(arguments: Any) -> None:
    """The same for a tool; beside what its request said, where it came in one."""
    before = _REQUEST.get() or Said()
    _REQUEST.set(
        Said(scope=before.scope, body=before.body, arguments=arguments, known=before.known)
    )


def leave_out_values(text: str) -> str:
    """*text* without values of the request under way.

    Example:
        >>> remember(Said(arguments={"pack": "Ann Lee"}))
        >>> leave_out_values("no pack of the name 'Ann Lee' is served")
        'no pack of the name … is served'
    """
    said = _REQUEST.get()
    if said is None or not text:
        return text
    strings = said.strings

    def judge_quoted(found: re.Match[str]) -> str:
        inner = found[1] if found[1] is not None else found[2]
        if said.long and inner not in said.known:
            return "…"
        return "…" if inner and _stands_in(inner, strings, said.known) else found[0]

    text = _QUOTED.sub(judge_quoted, text)
    for each in sorted((each for each in strings if each in text), key=len, reverse=True):
        text = re.sub(rf"(?<![\w\-]){re.escape(each)}(?![\w\-])", "…", text)
    return text


def _stands_in(inner: str, strings: Iterable[str], known: frozenset[str]) -> bool:
    """Whether what is quoted is a text of the request, or the beginning of one."""
    if inner in known:
        return False
    if len(inner) < _LEAST_CHARS:
        return inner in strings
    return any(inner in each or inner in repr(each) for each in strings)


def _texts_of(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            yield from (key for key in each if isinstance(key, str))
            waiting += each.values()
        elif isinstance(each, list | tuple):
            waiting += each
