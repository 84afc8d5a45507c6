"""What an answer cites, told as a person would look it up; and what came nearest where none did.

In      an assembly, what R5 said of the answer, what was retrieved and where it stands
Out     one mapping for each cited anchor; the passage that missed a gate of the policy
Pure    yes
Spec    interfaces.md, "Answers" (`assay ask --json`); 008-A4, 008-A5, 008-R7, 008-R3
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.answers.assemble import Assembly
from assay.answers.evidence.bundle import Chunk, RetrievalBundle, read_bundle
from assay.answers.evidence.selection import DROP_FLOOR, DROP_TOP
from assay.answers.evidence.source_map import SourceMap, map_to_source
from assay.answers.gate.validation import ValidationResult
from assay.answers.retrieval import Place

_TOLD = ("file", "page", "line", "title", "heading", "metadata")


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """One chunk that was retrieved, with its place where retrieval knows it."""

    chunk: Chunk
    place: Place | None

    def to_dict(self) -> dict[str, Any]:
        """File, page, line, title, heading and metadata, as far as they are known."""
        if self.place is not None:
            told = self.place.to_dict()
            return {name: told[name] for name in _TOLD}
        metadata = dict(self.chunk.metadata)
        page = metadata.get("page", "")
        return {
            "file": None,
            "page": int(page) if page.isascii() and page.isdigit() and len(page) < 10 else None,
            "line": None,
            "title": metadata.get("title"),
            "heading": metadata.get("heading", ""),
            "metadata": metadata,
        }

    def source_map(self, shown: str) -> SourceMap | None:
        """From the chunk in the prompt to the chunk in its file; None where it is not sure.

        It is sure where the chunk is that part of the file: as long as its place says.
        """
        place = self.place
        if place is None or len(self.chunk.chunk_text) != place.stop - place.start:
            return None
        return map_to_source(self.chunk.chunk_text, shown)


def found_chunks(
    bundle: Mapping[str, Any] | RetrievalBundle | Assembly, places: Mapping[str, Place]
) -> dict[str, FoundChunk]:
    """Every chunk that was retrieved, by its id; none of a bundle that cannot be read."""
    if isinstance(bundle, Assembly):
        return {}
    read = read_bundle(bundle)
    results = read.results if isinstance(read, RetrievalBundle) else ()
    return {each.chunk_id: FoundChunk(each, places.get(each.chunk_id)) for each in results}


def cite(
    assembly: Assembly, validation: ValidationResult | None, found: Mapping[str, FoundChunk]
) -> list[dict[str, Any]]:
    """One mapping for each anchor that is cited, in the order of the answer."""
    cited: dict[str, dict[str, Any]] = {}
    maps: dict[str, SourceMap | None] = {}
    for each in () if validation is None else validation.validated_citations:
        anchor, chunk = each["anchor"], found[each["chunk_id"]]
        place = chunk.place
        if anchor not in cited:
            text = _text_of(assembly, anchor)
            maps[anchor] = chunk.source_map(text)
        carries = _carrying_place(each["span"], maps[anchor], place)
        if anchor not in cited:
            cited[anchor] = {
                "anchor": anchor,
                "chunk_id": each["chunk_id"],
                "source_reference": each["source_reference"],
                "start": None if place is None else place.start,
                "stop": None if place is None else place.stop,
                **chunk.to_dict(),
                "text": text,
                **carries,
                "markers": [],
            }
        cited[anchor]["markers"].append({"start": each["start"], "stop": each["stop"], **carries})
    return list(cited.values())


def nearest_miss(assembly: Assembly, found: Mapping[str, FoundChunk]) -> dict[str, Any] | None:
    """The passage that came nearest, where a gate of the policy let nothing pass."""
    if assembly.status != "NO_EVIDENCE":
        return None
    thresholds = {
        DROP_TOP: assembly.policy.top_similarity_threshold,
        DROP_FLOOR: assembly.policy.min_similarity_threshold,
    }
    drops = assembly.answer_bundle.assembly_metrics["drops"]
    stopped = next((drop for drop in drops if drop["code"] in thresholds), None)
    nearest = None if stopped is None else found.get(stopped["chunk_id"])
    if stopped is None or nearest is None:
        return None
    return {
        "chunk_id": nearest.chunk.chunk_id,
        "similarity_score": nearest.chunk.similarity_score,
        "threshold": thresholds[stopped["code"]],
        "source_reference": nearest.chunk.source_reference,
        **nearest.to_dict(),
    }


def _carrying_place(
    span: Mapping[str, int] | None, source: SourceMap | None, place: Place | None
) -> dict[str, Any]:
    """What carries a claim: in the text of the chunk, and in that of the file where it is sure."""
    there = None
    if span is not None and source is not None and place is not None:
        there = source.span(span["start"], span["stop"])
    offset = 0 if place is None else place.start
    return {
        "span": None if span is None else dict(span),
        "source_start": None if there is None else offset + there[0],
        "source_stop": None if there is None else offset + there[1],
    }


def _text_of(assembly: Assembly, anchor: str) -> str:
    evidence = assembly.answer_bundle.selected_evidence
    return next(item.sanitized_text for item in evidence if item.citation_anchor == anchor)
