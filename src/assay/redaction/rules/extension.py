"""Extensions that stand without the number they belong to.

In      a view
Out     ranges for class PHONE
Pure    yes, linear
Spec    interfaces.md, "Redaction": PHONE

Few digits say little by themselves: the word before them must be one for an extension, and what
follows must be no unit, year or further number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from assay.redaction.rules.words import AMOUNT_AFTER
from assay.redaction.view import Range, View, compile_narrow

_WORDS = compile_narrow(
    r"(?i)\b(?:(durchwahl(?:nummer|nr\.?)?|dw\.?|nebenstelle|doorkiesnummer|toestel|wew\.|klapka|"
    r"telefonanschluss)|(ext(?:ension|n)?\.?|poste|interno|anexo|extensi\xf3n|anknytning|linje))"
)
_DIGITS: Final = re.compile(
    r"(?:[ ](?:is|ist|lautet|number|no\.?|nr\.?|est|es|è))?(?:[ ]?[:=]|"
    r"[ .])[ ]{0,2}(-?)[ ]?([0-9]{1,6})"
    r"(?![\w\x00%€$£°]|[.,:/-][0-9]|-[^\W\d_])"
)
_UNIT: Final = re.compile(
    r"[ ](?:neu|weeks?|days?|hours?|months?|years?|minutes?|wochen?|tagen?|monaten?|jahren?|"
    r"stunden?|"
    r"semaines?|jours?|mois|ans|días|semanas|meses|años|of|to|and|und|bis|x)(?!\w)|[ ]?[0-9]"
)


def find_extensions(view: View) -> Iterator[Range]:
    """Extensions, in order."""
    text = view.text
    for match in view.find(_WORDS):
        end = match.end()
        digits = _DIGITS.match(text, end)
        if (
            digits is None
            or _UNIT.match(text, digits.end())
            or AMOUNT_AFTER.match(text, digits.end())
        ):
            continue
        sure = match.start(1) >= 0
        marked = text[end - 1] == "." or ":" in digits[0]
        if not sure and not marked and text[match.start()].isupper() and match.start():
            continue  # `Tokoza Ext 1426` is a part of a town
        number, dashed = digits[2], bool(digits[1])
        least = 1 if dashed and sure else 2 if sure else 3
        year = not dashed and len(number) == 4 and number[:2] in ("19", "20")
        if least <= len(number) <= 5 and not year:
            yield digits.start(1) if dashed else digits.start(2), digits.end(2)
