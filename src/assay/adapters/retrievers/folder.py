"""Files and folders become an index, and a question the passages nearest to it.

In      paths as the caller names them; a question
Out     Retrieved: a bundle, the place of every chunk, what gave no text
Effects reads the files; keeps the index in a folder of its own; changed files only
Spec    004 R2.0; interfaces.md, "Answers" (`assay ask --docs`)

Ids are opaque, as an answer may not show them: `k` and a digest of the file's name.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.adapters.models.extractive.answer import terms
from assay.adapters.retrievers.index import Hit, Known, PassageIndex, open_index
from assay.answers.evidence.bundle import Chunk, RetrievalBundle
from assay.answers.retrieval import LeftOut, Place, Progress, Retrieved
from assay.core.json.canonical import digest, digest_json
from assay.core.text.sentences import sentences
from assay.errors import InputError, ModelUnavailableError
from assay.files import is_link, kind_of_file, read_bounded
from assay.sources.document import SUFFIXES, Unreadable, read_document
from assay.sources.reading import MAX_INPUT_BYTES

if TYPE_CHECKING:
    from assay.adapters.embeddings import SentenceEmbeddings

WORDS_ONLY: Final = "none (words alone)"
"""The `embedding_model` of an index without vectors."""

PIECE_CHARS: Final = 400

_SETTLED_NS: Final = 2_000_000_000
"""A file changed so shortly before it was read may have changed again within one tick of the
file system's clock: it is read again."""


@dataclass(frozen=True, slots=True)
class _File:
    """A file that is to be in the index."""

    name: str
    path: Path


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
        self, question: str, docs: Sequence[str], *, top_k: int, progress: Progress | None = None
    ) -> Retrieved:
        """The *top_k* passages of *docs* nearest to *question*; see `Retriever`.

        Raises:
            InputError: a path does not exist or cannot be looked at.
            StoreUnavailableError: the index cannot be kept.
        """
        return await asyncio.to_thread(self._retrieve, question, docs, top_k, progress)

    def _retrieve(
        self, question: str, docs: Sequence[str], top_k: int, progress: Progress | None
    ) -> Retrieved:
        files, left_out = find_documents(docs)
        embeddings = self._vectors()
        identity: Mapping[str, Any] = {} if embeddings is None else embeddings.identity
        key = digest_json(sorted([given, str(Path(given).resolve())] for given in docs))
        path = self._folder / f"{key.removeprefix('sha256:')[:16]}.db"
        with open_index(path, identity) as index:
            left_out += self._bring_up_to_date(index, files, embeddings, progress)
            version = index.version()
            hits = self._search(index, question, embeddings, top_k)
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
        files: Sequence[_File],
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
            if now.unreadable is not None:
                left_out.append(LeftOut(file=file.name, reason=now.unreadable))
        if progress is not None:
            progress(len(files), len(files), "")
        return left_out

    def _read(
        self,
        index: PassageIndex,
        file: _File,
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
            )
            index.touch(file.name, again)
            return again
        document = read_document(file.path.name, data)
        if isinstance(document, Unreadable):
            return _put_unreadable(
                index, file, size, modified, seen, document.reason, content=content
            )
        texts = [passage.text for passage in document.passages]
        fresh = Known(
            size=size, modified_ns=modified, seen_ns=seen, digest=content, unreadable=None
        )
        index.replace_file(
            file.name,
            fresh,
            document.passages,
            [" ".join(sorted(terms(text))) for text in texts],
            None if embeddings is None else [embeddings.embed(pieces(text)) for text in texts],
        )
        return fresh

    @staticmethod
    def _search(
        index: PassageIndex,
        question: str,
        embeddings: SentenceEmbeddings | None,
        top_k: int,
    ) -> list[Hit]:
        try:
            question.encode("utf-8")
        except UnicodeEncodeError:
            return []  # assembly says what is wrong with it
        vector = None if embeddings is None else embeddings.embed([question])[0]
        return index.search(sorted(terms(question)), vector, top_k)


