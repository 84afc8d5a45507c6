"""The Merkle tree against its own definition, over all small trees and random large ones."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.record.tree import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_at,
    root_of,
    verify_consistency,
    verify_inclusion,
)

LEAVES = [leaf_hash(str(i).encode()) for i in range(300)]


def _defined(leaves: Sequence[bytes]) -> bytes:
    """The root as RFC 9162, 2.1.1 writes it down."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return node_hash(_defined(leaves[:k]), _defined(leaves[k:]))


def _node(level: int, index: int) -> bytes:
    stop = (index + 1) << level
    assert stop <= len(LEAVES), "a node that is not complete was asked for"
    return _defined(LEAVES[index << level : stop])


sizes = st.integers(0, len(LEAVES))


def test_hashing_is_to_the_letter() -> None:
    """Leaf prefix 0x00, node prefix 0x01, the empty tree."""
    assert sha256(b"\x00entry").digest() == leaf_hash(b"entry")
    assert sha256(b"\x01" + b"l" * 32 + b"r" * 32).digest() == node_hash(b"l" * 32, b"r" * 32)
    assert bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855") == (
        EMPTY_ROOT
    )


@given(sizes)
def test_a_growing_tree_has_the_defined_root(size: int) -> None:
    """Leaf by leaf, from complete nodes, and by definition: one root."""
    expected = _defined(LEAVES[:size])

    assert expected == root_of(LEAVES[:size])
    assert expected == root_at(size, _node)


@given(sizes, st.data())
def test_a_frontier_can_be_put_away_and_taken_up(size: int, data: st.DataObject) -> None:
    """Growing in two sittings gives the tree of one; each completed node is told once."""
    middle = data.draw(st.integers(0, size))
    first = Frontier()
    told = [node for leaf in LEAVES[:middle] for node in first.append(leaf)]
    second = Frontier.from_bytes(first.size, first.to_bytes())
    told += [node for leaf in LEAVES[middle:size] for node in second.append(leaf)]

    assert _defined(LEAVES[:size]) == second.root()
    expected = {
        (level, index, _node(level, index))
        for level in range(1, 9)
        for index in range(size >> level)
    }
    assert sorted(expected) == sorted(told)


@pytest.mark.parametrize(
    ("size", "data"), [(1, b""), (0, b"x" * 32), (3, b"x" * 32), (1, b"x" * 31), (-1, b"")]
)
def test_a_wrong_frontier_is_refused(size: int, data: bytes) -> None:
    """One root of 32 bytes for each bit of the size."""
    with pytest.raises(ValueError):
        Frontier.from_bytes(size, data)


@given(st.integers(1, len(LEAVES)), st.data())
def test_inclusion_is_proved_and_nothing_else(size: int, data: st.DataObject) -> None:
    """The proof holds; for another leaf, place, size, root, or with a changed path it does not."""
    index = data.draw(st.integers(0, size - 1))
    root = root_at(size, _node)
    proof = inclusion_proof(index, size, _node)
    assert verify_inclusion(index, size, LEAVES[index], proof, root)
    assert len(proof) <= (size - 1).bit_length()

    assert not verify_inclusion(index, size, leaf_hash(b"other"), proof, root)
    assert not verify_inclusion(index, size, LEAVES[index], proof, leaf_hash(b"other"))
    assert not verify_inclusion(index, size, LEAVES[index], (*proof, root), root)
    assert not verify_inclusion(index, size, LEAVES[index], (*proof, b""), root)
    assert not verify_inclusion(-1, size, LEAVES[index], proof, root)
    assert not verify_inclusion(size, size, LEAVES[index], proof, root)
    if size > 1:
        other = data.draw(st.integers(0, size - 1).filter(lambda at: at != index))
        assert not verify_inclusion(other, size, LEAVES[index], proof, root)
        assert not verify_inclusion(index, size, LEAVES[index], proof[:-1], root)
        at = data.draw(st.integers(0, len(proof) - 1))
        bent = [*proof[:at], leaf_hash(proof[at]), *proof[at + 1 :]]
        assert not verify_inclusion(index, size, LEAVES[index], bent, root)


