"""How models open when they refuse: a documented list.

In      a reply that is no JSON
Out     whether it opens like a refusal
Pure    yes
Spec    000 H1, "Refusal/unsafe handling"; interfaces.md, "Strictness"

Openings are compared after lower-casing, with typographic apostrophes as ASCII, runs of
white space as one space, and leading marks (quotes, asterisks, hashes) skipped. An opening
counts only up to a word's end: `sorry` does not match `sorrynotes`. Which code a rejected
text gets is all that hangs on this: no text is accepted or rejected because of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from unicodedata import combining, normalize

OPENINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "en": (
            "i cannot",
            "i can not",
            "i can't",
            "i could not",
            "i couldn't",
            "i won't",
            "i will not",
            "i would not",
            "i'm sorry",
            "i am sorry",
            "i'm very sorry",
            "i'm so sorry",
            "i'm afraid",
            "i am afraid",
            "i'm unable",
            "i am unable",
            "i'm not able",
            "i am not able",
            "i'm not allowed",
            "i am not allowed",
            "i'm not comfortable",
            "i am not comfortable",
            "i'm just an ai",
            "i am just an ai",
            "i'm only an ai",
            "i am an ai",
            "i'm an ai",
            "i do not feel comfortable",
            "i don't feel comfortable",
            "i don't think i can",
            "i apologize",
            "i apologise",
            "i must decline",
            "i have to decline",
            "i need to decline",
            "i decline",
            "i must refuse",
            "i refuse",
            "i regret",
            "sorry",
            "apologies",
            "my apologies",
            "unfortunately",
            "regrettably",
            "as an ai",
            "as an artificial intelligence",
            "as a language model",
            "as a large language model",
            "this request violates",
            "your request violates",
            "this content violates",
            "it is not appropriate",
            "it's not appropriate",
            "it would not be appropriate",
            "it would be inappropriate",
            "we cannot",
            "we are unable",
            "we're unable",
            "we're sorry",
            "we are sorry",
        ),
        "de": (
            "es tut mir leid",
            "tut mir leid",
            "das tut mir leid",
            "entschuldigung",
            "entschuldigen sie",
            "verzeihung",
            "leider",
            "bedauerlicherweise",
            "ich kann nicht",
            "ich kann das nicht",
            "ich kann dies nicht",
            "ich kann diese anfrage nicht",
            "ich kann ihnen dabei nicht",
            "ich kann ihnen leider nicht",
            "ich kann dir dabei nicht",
            "ich kann leider",
            "ich bin nicht in der lage",
            "ich bin leider nicht",
            "ich darf nicht",
            "ich darf das nicht",
            "ich bedaure",
            "ich bedauere",
            "ich muss ablehnen",
            "ich muss das ablehnen",
            "ich lehne",
            "ich möchte das nicht",
            "als ki",
            "als sprachmodell",
            "als künstliche intelligenz",
            "diese anfrage verstößt",
        ),
        "es": (
            "lo siento",
            "lo lamento",
            "lamento",
            "lamentablemente",
            "desafortunadamente",
            "por desgracia",
            "perdón",
            "perdona",
            "disculpa",
            "disculpe",
            "no puedo",
            "no me es posible",
            "no es posible para mí",
            "no estoy en condiciones",
            "no estoy autorizado",
            "no voy a",
            "debo rechazar",
            "me niego",
            "como ia",
            "como una ia",
            "como inteligencia artificial",
            "como modelo de lenguaje",
            "como un modelo de lenguaje",
        ),
        "fr": (
            "je suis désolé",
            "je suis désolée",
            "désolé",
            "désolée",
            "je suis navré",
            "je regrette",
            "malheureusement",
            "excusez-moi",
            "je m'excuse",
            "je ne peux pas",
            "je ne peux malheureusement pas",
            "je ne puis",
            "je ne suis pas en mesure",
            "je ne suis pas autorisé",
            "je refuse",
            "je dois refuser",
            "il m'est impossible",
            "en tant qu'ia",
            "en tant que modèle",
            "en tant qu'intelligence artificielle",
        ),
        "it": (
            "mi dispiace",
            "mi scuso",
            "purtroppo",
            "spiacente",
            "non posso",
            "non sono in grado",
            "non mi è possibile",
            "devo rifiutare",
            "mi rifiuto",
            "come ia",
            "come modello linguistico",
        ),
        "nl": (
            "het spijt me",
            "sorry",
            "helaas",
            "ik kan niet",
            "ik kan dit niet",
            "ik kan dat niet",
            "ik kan je hier niet",
            "ik kan u hier niet",
            "ik ben niet in staat",
            "ik mag niet",
            "ik moet weigeren",
            "ik weiger",
            "als ai",
            "als taalmodel",
        ),
        "pt": (
            "sinto muito",
            "desculpe",
            "desculpa",
            "lamento",
            "infelizmente",
            "não posso",
            "não consigo",
            "não sou capaz",
            "não me é possível",
            "devo recusar",
            "recuso",
            "como ia",
            "como uma ia",
            "como modelo de linguagem",
            "como um modelo de linguagem",
        ),
        "pl": (
            "przepraszam",
            "przykro mi",
            "niestety",
            "nie mogę",
            "nie jestem w stanie",
            "muszę odmówić",
            "odmawiam",
            "jako model językowy",
        ),
    }
)
"""Language -> openings, lower case, ASCII apostrophes."""

_APOSTROPHES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u00b4": "'", "`": "'"})
LOOK = 400
"""How many leading code points are looked at."""


def opens_like_refusal(text: str, extra: Sequence[str] = ()) -> bool:
    """Whether *text* opens with one of the listed openings, or with one of *extra*.

    Example:
        >>> opens_like_refusal("**I’m sorry**, but I can't help with that.")
        True
        >>> opens_like_refusal("Certainly! Here is the JSON you asked for:")
        False
    """
    head = _form(text[:LOOK])
    return any(_opens(head, opening) for opening in _FORMS) or any(
        _opens(head, _form(opening)) for opening in extra
    )


def could_open_like_refusal(text: str, extra: Sequence[str] = ()) -> bool:
    """Whether *text*, or some text that begins with it, opens like a refusal.

    In doubt it says yes: what follows may still change the last character.

    Example:
        >>> could_open_like_refusal("I'm so")
        True
        >>> could_open_like_refusal("Here is")
        False
    """
    if len(text) >= LOOK:
        return opens_like_refusal(text, extra)
    if opens_like_refusal(text, extra):
        return True
    # Marks that follow are composed with the last character that is none.
    settled = normalize("NFC", text)
    last = next((at for at in reversed(range(len(settled))) if not combining(settled[at])), 0)
    head = _form(settled[:last])
    return any(
        opening.startswith(head) or _opens(head, opening)
        for opening in (*_FORMS, *map(_form, extra))
    )


def _form(text: str) -> str:
    plain = normalize("NFC", text).translate(_APOSTROPHES).casefold()
    words = " ".join(plain.split())
    start = next((at for at, char in enumerate(words) if char.isalnum()), len(words))
    return words[start:]


def _opens(head: str, opening: str) -> bool:
    if not opening or not head.startswith(opening):
        return False
    return len(head) == len(opening) or not head[len(opening)].isalnum()


_FORMS = tuple(sorted({_form(opening) for group in OPENINGS.values() for opening in group}))
