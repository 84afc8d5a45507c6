"""Phrases in which an answer talks of itself, its sources as such, or its reasoning.

In      nothing
Out     expressions: by family, in English, German, Spanish, French, Italian and Portuguese
Pure    data only
Spec    004 P5; 005-A5; interfaces.md, "Answers"

The families differ in what excuses them: talk of oneself is a quotation or a fault; a report ("the
sources say") must stand in the chunk as it stands in the answer; a topic (a prompt, a passage) must
be one that the chunk speaks of.
"""

from __future__ import annotations

import re
from typing import Final


def _compile_either(*parts: str, multiline: bool = False) -> re.Pattern[str]:
    flags = re.IGNORECASE | (re.MULTILINE if multiline else re.NOFLAG)
    return re.compile("|".join(parts), flags)


_SOURCES = (
    r"(?:context|sources?|documents?|passages?|excerpts?|texts?|snippets?|chunks?|evidence|"
    r"information|material)"
)
_FRAGMENTS = r"(?:passages?|excerpts?|snippets?|chunks?|search\s+results)"
_NOT_BY = (
    r"(?!\s+(?:by|to|for|with|on|at|under|in|from|von|durch|an|por|a|en|par|pour|da|dal|dalla|per|"
    r"pelo|pela|para)\b)"
)
_SAY = r"(?:say|state|mention|indicate|tell|specify|cover|address|contain)"
_FR_SOURCES = (
    r"(?:contexte|sources?|documents?|textes?|passages?|extraits?|fragments?|informations?)"
)
_IT_SOURCES = (
    r"(?:contesto|font[ei]|document[oi]|test[oi]|passagg[io]|estratt[oi]|frammenti?|informazioni)"
)
_PT_SOURCES = (
    r"(?:contexto|fontes?|documentos?|textos?|passagens|passagem|trechos?|fragmentos?|"
    r"informaç(?:ão|ões))"
)

SELF: Final = _compile_either(
    r"\bmy\s+search\s+results\b|\bmy\s+instructions\b",
    r"\b(?:as|i\s+am|i'm)\s+an?\s+(?:ai|artificial\s+intelligence|(?:large\s+)?language\s+model)\b",
    r"\bmy\s+(?:training(?:\s+data)?|knowledge\s+cut-?off)\b",
    r"\bi\s+(?:was|have\s+been)\s+(?:given|provided|instructed|asked|told)\b",
    r"\bi\s+(?:cannot|can't|can\s+not|could\s+not|couldn't)\s+(?:find|answer|see|provide|determine|"
    r"locate)\b",
    r"\bmeine[rn]?\s+anweisungen\b|\bich\s+(?:kann|konnte)\s+(?:\w+\s+){0,4}nicht\s+(?:finden|"
    r"beantworten|feststellen)\b",
    r"\b(?:als|ich\s+bin)\s+(?:eine?\s+)?(?:ki|künstliche\s+intelligenz|sprachmodell)\b",
    r"\bmis\s+instrucciones\b|\bno\s+(?:puedo|pude|he\s+podido)\s+(?:encontrar|responder|determinar)\b",
    r"\b(?:como|soy)\s+(?:una?\s+)?(?:ia|inteligencia\s+artificial|modelo\s+de\s+lenguaje)\b",
    r"\bmes\s+instructions\b|\bje\s+ne\s+(?:peux|puis)\s+pas\s+(?:trouver|répondre|déterminer)\b",
    r"\b(?:en\s+tant\s+qu['e]\s?|je\s+suis\s+)(?:une?\s+)?(?:ia|intelligence\s+artificielle|modèle\s+"
    r"de\s+langage)\b",
    r"\ble\s+mie\s+istruzioni\b|\bnon\s+(?:posso|riesco\s+a)\s+(?:trovare|rispondere|determinare)\b",
    r"\b(?:come|sono)\s+(?:una?\s+|un')?(?:ia|intelligenza\s+artificiale|modello\s+linguistico)\b",
    r"\bminhas\s+instruções\b|\bnão\s+(?:posso|consigo)\s+(?:encontrar|responder|determinar)\b",
    r"\b(?:como|sou)\s+(?:uma?\s+)?(?:ia|inteligência\s+artificial|modelo\s+de\s+linguagem)\b",
)
"""Talk of oneself."""

