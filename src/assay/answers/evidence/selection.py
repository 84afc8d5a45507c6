"""Choose which retrieved chunks may enter a prompt.

In      RetrievalBundle, SelectionPolicy, the prompt's structure
Out     Selection: candidates in rank order; dropped chunks, each with a reason code
Pure    no clock, no randomness, no I/O: equal inputs give equal bytes
Spec    004 R2.2, R2.3; interfaces.md, "Answers" (order of the gates)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import Final, NamedTuple

from assay.answers.evidence.bundle import Chunk, RetrievalBundle
from assay.answers.evidence.near_duplicates import NearDuplicates
from assay.answers.evidence.policy import SelectionPolicy
from assay.answers.evidence.sanitize import fold_blanks, safe_normalize_v1
from assay.answers.evidence.structure import Structure, is_plain
from assay.core.text.sentences import sentences
from assay.core.text.tokens import count, prefix_within

DROP_EMPTY: Final = "DROP_EMPTY_AFTER_SANITIZE"
DROP_STRUCTURE: Final = "DROP_STRUCTURE_CONFLICT"
DROP_TOP: Final = "DROP_TOP_SIMILARITY_GATE"
DROP_FLOOR: Final = "DROP_BELOW_SIMILARITY_FLOOR"
DROP_DUP: Final = "DROP_DUP"
DROP_KNOWLEDGE: Final = "DROP_PER_KNOWLEDGE_CAP"
DROP_MAX: Final = "DROP_MAX_CHUNKS"
DROP_BUDGET: Final = "DROP_BUDGET"
DROP_NO_EVIDENCE: Final = "DROP_NO_EVIDENCE"
DROP_CODES: Final = (
    DROP_EMPTY,
    DROP_STRUCTURE,
    DROP_TOP,
    DROP_FLOOR,
    DROP_DUP,
    DROP_KNOWLEDGE,
    DROP_MAX,
    DROP_BUDGET,
    DROP_NO_EVIDENCE,
)
"""Every reason for which a chunk is left out; each chunk is selected or has exactly one."""


class Drop(NamedTuple):
    """One chunk that was left out; there may be thousands."""

    chunk_id: str
    rank: int
    code: str
    """One of DROP_CODES."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One chunk that passed every gate; whether it fits the budget is seen while rendering."""

    chunk: Chunk
    text: str
    """Sanitised, cut to the cap of one chunk; never rewritten."""

    truncated: bool
    tokens: int | None = None
    """Of the text, where they had to be counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The outcome of the gates, before budget and anchors."""

    candidates: tuple[Candidate, ...]
    drops: tuple[Drop, ...]
    """In rank order."""


def select(bundle: RetrievalBundle, policy: SelectionPolicy, structure: Structure) -> Selection:
    """Put the results of *bundle* through the gates, in the order that is pinned.

    Sanitise, drop empty and structure-breaking texts, top gate, floor, near-duplicates, cap per
    knowledge id, cap of chunks, cap of one chunk's tokens.

    Spec: 004 R2.2, R2.3.
    """
    drops: list[Drop] = []
    texts = list(_sanitise_all(bundle.results, structure, drops))
    if bundle.no_evidence:
        drops += [drop_of(chunk, DROP_NO_EVIDENCE) for chunk, _ in texts]
        texts = []
    elif texts and texts[0][0].similarity_score < policy.top_similarity_threshold:
        drops += [drop_of(chunk, DROP_TOP) for chunk, _ in texts]
        texts = []
    floor = policy.min_similarity_threshold
    drops += [drop_of(chunk, DROP_FLOOR) for chunk, _ in texts if chunk.similarity_score < floor]
    texts = [pair for pair in texts if pair[0].similarity_score >= floor]
    kept = NearDuplicates(policy.overlap_ratio_threshold)
    per_knowledge: Counter[str] = Counter()
    chosen: list[Candidate] = []
    for chunk, text in texts:
        if not kept.keep(text):
            drops.append(drop_of(chunk, DROP_DUP))
        elif per_knowledge[chunk.knowledge_id] >= policy.max_chunks_per_knowledge_id:
            drops.append(drop_of(chunk, DROP_KNOWLEDGE))
        else:
            per_knowledge[chunk.knowledge_id] += 1
            if len(chosen) == policy.max_chunks:
                drops.append(drop_of(chunk, DROP_MAX))
            elif (candidate := _cap_text(chunk, text, policy)).text:
                chosen.append(candidate)
            else:
                drops.append(drop_of(chunk, DROP_BUDGET))
    drops.sort(key=_RANK)
    return Selection(candidates=tuple(chosen), drops=tuple(drops))


