"""Words that deny, limit and except, by language, and what a negation makes of a pole.

In      nothing
Out     NEGATIONS, LIMITS, EXCEPTIONS: language -> phrases; FLIPS and OPPOSED of poles
Pure    data only
Spec    005-A4

`_` joins the words of a phrase.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_NEGATIONS: Final = {
    "en": """
        not never no nobody none nothing nowhere neither nor without cannot no-one no_one
            no_longer hardly unable lack lacks lacking instead_of rather_than fail fails failed
    """,
    "de": """
        nicht nie niemals kein keine keinem keinen keiner keines niemand nichts weder ohne
            nirgends statt anstelle keinesfalls keineswegs
    """,
    "fr": "pas jamais aucun aucune rien personne ni sans non nul guère",
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
}
_EXCEPTIONS: Final = {
    "en": "except excepting unless save_for apart_from other_than but_for excluding barring",
    "de": "außer ausgenommen ausser sofern_nicht mit_ausnahme es_sei_denn",
    "fr": "sauf excepté hormis à_moins à_l'exception",
    "es": "excepto salvo menos_los menos_el a_menos a_excepción",
    "it": "tranne eccetto salvo a_meno ad_eccezione",
    "pt": "exceto salvo menos_aos a_menos à_exceção com_exceção",
    "nl": "behalve tenzij uitgezonderd",
    "pl": "oprócz z_wyjątkiem chyba_że",
}
