"""`pack.lock`: the digest of every file of a pack, and the one digest over them all.

In      files of a pack
Out     the lock's bytes; a digest; faults where files and lock differ
Pure    yes
Spec    interfaces.md, "Packs" (pack.lock)

The lock is text, a file a line, sorted by name, so that a change of a pack reads well in a
diff and a fault has a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from assay.core.json.canonical import digest, digest_json
from assay.errors import PackError

LOCK: Final = "pack.lock"
FORM: Final = "assay-pack-lock 1"

_LINE = re.compile(r"(sha256:[0-9a-f]{64}) {2}(\S.*)")


def lock_text(files: Mapping[str, bytes]) -> bytes:
    """The lock of *files*; a lock among them does not count."""
    lines = [f"{digest(files[name])}  {name}" for name in sorted(files) if name != LOCK]
    return "\n".join([FORM, *lines, ""]).encode("utf-8")


def files_digest(files: Mapping[str, bytes]) -> str:
    """The digest of a pack: over names and digests of all files but the lock."""
    return digest_json({name: digest(data) for name, data in files.items() if name != LOCK})


def lock_faults(files: Mapping[str, bytes], *, required: bool = False) -> Iterator[PackError]:
    """Every difference between the files and their lock, with the lock's line.

    Args:
        required: Whether it is a fault that there is no lock.
    """
    if LOCK not in files:
        if required:
            hint = "`assay pack lock` writes the digests"
            yield PackError("the pack is not locked", file=LOCK, line=1, hint=hint)
        return
    try:
        lines = files[LOCK].decode("utf-8").split("\n")
    except UnicodeDecodeError:
        yield PackError("is not UTF-8", file=LOCK, line=1)
        return
    if lines[0] != FORM:
        yield PackError(f"does not start with {FORM!r}", file=LOCK, line=1)
        return
    seen: set[str] = set()
    for number, line in enumerate(lines[1:], start=2):
        if not line and number == len(lines):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            yield PackError("is no line of a lock", file=LOCK, line=number)
            continue
        locked, name = match.groups()
        if name in seen:
            yield PackError(f"names {name!r} twice", file=LOCK, line=number)
        seen.add(name)
        if name == LOCK or name not in files:
            yield PackError(f"file {name!r} is gone", file=LOCK, line=number)
        elif digest(files[name]) != locked:
            yield PackError(
                f"file {name!r} is not what was locked",
                file=LOCK,
                line=number,
                hint="look at the change, then lock again",
            )
    for name in sorted(files.keys() - seen - {LOCK}):
        yield PackError(f"file {name!r} is not locked", file=LOCK, line=len(lines))
