"""How telephone numbers of a region are written, and whether one can exist.

In      a candidate: digits in groups
Out     yes or no
Pure    yes
Spec    interfaces.md, "Redaction": national for a region in a form that people write

The metadata of `phonenumbers` says what exists; the forms here say what people write, so that
an order number is not taken for a number that merely could be dialled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from phonenumbers import (
    COUNTRY_CODE_TO_REGION_CODE,
    NumberParseException,
    PhoneMetadata,
    is_valid_number_for_region,
    parse,
)

from assay.errors import InputError

_AMERICAN: Final = {(3, 3, 4), (3, 7), (10,), (1, 3, 3, 4), (1, 10), (11,), (1, 3, 7)}
_SPACED_AREA: Final = re.compile(r"\(0 [0-9]{2,5}\)|0 [0-9]{2,5} ?/")
_CODES: Final = frozenset(COUNTRY_CODE_TO_REGION_CODE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Consecutive digit words of a view."""

    start: int
    stop: int
    text: str
    digits: str
    sizes: tuple[int, ...]
    """How many digits each group has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """What a national number of one region must look like before anyone is asked."""

    code: str
    country: str
    trunk: str
    """Dialled before national numbers; empty where there is none."""

    lengths: frozenset[int]
    """Digits without trunk prefix."""

    trunkless: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    """Beginning and shape of numbers that are written without the trunk prefix."""


def region(code: str) -> Region:
    """What is to be known about the region *code*.

    Raises:
        InputError: no telephone numbers are known there.
    """
    metadata = PhoneMetadata.metadata_for_region(code, None)
    if metadata is None or metadata.general_desc is None:
        raise InputError(
            f"{code!r} is no region with telephone numbers", hint="two capitals, as in DE or US"
        )
    trunk = metadata.national_prefix or ""
    trunkless = tuple(
        (re.compile(form.leading_digits_pattern[-1]), re.compile(form.pattern))
        for form in metadata.number_format
        if form.pattern
        and form.leading_digits_pattern
        and (
            not form.national_prefix_formatting_rule
            or form.national_prefix_optional_when_formatting
        )
    )
    return Region(
        code=code,
        country=str(metadata.country_code),
        trunk="" if metadata.country_code == 1 else trunk,
        lengths=frozenset(metadata.general_desc.possible_length),
        trunkless=trunkless,
    )


def begins_abroad(digits: str) -> bool:
    """Whether the digits begin with the code of a country."""
    return digits[:1] not in ("", "0") and any(int(digits[:size]) in _CODES for size in (1, 2, 3))


def fits(c: Candidate, region: Region) -> bool:
    """Whether people of the region write their numbers in this form."""
    digits, sizes = c.digits, c.sizes
    if region.country == "1":
        return sizes in _AMERICAN and (len(digits) == 10 or digits[0] == "1")
    if len(sizes) > 6 or ("." in c.text and not _is_dotted(sizes)):
        return False
    if digits.startswith(region.country) and len(digits) >= 10:
        rest = len(digits) - len(region.country)
        parted = sizes[0] == len(region.country)
        if rest in region.lengths and (parted or len(sizes) == 1):
            return True
    if region.trunk and digits.startswith(region.trunk):
        lonely = sizes[0] == 1 and len(sizes) > 1 and (len(sizes) == 2 or sizes[1] < 3)
        natural = not lonely or _SPACED_AREA.match(c.text) is not None
        enough = sizes.count(1) <= 3 and len(digits) >= 7
        return natural and enough and len(digits) - len(region.trunk) in region.lengths
    if len(digits) not in region.lengths:
        return False
    if region.trunk and not any(
        begin.match(digits) and shape.fullmatch(digits) for begin, shape in region.trunkless
    ):
        return False
    if len(sizes) == 1:
        return len(digits) >= 8
    return len(digits) >= 7 and min(sizes) >= 2 and sizes[0] <= 4


def _is_dotted(sizes: tuple[int, ...]) -> bool:
    """Whether groups parted by full stops can be a number and no decimal, version or date."""
    return min(sizes) >= 2 and len(sizes) >= 3 and sizes != (2, 2, 2, 2)


def exists(number: str, code: str | None) -> bool:
    """Whether `phonenumbers` knows *number* in region *code*; None for one with a `+`."""
    try:
        parsed = parse(number, code)
        if code is None:
            codes = COUNTRY_CODE_TO_REGION_CODE.get(parsed.country_code or 0, ())
            return any(is_valid_number_for_region(parsed, one) for one in codes)
        return bool(is_valid_number_for_region(parsed, code))
    except NumberParseException:
        return False
