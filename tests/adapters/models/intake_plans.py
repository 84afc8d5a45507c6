"""Plans for mails under the bundled intake contracts, built by hand from the pack's own files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from assay.contract.contract import Contract
from assay.contract.decoding import DecodingPlan, LabelSlot, Quote
from assay.core.sentences import sentences
from assay.pack.read import read_pack

PACK = Path(__file__).parents[3] / "src" / "assay" / "packs" / "intake"
OWN = Path(__file__).parent / "own_mails.yaml"
ITEMS = {
    "classify": ("/intents/*", "/product_line", "/urgency", "/risk_flags/*"),
    "extract": ("/entities/*",),
    "identify": ("/keys/*",),
}


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


def quotes(texts: Mapping[str, str]) -> tuple[Quote, ...]:
    """Each sentence, at most 200 code points of it."""
    found = []
    for name, text in texts.items():
        for start, stop in sentences(text):
            short = text[start : min(stop, start + 200)].rstrip()
            found.append(Quote(source=name, start=start, stop=start + len(short), text=short))
    return tuple(found)


def plan_of(name: str, texts: Mapping[str, str], signals: Sequence[str] = ()) -> DecodingPlan:
    """The plan of one contract over *texts*."""
    wanted = contract(name)
    return DecodingPlan(
        schema=wanted.schema.document,
        labels=tuple(LabelSlot(pattern=rule.pattern.text, set=rule.set) for rule in wanted.labels),
        scores=tuple(f"{item}/confidence" for item in ITEMS[name] if name != "identify"),
        quotes=tuple(f"{item}/evidence_snippets/*" for item in ITEMS[name]),
        texts=texts,
        sentences=quotes(texts),
        lexicon=wanted.lexicon,
        signals=tuple(signals),
    )
