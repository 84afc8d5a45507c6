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
    r"(?:tele)?fax(?:nummer)?|(?:desk|home|office|work|direct)(?:[ ](?:phone|number|"
    r"line))?[ ]?:|pager|hotline|rufnummer|durchwahl|"
    r"whats?app|sms|call|calling|called|ring|dial|phoned|text(?:[ ]me)?|reach|messages?[ ]to|"
    r"contact(?:[ ](?:me|us|him|her|them))?|answering|registered|anrufen|anruf|angerufen|"
    r"erreich\w{0,8}|llam\w{1,6}|appel\w{0,5}|joindre|joignable|zurückrufen|rückruf\w{0,4}|"
    r"chiam\w{1,6}|recapito|telem[óo]vel|lig(?:ue|ar)|bel(?:t|len)?|"
    r"(?:za)?dzwoni\w{0,3}|pod[ ]numer(?:em)?|(?:nr|numer)[ ]tel(?:efonu|\.)|telefonu?|kom\.|"
    r"komórk\w{1,4}|"
    r"ring(?:e|er)?|volejte|zavolejte|puhelin|soita|telefonszám|hívj\w{1,6}|telefonul|sunați|"
    r"telefonnr|telefonisch|bellen|mobilnummer|"
    r"kontakt|número[ ]de[ ]tel[ée]fono|numéro[ ]de[ ]t[ée]l[ée]phone|t[ée]l|puh|gsm|natel"
)

_PHONE_WORDS_WIDE = (
    r"тел(?:ефон\w{0,2})?|моб(?:ильн\w{2,3})?|звоните|позвоните|факс|τηλ(?:έφωνο)?|κινητό|"
    r"电话|電話|电話|手机|手機|携帯|致电|联系|連絡先|传真|号码|番号|전화(?:번호)?|휴대폰|휴대전화|연락처|핸드폰|"
    r"هاتف|جوال|موبايل|اتصل|رقم|טלפון|נייד|טל'?|फ़?ोन|फोन|मोबाइल|โทร(?:ศัพท์)?|มือถือ"
)

PHONE_BEFORE: Final = re.compile(
    rf"(?:(?<!\w)(?:{_PHONE_WORDS})(?!\w)|(?:{_PHONE_WORDS_WIDE})"
    rf")(?:[ ]?\([a-z ]{{1,10}}\))?[ .:;,=\-/|*]{{0,4}}"
    r"(?:(?:me|us|him|her|them|you|mich|uns|sie|ihn|my|the|is|am|on|at|to|op|ao|allo|under|unter|"
    r"al|au|auf|"
    r"der|die|nummer|number|no|nr|número|numéro|von|from|by|via|via[ ]the|ist|lautet|es|est|"
    r"para|le|la|el|for|number[ ]is|back|phone|mobile)[ .:]{1,2}){0,4}[\s:=\-(\[|*]{0,4}$"
)
"""Ends the text before a telephone number."""

PHONE_GLUED: Final = re.compile(
    r"(?:tel(?:efono?|[eé]phone|efoon)?|tlf|fono?|phone|mob(?:il(?:e|nummer)?)?|m[óo]vil|cell|"
    r"handy|"
    r"fax|gsm|natel|t[ée]l|portable|whats?app|sms|call|ruf|nummer|number)[.:]?$"
)
"""Ends what stands glued in front of a telephone number."""

PHONE_CHAIN: Final = re.compile(
    r"[ ]{0,2}(?:[,;/]|(?:or|oder|ou|o|oppure|of|lub|albo|eller|nebo|и|или|und|and|et|e|y|i|en|och|"
    r"og|bzw\.?|"
    r"sowie|auch)(?!\w))[ ]{0,2}(?:(?:unter|on|at|au|al|allo|alla|op|pod|nr|numer|auf|to|under|"
    r"mobil|"
    r"mobile|fax|tel)[ .:]{1,2}){0,2}"
)
"""What stands between two telephone numbers that are given together."""

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

PHONE_NEVER: Final = re.compile(
    r"(?<!\w)(?:isbn(?:-1[03])?|issn|ean|gtin|doi|icd|din|iso|rfc|art(?:ikel)?\.?-?nr|"
    r"§+)[ .:-]{0,3}$"
)
"""Says that what follows is no telephone number in any form."""

