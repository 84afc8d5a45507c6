"""Find what ends a mail out of habit: signatures, disclaimers, footers of lists.

In      the lines of a run of a text that nobody else wrote
Out     the kind of each line: own, signature or disclaimer
Pure    no clock, no randomness, no I/O
Spec    000, "Retry policy" (the shortened input of attempt 2)

The patterns meet untrusted text: none of them nests repeats, and lines are cut to a bound before.
"""

from __future__ import annotations

import re
from typing import Literal

import re2

Ending = Literal["own", "signature", "disclaimer"]

MAX_SIGNATURE_LINES = 15
"""Longest signature behind a delimiter line; what is longer is a text with a line in it."""

MAX_CLOSED_LINES = 10
"""Most lines behind a closing formula."""

_DELIMITER = re.compile(r"\s{0,3}(?:--|__|—|– ?–)\s*")
_LIST_RULE = re.compile(r"[_-]{20,}\s*")
_DASHED_NAME = re.compile(r"\s{0,3}[-–—~] ?[^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30}){0,3}\s*")
_POSTSCRIPT = re.compile(r"\s*(?:p\.? ?p?\.?s\b|nb\b|n\.b\.)", re.IGNORECASE)
_SENTENCE = re.compile(r"[^\W\d_]{2,}[.!?]\s|[?!]\s*$")


def mark_endings(lines: list[str], *, opening: bool = True) -> list[Ending]:
    """The kind of each of *lines*.

    Args:
        lines: A run of a text; some of them are not empty.
        opening: The run begins the text. What begins a later run may be a signature as a whole.
    """
    kinds: list[Ending] = ["own"] * len(lines)
    inside = False
    for first, stop in _paragraphs(lines):
        said = _count_disclaimers("\n".join(lines[first:stop])[:4000])
        # Behind a disclaimer, paragraphs that say one of its things belong to it.
        inside = said >= 3 or (inside and said >= 1)
        if inside:
            kinds[first:stop] = ["disclaimer"] * (stop - first)
    own = [n for n, line in enumerate(lines) if line.strip() and kinds[n] == "own"]
    while own and (len(own) > 1 or not opening) and _SENT_FROM.fullmatch(lines[own[-1]]):
        kinds[own.pop()] = "signature"
    for _ in range(3):  # a signature, above it a name, above that nothing more
        place = _signature(lines, own, opening=opening)
        for number in own[place:]:
            kinds[number] = "signature"
        del own[place:]
    return kinds


def _signature(lines: list[str], own: list[int], *, opening: bool) -> int:
    """Where in *own*, the numbers of the lines in question, the signature begins."""
    for place in range(len(own) - 1, max(-1, len(own) - MAX_SIGNATURE_LINES - 2), -1):
        line = lines[own[place]]
        below = [lines[number] for number in own[place + 1 :]]
        first = opening and place == 0
        if _DELIMITER.fullmatch(line) and below:
            return place
        if _LIST_RULE.fullmatch(line) and any(map(_LIST_FOOTER.search, below)):
            return place
        # "Thanks!" may be all that somebody answers; "Regards" never is.
        spoken = first and _THANKS.match(line)
        if _CLOSING.fullmatch(line) and not spoken and _is_card(below):
            return place
        alone = not first and own[place] > 0 and not lines[own[place] - 1].strip()
        if _DASHED_NAME.fullmatch(line) and not below and alone:
            return place
    return len(own)


def _is_card(below: list[str]) -> bool:
    """Are the lines behind a closing formula names and addresses rather than sentences?"""
    if len(below) > MAX_CLOSED_LINES:
        return False
    return not any(
        len(line) > 80 or _POSTSCRIPT.match(line) or (len(line) > 40 and _SENTENCE.search(line))
        for line in below
    )


def _count_disclaimers(paragraph: str) -> int:
    """How many of the things a disclaimer says *paragraph* says; 3 and more make one."""
    paragraph = paragraph.encode("utf-8", "replace").decode("utf-8")  # RE2 takes no lone surrogate
    if _DISCLAIMER_ALONE.search(paragraph):
        return 3
    said = sum(bool(sign.search(paragraph)) for sign in _DISCLAIMS)
    return said if len(paragraph) > 60 else min(said, 2)


def is_device_line(text: str) -> bool:
    """Is *text* nothing but the line that a device or program adds under a mail?"""
    return bool(_SENT_FROM.fullmatch(text.strip()))


def _paragraphs(lines: list[str]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    first: int | None = None
    for number, line in enumerate([*lines, ""]):
        if line.strip() and first is None:
            first = number
        elif not line.strip() and first is not None:
            found.append((first, number))
            first = None
    return found


# --- words with which mails end out of habit --------------------------------------------------

_SENT_FROM = re.compile(
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

_CLOSING = re.compile(
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

_THANKS = re.compile(
    r"\s{0,20}(?:(?:many |vielen )?(?:thanks|dank)|thank you|thx|danke|merci|(?:muchas )?gracias"
    r"|grazie|obrigad[oa])",
    re.IGNORECASE,
)
"""Closing formulas that may be an answer by themselves."""

_LIST_FOOTER = re.compile(
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

_DISCLAIMS = tuple(
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

_DISCLAIMER_ALONE = re2.compile(
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
