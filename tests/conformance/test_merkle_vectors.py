"""The public vectors of the transparency-dev project, judged by record/tree.py."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

from assay.record.tree import verify_consistency, verify_inclusion


def _vectors(cases: Path, name: str) -> list[dict[str, Any]]:
    lines = (cases / "hashing" / "merkle" / name).read_text().splitlines()
    return [json.loads(line) for line in lines]


def _proof(vector: dict[str, Any]) -> list[bytes]:
    return [b64decode(part) for part in vector["proof"] or []]


def test_inclusion_proofs_are_judged_as_the_vectors_say(cases: Path) -> None:
    """A proof is good exactly when the vector wants no error."""
    vectors = _vectors(cases, "inclusion.jsonl")
    wrong = [
        vector["id"]
        for vector in vectors
        if (not vector["wantErr"])
        != verify_inclusion(
            vector["leafIdx"],
            vector["treeSize"],
            b64decode(vector["leafHash"]),
            _proof(vector),
            b64decode(vector["root"]),
        )
    ]

    assert (60, []) == (len(vectors), wrong)


def test_consistency_proofs_are_judged_as_the_vectors_say(cases: Path) -> None:
    """A proof is good exactly when the vector wants no error; none starts from an empty tree."""
    vectors = _vectors(cases, "consistency.jsonl")
    wrong = [
        vector["id"]
        for vector in vectors
        if (not vector["wantErr"])
        != verify_consistency(
            vector["size1"],
            vector["size2"],
            b64decode(vector["root1"]),
            b64decode(vector["root2"]),
            _proof(vector),
        )
    ]

    assert (60, []) == (len(vectors), wrong)
