"""What other retrievers give becomes a RetrievalBundle, by one call each.

In      results of LangChain, LlamaIndex and Haystack; rows of pgvector; responses of
        Elasticsearch and OpenSearch
Out     RetrievalBundle in the order given
Pure    yes; none of these packages is imported
Spec    004 R2.0A, 004-A1 to 004-A4; 008-R7 to 008-R9

Their scores mean different things, and the gates of the policy hold similarities from 0 to 1
against thresholds: `score` says how to read them. A result without a score, or with one that is
no such similarity once it is read, is refused rather than guessed, and nothing is normalised by
the best hit, which would let every question pass. Metadata comes along, flat and short
(`evidence/metadata.py`), with what a citation names under `title`, `page` and `heading`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from assay.answers.conditions import Where, filter_bundle, read_conditions
from assay.answers.evidence.bundle import Chunk, RetrievalBundle
from assay.answers.evidence.metadata import metadata_text, read_metadata
from assay.core.json.canonical import digest
from assay.errors import InputError

ScoreKind = Literal[
    "similarity", "cosine_similarity", "cosine_distance", "inner_product_negated", "cosine_halved"
]
Score = ScoreKind | Callable[[float], float]
"""How a number is read: by name, or by a function of its own."""

SCORES: Final[Mapping[str, Callable[[float], float]]] = {
    "similarity": lambda score: score,
    "cosine_similarity": lambda score: score,
    "cosine_distance": lambda distance: 1.0 - distance,
    "inner_product_negated": lambda product: -product,
    "cosine_halved": lambda score: 2.0 * score - 1.0,
}
"""`similarity` goes from 0 to 1, `cosine_similarity` from -1 to 1; `cosine_distance` is pgvector's
`<=>`, `inner_product_negated` its `<#>`, `cosine_halved` the `_score` of an Elasticsearch or
Lucene search by cosine, (1 + cosine) / 2."""

_ROUNDING: Final = 1e-4
"""How far single precision may carry a number over the end of its range."""

_SCORE_KEYS: Final = ("relevance_score", "score", "_score", "similarity")
_SOURCE_KEYS: Final = ("source", "file_name", "file_path", "url", "title")
_KNOWLEDGE_KEYS: Final = ("knowledge_id", "doc_id", "document_id", "source_id", "parent_id")
_NAMED_KEYS: Final[Mapping[str, Sequence[str]]] = {
    "title": ("title", "document_title", "doc_title", "Title"),
    "page": ("page_number", "page_label", "page"),
    "heading": ("heading", "section", "section_title", "header"),
}
"""What a citation names, and the keys under which the frameworks' readers keep it."""

_HEADER_LEVELS: Final = tuple(f"Header {level}" for level in range(1, 7))
"""LangChain's splitter of Markdown."""

_PLACE_KEYS: Final = (
    "page",
    "heading",
    "start_index",
    "split_id",
    "split_idx_start",
    "chunk_index",
)
"""What tells two chunks of one source apart that have no id and the same text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """Where one framework keeps what a chunk is made of: paths of attributes and keys, of which
    the first that leads to a value counts."""

    text: str
    score: Sequence[str] = ("score",)
    chunk_id: Sequence[str] = ("id",)
    knowledge_id: Sequence[str]
    source: Sequence[str]
    metadata: Sequence[str] = ("metadata",)
    start: Sequence[str] = ()
    """Where the chunk begins, where that is no metadata."""


def _under(metadata: str, keys: Sequence[str]) -> list[str]:
    return [f"{metadata}.{key}" for key in keys]


_LANGCHAIN: Final = _Form(
    text="document.page_content",
    score=["score", *_under("document.metadata", _SCORE_KEYS)],
    chunk_id=["document.id", "document.metadata.id"],
    knowledge_id=_under("document.metadata", _KNOWLEDGE_KEYS),
    source=_under("document.metadata", _SOURCE_KEYS),
    metadata=["document.metadata"],
)
_LLAMA_INDEX: Final = _Form(
    text="node.text",
    chunk_id=["node.node_id"],
    knowledge_id=["node.ref_doc_id", *_under("node.metadata", _KNOWLEDGE_KEYS)],
    source=_under("node.metadata", _SOURCE_KEYS),
    metadata=["node.metadata"],
    start=["node.start_char_idx"],
)
_HAYSTACK: Final = _Form(
    text="content",
    knowledge_id=_under("meta", _KNOWLEDGE_KEYS),
    source=_under("meta", _SOURCE_KEYS),
    metadata=["meta"],
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
    where: Where = (),
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
        where: Only results with this metadata, as `{"page": 3}` or `["title!=Draft"]`; see
            `assay.answers.conditions`.

    Raises:
        InputError: a result has no text, or no score from 0 to 1 once it is read; or no result
            has what `where` names.
    """
    pairs = [each if isinstance(each, tuple) else (each, None) for each in documents]
    results = [{"document": document, "score": number} for document, number in pairs]
    found = _chunks(results, _LANGCHAIN, score)
    return _bundle(found, request_id, index_version, embedding_model, retrieval_top_k, where)


def from_llama_index(
    nodes: Iterable[Any],
    *,
    request_id: str,
    index_version: str,
    embedding_model: str,
    retrieval_top_k: int | None = None,
    score: Score = "similarity",
    where: Where = (),
) -> RetrievalBundle:
    """LlamaIndex: what a retriever returns, `NodeWithScore` objects; see `from_langchain`."""
    found = _chunks(nodes, _LLAMA_INDEX, score)
    return _bundle(found, request_id, index_version, embedding_model, retrieval_top_k, where)


