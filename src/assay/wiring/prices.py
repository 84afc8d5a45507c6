"""The price lists of this installation: the library's own, and the user's before it.

In      the setting ASSAY_PRICES
Out     PriceList
Effects reads both files
Spec    006-M6
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from assay.errors import InputError
from assay.runtime.costs.price_list import Entry, PriceList, read_prices


def prices_of(path: str | None) -> PriceList:
    """The list prices of providers, after those of the file *path*.

    Raises:
        InputError: the file cannot be read, or names its first fault with the line.
    """
    return PriceList(own=() if path is None else _own(path), public=_public())


def _own(path: str) -> tuple[Entry, ...]:
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        why = error.strerror or "unknown reason"
        message = f"{path}: the price list cannot be read ({why})"
        raise InputError(message, hint="check ASSAY_PRICES") from error
    except UnicodeDecodeError as error:
        message = f"{path}: the price list is no UTF-8"
        raise InputError(message, hint="check ASSAY_PRICES") from error
    return read_prices(text, path)


@cache
def _public() -> tuple[Entry, ...]:
    name = "prices.yaml"
    return read_prices((files("assay.runtime.costs") / name).read_text("utf-8"), name)
