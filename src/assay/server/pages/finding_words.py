"""Findings of the gate in the words of a page.

In      a finding's code
Out     a sentence of the catalogue; for codes without one, what the code means
Pure    yes
Spec    009-D6

A family of codes has one sentence for those of its members that have none: `schema.other`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from assay.gate.codes import CODES
from assay.server.pages.words import Words

_BEFORE: Final = "finding."
_OTHER: Final = "other"
_FAMILIES: Final = {"schema": "schema.KEYWORD", "rule": "rule.ID"}


def tell_finding(words: Words, code: str, message: str = "") -> str:
    """What a finding of this *code* says.

    Args:
        message: For codes that nobody but the pack knows.

    Example:
        >>> from assay.server.pages.words import words_of
        >>> tell_finding(words_of("en"), "evidence.not_found")
        'The quote does not stand in the text.'
    """
    family = code.partition(".")[0]
    said = words.find(f"{_BEFORE}{code}") or words.find(f"{_BEFORE}{family}.{_OTHER}")
    return said or CODES.get(code) or CODES.get(_FAMILIES.get(family, ""), "") or message


def finding_sentences(words: Words) -> Mapping[str, str]:
    """All sentences on findings by code, for the page's script."""
    known = {code: tell_finding(words, code) for code in CODES}
    return known | {
        key.removeprefix(_BEFORE): sentence
        for key, sentence in words.sentences.items()
        if key.startswith(_BEFORE)
    }
