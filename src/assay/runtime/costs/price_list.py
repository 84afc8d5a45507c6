"""Price lists: what is in them, and which entry a model is billed by.

In      YAML text; the name, the address and the reported name of a model
Out     PriceList; Price or None
Pure    yes
Spec    006-M6

    prices:
      - model: openai:gpt-4.1        # provider:name; `*` stands for any letters
        host: api.openai.com         # the server that bills so; without it, any
        input: 2                     # all prices for a million tokens
        cached_input: 0.5
        cache_write: 2.5             # only where it is billed apart
        output: 8
        currency: USD
        as_of: 2026-05-07
        source: the provider's price page
        above: {input_tokens: 272000, input: 4, output: 12}

An entry named exactly comes before the one that it is a dated snapshot of, and both before a
pattern; of equals, the first. What no entry names has no known price.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

from assay.contract.model_names import IN_PROCESS, is_allowed, is_same_model
from assay.core.amounts import read_amount
from assay.core.yaml import Path, YamlDocument, YamlFault, parse_yaml
from assay.errors import InputError
from assay.runtime.costs.cost import Price, Rates

_RATES: Final = ("input", "output", "cached_input", "cache_write")
_NEEDED: Final = ("model", "input", "output", "currency", "as_of")
_KNOWN: Final = frozenset({*_NEEDED, *_RATES, "host", "source", "above"})
_DAY: Final = re.compile(r"20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", re.ASCII)
_CURRENCY: Final = re.compile(r"[A-Z]{3}", re.ASCII)

_FREE: Final = Price(
    rates=Rates(input=Decimal(0), output=Decimal(0), cached_input=Decimal(0)),
    currency="USD",
    as_of="2026-11-28",
    source="answers in this process; nobody bills it",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a list says of one model, or of all that a pattern matches."""

    model: str
    price: Price
    host: str | None = None
    """The server that bills so; None for any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """What is known of prices; without entries, that models in this process cost nothing."""

    own: tuple[Entry, ...] = ()
    """The user's. They come first and are taken at their word."""

    public: tuple[Entry, ...] = ()
    """Of the library: list prices of providers, each for the provider's own server alone."""

    def find(self, model: str, identity: Mapping[str, Any], reported: str = "") -> Price | None:
        """The price of *model*; None where it is not known.

        Args:
            model: `provider:name` as asked.
            identity: Its facts; `host` is the server that is asked.
            reported: The name that the server gave, where it did: another model than the one
                asked for is not billed by the public list.
        """
        host = str(identity.get("host") or "")
        found = _pick(self.own, model, host)
        if found is not None:
            return found
        provider, _, name = model.partition(":")
        if provider in IN_PROCESS:
            return _FREE
        if not host or (reported and not is_same_model(name, reported)):
            return None
        return _pick(self.public, f"{provider}:{reported}" if reported else model, host)


NO_PRICES: Final = PriceList()
"""Nothing is known but what answers in this process."""


def _pick(entries: Sequence[Entry], model: str, host: str) -> Price | None:
    here = [entry for entry in entries if entry.host is None or entry.host == host]
    for matches in (_is_exact, _is_snapshot, _is_match):
        found = next((entry for entry in here if matches(entry, model)), None)
        if found is not None:
            return found.price
    return None


def _is_exact(entry: Entry, model: str) -> bool:
    return entry.model in (model, model.partition(":")[2])


def _is_snapshot(entry: Entry, model: str) -> bool:
    owner, _, name = entry.model.rpartition(":")
    provider, _, asked = model.partition(":")
    return (not owner or owner == provider) and "*" not in name and is_same_model(name, asked)


def _is_match(entry: Entry, model: str) -> bool:
    return "*" in entry.model and is_allowed(model, (entry.model,))


