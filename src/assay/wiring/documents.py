"""The documents of an outcome, written into a folder.

In      a pack that names a document, the outcome of one input, a folder
Out     NAME.md, NAME.html, NAME.docx, NAME.pdf
Effects writes files
Spec    002-N4; docs/decisions/0007
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from assay.adapters.documents.document import Document, read_structure
from assay.adapters.documents.docx import render_docx
from assay.adapters.documents.html import render_html
from assay.adapters.documents.markdown import render_markdown
from assay.adapters.documents.pdf import render_pdf
from assay.errors import InputError, UsageError
from assay.pack.pack import Pack
from assay.runtime.calls.run import ItemOutcome

WRITERS: Final[Mapping[str, Callable[[Document], bytes]]] = {
    "md": render_markdown,
    "html": render_html,
    "docx": render_docx,
    "pdf": render_pdf,
}
"""By ending of the file."""

_LONGEST_STEM = 100


class Documents:
    """Writes what a flow delivers; every input gets names of its own."""

    def __init__(self, pack: Pack, folder: Path) -> None:
        """Make *folder* where it is missing.

        Raises:
            UsageError: the pack delivers no document, or no writer is installed.
            InputError: the folder cannot be made.
        """
        if pack.document is None:
            raise UsageError(
                f"pack {pack.name!r} delivers no document",
                hint="a pack names one under `document` in pack.yaml",
            )
        _is_installed()
        self._result = pack.contract(pack.document).result_name
        self._folder = folder
        self._used: set[str] = set()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"folder {str(folder)!r} cannot be made: {error.strerror}") from error

    def write(self, outcome: ItemOutcome) -> tuple[Path, ...]:
        """Write the document of *outcome* in every format; nothing when it has none.

        Raises:
            InputError: what was accepted is no document, or a file cannot be written.
        """
        value = (outcome.result or {}).get(self._result)
        if not isinstance(value, Mapping):
            return ()
        document = read_structure(value)
        stem = self._stem(outcome.input)
        paths = []
        for ending, write in WRITERS.items():
            path = self._folder / f"{stem}.{ending}"
            try:
                path.write_bytes(write(document))
            except OSError as error:
                raise InputError(f"{str(path)!r} cannot be written: {error.strerror}") from error
            paths.append(path)
        return tuple(paths)

    def _stem(self, name: str) -> str:
        plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in Path(name).stem)
        stem = plain.strip(".")[:_LONGEST_STEM] or "document"
        free, number = stem, 1
        while free in self._used:
            number += 1
            free = f"{stem}-{number}"
        self._used.add(free)
        return free


def _is_installed() -> None:
    try:
        import docx as _word  # noqa: F401
        import reportlab  # noqa: F401
    except ImportError as error:
        raise UsageError(
            f"package {error.name!r} is not installed", hint='pip install "assay[documents]"'
        ) from error
