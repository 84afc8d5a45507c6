"""A GGUF file on this machine: what is in it, and which bytes those are.

In      a path
Out     WeightsFile: header, digest of the whole file, the file's state when it was read
Pure    no: reads files; keeps the digests of large ones in the user's cache folder
Spec    interfaces.md, "Models" (`embedded:FILE.gguf`)

A digest that was computed before is believed when nothing about the file has changed: size,
times, place on the disk. Only large files are kept, only when they had been at rest for a while
as they were read, and only in a file that nobody else can write to.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from assay.adapters.models.embedded.gguf import (
    HEADER_BYTES,
    GgufError,
    Header,
    MoreBytesError,
    read_header,
)
from assay.errors import InputError, NotFoundError

KEPT_FROM_BYTES: Final = 512 << 20
"""Files below are read anew each time: that takes less than their model needs to load."""

_FIRST_BYTES: Final = 8 << 20
_AT_REST_NS: Final = 5 * 10**9
_MOST_KEPT: Final = 256

State = tuple[int, int, int, int, int]
"""Size, time of the last change of content and of anything, number on the disk, disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsFile:
    """A file that holds a language model."""

    path: Path
    header: Header
    sha256: str
    """`sha256:` and 64 hex digits, over the whole file."""

    state: State

    @property
    def size_bytes(self) -> int:
        return self.state[0]

    def is_unchanged(self) -> bool:
        """Whether the file is still the one that was read, as far as the file system tells."""
        try:
            return _state(self.path) == self.state
        except OSError:
            return False


def read_weights(name: str, environ: Mapping[str, str], *, anew: bool = False) -> WeightsFile:
    """Read what *name* is.

    Args:
        name: A path; `~` is the user's home.
        environ: Says where the user's cache folder is.
        anew: Compute the digest whatever is kept.

    Raises:
        NotFoundError: there is no such file.
        InputError: it cannot be read, or is no GGUF with a language model.
    """
    path = Path(name)
    try:
        path = path.expanduser().resolve()
        if path.is_dir():
            raise InputError(f"{name!r} is a folder", hint="name a file, FILE.gguf")
        if not path.is_file():
            raise NotFoundError(
                f"there is no file {name!r}",
                hint="give the path of a GGUF file: embedded:FILE.gguf",
            )
        before = _state(path)
        header = _read_header(path)
        digest = _digest(path, before, environ, anew=anew)
        if _state(path) != before:
            raise InputError(f"{name!r} changed while it was read", hint="try again")
    except GgufError as error:
        raise InputError(
            f"{name!r} cannot be used as a GGUF model: {error}",
            hint="give a whole language model in GGUF, version 2 or 3",
        ) from error
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(
            f"{name!r} cannot be read ({type(error).__name__})", hint="check path and rights"
        ) from error
    return WeightsFile(path=path, header=header, sha256=digest, state=before)


def file_digest(path: Path) -> str:
    """`sha256:` and 64 hex digits over the file's bytes."""
    found = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return f"sha256:{found.hexdigest()}"


def _read_header(path: Path) -> Header:
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(_FIRST_BYTES)
        try:
            return read_header(data, size)
        except MoreBytesError:
            return read_header(data + file.read(HEADER_BYTES - len(data)), size)


def _state(path: Path) -> State:
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev


def _digest(path: Path, state: State, environ: Mapping[str, str], *, anew: bool) -> str:
    if state[0] < KEPT_FROM_BYTES:
        return file_digest(path)
    store = _store(environ)
    kept = {} if store is None else _kept_digests(store)
    entry = kept.get(str(path))
    if not anew and entry is not None and entry[0] == list(state):
        return entry[1]
    began = time.time_ns()
    digest = file_digest(path)
    # A file that was written a moment ago may be written again within one tick of its times.
    if store is not None and began - max(state[1], state[2]) > _AT_REST_NS:
        kept.pop(str(path), None)
        newest = dict([*kept.items(), (str(path), (list(state), digest))][-_MOST_KEPT:])
        _keep_digests(store, newest)
    return digest


def _store(environ: Mapping[str, str]) -> Path | None:
    """Where digests are kept; None where there is no such place."""
    folder = environ.get("XDG_CACHE_HOME")
    try:
        return (Path(folder) if folder else Path.home() / ".cache") / "assay" / "weights.json"
    except RuntimeError:
        return None


def _kept_digests(store: Path) -> dict[str, tuple[list[int], str]]:
    """What an earlier process kept; nothing of a file that another user could have written."""
    try:
        found = store.stat()
        if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o022):
            return {}
        document: Any = json.loads(store.read_bytes())
        return {
            str(path): ([int(number) for number in entry["state"]], str(entry["sha256"]))
            for path, entry in document.items()
            if str(entry["sha256"]).startswith("sha256:")
        }
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return {}


def _keep_digests(store: Path, kept: Mapping[str, tuple[list[int], str]]) -> None:
    """Write beside and rename; what cannot be kept is computed again the next time."""
    document = {path: {"state": state, "sha256": digest} for path, (state, digest) in kept.items()}
    beside = store.with_name(f"{store.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        store.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside.touch(mode=0o600, exist_ok=False)
        beside.write_text(json.dumps(document, indent=1), encoding="utf-8")
        beside.replace(store)
