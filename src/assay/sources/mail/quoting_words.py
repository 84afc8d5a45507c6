"""Words by which mail programs mark what they carry along, in many languages.

In      nothing
Out     compiled patterns for single lines
Pure    yes
Spec    000, "Retry policy" (the shortened input of attempt 2)

The patterns meet untrusted lines: none of them nests repeats, and callers cut lines to a bound.
"""

from __future__ import annotations

import re

_FROM = (
    "from von de da van fra från od lähettäjä feladó gönderen kimden mittente nadawca expéditeur"
    " absender afzender avsändare afsender remitente remetente от від отправитель відправник"
    " šalje de__la expeditor pošiljatelj saatja sūtītājs nuo από dari từ จาก من מאת"
    " 发件人 寄件者 寄件人 差出人 보낸__사람"
)
_TO = (
    "to an para pour à a aan til till komu do vastaanottaja címzett alıcı kime adresat"
    " destinatario destinatário destinataire empfänger către pre prima za кому получатель"
    " одержувач saaja naar adresát mottaker modtager προς kepada đến ถึง إلى אל"
    " 收件人 收信人 宛先 받는__사람"
)
_DATE = (
    "date sent datum data dato fecha päivämäärä päiväys dátum tarih gönderilme__tarihi gesendet"
    " envoyé enviado enviada enviado__el inviato verzonden sendt skickat odesláno odoslané"
    " wysłano lähetetty küldve elküldve gönderildi dată trimis дата отправлено надіслано poslano"
    " kuupäev saadetud ημερομηνία στάλθηκε ngày tanggal วันที่ التاريخ תאריך נשלח"
    " 日期 发送时间 發送時間 日付 送信日時 날짜 보낸__날짜"
)
_SUBJECT = (
    "subject betreff objet sujet asunto oggetto onderwerp emne ämne předmět predmet aihe tárgy"
    " konu temat assunto subiect тема naslov teema θέμα perihal chủ__đề เรื่อง الموضوع נושא"
    " 主题 主旨 件名 제목"
)
_OTHER = (
    "cc bcc cci kopie kopi kopia kópia kópiu kopio másolat másolatot__kap bilgi dw udw копия"
    " копія copie__à copie copia reply-to antwort__an importance wichtigkeit priority"
    " attachments anlagen message-id sender organization 抄送 副本 참조"
)


def _names(words: str) -> str:
    return "|".join(re.escape(word).replace("__", r"\ ") for word in words.split())


LABEL = re.compile(
    r"[>\s\ufeff]{0,20}[*_]{0,2}(?:"
    rf"(?P<from>{_names(_FROM)})|(?P<date>{_names(_DATE)})|(?P<subject>{_names(_SUBJECT)})"
    rf"|(?P<to>{_names(_TO)})|(?P<other>{_names(_OTHER)}))"
    r"[ \u00a0]?[*_]{0,2}[ \u00a0]?[:：][*_]{0,2}(?P<value>.*)",
    re.IGNORECASE,
)
"""A line of the block of fields that stands over a carried mail."""

RULED = re.compile(
    r"\s*(?:[-=_]{2,}|[—–]{2,})\s*(?P<phrase>[^-=_\d]{3,80}?)\s*(?:[-=_]{2,}|[—–]{2,})"
)
"""A phrase between two rules, as `---- Forwarded message ----`."""

FORWARDED = re.compile(
    r"forward|weiter(?:geleitet|leitung)|transf[ée]r|transmis|r[ée]exp[ée]di|reenviad|renviad"
    r"|encaminhad|inoltrat|doorgestuurd|videresend|vidarebefordra|přeposlan|preposlan|välitetty"
    r"|edelleenlähetetty|továbbított|iletil|przekazan|redirec[țt]ionat|пересыла|перенаправл"
    r"|пересл|proslijeđen|edastatud|προωθ|转发|轉寄|転送|전달|הועבר|chuyển tiếp|diteruskan|fwd",
    re.IGNORECASE,
)

ORIGINAL = re.compile(
    r"original[- ]?(?:message|e?-?mail|nachricht|meddelande|melding|appointment)"
    r"|(?:ursprüngliche|urspr\.) (?:nachricht|e?-?mail)|message (?:d['’]origine|original)"
    r"|(?:mensaje|mensagem|missatge) original|messaggio originale|oorspronkelijk bericht"
    r"|opprinnelig melding|oprindelig meddelelse|ursprungligt meddelande|původní (?:zpráva|e-?mail)"
    r"|pôvodná správa|alkuperäinen viesti|eredeti üzenet|(?:orijinal|özgün) (?:ileti|mesaj)"
    r"|(?:oryginalna wiadomość|wiadomość oryginalna)|исходное сообщение|оригинал сообщения"
    r"|αρχικό μήνυμα|原始(?:邮件|郵件)|元のメッセージ|원본 (?:메시지|메일)",
    re.IGNORECASE,
)
"""What stands between rules over a quoted mail, with or without fields below."""

BEGINS = re.compile(
    r"[>\s\ufeff]{0,20}(?:begin forwarded message|anfang der weitergeleiteten (?:nachricht|e-?mail)"
    r"|début du message (?:réexpédié|transféré)|inicio del mensaje reenviado"
    r"|início da mensagem (?:re)?encaminhada|inizio messaggio inoltrato"
    r"|begin doorgestuurd bericht|start på videresendt besked|videresendt melding"
    r"|vidarebefordrat mejl|začátek přeposílané zprávy|začiatok preposlanej správy"
    r"|välitetty viesti alkaa|továbbított levél kezdete|i\u0307?leti başlangıcı"
    r"|początek przekazanej wiadomości|початок листа, що пересилається"
    r"|начало переадресованного сообщения|început mesaj redirecționat)\s?[:：]\s*",
    re.IGNORECASE,
)
"""What Apple Mail writes over a forwarded mail."""

WROTE = re.compile(
    r"\b(?:wrote|writes|schrieb|schreef|geschreven|skrev|kirjoitti|escribi[óo]|escreveu|scritto"
    r"|scrive|[ée]crit|napsala?|napísala?|napisała?|napisao|napisala|írta|scris|yazdı|пише|пишет"
    r"|написала?|написав|έγραψε|escrigué|kirjutas|rašė|rakstīja|menulis|đã viết)\b"
    r"|写道|寫道|書きました|のメール|작성|เขียน|כתב|كتب",
    re.IGNORECASE,
)

STARTS = re.compile(
    r"[>\s\ufeff]{0,20}(?:on|am|le|el|em|il|op|den|dnia|w dniu|dne|dňa|a|på|pe|la|в|у|ve|στις|pada"
    r"|vào|v|mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mar|mer|jeu|ven|sam|dim)"
    r"[.,]?[ \u00a0]",
    re.IGNORECASE,
)
"""How an attribution begins, when it begins with no name or number."""

WHEN = re.compile(
    r"\d{1,2}[:.h]\d{2}|\d{4}|\d{1,2}[./]\d{1,2}[./]|<[^<>\s]{1,200}@|@[^\s@]{1,200}\.|年"
)
"""A time, a date or an address: what an attribution has and a sentence seldom has."""

EXACTLY_WHEN = re.compile(r"\d{1,2}[:.h]\d{2}|<[^<>\s]{1,200}@|@[^\s@]{1,200}\.")
"""A time of day or an address: what an attribution has when it ends all that is one's own."""

NAMED = re.compile(r"(?:<[^<>\s]{1,200}@[^<>\s]{1,200}>|\([^()\s]{1,200}@[^()\s]{1,200}\)) ?[:：]$")
"""An address before a colon: with a date before it, an attribution without a verb."""