def read_prices(text: str, name: str) -> tuple[Entry, ...]:
    """The entries of a price list.

    Args:
        name: Of the file, for faults.

    Raises:
        InputError: with file and line of the first fault.
    """
    document = parse_yaml(text)
    if isinstance(document, YamlFault):
        raise InputError(f"{name}:{document.line}: {document.message}", hint=_HINT)
    return tuple(_Reader(document, name).entries())


_HINT: Final = (
    "a price list is `prices:` with entries of model, input, output (per million tokens), "
    "currency and as_of"
)


class _Reader:
    """Turns YAML into entries; every fault names its line."""

    def __init__(self, document: YamlDocument, name: str) -> None:
        self._document = document
        self._name = name

    def entries(self) -> Iterator[Entry]:
        value = self._document.value
        if not isinstance(value, dict) or set(value) != {"prices"}:
            raise self._fault((), "is no mapping with the one key 'prices'")
        if not isinstance(value["prices"], list):
            raise self._fault(("prices",), "'prices' is no list")
        for at, entry in enumerate(value["prices"]):
            yield self._entry(("prices", at), entry)

    def _entry(self, path: Path, entry: Any) -> Entry:
        if not isinstance(entry, dict):
            raise self._fault(path, "an entry is no mapping")
        for key in entry:
            if key not in _KNOWN:
                raise self._fault((*path, key), f"{key!r} is no key of an entry")
        for key in _NEEDED:
            if key not in entry:
                raise self._fault(path, f"the entry has no {key!r}")
        above, long_rates = self._above((*path, "above"), entry.get("above"))
        return Entry(
            model=self._text((*path, "model"), entry["model"]),
            host=None if "host" not in entry else self._text((*path, "host"), entry["host"]),
            price=Price(
                rates=self._rates(path, entry),
                currency=self._shaped((*path, "currency"), entry["currency"], _CURRENCY, "as USD"),
                as_of=self._day((*path, "as_of"), entry["as_of"]),
                source=str(entry.get("source", "")),
                above=above,
                long_rates=long_rates,
            ),
        )

    def _above(self, path: Path, value: Any) -> tuple[int | None, Rates | None]:
        if value is None:
            return None, None
        if not isinstance(value, dict) or not set(value) <= {"input_tokens", *_RATES}:
            raise self._fault(path, "'above' is {input_tokens, input, output, …}")
        limit = value.get("input_tokens")
        if type(limit) is not int or limit < 1:
            raise self._fault(path, "'above' has no 'input_tokens' of 1 or more")
        if set(value) == {"input_tokens"}:
            return limit, None
        if "input" not in value or "output" not in value:
            raise self._fault(path, "'above' has prices, and not both of 'input' and 'output'")
        return limit, self._rates(path, value)

    def _rates(self, path: Path, entry: Mapping[str, Any]) -> Rates:
        given = {key: self._number((*path, key), entry[key]) for key in _RATES if key in entry}
        return Rates(**given)

    def _number(self, path: Path, value: Any) -> Decimal:
        amount = read_amount(value)
        if amount is None:
            raise self._fault(path, f"{path[-1]!r} is no price: 0 or more, as 1.25")
        return amount

    def _text(self, path: Path, value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self._fault(path, f"{path[-1]!r} is no text")
        return value

    def _shaped(self, path: Path, value: Any, shape: re.Pattern[str], like: str) -> str:
        if not isinstance(value, str) or not shape.fullmatch(value):
            raise self._fault(path, f"{path[-1]!r} is not {like}")
        return value

    def _day(self, path: Path, value: Any) -> str:
        like = "a day as 2026-11-05"
        day = self._shaped(path, value, _DAY, like)
        try:
            date.fromisoformat(day)
        except ValueError as error:
            raise self._fault(path, f"{path[-1]!r} is not {like}") from error
        return day

    def _fault(self, path: Path, what: str) -> InputError:
        places = self._document.places
        while path and path not in places:
            path = path[:-1]
        line = places.get(path, (1, 1))[0]
        return InputError(f"{self._name}:{line}: {what}", hint=_HINT)
