"""Jupyter notebooks: text and code of the cells, without what the code gave.

In      the text of an IPYNB file
Out     Laid: Markdown, with the code in fences; or Unreadable
Pure    no clock, no randomness, no I/O: equal bytes give equal text
Spec    008-S2
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from assay.sources.charsets import clean
from assay.sources.documents.markdown import read_markdown
from assay.sources.documents.outline import Laid
from assay.sources.reading import Note, Unreadable

MAX_CELLS = 20_000


def read_notebook(text: str) -> Laid | Unreadable:
    """Read *text*; never raises."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return Unreadable(reason="is a damaged notebook")
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list):
        return Unreadable(reason="is no notebook of version 4")
    language = _language(content.get("metadata"))
    pieces: list[str] = []
    outputs = 0
    for cell in cells[:MAX_CELLS]:
        if not isinstance(cell, dict):
            continue
        source = clean(_source(cell.get("source"))).strip("\n")
        outputs += bool(cell.get("outputs"))
        if not source.strip():
            continue
        if cell.get("cell_type") == "code":
            fence = "```" if "```" not in source else "~~~~~"
            source = f"{fence}{language}\n{source}\n{fence}"
        pieces.append(source)
    laid = read_markdown("\n\n".join(pieces))
    notes = list(laid.notes)
    if outputs:
        notes.append(Note(code="notebook.output", detail=f"outputs of {outputs} cells"))
    if len(cells) > MAX_CELLS:
        detail = f"{MAX_CELLS} of {len(cells)} cells were read"
        notes.append(Note(code="table.cut", detail=detail))
    return replace(laid, notes=tuple(notes))


def _source(value: Any) -> str:
    if isinstance(value, list):
        return "".join(each for each in value if isinstance(each, str))
    return value if isinstance(value, str) else ""


def _language(metadata: Any) -> str:
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) and name.isalnum() and len(name) < 20 else ""
