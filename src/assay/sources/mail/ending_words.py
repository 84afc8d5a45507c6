"""Words with which mails end out of habit: devices, closing formulas, disclaimers.

In      nothing
Out     compiled patterns for lines and paragraphs
Pure    yes
Spec    000, "Retry policy" (the shortened input of attempt 2)

The patterns meet untrusted text: none of them nests repeats, and callers cut it to a bound.
"""

from __future__ import annotations

import re

import re2

SENT_FROM = re.compile(
    r"\s{0,20}(?:sent (?:from|via|with|by) (?:my |mail for |the )?\S.{0,60}|get outlook for .{1,40}"
    r"|(?:gesendet|versendet) (?:von|mit|über) .{1,60}|von mei(?:nem|ner) .{1,40} gesendet\.?"
    r"|diese (?:nachricht|e-?mail) wurde von .{1,60}gesendet\.?|outlook für .{1,40}"
    r"|envoyé (?:de|depuis|à partir d).{1,60}|enviado (?:desde|de|do|a partir d).{1,60}"
    r"|inviato da(?:l| ).{1,60}|verzonden (?:vanaf|met) .{1,60}|sendt fra (?:min|mit) .{1,40}"
    r"|skickat från (?:min|mitt) .{1,40}|lähetetty .{1,40}(?:sta|stä)|wysłan[eo] z .{1,40}"
    r"|odesláno z .{1,40}|odoslané z .{1,40}|отправлено с .{1,40}|надіслано з .{1,40}"
    r"|iphone['’]?umdan gönderildi|.{1,30} (?:cihazımdan|telefonumdan) gönderildi"
    r"|iPhoneから送信|发自我的.{1,20}|從我的.{1,20}傳送)\s*",
    re.IGNORECASE,
)
"""A line that a device or program adds under a mail."""

CLOSING = re.compile(
    r"\s{0,20}(?:(?:best|kind|warm|many|with kind|with best|warmest|my best)? ?regards|rgds|br"
    r"|kindest regards|(?:yours )?(?:sincerely|faithfully|truly)(?: yours)?|yours|cheers"
    r"|many thanks|thanks|thank you|thanks (?:and|&) regards|thx|best(?: wishes)?|all the best"
    r"|(?:mit )?(?:freundlichen?|besten?|herzlichen?|lieben?|vielen?|schönen?|sonnigen?)"
    r" (?:grüßen?|grüssen?|gruß|gruss)(?: aus .{2,30})?|mfg|lg|vg|hochachtungsvoll"
    r"|(?:viele |liebe |beste |schöne |herzliche )?gr(?:ü|ue)(?:ß|ss)e|gruß|gruss"
    r"|(?:mit )?freundliche[nm]? gr(?:ü|ue)(?:ß|ss)en?|vielen dank|danke"
    r"|(?:bien |très )?cordialement|bien à vous|sincères salutations|amicalement|merci"
    r"|salutations(?: distinguées)?|saludos(?: cordiales)?|(?:un )?(?:cordial )?saludo"
    r"|atentamente|atte|(?:muchas )?gracias|(?:cordiali |distinti )?saluti|grazie"
    r"|met vriendelijke groet(?:en)?|groet(?:en|jes)?|mvg|atenciosamente|cumprimentos"
    r"|obrigad[oa]|(?:med )?(?:venlig|vennlig|vänliga?) (?:hilsen|hälsning(?:ar)?)|mvh|hilsen"
    r"|z poważaniem|pozdrawiam|s pozdravem|s pozdravom|üdvözlettel|saygılarımla|terveisin"
    r"|ystävällisin terveisin|с уважением|з повагою|cu stimă|s poštovanjem)\s*[,.!–-]{0,3}\s*",
    re.IGNORECASE,
)
"""A closing formula alone on its line."""

THANKS = re.compile(
    r"\s{0,20}(?:(?:many |vielen )?(?:thanks|dank)|thank you|thx|danke|merci|(?:muchas )?gracias"
    r"|grazie|obrigad[oa])",
    re.IGNORECASE,
)
"""Closing formulas that may be an answer by themselves."""

