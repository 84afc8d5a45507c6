"""The Merkle tree over all events: hashing, growing, proving, checking.

In      leaf hashes in order; the roots of complete subtrees
Out     roots, inclusion and consistency proofs, and yes or no to a proof
Pure    yes
Spec    RFC 9162, 2.1 (RFC 6962 hashing)

A *node* is the root of a complete subtree: node (level, index) covers the leaves from
`index << level` up to `(index + 1) << level`. Complete subtrees never change as the tree grows,
so whoever keeps some of them can prove anything without hashing all leaves again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

HASH_BYTES = 32
EMPTY_ROOT = sha256(b"").digest()
"""The root of a tree without leaves."""

NodeReader = Callable[[int, int], bytes]
"""Gives the hash of node (level, index)."""


def leaf_hash(entry: bytes) -> bytes:
    """The hash of one entry. Spec: RFC 9162, 2.1.1."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees under one node. Spec: RFC 9162, 2.1.1."""
    return sha256(b"\x01" + left + right).digest()


class Frontier:
    """The right edge of a growing tree: the roots of its maximal complete subtrees.

    One for each bit that is set in the size, the largest first. It is all that appending needs.

    Example:
        >>> edge = Frontier()
        >>> edge.append(leaf_hash(b"a")), len(edge.append(leaf_hash(b"b")))
        ([], 1)
        >>> edge.root() == node_hash(leaf_hash(b"a"), leaf_hash(b"b"))
        True
    """

    __slots__ = ("_roots", "size")

    def __init__(self, size: int = 0, roots: Iterable[bytes] = ()) -> None:
        """Take up a tree of *size* leaves.

        Raises:
            ValueError: *roots* are not those of a tree of that size.
        """
        self._roots = list(roots)
        self.size = size
        if size < 0 or len(self._roots) != size.bit_count():
            raise ValueError("a frontier needs one root for each bit of the size")
        if any(len(root) != HASH_BYTES for root in self._roots):
            raise ValueError("a root has not 32 bytes")

    @classmethod
    def from_bytes(cls, size: int, data: bytes) -> Frontier:
        """The frontier that `to_bytes` wrote."""
        if len(data) % HASH_BYTES:
            raise ValueError("a frontier is a whole number of hashes")
        return cls(size, [data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES)])

    def to_bytes(self) -> bytes:
        return b"".join(self._roots)

    def append(self, leaf: bytes) -> list[tuple[int, int, bytes]]:
        """Add a leaf hash.

        Returns:
            The nodes that this leaf completes, from level 1 up: (level, index, hash).
        """
        roots = self._roots
        size = self.size
        self.size = size + 1
        completed = []
        level = 0
        while size & 1:
            leaf = sha256(b"\x01" + roots.pop() + leaf).digest()
            size >>= 1
            level += 1
            completed.append((level, size, leaf))
        roots.append(leaf)
        return completed

    def root(self) -> bytes:
        """The root of the whole tree."""
        if not self._roots:
            return EMPTY_ROOT
        root = self._roots[-1]
        for left in reversed(self._roots[:-1]):
            root = node_hash(left, root)
        return root


def root_of(leaves: Iterable[bytes]) -> bytes:
    """The root over leaf hashes in order."""
    edge = Frontier()
    for leaf in leaves:
        edge.append(leaf)
    return edge.root()


def root_at(size: int, node: NodeReader) -> bytes:
    """The root that the tree had when it had *size* leaves."""
    return _range_root(0, size, node) if size else EMPTY_ROOT


def inclusion_proof(index: int, size: int, node: NodeReader) -> tuple[bytes, ...]:
    """The audit path of leaf *index* in the tree of *size* leaves, from the leaf up.

    Raises:
        ValueError: the leaf is not in that tree.

    Spec: RFC 9162, 2.1.3.1.
    """
    if not 0 <= index < size:
        raise ValueError("the leaf is not in the tree")
    path = []
    start, stop = 0, size
    while stop - start > 1:
        middle = start + _split(stop - start)
        if index < middle:
            path.append(_range_root(middle, stop, node))
            stop = middle
        else:
            path.append(_range_root(start, middle, node))
            start = middle
    return tuple(reversed(path))


def consistency_proof(first: int, second: int, node: NodeReader) -> tuple[bytes, ...]:
    """Why the tree of *second* leaves begins with the tree of *first* leaves.

    Raises:
        ValueError: not 0 < first <= second.

    Spec: RFC 9162, 2.1.4.1.
    """
    if not 0 < first <= second:
        raise ValueError("a consistency proof needs 0 < first <= second")
    path = []
    start, stop = 0, second
    whole = True  # the older tree has been a subtree of its own so far
    while first != stop:
        middle = start + _split(stop - start)
        if first <= middle:
            path.append(_range_root(middle, stop, node))
            stop = middle
        else:
            path.append(_range_root(start, middle, node))
            start = middle
            whole = False
    if not whole:
        path.append(_range_root(start, stop, node))
    return tuple(reversed(path))


def verify_inclusion(
    index: int, size: int, leaf: bytes, proof: Sequence[bytes], root: bytes
) -> bool:
    """Whether *proof* shows that *leaf* is leaf *index* of the tree of *size* with *root*.

    Spec: RFC 9162, 2.1.3.2.
    """
    if not 0 <= index < size or not _are_hashes((leaf, root, *proof)):
        return False
    at, last, current = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            current = node_hash(sibling, current)
            while not at & 1 and at:
                at >>= 1
                last >>= 1
        else:
            current = node_hash(current, sibling)
        at >>= 1
        last >>= 1
    return last == 0 and current == root


def verify_consistency(
    first: int, second: int, first_root: bytes, second_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether *proof* shows that the tree of *second* leaves only added to that of *first*.

    Nothing can be shown from an empty tree to a later one: such a proof is refused.

    Spec: RFC 9162, 2.1.4.2.
    """
    if not 0 <= first <= second or not _are_hashes((first_root, second_root, *proof)):
        return False
    if first == second:
        return not proof and first_root == second_root
    if first == 0 or not proof:
        return False
    path = list(proof)
    if first & (first - 1) == 0:
        path.insert(0, first_root)
    at, last = first - 1, second - 1
    while at & 1:
        at >>= 1
        last >>= 1
    older = newer = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            older = node_hash(sibling, older)
            newer = node_hash(sibling, newer)
            while not at & 1 and at:
                at >>= 1
                last >>= 1
        else:
            newer = node_hash(newer, sibling)
        at >>= 1
        last >>= 1
    return last == 0 and older == first_root and newer == second_root


def _split(count: int) -> int:
    """The largest power of two smaller than *count*, which is 2 or more."""
    return 1 << (count - 1).bit_length() - 1


def _range_root(start: int, stop: int, node: NodeReader) -> bytes:
    """The root over leaves `start <= i < stop` that one subtree of a split covers."""
    count = stop - start
    if count & (count - 1) == 0 and start % count == 0:
        level = count.bit_length() - 1
        return node(level, start >> level)
    middle = start + _split(count)
    return node_hash(_range_root(start, middle, node), _range_root(middle, stop, node))


def _are_hashes(values: Iterable[bytes]) -> bool:
    return all(len(value) == HASH_BYTES for value in values)
