"""The small pack that `assay pack new` writes: it works, verifies, and explains its fields.

In      a name
Out     {relative file name: bytes}, not locked yet: it is there to be changed
Effects reads files of the package
Spec    007-P2; interfaces.md, `assay pack new`

The pack stands beside this file as what it is, so that it can be read and changed as a pack.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from assay.errors import UsageError
from assay.pack.forms import PackForm

_FILES: Final = Path(__file__).parent / "new_pack_files"
_NAME: Final = b"PACK-NAME"
"""Stands in the files where the name of the pack belongs."""


def new_pack(name: str) -> dict[str, bytes]:
    """All files of a new pack called *name*.

    Raises:
        UsageError: the name is no name of a pack.
    """
    try:
        PackForm.model_validate({"name": name})
    except ValueError as error:
        raise UsageError(
            f"{name!r} is no name for a pack",
            hint="start with a letter; letters, digits, and _ . - may follow",
        ) from error
    if not name:
        raise UsageError("a pack has a name", hint="start with a letter")
    return {
        path.relative_to(_FILES).as_posix(): path.read_bytes().replace(_NAME, name.encode())
        for path in sorted(_FILES.rglob("*"))
        if path.is_file()
    }
