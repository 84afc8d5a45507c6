"""The index of one set of documents: words and vectors of every passage, in one SQLite file.

In      files as read, a question's terms and vector
Out     passages in order, with their similarity
Effects one SQLite file, which is a cache: it is made anew when it is damaged or of another make;
        beside it its vectors, evened out
Spec    004 R2.0; interfaces.md, "Command line" (`assay ask --docs`), "Answers" (0.50, 0.30)

Each file is one transaction: killed in the middle, an index holds whole files and goes on.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.adapters.retrievers.nearest import NearestPassages
from assay.adapters.retrievers.ranking import (
    FEWEST_COVERED,
    coverage,
    fuse,
    put_likely_first,
    rarity,
    similarity,
)
from assay.adapters.retrievers.terms import question_terms
from assay.answers.conditions import meets, require_known
from assay.answers.gate.content_words import guess_text_language, is_other_language
from assay.answers.retrieval import Condition
from assay.core.json.canonical import digest_json
from assay.sources.documents.passages import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

CANDIDATES: Final = 200
"""Passages that are looked at more closely: the best by words and the best by meaning."""


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

    cut: tuple[str, ...] = ()
    """What of it was not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One passage as it comes into the index."""

    passage: Passage
    terms: Sequence[str]
    vectors: Floats | None
    """One row for each of its pieces; None without embeddings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage with its similarity to a question."""

    file: str
    number: int
    """Of the passage in its file, from 0."""

    start: int
    stop: int
    page: int | None
    line: int | None
    heading: str
    text: str
    title: str | None
    metadata: Mapping[str, str]
    similarity: float


class PassageIndex:
    """An open index. Use `index_file.open_index`."""

    def __init__(self, connection: sqlite3.Connection, make: str, path: Path) -> None:
        self._db = connection
        self._make = make
        self._path = path

    def files(self) -> dict[str, Known]:
        """Every file by its name."""
        rows = self._db.execute(
            "SELECT name, size, modified_ns, seen_ns, digest, unreadable, cut FROM files"
        )
        return {
            name: Known(
                size=size,
                modified_ns=modified,
                seen_ns=seen,
                digest=digest,
                unreadable=why,
                cut=tuple(json.loads(cut)),
            )
            for name, size, modified, seen, digest, why, cut in rows
        }

    def replace_file(
        self,
        name: str,
        known: Known,
        entries: Sequence[Entry] = (),
        *,
        title: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        """Replace all that is known of the file *name*, in one transaction.

        Args:
            name: As the caller would write it.
            known: What is remembered of it.
            entries: Its passages in order.
            title: What it is called, as it says.
            metadata: What else it says of itself.
        """
        with self._writing():
            self._forget(name)
            file = self._db.execute(
                "INSERT INTO files (name, size, modified_ns, seen_ns, digest, unreadable, cut,"
                " title, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    name,
                    known.size,
                    known.modified_ns,
                    known.seen_ns,
                    known.digest,
                    known.unreadable,
                    json.dumps(known.cut),
                    title,
                    json.dumps(dict(metadata or {})),
                ),
            ).lastrowid
            for number, entry in enumerate(entries):
                passage = entry.passage
                row = self._db.execute(
                    "INSERT INTO passages (file, number, start, stop, page, line, heading, text)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        file,
                        number,
                        passage.start,
                        passage.stop,
                        passage.page,
                        passage.line,
                        passage.heading,
                        passage.text,
                    ),
                ).lastrowid
                self._db.execute(
                    "INSERT INTO words (rowid, stems) VALUES (?, ?)", (row, " ".join(entry.terms))
                )
                if entry.vectors is not None:
                    numbers = entry.vectors.astype("<f2").tobytes()
                    self._db.execute(
                        "INSERT INTO vectors (passage, numbers) VALUES (?, ?)", (row, numbers)
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

    def state(self) -> str:
        """Another word after every change, and in every other file: numbers of passages hold
        for one state only, while equal documents give equal versions."""
        born, changes = self._db.execute("SELECT born, changes FROM meta").fetchone()
        return f"{born} {changes}"

    def keep_general(self, general: Callable[[], Floats]) -> None:
        """Keep the mean of general sentences, which is asked for once in the life of an index."""
        if self._general() is None:
            numbers = general().astype("<f4").tobytes()
            self._db.execute("UPDATE meta SET general = ?", (numbers,))

    def nearest(self) -> NearestPassages:
        """The vectors of all passages, as the index stands; `keep_general` comes first."""
        import numpy as np

        file, state = self._path.with_suffix(".near"), self.state()
        kept = NearestPassages.load(file, state)
        if kept is not None:
            return kept
        rows = self._db.execute("SELECT passage, numbers FROM vectors ORDER BY passage")
        general = np.frombuffer(self._general() or b"", dtype="<f4")
        found = NearestPassages.derive(rows.fetchall(), general)
        found.save(file, state)
        return found

    def _general(self) -> bytes | None:
        found: bytes | None = self._db.execute("SELECT general FROM meta").fetchone()[0]
        return found

    def search(
        self,
        question: str,
        vector: Floats | None,
        nearest: NearestPassages | None,
        top_k: int,
        where: Sequence[Condition] = (),
    ) -> list[Hit]:
        """The best *top_k* passages, best first.

        Args:
            vector: Of the question; None, as *nearest*, where there are no embeddings.
            where: What must hold of every one.

        Raises:
            InputError: no passage has what a condition names.
        """
        terms = question_terms(question)
        among = self._find_among(where) if where else None
        most = max(CANDIDATES, top_k)
        weights = rarity(self._holders(terms), self.count())
        by_words = self._by_words(terms, most, among)
        if vector is None or nearest is None:
            rows, cosines = by_words[:top_k], {}
        else:
            telling = [
                row for row in by_words if self._weigh_covered(weights, row) > FEWEST_COVERED
            ]
            rows = fuse(telling, nearest.find(vector, most, among))[:top_k]
            cosines = nearest.cosines(vector, self._vectors_of(rows))
        spoken = guess_text_language(question)
        hits = []
        for row in rows:
            facts, stems = self._passage(row)
            covered = coverage(weights, set(stems.split()))
            other = is_other_language(facts["text"], spoken)
            likely = similarity(
                covered, cosines.get(row), other_language=other, passages=self.count()
            )
            hits.append(Hit(**facts, similarity=likely))
        return put_likely_first(hits, [hit.similarity for hit in hits])

    def count(self) -> int:
        """How many passages there are."""
        return int(self._db.execute("SELECT count(*) FROM passages").fetchone()[0])

    def _weigh_covered(self, weights: Mapping[str, float], row: int) -> float:
        stems = self._db.execute("SELECT stems FROM words WHERE rowid = ?", (row,)).fetchone()[0]
        return coverage(weights, set(stems.split()))

    def _find_among(self, where: Sequence[Condition]) -> set[int]:
        """The passages of which all conditions hold."""
        rows = self._db.execute(
            "SELECT p.id, f.name, f.title, f.metadata, p.page, p.line, p.heading"
            " FROM passages p JOIN files f ON f.id = p.file"
        )
        keys: set[str] = set()
        found = set()
        for row, name, title, metadata, page, line, heading in rows:
            named = {"file": name, "title": title, "page": page, "line": line}
            facts = {key: str(value) for key, value in named.items() if value is not None}
            facts = {**json.loads(metadata), **facts, "heading": heading}
            keys |= facts.keys()
            if meets(facts, where):
                found.add(int(row))
        require_known(where, keys)
        return found

    def _vectors_of(self, rows: Sequence[int]) -> dict[int, bytes]:
        query = "SELECT numbers FROM vectors WHERE passage = ?"
        found = {row: self._db.execute(query, (row,)).fetchone() for row in rows}
        return {row: numbers[0] for row, numbers in found.items() if numbers is not None}

    def _holders(self, words: Sequence[str]) -> dict[str, int]:
        found = {}
        for word in words:
            row = self._db.execute("SELECT doc FROM vocabulary WHERE term = ?", (word,)).fetchone()
            found[word] = 0 if row is None else int(row[0])
        return found

    def _by_words(
        self, words: Sequence[str], most: int, among: Collection[int] | None
    ) -> list[int]:
        if not words:
            return []
        wanted = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
        rows = self._db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words), rowid LIMIT ?",
            (wanted, most if among is None else -1),
        )
        found = (int(row[0]) for row in rows)
        return list(islice((row for row in found if among is None or row in among), most))

    def _passage(self, row: int) -> tuple[dict[str, Any], str]:
        found = self._db.execute(
            "SELECT f.name, p.number, p.start, p.stop, p.page, p.line, p.heading, p.text, f.title,"
            " f.metadata, w.stems FROM passages p"
            " JOIN files f ON f.id = p.file JOIN words w ON w.rowid = p.id WHERE p.id = ?",
            (row,),
        ).fetchone()
        names = ("file", "number", "start", "stop", "page", "line", "heading", "text", "title")
        facts = dict(zip(names, found[:9], strict=True))
        return {**facts, "metadata": json.loads(found[9])}, found[10]

    def _forget(self, name: str) -> None:
        row = self._db.execute("SELECT id FROM files WHERE name = ?", (name,)).fetchone()
        if row is None:
            return
        self._db.execute(
            "DELETE FROM words WHERE rowid IN (SELECT id FROM passages WHERE file = ?)", row
        )
        self._db.execute(
            "DELETE FROM vectors WHERE passage IN (SELECT id FROM passages WHERE file = ?)", row
        )
        self._db.execute("DELETE FROM passages WHERE file = ?", row)
        self._db.execute("DELETE FROM files WHERE id = ?", row)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("UPDATE meta SET changes = changes + 1")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """All that is read within is of one moment, whoever writes meanwhile."""
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.execute("COMMIT")
