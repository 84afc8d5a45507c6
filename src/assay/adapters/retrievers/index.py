"""The index of one set of documents: words and vectors of every passage, in one SQLite file.

In      files as read, a question's words and vector
Out     passages with their similarity
Effects one SQLite file, which is a cache: it is made anew when it is damaged or of another make
Spec    004 R2.0; interfaces.md, "Command line" (`assay ask --docs`), "Answers" (0.50, 0.30)

Each file is one transaction: killed in the middle, an index holds whole files and goes on.

How near a passage is to a question is one number, half of it the share of the question's words
that the passage holds, rare words counting more, half nearness in meaning, stretched so that 0 is
what unrelated texts have and 1 what paraphrases have. Both halves are needed for a high score: a
passage that shares a rare word and nothing else stays under the upper gate, and so does one that
is merely about the like. `tools/quality_ask.py` measures what the gates of R2_POLICY_V1 let pass.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.core.json.canonical import digest_json
from assay.errors import StoreUnavailableError
from assay.sources.documents.passages import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

FORMAT: Final = 2
"""Counts up whenever passages, words or tables change their make."""

CANDIDATES: Final = 200
"""Passages that are looked at more closely: the best by words and the best by meaning."""

WAIT_S: Final = 60.0
"""How long another process may hold the file."""

UNRELATED_COSINE: Final = 0.05
"""Where unrelated texts lie, on the average."""

PARAPHRASE_COSINE: Final = 0.70
"""From here on two texts say the same."""

WORDS_SHARE: Final = 0.4
"""Weight of the words; the rest is that of the meaning."""

_TABLES: Final = """
CREATE TABLE meta (make TEXT NOT NULL);
CREATE TABLE files (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL, seen_ns INTEGER NOT NULL, digest TEXT NOT NULL,
    unreadable TEXT
);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, number INTEGER NOT NULL,
    start INTEGER NOT NULL, stop INTEGER NOT NULL, page INTEGER, text TEXT NOT NULL, vectors BLOB
);
CREATE INDEX passages_of_file ON passages (file);
CREATE VIRTUAL TABLE words USING fts5 (stems, tokenize = "unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, 'row');
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the index remembers of a file."""

    size: int
    modified_ns: int
    seen_ns: int
    """When it was read."""

    digest: str
    unreadable: str | None
    """Why it gave no text; None when it did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage with its similarity to a question."""

    file: str
    number: int
    """Of the passage in its file, from 0."""

    start: int
    stop: int
    page: int | None
    text: str
    similarity: float


class PassageIndex:
    """An open index. Use `open_index`."""

    def __init__(self, connection: sqlite3.Connection, make: str) -> None:
        self._db = connection
        self._make = make

    def files(self) -> dict[str, Known]:
        """Every file by its name."""
        rows = self._db.execute(
            "SELECT name, size, modified_ns, seen_ns, digest, unreadable FROM files"
        )
        return {
            name: Known(
                size=size, modified_ns=modified, seen_ns=seen, digest=digest, unreadable=why
            )
            for name, size, modified, seen, digest, why in rows
        }

    def replace_file(
        self,
        name: str,
        known: Known,
        passages: Sequence[Passage],
        stems: Sequence[str],
        vectors: Sequence[Floats] | None,
    ) -> None:
        """Replace all that is known of the file *name*, in one transaction.

        Args:
            name: As the caller would write it.
            known: What is remembered of it.
            passages: In order.
            stems: Of each passage, with blanks between them.
            vectors: Of each passage, one row for each piece of it; None without embeddings.
        """
        with self._writing():
            self._forget(name)
            file = self._db.execute(
                "INSERT INTO files (name, size, modified_ns, seen_ns, digest, unreadable)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (
                    name,
                    known.size,
                    known.modified_ns,
                    known.seen_ns,
                    known.digest,
                    known.unreadable,
                ),
            ).lastrowid
            for number, passage in enumerate(passages):
                vector = None if vectors is None else vectors[number].tobytes()
                row = self._db.execute(
                    "INSERT INTO passages (file, number, start, stop, page, text, vectors)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (
                        file,
                        number,
                        passage.start,
                        passage.stop,
                        passage.page,
                        passage.text,
                        vector,
                    ),
                ).lastrowid
                self._db.execute(
                    "INSERT INTO words (rowid, stems) VALUES (?, ?)", (row, stems[number])
                )

    def touch(self, name: str, known: Known) -> None:
        """The file was looked at again and holds what it held."""
        with self._writing():
            self._db.execute(
                "UPDATE files SET size = ?, modified_ns = ?, seen_ns = ? WHERE name = ?",
                (known.size, known.modified_ns, known.seen_ns, name),
            )

    def forget(self, names: Sequence[str]) -> None:
        """Drop files that are there no more."""
        with self._writing():
            for name in names:
                self._forget(name)

    def version(self) -> str:
        """Digest of all that can be found: equal documents give equal versions."""
        rows = self._db.execute(
            "SELECT name, digest FROM files WHERE unreadable IS NULL ORDER BY name"
        )
        return digest_json({"make": self._make, "files": [list(row) for row in rows]})

    def search(self, words: Sequence[str], vector: Floats | None, top_k: int) -> list[Hit]:
        """The *top_k* nearest passages, nearest first; ties in order of file and place.

        Args:
            words: Stems of the question.
            vector: Of the question; None where the index has none.
        """
        passages = self._db.execute("SELECT count(*) FROM passages").fetchone()[0]
        weights = rarity(self._holders(words), passages)
        cosines = {} if vector is None else self._cosines(vector)
        near = sorted(cosines, key=lambda row: (-cosines[row], row))[: max(CANDIDATES, top_k)]
        rows = list(dict.fromkeys([*self._by_words(words, max(CANDIDATES, top_k)), *near]))
        hits = []
        for row in rows:
            hit, stems = self._passage(row)
            covered = coverage(weights, set(stems.split()))
            hits.append(
                Hit(**hit, similarity=similarity(covered, cosines.get(row) if cosines else None))
            )
        hits.sort(key=lambda hit: (-hit.similarity, hit.file, hit.number))
        return hits[:top_k]

    def _holders(self, words: Sequence[str]) -> dict[str, int]:
        found = {}
        for word in words:
            row = self._db.execute("SELECT doc FROM vocabulary WHERE term = ?", (word,)).fetchone()
            found[word] = 0 if row is None else int(row[0])
        return found

    def _by_words(self, words: Sequence[str], most: int) -> list[int]:
        if not words:
            return []
        wanted = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
        rows = self._db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words), rowid LIMIT ?",
            (wanted, most),
        )
        return [row[0] for row in rows]

    def _cosines(self, vector: Floats) -> dict[int, float]:
        """Of each passage, that of its nearest piece."""
        import numpy as np

        rows = self._db.execute(
            "SELECT id, vectors FROM passages WHERE vectors IS NOT NULL ORDER BY id"
        ).fetchall()
        if not rows:
            return {}
        width = len(vector)
        matrix = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.float32)
        # In double precision, which rounds to the same six decimals whatever the batch is.
        cosines = matrix.reshape(-1, width).astype(np.float64) @ vector.astype(np.float64)
        pieces = [len(row[1]) // (4 * width) for row in rows]
        starts = np.concatenate(([0], np.cumsum(pieces)[:-1]))
        best = np.maximum.reduceat(cosines, starts)
        return dict(zip((row[0] for row in rows), best.round(9).tolist(), strict=True))

    def _passage(self, row: int) -> tuple[dict[str, Any], str]:
        found = self._db.execute(
            "SELECT f.name, p.number, p.start, p.stop, p.page, p.text, w.stems FROM passages p"
            " JOIN files f ON f.id = p.file JOIN words w ON w.rowid = p.id WHERE p.id = ?",
            (row,),
        ).fetchone()
        names = ("file", "number", "start", "stop", "page", "text")
        return dict(zip(names, found[:6], strict=True)), found[6]

    def _forget(self, name: str) -> None:
        row = self._db.execute("SELECT id FROM files WHERE name = ?", (name,)).fetchone()
        if row is None:
            return
        self._db.execute(
            "DELETE FROM words WHERE rowid IN (SELECT id FROM passages WHERE file = ?)", row
        )
        self._db.execute("DELETE FROM passages WHERE file = ?", row)
        self._db.execute("DELETE FROM files WHERE id = ?", row)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")


@contextmanager
def open_index(path: Path, identity: Mapping[str, Any]) -> Iterator[PassageIndex]:
    """Open the index at *path*, made anew unless it is whole and of this make.

    Args:
        identity: What fixes the vectors.

    Raises:
        StoreUnavailableError: the file cannot be made or written, or stays locked.
    """
    make = digest_json({"format": FORMAT, **identity})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not _is_of_make(path, make):
            path.unlink(missing_ok=True)
            _create(path, make)
        with closing(_connect(path)) as connection:
            yield PassageIndex(connection, make)
    except (sqlite3.DatabaseError, OSError) as error:
        raise StoreUnavailableError(
            f"the index {path.name} cannot be used ({type(error).__name__})",
            hint="check permissions and free space of the folder .assay",
        ) from error


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=WAIT_S, isolation_level=None)


def _is_of_make(path: Path, make: str) -> bool:
    if not path.exists():
        return False
    try:
        with closing(_connect(path)) as connection:
            row = connection.execute("SELECT make FROM meta").fetchone()
            if row != (make,):
                return False
            whole: list[tuple[str]] = connection.execute("PRAGMA quick_check").fetchall()
            return whole == [("ok",)]
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            raise
        return False


def _create(path: Path, make: str) -> None:
    with closing(_connect(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("SELECT name FROM sqlite_master WHERE name = 'meta'").fetchone():
            connection.execute("ROLLBACK")  # another process was first
            return
        for statement in _TABLES.strip().split(";\n"):
            if statement.strip():
                connection.execute(statement)
        connection.execute("INSERT INTO meta (make) VALUES (?)", (make,))
        connection.execute("COMMIT")


def rarity(holders: Mapping[str, int], passages: int) -> dict[str, float]:
    """How much each word of a question counts.

    Args:
        holders: Word -> passages of the index that hold it.
        passages: All passages of the index.

    Example:
        >>> weights = rarity({"fee": 9, "sextant": 0}, 9)
        >>> weights["sextant"] > weights["fee"] > 0
        True
    """
    return {
        word: math.log(1.0 + (passages + 1.0) / (1.0 + holding))
        for word, holding in holders.items()
    }


def coverage(weights: Mapping[str, float], words: Collection[str]) -> float:
    """The weighted share of the question's words that stand among *words*."""
    total = sum(weights.values())
    if total <= 0.0:
        return 0.0
    return sum(weight for word, weight in weights.items() if word in words) / total


def similarity(covered: float, cosine: float | None) -> float:
    """One number from both, with six decimals; the words alone where there are no vectors.

    Example:
        >>> similarity(1.0, 0.70), similarity(0.0, 0.0), similarity(0.5, None)
        (1.0, 0.0, 0.5)
    """
    if cosine is None:
        return round(min(1.0, max(0.0, covered)), 6)
    near = (cosine - UNRELATED_COSINE) / (PARAPHRASE_COSINE - UNRELATED_COSINE)
    near = min(1.0, max(0.0, near))
    return round(min(1.0, WORDS_SHARE * covered + (1.0 - WORDS_SHARE) * near), 6)
