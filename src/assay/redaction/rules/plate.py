"""Number plates, behind a word that says so.

In      a view
Out     ranges for class ID_CODE
Pure    yes, linear
Spec    interfaces.md, "Redaction": a code that its label announces

A plate has no check digit and looks like many other codes; it is short, and has letters in
capitals and digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from assay.redaction.view import Range, View, compile_narrow

# Letters beyond Latin-1 are `?` to a narrow pattern.
_WORDS = compile_narrow(
    r"(?i)\b(?:(?:licen[cs]e|number|registration)[ -]?plates?(?:[ ](?:number|no\.?))?|"
    r"(?:vehicle[ ])?reg(?:istration)?(?:[ ](?:number|no\.?|mark)|\.)|plates?|vrn|"
    r"(?:kfz-?|amtliche[sn]?[ ])?kennzeichen|nummernschild|"
    r"(?:plaque[ ]d')?immatricul(?:ation|\xe9e?s?)|plaque(?:[ ]min\xe9ralogique)?|"
    r"matr\xedcula|matricula|placas?|targa(?:ta|to)?|kenteken(?:nummer)?|nummerplaat|"
    r"(?:numer(?:ze|em)?[ ])?rejestracyjn\w{1,4}|tablic[aey](?:[ ]rejestracyjn\w{1,4})?|"
    r"registreringsnummer|regnr|nummerplade|rendsz\xe1m|spz|registra[?]n\xed[ ]zna[?]ka)"
)
_PLATE: Final = re.compile(
    r"(?:[ ]?(?:is|was|ist|lautet|es|est|è|jest|of|the|der|von|du|del)(?!\w)|[ ]?[:=#(\"'-]){0,3}"
    r"[ ]{0,2}((?=[A-Z0-9 -]{0,6}[A-Z])(?=[A-Z0-9 -]{0,8}[0-9])"
    r"[A-ZÄÖÜ0-9]{1,7}(?:[ -]{1,2}[A-Z0-9]{1,5}){0,3})(?![\w\x00])"
)


def find_plates(view: View) -> Iterator[Range]:
    """Number plates, in no order."""
    text = view.text
    for match in view.find(_WORDS):
        end = match.end()
        if text[end : end + 1].isalnum():
            continue
        plate = _PLATE.match(text, end)
        if plate and _is_plate(plate[1]):
            yield plate.span(1)


def _is_plate(value: str) -> bool:
    signs = [char for char in value if char.isalnum()]
    digits = sum(char.isdigit() for char in signs)
    return 4 <= len(signs) <= 9 and digits >= 1 and len(signs) > digits