def from_haystack(
    documents: Iterable[Any],
    *,
    request_id: str,
    index_version: str,
    embedding_model: str,
    retrieval_top_k: int | None = None,
    score: Score = "similarity",
    where: Where = (),
) -> RetrievalBundle:
    """Haystack: the `documents` that a retriever or ranker returns; see `from_langchain`."""
    found = _chunks(documents, _HAYSTACK, score)
    return _bundle(found, request_id, index_version, embedding_model, retrieval_top_k, where)


def from_pgvector(
    rows: Iterable[Mapping[str, Any]],
    *,
    request_id: str,
    index_version: str,
    embedding_model: str,
    retrieval_top_k: int | None = None,
    columns: Mapping[str, str] | None = None,
    score: Score = "cosine_distance",
    where: Where = (),
) -> RetrievalBundle:
    """pgvector: rows as mappings, in the order of the query.

    Args:
        rows: As of `SELECT id, document_id, content, source, embedding <=> %s AS distance`.
        columns: Other names: `{"id": …, "document_id": …, "content": …, "source": …,
            "distance": …}`.
        score: What the distance is; by default that of `<=>`.
        where: See `from_langchain`. All other columns count as metadata.

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
            "metadata": _rest(row, named.values()),
        }
        for place, row in enumerate(rows)
    ]
    found = _chunks(results, _ROW, score)
    return _bundle(found, request_id, index_version, embedding_model, retrieval_top_k, where)


def from_elasticsearch(
    response: Any,
    *,
    request_id: str,
    index_version: str,
    embedding_model: str,
    retrieval_top_k: int | None = None,
    fields: Mapping[str, str] | None = None,
    score: Score = "cosine_halved",
    where: Where = (),
) -> RetrievalBundle:
    """Elasticsearch and OpenSearch: the response of a search, as a mapping.

    Args:
        response: With `hits.hits`, each with `_id`, `_score` and `_source`.
        fields: Names within `_source`: `{"content": …, "document_id": …, "source": …}`; dots
            lead into nested objects.
        score: What `_score` is; by default that of a search by cosine. BM25 scores have no
            upper bound: hand in a function of your own for them.
        where: See `from_langchain`. All other fields of `_source` count as metadata.

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
        | {"metadata": _rest(hit.get("_source"), named.values())}
        for hit in hits
    ]
    found = _chunks(results, _ROW, score)
    return _bundle(found, request_id, index_version, embedding_model, retrieval_top_k, where)


def _bundle(
    found: Sequence[Chunk],
    request_id: str,
    index_version: str,
    embedding_model: str,
    top_k: int | None,
    where: Where,
) -> RetrievalBundle:
    bundle = RetrievalBundle(
        request_id=request_id,
        index_version=index_version,
        embedding_model=embedding_model,
        retrieval_top_k=len(found) if top_k is None else top_k,
        results=tuple(found),
        no_evidence=not found,
    )
    return filter_bundle(bundle, read_conditions(where))


def _chunks(results: Iterable[Any], form: _Form, score: Score) -> list[Chunk]:
    return [_chunk(result, place, form, score) for place, result in enumerate(results)]


def _chunk(result: Any, place: int, form: _Form, score: Score) -> Chunk:
    """One result. Without an id of its own, its source and text name it; without a document, its
    source."""
    text = _value_at(result, form.text)
    if not isinstance(text, str):
        raise InputError(f"result {place}: has no text")
    metadata = _metadata(_first_of(result, form.metadata))
    source = _first_of(result, form.source)
    where = None if source is None else str(source)
    knowledge = _name_of(_first_of(result, form.knowledge_id))
    name = _name_of(_first_of(result, form.chunk_id))
    if name is None:
        start = _first_of(result, form.start)
        stands = [metadata.get(key) for key in _PLACE_KEYS] + [metadata_text(start)]
        apart = [each for each in (knowledge, where, *stands) if each is not None]
        hashed = text if not apart else "\0".join((*apart, text))
        name = "c" + digest(hashed.encode("utf-8", "surrogatepass"))[7:23]
    return Chunk(
        chunk_id=name,
        knowledge_id=knowledge or where or name,
        chunk_text=text,
        rank=place,
        similarity_score=_similarity(_first_of(result, form.score), score, place),
        source_reference=where,
        metadata=metadata,
    )


def _metadata(given: Any) -> dict[str, str]:
    """What is flat and short, with title, page and heading under those names; no scores."""
    found = {key: value for key, value in read_metadata(given).items() if key not in _SCORE_KEYS}
    for name, keys in _NAMED_KEYS.items():
        value = next((found[key] for key in keys if key in found), None)
        if value is not None:
            found[name] = value
    levels = [found[level] for level in _HEADER_LEVELS if level in found]
    if levels and "heading" not in found:
        found["heading"] = " > ".join(levels)
    return dict(sorted(found.items()))


def _rest(values: Any, named: Iterable[str]) -> dict[str, Any]:
    """The values that no other field of a chunk is made of."""
    if not isinstance(values, Mapping):
        return {}
    taken = set(named)
    return {key: value for key, value in values.items() if key not in taken}


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
        raise InputError(f"result {place}: its score is no finite number", hint=_HINT)
    lowest = 0.0 if callable(score) or score == "similarity" else -1.0
    if not lowest - _ROUNDING <= value <= 1.0 + _ROUNDING:
        raise InputError(
            f"result {place}: its score {float(number):.6g} is no similarity from 0 to 1"
            + ("" if score == "similarity" else " once it is read"),
            hint=_HINT,
        )
    return min(1.0, max(0.0, value))


_HINT: Final = (
    f"say what the numbers are, score= one of {', '.join(SCORES)}, or hand in a function that"
    " makes them similarities: score=lambda number: …"
)


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
