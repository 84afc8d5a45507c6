"""Check digits: is this candidate what its shape suggests?

In      a candidate as it stands in the view
Out     yes or no; for IBANs and cards, where it ends
Pure    yes
Spec    interfaces.md, "Redaction"; ISO 13616, ISO 7812, ICAO 9303

python-stdnum decides where it can; here is what it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from phonenumbers import SUPPORTED_REGIONS
from stdnum import iban, luhn
from stdnum.at import vnr
from stdnum.es import dni
from stdnum.fi import hetu
from stdnum.gb import nhs
from stdnum.iso7064 import mod_97_10

_UNREGISTERED: Final = {
    "AO": 25, "BF": 28, "BJ": 28, "CF": 27, "CG": 27, "CI": 28, "CM": 27, "CV": 25, "DZ": 26,
    "GA": 27, "GQ": 27, "GW": 25, "IR": 26, "KM": 27, "MA": 28, "MG": 27, "ML": 28, "MZ": 25,
    "NE": 28, "SN": 28, "TD": 27, "TG": 28,
}  # fmt: skip
"""Countries whose accounts have IBANs though the registry of ISO 13616 does not list them."""

_LENGTHS: Final = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BI": 27, "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27,
    "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27,
    "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28,
    "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28,
    "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22,
    "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23,
    "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24,
    "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28,
    "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
} | _UNREGISTERED  # fmt: skip

IBAN_COUNTRIES: Final = tuple(_LENGTHS)
"""Letters with which an IBAN begins."""

_CARD_GROUPS: Final = {
    (4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 4, 5), (4, 4, 4, 2), (4, 4, 4, 3),
    (8, 8), (6, 10), (6, 13),
}  # fmt: skip
_ISSUED: Final = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11,16}|35\d{13,17}|"
    r"(?:5\d|6\d)\d{10,17}|2[2-7]\d{14}(?:\d{3})?|(?:2131|1800|1354)\d{11}|1\d{14}|"
    r"8[16]\d{14,17}|9792\d{12}"
)
"""Prefixes of payment card issuers, each with the lengths it issues."""


_BETWEEN: Final = re.compile(r"[ \t]{0,2}(?:[-./_][ \t]{0,2}|\r?\n[ \t>]{0,4})?")
"""What may stand between two groups of an IBAN: spaces, one sign, one line end."""

_MORE: Final = re.compile(r"(?i:bic|swift)|[A-ZÀ-Þ]?[a-zà-ÿ]{2,20}(?![\w])")
"""What may stand glued behind: the next label, or the next word."""


def is_iban(window: str) -> int:
    """Where the IBAN at the start of *window* ends; 0 if there is none.

    The country fixes its length and the check digits tell it from all else, so it does not
    matter how it is grouped.
    """
    wanted = _LENGTHS.get(window[:2].upper(), 0)
    kept: list[str] = []
    at = 0
    while wanted and at < len(window):
        char = window[at]
        if char.isascii() and char.isalnum():
            kept.append(char)
            at += 1
            wanted -= 1
            continue
        gap = _BETWEEN.match(window, at)
        if gap is None or gap.end() == at:
            return 0
        at = gap.end()
    if wanted or not kept:
        return 0
    if at < len(window) and window[at].isalnum() and not _MORE.match(window, at):
        return 0
    number = "".join(kept)
    rest = number[2:]
    if rest != rest.upper() and number != number.lower():
        return 0  # an IBAN is written in one case; mixed letters are something else
    if not rest.isdigit() and number[:2] != number[:2].upper() and number != number.lower():
        return 0
    return at if _iban_holds(number.upper()) else 0


def _iban_holds(number: str) -> bool:
    try:
        if number[:2] in _UNREGISTERED:
            rest = number[4:]
            enough = sum(char.isdigit() for char in rest) >= 12
            return enough and bool(mod_97_10.is_valid(rest + number[:4]))
        return bool(iban.is_valid(number, check_country=False))
    except Exception:
        return False


_BANK_CODE = re.compile(r"[A-Z]{4}([A-Z]{2})[A-Z2-9][A-NP-Z0-9](?:[A-Z0-9]{3})?")
_COUNTRIES: Final = frozenset(SUPPORTED_REGIONS) | {"XK"}


def is_bic(code: str) -> bool:
    """Whether *code* can be a bank's (ISO 9362): its form holds, and its country exists.

    It has no check digit: what it stands beside must say that it is one.
    """
    compact = code.replace(" ", "").upper()
    found = _BANK_CODE.fullmatch(compact)
    return found is not None and found[1] in _COUNTRIES


def is_card(text: str, groups: Sequence[tuple[int, int]]) -> int:
    """How many of *groups* make the card number that begins with the first; 0 if none does."""
    sizes: list[int] = []
    digits = ""
    found = 0
    for start, stop in groups:
        sizes.append(stop - start)
        digits += text[start:stop]
        if len(digits) > 19 or len(sizes) > 5:
            break
        natural = len(sizes) == 1 or tuple(sizes) in _CARD_GROUPS
        if len(digits) >= 12 and natural and card_holds(digits):
            found = len(sizes)
    return found


def card_holds(digits: str) -> bool:
    """Whether an issuer's prefix and the Luhn digit hold."""
    return bool(_ISSUED.fullmatch(digits) and len(set(digits)) > 1 and luhn.is_valid(digits))


