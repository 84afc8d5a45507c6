"""Settings and names become packs and one Runtime.

In      names
Out     what the command line and the service need, each loaded when it is first used
Spec    interfaces.md, "Python"

Judging an output needs a pack and neither store nor model: it does not pay for loading them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.wiring.facade import SyncRuntime, open
    from assay.wiring.opening import aopen
    from assay.wiring.packs import load_contract, load_pack, redactor_for
    from assay.wiring.settings import Settings, environment

__all__ = [
    "Settings",
    "SyncRuntime",
    "aopen",
    "environment",
    "load_contract",
    "load_pack",
    "open",
    "redactor_for",
]

_HOMES = {
    "Settings": "settings",
    "SyncRuntime": "facade",
    "aopen": "opening",
    "environment": "settings",
    "load_contract": "packs",
    "load_pack": "packs",
    "open": "facade",
    "redactor_for": "packs",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'assay.wiring' has no attribute {name!r}")
    value = getattr(import_module(f"assay.wiring.{home}"), name)
    globals()[name] = value
    return value
