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

import re2

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
    if _SUBJECT.match(subject.strip()):
        strong.append("subject")
    # Two letters that ignoring case makes an `i`, and RE2 does not.
    head = words[:_LOOKED_AT_CHARS].replace("İ", "i").replace("ı", "i")
    if _CERTAIN.search(head):
        strong.append("text.report")
    weak = []
    if _first_match(fields, "precedence").startswith(("bulk", "junk")) and not _is_list(fields):
        weak.append("precedence.bulk")
    if _PHRASE.search(head):
        weak.append("text")
    if _SUBJECT_HINT.match(subject.strip()):
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


# --- phrases by which automatic mail gives itself away ----------------------------------------

_LOOKED_AT_CHARS = 3_000
"""How much of a text is searched: reports say what they are at the start."""

_ABSENT = (
    r"auto(?:matic|matische|matisch|mated)?[- ]?(?:reply|response|respons\w*|antwort|svar|answer)\b"
    r"|automatische (?:antwort|beantwoording)|automatisch antwoord|automaattinen vastaus"
    r"|out of (?:the )?office(?: auto\w*| reply)?(?::|$)|vacation (?:reply|notice|message)"
    r"|abwesenheits(?:notiz|meldung|nachricht|assistent|agent)|abwesen(?:heit|d)(?::|$)"
    r"|urlaubs(?:meldung|notiz)|r[ée]ponse automatique|(?:message d')?absence du bureau(?: ?:|$)"
    r"|respuesta autom[áa]tica|fuera de (?:la )?oficina(?::|$)|ausencia(?: temporal)?(?::|$)"
    r"|risposta automatica|fuori (?:sede|ufficio)(?::|$)|resposta autom[áa]tica"
    r"|fora do escrit[óo]rio(?::|$)|afwezig(?:heid)?(?::|$)|autoodpowied|automatyczna odpowied"
    r"|odpowied[źz] automatyczna|automatick[áa] odpov|автоответ|автоматический ответ"
    r"|自动回复|自動返信|自動応答|不在(?:通知|です)|자동 ?회신|fr[åa]nvaro(?::|$)|frav[æa]r(?::|$)"
)
_FAILED = (
    r"undeliver(?:ed|able)(?: mail| message|:| -)|mail delivery (?:failed|failure|system|error)"
    r"|delivery status notification|delivery (?:failure|report|has failed)|nondeliverable mail"
    r"|returned mail(?::|$)|failure notice|mail system error|non[- ]?delivery (?:report|notif)"
    r"|unzustellbar|(?:e-?mail|nachricht) unzustellbar|non remis ?:|[ée]chec de (?:la )?remise"
    r"|no se (?:puede|pudo) entregar|error de entrega|mancata consegna|onbestelbaar"
    r"|warning: (?:could not send|message .{0,40}delayed)|(?:e-?mail )?bounce notification"
    r"|postmaster notify|complaint about message from|read receipt|lesebestätigung|gelesen:"
    r"|loop alert"
)
_HINT = (
    r"delivery (?:failed|notification|delayed)|returning message|user unknown|mail error|bounced?\b"
    r"|(?:mail|message) (?:could not be|not) delivered|rejected\b|permanent delivery|you .* member"
)

_SUBJECT = re.compile(rf"(?:\[[^\]]{{1,30}}\] ?)?(?:{_ABSENT}|{_FAILED})", re.IGNORECASE)
"""How subjects of automatic mail begin."""

_SUBJECT_HINT = re.compile(
    rf"{_HINT}|(?:re|aw|fwd?|wg|tr|rv): ?(?:{_ABSENT}|{_FAILED})", re.IGNORECASE
)
"""Subjects that people use too, or that somebody sends on."""

_CERTAIN = re2.compile(
    r"(?im)"
    r"this (?:message|e-?mail) was (?:created|generated) automatically by mail delivery software"
    r"|this is the (?:mail system|postfix program|qmail-send program|mail delivery agent) at"
    r"|the following addresses? (?:\(es\) )?ha[ds] (?:permanent fatal|transient non-fatal) errors"
    r"|^[\t-\r\x1c-\x1f\x{85}\pZ]*(?:final-recipient|original-recipient): ?rfc822;"
    r"|^[\t-\r\x1c-\x1f\x{85}\pZ]*----- the following addresses"
    r"|i wasn't able to deliver your message to the following addresses"
    r"|a message that you (?:have )?sent could not be delivered to (?:one or more|all) of"
    r"|delivery to the following (?:recipients?|addresses?) (?:has |have )?(?:failed|been delayed)"
    r"|this is an e?-?mail abuse report for an e?-?mail message"
    r"|delivery has failed to these recipients|diagnostic-code: (?:smtp|x-)"
    r"|dies ist eine automatisch erzeugte (?:nachricht|e-?mail|mail) (?:des|vom) mail"
)
"""Sentences that mail programs write and people do not."""

_PHRASE = re2.compile(
    r"(?i)"
    r"automatic(?:ally|aly)[- ](?:generated|created|sent)|auto[- ]?generated|automatisch (?:erzeugt"
    r"|generiert|erstellt|versendet)|g[ée]n[ée]r[ée] automatiquement|(?:generado|enviado) autom"
    r"|(?:do|please) not reply|please don't reply|nicht auf diese (?:e-?mail|nachricht|mail)"
    r"|ne pas r[ée]pondre|no responda|i(?:'m| am)(?: currently)? out of (?:the )?office"
    r"|i will be (?:out of|away from) (?:the )?office|ich bin (?:derzeit |bis |ab |vom )?.{0,40}"
    r"(?:nicht im büro|abwesend|außer haus)|je suis absent|estar[ée] fuera|sono assente"
    r"|could not be delivered|undeliverable|delivery (?:failed|failure)|unable to deliver"
    r"|konnte nicht (?:zugestellt|ausgeliefert) werden|n'a pas pu [êe]tre (?:remis|livr)"
    r"|no (?:se )?pudo (?:ser )?entrega|user unknown|mailbox (?:is )?full|over quota"
    r"|are not member|duplicated message-id|loop(?:ing)? mail"
)
"""Phrases that people use too."""
