"""Vectors of an index: what is nearest, whoever compares, and what is kept of them."""

from __future__ import annotations

import pytest

from assay.adapters.retrievers import nearest as nearest_module
from tests.parts import require_part

(np,) = require_part("embeddings", "numpy")
NearestPassages = nearest_module.NearestPassages
WIDTH = 384


def vectors(passages: int, *, seed: int = 0, pieces: int = 2) -> list[tuple[int, bytes]]:
    """Crowded as real ones are: much in common, most of the rest along a few directions."""
    chance = np.random.default_rng(seed)
    common = chance.standard_normal(WIDTH)
    rows = chance.standard_normal((passages * pieces, WIDTH)) * np.linspace(1, 0.05, WIDTH)
    rows = 0.3 * rows + common
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    halves = rows.astype("<f2").reshape(passages, pieces, WIDTH)
    return [(3 * number + 1, halves[number].tobytes()) for number in range(passages)]


def row(data: bytes, piece: int = 0):
    return np.frombuffer(data, dtype="<f2").reshape(-1, WIDTH)[piece].astype(np.float32)


def general():
    return np.zeros(WIDTH, dtype=np.float32)


@pytest.mark.clause("008-R2")
def test_a_passage_is_as_near_as_its_nearest_piece():
    """Asked with the very vector of a second piece, its passage comes first; ties go by number."""
    given = [*vectors(40), (500, vectors(40)[7][1])]
    found = NearestPassages.derive(given, general())

    for at in (0, 7, 39):
        assert given[at][0] == found.find(row(given[at][1], 1), 3)[0]
    assert [22, 500] == found.find(row(given[7][1]), 2)
    assert [] == found.find(row(given[0][1]), 0)


@pytest.mark.clause("008-R2")
def test_what_all_have_in_common_does_not_count():
    """Raw cosines are all high; seen from the middle, unrelated vectors are far."""
    given = vectors(200)
    found = NearestPassages.derive(given, general())
    asked = row(given[5][1])
    cosines = found.cosines(asked, dict(given[:20]))

    assert float(asked @ row(given[9][1])) > 0.5
    assert cosines[given[5][0]] > 0.99
    assert all(cosines[number] < 0.5 for number, _ in given[:20] if number != given[5][0])


@pytest.mark.clause("008-R6")
def test_only_what_is_allowed_is_found():
    """The nearest of those that may be, however far down they stand."""
    given = vectors(60)
    found = NearestPassages.derive(given, general())
    allowed = [given[at][0] for at in (50, 51, 52)]

    assert sorted(allowed) == sorted(found.find(row(given[0][1]), 10, allowed))
    assert [] == found.find(row(given[0][1]), 10, [])


@pytest.mark.clause("008-R4")
def test_what_is_kept_gives_the_same_answers_mapped_into_memory(tmp_path):
    """For the state it was kept of and no other; a damaged or cut file is as good as none."""
    given = vectors(50)
    found = NearestPassages.derive(given, general())
    file = tmp_path / "a.near"
    found.save(file, "one")
    kept = NearestPassages.load(file, "one")

    assert [file] == [*tmp_path.iterdir()]
    assert isinstance(kept.rows, np.memmap)
    for number, data in given[:5]:
        assert found.find(row(data), 9) == kept.find(row(data), 9)
        assert found.cosines(row(data), {number: data}) == kept.cosines(row(data), {number: data})
    assert NearestPassages.load(file, "another") is None
    whole = file.read_bytes()
    for damaged in (b"", whole[:300], whole[:2000], b"\xff" * 5000, b"[]" + whole[2:]):
        file.write_bytes(damaged)
        assert NearestPassages.load(file, "one") is None


@pytest.mark.clause("008-R4")
def test_without_room_nothing_is_kept_and_nothing_fails(tmp_path):
    """The vectors are worked out again."""
    found = NearestPassages.derive(vectors(5), general())
    found.save(tmp_path / "nowhere" / "a.near", "one")

    assert [] == [*tmp_path.iterdir()]


@pytest.mark.clause("008-R4")
def test_an_index_without_passages_finds_nothing(tmp_path):
    """Empty, derived, kept or loaded."""
    found = NearestPassages.derive([], general())
    found.save(tmp_path / "a.near", "one")

    assert [] == found.find(np.ones(WIDTH, dtype=np.float32), 5)
    kept = NearestPassages.load(tmp_path / "a.near", "one")
    assert [] == kept.find(np.ones(WIDTH, dtype=np.float32), 5)


@pytest.mark.clause("008-R4")
def test_beyond_many_passages_usearch_finds_the_same(monkeypatch):
    """The same passages in the same order as every vector compared by numpy; without usearch
    numpy goes on alone."""
    given = vectors(3000, pieces=3)
    found = NearestPassages.derive(given, general())
    asked = [row(data) for _, data in given[:30]]
    by_numpy = [found.find(each, 20) for each in asked]
    monkeypatch.setattr(nearest_module, "MANY", 1000)
    monkeypatch.setattr(nearest_module, "_nearest_by_usearch", lambda *_: None)
    assert by_numpy == [found.find(each, 20) for each in asked]

    monkeypatch.undo()
    require_part("vectors", "usearch")
    calls = []
    original = nearest_module._nearest_by_usearch

    def spy(*given):
        calls.append(given)
        return original(*given)

    monkeypatch.setattr(nearest_module, "MANY", 1000)
    monkeypatch.setattr(nearest_module, "_nearest_by_usearch", spy)
    assert by_numpy == [found.find(each, 20) for each in asked]
    assert len(asked) == len(calls)
