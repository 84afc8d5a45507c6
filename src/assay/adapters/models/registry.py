"""From `--model SPEC` to a model.

In      `openai:NAME`, `anthropic:NAME`, `embedded`, `extractive`, `scripted:FILE`,
        `recorded:FILE`, or what an installed package registers
Out     Model
Pure    no: reads files, settings handed in, and the installed packages
Spec    interfaces.md, "Models"

A package adds a model under the entry point group `assay.models`: the entry point's name is
the provider, its object a callable `(name: str, *, environ: Mapping[str, str]) -> Model`.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import metadata
from pathlib import Path

from assay.errors import AssayError, ModelUnavailableError, UsageError
from assay.protocols import Model

GROUP = "assay.models"
"""Entry point group of third-party models."""

KNOWN: Mapping[str, str] = {
    "openai": "openai:NAME",
    "anthropic": "anthropic:NAME",
    "embedded": "embedded",
    "extractive": "extractive",
    "scripted": "scripted:FILE",
    "recorded": "recorded:FILE",
}
"""Built-in provider -> how it is written."""


def open_model(
    spec: str,
    *,
    environ: Mapping[str, str],
    script_log: str | Path | None = None,
    entry_points: bool = True,
) -> Model:
    """Open the model that *spec* names.

    Args:
        spec: `provider:name`, or the provider alone where it needs no name.
        environ: Settings: addresses and keys; never read from anywhere else.
        script_log: Every request is appended to this file as one JSON line (with its prompt,
            so the file is as sensitive as the input).
        entry_points: Whether models of other installed packages count.

    Raises:
        UsageError: no such provider, or a name is missing or too much.
        InputError: a script or record file is missing or malformed, with its line.
        ModelUnavailableError: the package for the provider is not installed.
    """
    if script_log is None:
        return _open(spec, environ, entry_points=entry_points)
    from assay.adapters.models.scripted import Logged, open_log

    log = open_log(Path(script_log))
    try:
        return Logged(_open(spec, environ, entry_points=entry_points), log, Path(script_log))
    except BaseException:
        log.close()
        raise


def _open(spec: str, environ: Mapping[str, str], *, entry_points: bool) -> Model:
    provider, colon, name = spec.partition(":")
    others = _registered_models() if entry_points and provider not in KNOWN else {}
    if provider in KNOWN:
        _check_name(provider, name, given=bool(colon))
        return _built_in(provider, name, environ)
    if provider in others:
        return _third_party(others[provider], name, environ)
    ways = [*KNOWN.values(), *(f"{other}:NAME" for other in sorted(others))]
    near = get_close_matches(provider, [*KNOWN, *others], n=1)
    did = f"did you mean {near[0]!r}? " if near else ""
    raise UsageError(f"unknown model provider {provider!r}", hint=f"{did}known: {', '.join(ways)}")


def _check_name(provider: str, name: str, *, given: bool) -> None:
    takes_name = ":" in KNOWN[provider]
    if takes_name and not name:
        raise UsageError(f"model {provider!r} needs a name", hint=f"write {KNOWN[provider]}")
    if given and not takes_name:
        raise UsageError(f"model {provider!r} takes no name", hint=f"write {provider}")


def _built_in(provider: str, name: str, environ: Mapping[str, str]) -> Model:
    """Each import is local: an installation carries only the providers it uses."""
    match provider:
        case "scripted":
            from assay.adapters.models.scripted import ScriptedModel

            return ScriptedModel.open(Path(name))
        case "recorded":
            from assay.adapters.models.recorded import RecordedModel

            return RecordedModel.open(Path(name))
        case "extractive":
            from assay.adapters.models.extractive.model import ExtractiveModel

            return ExtractiveModel.create()
        case "embedded":
            from assay.adapters.models.embedded.model import EmbeddedModel

            return EmbeddedModel.create()
        case "openai":
            from assay.adapters.models.openai.chat import OpenAIModel

            return OpenAIModel.create(name, environ=environ)
        case _:
            from assay.adapters.models.anthropic import AnthropicModel

            return AnthropicModel.create(name, environ=environ)


def _registered_models() -> dict[str, metadata.EntryPoint]:
    return {
        point.name: point
        for point in metadata.entry_points(group=GROUP)
        if point.name not in KNOWN  # a stranger cannot take the place of a built-in provider
    }


def _third_party(point: metadata.EntryPoint, name: str, environ: Mapping[str, str]) -> Model:
    try:
        model: Model = point.load()(name, environ=environ)
    except AssayError:
        raise
    except Exception as error:
        raise ModelUnavailableError(
            f"model provider {point.name!r} cannot be loaded ({type(error).__name__})",
            hint=f"check the package that provides {point.value!r}",
        ) from error
    return model
