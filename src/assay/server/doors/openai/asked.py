"""What a client of OpenAI asks for, whichever of its two ways it speaks.

In      JSON of a request, as it arrived
Out     Asked; or an error that says which parameter is not taken
Pure    yes
Spec    009-O1, 009-O3, 009-O6
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from assay.errors import UsageError
from assay.server.errors import BadRequestError

Role = Literal["system", "user", "assistant"]
Said = tuple[Role, str]
"""Who said what."""

CONTRACT_KEY: Final = "assay_contract"
_ROLES: Final[Mapping[Any, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}
_MODEL: Final = re.compile(r"[!-~]{1,200}")
_DEEPEST: Final = 100
"""Levels of a schema; what is deeper nobody wrote by hand."""

_REFUSED: Final = (
    "tools",
    "functions",
    "audio",
    "web_search_options",
    "previous_response_id",
    "conversation",
    "background",
    "prompt",
)
"""What would have to be done, and is not: leaving it out would be another answer."""


class UnsupportedError(UsageError):
    """The request asks for something that no contract gives."""

    code = "request.unsupported"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedSchema:
    """The form that a client asks for."""

    name: str
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request."""

    model: str | None
    """As the client named it."""

    system: str
    """Instructions; they belong to the prompt, and nothing is quoted from them."""

    earlier: str
    """What was said before the last replies; empty for a single question."""

    user: str
    """The text that it is about: the source in which quotes are sought."""

    contract: str | None
    """`PACK/NAME` of the metadata."""

    schema: AskedSchema | None
    stream: bool
    include_usage: bool
    not_applied: tuple[str, ...]
    """Parameters that change nothing here."""


def make_asked(
    body: Mapping[str, Any],
    said: Sequence[Said],
    *,
    schema: AskedSchema | None,
    include_usage: bool,
    applied: Iterable[str],
) -> Asked:
    """One request, of what its way has read and of what both ways say alike.

    Args:
        applied: Parameters that this way alone has read.

    Raises:
        BadRequestError: a parameter is not of its form, or the user says nothing last.
    """
    system, earlier, user = split_said(said)
    return Asked(
        model=_read_model(body),
        system=system,
        earlier=earlier,
        user=user,
        contract=_read_contract(body),
        schema=schema,
        stream=read_flag(body, "stream"),
        include_usage=include_usage,
        not_applied=list_not_applied(body, applied),
    )


def _read_model(body: Mapping[str, Any]) -> str | None:
    """The model that a request names. Raises BadRequestError."""
    model = body.get("model")
    if model is None:
        return None
    if not isinstance(model, str) or not _MODEL.fullmatch(model):
        raise BadRequestError("model is no name", hint="printable ASCII without spaces")
    return model


def _read_contract(body: Mapping[str, Any]) -> str | None:
    """The contract that the metadata names. Raises BadRequestError."""
    metadata = body.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise BadRequestError("metadata is no object", hint=f'{{"{CONTRACT_KEY}": "PACK/NAME"}}')
    named = metadata.get(CONTRACT_KEY)
    if named is not None and not isinstance(named, str):
        raise BadRequestError(f"metadata.{CONTRACT_KEY} is no text", hint="PACK/NAME")
    return named


def read_flag(body: Mapping[str, Any], name: str) -> bool:
    """A parameter that is true or false. Raises BadRequestError."""
    value = body.get(name)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise BadRequestError(f"{name} is neither true nor false")


def read_schema(said: Mapping[str, Any], where: str) -> AskedSchema:
    """Name and document of a schema. Raises BadRequestError."""
    name, document = said.get("name"), said.get("schema")
    if not isinstance(name, str):
        raise BadRequestError(f"{where}.name is missing")
    if not isinstance(document, Mapping):
        raise BadRequestError(f"{where}.schema is no JSON Schema", hint="an object")
    if _is_too_deep(document):
        raise BadRequestError(f"{where}.schema has more than {_DEEPEST} levels")
    return AskedSchema(name=name, document=document)


def _is_too_deep(document: Any) -> bool:
    level: list[Any] = [document]
    for _ in range(_DEEPEST):
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, Mapping) else each)
            if isinstance(inner, Mapping | list)
        ]
        if not level:
            return False
    return True


def read_role(said: Any, where: str) -> Role:
    """Whose message it is. Raises BadRequestError, UnsupportedError."""
    if not isinstance(said, str):
        raise BadRequestError(f"{where}.role is missing")
    role = _ROLES.get(said)
    if role is None:
        raise UnsupportedError(
            f"{where} is neither of the system, the user nor the assistant",
            hint="no tool is called here",
        )
    return role


def read_text(content: Any, where: str, kinds: Iterable[str]) -> str:
    """The text of a message, whole or in parts.

    Args:
        kinds: What parts of text are called.

    Raises:
        BadRequestError: it has no text, or one that is no Unicode.
        UnsupportedError: a part is something else, such as an image.
    """
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list):
        raise BadRequestError(f"{where}.content is no text")
    texts = []
    for number, part in enumerate(parts):
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind not in ("text", *kinds):
            raise UnsupportedError(
                f"{where}.content.{number} is no text", hint="send the text alone"
            )
        text = part.get("refusal" if kind == "refusal" else "text")
        if not isinstance(text, str):
            raise BadRequestError(f"{where}.content.{number} has no text")
        texts.append(text)
    whole = "\n\n".join(texts)
    try:
        whole.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadRequestError(f"{where}.content holds half a character") from error
    return whole


def split_said(said: Sequence[Said]) -> tuple[str, str, str]:
    """Instructions, what was said before, and the text that the request is about.

    Raises:
        BadRequestError: the user says nothing last.

    Example:
        >>> split_said([("system", "Be brief."), ("user", "Hi"), ("user", "Who?")])
        ('Be brief.', '', 'Hi\\n\\nWho?')
    """
    system = "\n\n".join(text for role, text in said if role == "system")
    turns = [each for each in said if each[0] != "system"]
    at = len(turns)
    while at and turns[at - 1][0] == "user":
        at -= 1
    user = "\n\n".join(text for _, text in turns[at:])
    if not user.strip():
        raise BadRequestError("the last message is no text of the user")
    return system, "\n\n".join(f"[{role}]\n{text}" for role, text in turns[:at]), user


def refuse_unsupported(body: Mapping[str, Any]) -> None:
    """Raises UnsupportedError for what would make another answer of it."""
    for name in _REFUSED:
        if body.get(name):
            raise UnsupportedError(f"{name} is not taken here", hint="leave it out")
    if body.get("n") not in (None, 1):
        raise UnsupportedError("n is 1 here", hint="one output is judged at a time")
    if body.get("modalities") not in (None, ["text"]):
        raise UnsupportedError("modalities is text here", hint="leave it out")


def list_not_applied(body: Mapping[str, Any], applied: Iterable[str]) -> tuple[str, ...]:
    """Parameters that a request gives and that change nothing, in order; none beyond a few."""
    known = {*applied, "model", "metadata", "stream", "stream_options", "n", "modalities"}
    given = [name for name, value in body.items() if value not in (None, [], {}, False)]
    return tuple(sorted(name for name in given if name not in known and _is_parameter(name)))[:50]


def _is_parameter(name: str) -> bool:
    return re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name) is not None
