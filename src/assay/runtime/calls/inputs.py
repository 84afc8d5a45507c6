"""Files and folders become items that a pack can work on.

In      paths as given by the caller; what the pack's source takes
Out     Item (named texts), Refused (recorded later as `input.unreadable`), skipped names
Effects reads files
Spec    interfaces.md, "Command line" (`assay run`)

A named file is always taken. A folder is walked in sorted path order and gives the files
that the source takes; the rest is listed as skipped: so are pipes, sockets, devices and links to
folders in it. What cannot be looked into, a file or a folder in it, is taken as well: nothing is
passed over without a word.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from assay.contract.kept import KeptCall
from assay.contract.material import Material
from assay.core.json.canonical import digest
from assay.core.json.strict import Refused as BadJson
from assay.core.json.strict import parse_object
from assay.errors import InputError
from assay.files import is_link, kind_of_file, read_bounded
from assay.redaction.redactor import Redactor
from assay.runtime.calls.context import Item
from assay.sources.document import PROSE_SUFFIXES, read_document
from assay.sources.mail.message import Message, looks_like_message, read_message, split_mbox
from assay.sources.reading import Note, Unreadable, UnreadPart

Source = Literal["mail", "text", "json", "documents", "none"]

MAIL_SUFFIXES = frozenset({".eml", ".raw", ".mbox", ".msg"})
TEXT_SUFFIXES = frozenset({".txt", ".md"})
DOCUMENT_SUFFIXES = PROSE_SUFFIXES
SUFFIXES: Final[Mapping[Source, frozenset[str]]] = {
    "mail": MAIL_SUFFIXES,
    "text": TEXT_SUFFIXES,
    "json": frozenset({".json"}),
    "documents": DOCUMENT_SUFFIXES,
    "none": frozenset(),
}
WAITING = frozenset({"a pipe", "a socket", "a device"})
MAX_INPUT_BYTES = 64 * 1024 * 1024
HEAD_BYTES = 4096
SILENCE_S = 30.0
"""How long a pipe among the inputs may say nothing."""
QUICK_BYTES = 32 * 1024
"""An input up to this size is read within a few milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """An input that could not be read; it goes to a person."""

    name: str
    digest: str
    reason: str
    """What is wrong with it, without a word of its content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the given paths hold, before anything is read."""

    taken: tuple[Path, ...]
    skipped: tuple[Path, ...]


def find_inputs(paths: Sequence[str], source: Source) -> Found:
    """Resolve *paths* to the files that will be run.

    Raises:
        InputError: a path does not exist, or nothing at all was found to run.
    """
    taken: list[Path] = []
    skipped: list[Path] = []
    for given in paths:
        path = Path(given)
        try:
            if path.is_dir():
                for file, is_taken in _walk(path, source):
                    (taken if is_taken else skipped).append(file)
            elif path.exists():
                taken.append(path)
            else:
                raise InputError(
                    f"input {given!r} does not exist", hint="name an existing file or folder"
                )
        except (OSError, ValueError) as error:
            raise InputError(
                f"input {given!r} cannot be looked at: {type(error).__name__}",
                hint="check the name and the permissions",
            ) from error
    if not taken:
        raise InputError(
            f"nothing to run: no file here that the pack takes ({source})"
            + (f"; {len(skipped)} skipped" if skipped else ""),
            hint="name the file itself to have it taken whatever it is",
        )
    return Found(taken=tuple(dict.fromkeys(taken)), skipped=tuple(skipped))


def read_file(path: Path, source: Source, redactor: Redactor) -> Iterator[Item | Refused]:
    """The items of one file: one, or one a message for a `.mbox` file."""
    name = str(path)
    try:
        if path.stat().st_size > MAX_INPUT_BYTES:
            yield Refused(
                name=name,
                digest=_digest_of_file(path),
                reason=f"larger than {MAX_INPUT_BYTES} bytes",
            )
            return
        data = read_bounded(path, MAX_INPUT_BYTES, silence_s=SILENCE_S)
    except OSError as error:
        yield Refused(name=name, digest=digest(b""), reason=_why_unreadable(path, error))
        return
    if source == "mail" and path.suffix.lower() == ".mbox":
        number = 0
        for number, part in enumerate(split_mbox(data), start=1):
            yield read_item(name if number == 1 else f"{name}#{number}", part, source, redactor)
        if number == 0:
            yield Refused(name=name, digest=digest(data), reason="a mailbox without a message")
        return
    yield read_item(name, data, source, redactor)


def is_slow_to_read(size: int, source: Source) -> bool:
    """May reading so many bytes hold others up?"""
    return source == "documents" or size > QUICK_BYTES


def may_wait(path: Path) -> bool:
    """May reading it wait for somebody else?"""
    return kind_of_file(path) == "a pipe"


def file_size(path: Path) -> int:
    """Bytes of a file; of one that cannot be looked at none."""
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0


def read_item(name: str, data: bytes, source: Source, redactor: Redactor) -> Item | Refused:
    """Read one input of the pack's *source*. Never raises for what the bytes hold."""
    if source == "mail":
        return _mail(name, data, redactor)
    if source == "text":
        return _text(name, data)
    if source == "json":
        return _json(name, data)
    if source == "documents":
        return _document(name, data)
    return _item(name, data, Material(texts={}))


