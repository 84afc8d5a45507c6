"""Plans for mails under the bundled intake contracts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from assay.contract.build import build
from assay.contract.contract import Contract
from assay.contract.decoding.plan import DecodingPlan, Quote, plan, quotables
from assay.contract.material import Built, Material
from assay.core.text.spans import Shown
from assay.pack.read import read_pack
from assay.redaction.redactor import Redactor

PACK = Path(__file__).parents[3] / "src" / "assay" / "packs" / "intake"
OWN = Path(__file__).parent / "own_mails.yaml"


@cache
def contract(name: str) -> Contract:
    files = {
        path.relative_to(PACK).as_posix(): path.read_bytes()
        for path in PACK.rglob("*")
        if path.is_file()
    }
    return read_pack(files).contract(name)


def own_mails(which: str) -> list[dict[str, Any]]:
    return yaml.safe_load(OWN.read_text("utf-8"))[which]


def texts_of(mail: Mapping[str, Any]) -> dict[str, str]:
    return {"subject": mail["subject"], "body": mail["body"]}


def material(texts: Mapping[str, str], signals: Sequence[str] = ()) -> Material:
    return Material(texts=dict(texts), signals=tuple(signals))


def quotes(texts: Mapping[str, str]) -> tuple[Quote, ...]:
    """What may be quoted where all of *texts* is shown."""
    return tuple(quotables([Shown.of_text(name, text) for name, text in texts.items()]))


def plan_of(name: str, texts: Mapping[str, str], signals: Sequence[str] = ()) -> DecodingPlan:
    """The plan of the first attempt of one contract over *texts*."""
    about = material(texts, signals)
    built = build(contract(name), about, 1, Redactor())
    assert isinstance(built, Built)
    return plan(contract(name), built, about)
