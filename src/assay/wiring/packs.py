"""A pack's or contract's name becomes the checked thing itself.

In      a bundled pack's name, or a folder; `PACK/NAME`
Out     Pack, Contract
Effects reads files
Spec    interfaces.md, "Packs", "Python"; 007-P4
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from assay.adapters.entry_points import PublishedChecks
from assay.adapters.folders import read_pack_folder
from assay.contract.contract import Contract
from assay.errors import InputError, IntegrityError, UsageError
from assay.pack.lock import lock_warning
from assay.pack.pack import Pack
from assay.pack.read import read_pack
from assay.redaction.redactor import DEFAULT_REGIONS, Recogniser, Redactor
from assay.wiring.settings import Settings

_log = logging.getLogger("assay.pack")


def load_pack(name: str, *, locked: bool = False) -> Pack:
    """Read and check a bundled pack by name, or any pack by its folder.

    What it warns of stands in `warnings` and goes to the logger `assay.pack`: among it, that the
    files are no longer what `pack.lock` says.

    Args:
        locked: Refuse a pack that is not what its `pack.lock` says. One without a lock says
            nothing and is taken.

    Raises:
        PackError: with file and line, when the pack does not say what it must.
        InputError: there is no such pack or folder.
        IntegrityError: it is not what was locked, and that is asked for.
    """
    files, hint = read_pack_folder(name)
    pack = read_pack(files, name_hint=hint, checks=PublishedChecks())
    changed = lock_warning(files, pack.name)
    if changed is not None:
        if locked:
            raise IntegrityError(str(changed), hint=changed.hint)
        pack = replace(pack, warnings=(changed, *pack.warnings))
    for warning in pack.warnings:
        _log.warning("%s%s", warning, f" ({warning.hint})" if warning.hint else "")
    return pack


def load_contract(reference: str) -> Contract:
    """The contract that `PACK/NAME` names; PACK is a bundled pack or a folder."""
    pack_name, slash, name = reference.rpartition("/")
    if not slash or not pack_name or not name:
        raise UsageError(f"{reference!r} names no contract", hint="as PACK/NAME: intake/classify")
    return load_pack(pack_name).contract(name)


def bundled_pack(name: str) -> Pack:
    """The bundled pack that a recorded call names.

    Raises:
        InputError: it is not bundled; its folder has to be given.
    """
    try:
        return load_pack(name)
    except InputError as error:
        raise InputError(
            f"pack {name!r} is not bundled", hint="give the folder of the pack with --pack"
        ) from error


def redactor_for(
    pack: Pack | None, settings: Settings, regions: Sequence[str] = DEFAULT_REGIONS
) -> Redactor:
    """The redactor under the environment's key, with the classes that *pack* adds.

    Raises:
        UsageError: the recogniser that is asked for is not installed.
        ExecutionError: its model for names cannot be loaded.
        InputError: a region is unknown.
    """
    recognisers: tuple[Recogniser, ...] = ()
    if settings.recogniser_model and not settings.recogniser:
        raise UsageError(
            "ASSAY_RECOGNISER_MODEL is set, and no recogniser to use it",
            hint="set ASSAY_RECOGNISER=presidio",
        )
    if settings.recogniser == "presidio":
        from assay.adapters.presidio import PresidioRecogniser

        recognisers = (PresidioRecogniser.create(model=settings.recogniser_model),)
    extra = () if pack is None else pack.redaction_classes
    return Redactor(settings.redaction_key, regions, extra, recognisers)
