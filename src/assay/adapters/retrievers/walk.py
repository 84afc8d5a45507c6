"""The files that a caller means: named ones, and the documents in folders.

In      paths as the caller names them
Out     DocumentFile, sorted by name; what is left out and why
Effects looks at files and folders, reads none
Spec    008-R5; interfaces.md, "Command line" (`assay ask --docs`)
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assay.answers.retrieval import LeftOut
from assay.errors import InputError
from assay.files import is_link, kind_of_file
from assay.sources.document import SUFFIXES
from assay.sources.wanted import SKIPPED_FOLDERS, UNREAD_SUFFIXES, is_wanted

_KINDS_NAMED: Final = 8
"""Endings of files that are named when they are not read."""


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """A file that is to be in the index."""

    name: str
    path: Path


def find_documents(docs: Sequence[str]) -> tuple[list[DocumentFile], list[LeftOut]]:
    """The files that *docs* mean, sorted by name, and folders that hold none.

    A named file is always taken. A folder gives the documents in it, hidden ones aside.

    Raises:
        InputError: a path does not exist or cannot be looked at.
    """
    files: dict[str, DocumentFile] = {}
    left_out: list[LeftOut] = []
    for given in docs:
        path = Path(given)
        try:
            if path.is_dir():
                found, passed_over = _walk(path)
                left_out += passed_over
                if not found and not passed_over:
                    endings = " ".join(sorted(SUFFIXES))
                    left_out.append(
                        LeftOut(file=name_of(path), reason=f"holds no document ({endings})")
                    )
            elif path.is_file():
                found = [path]
            elif path.exists():
                left_out.append(LeftOut(file=name_of(path), reason=f"is {kind_of_file(path)}"))
                continue
            else:
                raise InputError(
                    f"{given!r} does not exist", hint="name an existing file or folder"
                )
        except (OSError, ValueError) as error:
            raise InputError(
                f"{given!r} cannot be looked at: {type(error).__name__}",
                hint="check the name and the permissions",
            ) from error
        for each in found:
            files.setdefault(name_of(each), DocumentFile(name_of(each), each))
    return [files[name] for name in sorted(files)], left_out


def _walk(folder: Path) -> tuple[list[Path], list[LeftOut]]:
    """Documents in *folder*, sorted, and what looks like one or like a folder and cannot be read.

    Links to folders are not followed, so that no walk is endless.
    """
    found: list[Path] = []
    left_out: list[LeftOut] = []

    def pass_over(path: Path, reason: str) -> None:
        left_out.append(LeftOut(file=name_of(path), reason=reason))

    def unlisted(error: OSError) -> None:
        pass_over(Path(error.filename), f"a folder that cannot be listed: {error.strerror}")

    others: Counter[str] = Counter()
    for parent, folders, names in os.walk(folder, onerror=unlisted):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".")
            and name not in SKIPPED_FOLDERS
            and not Path(parent, name, "pyvenv.cfg").exists()
        ]
        for link in (Path(parent, name) for name in folders):
            if is_link(link):
                pass_over(link, "is a link to a folder")
        for name in names:
            file = Path(parent, name)
            ending = file.suffix.lower()
            if name.startswith(".") or not is_wanted(name):
                continue
            if ending in UNREAD_SUFFIXES:
                pass_over(file, UNREAD_SUFFIXES[ending])
                continue
            if ending not in SUFFIXES:
                others[ending or "no ending"] += 1
                continue
            kind = kind_of_file(file)
            if kind is None:
                found.append(file)
            else:
                pass_over(file, kind if kind.startswith("cannot") else f"is {kind}")
    if others and found:
        kinds = ", ".join(f"{count} {ending}" for ending, count in others.most_common(_KINDS_NAMED))
        more = "" if len(others) <= _KINDS_NAMED else ", …"
        pass_over(folder, f"files of other kinds are not read: {kinds}{more}")
    return sorted(found), left_out


def name_of(path: Path) -> str:
    """As the caller would write it; a byte that is no UTF-8 as `\\xff`: no two names are one.

    What is handed over as text may hold a lone surrogate that stands for no byte.
    """
    name = path.as_posix()
    try:
        data = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = name.encode("utf-8", "backslashreplace")
    return data.decode("utf-8", "backslashreplace")
