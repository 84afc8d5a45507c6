"""Files and folders become an index, and a question the passages nearest to it.

In      paths as the caller names them; a question
Out     Retrieved: a bundle, the place of every chunk, what gave no text
Effects reads the files; keeps the index in a folder of its own; changed files only
Spec    004 R2.0; interfaces.md, "Answers" (`assay ask --docs`)

Ids are opaque, as an answer may not show them: `k` and a digest of the file's name.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.adapters.retrievers.general import GENERAL_SENTENCES
from assay.adapters.retrievers.index import Entry, Hit, Known, PassageIndex
from assay.adapters.retrievers.index_file import open_index
from assay.adapters.retrievers.terms import passage_terms
from assay.adapters.retrievers.walk import DocumentFile, find_documents
from assay.answers.evidence.bundle import Chunk, RetrievalBundle
from assay.answers.retrieval import Condition, LeftOut, Place, Progress, Retrieved
from assay.core.json.canonical import digest, digest_json
from assay.core.text.sentences import sentences
from assay.errors import ModelUnavailableError
from assay.files import read_bounded
from assay.sources.document import Document, Unreadable, read_document
from assay.sources.reading import LEFT_OUT_CODES, MAX_INPUT_BYTES

if TYPE_CHECKING:
    from assay.adapters.embeddings import SentenceEmbeddings
    from assay.adapters.retrievers.index import Floats

WORDS_ONLY: Final = "none (words alone)"
"""The `embedding_model` of an index without vectors."""

PIECE_CHARS: Final = 400
SHORT_PIECE_CHARS: Final = 60
"""What is shorter, as a row of a table, is joined with the next paragraph."""

_SETTLED_NS: Final = 2_000_000_000
"""A file changed so shortly before it was read may have changed again within one tick of the
file system's clock: it is read again."""


class FolderRetriever:
    """Finds passages in files and folders; indexes are kept under *folder*."""

    def __init__(
        self, folder: Path, embeddings: SentenceEmbeddings | None = None, *, load: bool = True
    ) -> None:
        """
        Args:
            folder: Where indexes are kept, one file for each set of documents.
            embeddings: Sentence vectors.
            load: Load them when they are first needed, where they are installed; else words
                alone decide.
        """
        self._folder = folder
        self._embeddings = embeddings
        self._load = load and embeddings is None

    async def retrieve(
        self,
        question: str,
        docs: Sequence[str],
        *,
        top_k: int,
        where: Sequence[Condition] = (),
        progress: Progress | None = None,
    ) -> Retrieved:
        """The *top_k* passages of *docs* nearest to *question*; see `Retriever`.

        Raises:
            InputError: a path does not exist or cannot be looked at, or no passage has what a
                condition names.
            StoreUnavailableError: the index cannot be kept.
        """
        return await asyncio.to_thread(self._retrieve, question, docs, top_k, where, progress)

    def _retrieve(
        self,
        question: str,
        docs: Sequence[str],
        top_k: int,
        where: Sequence[Condition],
        progress: Progress | None,
    ) -> Retrieved:
        files, left_out = find_documents(docs)
        embeddings = self._vectors()
        identity: Mapping[str, Any] = {} if embeddings is None else embeddings.identity
        key = digest_json(sorted([given, str(Path(given).resolve())] for given in docs))
        path = self._folder / f"{key.removeprefix('sha256:')[:16]}.db"
        with open_index(path, identity) as index:
            left_out += self._bring_up_to_date(index, files, embeddings, progress)
            vector = self._vector(index, question, embeddings)
            with index.reading():
                version = index.version()
                nearest = None if vector is None else index.nearest()
                hits = (
                    index.search(question, vector, nearest, top_k, where)
                    if _is_text(question)
                    else []
                )
        model = WORDS_ONLY if embeddings is None else embeddings.name
        places: dict[str, Place] = {}
        chunks = [_chunk(hit, rank, places) for rank, hit in enumerate(hits)]
        bundle = RetrievalBundle(
            request_id=_request_id(question, version),
            index_version=version,
            embedding_model=model,
            retrieval_top_k=top_k,
            results=tuple(chunks),
            no_evidence=not chunks,
        )
        return Retrieved(bundle=bundle, places=places, left_out=tuple(left_out))

    def _vectors(self) -> SentenceEmbeddings | None:
        if self._load:
            from assay.adapters.embeddings import SentenceEmbeddings

            self._load = False
            try:
                self._embeddings = SentenceEmbeddings.create()
            except ModelUnavailableError:
                self._embeddings = None
        return self._embeddings

    def _bring_up_to_date(
        self,
        index: PassageIndex,
        files: Sequence[DocumentFile],
        embeddings: SentenceEmbeddings | None,
        progress: Progress | None,
    ) -> list[LeftOut]:
        """Read what is new or changed, forget what is gone; what gave no text."""
        known = index.files()
        gone = sorted(known.keys() - {file.name for file in files})
        if gone:
            index.forget(gone)
        left_out = []
        for done, file in enumerate(files):
            if progress is not None:
                progress(done, len(files), file.name)
            now = self._read(index, file, known.get(file.name), embeddings)
            reasons = (now.unreadable,) if now.unreadable is not None else now.cut
            left_out += [LeftOut(file=file.name, reason=reason) for reason in reasons]
        if progress is not None:
            progress(len(files), len(files), "")
        return left_out

    def _read(
        self,
        index: PassageIndex,
        file: DocumentFile,
        known: Known | None,
        embeddings: SentenceEmbeddings | None,
    ) -> Known:
        seen = time.time_ns()
        try:
            status = file.path.stat()
            size, modified = status.st_size, status.st_mtime_ns
            if known is not None and _is_settled(known, size, modified):
                return known
            large = size > MAX_INPUT_BYTES
            data = b"" if large else read_bounded(file.path, MAX_INPUT_BYTES)
        except OSError as error:
            reason = f"cannot be read: {error.strerror or type(error).__name__}"
            return _put_unreadable(index, file, 0, 0, seen, reason)
        if large:
            reason = f"{size} bytes, more than the {MAX_INPUT_BYTES} allowed"
            return _put_unreadable(index, file, size, modified, seen, reason)
        content = digest(data)
        if known is not None and known.digest == content:
            again = Known(
                size=size,
                modified_ns=modified,
                seen_ns=seen,
                digest=content,
                unreadable=known.unreadable,
                cut=known.cut,
            )
            index.touch(file.name, again)
            return again
        document = read_document(file.path.name, data)
        if isinstance(document, Unreadable):
            return _put_unreadable(
                index, file, size, modified, seen, document.reason, content=content
            )
        cut = tuple(note.detail for note in document.notes if note.code in LEFT_OUT_CODES)
        fresh = Known(
            size=size,
            modified_ns=modified,
            seen_ns=seen,
            digest=content,
            unreadable=None,
            cut=cut,
        )
        index.replace_file(
            file.name,
            fresh,
            _entries(file, document, embeddings),
            title=document.title,
            metadata=document.metadata,
        )
        return fresh

    @staticmethod
    def _vector(
        index: PassageIndex, question: str, embeddings: SentenceEmbeddings | None
    ) -> Floats | None:
        if embeddings is None or not _is_text(question):
            return None
        index.keep_general(lambda: embeddings.embed_passages(GENERAL_SENTENCES).mean(0))
        vector: Floats = embeddings.embed([question])[0]
        return vector


