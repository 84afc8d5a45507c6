"""From `--model SPEC` to a model.

In      `PROVIDER:NAME`, or the provider alone where it needs no name
Out     Model; what can be asked here, and why not
Pure    no: reads files, settings handed in, and the installed packages
Spec    interfaces.md, "Models"; 007-P1

A package adds a provider under the entry point group `assay.models`: the entry point's name is
the provider, its object a `ModelProvider` or any callable
`(name: str, *, environ: Mapping[str, str]) -> Model`. Ours stand in pyproject.toml.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib.metadata import EntryPoint
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from assay.adapters.entry_points import (
    ForeignCodeError,
    find_entry_point,
    published_names,
    run_foreign,
)
from assay.adapters.models.availability import read_availability, read_names
from assay.errors import AssayError, ModelUnavailableError, NotFoundError, UsageError
from assay.protocols import LAST_PLACE, Availability, Model, ModelProvider

GROUP = "assay.models"
"""Entry point group of model providers."""

CHECK_PACKAGE: Final = "check the package that provides it"


def open_model(
    spec: str, *, environ: Mapping[str, str], script_log: str | Path | None = None
) -> Model:
    """Open the model that *spec* names.

    Args:
        spec: `provider:name`, or the provider alone where it needs no name.
        environ: Settings: addresses and keys; never read from anywhere else.
        script_log: Every request is appended to this file as one JSON line (with its prompt,
            so the file is as sensitive as the input).

    Raises:
        UsageError: no such provider, two packages publish it, or a name is missing or too much.
        InputError: a script or record file is missing or malformed, with its line.
        ModelUnavailableError: the package for the provider is not installed.
    """
    if script_log is None:
        return _open(spec, environ)
    from assay.adapters.models.scripted import Logged, open_log

    log = open_log(Path(script_log))
    try:
        return Logged(_open(spec, environ), log, Path(script_log))
    except BaseException:
        log.close()
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderState:
    """One published provider, and whether it can be asked here."""

    provider: str
    usage: str
    """How it is written after `--model`."""

    found: Availability
    extra: str | None = None
    needs_key: str | None = None
    models: tuple[str, ...] | None = None
    """What its server says there is; None where it was not asked."""

    def to_dict(self) -> dict[str, Any]:
        """As `assay models --json` prints it."""
        found = self.found
        return {
            "provider": self.provider,
            "name": self.usage,
            "usable": found.usable,
            "why": found.why,
            "hint": found.hint,
            "extra": self.extra,
            "needs_key": self.needs_key,
            "host": found.host or None,
            "names": list(found.names),
            "models": None if self.models is None else list(self.models),
        }


def look_at_providers(environ: Mapping[str, str], *, reach: bool = False) -> list[ProviderState]:
    """Every published provider, in the order of a list. No fault of one ends it.

    Args:
        environ: Settings: addresses and keys.
        reach: Ask the servers of those that can be asked for their lists of models.

    Spec: 007-P1
    """
    environ = MappingProxyType(dict(environ))  # what one does to it is no setting of the next
    states = [_look(name, environ, reach) for name in published_names(GROUP)]
    return [state for _, state in sorted(states, key=lambda pair: (pair[0], pair[1].usage))]


def _look(name: str, environ: Mapping[str, str], reach: bool) -> tuple[int, ProviderState]:
    """Its place in the list, and what is there."""
    state = ProviderState(provider=name, usage=f"{name}:NAME", found=Availability(usable=False))
    try:
        provider = _find_provider(name)
    except AssayError as error:
        return LAST_PLACE, replace(state, found=_missing(state.found, error.message, error.hint))
    except ForeignCodeError as error:
        found = _missing(state.found, f"cannot be loaded ({error})", CHECK_PACKAGE)
        return LAST_PLACE, replace(state, found=found)
    state = ProviderState(
        provider=name,
        usage=provider.usage or state.usage,
        found=_availability(provider, environ),
        extra=provider.extra,
        needs_key=provider.needs_key,
    )
    if reach and state.found.usable and provider.list_names is not None:
        state = _reach(state, provider.list_names, environ)
    return provider.place, state


def _availability(provider: ModelProvider, environ: Mapping[str, str]) -> Availability:
    look = provider.look
    if look is None:
        return Availability(usable=True, why="installed; says nothing about itself")
    try:
        return run_foreign(lambda: read_availability(look(environ)))
    except AssayError as error:
        return Availability(usable=False, why=error.message, hint=error.hint)
    except ForeignCodeError as error:
        return Availability(usable=False, why=f"fails to say ({error})", hint=CHECK_PACKAGE)


def _reach(
    state: ProviderState, list_names: Callable[..., object], environ: Mapping[str, str]
) -> ProviderState:
    """Ask a server which models there are."""
    try:
        names = run_foreign(lambda: read_names(list_names(environ)))
    except NotFoundError as error:  # many servers answer prompts and list nothing
        return replace(state, found=replace(state.found, why=error.message, hint=error.hint))
    except AssayError as error:
        return replace(state, found=_missing(state.found, error.message, error.hint))
    except ForeignCodeError as error:
        why = f"the list of models cannot be read ({error})"
        return replace(state, found=_missing(state.found, why, CHECK_PACKAGE))
    if state.found.host:
        count = {0: "no model", 1: "one model"}.get(len(names), f"{len(names)} models")
        why = f"asks {state.found.host}, which lists {count}"
        state = replace(state, found=replace(state.found, why=why))
    return replace(state, models=names)


def _missing(found: Availability, why: str, hint: str) -> Availability:
    return replace(found, usable=False, why=why, hint=hint)


def _open(spec: str, environ: Mapping[str, str]) -> Model:
    provider, colon, name = spec.partition(":")
    point = find_entry_point(GROUP, provider)
    if point is None:
        raise _unknown_provider(provider)
    try:
        found = _load_provider(point)
        if found.usage is not None:
            _check_name(provider, name, found.usage, given=bool(colon))
        return run_foreign(lambda: found.open(name, environ=environ))
    except ForeignCodeError as error:
        raise ModelUnavailableError(
            f"model provider {provider!r} cannot be loaded ({error})",
            hint=f"check the package that provides {point.value!r}",
        ) from error


def _find_provider(name: str) -> ModelProvider:
    point = find_entry_point(GROUP, name)
    if point is None:
        raise UsageError("is no longer published")
    return _load_provider(point)


def _load_provider(point: EntryPoint) -> ModelProvider:
    """What *point* names; what nobody can read of its words on itself counts as not said."""
    found = run_foreign(point.load)
    if not isinstance(found, ModelProvider):
        found = ModelProvider(open=found)
    if not callable(found.open):
        raise ModelUnavailableError(
            f"model provider {point.name!r} is nothing that can be called", hint=CHECK_PACKAGE
        )
    return replace(
        found,
        usage=_text(found.usage),
        extra=_text(found.extra),
        needs_key=_text(found.needs_key),
        place=found.place if isinstance(found.place, int) else LAST_PLACE,
    )


def _text(said: object) -> str | None:
    return said if isinstance(said, str) and said else None


def _check_name(provider: str, name: str, usage: str, *, given: bool) -> None:
    takes_name = ":" in usage
    optional = "[:" in usage
    if takes_name and not name and (given or not optional):
        raise UsageError(f"model {provider!r} needs a name", hint=f"write {_ways_of(usage)}")
    if given and not takes_name:
        raise UsageError(f"model {provider!r} takes no name", hint=f"write {provider}")


def _ways_of(usage: str, between: str = " or ") -> str:
    """`embedded[:FILE.gguf]` stands for `embedded` and `embedded:FILE.gguf`."""
    alone, bracket, name = usage.partition("[")
    return f"{alone}{between}{alone}{name.removesuffix(']')}" if bracket else usage


def provider_usages() -> tuple[str, ...]:
    """How each provider is written, as its `usage` says, in the order of a list of them."""
    return tuple(usage for _, usage in sorted(map(_describe_provider, published_names(GROUP))))


def _unknown_provider(provider: str) -> UsageError:
    """Names what there is, in the way each is written."""
    names = published_names(GROUP)
    near = get_close_matches(provider, names, n=1)
    did = f"did you mean {near[0]!r}? " if near else ""
    known = (
        ", ".join(_ways_of(usage, ", ") for usage in provider_usages())
        or "none; install assay again"
    )
    return UsageError(f"unknown model provider {provider!r}", hint=f"{did}known: {known}")


def _describe_provider(name: str) -> tuple[int, str]:
    """Place in a list, and usage; what cannot be loaded is listed all the same."""
    try:
        found = _find_provider(name)
    except (AssayError, ForeignCodeError):
        return LAST_PLACE, f"{name}:NAME"
    return found.place, found.usage or f"{name}:NAME"
