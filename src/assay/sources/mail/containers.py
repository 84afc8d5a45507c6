"""Open the parts of a mail that hold a mail themselves: S/MIME, winmail.dat, Outlook files.

In      a leaf of a mail
Out     the mail inside as bytes or as a tree of parts; why it is closed; or None for a plain file
Pure    no clock, no randomness, no I/O: equal parts give equal mails
Spec    005-M8

A container is known by its bytes; its media type and name only say that there should be one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.message import Message as Node

from assay.sources.mail import cms, tnef
from assay.sources.mail.leaves import Part
from assay.sources.mail.outlook import looks_like_outlook, read_outlook
from assay.sources.reading import Note

_CMS_MEDIA = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_CMS_NAME = re.compile(r"(.*)\.p7[mcz]", re.IGNORECASE | re.DOTALL)
_SMIME_NAME = re.compile(r"smime.?(?:\(\d{1,3}\))?\.p7[mcz]|", re.IGNORECASE)
_TNEF_MEDIA = ("application/ms-tnef", "application/vnd.ms-tnef")
_TNEF_NAME = re.compile(r"winmail.{0,8}\.dat", re.IGNORECASE | re.DOTALL)
_MSG_MEDIA = ("application/vnd.ms-outlook", "application/x-msg", "application/msoutlook")
_RIGHTS_MEDIA = "application/x-microsoft-rpmsg-message"
_ENTITY = re.compile(
    rb"(?:[!-9;-~]{1,80}:[^\n]{0,2000}\n(?:[ \t][^\n]{0,2000}\n){0,50}){1,50}\r?\n"
)
_CONTENT_TYPE = re.compile(rb"^content-(?:type|transfer-encoding):", re.IGNORECASE | re.MULTILINE)

NOT_CHECKED = Note(
    code="smime.signature_not_checked",
    detail="the text was signed (S/MIME); the signature was taken off and not checked",
)
RIGHTS = "is a message with restricted rights, which only its reader's program opens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """What a container holds."""

    mail: bytes | Node | None = None
    """A mail, or a part of one with its own header; None when it is a file or closed."""

    file: Part | None = None
    """A file: signed documents are wrapped in the same way as signed mails."""

    closed: str = ""
    """Why nothing can be had of it."""

    whole: bool = False
    """It belongs to its mail; else it is a mail carried along."""

    in_body: bool = False
    """It stands where the body stands; else beside it, as another form of it."""

    note: Note | None = None


def open_container(part: Part) -> Inside | None:
    """What *part* holds when it is a container; None for any other file; never raises."""
    named = part.name.lower()
    if part.media in _CMS_MEDIA or _CMS_NAME.fullmatch(named) or cms.kind_of_cms(part.data):
        if part.media.endswith("pkcs7-signature") or named.endswith((".p7s", ".p7b")):
            return None
        return _open_cms(part)
    if part.data.startswith(tnef.SIGNATURE) or part.media in _TNEF_MEDIA:
        return _from(tnef.read_tnef(part.data), whole=True)
    if _TNEF_NAME.fullmatch(named):
        return Inside(closed=tnef.DAMAGED, whole=True)
    if looks_like_outlook(part.data):
        return _from(read_outlook(part.data), whole=False)
    if part.media in _MSG_MEDIA or (named.endswith(".msg") and part.media != "text/plain"):
        return Inside(closed="is no Outlook file, though it is called one")
    if part.media == _RIGHTS_MEDIA or named.endswith(".rpmsg"):
        return Inside(closed=RIGHTS, whole=True, in_body=True)
    return None


def _from(found: Node | str, *, whole: bool) -> Inside:
    if isinstance(found, str):
        return Inside(closed=found, whole=whole)
    return Inside(mail=found, whole=whole)


def _open_cms(part: Part) -> Inside:
    mail = bool(_SMIME_NAME.fullmatch(part.name.strip()))
    opened = cms.open_cms(part.data)
    if isinstance(opened, str):
        return Inside(closed=opened, whole=mail, in_body=mail)
    note = NOT_CHECKED if opened.signed else None
    head = _ENTITY.match(opened.data[:100_000])
    if head and _CONTENT_TYPE.search(head.group()):
        return Inside(mail=opened.data, whole=mail, in_body=mail, note=note)
    match = _CMS_NAME.fullmatch(part.name)
    name = match[1] if match and not mail else ""
    if mail and not part.name:
        return Inside(
            mail=b"MIME-Version: 1.0\n\n" + opened.data, whole=True, in_body=True, note=note
        )
    file = Part(
        media="application/octet-stream", charset=None, name=name, data=opened.data, damaged=False
    )
    return Inside(file=file, whole=mail, note=note)
