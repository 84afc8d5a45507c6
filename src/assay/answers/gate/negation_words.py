"""Words that deny, limit and except, by language, and what a denial makes of a pole.

In      nothing
Out     NEGATIONS, LIMITS, EXCEPTIONS, CONTRASTS: language -> phrases; what denied poles become
Pure    data only
Spec    005-A4

`_` joins the words of a phrase.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from assay.core.text.word_sets import word_set

_NEGATIONS: Final = {
    "en": """
        not never no nobody none nothing nowhere neither nor without cannot no-one no_one
            no_longer hardly unable lack lacks lacking instead_of rather_than fail fails failed
    """,
    "de": """
        nicht nie niemals kein keine keinem keinen keiner keines niemand nichts weder ohne
            nirgends statt anstelle keinesfalls keineswegs
    """,
    "fr": "pas jamais aucun aucune rien personne ni sans non nul guère plus",
    "es": "no nunca jamás nadie ningún ninguno ninguna nada sin tampoco ni",
    "it": "non mai nessuno nessun nessuna niente nulla né neanche senza no",
    "pt": "não nunca jamais ninguém nenhum nenhuma nada sem nem tampouco",
    "nl": "niet nooit geen niemand niets zonder noch nergens",
    "pl": "nie nigdy nikt nic żaden żadna bez ani",
    "sv": "inte aldrig ingen inget inga utan ej",
    "da": "ikke aldrig ingen intet uden ej",
    "ru": "не нет никогда никто ничего ни без нельзя",
    "uk": "не немає ніколи ніхто нічого ні без",
    "cs": "ne není nikdy nikdo nic žádný bez ani nejsou nesmí",
    "tr": "değil yok asla hiç",
    "el": "δεν δε μην μη ποτέ κανείς χωρίς όχι",
    "ar": "لا لم لن ليس ليست غير بدون",
    "he": "לא אין בלי ללא אף",
    "hi": "नहीं न बिना मत कभी_नहीं",
    "fa": "نه نیست بدون هرگز",
    "hu": "nem nincs soha nélkül",
    "ro": "nu niciodată fără",
    "fi": "ei eivät koskaan ilman",
    "no": "ikke ingen intet aldri uten",
}
_LIMITS: Final = {
    "en": "only solely exclusively",
    "de": "nur lediglich ausschließlich bloß",
    "fr": "seulement uniquement que_seul exclusivement",
    "es": "solo sólo solamente únicamente",
    "it": "solo soltanto solamente unicamente",
    "pt": "só apenas somente unicamente",
    "nl": "alleen slechts enkel uitsluitend",
    "pl": "tylko jedynie wyłącznie",
    "ru": "только лишь исключительно",
}
_EXCEPTIONS: Final = {
    "en": """
        otherwise or_else except excepting unless save_for apart_from other_than but_for excluding
        barring
    """,
    "de": """
        sonst andernfalls ansonsten außer_wenn außer ausgenommen ausser sofern_nicht mit_ausnahme
        es_sei_denn
    """,
    "fr": "sinon autrement sauf_si à_moins_que sauf excepté hormis à_l'exception",
    "es": """
        de_lo_contrario si_no salvo_que a_menos_que excepto_si salvo_si excepto salvo menos_los
        menos_el a_menos a_excepción
    """,
    "it": "altrimenti a_meno_che tranne_che salvo_che tranne eccetto salvo a_meno ad_eccezione",
    "pt": """
        caso_contrário senão salvo_se exceto_se a_menos_que exceto salvo menos_aos a_menos à_exceção
        com_exceção
    """,
    "nl": "anders behalve_als behalve tenzij uitgezonderd",
    "pl": "inaczej w_przeciwnym oprócz z_wyjątkiem chyba_że",
    "ru": "кроме если_не за_исключением иначе",
}
_CONTRASTS: Final = {
    "en": "but whereas while although though however yet",
    "de": "aber jedoch sondern während wohingegen obwohl dagegen hingegen",
    "fr": "mais tandis alors_que cependant quoique bien_que",
    "es": "pero mientras sino aunque",
    "it": "ma mentre però benché",
    "pt": "mas enquanto porém embora",
    "nl": "maar terwijl echter hoewel",
    "pl": "ale natomiast lecz chociaż",
    "ru": "но а однако",
}
_LINKS: Final = {
    "en": "and or that which who because so if when",
    "de": "und oder dass weil wenn so",
    "fr": "et ou que qui car si quand",
    "es": "y e o u que porque si cuando",
    "it": "e ed o che perché se quando",
    "pt": "e ou que porque se quando",
    "nl": "en of dat omdat als",
    "pl": "i lub oraz że bo gdy",
    "ru": "и или что если когда",
}

Phrases = Mapping[str, frozenset[tuple[str, ...]]]
"""Language -> phrases, each as its words, case folded."""


def _read(rows: Mapping[str, str]) -> Phrases:
    return MappingProxyType(
        {
            language: frozenset(tuple(word.split("_")) for word in words.casefold().split())
            for language, words in rows.items()
        }
    )


NEGATIONS: Final = _read(_NEGATIONS)
"""What denies."""

LIMITS: Final = _read(_LIMITS)
"""What says that nothing else is meant."""

EXCEPTIONS: Final = _read(_EXCEPTIONS)
"""What takes something out of a claim."""

OTHERWISE: Final = word_set(
    "otherwise sonst andernfalls ansonsten sinon autrement altrimenti senão anders inaczej иначе"
)
"""Exceptions that speak of all but what stands before them."""

CONTRASTS: Final = _read(_CONTRASTS)
"""What sets a claim against the one before."""

LINKS: Final = _read(_LINKS)
"""What a denial does not reach across."""

COMPARED: Final = _read(
    {
        **{"en": "than", "de": "als", "fr": "que qu", "es": "que", "it": "di del della dei"},
        **{"pt": "que", "nl": "dan", "pl": "niż od"},
    }
)
"""What stands between the two sides of a comparison."""

_DENIED: Final = {
    ("modality", "may"): "no",
    ("modality", "no"): "may",
    ("modality", "must"): "may",
    ("amount", "all"): "some",
    ("amount", "each"): "some",
    ("amount", "none"): "some",
    ("amount", "some"): "none",
    ("frequency", "always"): "some",
    ("frequency", "never"): "some",
}
_FORBIDDING: Final = word_set("must shall doit doivent devez debe deben deve devono devem")
"""Words of duty that, denied, forbid: `must not`."""

_TELLING: Final = {
    "amount": {
        *(("some", "all"), ("some", "most"), ("some", "each"), ("most", "all")),
        *(("most", "each"), ("all", "each"), ("each", "all"), ("some", "few"), ("some", "many")),
        *(("many", "all"), ("many", "most"), ("many", "each")),
    },
    "frequency": {("some", "always")},
}
"""Poles of a sentence that follow from another pole of its passage."""


def deny(axis: str, pole: str, word: str, poles: frozenset[str]) -> str:
    """Where a claim stands when what puts it on *pole* is denied.

    Args:
        axis, pole: Where it would stand.
        word: The word that puts it there.
        poles: All poles of the axis.

    Example:
        >>> deny("open", "yes", "open", frozenset({"yes", "no"}))
        'no'
    """
    if word in _FORBIDDING:
        return "no"
    if (axis, pole) in _DENIED:
        return _DENIED[axis, pole]
    others = poles - {pole}
    return next(iter(others)) if len(others) == 1 else pole


def follows(axis: str, said: str, read: str) -> bool:
    """Whether a sentence may say *said* where its passage says *read*."""
    return said == read or (said, read) in _TELLING.get(axis, ())