AMOUNT_AFTER: Final = re.compile(
    r"(?:[.,](?:-{1,2}|–|—)(?![0-9])|"
    r"(?:[.,](?:-{1,2}|[0-9]{2}))?[ ]?(?:%|€|\$|£|¥|°|₽|₹|₺|円|元|원|"
    r"(?:zł|pln|kč|czk|kr|sek|nok|dkk|"
    r"huf|ron|rub|cad|aud|eur|euro|euros|usd|chf|gbp|dollars?|francs?|km|kg|kwh|mwh|kb|mb|gb|"
    r"bytes|ms|sec|seconds|m²|mm|cm|pounds|stück|units|people|einwohner|habitantes)(?!\w)))",
    re.IGNORECASE,
)
"""Says that what stood before was an amount."""

TITLES: Final = (
    r"(?:Mr|Dhr|Mevr|Mw|Hr|Fr|Mrs|Ms|Mx|Dr|Prof|Rev|Hon|Sr|Sra|Srta|Mme|Mlle|Sig|Dott|Dra|Ing|Mag|"
    r"Dipl\.?-Ing|"
    r"Capt)\.?|"
    r"M\.|Miss|Sir|Lady|Lord|Madame|Monsieur|Mademoiselle|Herrn?|Frau|Fräulein|Señora?|Señorita|"
    r"Doña|Don|Signora?|Doctor|Doktor|Professor|Professorin|Senhora?|Mevrouw|Meneer|Heer|"
    r"Pani?|Panu|Pana|Panią|Pan[íi]|Fru|Fröken|Rouva|Herra|Bay|Bayan|Gospođa|Gospodin|Maître|Me\."
)
"""Case counts."""

PARTICLES: Final = (
    r"van|von|vom|der|den|de|del|della|di|da|dos|das|du|des|la|le|las|los|el|al|bin|ibn|ben|zu|"
    r"zum|zur|ten|ter|te|y|af|av"
)

CONJUNCTIONS: Final = r"und|and|et|y|e|en|och|og|i"
"""Between two first names of one family: `Max und Anna Weber`."""

GREETINGS: Final = (
    r"dear|hi|hello|hey|good[ ](?:morning|afternoon|evening)|hallo|guten[ ](?:tag|morgen|abend)|"
    r"liebe[rs]?|sehr[ ]geehrte[rs]?|moin|servus|grüß[ ]gott|grüezi|werte[rs]?|estimad[oa]s?|"
    r"querid[oa]s?|hola|buenos[ ]días|buenas[ ]tardes|muy[ ]señor[ ]mío|cher|chère|bonjour|bonsoir|"
    r"salut|gentile|egregio|car[oa]|ciao|buongiorno|beste|geachte|hoi|prezad[oa]|car[oa]|olá|"
    r"kære|kjære|hej|hei|kedves|szanown[aey]|drog[ai]|witam|v[áa]žen[ýáa]|mil[ýáa]|stimat[ăe?]|"
    r"sayın|poštovan[iae]"
)

SIGN_OFFS: Final = (
    r"(?:kind|best|warm|warmest|many|with[ ](?:kind|best|warm))?[ ]?(?:regards|wishes)|"
    r"(?:yours[ ])?(?:sincerely|faithfully|truly|respectfully|cordially)(?:[ ]yours)?|"
    r"(?:many[ ])?thanks(?:[ ](?:and[ ](?:kind[ ]|best[ ])?regards|again|in[ ]advance|a[ ]lot))?|"
    r"thank[ ]you(?:[ ](?:very[ ]much|in[ ]advance))?|cheers|all[ ]the[ ]best|best|take[ ]care|"
    r"(?:mit[ ])?(?:freundlichen|freundliche|besten|beste|herzlichen|herzliche|vielen|viele|"
    r"liebe|lieben|schöne|schönen)[ ](?:grüßen?|grüssen?|gruß|gruss|dank)(?:[ ]aus[ ]\w{1,20})?|"
    r"hochachtungsvoll|mfg|lg|vg|gruß|grüße|danke|vielen[ ]dank(?:[ ]im[ ]voraus)?|"
    r"(?:un[ ])?(?:cordial[ ])?saludos?(?:[ ]cordial(?:es)?)?|atentamente|cordialmente|gracias|"
    r"muchas[ ]gracias|reciba[ ]un[ ]cordial[ ]saludo|cordialement|bien[ ](?:à[ ]vous|"
    r"cordialement)|"
    r"(?:sincères[ ])?salutations(?:[ ]distinguées)?|merci(?:[ ]d'avance)?|"
    r"cordiali[ ]saluti|distinti[ ]saluti|grazie|met[ ]vriendelijke[ ]groeten?|groeten?|"
    r"z[ ](?:poważaniem|wyrazami[ ]szacunku)|pozdrawiam|(?:serdecznie[ ])?pozdrowienia|"
    r"s[ ]pozdravem|s[ ]pozdravom|üdvözlettel|tisztelettel|cu[ ]stimă|"
    r"(?:yst[äa]v[äa]llisin[ ])?terveisin|(?:med[ ])?v[äa]nlig(?:a)?[ ]h[äa]lsning(?:ar)?|"
    r"(?:med[ ])?(?:venlig|vennlig)[ ]hilsen|saygılar(?:ım|ımla)?|s[ ]poštovanjem|lijepi[ ]pozdrav|"
    r"atenciosamente|obrigad[oa]|(?:com[ ]os[ ])?melhores[ ]cumprimentos|atentos[ ]saludos|"
    r"hoogachtend|mvg|veuillez[ ]agréer|bien[ ]cordialement|amicalement|respectueusement|"
    r"in[ ]fede|cordialit[àa]|un[ ]saludo|med[ ]vänliga[ ]hälsningar|hälsningar|mvh|"
    r"signed|i\.[ ]?[av]\.|gez\.|ppa\.|/s/"
)

