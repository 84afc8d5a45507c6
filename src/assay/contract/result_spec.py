"""What a contract says about its result, and the result itself.

In      the `result:` part of a contract
Out     ResultSpec with its parts; Result
Pure    values only
Spec    000 "audited, schema-validated results"; interfaces.md, `assay run --json`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.contract.confirm import KeyRule
from assay.core.json.pointer import PointerPattern
from assay.core.json.schema import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Primary:
    """Put the object of highest priority of a list in a place of its own."""

    of: str
    """JSON Pointer of the list: `/intents`."""

    to: str
    """JSON Pointer of the place: `/primary_intent`; what the model wrote there gives way."""

    label: str
    """Field of the listed objects that holds the label."""

    priority: tuple[str, ...]
    """Highest first; labels that are not in it come after, in the output's order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """Mark objects whose confidence is under a limit; marking rejects nothing."""

    at: PointerPattern
    field: str
    """Where the confidence stands: `confidence`."""

    by: str | None
    """Field whose label chooses among `limits`; None when there is one limit for all."""

    limits: Mapping[str, float]
    """By label; `other` is for the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redact:
    """Replace values that may be personal data."""

    at: PointerPattern
    field: str
    by: str
    classes: Mapping[str, str]
    """Label -> redaction class: the whole value becomes a surrogate of that class. Values
    under other labels pass the general redaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    """Confirm keys; adds `confirmed` and `reason`."""

    at: PointerPattern
    field: str
    by: str
    kinds: Mapping[str, KeyRule]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """Add a label that deterministic signs of the input decide, whatever the model said."""

    to: str
    """JSON Pointer of the list: `/risk_flags`."""

    label: str
    """Field of the listed objects that holds the label."""

    item: Mapping[str, Any]
    """The object that is listed; evidence (none) and the signs are added to it."""

    languages: tuple[str, ...] | None = None
    """The sign is a guessed language that is none of these; None: the signs of a machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSpec:
    """What a contract says about its result."""

    name: str
    """The key under which a flow prints it: `classification`."""

    schema: Schema
    """The published schema of the result."""

    primary: tuple[Primary, ...] = ()
    thresholds: tuple[Threshold, ...] = ()
    redact: tuple[Redact, ...] = ()
    confirm: tuple[Confirm, ...] = ()
    signals: tuple[Signal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What an accepted output says, ready to be stored and acted on."""

    name: str
    value: dict[str, Any]
    digest: str
    """Over the RFC 8785 form of `value`: free of times, runs and places."""