def _entries(
    file: DocumentFile, document: Document, embeddings: SentenceEmbeddings | None
) -> list[Entry]:
    """The passages of a document with what they are found by: their words and those of title and
    headings above them, and the vectors of their pieces, all of the file at once."""
    cut = [pieces(passage.text) for passage in document.passages]
    rows = None if embeddings is None else embeddings.embed_passages([p for c in cut for p in c])
    entries, at = [], 0
    for passage, parts in zip(document.passages, cut, strict=True):
        above = f"{document.title or file.path.stem}\n{passage.heading}\n"
        entries.append(
            Entry(
                passage=passage,
                terms=passage_terms(above + passage.text),
                vectors=None if rows is None else rows[at : at + len(parts)],
            )
        )
        at += len(parts)
    return entries


def pieces(text: str) -> list[str]:
    """What of a passage gets a vector of its own: sentences, joined up to PIECE_CHARS.

    The vector of a long passage is near to nothing in particular; a passage is as near to a
    question as the nearest of its pieces. A heading begins a piece and stays with what follows
    it, and a piece does not go on into another paragraph unless it is very short: two subjects in
    one vector hide each other.
    """
    found: list[tuple[int, int]] = []
    for start, stop in sentences(text):
        if found and _goes_on(text, found[-1], (start, stop)):
            found[-1] = (found[-1][0], stop)
        else:
            found.append((start, stop))
    return [text[start:stop] for start, stop in found] or [text]


def _goes_on(text: str, piece: tuple[int, int], sentence: tuple[int, int]) -> bool:
    """Whether *sentence* belongs to the piece before it."""
    if sentence[1] - piece[0] > PIECE_CHARS or text.startswith("#", sentence[0]):
        return False
    last_line = text[piece[0] : piece[1]].rpartition("\n")[2]
    paragraph_ends = text.count("\n", piece[1], sentence[0]) > 1
    is_short = piece[1] - piece[0] < SHORT_PIECE_CHARS
    return not paragraph_ends or is_short or last_line.startswith("#")


def _is_text(question: str) -> bool:
    """Whether it has a UTF-8 form; assembly says what is wrong with one that has none."""
    try:
        question.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_settled(known: Known, size: int, modified_ns: int) -> bool:
    """Whether the file is certainly what was read."""
    same = (known.size, known.modified_ns) == (size, modified_ns)
    return same and modified_ns < known.seen_ns - _SETTLED_NS


def _put_unreadable(
    index: PassageIndex,
    file: DocumentFile,
    size: int,
    modified_ns: int,
    seen_ns: int,
    reason: str,
    *,
    content: str = "",
) -> Known:
    known = Known(
        size=size, modified_ns=modified_ns, seen_ns=seen_ns, digest=content, unreadable=reason
    )
    index.replace_file(file.name, known)
    return known


def _chunk(hit: Hit, rank: int, places: dict[str, Place]) -> Chunk:
    knowledge = "k" + digest(hit.file).removeprefix("sha256:")[:12]
    chunk = f"{knowledge}-{hit.number}"
    places[chunk] = Place(
        file=hit.file,
        page=hit.page,
        start=hit.start,
        stop=hit.stop,
        line=hit.line,
        title=hit.title,
        heading=hit.heading,
        metadata=hit.metadata,
    )
    page = "" if hit.page is None else f", page {hit.page}"
    return Chunk(
        chunk_id=chunk,
        knowledge_id=knowledge,
        chunk_text=hit.text,
        rank=rank,
        similarity_score=hit.similarity,
        source_reference=f"{hit.file}{page}",
    )


def _request_id(question: str, version: str) -> str:
    """The same question of the same documents is the same request."""
    asked = digest(question.encode("utf-8", "surrogatepass"))
    return "ask-" + digest_json([asked, version]).removeprefix("sha256:")[:16]
