"""Phrases by which automatic mail gives itself away.

In      nothing
Out     compiled patterns over subjects and texts
Pure    yes
Spec    intake labels, RISK_AUTOREPLY_LOOP
"""

from __future__ import annotations

import re

LOOKED_AT_CHARS = 3_000
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

SUBJECT = re.compile(rf"(?:\[[^\]]{{1,30}}\] ?)?(?:{_ABSENT}|{_FAILED})", re.IGNORECASE)
"""How subjects of automatic mail begin."""

SUBJECT_HINT = re.compile(
    rf"{_HINT}|(?:re|aw|fwd?|wg|tr|rv): ?(?:{_ABSENT}|{_FAILED})", re.IGNORECASE
)
"""Subjects that people use too, or that somebody sends on."""

CERTAIN = re.compile(
    r"this (?:message|e-?mail) was (?:created|generated) automatically by mail delivery software"
    r"|this is the (?:mail system|postfix program|qmail-send program|mail delivery agent) at"
    r"|the following addresses? (?:\(es\) )?ha[ds] (?:permanent fatal|transient non-fatal) errors"
    r"|^\s*(?:final-recipient|original-recipient): ?rfc822;"
    r"|^\s*----- the following addresses"
    r"|i wasn't able to deliver your message to the following addresses"
    r"|a message that you (?:have )?sent could not be delivered to (?:one or more|all) of"
    r"|delivery to the following (?:recipients?|addresses?) (?:has |have )?(?:failed|been delayed)"
    r"|this is an e?-?mail abuse report for an e?-?mail message"
    r"|delivery has failed to these recipients|diagnostic-code: (?:smtp|x-)"
    r"|dies ist eine automatisch erzeugte (?:nachricht|e-?mail|mail) (?:des|vom) mail",
    re.IGNORECASE | re.MULTILINE,
)
"""Sentences that mail programs write and people do not."""

PHRASE = re.compile(
    r"automatic(?:ally|aly)[- ](?:generated|created|sent)|auto[- ]?generated|automatisch (?:erzeugt"
    r"|generiert|erstellt|versendet)|g[ée]n[ée]r[ée] automatiquement|(?:generado|enviado) autom"
    r"|(?:do|please) not reply|please don't reply|nicht auf diese (?:e-?mail|nachricht|mail)"
    r"|ne pas r[ée]pondre|no responda|i(?:'m| am)(?: currently)? out of (?:the )?office"
    r"|i will be (?:out of|away from) (?:the )?office|ich bin (?:derzeit |bis |ab |vom )?.{0,40}"
    r"(?:nicht im büro|abwesend|außer haus)|je suis absent|estar[ée] fuera|sono assente"
    r"|could not be delivered|undeliverable|delivery (?:failed|failure)|unable to deliver"
    r"|konnte nicht (?:zugestellt|ausgeliefert) werden|n'a pas pu [êe]tre (?:remis|livr)"
    r"|no (?:se )?pudo (?:ser )?entrega|user unknown|mailbox (?:is )?full|over quota"
    r"|are not member|duplicated message-id|loop(?:ing)? mail",
    re.IGNORECASE,
)
"""Phrases that people use too."""
