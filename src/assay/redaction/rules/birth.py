"""Birth dates, behind a word that says so.

In      a view
Out     ranges for class ID_CODE
Pure    yes, linear: what follows a word is judged within a fixed distance
Spec    interfaces.md, "Redaction": birth dates behind a word that says so; a plain date stays

The range is the date alone. A month may be any word where day and year stand beside it, so that
its language does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from assay.redaction.view import Range, View, compile_narrow

# Letters beyond Latin-1 are `?` to a narrow pattern.
_WORDS = compile_narrow(
    r"(?i)\b(?:geboortedatum|geboortedag|geb(?:\.?[ ]?-?[ ]?(?:dat|tag)(?:um|\.)?|\.|"
    r"oren(?:e[rn]?)?|urtsdat(?:um|\.)|urtstag|"
    r"dat(?:um|\.)?)?|"
    r"born|birth[ _-]?da(?:te|y)s?|b-?day|dates?[ _-]?of[ _-]?birth|d\.?o\.?b\.?|"
    r"n\xe9\(?e?\)?|(?:date[ ]de[ ])?naissance|"
    r"nacid[oa]|nac\xed|naci\xf3|(?:fecha[ ]de[ ])?nacimiento|f\.?[ ]?nac\.?|"
    r"nat[oa](?:/[ao])?|(?:data[ ]di[ ])?nascita|nascid[oa]|nasci|nasceu|"
    r"(?:data[ ]de[ ])?nascimento|"
    r"ur\.|b\.|urodz(?:on[yae?]|i[?](?:am)?)(?:[ ]si[?])?|(?:data[ ])?urodzenia|urodziny|"
    r"f(?:\xf6dd|\xf8dt|\xf8dd)|f\xf8dselsdato|f\xf6delsedatum|f\xf8dselsdag|"
    r"syntynyt|syntym\xe4aika|naroze(?:n[\xe1a\xfdy]?|n\xed)|datum[ ]naro(?:zen\xed|denia)|"
    r"sz\xfclet(?:ett|\xe9si[ ](?:id[?]|d\xe1tum)|\xe9s)|n[?]scut[?]?|data[ ]na[?]terii|"
    r"do[?]um[ ]tarihi|ro[?]en[ao]?|datum[ ]ro[?]enja|s\xfcnniaeg|gimimo[ ]data|dzim[?]anas)"
)
_WIDE: Final = re.compile(
    r"дата[ ]рождени\w|родил(?:ся|ась)|г\.[ ]?р\.|рожд\.|дата[ ]народження|народи(?:вся|лася)|"
    r"роден[а]?|ημερομηνία[ ]γέννησης|γεννήθηκ\w|生年月日|出生日期|出生年月日?|生日|誕生日|生まれ|"
    r"생년월일|생일|تاريخ[ ](?:ال)?ميلاد\w?|مواليد|תאריך[ ]לידה|ת\.[ ]?לידה|נולד[הת]?י?|"
    r"जन्म[ ]?(?:तिथि|दिनांक|तारीख)|วันเกิด"
)
_GAP: Final = re.compile(
    r"(?:[ \t:=.,\"'*-]|\r?\n(?=[ \t]*[0-9])|\([^()\n\x00]{1,20}\)|/[ ]?-?[^\W\d_]{1,12}|"
    r"(?:is|was|ist|war|lautet|es|est|è|é|jest|on|the|der|am|op|le|el|il|em|den|dne|dnia|w|"
    r"days?|um|date|datum)(?![\w]))"
    r"{0,7}"
)
_PLACE: Final = re.compile(
    r"[ ](?:in|à|a|en|w|we|te|em|zu|at|i|v|ve)[ ]{1,2}[^\W\d_a-z][\w'.-]{1,30}"
    r"(?:[ -][^\W\d_a-z][\w'.-]{1,30}){0,2},?(?=[ ])"
)
_MAIDEN: Final = ("née", "geb", "born")
_BORN_NAME: Final = re.compile(r"[ ][^\W\d_a-z][\w'-]{1,24},?(?=[ ])")
_BEFORE_WORD: Final = re.compile(
    r"((?:(?:1[89]|20)[0-9]{2}|(?:明治|大正|昭和|平成|令和)[ ]?(?:[0-9]{1,2}|元))年[ ]?[0-9]{1,2}月"
    r"[ ]?[0-9]{1,2}日)(?=[ ]?(?:生|出生))"
)
_YEAR: Final = r"(?:1[89]|20)[0-9]{2}(?![0-9])"
_ANY_MONTH: Final = r"[^\W\d_]{3,14}"
_MONTH: Final = (
    r"(?i:jan(?:uary|uar|vier)?|jän(?:ner)?|feb(?:ruary|ruar)?|f[ée]vr(?:ier)?|mar(?:ch|s|zo)?|"
    r"märz|"
    r"apr(?:il)?|avril|abril|aprile|ma[iy]|mayo|maggio|june?i?|juin|junio|giugno|jul[yi]?|juillet|"
    r"julio|luglio|aug(?:ust)?|août|agosto|sep(?:t(?:ember|embre)?)?|septiembre|settembre|"
    r"o[ck]t(?:ober|obre)?|octubre|ottobre|nov(?:ember|embre|iembre)?|de[cz](?:ember)?|décembre|"
    r"diciembre|dicembre)(?![\w])"
)
_DATE: Final = re.compile(
    rf"[0-9]{{1,2}}-{_ANY_MONTH}-(?:{_YEAR}|[0-9]{{2}}(?![0-9]))|"
    rf"{_YEAR}[ ]?[-/.][ ]?[0-9]{{1,2}}[ ]?[-/.][ ]?[0-9]{{1,2}}(?![0-9])|"
    rf"(?:1[89]|20)[0-9]{{2}}[ ]?[年년][ ]?[0-9]{{1,2}}[ ]?[月월][ ]?[0-9]{{1,2}}[ ]?[日일]?|"
    r"[0-9]{1,2}[ ]?([-/.])[ ]?[0-9]{1,2}[ ]?\1[ ]?(?:(?:1[89]|20)[0-9]{2}|[0-9]{2})(?![0-9])|"
    r"(?:(?:1[89]|20)[0-9]{6}|[0-3][0-9][01][0-9](?:19|20)[0-9]{2})(?![0-9])|"
    rf"[0-9]{{1,2}}(?:\.|st|nd|rd|th|er|[ºo])?[ ](?:of[ ]|de[ ]|d'|dne[ ])?{_ANY_MONTH}\.?,?[ ]"
    rf"(?:de[ ]|del[ ])?{_YEAR}|"
    rf"[0-9]{{1,2}}(?:\.|st|nd|rd|th|er)?[- ](?:of[ ]|"
    rf"de[ ])?{_MONTH}(?:[- .]{{1,2}}'?[0-9]{{2}}(?![0-9]))?|"
    rf"{_ANY_MONTH}\.?[ ][0-9]{{1,2}}(?:st|nd|rd|th)?,?[ ]{_YEAR}|"
    rf"{_MONTH}\.?[ ][0-9]{{1,2}}(?:st|nd|rd|th)?(?![\w:.,]?[0-9])|"
    rf"[0-9]{{1,2}}[ .]{{1,2}}[IVX]{{1,4}}[ .]{{1,2}}{_YEAR}"
)
_STAR = compile_narrow(r"(?:\A|[ (,;]|\n)\*[ ]?[0-9]{1,2}\.[ ]?[0-9]{1,2}\.[ ]?[0-9]{2,4}")
_FURTHEST: Final = 60


def find_birth_dates(view: View) -> Iterator[Range]:
    """Birth dates, in no order."""
    text = view.text
    for match in view.find(_WORDS):
        if text[match.start() : match.end()] != "NATO":
            label = text[match.start() : match.end()].lower()
            yield from _date_behind(text, match.end(), maiden=label.startswith(_MAIDEN))
    if view.has_other_scripts:
        for found in _WIDE.finditer(text):
            yield from _date_behind(text, found.end())
        yield from (found.span() for found in _BEFORE_WORD.finditer(text))
    for match in view.find(_STAR):
        yield from _date_with_star(text, *match.span())


def _date_behind(text: str, at: int, *, maiden: bool = False) -> Iterator[Range]:
    """The date behind the word that ends at *at*; a place may stand between.

    Args:
        maiden: Whether a family name may stand there, too.
    """
    if at < len(text) and text[at].isalpha() and text[at] < "\u0370":
        return
    limit = min(len(text), at + _FURTHEST)
    for between in (None, _PLACE, _BORN_NAME if maiden else None):
        placed = between.match(text, at, limit) if between else None
        gap = _GAP.match(text, placed.end() if placed else at, limit)
        date = _DATE.match(text, gap.end()) if gap else None
        if date:
            yield date.span()
            return


def _date_with_star(text: str, start: int, stop: int) -> Iterator[Range]:
    """`*12.04.1985`, but no bullet of a list and nothing in bold."""
    begin = text.index("*", start) + 1
    spaced = text[begin] == " "
    bullet = spaced and text[start] not in "(,;"
    if not bullet and text[stop : stop + 1] != "*" and not text[stop : stop + 1].isalnum():
        yield begin + spaced, stop
