"""`pack.lock`: the digest of every file of a pack, and the one digest over them all.

In      files of a pack
Out     the lock's bytes; a digest; faults, or one warning, where files and lock differ
Pure    yes
Spec    interfaces.md, "Packs" (pack.lock); 007-P4

The lock is text, a file a line, sorted by name, so that a change of a pack reads well in a
diff and a fault has a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from assay.core.json.canonical import digest, digest_json
from assay.errors import PackError

LOCK: Final = "pack.lock"
FORM: Final = "assay-pack-lock 1"

NAMED: Final = 5
"""So many files are named in a warning."""

_KINDS: Final = ("changed", "gone", "not locked")
_LINE = re.compile(r"(sha256:[0-9a-f]{64}) {2}(.+)")


def lock_text(files: Mapping[str, bytes]) -> bytes:
    """The lock of *files*; a lock among them does not count.

    Raises:
        PackError: the name of a file has no place in a line.
    """
    for name in files:
        if "\n" in name:
            hint = "rename the file"
            raise PackError("a name with a line end cannot be locked", file=name, hint=hint)
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
    if LOCK not in files and required:
        hint = "`assay pack lock` writes the digests"
        yield PackError("the pack is not locked", file=LOCK, line=1, hint=hint)
    for found in _differences(files):
        hint = "look at the change, then lock again" if found.kind == "changed" else ""
        yield PackError(found.message, file=LOCK, line=found.line, hint=hint)


def lock_warning(files: Mapping[str, bytes], pack: str) -> PackError | None:
    """One line for all differences between the files of *pack* and their lock; None when there
    is none, or no lock."""
    found = list(_differences(files))
    if not found:
        return None
    named = [one for one in found if one.name]
    words = []
    for kind in _KINDS:
        names = [one.name for one in named[:NAMED] if one.kind == kind]
        words += [f"{kind} {', '.join(names)}"] if names else []
    if len(named) > NAMED:
        words.append(f"{len(named) - NAMED} more")
    if len(named) < len(found):
        words.append("lines that are none of a lock")
    return PackError(
        f"pack {pack!r} is not what was locked: {'; '.join(words)}",
        file=LOCK,
        hint="`assay pack verify` names each; look at them, then `assay pack lock`",
    )


class _Difference(NamedTuple):
    line: int
    message: str
    kind: str = ""
    name: str = ""
    """Of the file; empty for a line that is none of a lock."""


def _differences(files: Mapping[str, bytes]) -> Iterator[_Difference]:
    if LOCK not in files:
        return
    try:
        lines = files[LOCK].decode("utf-8").split("\n")
    except UnicodeDecodeError:
        yield _Difference(1, "is not UTF-8")
        return
    if lines[0] != FORM:
        yield _Difference(1, f"does not start with {FORM!r}")
        return
    seen: set[str] = set()
    for number, line in enumerate(lines[1:], start=2):
        if not line and number == len(lines):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            yield _Difference(number, "is no line of a lock")
            continue
        locked, name = match.groups()
        if name in seen:
            yield _Difference(number, f"names {name!r} twice")
        seen.add(name)
        if name == LOCK or name not in files:
            yield _Difference(number, f"file {name!r} is gone", "gone", name)
        elif digest(files[name]) != locked:
            yield _Difference(number, f"file {name!r} is not what was locked", "changed", name)
    for name in sorted(files.keys() - seen - {LOCK}):
        yield _Difference(len(lines), f"file {name!r} is not locked", "not locked", name)
