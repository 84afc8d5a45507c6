"""The catalogue of all words that pages say, in English and German.

In      `words/LANGUAGE/*.yaml`: keys with dots, sentences with `{places}`; those of the charts
Out     Words: a key and values become a sentence
Effects reads the package's files once
Spec    009-P1
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

import yaml

from assay.core.text.catalogue import Words
from assay.figures.words import words_in

LANGUAGES: Final = ("en", "de")
NAMES: Final[Mapping[str, str]] = {"en": "English", "de": "Deutsch"}
__all__ = ["LANGUAGES", "NAMES", "Words", "choose_language", "words_of"]


@cache
def words_of(language: str) -> Words:
    """The catalogue of a language; English where it is not one of ours."""
    if language not in LANGUAGES:
        language = "en"
    sentences = dict(words_in(language).sentences)
    folder = resources.files("assay.server.pages").joinpath("words", language)
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".yaml"):
            sentences |= _flatten(yaml.safe_load(file.read_text(encoding="utf-8")))
    return Words(language=language, sentences=sentences)


def choose_language(wanted: str | None, accepts: str) -> str:
    """The language that somebody chose, else the first of ours that the browser names.

    Example:
        >>> choose_language(None, "fr-FR, de-AT;q=0.8, en;q=0.5"), choose_language("en", "de")
        ('de', 'en')
    """
    if wanted in LANGUAGES:
        return str(wanted)
    for word in accepts.split(","):
        name = word.split(";")[0].strip().lower().split("-")[0]
        if name in LANGUAGES:
            return name
    return "en"


def _flatten(value: Mapping[str, Any], before: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, inner in value.items():
        name = f"{before}{key}"
        if isinstance(inner, Mapping):
            found |= _flatten(inner, f"{name}.")
        else:
            found[name] = str(inner)
    return found
