"""What a provider's error object says, told by its code and not by the status alone.

In      HTTP status and body of an answer, or an error object inside a 200
Out     ModelFault: a fault of the set-up, of the input, or of the moment; Filtered
Pure    yes
Spec    interfaces.md, "A fault of the set-up"; 004 R3 "only retry transient failures"

A fault of the set-up (key, model, credit, a parameter) would meet every input, so it ends the
run and leaves the inputs to be done. A fault of the input (too long, filtered) stays with the
input. A code that is in no table here is `bad_request`: whether it is the input's or the
set-up's is seen by whether the next input meets it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from assay.protocols import ModelFault

Meaning = Literal["key", "credit", "model", "too_large", "filtered", "rate_limit", "busy"]

_CODES: Final[Mapping[str, Meaning]] = {
    "invalid_api_key": "key",
    "incorrect_api_key": "key",
    "missing_api_key": "key",
    "invalid_authentication": "key",
    "authentication_error": "key",
    "permission_error": "key",
    "permission_denied": "key",
    "unauthenticated": "key",
    "unauthorized": "key",
    "unauthorized_error": "key",
    "access_denied": "key",
    "api_key_invalid": "key",
    "api_key_expired": "key",
    "account_deactivated": "key",
    "organization_restricted": "key",
    "token_not_found_in_db": "key",
    "unsupported_country_region_territory": "key",
    "insufficient_quota": "credit",
    "billing_hard_limit_reached": "credit",
    "billing_not_active": "credit",
    "billing_error": "credit",
    "insufficient_credits": "credit",
    "insufficient_balance": "credit",
    "payment_required": "credit",
    "budget_exceeded": "credit",
    "arrearage": "credit",
    "model_not_found": "model",
    "model_not_available": "model",
    "model_decommissioned": "model",
    "model_deprecated": "model",
    "invalid_model": "model",
    "unknown_model": "model",
    "deploymentnotfound": "model",
    "not_found_error": "model",
    "context_length_exceeded": "too_large",
    "string_above_max_length": "too_large",
    "exceed_context_size_error": "too_large",
    "request_too_large": "too_large",
    "context_window_exceeded": "too_large",
    "model_context_window_exceeded": "too_large",
    "content_filter": "filtered",
    "content_policy_violation": "filtered",
    "responsibleaipolicyviolation": "filtered",
    "data_inspection_failed": "filtered",
    "invalid_prompt": "filtered",
    "bio_policy": "filtered",
    "misalignment_policy_violation": "filtered",
    "rate_limit_exceeded": "rate_limit",
    "rate_limit_error": "rate_limit",
    "too_many_requests": "rate_limit",
    "resource_exhausted": "rate_limit",
    "overloaded_error": "rate_limit",
    "unavailable_error": "busy",
    "server_error": "busy",
    "api_error": "busy",
    "internal_error": "busy",
    "internal_server_error": "busy",
    "service_unavailable": "busy",
    "timeout_error": "busy",
    "vector_store_timeout": "busy",
}

_TOO_LARGE: Final = re.compile(
    r"context (?:length|window|size|limit)|maximum (?:context|prompt|input)|"
    r"(?:prompt|input|request|message|text) (?:is |was )?too (?:long|large)|"
    r"too many (?:input )?tokens|exceeds? the (?:available )?context",
    re.IGNORECASE,
)
_STRONG: Final[tuple[Meaning, ...]] = ("credit", "key", "filtered", "model")
"""Of several codes in one error object the one that decides."""

_SAID: Final[tuple[tuple[re.Pattern[str], Meaning], ...]] = (
    (
        re.compile(
            r"api[ _-]?key\b|auth(?:entication)? credentials|\bunauthori[sz]ed\b|"
            r"invalid (?:access )?token|organi[sz]ation has been (?:disabled|restricted)",
            re.IGNORECASE,
        ),
        "key",
    ),
    (
        re.compile(
            r"credit balance|insufficient (?:credits?|balance|funds|quota)|"
            r"exceeded your current quota|purchase credits|reached your specified API usage limits|"
            r"monthly spending limit",
            re.IGNORECASE,
        ),
        "credit",
    ),
    (
        re.compile(
            r"\bmodel\b.{0,120}\b(?:does not exist|not found|not supported|unknown|"
            r"no longer available|decommissioned)|no such model|unknown model|"
            r"not a valid model\b|model identifier is invalid",
            re.IGNORECASE | re.DOTALL,
        ),
        "model",
    ),
    (
        re.compile(
            r"content management policy|content filter(?:ing)?|"
            r"\b(?:input|prompt) (?:was|has been) flagged",
            re.IGNORECASE,
        ),
        "filtered",
    ),
)
"""Servers that give no code of their own; the first that fits decides, the texts are not kept."""

_OF_THE_INPUT: Final = frozenset({"messages", "input", "prompt", "content", "contents"})
_QUOTED: Final = re.compile(
    r"[`'\"]([A-Za-z_][A-Za-z0-9_.]{0,60})[`'\"]|#/([A-Za-z_][A-Za-z0-9_]{0,60})"
)
_NOT_TAKEN: Final = (
    r"(?:un(?:supported|recogni[sz]ed|known|expected)|"
    r"not (?:supported|allowed|permitted|recogni[sz]ed|available|accepted)|"
    r"do(?:es)?(?: not|n't) (?:support|accept|allow)|extra (?:inputs|fields)|deprecated|"
    r"cannot be (?:used|set))"
)
_COMMON_WORDS: Final = frozenset({"text", "store", "tools"})
"""Names of parameters that are found in a message only in quotes."""

_PLAIN: Final = re.compile(r"[A-Za-z0-9_.\-]{1,60}")
_STATUS: Final[Mapping[int, Meaning]] = {
    401: "key",
    402: "credit",
    403: "key",
    404: "model",
    413: "too_large",
    429: "rate_limit",
    529: "rate_limit",
}
_HINTS: Final[Mapping[Meaning, str]] = {
    "key": "check the key and what it may use",
    "credit": "the account has no credit left",
    "model": "no such model or address; check name and base URL",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtered:
    """The provider's filter refused the input: no reply, and nothing that a retry would change."""

    code: str
    """The provider's own."""


