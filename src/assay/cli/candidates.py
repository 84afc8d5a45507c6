"""What a word of the command line may become: a pack, a contract, a model.

In      the word as far as it is typed
Out     candidates for the shell
Effects lists folders and installed packages; opens no store and calls no model
Spec    007-D1
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    Item = CompletionItem[Any]


def complete_pack(_: click.Context, __: click.Parameter, begun: str) -> list[Item]:
    """Bundled packs, and folders."""
    from assay.adapters.folders import bundled_packs

    names = [name for name in bundled_packs() if name.startswith(begun)]
    folders = list(_paths(begun, folders_only=True))
    return [CompletionItem(name) for name in (*names, *folders)]


def complete_contract(ctx: click.Context, parameter: click.Parameter, begun: str) -> list[Item]:
    """`PACK/NAME` of the bundled packs, of a pack in a folder that was written out, and folders."""
    from assay.adapters.folders import bundled_packs, pack_folder

    names = [f"{pack}/{name}" for pack in bundled_packs() for name in _contracts(pack_folder(pack))]
    given = begun.rpartition("/")[0]
    if given and Path(given).is_dir():
        names += [f"{given}/{name}" for name in _contracts(Path(given))]
    found = [name for name in names if name.startswith(begun)]
    folders = [item for item in complete_pack(ctx, parameter, begun) if item.value[-1:] == "/"]
    return [*map(CompletionItem, found), *folders]


def complete_model(_: click.Context, __: click.Parameter, begun: str) -> list[Item]:
    """Providers; where a file follows the colon, files."""
    from assay.adapters.models.registry import provider_usages

    provider, colon, name = begun.partition(":")
    usages = {usage.partition(":")[0].rstrip("["): usage for usage in provider_usages()}
    if colon:
        usage = usages.get(provider, "")
        ends = ".gguf" if "FILE.gguf" in usage else ""
        paths = _paths(name, ends=ends) if "FILE" in usage else ()
        return [CompletionItem(f"{provider}:{path}") for path in paths]
    return [
        CompletionItem(word)
        for name, usage in usages.items()
        for word in _ways_of_writing(name, usage)
        if word.startswith(begun)
    ]


def _ways_of_writing(provider: str, usage: str) -> Iterator[str]:
    """The provider alone where that will do, and with a colon where a name may follow."""
    if ":" not in usage or "[" in usage:
        yield provider
    if ":" in usage:
        yield f"{provider}:"


def _contracts(folder: Path) -> list[str]:
    return sorted(file.stem for file in (folder / "contracts").glob("*.yaml"))


def _paths(begun: str, *, folders_only: bool = False, ends: str = "") -> Iterator[str]:
    """Folders, with a slash at their end, and files whose path begins with *begun*."""
    parent, slash, name = begun.rpartition("/")
    try:
        entries = sorted(os.scandir(parent + slash or "."), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        hidden = entry.name.startswith(".") and not name.startswith(".")
        if hidden or not entry.name.startswith(name) or not entry.name.isprintable():
            continue
        if entry.is_dir():
            yield f"{parent}{slash}{entry.name}/"
        elif not folders_only and entry.name.endswith(ends):
            yield f"{parent}{slash}{entry.name}"
