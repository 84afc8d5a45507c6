"""Where a mail program would show a part: in the text, among the files, or nowhere.

In      a node, the kind of its parent, its place
Out     is it shown; may it be the body where nothing else is; why it is closed
Pure    no clock, no randomness, no I/O
Spec    000, sources of evidence; RFC 8621 4.1.4; 005-M8
"""

from __future__ import annotations

import re
from email.message import Message as Node

from assay.sources.mail.forms import RICH_MEDIA
from assay.sources.mail.leaves import (
    Part,
    children_of,
    disposition_of,
    file_name_of,
    media_of,
    parameter_of,
)

_FILES = re.compile(
    r"pdf|zip|compress|officedocument|opendocument|msword|vnd\.ms-|x-tar|pkcs|pgp|octet-stream\+"
)
"""Kinds of files that hold a text for their own programs alone, where they hold one."""

ELSEWHERE = "message/external-body"


def is_shown(node: Node, kind: str, parent: str, place: int) -> bool:
    """Would a mail program show this leaf as part of the text?"""
    if disposition_of(node) == "attachment":
        return False
    if kind.startswith("multipart/"):
        return True  # declared to have parts and has none: what there is, is text
    if parent == "alternative" and kind in RICH_MEDIA:
        return True
    if kind not in ("text/plain", "text/html"):
        return False
    return place == 0 or (parent != "related" and not file_name_of(node))


def is_offered(node: Node, kind: str, parent: str, place: int) -> bool:
    """May this leaf be the body of a mail that has no other?"""
    if disposition_of(node) == "attachment" or file_name_of(node):
        return False
    first = place == 0 or parent in ("alternative", "related")
    return first and kind.startswith(("text/", "application/")) and not _FILES.search(kind)


def why_closed(node: Node, kind: str, *, root: bool) -> str:
    """Why nothing can be read below *node*; empty when it can.

    A piece of a mail is closed only where it is the mail: a report may carry one along.
    """
    if kind == "multipart/encrypted":
        pgp = "pgp" in parameter_of(node, "protocol").lower() or any(
            "pgp" in media_of(child) for child in children_of(node)
        )
        return "is encrypted (PGP)" if pgp else "is encrypted"
    if kind == "message/partial" and root and parameter_of(node, "total").strip() != "1":
        return "is one piece of a mail that was sent in several"
    if kind == ELSEWHERE:
        return "is kept elsewhere, and the mail only says where"
    return ""


def close_part(node: Node, kind: str, why: str) -> Part:
    """*node* as a part without content."""
    name = file_name_of(node)
    return Part(media=kind, charset=None, name=name, data=b"", damaged=False, closed=why)
