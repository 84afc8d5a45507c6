"""Read one file of whatever kind: neither wait for ever nor swallow the machine.

In      a path, how many bytes at most
Out     its bytes; OSError with why there are none
Effects reads the file; waits for the other end of a pipe for a while
Spec    007-T4

Besides regular files a path can name a pipe that nobody writes to, a device that never ends, a
socket, a link to nowhere. A pipe that somebody writes to is a file like any other: it is how a
shell hands over what a command prints.
"""

from __future__ import annotations

import errno
import os
import select
import stat
from pathlib import Path
from typing import Final

__all__ = ["PIPE_PATIENCE_S", "is_link", "kind_of_file", "read_bounded"]

PIPE_PATIENCE_S: Final = 3.0
"""How long is waited for somebody to open the other end of a pipe."""

_BLOCK: Final = 1 << 20


def is_link(path: Path) -> bool:
    """Whether *path* is a link; no where nobody may look, and never an error."""
    return os.path.islink(path)  # noqa: PTH114 - `Path.is_symlink` raises for a closed folder


def kind_of_file(path: Path) -> str | None:
    """What *path* is that is no regular file and no folder, in words; None when it is one.

    Never raises: of what cannot be looked at, it says why.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        if is_link(path):
            loop = isinstance(error, OSError) and error.errno == errno.ELOOP
            return "a link that leads to itself" if loop else "a link that leads nowhere"
        if isinstance(error, OSError) and error.strerror:
            return f"cannot be looked at: {error.strerror}"
        return "no name of a file"
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def read_bounded(path: Path, limit: int, *, silence_s: float | None = None) -> bytes:
    """All bytes of the regular file or pipe at *path*.

    Args:
        limit: More bytes are too many.
        silence_s: How long a pipe that somebody writes to may say nothing; None is for ever.

    Raises:
        OSError: it is something else, gives nothing, or has more than *limit* bytes; its
            `strerror` is a phrase for people.
    """
    # Without O_NONBLOCK opening a pipe would wait for whoever writes to it.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        mode = os.fstat(descriptor).st_mode
        pipe = stat.S_ISFIFO(mode)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not pipe and not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "a device, not a file")
        return _read_pipe(descriptor, limit, silence_s) if pipe else _read_all(descriptor, limit)
    finally:
        os.close(descriptor)


def _read_all(descriptor: int, limit: int) -> bytes:
    blocks: list[bytes] = []
    size = 0
    while block := os.read(descriptor, _BLOCK):
        blocks.append(block)
        size += len(block)
        _check_size(size, limit)
    return b"".join(blocks)


def _read_pipe(descriptor: int, limit: int, silence_s: float | None) -> bytes:
    """Until whoever writes closes it; who has not opened it yet is waited for as well."""
    blocks: list[bytes] = []
    size, opened = 0, False
    while True:
        # Nothing is ready while nobody has opened the other end; it ends once all have closed it.
        wait = silence_s if opened else PIPE_PATIENCE_S
        ready, _, _ = select.select([descriptor], [], [], 0)
        try:
            block = os.read(descriptor, _BLOCK)
        except BlockingIOError:  # somebody has opened it and says nothing yet
            opened, wait = True, silence_s
        else:
            if block:
                blocks.append(block)
                size, opened = size + len(block), True
                _check_size(size, limit)
                continue
            if ready:
                return b"".join(blocks)
        if not select.select([descriptor], [], [], wait)[0]:
            why = "a pipe that says nothing" if opened else "a pipe that nobody writes to"
            raise TimeoutError(errno.ETIMEDOUT, why)


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise OSError(errno.EFBIG, f"more than {limit} bytes")