def find_documents(docs: Sequence[str]) -> tuple[list[_File], list[LeftOut]]:
    """The files that *docs* mean, sorted by name, and folders that hold none.

    A named file is always taken. A folder gives the documents in it, hidden ones aside.

    Raises:
        InputError: a path does not exist or cannot be looked at.
    """
    files: dict[str, _File] = {}
    left_out: list[LeftOut] = []
    for given in docs:
        path = Path(given)
        try:
            if path.is_dir():
                found, passed_over = _walk(path)
                left_out += passed_over
                if not found and not passed_over:
                    endings = " ".join(sorted(SUFFIXES))
                    left_out.append(
                        LeftOut(file=_name(path), reason=f"holds no document ({endings})")
                    )
            elif path.is_file():
                found = [path]
            elif path.exists():
                left_out.append(LeftOut(file=_name(path), reason=f"is {kind_of_file(path)}"))
                continue
            else:
                raise InputError(
                    f"{given!r} does not exist", hint="name an existing file or folder"
                )
        except (OSError, ValueError) as error:
            raise InputError(
                f"{given!r} cannot be looked at: {type(error).__name__}",
                hint="check the name and the permissions",
            ) from error
        for each in found:
            files.setdefault(_name(each), _File(_name(each), each))
    return [files[name] for name in sorted(files)], left_out


def _walk(folder: Path) -> tuple[list[Path], list[LeftOut]]:
    """Documents in *folder*, sorted, and what looks like one or like a folder and cannot be read.

    Links to folders are not followed, so that no walk is endless.
    """
    found: list[Path] = []
    left_out: list[LeftOut] = []

    def pass_over(path: Path, reason: str) -> None:
        left_out.append(LeftOut(file=_name(path), reason=reason))

    def unlisted(error: OSError) -> None:
        pass_over(Path(error.filename), f"a folder that cannot be listed: {error.strerror}")

    for parent, folders, names in os.walk(folder, onerror=unlisted):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for link in (Path(parent, name) for name in folders):
            if is_link(link):
                pass_over(link, "is a link to a folder")
        for name in names:
            file = Path(parent, name)
            if name.startswith(".") or file.suffix.lower() not in SUFFIXES:
                continue
            kind = kind_of_file(file)
            if kind is None:
                found.append(file)
            else:
                pass_over(file, kind if kind.startswith("cannot") else f"is {kind}")
    return sorted(found), left_out


def pieces(text: str) -> list[str]:
    """What of a passage gets a vector of its own: sentences, joined up to PIECE_CHARS.

    The vector of a long passage is near to nothing in particular; a passage is as near to a
    question as the nearest of its pieces.
    """
    found: list[tuple[int, int]] = []
    for start, stop in sentences(text):
        if found and stop - found[-1][0] <= PIECE_CHARS:
            found[-1] = (found[-1][0], stop)
        else:
            found.append((start, stop))
    return [text[start:stop] for start, stop in found] or [text]


def _is_settled(known: Known, size: int, modified_ns: int) -> bool:
    """Whether the file is certainly what was read."""
    same = (known.size, known.modified_ns) == (size, modified_ns)
    return same and modified_ns < known.seen_ns - _SETTLED_NS


def _name(path: Path) -> str:
    """As the caller would write it; a byte that is no UTF-8 as `\\xff`: no two names are one.

    What is handed over as text may hold a lone surrogate that stands for no byte.
    """
    name = path.as_posix()
    try:
        data = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = name.encode("utf-8", "backslashreplace")
    return data.decode("utf-8", "backslashreplace")


def _put_unreadable(
    index: PassageIndex,
    file: _File,
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
    index.replace_file(file.name, known, (), (), None)
    return known


def _chunk(hit: Hit, rank: int, places: dict[str, Place]) -> Chunk:
    knowledge = "k" + digest(hit.file).removeprefix("sha256:")[:12]
    chunk = f"{knowledge}-{hit.number}"
    places[chunk] = Place(file=hit.file, page=hit.page, start=hit.start, stop=hit.stop)
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
