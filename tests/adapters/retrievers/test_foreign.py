"""Results of other retrievers, made by the packages themselves, become bundles that assemble."""

from __future__ import annotations

import pytest

from assay.adapters.retrievers import (
    from_elasticsearch,
    from_haystack,
    from_langchain,
    from_llama_index,
    from_pgvector,
)
from assay.answers.assemble import assemble
from assay.answers.evidence.bundle import RetrievalBundle, read_bundle
from assay.errors import InputError
from tests.parts import require_part

TRACE = {"request_id": "r", "index_version": "i", "embedding_model": "m"}
TEXTS = ("A new card costs 25 EUR.", "Cards are sent by post.")
QUESTION = "What does a new card cost?"


PARTS = {"langchain_core": "langchain", "llama_index": "llamaindex", "haystack": "haystack"}


def part(module: str):
    """The module of the real package; `make check` requires it."""
    (found,) = require_part(PARTS[module.partition(".")[0]], module)
    return found


def checked(bundle: RetrievalBundle, *scores: float) -> RetrievalBundle:
    """It has the contract's form, the order given, and makes a prompt."""
    read = read_bundle(bundle.to_dict())
    assert isinstance(read, RetrievalBundle)
    assert list(TEXTS) == [chunk.chunk_text for chunk in read.results]
    assert [0, 1] == [chunk.rank for chunk in read.results]
    assert list(scores) == pytest.approx([chunk.similarity_score for chunk in read.results])
    assert "OK" == assemble(bundle, QUESTION).status
    return read


def test_langchain_pairs():
    """The (document, score) pairs of a real vector store."""
    documents = part("langchain_core.documents")
    store = part("langchain_core.vectorstores").InMemoryVectorStore(_embeddings())
    store.add_documents(
        [
            documents.Document(id=f"id-{n}", page_content=text, metadata={"source": f"{n}.md"})
            for n, text in enumerate(TEXTS)
        ]
    )
    pairs = store.similarity_search_with_score(QUESTION, k=2)
    bundle = from_langchain(pairs, **TRACE, retrieval_top_k=2)
    read = checked(bundle, 1.0, 0.6)

    assert ["id-0", "id-1"] == [chunk.chunk_id for chunk in read.results]
    assert ["0.md", "1.md"] == [chunk.source_reference for chunk in read.results]


def _embeddings():
    base = part("langchain_core.embeddings").Embeddings

    class Fixed(base):
        """Vectors as the test wants them."""

        def embed_documents(self, texts):
            return [[1.0, 0.0] if "costs" in text else [0.6, 0.8] for text in texts]

        def embed_query(self, text):
            return [1.0, 0.0]

    return Fixed()


def test_langchain_documents_with_their_score_in_the_metadata():
    """What a compressor or reranker writes is read; without a score it is refused."""
    document = part("langchain_core.documents").Document
    scored = [
        document(page_content=text, metadata={"relevance_score": score})
        for text, score in zip(TEXTS, (0.9, 0.4), strict=True)
    ]
    checked(from_langchain(scored, **TRACE), 0.9, 0.4)

    with pytest.raises(InputError, match="has no score"):
        from_langchain([document(page_content="Text.")], **TRACE)


def test_llama_index_nodes():
    """Nodes with scores, with the document that they were cut from."""
    schema = part("llama_index.core.schema")
    nodes = []
    for n, (text, score) in enumerate(zip(TEXTS, (0.8, 0.7), strict=True)):
        node = schema.TextNode(id_=f"n-{n}", text=text, metadata={"file_name": "fees.md"})
        node.relationships[schema.NodeRelationship.SOURCE] = schema.RelatedNodeInfo(node_id="doc-1")
        nodes.append(schema.NodeWithScore(node=node, score=score))
    read = checked(from_llama_index(nodes, **TRACE), 0.8, 0.7)

    assert [("n-0", "doc-1", "fees.md"), ("n-1", "doc-1", "fees.md")] == [
        (chunk.chunk_id, chunk.knowledge_id, chunk.source_reference) for chunk in read.results
    ]
    with pytest.raises(InputError, match="has no score"):
        from_llama_index([schema.NodeWithScore(node=schema.TextNode(text="T"))], **TRACE)


