"""Messages of a chat as one body, and a body as messages of a chat.

In      messages with roles of another tool; or a version with parts
Out     a body: with its parts, or one text with its roles listed as lost; or messages again
Pure    yes
Spec    002-T1; interfaces.md, "Templates"

A chat of one system message and one user message, in this order, is a body with the two lines.
Any other chat is one text, as it ever was, and its roles are listed. A message that holds such a
line itself is refused: its words would change their rank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from assay.errors import TemplateError
from assay.templates.parts import SYSTEM_LINE, USER_LINE, begins_part
from assay.templates.template import TemplateVersion

_TWO_PARTS: Final = ["system", "user"]
_ROLE_HELPER = re.compile(r"""(?<!(?<!\\)\\)\{\{\s*role\s+(["'])(\w+)\1\s*\}\}""")
"""Of Dotprompt. One backslash in front makes a text of it, two stand for one."""


def join_messages(messages: Sequence[Any], lost: list[str]) -> str:
    """The body of a chat in JSON; *lost* takes what is left out.

    Raises:
        TemplateError: a message holds a line that begins a part.
    """
    return _join(list(_texts(messages, lost)), lost, "\n\n")


def join_helpers(text: str, lost: list[str]) -> str:
    """The body of a Dotprompt text whose helpers begin messages; *lost* takes what is left out.

    Raises:
        TemplateError: a message holds a line that begins a part.
    """
    before, *rest = _ROLE_HELPER.split(text)
    found = [
        # Two backslashes in front of the next helper stood for one.
        (role, said[:-1] if said.endswith("\\\\") and at < len(rest) // 3 - 1 else said)
        for at, (role, said) in enumerate(zip(rest[1::3], rest[2::3], strict=True))
    ]
    if rest and before.endswith("\\\\"):
        before = before[:-1]
    if before.strip() or not found:
        refuse_marks(before)
        roles = [role for role, _ in found]
        if roles:
            lost.append(_lost_roles(roles))
        body = before + "".join(said for _, said in found)
        refuse_marks(body)
        return body
    return _join(found, lost, "", before=before)


def refuse_marks(text: str) -> None:
    """Raises TemplateError when a line of *text* would begin a part."""
    if begins_part(text):
        raise TemplateError(
            f"the text has a line {SYSTEM_LINE!r} or {USER_LINE!r}, which begins a part here",
            hint="word the line otherwise; messages with roles come in as messages with roles",
        )


def with_role_helpers(version: TemplateVersion) -> Iterator[tuple[str, str | None]]:
    """The pieces of a version, with Dotprompt's helpers in place of the lines that begin parts.

    Yields:
        A literal text and None; or an empty text and what stands between double braces.
    """
    turn = version.turn
    for index, (text, name) in enumerate(version.pieces):
        if turn is None or name is not None or index > turn.piece:
            yield text, name
            continue
        start = turn.system_start if index == 0 else 0
        if index == 0:
            yield "", 'role "system"'
        if index < turn.piece:
            yield text[start:], None
            continue
        # The line end in front of the line is what an import puts there.
        yield text[start : turn.system_stop - 1], None
        yield "", 'role "user"'
        yield text[turn.user_start :], None


def _join(
    found: Sequence[tuple[str, str]], lost: list[str], between: str, *, before: str = ""
) -> str:
    for _, text in found:
        refuse_marks(text)
    roles = [role for role, _ in found]
    texts = [text for _, text in found]
    if roles == _TWO_PARTS and all(text.strip() for text in texts):
        system, user = texts
        return f"{SYSTEM_LINE}\n{system}\n{USER_LINE}\n{user}"
    if roles:
        lost.append(_lost_roles(roles))
    body = before + between.join(texts)
    refuse_marks(body)
    return body


def _lost_roles(roles: Sequence[str]) -> str:
    return f"roles of messages ({', '.join(roles)}); their texts are one prompt here"


def _texts(messages: Sequence[Any], lost: list[str]) -> Iterator[tuple[str, str]]:
    """Role and text of each message that has a text; *lost* takes what is left out."""
    for message in messages:
        if not isinstance(message, Mapping):
            lost.append("a message that is no object")
            continue
        if message.get("type") == "placeholder":
            lost.append(f"a place for messages ({message.get('name')})")
            continue
        texts = list(_message_parts(message.get("content"), lost))
        more = sorted(str(name) for name in message.keys() - {"role", "content", "type"})
        if more:
            lost.append(f"fields of a message ({', '.join(more)})")
        if texts:
            yield str(message.get("role", "?")), "".join(texts)


def _message_parts(content: Any, lost: list[str]) -> Iterator[str]:
    """The texts of a content; what is no text goes to *lost*."""
    if isinstance(content, str):
        yield content
        return
    if not isinstance(content, list):
        lost.append("a message that is no text")
        return
    for part in content:
        text = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str):
            more = part.keys() - {"type", "text"} if isinstance(part, Mapping) else ()
            lost.extend(f"a part of a message: its {name}" for name in sorted(map(str, more)))
            yield text
        else:
            kind = part.get("type") if isinstance(part, Mapping) else None
            lost.append(f"a part of a message that is no text ({kind or 'unknown'})")
