"""Words with which programs fill the plain form of a mail that says all in its HTML.

In      a text, and the words of the other form
Out     is it a stub; the text without what is cosmetic
Pure    no clock, no randomness, no I/O
Spec    005-M9

The languages are those in which senders' programs write such lines. A stub is short; a phrase
of the list in a long text makes no stub of it.
"""

from __future__ import annotations

import re

MAX_STUB_WORDS = 60
"""A longer text says something of its own."""

_ALONE = re.compile(r"\s{0,20}\[[^\]\n]{1,60}\]\s{0,20}")
"""What stands for a picture in the plain form: `[Company logo]`."""

COSMETIC_WORDS = 20
"""A longer line is no mere link."""

_URL = re.compile(
    r"(?:https?|ftp)://[^\s<>\")\]]{1,4000}|www\.[^\s<>\")\]]{1,2000}|(?:mailto|tel):[^\s<>\")\]]{1,500}",
    re.I,
)
_PLACEHOLDER = re.compile(
    r"\[(?:cid:[^\]\n]{0,300}|image[^\]\n]{0,200}|bild[^\]\n]{0,80}|imagen[^\]\n]{0,80}"
    r"|logo[^\]\n]{0,80}|inline image[^\]\n]{0,80}|img[^\]\n]{0,80}|\d{1,3})\]"
    r"|<cid:[^>\n]{0,300}>|\bcid:[^\s\]>]{1,300}",
    re.I,
)
_ENTITY = re.compile(r"&(?:nbsp|zwnj|zwj|shy|#160|#8203|#xa0);", re.I)
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u3164]+"
)

_IN_BROWSER = re.compile(
    r"""(?ix)
    (?:view|read|open|see|display)\w{0,20} \b .{0,60}
        \b (?:browser|online|web(?:\ ?site|\ version|\ page)?)
    | web[\s-]version | online[\s-]version | (?:im|in\ (?:ihrem|deinem)) \s web?browser
    | im\ browser | online\ (?:ansehen|anzeigen|lesen) | web-?ansicht
    | (?:dans|dan)\ (?:votre|le|ton)\ navigateur | version\ (?:en\ ligne|web|online)
    | en\ (?:su|tu|el)\ navegador | versi[oó]n\ (?:en\ l[ií]nea|web)
    | nel\ (?:tuo\ |suo\ |vostro\ )?browser | versione\ (?:online|web)
    | no\ (?:seu\ )?navegador | vers[aã]o\ (?:online|web)
    | in\ (?:je|uw|de)\ browser | online\ versie | webversie
    | w\ (?:twojej\ |pa[nń]stwa\ )?przegl[aą]dar | wersj\w{1,20}\ (?:online|internetow)
    | i\ (?:din\ )?(?:webbl[aä]sare|browser|nettleser) | ve\ sv[eé]m\ prohl[ií][zž]e[cč]i
    | v\ prohl[ií][zž]e[cč]i | a\ b[oö]ng[eé]sz[oő]ben | în\ browser | selaimes
    | taray[ıi]c[ıi]n[ıi]zda | в\ браузере | в\ веб-верс | у\ браузері | στον?\ browser
    | ブラウザ | 浏览器 | 瀏覽器 | 브라우저
    """
)
_HTML_MAIL = re.compile(
    r"""(?ix)
    \bhtml\b .{0,120} (?:format|mail|message|client|reader|view|display|support|version|enabled
        |nachricht|anzeig|darstell|programm|unterst[uü]tz|fähig|faehig|ansicht
        |courriel|messagerie|affich|logiciel|lecteur|prend
        |correo|mensaje|cliente|compatible|lector|visualiz
        |messaggio|posta|formato|lettore|supporta
        |mensagem|leitor|suporta|ondersteun|bericht|weergave|programma
        |wiadomo|program|obsług|obslug|klient|meddelande|viesti|zpráv|zprav|spr[aá]v
        |письм|сообщен|формат|почтов|メール|形式|邮件|郵件|格式|메일)
    | (?:format|mail|message|client|reader|view|display|support|version
        |nachricht|anzeig|darstell|programm|unterst[uü]tz
        |courriel|messagerie|affich|logiciel|correo|mensaje|messaggio|posta|mensagem
        |bericht|wiadomo|formacie|klient|meddelande|zpráv|письм|сообщен|メール|邮件|郵件|메일)
      .{0,120} \b html
    | multi-?part\ (?:mime\ )?message | mime[\s-](?:encoded|format|aware|compliant)
    | (?:enable|allow|activate)\ (?:the\ )?(?:html|images)
    | (?:turn\ on|show|load|download|display)\ (?:the\ )?(?:images|pictures|html)
    | no\ plain[\s-]text | plain[\s-]text\ (?:version|part)\ (?:is\ )?(?:not|un)
    | text[\s-]version\ (?:is\ )?not\ available
    """
)
_UNSUBSCRIBE = re.compile(
    r"""(?ix)
    unsubscri | opt[\s-]?out | manage\ (?:your\ )?(?:preferences|subscription)
    | abmelden | abbestellen | austragen | newsletter\ (?:abmeld|abbestell)
    | se\ d[eé]sabonner | d[eé]sinscri | d[eé]sabonnement
    | darse\ de\ baja | cancelar\ (?:la\ )?suscripci | anular\ (?:la\ )?suscripci
    | disiscri | annulla\ (?:l['’])?iscrizione | cancellati
    | cancelar\ (?:a\ )?(?:inscri|assinatura|subscri) | descadastr
    | afmelden | uitschrijven | wypisz | zrezygnuj\ z\ subskrypcji | anuluj\ subskrypcj
    | avregistrer | avmeld | afmeld | odhl[aá]sit | leiratkoz | dezabon
    | отписаться | отказаться\ от\ рассылки
    | відписатися | 配信停止 | 退订 | 退訂 | 수신거부
    """
)
_TROUBLE = re.compile(
    r"""(?ix)
    (?:if|having|can(?:no|'|\ no)t|unable|trouble|problem) .{0,40} (?:view|see|read|display)\w{0,20}
        \s (?:this|it)\b
    | (?:wenn|falls|sollten?|k[oö]nnen) .{0,40} (?:diese|die) .{0,12} (?:mail|nachricht|newsletter)
        .{0,30} (?:nicht|fehlerhaft) .{0,30} (?:lesen|sehen|anzeig|angezeig|dargestell|darstell)
    | si\ (?:vous|ce|cet) .{0,40} (?:affich|visualis|voir|voyez|lire|lisez) .{0,60}
    | si\ no .{0,20} (?:ver|visualiza\w{0,20}|leer) \s (?:este|el) .{0,20}
        (?:correo|mensaje|e-?mail)
    | se\ non .{0,20} (?:visualizz|legg|vedi)\w{0,20} .{0,20} questa? .{0,10} (?:mail|messaggio)
    | (?:caso|se) .{0,10} n[aã]o .{0,20} (?:visualiz\w{0,20}|ver) \s (?:este|esta|o)
        .{0,10} (?:mail|mens)
    | (?:kunt|kan|ziet) .{0,10} (?:deze|dit) .{0,10} (?:mail|bericht) .{0,10} niet .{0,10}
        (?:lezen|zien|weergegeven|bekijken)?
    | je[sś]li .{0,10} nie .{0,10} (?:widzisz|wy[sś]wietla) .{0,10} tej .{0,10} (?:wiadomo|mail)
    | (?:[oö]ffnen|folgen|cliquez|ouvrez|suivez|abra|siga|apri|segui|volg|kliknij|open|follow)
        .{0,20}
        (?:folgenden|this|suivant|siguiente|seguente|volgende)? .{0,10}
        \b(?:link|lien|enlace|collegamento|koppeling)$
    """
)
"""What is said to those who cannot see the other form, and where they find it."""

