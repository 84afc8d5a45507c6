"""Where the public test data lies: `ASSAY_CASES`, else `shared/cases` beside the checkout."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CASES = Path(os.environ.get("ASSAY_CASES") or ROOT.parent / "shared" / "cases")


def read_retrieval_questions(cases: Path, folder: Path) -> list[dict[str, Any]]:
    """The labelled questions of the retrieval set; writes the texts asked about into *folder*."""
    place = cases / "grounded" / "retrieval"
    for passage in _rows(place / "passages.jsonl"):
        (folder / passage["file"]).write_text(passage["text"], encoding="utf-8")
    return _rows(place / "questions.jsonl")


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
