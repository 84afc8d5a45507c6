"""What a user of Haystack or LlamaIndex would put together for the job of answer assembly.

In      a retrieval bundle, a question
Out     runs to be timed, by name; empty where a package is not installed
Pure    no: imports packages

What each row contains, beside assay's (bundle checked, sanitised, structure, gates,
near-duplicates of every chunk, caps, token budget, anchors, exact bytes, a reason for each drop):

- Haystack, least: reorders, cuts to six, builds a prompt and an answer with references. Nothing is
  cleaned, compared or counted.
- Haystack, same job: `DocumentCleaner`, `MetaFieldRanker`, then two components that a user has to
  write, as Haystack brings none without a model: one drops near-duplicates by the same word
  5-grams and stops at six documents (so it gives no reason for the others, and never meets its
  worst case), one counts tokens and stops at the budget. Prompt and answer builder.
- LlamaIndex: `SimilarityPostprocessor`, `LongContextReorder` and the node cutting of its
  `CitationQueryEngine`, with its own tokenizer. It has no near-duplicates without a model and no
  budget; it cuts and counts every node it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from assay.answers.evidence.near_duplicates import grams
from assay.core.text.tokens import count

Runs = dict[str, Callable[[], Any]]

MOST_DOCUMENTS = 6
MOST_TOKENS = 2200
_TEMPLATE = (
    "Answer from the documents.\n{% for d in documents %}[{{ loop.index }}] {{ d.content }}\n"
    "{% endfor %}\nQuestion: {{ question }}"
)


def peers(value: dict[str, Any], question: str) -> Runs:
    """The rows of all peers that are installed."""
    found: Runs = {}
    for name, make in (
        ("haystack", _haystack_least),
        ("haystack", _haystack_same),
        ("llama_index.core", _llama_index),
    ):
        if _installed(name):
            found |= make(value, question)
    return found


def _installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _documents(value: dict[str, Any]) -> list[Any]:
    from haystack import Document

    return [
        Document(
            id=item["chunk_id"],
            content=item["chunk_text"],
            score=item["similarity_score"],
            meta={"rank": item["rank"]},
        )
        for item in value["results"]
    ]


def _builders(pipeline: Any, last: str) -> None:
    """Prompt and answer builder behind the component *last*."""
    from haystack.components.builders import AnswerBuilder, PromptBuilder

    variables = ["documents", "question"]
    pipeline.add_component(
        "prompt", PromptBuilder(template=_TEMPLATE, required_variables=variables)
    )
    pipeline.add_component("answer", AnswerBuilder(reference_pattern=r"\[(\d+)\]"))
    pipeline.connect(f"{last}.documents", "prompt.documents")
    pipeline.connect(f"{last}.documents", "answer.documents")


def _given(first: str, documents: list[Any], question: str) -> dict[str, Any]:
    return {
        first: {"documents": documents},
        "prompt": {"question": question},
        "answer": {"query": question, "replies": ["The fee is 40 EUR [1]."]},
    }


def _haystack_least(value: dict[str, Any], question: str) -> Runs:
    from haystack import Pipeline
    from haystack.components.rankers import LostInTheMiddleRanker

    pipeline = Pipeline()
    pipeline.add_component("ranker", LostInTheMiddleRanker(top_k=MOST_DOCUMENTS))
    _builders(pipeline, "ranker")
    given = _given("ranker", _documents(value), question)
    return {"peer: Haystack, least (nothing compared or counted)": lambda: pipeline.run(given)}


def _haystack_same(value: dict[str, Any], question: str) -> Runs:
    from haystack import Document, Pipeline, component
    from haystack.components.preprocessors import DocumentCleaner
    from haystack.components.rankers import MetaFieldRanker

    # The outputs are declared by name: with postponed annotations Haystack cannot read them.
    @component
    class NearDuplicates:
        @component.output_types(documents=list[Document])
        def run(self, documents: list) -> dict:  # type: ignore[type-arg]
            kept: list[tuple[Any, frozenset[tuple[str, ...]]]] = []
            for document in documents:
                new = grams(document.content)
                if all(len(new & old) < 0.8 * min(len(new), len(old)) for _, old in kept):
                    kept.append((document, new))
                if len(kept) == MOST_DOCUMENTS:
                    break
            return {"documents": [document for document, _ in kept]}

    @component
    class TokenBudget:
        @component.output_types(documents=list[Document])
        def run(self, documents: list) -> dict:  # type: ignore[type-arg]
            taken, spent = [], 0
            for document in documents:
                spent += count(document.content)
                if spent > MOST_TOKENS:
                    break
                taken.append(document)
            return {"documents": taken}

    pipeline = Pipeline()
    pipeline.add_component("cleaner", DocumentCleaner())
    pipeline.add_component(
        "ranker", MetaFieldRanker(meta_field="rank", weight=1.0, sort_order="ascending")
    )
    pipeline.add_component("near_duplicates", NearDuplicates())
    pipeline.add_component("budget", TokenBudget())
    pipeline.connect("cleaner.documents", "ranker.documents")
    pipeline.connect("ranker.documents", "near_duplicates.documents")
    pipeline.connect("near_duplicates.documents", "budget.documents")
    _builders(pipeline, "budget")
    given = _given("cleaner", _documents(value), question)
    return {"peer: Haystack, same job (two own components)": lambda: pipeline.run(given)}


def _llama_index(value: dict[str, Any], question: str) -> Runs:
    from llama_index.core.llms import MockLLM
    from llama_index.core.postprocessor import LongContextReorder, SimilarityPostprocessor
    from llama_index.core.query_engine import CitationQueryEngine
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, TextNode

    nodes = [
        NodeWithScore(
            node=TextNode(id_=item["chunk_id"], text=item["chunk_text"]),
            score=item["similarity_score"],
        )
        for item in value["results"]
    ]

    class Given(BaseRetriever):
        def _retrieve(self, query_bundle: Any) -> list[NodeWithScore]:  # noqa: ARG002
            return nodes

    engine = CitationQueryEngine(
        retriever=Given(),
        llm=MockLLM(max_tokens=1),
        node_postprocessors=[
            SimilarityPostprocessor(similarity_cutoff=0.3),
            LongContextReorder(),
        ],
    )

    def run() -> str:
        sources = engine._create_citation_nodes(engine.retrieve(_query(question)))
        return "\n\n".join(source.node.get_content() for source in sources)

    return {"peer: LlamaIndex, post-processors, citation engine": run}


def _query(question: str) -> Any:
    from llama_index.core.schema import QueryBundle

    return QueryBundle(question)