LIST_FOOTER = re.compile(
    r"mailing[- ]?list|listinfo|unsubscribe|abmelden|abbestellen|you are receiving this"
    r"|se désabonner|darse de baja|reply to this e-?mail directly|manage (?:your )?subscription",
    re.IGNORECASE,
)

_CONFIDENTIAL = (
    r"confidential|vertraulich|confidenti[ae]l|confidencial|riservat|vertrouwelijk|poufn"
    r"|fortrolig"
)
_ADDRESSEE = (
    r"intended (?:solely|only|exclusively|for the)|intended recipient|addressee"
    r"|ausschließlich für den|nicht der richtige|bestimmungsgemäße"
    r"|(?:vorgesehene|richtige|bestimmte|berechtigte)n? (?:adressat|empfänger)"
    r"|exclusivement (?:destiné|à l)|destinataires? (?:prévu|du message|visé|désigné)"
    r"|à l['’]intention exclusive|destinad[oa] (?:exclusiva|única|sólo|solo)"
    r"|destinatari[oa]s? (?:indicad|final|previst)|uso exclusivo|esclusivamente"
    r"|uitsluitend bestemd"
)
_MISTAKE = (
    r"receive[d]? (?:this|it) .{0,60}(?:in error|by mistake|erroneously)|irrtümlich"
    r"|versehentlich erhalten|par erreur|por error|por equivocación|por engano|per errore"
    r"|abusievelijk"
)
_DESTROY = (
    r"(?:delete|destroy) (?:this|the|it|all)|löschen sie|vernichten sie|zu löschen|zu vernichten"
    r"|(?:détruire|supprimer) (?:ce|le|immédiat|tou)"
    r"|(?:elim[ií]n|b[oó]rr|destru)\w{0,6}(?:lo| este| el| inmediat)"
)
_FORBIDDEN = (
    r"unauthori[sz]ed|strictly prohibited|unbefugte|unerlaubte|nicht gestattet|est interdit"
    r"|strictement interdit|non autorisée?|prohibid[oa]|no autorizad"
)
_SPREADING = (
    r"(?:disclosure|dissemination|distribution|copying)\b|weitergabe|vervielfältigung"
    r"|divulgation|reproduction|divulgación|difusión|reproducción"
)
_THIS_MAIL = (
    r"(?:this|the) (?:e-?mail|message|communication)(?: and| \(|,| is| may| contains?)"
    r"|any attachments?|diese[rs]? (?:e-?mail|nachricht|mail)|ce (?:message|courriel|mail)"
    r"|cet e-?mail|este (?:mensaje|correo|e-?mail)|esta (?:mensagem|comunicación)"
    r"|questo messaggio|dit bericht"
)

DISCLAIMS = tuple(
    re2.compile(f"(?i){pattern}")
    for pattern in (
        _CONFIDENTIAL,
        _ADDRESSEE,
        _MISTAKE,
        _DESTROY,
        _FORBIDDEN,
        _SPREADING,
        _THIS_MAIL,
    )
)
"""Seven things that a disclaimer says; a paragraph that says three of them is one."""

DISCLAIMER_ALONE = re2.compile(
    r"(?i)consider the environment before printing|think before you print"
    r"|bitte (?:denken|prüfen) sie .{0,40}(?:umwelt|ausdruck)|pensez à l['’]environnement"
    r"|antes de imprimir|does not accept (?:any )?liability|scanned for viruses|virenfrei"
    r"|virus-?free\b|\bwww\.avast\.com"
    r"|(?:e-?mail|message) (?:originated|was sent) (?:from )?outside"
    r"|diese e-?mail (?:kommt|stammt) von (?:außerhalb|extern)"
    r"|\A\s*(?:legal |confidentiality |e-?mail )?(?:disclaimer|confidentiality notice)\s*[:.\n]"
    r"|\A\s*(?:haftungsausschluss|vertraulichkeitshinweis|avis de confidentialité|aviso legal"
    r"|aviso de confidencialidad)\s*[:.\n]",
)
"""Phrases that make a paragraph a disclaimer by themselves."""