REPORT: Final = _compile_either(
    # English
    rf"\b{_SOURCES}\s+(?:(?:that|which)\s+(?:was|were|is|are)\s+)?(?:given|provided)\s+"
    r"(?:to\s+me|above|here)\b",
    r"\b(?:according\s+to|based\s+on|per)\s+(?:the|these|this|my|your)\s+"
    r"(?:context|sources|evidence)\b(?!\s+(?:of|for|in|to|from|on|between)\b)",
    rf"\bthe\s+(?:context|sources)\s+(?:(?:do(?:es)?\s+not|doesn't|don't)\s+\w+|{_SAY}s?\b|"
    r"provides?\s+(?:no|information|details)\b|(?:describe|suggest)s?\s+that\b)",
    # German
    r"\b(?:laut|gemäß|nach|aus)\s+(?:dem|den|der|diesem|diesen)\s+(?:kontext|quellen|"
    r"textauszügen|textstellen|suchergebnissen|belegen)\b(?!\s+(?:der|des|von|für)\b)",
    r"\b(?:laut|gemäß)\s+kontext\b",
    r"\bdie\s+quellen\s+(?:sagen|nennen|erwähnen|enthalten|geben\s+an)\b",
    # Spanish, French, Italian, Portuguese
    r"\bsegún\s+(?:el|los|las)\s+(?:contexto|fuentes|pasajes?|fragmentos?)\b(?!\s+de\b)",
    r"\b(?:selon|d'après)\s+(?:le|les|ces?|ce)\s+(?:contexte|sources|passages?|extraits?)\b"
    r"(?!\s+d(?:e|u|es|')\b)",
    r"\b(?:secondo|in\s+base\s+a(?:l|lle|i|gli)?)\s+(?:il|le|i|gli)?\s*(?:contesto|fonti|passaggi|"
    r"estratti)\b(?!\s+d(?:i|el|ella|elle|ei)\b)",
    r"\b(?:segundo|conforme|de\s+acordo\s+com)\s+(?:o|as|os)\s+(?:contexto|fontes|passagens|trechos)\b"
    r"(?!\s+d[aoe]s?\b)",
)
"""What one says the sources say."""

TOPIC: Final = _compile_either(
    # English
    rf"\b(?:the|these|this)\s+(?:provided|given|supplied|retrieved|above|cited)\s+{_SOURCES}\b",
    rf"\b{_SOURCES}\s+(?:(?:that|which)\s+(?:was|were|is|are)\s+|as\s+)?"
    rf"(?:provided|supplied|retrieved)\b{_NOT_BY}",
    rf"\b(?:the|these|those)\s+{_FRAGMENTS}\b",
    r"\bthe\s+sources\s+(?:provide|describe|suggest)s?\b",
    r"\bpassage\s+id\b",
    r"\b(?:the|this|my|your|system)\s+prompt\b(?!\s+[a-z]+(?:ment|ly|se|on)\b)",
    r"\b(?:the\s+system|system)\s+instructions\b",
    # German
    r"\b(?:de[rmn]|die|das|diese[rmns]?)\s+(?:bereitgestellten?|vorliegenden?|gegebenen?|"
    r"angegebenen?|obigen?|zitierten?|gelieferten?)\s+(?:kontext|quellen?|texte?n?|"
    r"textstellen?|abschnitte?n?|auszügen?|informationen|belege?n?)\b",
    r"\b(?:der|dem|den|dieser|diesem)\s+prompt\b|\bim\s+prompt\b",
    # Spanish
    r"\b(?:el|los|las|del|la)\s+(?:contexto|fuentes?|documentos?|textos?|pasajes?|fragmentos?|"
    rf"información|evidencias?)\s+(?:proporcionad|facilitad|suministrad|citad)[oa]s?\b{_NOT_BY}",
    r"\b(?:el|del|este)\s+prompt\b",
    # French
    rf"\b(?:les?|la|l'|du|des|ces?|aux?)\s?{_FR_SOURCES}\s+(?:fourni|donné|cité|récupéré)e?s?\b"
    rf"{_NOT_BY}",
    r"\b(?:le|du|ce|mon|votre)\s+prompt\b",
    # Italian
    rf"\b(?:il|lo|la|le|l'|gli|i|del|dei|delle|nel|nelle|al|alle)\s?{_IT_SOURCES}\s+"
    rf"(?:fornit|dat|citat|recuperat)[oaie]\b{_NOT_BY}",
    r"\b(?:il|del|nel|questo)\s+prompt\b",
    # Portuguese
    rf"\b(?:[oa]s?|d[oa]s?|n[oa]s?|ao?s?)\s+{_PT_SOURCES}\s+(?:fornecid|dad|citad|recuperad)[oa]s?\b"
    rf"{_NOT_BY}",
    r"\b(?:o|do|no|este)\s+prompt\b",
)
"""A thing of the set-up, which may be the subject of a chunk."""

LEAD: Final = re.compile(
    r"\b(?:according\s+to|based\s+(?:up)?on|per|in\s+view\s+of|as\s+(?:\w+\s+)?(?:in|by)|laut|gemäß|"
    r"nach|zufolge|según|de\s+acuerdo\s+con|basado\s+en|selon|d'après|secondo|in\s+base\s+a\w{0,4}|"
    r"segundo|conforme|de\s+acordo\s+com|com\s+base\s+n?[oae]\w?)\s*\Z",
    re.IGNORECASE,
)
"""Before a topic it makes a report of it."""