def _compact(text: str) -> str:
    return re.sub(r"[ ./-]", "", text).upper()


def _icao(text: str) -> bool:
    """A German identity card or passport: nine characters and the 7-3-1 check digit."""
    number = _compact(text)
    total = sum(int(char, 36) * (7, 3, 1)[i % 3] for i, char in enumerate(number[:-1]))
    varied = len(set(number)) > 3 and sum(char.isdigit() for char in number) >= 4
    return varied and str(total % 10) == number[-1]


def _kvnr(text: str) -> bool:
    """A German health insurance number: a letter, eight digits, a weighted check digit."""
    number = _compact(text)
    digits = f"{ord(number[0]) - 64:02d}" + number[1:9]
    products = [int(d) * (1 + i % 2) for i, d in enumerate(digits)]
    return str(sum(p // 10 + p % 10 for p in products) % 10) == number[9]


def _rvnr(text: str) -> bool:
    """A German pension insurance number: area, birthday, letter, serial, check digit."""
    number = _compact(text)
    day, month = int(number[2:4]), int(number[4:6])
    if not (1 <= month <= 12 and (1 <= day <= 31 or 51 <= day <= 81)):
        return False
    digits = number[:8] + f"{ord(number[8]) - 64:02d}" + number[9:11]
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    products = [int(d) * w for d, w in zip(digits, weights, strict=True)]
    return str(sum(p // 10 + p % 10 for p in products) % 10) == number[11]


def _vnr(text: str) -> bool:
    """An Austrian insurance number: check digit, and a birthday that can be (months to 15)."""
    number = _compact(text)
    birthday = 1 <= int(number[4:6]) <= 31 and 1 <= int(number[6:8]) <= 15
    return birthday and bool(vnr.is_valid(number))


def _npi(text: str) -> bool:
    """A US provider number: Luhn over the number behind its issuer prefix."""
    return bool(luhn.is_valid("80840" + _compact(text)))


def _ssn(text: str) -> bool:
    """A US social security number: no check digit, but areas and zeros never issued."""
    number = _compact(text)
    return number[:3] not in {"000", "666"} and number[3:5] != "00" and number[5:] != "0000"


def _nino(text: str) -> bool:
    """A British insurance number: prefixes that are never given out."""
    return _compact(text)[:2] not in {"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"}


def _nhs(text: str) -> bool:
    """A British health number that cannot be a North American telephone number."""
    number = _compact(text)
    if len(set(number)) == 1:
        return False
    american = number[0] in "23456789" and number[3] in "23456789"
    return not american and bool(nhs.is_valid(number))


def _dni(text: str) -> bool:
    """A Spanish identity number, also without its leading zero."""
    return bool(dni.is_valid(_compact(text).zfill(9)))


def _hetu(text: str) -> bool:
    """A Finnish identity code, temporary ones included."""
    return bool(hetu.is_valid(text, allow_temporary=True))


CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    "icao": _icao,
    "kvnr": _kvnr,
    "rvnr": _rvnr,
    "vnr": _vnr,
    "npi": _npi,
    "ssn": _ssn,
    "nino": _nino,
    "nhs": _nhs,
    "dni": _dni,
    "hetu": _hetu,
    "luhn": lambda text: bool(luhn.is_valid(_compact(text))),
    "iban": lambda text: is_iban(text.strip()) == len(text.strip()),
    "card": lambda text: card_holds(_compact(text)),
}
"""Checks by the names that the table of shapes and the classes of a pack use."""
