"""What an answer must not say about itself: ids, its sources as such, its reasoning, a refusal
in other words.

In      an answer; the ids of the evidence; the frozen refusal
Out     findings
Pure    yes; linear in the answer
Spec    004 P5, R5 "refusal exact match"; interfaces.md, "Answers"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final
from unicodedata import normalize

from assay.answers.gate.citations import without_markers
from assay.core.text.folding import marks_in_order
from assay.gate.gate import Finding

_FIELD = re.compile(
    r"\b(?:chunk|knowledge)[_ ]ids?\b|\bsource_reference\b|\bsimilarity_score\b", re.IGNORECASE
)
_EVIDENCE = re.compile(r"(?<!\w)Evidence(?!\w)")

_SOURCES = (
    r"(?:context|sources?|documents?|passages?|excerpts?|texts?|snippets?|chunks?|evidence|"
    r"information|material)"
)
_FRAGMENTS = r"(?:passages?|excerpts?|snippets?|chunks?|search\s+results)"
_NOT_BY = r"(?!\s+(?:by|to|for|with|on|at|under|in|von|durch|an|por|a|en)\b)"
_META: Final = re.compile(
    "|".join(
        (
            # English
            rf"\b(?:the|these|this)\s+(?:provided|given|supplied|retrieved|above|cited)\s+{_SOURCES}\b",
            rf"\b{_SOURCES}\s+(?:(?:that|which)\s+(?:was|were|is|are)\s+|as\s+)?"
            rf"(?:provided|supplied|retrieved)\b{_NOT_BY}",
            rf"\b{_SOURCES}\s+(?:(?:that|which)\s+(?:was|were|is|are)\s+)?(?:given|provided)\s+"
            r"(?:to\s+me|above|here)\b",
            rf"\b(?:the|these|those)\s+{_FRAGMENTS}\b|\bmy\s+search\s+results\b",
            r"\b(?:according\s+to|based\s+on|per)\s+(?:the|these|this|my|your)\s+"
            r"(?:context|sources|evidence)\b(?!\s+(?:of|for|in|to|from|on|between)\b)",
            r"\bthe\s+(?:context|sources)\s+(?:do(?:es)?\s+not|doesn't|don't|says?|states?|"
            r"mentions?|indicates?|provides?|describes?|suggests?)\b",
            r"\bpassage\s+id\b",
            r"\b(?:the|this|my|your|system)\s+prompt\b(?!\s+[a-z]+(?:ment|ly|se|on)\b)",
            r"\b(?:my|the\s+system|system)\s+instructions\b",
            r"\b(?:as|i\s+am|i'm)\s+an?\s+(?:ai|artificial\s+intelligence|(?:large\s+)?language\s+model)\b",
            r"\bmy\s+(?:training(?:\s+data)?|knowledge\s+cut-?off)\b",
            r"\bi\s+(?:was|have\s+been)\s+(?:given|provided|instructed|asked|told)\b",
            r"\bi\s+(?:cannot|can't|can\s+not|could\s+not|couldn't)\s+(?:find|answer|see|provide|"
            r"determine|locate)\b",
            # German
            r"\b(?:de[rmn]|die|das|diese[rmns]?)\s+(?:bereitgestellten?|vorliegenden?|gegebenen?|"
            r"angegebenen?|obigen?|zitierten?|gelieferten?)\s+(?:kontext|quellen?|texte?n?|"
            r"textstellen?|abschnitte?n?|auszügen?|informationen|belege?n?)\b",
            r"\b(?:laut|gemäß|nach|aus)\s+(?:dem|den|der|diesem|diesen)\s+(?:kontext|quellen|"
            r"textauszügen|textstellen|suchergebnissen|belegen)\b(?!\s+(?:der|des|von|für)\b)",
            r"\b(?:laut|gemäß)\s+kontext\b",
            r"\b(?:der|dem|den|dieser|diesem)\s+prompt\b|\bim\s+prompt\b|\bmeine[rn]?\s+anweisungen\b",
            r"\b(?:als|ich\s+bin)\s+(?:eine?\s+)?(?:ki|künstliche\s+intelligenz|sprachmodell)\b",
            # Spanish
            r"\b(?:el|los|las|del|la)\s+(?:contexto|fuentes?|documentos?|textos?|pasajes?|"
            rf"fragmentos?|información|evidencias?)\s+(?:proporcionad|facilitad|suministrad|citad)[oa]s?\b{_NOT_BY}",
            r"\bsegún\s+(?:el|los|las)\s+(?:contexto|fuentes|pasajes?|fragmentos?)\b(?!\s+de\b)",
            r"\b(?:el|del|este)\s+prompt\b|\bmis\s+instrucciones\b",
            r"\b(?:como|soy)\s+(?:una?\s+)?(?:ia|inteligencia\s+artificial|modelo\s+de\s+lenguaje)\b",
        )
    ),
    re.IGNORECASE,
)

_TAGS = (
    r"(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|inner_?monologue|cot|"
    r"chain_of_thought)"
)
_TRACE: Final = re.compile(
    "|".join(
        (
            rf"</?\s*{_TAGS}\b[^>\n]{{0,80}}>?|<\|[^|>\n]{{1,40}}\|>|\[/?{_TAGS}\]",
            # English
            r"\blet(?:'|\s+u)s\s+(?:think|reason|analy[sz]e|break|consider|work|go\s+through|start|"
            r"look|see)\b",
            r"\blet\s+me\s+(?:think|reason|analy[sz]e|check|see|consider|break|look|review|re-?read|"
            r"start|work|verify)\b",
            r"\bthink(?:ing)?\s+step[\s-]by[\s-]step\b|\bstep[\s-]by[\s-]step\s+(?:reasoning|thinking)\b",
            r"\bchain[\s-]of[\s-]thought\b",
            r"\b(?:okay|ok|alright|hmm|well|wait),?\s+(?:so\s+)?(?:the\s+(?:user|question)|let|"
            r"i\s+(?:need|should|have))\b",
            r"\bthe\s+user\s+(?:is\s+asking|asks|asked|wants|is\s+looking)\b",
            r"\b(?:first|now|next),?\s+i\s+(?:need|have|should|must|will|'ll)\b",
            r"\bi\s+(?:need|have|should)\s+to\s+(?:find|check|answer|determine|look|figure|think|"
            r"identify|cite)\b",
            r"^[\s*_#>-]*(?:(?:my\s+)?reasoning|thoughts?|thought\s+process|thinking|scratchpad|"
            r"final\s+answer|gedankengang|überlegung(?:en)?|endgültige\s+antwort|razonamiento|"
            r"pensamiento|respuesta\s+final)[\s*_]*:",
            # German
            r"\b(?:denken|gehen|überlegen)\s+wir\b[^.\n]{0,40}\bschritt\s+für\s+schritt\b",
            r"\bschritt\s+für\s+schritt\s+(?:denken|überlegen|nachdenken)\b",
            r"\b(?:lass|lassen\s+sie)\s+(?:mich|uns)\s+(?:\w+\s+){0,3}(?:überlegen|nachdenken|prüfen|"
            r"analysieren)\b",
            r"\bder\s+(?:nutzer|benutzer|anwender)\s+(?:fragt|möchte\s+wissen|will\s+wissen)\b",
            # Spanish
            r"\b(?:pensemos|razonemos|analicemos|vamos\s+a\s+pensar)\b",
            r"\bdéjame\s+(?:pensar|analizar|ver|comprobar)\b",
            r"\bel\s+usuario\s+(?:pregunta|quiere\s+saber)\b",
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)

_APOSTROPHES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'"})
_REFUSAL_CODE = re.compile(r"no[\s_-]*evidence\s*[:.]|(?<![^\W_])no_+evidence(?!\w)", re.IGNORECASE)
_SQUASH = re.compile(r"[\W_]+")


def refusal_place(text: str, refusal: str) -> tuple[int, int] | None:
    """Where *text* refuses in words like those of *refusal*; None if it does not.

    Meant for texts that are not the refusal itself: the exact string within an answer, and the
    string with another case, punctuation or white space.
    """
    match = _REFUSAL_CODE.search(text)
    if match is not None:
        return match.start(), len(text)
    sentence = refusal.partition(": ")[2]
    place = text.find(sentence)
    if place >= 0:
        return place, place + len(sentence)
    if _squash(sentence) in _squash(text):
        return 0, len(text)
    return None


def _squash(text: str) -> str:
    return _SQUASH.sub("", normalize("NFKC", marks_in_order(text))).casefold()


def check_metadata(text: str, ids: Iterable[str]) -> Iterator[Finding]:
    """Ids of the evidence as whole words, and the names of its fields.

    Args:
        text: The answer.
        ids: Chunk ids and knowledge ids of the selected evidence.

    Spec: 004 P5; interfaces.md, "Answers".
    """
    bare = without_markers(text)
    folded = bare.casefold()
    same_length = len(folded) == len(bare)
    for name in dict.fromkeys(ids):
        # An id with digits or signs is no word of a language: its case does not matter.
        loose = same_length and not name.isalpha()
        for start in _whole_words(folded if loose else bare, name.casefold() if loose else name):
            yield _reject(
                "answer.metadata", start, start + len(name), "shows an id of the evidence"
            )
    for match in _FIELD.finditer(bare):
        yield _reject("answer.metadata", *match.span(), "names a field of the evidence")


def _whole_words(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        stop = at + len(word)
        free = not (at and _wordy(text[at - 1]) and _wordy(word[0]))
        if free and not (stop < len(text) and _wordy(text[stop]) and _wordy(word[-1])):
            yield at
        at = text.find(word, at + 1)


def _wordy(char: str) -> bool:
    return char.isalnum() or char == "_"


def check_commentary(text: str) -> Iterator[Finding]:
    """Talk of the evidence, the prompt or the system, and reasoning traces.

    Spec: 004 P5; interfaces.md, "Answers".
    """
    for match in _EVIDENCE.finditer(text):
        yield _reject("answer.meta_commentary", *match.span(), "names the evidence as such")
    plain = text.translate(_APOSTROPHES)
    for match in _META.finditer(plain):
        yield _reject(
            "answer.meta_commentary", *match.span(), "talks of prompt, context or sources"
        )
    for match in _TRACE.finditer(plain):
        yield _reject("answer.reasoning_trace", *match.span(), "shows its reasoning")


def _reject(code: str, start: int, stop: int, message: str) -> Finding:
    return Finding(code=code, start=start, stop=stop, message=message)
