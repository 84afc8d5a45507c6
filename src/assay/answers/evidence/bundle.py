"""What retrieval hands over: typed, or refused with the reason.

In      a JSON-like value
Out     RetrievalBundle in rank order, or Malformed
Pure    yes; linear in the results, whose order does not matter
Spec    004 R2.0A, R2.2 "Rank semantics"; interfaces.md, "Answers"
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from assay.answers.evidence.metadata import read_metadata
from assay.answers.evidence.sanitize import has_controls


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One retrieval result."""

    chunk_id: str
    knowledge_id: str
    """The document it was cut from."""

    chunk_text: str
    """As retrieved: untrusted."""

    rank: int
    """0 is the best."""

    similarity_score: float
    """Finite; the gates of the policy compare with it."""

    source_reference: str | None = None
    """What a reader would call the source; None becomes `unknown`."""

    metadata: Mapping[str, str] = field(default_factory=dict)
    """What the store says of the passage: `title`, `page`, `heading` and whatever else it keeps,
    as short texts. It goes into no prompt; citations name it, and conditions filter by it."""

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        value: dict[str, Any] = {
            "chunk_id": self.chunk_id,
            "knowledge_id": self.knowledge_id,
            "chunk_text": self.chunk_text,
            "rank": self.rank,
            "similarity_score": self.similarity_score,
        }
        if self.source_reference is not None:
            value["source_reference"] = self.source_reference
        if self.metadata:
            value["metadata"] = dict(self.metadata)
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalBundle:
    """All that retrieval says about one question; `results` stand in rank order."""

    request_id: str
    index_version: str
    embedding_model: str
    retrieval_top_k: int
    results: tuple[Chunk, ...]
    no_evidence: bool = False
    """Retrieval itself says that it found nothing to go by."""

    def to_dict(self) -> dict[str, Any]:
        """The wire form, which `read_bundle` takes back."""
        return {
            "request_id": self.request_id,
            "index_version": self.index_version,
            "embedding_model": self.embedding_model,
            "retrieval_top_k": self.retrieval_top_k,
            "no_evidence": self.no_evidence,
            "results": [chunk.to_dict() for chunk in self.results],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A bundle that breaks its contract: the assembly is FAILED."""

    reason: str
    """Names the place and the rule, never the text."""

    facts: Mapping[str, Any]
    """What of the trace could be read: request_id, index_version …"""


class _Fault(Exception):  # noqa: N818 - never leaves this module
    """The first broken rule."""


_TRACE = ("request_id", "index_version", "embedding_model", "retrieval_top_k")
_MAX_INTEGER = 2**53 - 1
_TYPES = {str: "text", int: "an integer", float: "a number", bool: "true or false"}


def read_bundle(value: Any) -> RetrievalBundle | Malformed:
    """Check *value* against the bundle's contract; never raises.

    Args:
        value: A mapping as JSON gives it, or a RetrievalBundle (whose fields are checked the
            same way). Keys beyond those of the contract are left out.

    Spec: 004 R2.0A.
    """
    if isinstance(value, RetrievalBundle):
        value = {
            **{name: getattr(value, name) for name in (*_TRACE, "no_evidence")},
            "results": value.results,
        }
    if not isinstance(value, Mapping):
        return Malformed(reason="bundle: is no object", facts={})
    try:
        return _read_results(value)
    except _Fault as fault:
        return Malformed(reason=str(fault), facts=_facts(value))


def _facts(value: Mapping[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for name in _TRACE:
        item = value.get(name)
        wanted = type(item) is int if name == "retrieval_top_k" else isinstance(item, str)
        if wanted and (type(item) is int or _is_text(str(item))):
            facts[name] = item
    return facts


def _read_results(value: Mapping[str, Any]) -> RetrievalBundle:
    for name in _TRACE[:3]:
        _text(value.get(name), name)
    top_k = value.get("retrieval_top_k")
    if type(top_k) is not int or not 0 <= top_k <= _MAX_INTEGER:
        raise _Fault("retrieval_top_k: must be an integer, 0 or more")
    no_evidence = value.get("no_evidence", False)
    if type(no_evidence) is not bool:
        raise _Fault("no_evidence: must be true or false")
    results = value.get("results")
    if not isinstance(results, Sequence) or isinstance(results, str | bytes):
        raise _Fault("results: must be a list")
    if not results and not no_evidence:
        raise _Fault("results: empty, and the bundle does not say no_evidence")
    chunks = [_chunk(item, place) for place, item in enumerate(results)]
    chunks.sort(key=attrgetter("rank", "chunk_id"))
    _check_ranks(chunks)
    return RetrievalBundle(
        request_id=value["request_id"],
        index_version=value["index_version"],
        embedding_model=value["embedding_model"],
        retrieval_top_k=top_k,
        no_evidence=no_evidence,
        results=tuple(chunks),
    )


def _check_ranks(chunks: Sequence[Chunk]) -> None:
    seen: set[str] = set()
    for place, chunk in enumerate(chunks):
        if place == 0 and chunk.rank != 0:
            raise _Fault("rank: the first must be 0")
        if place and chunk.rank == chunks[place - 1].rank:
            raise _Fault(f"rank: {chunk.rank} stands twice")
        if chunk.chunk_id in seen:
            raise _Fault(f"chunk_id: that of rank {chunk.rank} stands twice")
        seen.add(chunk.chunk_id)


def _chunk(item: Any, place: int) -> Chunk:
    where = f"results[{place}]"
    if isinstance(item, Chunk):
        item = {name: getattr(item, name) for name in Chunk.__slots__}
    if not isinstance(item, Mapping):
        raise _Fault(f"{where}: is no object")
    get = item.get
    text: Any = get("chunk_text")
    rank, score, source = get("rank"), get("similarity_score"), get("source_reference")
    chunk_id = _identifier("chunk_id", item, where)
    knowledge_id = _identifier("knowledge_id", item, where)
    if not isinstance(text, str):
        raise _missing_field("chunk_text", item, where, str)
    if not _is_text(text):
        raise _Fault(f"{where}.chunk_text: holds a lone surrogate")
    if type(rank) is not int:
        raise _missing_field("rank", item, where, int)
    if not 0 <= rank <= _MAX_INTEGER:
        raise _Fault(f"{where}.rank: must be 0 or more")
    if not isinstance(score, int | float) or isinstance(score, bool):
        raise _missing_field("similarity_score", item, where, float)
    if not math.isfinite(score) if isinstance(score, float) else abs(score) > _MAX_INTEGER:
        raise _Fault(f"{where}.similarity_score: must be a finite number")
    if source is not None and (not isinstance(source, str) or not _is_text(source)):
        raise _Fault(f"{where}.source_reference: must be text")
    return Chunk(
        chunk_id=chunk_id,
        knowledge_id=knowledge_id,
        chunk_text=text,
        rank=rank,
        similarity_score=score,
        source_reference=source,
        metadata=read_metadata(get("metadata")),
    )


def _identifier(name: str, item: Mapping[str, Any], where: str) -> str:
    value = item.get(name)
    if not isinstance(value, str):
        raise _missing_field(name, item, where, str)
    if not value.strip():
        raise _Fault(f"{where}.{name}: is empty")
    if not value.isprintable() and (has_controls(value) or not _is_text(value)):
        raise _Fault(f"{where}.{name}: holds a line break or control character")
    return value


def _missing_field(name: str, item: Mapping[str, Any], where: str, kind: type) -> _Fault:
    what = "is missing" if name not in item else f"must be {_TYPES[kind]}"
    return _Fault(f"{where}.{name}: {what}")


def _text(value: Any, name: str) -> None:
    if not isinstance(value, str) or not value.strip():
        raise _Fault(f"{name}: is missing" if value is None else f"{name}: must be text")
    if not _is_text(value):
        raise _Fault(f"{name}: holds a lone surrogate")


def _is_text(value: str) -> bool:
    """Whether *value* has a UTF-8 form."""
    if value.isascii():
        return True
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