SELF: Final = (
    r"my[ ]name[ ]is|mein[ ]name[ ]ist|ich[ ]hei(?:ß|ss)e|me[ ]llamo|mi[ ]nombre[ ]es|"
    r"je[ ]m'appelle|mon[ ]nom[ ]est|mi[ ]chiamo|il[ ]mio[ ]nome[ ]è|mijn[ ]naam[ ]is|"
    r"(?:o[ ])?meu[ ]nome[ ]é|chamo-me|me[ ]chamo|nazywam[ ]się|mam[ ]na[ ]imię|jmenuji[ ]se|"
    r"vol[áa]m[ ]sa|jag[ ]heter|jeg[ ]h(?:edder|eter)|mit[ ]navn[ ]er|mitt[ ]na(?:mn|vn)[ ][äe]r|"
    r"nimeni[ ]on|"
    r"mă[ ]numesc|ik[ ]heet|mein[ ]voller[ ]name[ ]lautet|my[ ]full[ ]name[ ]is|ime[ ]mi[ ]je|"
    r"zovem[ ]se|"
    r"ben(?:im)?[ ]adım"
)
"""Nothing but a name follows."""

INTRODUCTIONS: Final = (
    r"i[ ]am|i'm|jestem|jsem|this[ ]is|it[ ]is|ich[ ]bin|hier[ ](?:ist|spricht)|soy|je[ ]suis|sono|"
    r"ik[ ]ben|signed[ ]by|unterzeichnet[ ]von|on[ ]behalf[ ]of|im[ ]auftrag[ ]von|"
    r"appartient[ ]à|gehört|belongs[ ]to|pertenece[ ]a|appartiene[ ]a|behoort[ ](?:toe[ ])?aan|"
    r"należy[ ]do|au[ ]nom[ ]de|a[ ]nombre[ ]de|a[ ]nome[ ]di|op[ ]naam[ ]van|t\.n\.v\.|"
    r"na[ ]nazwisko|"
    r"auf[ ]den[ ]namen|in[ ]the[ ]name[ ]of|em[ ]nome[ ]de|pani|pan|"
    r"mi[ ](?:nombre[ ]completo)[ ]es|"
    r"(?:reported|submitted|caused|driven|filed)[ ]by|gemeldet[ ]von|eingereicht[ ]von|"
    r"verursacht[ ]von|"
    r"(?:gemeld|ingediend|veroorzaakt)[ ]door|(?:denunciato|segnalato|causato)[ ]da|"
    r"(?:comunicado|presentado|causado)[ ]por|(?:déclaré|signalé|causé)[ ]par|"
    r"zgłoszon[aey][ ]przez|"
    r"insured[ ]person|policy-?holder|claimant|attn|c/o|z\.?[ ]?hd\.?|zu[ ]händen"
)

LABELS_PART: Final = (
    r"(?:first|last|middle|given|family|maiden|sur)[ _-]?name|vorname|nachname|familienname|"
    r"geburtsname|zuname|nombres?|apellidos?|pr[ée]nom|nom(?:[ ]de[ ]famille)?|cognome|nome|"
    r"voornaam|achternaam|förnamn|efternamn|nazwisko"
)
"""Labels of a part of a name: one word is enough."""