@given(st.integers(1, len(LEAVES)), st.data())
def test_growth_is_proved_and_nothing_else(second: int, data: st.DataObject) -> None:
    """The newer tree begins with the older; a changed root, size or path proves nothing."""
    first = data.draw(st.integers(1, second))
    old, new = root_at(first, _node), root_at(second, _node)
    proof = consistency_proof(first, second, _node)
    assert verify_consistency(first, second, old, new, proof)

    other = leaf_hash(b"other")
    assert not verify_consistency(first, second, other, new, proof)
    assert not verify_consistency(first, second, old, other, proof)
    assert not verify_consistency(first, second, old, new, (*proof, other))
    assert not verify_consistency(second + 1, second, old, new, proof)
    assert not verify_consistency(0, second, EMPTY_ROOT, new, proof)
    if first < second:
        assert not verify_consistency(first, second, old, new, proof[:-1])
        at = data.draw(st.integers(0, len(proof) - 1))
        bent = [*proof[:at], leaf_hash(proof[at]), *proof[at + 1 :]]
        assert not verify_consistency(first, second, old, new, bent)


@pytest.mark.parametrize(("index", "size"), [(0, 0), (1, 1), (-1, 1)])
def test_no_proof_of_what_is_not_there(index: int, size: int) -> None:
    """A leaf outside of the tree."""
    with pytest.raises(ValueError):
        inclusion_proof(index, size, _node)


@pytest.mark.parametrize(("first", "second"), [(0, 0), (0, 1), (2, 1)])
def test_no_proof_from_nothing_or_backwards(first: int, second: int) -> None:
    """From an empty tree everything grows: there is nothing to show."""
    with pytest.raises(ValueError):
        consistency_proof(first, second, _node)


@pytest.mark.parametrize("size", [2, 3, 4, 7, 8, 100])
def test_the_root_is_no_leaf_of_its_own_tree(size):
    """Only a tree of one leaf has its root as a leaf; else an empty proof would prove anything."""
    root = _defined(LEAVES[:size])

    assert [] == [index for index in range(size) if verify_inclusion(index, size, root, (), root)]
    assert verify_inclusion(0, 1, LEAVES[0], (), LEAVES[0])


@pytest.mark.parametrize("size", [3, 4, 6, 9])
def test_a_node_is_no_leaf(size):
    """The rest of a path from a node upwards does not show that the node is a leaf."""
    leaves = LEAVES[:size]
    proof = inclusion_proof(0, size, _node)
    node = node_hash(leaves[0], leaves[1])

    assert verify_inclusion(0, size, leaves[0], proof, _defined(leaves))
    assert not verify_inclusion(0, size, node, proof[1:], _defined(leaves))


@pytest.mark.parametrize("first", [1, 2, 3, 4, 5, 6])
def test_an_empty_proof_shows_no_growth(first):
    """Of an earlier tree of any size, a power of two or none: without a path nothing is shown."""
    old, new = _defined(LEAVES[:first]), _defined(LEAVES[:7])

    assert not verify_consistency(first, 7, old, new, ())
    assert not verify_consistency(first, 7, old, old, ())


def test_an_inner_node_is_no_leaf() -> None:
    """The hash of a subtree with what is left of a leaf's path leads to the root, and is no proof:
    the path is too short for the size of the tree, whatever index is claimed."""
    for size in range(2, 26):
        root = root_at(size, _node)
        for leaf in range(size):
            proof = inclusion_proof(leaf, size, _node)
            for climbed in range(1, len(proof) + 1):
                inner = _climbed(leaf, size, proof[:climbed])
                assert not any(
                    verify_inclusion(index, size, inner, proof[climbed:], root)
                    for index in range(size)
                )


def test_a_path_longer_than_its_tree_proves_nothing() -> None:
    """The siblings of a right edge all stand on its left: taken for paths of the smaller trees
    that end there, they would lead to the larger tree's root. The claimed size ends them first."""
    for size in range(2, 34):
        root = root_at(size, _node)
        proof = inclusion_proof(size - 1, size, _node)
        assert not verify_inclusion(0, 1, LEAVES[size - 1], proof, root)

    old, new = root_at(7, _node), root_at(8, _node)
    proof = consistency_proof(7, 8, _node)
    assert verify_consistency(7, 8, old, new, proof)
    assert not verify_consistency(3, 4, old, new, proof)


def _climbed(leaf: int, size: int, siblings: Sequence[bytes]) -> bytes:
    """The node that the first *siblings* of a leaf's path lead to, by the definition of the root:
    the path splits the tree from the top, so the node covers what the last splits leave."""
    start, stop = 0, size
    spans = []
    while stop - start > 1:
        spans.append((start, stop))
        k = 1
        while k * 2 < stop - start:
            k *= 2
        start, stop = (start, start + k) if leaf < start + k else (start + k, stop)
    start, stop = spans[-len(siblings)]
    return _defined(LEAVES[start:stop])