_PROGRAM = re.compile(
    r"(?i)^.{0,60}\b(?:e-?mail|mail|messag\w*|nachricht\w*|courriel|correo|posta|bericht)"
    r"[ -]?(?:client|program\w*|reader|viewer|software|app|leser|agent)?\b.{0,60}"
    r"(?:cannot|can't|can not|does not|doesn't|unable|nicht|ne peut|no puede|non pu[oò]|não|kan)"
    r".{0,80}$"
)
"""What is said about the reader's program, beside a sentence that points to the other form."""

_COURTESY = re.compile(
    r"(?i)^\W*(?:please|thank(?:s| you)|sorry|hello|hi|dear \w+(?: \w+)?|bitte|danke|hallo"
    r"|guten tag|merci|bonjour|gracias|hola|grazie|ciao|buongiorno|obrigad[oa]|ol[aá]|bedankt"
    r"|beste|dzi[eę]kuj[eę]|click here|klicken sie hier|hier klicken|cliquez ici|haga clic aqu[ií]"
    r"|haz clic aqu[ií]|clicca qui|clique aqui|klik hier|kliknij tutaj|link|here)\W*$"
)
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<![.!?:。！？])[.!?:。！？]+(?:\s|$)|。")


def strip_placeholders(text: str) -> str:
    """*text* without placeholders of images, addresses of the web and invisible characters."""
    text = _ENTITY.sub(" ", text)
    text = _PLACEHOLDER.sub(" ", text)
    return _INVISIBLE.sub("", text)


def says_nothing(text: str) -> bool:
    """Is there nothing in *text* but placeholders and characters that nobody sees?"""
    # No placeholder goes on behind the end of its line.
    return not any(strip_placeholders(line).strip() for line in text.split("\n"))


def is_stub(text: str) -> bool:
    """Does *text* only say that the message is in its other form?

    Example:
        >>> is_stub("This message is in HTML format.")
        True
        >>> is_stub("I cancel my policy as of 31 May.")
        False
    """
    bare = strip_links(text)
    words = _WORD.findall(bare.replace("_", " "))
    if not words:
        return True
    if len(words) > MAX_STUB_WORDS:
        return False
    pieces = _sentences(bare)
    return any(map(_is_pointer, pieces)) and all(
        _is_pointer(piece) or _COURTESY.search(piece) or _PROGRAM.search(piece) for piece in pieces
    )


def strip_links(text: str) -> str:
    """*text* without addresses of the web, placeholders and invisible characters."""
    return _URL.sub(" ", strip_placeholders(text))


def cosmetic_lines(text: str) -> list[str]:
    """The lines of *text* that offer another view of it, or the end of a subscription.

    A line with a number, or with more than COSMETIC_WORDS words, says something else too.
    """
    return [
        line
        for line in text.split("\n")
        if 3 < len(line) <= 300
        and not any(char.isdigit() for char in _URL.sub("", line))
        and len(_WORD.findall(line)) <= COSMETIC_WORDS
        and (_ALONE.fullmatch(line) or _IN_BROWSER.search(line) or _UNSUBSCRIBE.search(line))
    ]


def _sentences(text: str) -> list[str]:
    joined = " ".join(text.split())
    return [piece for piece in _SENTENCE_END.split(joined) if _WORD.search(piece)]


def _is_pointer(sentence: str) -> bool:
    """Does *sentence* point to another form of the message, or to the end of a subscription?"""
    if re.search(r"\d", sentence):
        return False  # a number says something of its own
    patterns = (_HTML_MAIL, _IN_BROWSER, _UNSUBSCRIBE, _TROUBLE)
    return any(pattern.search(sentence) for pattern in patterns)
