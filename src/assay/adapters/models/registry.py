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

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from assay.adapters.entry_points import find_entry_point, published_names
from assay.errors import AssayError, ModelUnavailableError, NotFoundError, UsageError
from assay.protocols import LAST_PLACE, Availability, Model, ModelProvider

GROUP = "assay.models"
"""Entry point group of model providers."""


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
    states = [
        (_describe_provider(name), _look(name, environ, reach)) for name in published_names(GROUP)
    ]
    return [state for _, state in sorted(states, key=lambda pair: pair[0])]


def _look(name: str, environ: Mapping[str, str], reach: bool) -> ProviderState:
    usage = _describe_provider(name)[1]
    try:
        point = find_entry_point(GROUP, name)
        if point is None:
            raise UsageError("is no longer published")
        provider = _load_provider(point)
    except AssayError as error:
        found = Availability(usable=False, why=error.message, hint=error.hint)
        return ProviderState(provider=name, usage=usage, found=found)
    except Exception as error:  # its text is a stranger's
        why = f"cannot be loaded ({type(error).__name__})"
        found = Availability(usable=False, why=why, hint="check the package that provides it")
        return ProviderState(provider=name, usage=usage, found=found)
    state = ProviderState(
        provider=name,
        usage=usage,
        found=_availability(provider, environ),
        extra=provider.extra,
        needs_key=provider.needs_key,
    )
    if not (reach and state.found.usable and provider.list_names):
        return state
    try:
        names = tuple(map(str, provider.list_names(environ)))
    except NotFoundError as error:  # many servers answer prompts and list nothing
        return replace(state, found=replace(state.found, why=error.message))
    except AssayError as error:
        return replace(state, found=_missing(state.found, error.message, error.hint))
    except Exception as error:
        why = f"the list of models cannot be read ({type(error).__name__})"
        return replace(state, found=_missing(state.found, why, ""))
    return replace(state, models=names)


def _availability(provider: ModelProvider, environ: Mapping[str, str]) -> Availability:
    if provider.look is None:
        return Availability(usable=True, why="installed; says nothing about itself")
    try:
        found = provider.look(environ)
    except AssayError as error:
        return Availability(usable=False, why=error.message, hint=error.hint)
    except Exception as error:
        return Availability(usable=False, why=f"fails to say ({type(error).__name__})")
    if not isinstance(found, Availability):
        return Availability(usable=False, why="says what nobody can read")
    return found


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
        return found.open(name, environ=environ)
    except AssayError:
        raise
    except Exception as error:
        raise ModelUnavailableError(
            f"model provider {provider!r} cannot be loaded ({type(error).__name__})",
            hint=f"check the package that provides {point.value!r}",
        ) from error


def _load_provider(point: EntryPoint) -> ModelProvider:
    found = point.load()
    return found if isinstance(found, ModelProvider) else ModelProvider(open=found)


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
        point = find_entry_point(GROUP, name)
        found = None if point is None else _load_provider(point)
    except Exception:
        found = None
    usage = f"{name}:NAME" if found is None or found.usage is None else found.usage
    return (LAST_PLACE if found is None else found.place), usage