TAIL: Final = re.compile(
    rf"\s+(?:(?:do(?:es)?\s+not|doesn't|don't)\s+\w+|{_SAY}s?\b|provides?\s+(?:no|information|details)"
    r"\b|sag(?:t|en)\b|besag(?:t|en)\b|nenn(?:t|en)\b|erwähn(?:t|en)\b|enthält\b|enthalten\b|"
    r"(?:no\s+)?(?:dicen?|mencionan?|indican?|afirman?|contienen?)\b|"
    r"(?:ne\s+)?(?:dit|disent|mentionnent?|indiquent?|contien(?:t|nent))\b|"
    r"(?:non\s+)?(?:dicono|menzionano?|indicano|affermano?|contengono)\b|"
    r"(?:não\s+)?(?:diz|dizem|mencionam?|indicam?|afirmam?|contêm)\b)",
    re.IGNORECASE,
)
"""Behind a topic it makes a report of it."""

_TAGS = (
    r"(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|inner_?monologue|cot|"
    r"chain_of_thought)"
)
TAG: Final = re.compile(
    rf"</?\s*{_TAGS}\b[^>\n]{{0,80}}>?|<\|[^|>\n]{{1,40}}\|>|\[/?{_TAGS}\]", re.IGNORECASE
)
"""Tags around a trace of reasoning."""

METHOD: Final = _compile_either(
    r"\bthink(?:ing)?\s+step[\s-]by[\s-]step\b|\bstep[\s-]by[\s-]step\s+(?:reasoning|thinking)\b",
    r"\bchain[\s-]of[\s-]thought\b",
    r"\bschritt\s+für\s+schritt\s+(?:denken|überlegen|nachdenken)\b",
)
"""Ways of reasoning by name, of which a chunk may speak."""

ALOUD: Final = _compile_either(
    r"^[ \t*_#>-]{0,40}(?:step|schritt|paso|étape|passo)\s+\d{1,2}\s*[:.)-]\s*(?:think|reason|"
    r"analy[sz]e|consider|denk|überleg|analysier|piens|razon|réfléch|raisonn|analiz|pens|ragion|racioc)\w*",
    # English
    r"\blet(?:'|\s+u)s\s+(?:think|reason|analy[sz]e|break|consider|work|go\s+through|start|look|see)\b",
    r"\blet\s+me\s+(?:think|reason|analy[sz]e|check|see|consider|break|look|review|re-?read|start|"
    r"work|verify)\b",
    r"\b(?:okay|ok|alright|hmm|well|wait),?\s+(?:so\s+)?(?:the\s+(?:user|question)|let|"
    r"i\s+(?:need|should|have))\b",
    r"\bthe\s+user\s+(?:is\s+asking|asks|asked|wants|is\s+looking)\b",
    r"\b(?:first|now|next),?\s+i\s+(?:need|have|should|must|will|'ll)\b",
    r"\bi\s+(?:need|have|should)\s+to\s+(?:find|check|answer|determine|look|figure|think|"
    r"identify|cite)\b",
    r"^[ \t*_#>-]{0,40}(?:(?:my\s+)?reasoning|thoughts?|thought\s+process|thinking|scratchpad|"
    r"final\s+answer|gedankengang|überlegung(?:en)?|endgültige\s+antwort|razonamiento|"
    r"pensamiento|respuesta\s+final|raisonnement|réflexion|réponse\s+finale|ragionamento|"
    r"risposta\s+finale|raciocínio|resposta\s+final)[\s*_]*:",
    # German
    r"\b(?:denken|gehen|überlegen)\s+wir\b[^.\n]{0,40}\bschritt\s+für\s+schritt\b",
    r"\b(?:lass|lassen\s+sie)\s+(?:mich|uns)\s+(?:\w+\s+){0,3}(?:überlegen|nachdenken|prüfen|"
    r"analysieren)\b",
    r"\bder\s+(?:nutzer|benutzer|anwender)\s+(?:fragt|möchte\s+wissen|will\s+wissen)\b",
    # Spanish, French, Italian, Portuguese
    r"\b(?:pensemos|razonemos|analicemos|vamos\s+a\s+pensar)\b",
    r"\bdéjame\s+(?:pensar|analizar|ver|comprobar)\b|\bel\s+usuario\s+(?:pregunta|quiere\s+saber)\b",
    r"\b(?:réfléchissons|raisonnons|analysons)\b|\blaisse(?:z)?-moi\s+(?:réfléchir|analyser|vérifier)\b",
    r"\bl'utilisateur\s+(?:demande|veut\s+savoir)\b",
    r"\b(?:pensiamo|ragioniamo|analizziamo)\b|\bfammi\s+(?:pensare|analizzare|verificare)\b",
    r"\bl'utente\s+(?:chiede|vuole\s+sapere)\b",
    r"\b(?:pensemos|raciocinemos|analisemos)\b|\bdeixe-me\s+(?:pensar|analisar|verificar)\b",
    r"\bo\s+(?:usuário|utilizador)\s+(?:pergunta|quer\s+saber)\b",
    multiline=True,
)
"""Reasoning aloud."""