def test_haystack_documents():
    """What its own retriever over its own store returns."""
    haystack = part("haystack")
    memory = part("haystack.document_stores.in_memory").InMemoryDocumentStore(
        embedding_similarity_function="cosine"
    )
    memory.write_documents(
        [
            haystack.Document(content=text, embedding=vector, meta={"file_path": f"{n}.md"})
            for n, (text, vector) in enumerate(zip(TEXTS, ([1.0, 0.0], [0.6, 0.8]), strict=True))
        ]
    )
    found = memory.embedding_retrieval([1.0, 0.0], top_k=2)
    read = checked(from_haystack(found, **TRACE), 1.0, 0.6)

    assert ["0.md", "1.md"] == [chunk.source_reference for chunk in read.results]
    assert [document.id for document in found] == [chunk.chunk_id for chunk in read.results]


def test_pgvector_rows():
    """Rows of a query by `<=>`, and under other names by `<#>`."""
    rows = [
        {"id": n, "document_id": 7, "content": text, "source": "fees.md", "distance": distance}
        for n, (text, distance) in enumerate(zip(TEXTS, (0.1, 0.5), strict=True))
    ]
    read = checked(from_pgvector(rows, **TRACE), 0.9, 0.5)
    assert [("0", "7"), ("1", "7")] == [(c.chunk_id, c.knowledge_id) for c in read.results]

    other = [
        {"key": n, "document_id": None, "body": text, "source": None, "d": -similarity}
        for n, (text, similarity) in enumerate(zip(TEXTS, (0.9, 0.5), strict=True))
    ]
    columns = {"id": "key", "content": "body", "distance": "d"}
    checked(from_pgvector(other, **TRACE, columns=columns, score="inner_product_negated"), 0.9, 0.5)
    with pytest.raises(InputError, match="no column 'content'"):
        from_pgvector(other, **TRACE)


def test_elasticsearch_and_opensearch_responses():
    """Hits of a search by cosine, and of any other with a function of one's own."""
    hits = [
        {"_id": f"h-{n}", "_score": score, "_source": {"content": text, "meta": {"url": "u"}}}
        for n, (text, score) in enumerate(zip(TEXTS, (0.95, 0.75), strict=True))
    ]
    response = {"took": 1, "hits": {"total": {"value": 2}, "hits": hits}}
    fields = {"source": "meta.url"}
    read = checked(from_elasticsearch(response, **TRACE, fields=fields), 0.9, 0.5)
    assert ["u", "u"] == [chunk.source_reference for chunk in read.results]

    checked(from_elasticsearch(response, **TRACE, score=lambda score: score - 0.05), 0.9, 0.7)
    for wrong in ({}, {"hits": []}, None):
        with pytest.raises(InputError, match=r"hits\.hits"):
            from_elasticsearch(wrong, **TRACE)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), None, "high"])
def test_a_score_that_is_none_is_refused(score):
    """Nothing is guessed for a result without a usable score."""
    row = {"id": 1, "content": "Text.", "distance": score}

    with pytest.raises(InputError):
        from_pgvector([row], **TRACE)


def test_a_kind_of_score_that_is_not_known_is_refused():
    """A slip in its name is said, with the names there are."""
    row = {"id": 1, "content": "Text.", "distance": 0.1}

    with pytest.raises(InputError, match="not known"):
        from_pgvector([row], **TRACE, score="cosine")


def test_nothing_found_is_no_evidence():
    """An empty result is a bundle that says so."""
    for empty in (from_langchain([], **TRACE), from_pgvector([], **TRACE)):
        assert "NO_EVIDENCE" == assemble(empty, QUESTION).status


def rows(*given: dict) -> list[dict]:
    return [{"id": None, "content": "Same text.", "distance": 0.1, **each} for each in given]


@pytest.mark.clause("008-R8")
def test_equal_texts_of_two_sources_keep_apart():
    """By document, by source, by page and by place; one and the same result twice is refused by
    assembly, as ids that stand twice are."""
    apart = (
        rows({"document_id": 1}, {"document_id": 2}),
        rows({"source": "a.md"}, {"source": "b.md"}),
        rows({"source": "a.md", "page": 1}, {"source": "a.md", "page": 2}),
        rows({"source": "a.md", "start_index": 0}, {"source": "a.md", "start_index": 80}),
    )
    for given in apart:
        first, second = from_pgvector(given, **TRACE).results
        assert first.chunk_id != second.chunk_id
        again = from_pgvector(given, **TRACE).results
        assert [first.chunk_id, second.chunk_id] == [each.chunk_id for each in again]
        assert "FAILED" != assemble(from_pgvector(given, **TRACE), QUESTION).status

    twice = from_pgvector(rows({"source": "a.md"}, {"source": "a.md"}), **TRACE)
    assert "FAILED" == assemble(twice, QUESTION).status