LABELS_FULL: Final = (
    r"(?:full|contact|customer|client|patient|user|account|holder|insured|your|legal|billing)?"
    r"[ _-]?name(?:[ ](?:des|der|of|of[ ]the|del|de[ ]la|du|van[ ]de)[ ][\w-]{3,20})?|customer|"
    r"client|patient|policy[ -]?holder|insured(?:[ ]person)?|claimant|"
    r"beneficiary|applicant|contact(?:[ ]person)?|driver|owner|tenant|employee|manager|author|"
    r"sender|recipient|from|to|cc|bcc|attn|attention|signed|reply-to|"
    r"kunde|kundin|versicherungsnehmer(?:in)?|versicherte(?:r|[ ]person)?|patient(?:in)?|"
    r"antragsteller(?:in)?|anspruchsteller(?:in)?|ansprechpartner(?:in)?|fahrer(?:in)?|"
    r"halter(?:in)?|"
    r"mieter(?:in)?|kontoinhaber(?:in)?|geschädigte[rn]?|verursacher(?:in)?|zeug(?:e|in)|"
    r"sachbearbeiter(?:in)?|absender|empfänger|von|an|name[ ]und[ ]vorname|"
    r"nombre(?:[ ](?:completo|y[ ]apellidos))?|asegurad[oa]|titular|cliente|paciente|"
    r"solicitante|conductora?|de|para|"
    r"nom[ ](?:complet|et[ ]prénom)|assur[ée]e?|souscripteur|titulaire|bénéficiaire|"
    r"demandeur|conducteur|imię[ ]i[ ]nazwisko|imię|nadawca|odbiorca|"
    r"najemca|ubezpieczon[ya]|klient(?:ka)?|jméno|jm[ée]no[ ]a[ ]příjmení|ime[ ]i[ ]prezime|"
    r"adı[ ]soyadı|namn|navn|nimi|nume|név|locataire|inquilino|conduttore|huurder|nachbar(?:in)?|"
    r"intestatario|assicurato|richiedente|naam|verzekerde"
)
"""Labels of a whole name."""

NOT_NAMES: Final = frozenset(
    """
    team sir madam customer customers client clients support service services claims claim
    department dept office all everyone everybody colleague colleagues friend friends folks guys
    there insurance insurances company bank group inc ltd llc plc corp gmbh ag kg ohg se sa srl bv
    nv co versicherung versicherungen versicherungs versicherer damen herren kollegen kolleginnen
    kunde kundin kunden kundenservice kundendienst schadenabteilung abteilung mitarbeiter
    mitarbeiterin zusammen freunde señores señoras equipo cliente clientes amigos mesdames
    messieurs équipe client clients hiring manager human resources sales marketing board committee
    editor president chair chairman director secretary administrator admin webmaster postmaster
    user users the we i you he she it they this that these those please thank thanks regards best
    kind sincerely yours dear hello hi if when what where who how why and or but for with from
    your our my his her their is are was re fwd aw wg sent subject date to cc bcc phone tel fax
    mobile email mail website www address street road avenue monday tuesday wednesday thursday
    friday saturday sunday january february march april june july august september october
    november december montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar
    märz mai juni juli oktober dezember ich wir sie er es du ihr der die das ein eine bitte danke
    vielen mit und oder aber zu zur zum el la los las un una nosotros usted ustedes gracias le les
    nous vous je merci of new not no yes none null true false unknown
    """.split()  # noqa: SIM905 - a list of words reads better in lines
)
"""Words, lower-cased, that end a name or are none."""

NO_PERSON: Final = frozenset(
    """
    mieter mieterin nachbar nachbarin kollege kollegin kunde kundin zeuge zeugin fahrer fahrerin
    herr frau vermieter vermieterin eigentümer eigentümerin versicherungsnehmer unser unsere
    mein meine ihr ihre der die das hotel restaurant firma schule kirche hospital klinik praxis
    kanzlei büro straße street avenue haus wohnung zentrale filiale adresse anschrift absender
    empfänger tenant neighbour neighbor driver owner witness our my his her their the via ul al
    office store shop school university college station airport library museum court house
    building floor headquarters server host mailer daemon system subsystem delivery status
    notification gateway postmaster newsletter info kontakt contact noreply no-reply reply
    rückfragen fragen auskunft hilfe help oggetto asunto betreff objet telefon telefono teléfono
    mobil handy fax email e-mail mail universität bank sparkasse amt finanzamt rathaus gemeinde
    stadt city county state department corporation corp company foundation society institute
    ministry association council limited committee verein stiftung verlag mailbox full quota
    exceeded access denied error message street-address postfach po box locataire voisin voisine
    inquilino inquilina vecino vecina huurder buurman buurvrouw najemca sąsiad il la el le
    signor signora señor señora
    """.split()  # noqa: SIM905 - a list of words reads better in lines
)
"""Words in front of an address or telephone number that are no part of a person's name."""