def original_material(
    kept: KeptCall, original: bytes, source: Source, redactor: Redactor
) -> Material:
    """The material of a recorded call, read once more from its input.

    Raises:
        InputError: *original* is not the input of the call.
    """
    again = read_item(kept.input, original, source, redactor)
    if isinstance(again, Refused) or again.digest != kept.input_digest:
        raise InputError(
            "the file given is not the input of this call", hint="hand in the original bytes"
        )
    return again.material


def _mail(name: str, data: bytes, redactor: Redactor) -> Item | Refused:
    message = read_message(data)
    if not isinstance(message, Message):
        return Refused(name=name, digest=digest(data), reason=message.reason)
    sender = message.facts.get("from")
    address = sender if isinstance(sender, str) and sender else None
    return Item(
        name=name,
        digest=digest(data),
        subject=redactor.surrogate("EMAIL", address.casefold()) if address else digest(data),
        material=Material(
            texts=dict(message.texts),
            signals=tuple(message.automatic),
            input=dict(message.facts),
        ),
        notes=tuple({"code": note.code, "detail": note.detail} for note in message.notes),
        unread=_unread_parts(message.unread, message.notes),
    )


def _text(name: str, data: bytes) -> Item | Refused:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Refused(name=name, digest=digest(data), reason="not UTF-8 text")
    if not text.strip():
        return Refused(name=name, digest=digest(data), reason="empty")
    return _item(name, data, Material(texts={"text": text}))


def _json(name: str, data: bytes) -> Item | Refused:
    parsed = parse_object(data)
    if isinstance(parsed, BadJson):
        return Refused(name=name, digest=digest(data), reason=f"no JSON object ({parsed.code})")
    values = {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in parsed.value.items()
    }
    return _item(name, data, Material(texts=values))


def _document(name: str, data: bytes) -> Item | Refused:
    document = read_document(Path(name).name, data)
    if isinstance(document, Unreadable):
        return Refused(name=name, digest=digest(data), reason=document.reason)
    unread = _unread_parts((), document.notes)
    return _item(name, data, Material(texts={"text": document.text}), unread)


def _item(name: str, data: bytes, material: Material, unread: tuple[UnreadPart, ...] = ()) -> Item:
    return Item(
        name=name, digest=digest(data), subject=digest(data), material=material, unread=unread
    )


def _unread_parts(
    unread: Sequence[UnreadPart], notes: Sequence[Note], whole: str = "text"
) -> tuple[UnreadPart, ...]:
    """The parts that gave no text, and those of which only the beginning was read.

    Args:
        whole: What a note is about that names no text.
    """
    found = {part.part: part for part in unread}
    for note in notes:
        what = _CUT.get(note.code)
        if what is not None:
            part = note.where or what or whole
            found.setdefault(part, UnreadPart(part=part, why=note.detail))
    return tuple(found.values())


_CUT: Final = {"text.cut": "", "table.cut": "", "mime.too_many_parts": "further parts"}
"""Notes that say that a reader left something out, and of what where they name no text."""


def _walk(folder: Path, source: Source) -> Iterable[tuple[Path, bool]]:
    """What lies under *folder*, in order, and whether it is taken.

    Folders that cannot be listed are, and files that cannot be looked at. Folders behind symbolic
    links are not entered, and what is no regular file is not read.
    """
    found: dict[Path, bool] = {}

    def unlisted(error: OSError) -> None:
        found[Path(error.filename)] = True

    for parent, folders, names in os.walk(folder, onerror=unlisted):
        for link in (Path(parent, name) for name in folders):
            if is_link(link):
                found[link] = False
        for file in (Path(parent, name) for name in names):
            kind = kind_of_file(file)
            if kind is None:
                found[file] = _takes(file, source)
            elif kind in WAITING:
                found[file] = False
            else:  # a link to nowhere; or its folder may be listed, but not entered
                found[file] = not is_link(file) or file.suffix.lower() in SUFFIXES[source]
    return sorted(found.items())


def _why_unreadable(path: Path, error: OSError) -> str:
    """Why *path* gave no bytes."""
    what = "cannot be read"
    kind = kind_of_file(path)
    if kind in {"a socket", "a device"} or is_link(path):
        return kind or f"{what}: {error.strerror or type(error).__name__}"
    if os.path.isdir(path):  # noqa: PTH112 - unlike Path.is_dir it never raises
        what = "a folder that cannot be listed"
        try:
            os.scandir(path).close()
        except OSError as unlisted:
            error = unlisted
    return f"{what}: {error.strerror or type(error).__name__}"


def _takes(path: Path, source: Source) -> bool:
    if path.suffix.lower() in SUFFIXES[source]:
        return True
    if source == "mail":
        try:
            with path.open("rb") as file:
                return looks_like_message(file.read(HEAD_BYTES))
        except OSError:  # whether it is a message nobody can say
            return True
    return False


def _digest_of_file(path: Path) -> str:
    from hashlib import file_digest

    with path.open("rb") as file:
        return "sha256:" + file_digest(file, "sha256").hexdigest()
