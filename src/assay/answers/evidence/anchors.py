"""Anchors, and the exact text of the evidence block.

In      candidates in their final order, the tokens that they may take
Out     Block: evidence with anchors C0, C1 …, the block's text, its tokens
Pure    yes
Spec    004 P3.1, R2.4, R2.5; interfaces.md, "Answers" (budget)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay.answers.evidence.sanitize import source_reference
from assay.answers.evidence.selection import Candidate
from assay.core.text.tokens import count, count_more

SEPARATOR: Final = "\n\n"
"""Stands between two chunks. A tokenizer never joins it with the `[` that follows, so the
tokens of the parts add up to those of the block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A chunk that entered the prompt."""

    citation_anchor: str
    """`C` and its place in the block, from 0."""

    chunk_id: str
    knowledge_id: str
    rank: int
    similarity_score: float
    source_reference: str
    """As it stands in the header line."""

    sanitized_text: str
    truncated: bool
    """Cut at the cap of one chunk."""

    @property
    def header(self) -> str:
        """The frozen header line, with the line feed that ends it."""
        return (
            f"[{self.citation_anchor} | chunk_id={self.chunk_id} | "
            f"knowledge_id={self.knowledge_id} | source={self.source_reference}]\n"
        )

    @property
    def rendered(self) -> str:
        """Header line and text."""
        return self.header + self.sanitized_text

    def to_dict(self) -> dict[str, Any]:
        """The wire form of one element of `selected_evidence`."""
        return {
            "chunk_id": self.chunk_id,
            "knowledge_id": self.knowledge_id,
            "rank": self.rank,
            "similarity_score": self.similarity_score,
            "citation_anchor": self.citation_anchor,
            "sanitized_text": self.sanitized_text,
            "source_reference": self.source_reference,
            "truncated": self.truncated,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The evidence as it stands in the prompt."""

    evidence: tuple[Evidence, ...]
    text: str
    tokens: int

    @property
    def anchor_map(self) -> dict[str, str]:
        """Anchor -> chunk id, in the order of the block."""
        return {item.citation_anchor: item.chunk_id for item in self.evidence}


def render(candidates: Sequence[Candidate], max_tokens: int, tokenizer: str) -> Block:
    """Give anchors and write the block, until the first chunk that does not fit.

    Args:
        candidates: In rank order.
        max_tokens: For the whole block, header lines included.
        tokenizer: What the tokens are counted with.

    Spec: 004 R2.4, R2.5.
    """
    taken: list[Evidence] = []
    before = whole = last = 0  # tokens of the taken parts, each with the separator behind it
    for place, candidate in enumerate(candidates):
        item = _evidence(place, candidate)
        alone, apart = _tokens(item, candidate, tokenizer)
        more = whole + apart
        if more > max_tokens and whole + alone > max_tokens:
            break
        taken.append(item)
        before, whole, last = whole, more, alone
    tokens = before + last
    if tokens > max_tokens:  # the separator had joined the text's last mark to fewer tokens
        return render(candidates[: len(taken) - 1], max_tokens, tokenizer)
    return Block(
        evidence=tuple(taken),
        text=SEPARATOR.join(item.rendered for item in taken),
        tokens=tokens,
    )


def _tokens(item: Evidence, candidate: Candidate, tokenizer: str) -> tuple[int, int]:
    """Of the chunk as it is written, without and with the separator behind it."""
    text = item.sanitized_text
    # The header ends in one piece of `]` and the line feed, which takes in what follows only if
    # that is white space or a slash.
    if candidate.tokens is None or text[0].isspace() or text[0] == "/":
        rendered = item.rendered
        return count(rendered, tokenizer), count(rendered + SEPARATOR, tokenizer)
    alone = count(item.header, tokenizer) + candidate.tokens
    return alone, alone + count_more(text, SEPARATOR, tokenizer)


def _evidence(place: int, candidate: Candidate) -> Evidence:
    chunk = candidate.chunk
    return Evidence(
        citation_anchor=f"C{place}",
        chunk_id=chunk.chunk_id,
        knowledge_id=chunk.knowledge_id,
        rank=chunk.rank,
        similarity_score=chunk.similarity_score,
        source_reference=source_reference(chunk.source_reference),
        sanitized_text=candidate.text,
        truncated=candidate.truncated,
    )
