"""Which files of a folder somebody may have meant, told by their names.

In      names of files and folders
Out     whether to look into them; why a document of a known kind cannot be read
Pure    no clock, no randomness, no I/O
Spec    008-S6
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

SKIPPED_FOLDERS: Final = frozenset(
    {
        "__pycache__",
        "bower_components",
        "jspm_packages",
        "node_modules",
        "site-packages",
        "__MACOSX",
    }
)
"""What programs put there: installed packages, compiled files, copies of attributes."""

UNREAD_SUFFIXES: Final[Mapping[str, str]] = {
    ".doc": "is an old Word file: save it as .docx",
    ".xls": "is an old Excel file: save it as .xlsx",
    ".xlsb": "is a binary Excel file: save it as .xlsx",
    ".ppt": "is an old PowerPoint file: save it as .pptx",
    ".odt": "is an OpenDocument text: save it as .docx",
    ".ods": "is an OpenDocument sheet: save it as .xlsx",
    ".odp": "is an OpenDocument presentation: save it as .pptx",
    ".pages": "is a Pages document: export it as .docx or .pdf",
    ".numbers": "is a Numbers sheet: export it as .xlsx",
    ".key": "is a Keynote presentation or a key: export it as .pptx",
    ".epub": "is an e-book, which is not read",
    ".xps": "is an XPS document: save it as .pdf",
}
"""Endings of documents that people expect to be read, and what to do instead."""

_UNWANTED = re.compile(
    r"~\$.*"  # lock files of office programs
    r"|.*\.min\.(?:js|mjs|cjs|css)|.*\.(?:js|css|ts)\.map|.*[._-]bundle\.js|.*\.chunk\.js"
    r"|(?:package-lock|npm-shrinkwrap|composer\.lock|packages\.lock|tsconfig\.tsbuildinfo)\.json"
    r"|pnpm-lock\.ya?ml|(?:conda|environment)-lock\.ya?ml|go\.sum|.*\.lock",
    re.IGNORECASE,
)


def is_wanted(name: str) -> bool:
    """Whether a file of a folder was written for readers: no lock file, nothing minified.

    Example:
        >>> is_wanted("rules.md"), is_wanted("jquery.min.js"), is_wanted("package-lock.json")
        (True, False, False)
    """
    return _UNWANTED.fullmatch(name.rpartition("/")[2]) is None
