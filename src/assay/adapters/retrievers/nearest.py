"""Vectors of all pieces of an index, mapped into memory: which passages are nearest to a question.

In      numbers in half precision, passage by passage; a question's vector
Out     passages, nearest first; cosines of some
Effects one file beside the index, a cache of what is worked out of its vectors
Spec    008-R2, 008-R4; docs/decisions/0045

What all texts of an index have in common tells no passage from another. Nearness is therefore
measured after that is evened out: seen from the middle of the index, with each direction divided
by how much the index spreads along it (whitening, held small by RIDGE and, in a small index, by
FEW). The vectors are kept evened out, in the order of the passages, and the file is mapped: a
question reads them once, several processes share them, and none is a copy in memory. A passage is
as near as the nearest of its pieces. Ties go by passage.

Every vector is compared. From MANY passages on usearch does it, where it is installed, several
times as fast as numpy and with the same result; a graph, which is faster still, loses a third of
the twenty nearest among vectors as crowded as these, and is built anew for minutes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Halves = NDArray[np.float16]
    Integers = NDArray[np.int64]

MANY: Final = 50_000
"""Passages from which on usearch compares."""

RIDGE: Final = 0.5
"""Share of the mean spread that is added to each direction's; found on labelled questions."""

FEW: Final = 384
"""So many pieces must there be for their spread to count half."""

_GENERAL: Final = 30
"""So many pieces the general middle stands for."""

_BLOCK: Final = 16_384
"""Pieces that are widened to single precision at once: 25 MB."""

_MOST_SPREAD: Final = 65_536
"""Pieces of which the spread is taken; more of them would not change it."""

_PIECES_EACH: Final = 4
"""Pieces that are asked of usearch for each passage that is wanted."""

_HEAD_BYTES: Final = 512