@pytest.mark.clause("008-R8")
def test_equal_texts_of_two_sources_keep_apart_in_every_framework():
    """Documents of LangChain and hits of Elasticsearch need no id either."""
    document = part("langchain_core.documents").Document
    pairs = [(document(page_content="T.", metadata={"source": name}), 0.9) for name in "ab"]
    hits = [{"_score": 0.9, "_source": {"content": "T.", "source": name}} for name in "ab"]
    for found in (
        from_langchain(pairs, **TRACE),
        from_elasticsearch({"hits": {"hits": hits}}, **TRACE),
    ):
        assert 2 == len({chunk.chunk_id for chunk in found.results})


@pytest.mark.clause("008-R9")
@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("similarity", 1.4),
        ("similarity", -0.2),
        ("similarity", 27.3),
        ("cosine_similarity", 1.2),
        ("cosine_distance", 3.0),
        ("cosine_distance", -0.4),
        ("inner_product_negated", -14.0),
        ("cosine_halved", 12.5),
        (lambda number: number / 10, 25.0),
        (lambda number: number if number < 1 else float("nan"), 7.0),
    ],
)
def test_a_score_that_is_no_similarity_once_it_is_read_is_refused(kind, number):
    """With the place of the result and with what to say: a BM25 score, a Euclidean distance or a
    wrong kind would open or shut every gate."""
    given = rows({"distance": 0.5 if kind != "cosine_halved" else 0.9}, {"distance": number})
    with pytest.raises(InputError, match="result 1: ") as caught:
        from_pgvector(given, **TRACE, score=kind)
    assert "score=" in (caught.value.hint or "")


@pytest.mark.clause("008-R9")
def test_unrelated_is_nothing_and_rounding_is_forgiven():
    """A cosine below 0 counts as 0; a number that single precision carried over 1 counts as 1."""
    given = rows({"distance": -1e-6, "source": "a"}, {"distance": 1.3, "source": "b"})

    assert [1.0, 0.0] == [each.similarity_score for each in from_pgvector(given, **TRACE).results]
    given = rows({"distance": -0.3, "source": "a"})
    (only,) = from_pgvector(given, **TRACE, score="cosine_similarity").results
    assert 0.0 == only.similarity_score


@pytest.mark.clause("008-R7")
def test_metadata_of_every_framework_survives_under_one_name_for_page_title_and_heading():
    """Flat values as they are, page, title and heading whatever the reader called them; no score
    among them."""
    langchain = part("langchain_core.documents").Document(
        page_content="T.",
        metadata={"source": "a.pdf", "page": 2, "page_label": "3", "Header 1": "Fees",
                  "Header 2": "Parking", "score": 0.9, "tags": ["x"]},
    )  # fmt: skip
    schema = part("llama_index.core.schema")
    node = schema.TextNode(text="T.", metadata={"page_label": "3", "document_title": "Rules"})
    haystack = part("haystack").Document(
        content="T.", score=0.9, meta={"page_number": 3, "title": "Rules", "section": "Fees"}
    )
    hit = {"_score": 0.9, "_source": {"content": "T.", "page": 3, "author": "A", "v": {"x": 1}}}
    found = [
        from_langchain([langchain], **TRACE),
        from_llama_index([schema.NodeWithScore(node=node, score=0.9)], **TRACE),
        from_haystack([haystack], **TRACE),
        from_pgvector(rows({"page": 3, "title": "Rules"}), **TRACE),
        from_elasticsearch({"hits": {"hits": [hit]}}, **TRACE),
    ]
    told = [dict(each.results[0].metadata) for each in found]

    assert ["3"] * 5 == [each["page"] for each in told]
    assert "Fees > Parking" == told[0]["heading"]
    assert "score" not in told[0]
    assert "tags" not in told[0]
    assert ["Rules"] * 3 == [told[at]["title"] for at in (1, 2, 3)]
    assert "Fees" == told[2]["heading"]
    assert {"author": "A", "page": "3"} == told[4]


@pytest.mark.clause("008-R7")
def test_results_are_kept_by_their_metadata():
    """With `where`, ranks begin at 0 again."""
    given = rows({"source": "a", "page": 1}, {"source": "b", "page": 2})
    (kept,) = from_pgvector(given, **TRACE, where={"page": 2}).results

    assert ("b", 0) == (kept.source_reference, kept.rank)
    with pytest.raises(InputError, match="'pages'"):
        from_pgvector(given, **TRACE, where=["pages=2"])
