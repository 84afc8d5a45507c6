"""Where retrieved passages come from: files and folders, and what other retrievers give."""

from assay.adapters.retrievers.foreign import (
    from_elasticsearch,
    from_haystack,
    from_langchain,
    from_llama_index,
    from_pgvector,
)

__all__ = [
    "from_elasticsearch",
    "from_haystack",
    "from_langchain",
    "from_llama_index",
    "from_pgvector",
]