@dataclass(frozen=True, slots=True)
class NearestPassages:
    """The vectors of one index as it stands. Use `derive` or `load`."""

    passages: Integers
    """Numbers of the passages, rising."""

    pieces: Integers
    """How many pieces each of them has."""

    middle: Floats
    """What all have in common."""

    evening: Floats
    """The matrix that evens out twice: it is applied to the question alone."""

    rows: Halves
    """The pieces, evened out once, each of length 1."""

    def __len__(self) -> int:
        return len(self.passages)

    @classmethod
    def derive(cls, vectors: Sequence[tuple[int, bytes]], general: Floats) -> Self:
        """Work them out.

        Args:
            vectors: Passage, rising, and its pieces in half precision.
            general: Mean of general sentences.
        """
        import numpy as np

        width = len(general)
        raw = np.frombuffer(b"".join(data for _, data in vectors), dtype="<f2").reshape(-1, width)
        total = np.zeros(width, dtype=np.float64)
        for _, block in _blocks(raw):
            total += block.sum(axis=0, dtype=np.float64)
        mean = (total + _GENERAL * general.astype(np.float64)) / (len(raw) + _GENERAL)
        middle = mean.astype(np.float32)
        spread = np.zeros((width, width), dtype=np.float64)
        for _, block in _blocks(raw[:: -(-len(raw) // _MOST_SPREAD) or 1]):
            moved = (block - middle).astype(np.float64)
            spread += moved.T @ moved
        typical = max(float(np.trace(spread)) / width, 1e-12)
        values, axes = np.linalg.eigh(spread / typical)
        scale = 1.0 / (np.maximum(values, 0.0) + RIDGE + FEW / max(len(raw), 1))
        once = ((axes * np.sqrt(scale)) @ axes.T).astype(np.float32)
        rows = np.empty(raw.shape, dtype=np.float16)
        for at, block in _blocks(raw):
            evened = (block - middle) @ once
            lengths = np.linalg.norm(evened, axis=1, keepdims=True)
            rows[at : at + len(block)] = evened / np.maximum(lengths, np.float32(1e-6))
        return cls(
            passages=np.asarray([passage for passage, _ in vectors], dtype=np.int64),
            pieces=np.asarray([len(data) // (2 * width) for _, data in vectors], dtype=np.int64),
            middle=middle,
            evening=((axes * np.sqrt(scale)) @ axes.T).astype(np.float32),
            rows=rows,
        )

    @classmethod
    def load(cls, file: Path, state: str) -> Self | None:
        """What `save` kept of the same state of an index; None when there is none."""
        import numpy as np

        try:
            with file.open("rb") as stream:
                head: dict[str, Any] = json.loads(stream.read(_HEAD_BYTES))
            if head.get("state") != state:
                return None
            count, total, width = head["passages"], head["pieces"], head["width"]
            arrays, at = [], _HEAD_BYTES
            for kind, shape in (
                ("<i8", (count,)),
                ("<i8", (count,)),
                ("<f4", (width,)),
                ("<f4", (width, width)),
                ("<f2", (total, width)),
            ):
                array = np.memmap(file, dtype=kind, mode="r", offset=at, shape=shape)
                arrays.append(array)
                at += array.nbytes
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return cls(*arrays)

    def save(self, file: Path, state: str) -> None:
        """Keep them for the next question of the same state; without room, they are not kept."""
        head = {
            "state": state,
            "passages": len(self.passages),
            "pieces": len(self.rows),
            "width": len(self.middle),
        }
        with (
            suppress(OSError),
            NamedTemporaryFile(dir=file.parent, prefix=file.stem, delete=False) as stream,
        ):
            try:
                stream.write(json.dumps(head).encode().ljust(_HEAD_BYTES))
                for kind, part in (
                    ("<i8", self.passages),
                    ("<i8", self.pieces),
                    ("<f4", self.middle),
                    ("<f4", self.evening),
                    ("<f2", self.rows),
                ):
                    stream.write(part.astype(kind, copy=False).tobytes())
                stream.close()
                os.replace(stream.name, file)  # noqa: PTH105 - the name is text
            except BaseException:
                Path(stream.name).unlink(missing_ok=True)
                raise

    def find(self, question: Floats, most: int, among: Collection[int] | None = None) -> list[int]:
        """The *most* nearest passages, nearest first.

        Args:
            among: Passages that may be found; None is all.
        """
        import numpy as np

        if not len(self.rows) or most < 1:
            return []
        moved = self.evening @ (question.astype(np.float32) - self.middle)
        seen = (moved / max(float(np.linalg.norm(moved)), 1e-6)).astype(np.float32)
        ends = np.cumsum(self.pieces)
        places = self._candidates(seen, ends, 2 * most, among)
        best = [_cosine(self.rows[ends[at] - self.pieces[at] : ends[at]], seen) for at in places]
        order = np.lexsort((places, -np.asarray(best)))[:most]
        return [int(self.passages[places[at]]) for at in order]

    def _candidates(
        self, seen: Floats, ends: Integers, most: int, among: Collection[int] | None
    ) -> Integers:
        """Places of the *most* nearest passages, in single precision and in any order."""
        import numpy as np

        if among is None and len(self) >= MANY:
            keys = _nearest_by_usearch(self.rows, seen, _PIECES_EACH * most)
            if keys is not None:
                return np.unique(np.searchsorted(ends, keys, side="right"))
        cosines = np.concatenate([block @ seen for _, block in _blocks(self.rows)])
        best = np.maximum.reduceat(cosines, ends - self.pieces)
        places = np.arange(len(best))
        if among is not None:
            places = places[np.isin(self.passages, np.fromiter(among, dtype=np.int64))]
        return places[np.lexsort((places, -best[places].round(4)))[:most]]

    def cosines(self, question: Floats, vectors: Mapping[int, bytes]) -> dict[int, float]:
        """How near some passages are, seen from the middle alone; with six decimals.

        Args:
            vectors: As `derive` has them.
        """
        import numpy as np

        seen = question.astype(np.float32) - self.middle
        seen /= max(float(np.linalg.norm(seen)), 1e-6)
        found: dict[int, float] = {}
        for passage, data in vectors.items():
            raw = np.frombuffer(data, dtype="<f2").reshape(-1, len(self.middle))
            block = raw.astype(np.float32) - self.middle
            lengths = np.maximum(np.linalg.norm(block, axis=1), 1e-6)
            found[passage] = round(float(((block @ seen) / lengths).max(initial=0.0)), 6)
        return found


def _cosine(rows: Halves, seen: Floats) -> float:
    """That of the nearest row, each summed up for itself, so that it hangs on no neighbour and
    equal rows are equally near."""
    import numpy as np

    return round(float((rows.astype(np.float64) * seen.astype(np.float64)).sum(axis=1).max()), 6)


def _blocks(vectors: Halves) -> Iterator[tuple[int, Floats]]:
    import numpy as np

    for at in range(0, len(vectors), _BLOCK):
        yield at, vectors[at : at + _BLOCK].astype(np.float32)


def _nearest_by_usearch(rows: Halves, seen: Floats, most: int) -> Integers | None:
    """Which rows are nearest, rising; None where usearch is not installed."""
    import numpy as np

    try:
        from usearch.index import MetricKind, search
    except ImportError:
        return None
    found = search(rows, seen.astype(np.float16), min(most, len(rows)), MetricKind.IP, exact=True)
    return np.sort(found.keys.astype(np.int64))