def read_error(
    status: int, body: object, *, wait_s: float | None = None, sent: Mapping[str, Any] | None = None
) -> ModelFault | Filtered:
    """What an error answer stands for.

    Args:
        status: Of the answer; of an error object inside a 200 the status that its code names,
            else 500.
        body: The parsed body, in whatever wrapping.
        wait_s: What the server asked to wait.
        sent: The parameters of the request; one of them that is named as refused is a fault
            of the set-up.

    Spec: interfaces.md, "A fault of the set-up".
    """
    codes, text, param = read_error_body(body)
    code = next(iter(codes), "") or _numbered(body)
    meaning = _coded_meaning(status, codes) or _too_large(status, text)
    parameter = "" if meaning else _refused_parameter(text, param, sent or {}, status)
    if not meaning and not parameter:
        meaning = _said_meaning(status, text, param)
    if meaning == "filtered":
        return Filtered(code=code or "content_filter")
    if meaning is not None and meaning in _HINTS:
        kind: Literal["auth", "setup"] = "setup" if meaning == "model" else "auth"
        return ModelFault(kind, transient=False, hint=_HINTS[meaning], code=code)
    if meaning == "too_large":
        return ModelFault("too_large", transient=False, code=code)
    if meaning == "rate_limit":
        return ModelFault("rate_limit", transient=True, retry_after_s=wait_s, code=code)
    if meaning == "busy" or status >= 500 or status in (408, 409, 425):
        late = status in (408, 504)
        return ModelFault(
            "timeout" if late else "server", transient=True, retry_after_s=wait_s, code=code
        )
    if status < 400:
        return ModelFault("server", transient=False, hint="the address answers with a redirect")
    if parameter:
        return ModelFault(
            "setup",
            transient=False,
            code=code,
            parameter=parameter,
            hint="the model refuses this parameter; choose another model or setting",
        )
    return ModelFault("bad_request", transient=False, code=code)


def error_inside(answer: object) -> object | None:
    """The error object of an answer that came with a 200, or None.

    An error beside a reply counts too: a reply that its server calls failed is none.
    """
    if not isinstance(answer, Mapping):
        return None
    choices = answer.get("choices")
    places: list[object] = [answer]
    if isinstance(choices, list):
        places += choices
    for place in places:
        if isinstance(place, Mapping) and place.get("error"):
            found: object = place["error"]
            return found
    return answer if "error" in (answer.get("type"), answer.get("object")) else None


