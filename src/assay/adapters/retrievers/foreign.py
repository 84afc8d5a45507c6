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
    found = []
    for place, each in enumerate(documents):
        document, given = each if isinstance(each, tuple) else (each, None)
        metadata = _mapping(_get(document, "metadata", place))
        found.append(
            _chunk(
                place,
                text=_get(document, "page_content", place),
                number=_first_of(metadata, _SCORE_KEYS) if given is None else given,
                chunk_id=getattr(document, "id", None) or metadata.get("id"),
                knowledge_id=_first_of(metadata, _KNOWLEDGE_KEYS),
                source=_first_of(metadata, _SOURCE_KEYS),
                score=score,
            )
        )
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
    found = []
    for place, each in enumerate(nodes):
        node = _get(each, "node", place)
        metadata = _mapping(_get(node, "metadata", place))
        found.append(
            _chunk(
                place,
                text=_get(node, "text", place),
                number=_get(each, "score", place),
                chunk_id=_get(node, "node_id", place),
                knowledge_id=getattr(node, "ref_doc_id", None)
                or _first_of(metadata, _KNOWLEDGE_KEYS),
                source=_first_of(metadata, _SOURCE_KEYS),
                score=score,
            )
        )
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
    found = []
    for place, document in enumerate(documents):
        metadata = _mapping(_get(document, "meta", place))
        found.append(
            _chunk(
                place,
                text=_get(document, "content", place),
                number=_get(document, "score", place),
                chunk_id=_get(document, "id", place),
                knowledge_id=_first_of(metadata, _KNOWLEDGE_KEYS),
                source=_first_of(metadata, _SOURCE_KEYS),
                score=score,
            )
        )
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
    names = {name: name for name in ("id", "document_id", "content", "source", "distance")}
    names |= columns or {}
    found = []
    for place, row in enumerate(rows):
        found.append(
            _chunk(
                place,
                text=_item(row, names["content"], place),
                number=_item(row, names["distance"], place),
                chunk_id=_item(row, names["id"], place),
                knowledge_id=row.get(names["document_id"]),
                source=row.get(names["source"]),
                score=score,
            )
        )
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
    names = {"content": "content", "document_id": "document_id", "source": "source"}
    names |= fields or {}
    try:
        hits: Sequence[Mapping[str, Any]] = list(response["hits"]["hits"])
    except (KeyError, TypeError) as error:
        raise InputError("response: has no hits.hits", hint="give the whole response") from error
    found = []
    for place, hit in enumerate(hits):
        source = _mapping(hit.get("_source"))
        found.append(
            _chunk(
                place,
                text=_path(source, names["content"]),
                number=hit.get("_score"),
                chunk_id=hit.get("_id"),
                knowledge_id=_path(source, names["document_id"]),
                source=_path(source, names["source"]),
                score=score,
            )
        )
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


def _chunk(
    place: int,
    *,
    text: Any,
    number: Any,
    chunk_id: Any,
    knowledge_id: Any,
    source: Any,
    score: Score,
) -> Chunk:
    """One result. Without an id of its own, its text names it; without a document, its source."""
    if not isinstance(text, str):
        raise InputError(f"result {place}: has no text")
    name = _named_fields(chunk_id) or "c" + digest(text.encode("utf-8", "surrogatepass"))[7:23]
    where = None if source is None else str(source)
    return Chunk(
        chunk_id=name,
        knowledge_id=_named_fields(knowledge_id) or where or name,
        chunk_text=text,
        rank=place,
        similarity_score=_similarity(number, score, place),
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


def _get(thing: Any, name: str, place: int) -> Any:
    try:
        return getattr(thing, name)
    except AttributeError as error:
        raise InputError(f"result {place}: has no {name!r}") from error


def _item(row: Mapping[str, Any], name: str, place: int) -> Any:
    try:
        return row[name]
    except (KeyError, TypeError, IndexError) as error:
        raise InputError(f"row {place}: has no column {name!r}") from error


def _path(source: Mapping[str, Any], path: str) -> Any:
    value: Any = source
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _first_of(metadata: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((metadata[name] for name in names if metadata.get(name) is not None), None)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _named_fields(value: Any) -> str | None:
    return None if value is None or not str(value).strip() else str(value)
