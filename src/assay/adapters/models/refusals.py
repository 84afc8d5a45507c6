"""Which part of a request a server would not take, where something else can be sent instead.

In      an error answer, and what had been sent
Out     Refusal; None where a changed request would fare no better
Pure    yes
Spec    interfaces.md, "Models" (what a server refuses is stepped down)

Servers name the output mode by its parameter, by words in a message (`grammar`, `json_schema`), or
not at all. A message is read for that only while the request carries an output mode.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from assay.adapters.models.provider_errors import Filtered, read_error, read_error_body
from assay.adapters.models.stepping import About, Refusal
from assay.protocols import ModelFault

_OUTPUT: Final = re.compile(
    r"response[ _]?formats?\b|json[ _]?schema|structured[ _-]?(?:outputs?|decoding)|"
    r"output[ _]?(?:format|config|schema)|json[ _-]?(?:mode|object)|"
    r"guided[ _](?:json|decoding|grammar)|\bgrammar|\btool[ _]?(?:choice|use)\b|"
    r"text\.format|requested parameters|required for format",
    re.IGNORECASE,
)
_SCHEMA: Final = re.compile(
    r"invalid schema|schema.{0,80}\b(?:invalid|unsupported|not (?:supported|permitted|allowed)|"
    r"too (?:large|complex|deep|many)|exceeds)|\bstrict\b|features not supported|"
    r"\bgrammar|additionalProperties|unknown format|must contain the word|unsupported keyword|"
    r"invalid_json_schema",
    re.IGNORECASE | re.DOTALL,
)
_MODE: Final = re.compile(
    r"json[ _-]?schema\W{0,2}(?: (?:response[ _]?formats?|mode|type|output)s?)?"
    r"(?: (?:is|are|isn't|aren't))?(?: currently| yet)? "
    r"(?:not (?:supported|available|allowed|enabled)|unsupported|supported only)",
    re.IGNORECASE,
)
"""It is the whole mode that is refused, whatever the schema."""

_OF_THE_REPLY: Final = frozenset({"json_validate_failed"})
"""The model wrote something else than it was held to; another reply may fit."""

_OTHER_NAMES: Final[Mapping[str, str]] = {
    "reasoning_effort": "reasoning",
    "effort": "reasoning",
    "response_format": "text",
}
"""What servers call a parameter of another name."""


def read_refusal(
    status: int, body: object, *, sent: Mapping[str, Any], carriers: frozenset[str]
) -> Refusal | None:
    """What the error answer says is not taken.

    Args:
        status: Of the answer, or the one that an error object inside a 200 stands for.
        body: The parsed body.
        sent: The parameters of the request.
        carriers: Names under which an output mode travels.
    """
    fault = read_error(status, body, sent=sent)
    if isinstance(fault, Filtered):
        return None
    codes, text, _ = read_error_body(body)
    holds = bool(carriers & sent.keys())
    if any(code.casefold() in _OF_THE_REPLY for code in codes) and holds:
        return Refusal(parameter="", code=fault.code, about="reply")
    if fault.kind == "setup" and fault.parameter:
        return _named_refusal(fault, text, sent, carriers)
    if not holds:
        return None
    about = _unsaid(fault, status, text)
    return None if about is None else Refusal(parameter="", code=fault.code, about=about)


def _named_refusal(
    fault: ModelFault, text: str, sent: Mapping[str, Any], carriers: frozenset[str]
) -> Refusal:
    top = re.split(r"[.\[]", fault.parameter, maxsplit=1)[0]
    if top not in sent and _OTHER_NAMES.get(top) in sent:
        top = _OTHER_NAMES[top]
    if top in carriers:
        deep = f"{fault.parameter} {fault.code} {text[:2000]}"
        about: About = "schema" if _is_of_schema(deep) else "output"
        return Refusal(parameter=fault.parameter, code=fault.code, about=about)
    return Refusal(parameter=top, code=fault.code, about="parameter")


def _unsaid(fault: ModelFault, status: int, text: str) -> About | None:
    """What a fault without a parameter is about, while the reply is held to a form."""
    words = text[:2000]
    if fault.kind == "bad_request":
        if _is_of_schema(words):
            return "schema"
        return "output" if _OUTPUT.search(words) else "unnamed"
    # A router without a provider that can, and a server that fails over its own grammar.
    other = (fault.kind == "setup" and status == 404) or (fault.kind == "server" and status < 502)
    return "unnamed" if other and _OUTPUT.search(words) else None


def _is_of_schema(words: str) -> bool:
    """Whether this schema is refused, and not schemas as such."""
    return _MODE.search(words) is None and _SCHEMA.search(words) is not None