def status_inside(error: object) -> int:
    """The status that an error object names itself; 500 where it names none."""
    if isinstance(error, Mapping):
        for name in ("code", "status", "status_code", "http_status"):
            value = error.get(name)
            number = int(value) if isinstance(value, str) and value.isdecimal() else value
            if type(number) is int and 400 <= number <= 599:
                return number
        codes, _, parameter = read_error_body(error)
        passing = _coded_meaning(400, codes) in ("busy", "rate_limit")
        return 400 if (codes or parameter) and not passing else 500
    return 500


def _coded_meaning(status: int, codes: list[str]) -> Meaning | None:
    """What the codes say, else a status that leaves no doubt."""
    known = [_CODES[code.casefold()] for code in codes if code.casefold() in _CODES]
    if status == 413 or "too_large" in known:
        return "too_large"
    for strong in _STRONG:
        if strong in known and not (strong == "model" and status >= 500):
            return strong
    if status in _STATUS and status not in (403, 404):
        return _STATUS[status]
    return known[0] if known and known[0] != "model" else None


def _too_large(status: int, text: str) -> Meaning | None:
    """Said first: such a message names parameters too, and the input is what is too long."""
    return "too_large" if status < 500 and _TOO_LARGE.search(text[:2000]) else None


def _said_meaning(status: int, text: str, param: str) -> Meaning | None:
    if status >= 500:
        return None
    for pattern, meaning in _SAID:
        if pattern.search(text[:2000]):
            return meaning
    return "model" if param == "model" else _STATUS.get(status)


def read_error_body(body: object) -> tuple[list[str], str, str]:
    """Codes from the most telling to the least, the message, and the parameter that is named."""
    codes: list[str] = []
    text, param = "", ""
    for part in _error_objects(body):
        for name in ("code", "reason", "status", "type"):
            value = part.get(name)
            plain = isinstance(value, str) and _PLAIN.fullmatch(value)
            if plain and value not in codes and value != "error":
                codes.append(str(value))
        message, named = part.get("message", part.get("msg")), part.get("param")
        if isinstance(message, str):
            text = text or message
        named = named or _place(part.get("loc"))
        if isinstance(named, str) and _PLAIN.fullmatch(named):
            param = param or named
    return codes, text, param


def _numbered(body: object) -> str:
    """The code of a provider that gives numbers only, for people; nothing is told by it."""
    numbers = (part.get("code") for part in _error_objects(body))
    return next(
        (str(number) for number in numbers if type(number) is int and 0 < number < 1_000_000), ""
    )


def _place(loc: object) -> object:
    """The parameter that a validator names as the place of its complaint."""
    if isinstance(loc, list) and len(loc) > 1 and loc[0] == "body":
        return ".".join(str(each) for each in loc[1:4])
    return None


def _error_objects(body: object) -> Iterator[Mapping[str, Any]]:
    """The objects that an error is made of, outer before inner, a few of them."""
    waiting: list[tuple[object, int]] = [(body, 0)]
    count = 0
    while waiting and count < 20:
        value, depth = waiting.pop(0)
        count += 1
        if isinstance(value, list):
            waiting += [(item, depth) for item in value[:5]]
        elif isinstance(value, str) and depth == 1:
            yield {"message": value}
        elif isinstance(value, Mapping):
            yield value
            if depth < 4:
                waiting += [
                    (value[name], depth + 1)
                    for name in ("error", "innererror", "details", "errors", "detail")
                    if value.get(name)
                ]
                if isinstance(value.get("message"), Mapping | list):
                    waiting.append((value["message"], depth + 1))


def _refused_parameter(text: str, param: str, sent: Mapping[str, Any], status: int) -> str:
    """The parameter of the request that the provider will not take; empty when none is named."""
    if status not in (400, 422):
        return ""
    if param and param != "model":
        top = param.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0]
        return "" if top in _OF_THE_INPUT else param
    ours = sent.keys() - _OF_THE_INPUT - {"model"}
    quoted = (one or other for one, other in _QUOTED.findall(text[:2000]))
    return next((name for name in quoted if name in ours), "") or next(
        (name for name in sorted(ours - _COMMON_WORDS) if _is_refused(name, text[:600])), ""
    )


def _is_refused(name: str, text: str) -> bool:
    """Whether *text* says of *name* that it is not taken, in words without quotes."""
    near = rf"\b{re.escape(name)}\b"
    pattern = rf"{_NOT_TAKEN}.{{0,60}}{near}|{near}.{{0,60}}{_NOT_TAKEN}"
    return re.search(pattern, text, re.IGNORECASE | re.DOTALL) is not None
