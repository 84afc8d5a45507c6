"""From `--model SPEC` to a model.

In      `PROVIDER:NAME`, or the provider alone where it needs no name
Out     Model
Pure    no: reads files, settings handed in, and the installed packages
Spec    interfaces.md, "Models"

A package adds a provider under the entry point group `assay.models`: the entry point's name is
the provider, its object a `ModelProvider` or any callable
`(name: str, *, environ: Mapping[str, str]) -> Model`. Ours stand in pyproject.toml.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib.metadata import EntryPoint
from pathlib import Path

from assay.adapters.entry_points import find_entry_point, published_names
from assay.errors import AssayError, ModelUnavailableError, UsageError
from assay.protocols import LAST_PLACE, Model, ModelProvider

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
