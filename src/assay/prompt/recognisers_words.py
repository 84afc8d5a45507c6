"""The words that say what stands beside them, in English, German, Spanish, French and a few.

In      nothing
Out     patterns over lower-cased context, bounded
Pure    data only
Spec    interfaces.md, "Redaction"
"""

from __future__ import annotations

import re
from typing import Final

_PHONE_WORDS = (
    r"tel(?:[ée]fono|[eé]phone|efon|efone|efoon|efonnummer|\.|:)?|tlf|tfno|telf|"
    r"(?:tele|cell|mobile[ ])?phone(?:[ ]?(?:number|no\.?|nr\.?))?|fon|fono|"
    r"mobil(?:e|fon|nummer|telefon)?|m[óo]vil|cell(?:ulare?)?|handy(?:nummer)?|portable|"
    r"(?:tele)?fax(?:nummer)?|(?:desk|home|office|work|direct)(?:[ ](?:phone|number|line))?[ ]?:|pager|hotline|rufnummer|durchwahl|"
    r"whats?app|sms|call|calling|called|ring|dial|phoned|text(?:[ ]me)?|reach|messages?|"
    r"contact(?:[ ](?:me|us|him|her|them))?|answering|registered|anrufen|anruf|angerufen|"
    r"erreich\w{0,8}|llam\w{1,6}|appel\w{0,5}|joindre|joignable|zurückrufen|rückruf\w{0,4}|"
    r"kontakt|número[ ]de[ ]tel[ée]fono|numéro[ ]de[ ]t[ée]l[ée]phone|t[ée]l|puh|gsm|natel"
)

PHONE_BEFORE: Final = re.compile(
    rf"(?<!\w)(?:{_PHONE_WORDS})(?!\w)(?:[ ]?\([a-z ]{{1,10}}\))?[ .:;,=\-/|*]{{0,4}}"
    r"(?:(?:me|us|him|her|them|you|mich|uns|sie|ihn|my|the|is|am|on|at|to|under|unter|al|au|auf|"
    r"der|die|nummer|number|no|nr|número|numéro|von|from|by|via|via[ ]the|ist|lautet|es|est|"
    r"para|le|la|el|for|number[ ]is|back|phone|mobile)[ .:]{1,2}){0,4}[\s:=\-(\[|*]{0,4}$"
)
"""Ends the text before a telephone number."""

PHONE_AFTER: Final = re.compile(
    r"[ ]?[-(/]?[ ]?(?:office|fax|mobile|home|cell|desk|work|tel)(?!\w)", re.IGNORECASE
)
"""Begins the text behind one."""

PHONE_OWN: Final = re.compile(
    r"(?<!\w)(?:my|our|his|her|their|your|the|meine|ihre|unsere|mi|su|mon|ma|notre)[ ]"
    r"(?:[\w-]{1,14}[ ]){0,2}(?:number|nummer|número|numéro|one)[ ]?(?:is|are|ist|lautet|es|est|:)"
    r"[ :]{0,2}$"
)
"""`my … number is`."""

PHONE_NOT: Final = re.compile(
    r"(?<!\w)(?:card|cards|cc|credit|debit|account|acct|iban|routing|order|orders|invoice|bill|"
    r"policy|policies|claim|claims|reference|ref|case|ticket|serial|tracking|contract|customer|"
    r"client|member|tax|security|ssn|passport|licen[cs]e|id|isbn|zip|postcode|vin|order-?nr|"
    r"batch|article|sku|part|model|version|"
    r"\w{0,20}(?:karte|konto|kontonummer|rechnung|rechnungs|kunden|kundennummer|vertrag|vertrags|"
    r"vertragsnummer|schaden|schadennummer|schadensnummer|police|policennummer|bestellung|"
    r"bestellnummer|auftrag|auftragsnummer|rechnungsnummer|aktenzeichen|az|referenz|"
    r"versicherungsnummer|versicherungsschein|plz|blz|steuernummer)|"
    r"factura|pedido|cuenta|tarjeta|póliza|siniestro|expediente|contrato|"
    r"facture|commande|compte|carte|contrat|sinistre|dossier|police)(?!\w)"
    r"(?:[ .:#=-]|number|numbers|no|nr|num|nummer|número|numéro|n[°º]|is|ist|was|es|est|id|of|de|"
    r"my|ending){0,8}$"
)
"""Says that what follows is some other number."""

AMOUNT_AFTER: Final = re.compile(
    r"[ ]?(?:%|€|\$|£|¥|°|(?:eur|euro|euros|usd|chf|gbp|dollars?|francs?|km|kg|kwh|mwh|kb|mb|gb|"
    r"bytes|ms|sec|seconds|m²|mm|cm|pounds|stück|units|people|einwohner|habitantes)(?!\w))",
    re.IGNORECASE,
)
"""Says that what stood before was an amount."""
