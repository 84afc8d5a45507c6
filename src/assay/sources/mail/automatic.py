"""Signs that a machine wrote a mail, so that an answer to it could go round in circles.

In      the header of a mail, the media types of its parts, its subject and the sender's words
Out     names of the signs found, out of a fixed list; none means nothing speaks for a machine
Pure    no clock, no randomness, no I/O: equal mails give equal signs
Spec    intake labels, RISK_AUTOREPLY_LOOP; RFC 3834, RFC 3464, RFC 5965

A sign is a name, never a value of the header: it may stand in prompts and logs. One strong sign
is enough. A weak one (a phrase in the text, a sender who wants no answer) needs a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from assay.sources.mail import automatic_phrases as phrases

_REPORTS = {
    "multipart/report": "report",
    "message/delivery-status": "report.delivery",
    "message/global-delivery-status": "report.delivery",
    "message/disposition-notification": "report.disposition",
    "message/feedback-report": "report.feedback",
}

_MARKED = re.compile(
    r"x-auto-?(?:reply|respond(?:er)?|response|replied|generated)(?:-.*)?|x-mail-autoreply"
    r"|x-ms-exchange-inbox-rules-loop|x-failed-recipients|x-autorespond|x-vacation(?:-.*)?"
    r"|x-fc-machinegenerated|x-ms-exchange-generated-message-source"
)
"""Fields that only automatic mail carries."""

_DAEMON = re.compile(
    r"(?:mailer|mail|e?mail-?delivery|delivery)[-_.]?(?:daemon|subsystem|system)|post[-_]?master"
    r"|mdaemon|autoreply|auto-reply|autoresponder|bounces?|maildelivery|mail-?deliver(?:y|ies)"
)
_SILENT = re.compile(r"(?:do)?[-_.]?not?[-_.]?(?:reply|answer|respond)|donotreply|noreply.*|nobody")
_LISTS = ("list-id", "list-post", "list-unsubscribe", "mailing-list", "x-mailing-list")


def signs_of_a_machine(
    fields: Mapping[str, Sequence[str]],
    media: Iterable[str],
    subject: str,
    sender: str,
    words: str,
) -> tuple[str, ...]:
    """The signs that speak for a machine, in a fixed order.

    Args:
        fields: Header values by name in lower case.
        media: Media types of the mail's own nodes, not of mails that it carries.
        subject: Decoded subject.
        sender: Address of the From field, or what stands there instead.
        words: What the sender wrote: the body without quoted and forwarded parts.
    """
    strong = [*_of_the_header(fields), *_of_the_sender(fields, sender)]
    strong += [name for kind, name in _REPORTS.items() if kind in set(media)]
    if phrases.SUBJECT.match(subject.strip()):
        strong.append("subject")
    head = words[: phrases.LOOKED_AT_CHARS]
    if phrases.CERTAIN.search(head):
        strong.append("text.report")
    weak = []
    if _first_match(fields, "precedence").startswith(("bulk", "junk")) and not _is_list(fields):
        weak.append("precedence.bulk")
    if phrases.PHRASE.search(head):
        weak.append("text")
    if phrases.SUBJECT_HINT.match(subject.strip()):
        weak.append("subject.hint")
    if _SILENT.fullmatch(sender.partition("@")[0].lower()):
        weak.append("sender.no_reply")
    if not strong and len(weak) < 2:
        return ()
    return tuple(dict.fromkeys([*strong, *weak]))


def _of_the_header(fields: Mapping[str, Sequence[str]]) -> Iterable[str]:
    submitted = _first_match(fields, "auto-submitted")
    if submitted and not submitted.startswith("no"):
        yield "auto-submitted"
    if _first_match(fields, "precedence").startswith(("auto_reply", "auto-reply")):
        yield "precedence"
    if any(value.strip() == "<>" for value in fields.get("return-path", ())):
        yield "return-path"
    suppress = _first_match(fields, "x-auto-response-suppress")
    if (suppress and not suppress.startswith("none")) or any(map(_MARKED.fullmatch, fields)):
        yield "x-auto"


def _of_the_sender(fields: Mapping[str, Sequence[str]], sender: str) -> Iterable[str]:
    local = sender.partition("@")[0].lower().strip(" <>\"'")
    shown = _first_match(fields, "from")
    if _DAEMON.fullmatch(local) or re.search(r"mailer[- _]?daemon|mail delivery s", shown):
        yield "sender"


def _is_list(fields: Mapping[str, Sequence[str]]) -> bool:
    return any(name in fields for name in _LISTS)


def _first_match(fields: Mapping[str, Sequence[str]], name: str) -> str:
    values = fields.get(name, ())
    return values[0].strip().lower() if values else ""
