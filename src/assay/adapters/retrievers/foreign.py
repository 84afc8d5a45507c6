"""What other retrievers give becomes a RetrievalBundle, by one call each.

In      results of LangChain, LlamaIndex and Haystack; rows of pgvector; responses of
        Elasticsearch and OpenSearch
Out     RetrievalBundle in the order given
Pure    yes; none of these packages is imported
Spec    004 R2.0A, 004-A1 to 004-A4

Their scores mean different things, and the gates of the policy hold similarities from 0 to 1
against thresholds: `score` says how to read them. A result without a score is refused rather
than guessed, and nothing is normalised by the best hit, which would let every question pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from assay.answers.evidence.bundle import Chunk, RetrievalBundle
from assay.core.json.canonical import digest
from assay.errors import InputError

ScoreKind = Literal["similarity", "cosine_distance", "inner_product_negated", "cosine_halved"]
Score = ScoreKind | Callable[[float], float]
"""How a number is read: by name, or by a function of its own."""

SCORES: Final[Mapping[str, Callable[[float], float]]] = {
    "similarity": lambda score: score,
    "cosine_distance": lambda distance: 1.0 - distance,
    "inner_product_negated": lambda product: -product,
    "cosine_halved": lambda score: 2.0 * score - 1.0,
}
"""`cosine_distance` is pgvector's `<=>`, `inner_product_negated` its `<#>`, `cosine_halved` the
`_score` of an Elasticsearch or Lucene search by cosine, (1 + cosine) / 2."""

_SCORE_KEYS: Final = ("relevance_score", "score", "_score", "similarity")
_SOURCE_KEYS: Final = ("source", "file_name", "file_path", "url", "title")
_KNOWLEDGE_KEYS: Final = ("knowledge_id", "doc_id", "document_id", "source_id", "parent_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """Where one framework keeps what a chunk is made of: paths of attributes and keys, of which
    the first that leads to a value counts."""

    text: str
    score: Sequence[str] = ("score",)
    chunk_id: Sequence[str] = ("id",)
    knowledge_id: Sequence[str]
    source: Sequence[str]


def _under(metadata: str, keys: Sequence[str]) -> list[str]:
    return [f"{metadata}.{key}" for key in keys]


_LANGCHAIN: Final = _Form(
    text="document.page_content",
    score=["score", *_under("document.metadata", _SCORE_KEYS)],
    chunk_id=["document.id", "document.metadata.id"],
    knowledge_id=_under("document.metadata", _KNOWLEDGE_KEYS),
    source=_under("document.metadata", _SOURCE_KEYS),
)
_LLAMA_INDEX: Final = _Form(
    text="node.text",
    chunk_id=["node.node_id"],
    knowledge_id=["node.ref_doc_id", *_under("node.metadata", _KNOWLEDGE_KEYS)],
    source=_under("node.metadata", _SOURCE_KEYS),
)
_HAYSTACK: Final = _Form(
    text="content",
    knowledge_id=_under("meta", _KNOWLEDGE_KEYS),
    source=_under("meta", _SOURCE_KEYS),
)
_ROW: Final = _Form(text="content", knowledge_id=["document_id"], source=["source"])


def from_langchain(
    documents: Iterable[Any],
    *,
    request_id: str,
    index_version: str,
    embedding_model: str,
    retrieval_top_k: int | None = None,
    score: Score = "similarity",
) -> RetrievalBundle:
    """LangChain: `Document` objects, or the pairs of `similarity_search_with_…score`.

    Args:
        documents: Best first. A document alone needs its score in its metadata
            (`relevance_score`, `score`).
        request_id: Of the trace.
        index_version: Of the trace.
        embedding_model: Of the trace.
        retrieval_top_k: How many were asked for; None is how many there are.
        score: What the numbers are.

    Raises:
        InputError: a result has no text, or no score.
    """
    pairs = [each if isinstance(each, tuple) else (each, None) for each in documents]
    results = [{"document": document, "score": number} for document, number in pairs]
    found = _chunks(results, _LANGCHAIN, score)
    return _bundle(found, request_id, index_version, embedding_model, retrieval_top_k)


def from_llama_index(
    nodes: Iterable[Any],
    *,
    request_id: str,
    index_version: str,
    embedding_model: str,
    retrieval_top_k: int | None = None,
    score: Score = "similarity",
) -> RetrievalBundle:
    """LlamaIndex: what a retriever returns, `NodeWithScore` objects; see `from_langchain`."""
    found = _chunks(nodes, _LLAMA_INDEX, score)
    return _bundle(found, request_id, index_version, embedding_model, retrieval_top_k)


def from_haystack(
    documents: Iterable[Any],
    *,
    request_id: str,
    index_version: str,
    embedding_model: str,
    retrieval_top_k: int | None = None,
    score: Score = "similarity",
) -> RetrievalBundle:
    """Haystack: the `documents` that a retriever or ranker returns; see `from_langchain`."""
    found = _chunks(documents, _HAYSTACK, score)
    return _bundle(found, request_id, index_version, embedding_model, retrieval_top_k)


def from_pgvector(
    rows: Iterable[Mapping[str, Any]],
    *,
    request_id: str,
    index_version: str,
    embedding_model: str,
    retrieval_top_k: int | None = None,
    columns: Mapping[str, str] | None = None,
    score: Score = "cosine_distance",
) -> RetrievalBundle:
    """pgvector: rows as mappings, in the order of the query.

    Args:
        rows: As of `SELECT id, document_id, content, source, embedding <=> %s AS distance`.
        columns: Other names: `{"id": …, "document_id": …, "content": …, "source": …,
            "distance": …}`.
        score: What the distance is; by default that of `<=>`.

    Raises:
        InputError: a row lacks a column, or its text or distance is none.
    """
    named = {name: name for name in ("id", "document_id", "content", "source", "distance")}
    named |= columns or {}
    results = [
        {
            "content": _item(row, named["content"], place),
            "score": _item(row, named["distance"], place),
            "id": _item(row, named["id"], place),
            "document_id": row.get(named["document_id"]),
            "source": row.get(named["source"]),
        }
        for place, row in enumerate(rows)
    ]
    found = _chunks(results, _ROW, score)
    return _bundle(found, request_id, index_version, embedding_model, retrieval_top_k)


def from_elasticsearch(
    response: Any,
    *,
    request_id: str,
    index_version: str,
    embedding_model: str,
    retrieval_top_k: int | None = None,
    fields: Mapping[str, str] | None = None,
    score: Score = "cosine_halved",
) -> RetrievalBundle:
    """Elasticsearch and OpenSearch: the response of a search, as a mapping.

    Args:
        response: With `hits.hits`, each with `_id`, `_score` and `_source`.
        fields: Names within `_source`: `{"content": …, "document_id": …, "source": …}`; dots
            lead into nested objects.
        score: What `_score` is; by default that of a search by cosine. BM25 scores have no
            upper bound: hand in a function of your own for them.

    Raises:
        InputError: it is no such response, or a hit lacks text or score.
    """
    named = {name: (fields or {}).get(name, name) for name in ("content", "document_id", "source")}
    try:
        hits: Sequence[Mapping[str, Any]] = list(response["hits"]["hits"])
    except (KeyError, TypeError) as error:
        raise InputError("response: has no hits.hits", hint="give the whole response") from error
    results = [
        {"id": hit.get("_id"), "score": hit.get("_score")}
        | {name: _value_at(hit.get("_source"), path) for name, path in named.items()}
        for hit in hits
    ]
    found = _chunks(results, _ROW, score)
    return _bundle(found, request_id, index_version, embedding_model, retrieval_top_k)


def _bundle(
    found: Sequence[Chunk],
    request_id: str,
    index_version: str,
    embedding_model: str,
    top_k: int | None,
) -> RetrievalBundle:
    return RetrievalBundle(
        request_id=request_id,
        index_version=index_version,
        embedding_model=embedding_model,
        retrieval_top_k=len(found) if top_k is None else top_k,
        results=tuple(found),
        no_evidence=not found,
    )


def _chunks(results: Iterable[Any], form: _Form, score: Score) -> list[Chunk]:
    return [_chunk(result, place, form, score) for place, result in enumerate(results)]


def _chunk(result: Any, place: int, form: _Form, score: Score) -> Chunk:
    """One result. Without an id of its own, its text names it; without a document, its source."""
    text = _value_at(result, form.text)
    if not isinstance(text, str):
        raise InputError(f"result {place}: has no text")
    name = _name_of(_first_of(result, form.chunk_id))
    name = name or "c" + digest(text.encode("utf-8", "surrogatepass"))[7:23]
    source = _first_of(result, form.source)
    where = None if source is None else str(source)
    return Chunk(
        chunk_id=name,
        knowledge_id=_name_of(_first_of(result, form.knowledge_id)) or where or name,
        chunk_text=text,
        rank=place,
        similarity_score=_similarity(_first_of(result, form.score), score, place),
        source_reference=where,
    )


def _similarity(number: Any, score: Score, place: int) -> float:
    try:
        value = float(number)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"result {place}: has no score", hint="retrieve with scores: the gates need them"
        ) from error
    read = SCORES.get(score) if isinstance(score, str) else score
    if read is None:
        raise InputError(f"score {score!r} is not known", hint=f"one of {', '.join(SCORES)}")
    value = float(read(value))
    if not math.isfinite(value):
        raise InputError(f"result {place}: its score is no finite number")
    return value


def _item(row: Mapping[str, Any], name: str, place: int) -> Any:
    try:
        return row[name]
    except (KeyError, TypeError, IndexError) as error:
        raise InputError(f"row {place}: has no column {name!r}") from error


def _first_of(result: Any, paths: Iterable[str]) -> Any:
    return next((at for path in paths if (at := _value_at(result, path)) is not None), None)


def _value_at(thing: Any, path: str) -> Any:
    """Where *path* leads, by key in mappings and by attribute in all else; None if nowhere."""
    for name in path.split("."):
        if isinstance(thing, Mapping):
            thing = thing.get(name)
        else:
            thing = None if isinstance(thing, str) else getattr(thing, name, None)
    return thing


def _name_of(value: Any) -> str | None:
    return None if value is None or not str(value).strip() else str(value)