_RANK: Final = itemgetter(1)


def drop_of(chunk: Chunk, code: str) -> Drop:
    """The record of leaving *chunk* out."""
    return Drop(chunk.chunk_id, chunk.rank, code)


def _sanitise_all(
    chunks: Sequence[Chunk], structure: Structure, drops: list[Drop]
) -> Iterator[tuple[Chunk, str]]:
    forged: dict[tuple[str, str | None], bool] = {}
    """Of a document's id and title, which come with each of its chunks."""
    for chunk in chunks:
        plain = is_plain(chunk.chunk_text)
        text = fold_blanks(chunk.chunk_text) if plain else safe_normalize_v1(chunk.chunk_text)
        if not text:
            drops.append(drop_of(chunk, DROP_EMPTY))
            continue
        document = chunk.knowledge_id, chunk.source_reference
        conflict = forged.get(document)
        if conflict is None:
            conflict = forged[document] = structure.breaks_header(document[0]) or (
                bool(document[1]) and structure.conflicts(document[1] or "")
            )
        if (
            conflict
            or (not plain and structure.conflicts(text))
            or structure.breaks_header(chunk.chunk_id)
        ):
            drops.append(drop_of(chunk, DROP_STRUCTURE))
        else:
            yield chunk, text


def _cap_text(chunk: Chunk, text: str, policy: SelectionPolicy) -> Candidate:
    cut, tokens = _cap(text, policy.max_chunk_tokens, policy.tokenizer)
    return Candidate(chunk=chunk, text=cut, truncated=len(cut) < len(text), tokens=tokens)


def cap(text: str, max_tokens: int, tokenizer: str) -> str:
    """The longest beginning of *text* that ends at a sentence end and has *max_tokens* or fewer.

    Where no sentence end is near enough, white space is; where that is missing too, the text is
    cut where it stops fitting. A text that fits comes back as it is.

    Spec: interfaces.md, "Answers" (per-chunk cap).
    """
    return _cap(text, max_tokens, tokenizer)[0]


def _cap(text: str, max_tokens: int, tokenizer: str) -> tuple[str, int | None]:
    """The text and its tokens, where they had to be counted."""
    # No tokenizer makes more tokens than bytes, so short texts need no counting.
    if len(text) * 4 <= max_tokens or len(text.encode("utf-8")) <= max_tokens:
        return text, None
    if len(text) <= max_tokens * _USUAL_TOKEN:
        tokens = count(text, tokenizer)
        if tokens <= max_tokens:
            return text, tokens
    fits = prefix_within(text[: max_tokens * _LONGEST_TOKEN], max_tokens, tokenizer)
    if fits >= len(text):
        return text, None
    ends = [stop for _, stop in sentences(text[: fits + _BEYOND]) if stop <= fits]
    spaces = (at for at in range(fits, 0, -1) if text[at].isspace())
    for stop in (*reversed(ends), *islice(spaces, 8), fits):
        head = text[:stop].rstrip()
        if head and (tokens := count(head, tokenizer)) <= max_tokens:
            return head, tokens
    return text[:0], None


_BEYOND: Final = 240
"""How much text beyond the cut is read to tell whether a sentence ends before it."""


_LONGEST_TOKEN: Final = 256
"""Code points; no token is longer."""

_USUAL_TOKEN: Final = 8
"""Code points; a text of more for each token is hardly one that fits."""
