"""A folder, or the name of a bundled pack, becomes the bytes of its files.

In      a name as given by the caller
Out     {relative file name: bytes}, and what to call the pack
Effects reads files; never outside the folder
Spec    interfaces.md, "Packs" ("where PACK is a bundled pack's name or a folder")

A pack is small data. A link that leads out of the folder, a device, or a file too large to
be a pack's is refused by name; what a version control system or an editor leaves behind is
passed over.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from importlib.resources import files as resources
from pathlib import Path

from assay.errors import InputError, NotFoundError, PackError

MAX_FILE_BYTES = 32 << 20
MAX_TOTAL_BYTES = 128 << 20
MAX_FILES = 5_000

_PASSED_OVER = frozenset({"__pycache__", "node_modules"})


def bundled_packs() -> tuple[str, ...]:
    """Names of the packs that come with the package, sorted."""
    root = _bundled_root()
    if not root.is_dir():
        return ()
    return tuple(sorted(entry.name for entry in root.iterdir() if _is_pack(entry)))


def pack_folder(name: str) -> Path:
    """The folder that *name* means: a bundled pack by its bare name, else a path.

    A folder in the working directory does not hide a bundled pack: write `./intake` for it.

    Raises:
        InputError: there is no such pack or folder.
    """
    if not name or "\0" in name:
        raise InputError(f"{name!r} names no pack", hint="a bundled name or a folder")
    if name in bundled_packs():
        return _bundled_root() / name
    folder = Path(name)
    try:
        if folder.is_dir():
            return folder
        exists = folder.exists()
    except OSError as error:
        raise InputError(f"pack {name!r} cannot be looked at: {error.strerror}") from error
    if exists:
        raise InputError(f"pack {name!r} is no folder", hint="name the folder that holds it")
    known = ", ".join(bundled_packs())
    raise NotFoundError(f"pack {name!r} does not exist", hint=f"bundled: {known}; or a folder")


def read_pack_folder(name: str) -> tuple[dict[str, bytes], str]:
    """All files of the pack *name*, and the name of its folder.

    Raises:
        InputError: there is no such pack or folder, or it cannot be read.
        PackError: a file is too large, or no file of the folder's own.
    """
    folder = pack_folder(name)
    return read_folder(folder), folder.resolve().name


def read_folder(folder: Path) -> dict[str, bytes]:
    """All files under *folder* by relative name with `/`, in sorted order.

    Raises:
        InputError: a file or folder cannot be read.
        PackError: a link leads out of the folder, a file is no regular file, or all of it is
            too large.
    """
    root = folder.resolve()
    found: dict[str, bytes] = {}
    total = 0
    for path in _walk(folder):
        name = path.relative_to(folder).as_posix()
        if len(found) >= MAX_FILES:
            raise PackError(f"has more than {MAX_FILES} files", file=folder.name)
        try:
            target = path.resolve(strict=True)
            if not target.is_relative_to(root):
                raise PackError("is a link that leads out of the pack", file=name)
            data = _read_file(target, name)
        except RuntimeError as error:  # a link that leads to itself
            raise PackError("is a link without end", file=name) from error
        except OSError as error:
            message = f"pack file {name!r} cannot be read: {error.strerror or 'unknown fault'}"
            raise InputError(message) from error
        total += len(data)
        if total > MAX_TOTAL_BYTES:
            raise PackError(f"is larger than {MAX_TOTAL_BYTES} bytes", file=folder.name)
        found[name] = data
    return found


def _walk(folder: Path) -> Iterator[Path]:
    """Files in sorted order; links to folders are not followed, links to files are given."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        message = f"folder {folder.name!r} cannot be read: {error.strerror or 'unknown fault'}"
        raise InputError(message) from error
    for entry in entries:
        if entry.name.startswith(".") or entry.name in _PASSED_OVER or entry.name.endswith("~"):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path))
        elif entry.is_symlink() and Path(entry.path).is_dir():
            raise PackError("is a link to a folder", file=entry.name, hint="copy the files")
        else:
            yield Path(entry.path)


def _read_file(path: Path, name: str) -> bytes:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise PackError("is no regular file", file=name)
    if status.st_size > MAX_FILE_BYTES:
        raise PackError(f"is larger than {MAX_FILE_BYTES} bytes", file=name)
    data = path.read_bytes()
    if len(data) > MAX_FILE_BYTES:
        raise PackError(f"is larger than {MAX_FILE_BYTES} bytes", file=name)
    return data


def _bundled_root() -> Path:
    return Path(str(resources("assay"))) / "packs"


def _is_pack(entry: Path) -> bool:
    return (entry / "pack.yaml").is_file()
