"""The package that Word, Excel and PowerPoint files are: a ZIP archive of XML parts.

In      the bytes of a DOCX, XLSX or PPTX file
Out     Package: its parts as streams of XML elements, relations, core properties; or Unreadable
Pure    no clock, no randomness, no I/O: equal bytes give equal parts
Spec    008-S5; ECMA-376 part 2 (Open Packaging Conventions)

Read with zipfile and lxml, not with the libraries that also write these formats: those build the
whole file in memory before a bound can be put to it, openpyxl reads XML by the parser of the
standard library, and what is needed (text, tables, names) is a few elements. Parts are unpacked
up to a bound, XML is read without entities, external files or unbounded depth; macros, objects
and links are never looked at.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import IO

from lxml import etree

from assay.sources.documents.outline import bound_metadata, bound_title
from assay.sources.reading import Unreadable

MAX_PART_BYTES = 30_000_000
"""Largest part that is read to its end; of sheets, what stands behind is left out."""

MAX_PACKAGE_BYTES = 120_000_000
"""Most bytes that are unpacked out of one file."""

MAX_ELEMENTS = 1_500_000
"""Most elements that are looked at in one file."""

MAX_PIECES = 500_000
"""Most elements within one text, shape or table that is looked at whole."""

MAX_PARTS = 10_000
MAX_RELATIONS = 20_000

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_CORE = {
    "creator": "author",
    "subject": "subject",
    "keywords": "keywords",
    "description": "description",
    "category": "category",
    "language": "language",
    "created": "created",
    "modified": "modified",
    "lastModifiedBy": "last_modified_by",
}


class TooLargeError(Exception):
    """A part unpacks to more than is allowed."""


@dataclass(slots=True)
class Package:
    """An open file of an office program."""

    archive: zipfile.ZipFile
    names: frozenset[str]
    unpacked: int = field(default=0)
    """Bytes unpacked so far."""

    looked_at: int = field(default=0)
    """Elements so far."""

    def elements(
        self, name: str, whole: Collection[str] = ()
    ) -> Iterator[tuple[str, str, etree._Element]]:
        """(`start` or `end`, local name, element) of a part, in order; none where it is missing.

        Args:
            name: Of the part.
            whole: Elements that are handed over with all in them; others have lost what was in
                them when they end, so that a part needs no more memory than its largest piece.

        Raises:
            TooLargeError: it unpacks to more than is allowed.
        """
        if name not in self.names:
            return
        with self.archive.open(name) as member:
            events = etree.iterparse(
                _Bounded(member, self),
                events=("start", "end"),
                resolve_entities=False,
                no_network=True,
                load_dtd=False,
                huge_tree=False,
            )
            inside = count = 0
            for event, node in events:
                tag = local_name(node)
                started = event == "start"
                if tag in whole:
                    inside += 1 if started else -1
                count = count + 1 if inside else 0
                self.looked_at += started
                if count > MAX_PIECES or self.looked_at > MAX_ELEMENTS:
                    raise TooLargeError
                yield event, tag, node
                if not started and not inside:
                    node.clear()
                    parent = node.getparent()
                    while parent is not None and node.getprevious() is not None:
                        del parent[0]

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """By id what *part* refers to inside the package: (kind, name of the part)."""
        folder, name = posixpath.split(part)
        found: dict[str, tuple[str, str]] = {}
        for event, tag, node in self.elements(f"{folder}/_rels/{name}.rels".lstrip("/")):
            if event != "end" or tag != "Relationship" or len(found) >= MAX_RELATIONS:
                continue
            if node.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, node.get("Target", "")))
                kind = node.get("Type", "").rpartition("/")[2]
                found[node.get("Id", "")] = (kind, target.lstrip("/"))
        return found

    def properties(self) -> tuple[str | None, dict[str, str]]:
        """Title and metadata as the file says them of itself."""
        said: list[tuple[str, object]] = []
        title = None
        for event, tag, node in self.elements("docProps/core.xml"):
            if event == "end" and tag == "title":
                title = bound_title(node.text)
            elif event == "end" and tag in _CORE:
                said.append((_CORE[tag], node.text))
        return title, bound_metadata(said)


class _Bounded(io.RawIOBase):
    """A part as a stream that ends in a fault behind the bound."""

    def __init__(self, member: IO[bytes], package: Package) -> None:
        self._member = member
        self._package = package
        self._left = MAX_PART_BYTES

    def read(self, size: int = -1) -> bytes:
        data = self._member.read(min(size, 65536) if size > 0 else 65536)
        self._left -= len(data)
        self._package.unpacked += len(data)
        if self._left < 0 or self._package.unpacked > MAX_PACKAGE_BYTES:
            raise TooLargeError
        return data


def open_package(data: bytes, kind: str) -> Package | Unreadable:
    """The package that *data* is; *kind* is what it is called for people, as `Word`.

    Raises:
        zipfile.BadZipFile: and others, where it is damaged.
    """
    if data.startswith(_OLE):
        return Unreadable(reason=f"is an encrypted or old {kind} file")
    archive = zipfile.ZipFile(io.BytesIO(data))
    names = archive.namelist()
    if len(names) > MAX_PARTS:
        return Unreadable(reason=f"is a {kind} file of more parts than are allowed")
    return Package(archive=archive, names=frozenset(names))


def local_name(node: etree._Element) -> str:
    """The name of an element without its namespace; empty for comments."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def attribute(node: etree._Element, name: str) -> str | None:
    """The attribute *name* in whatever namespace it stands."""
    for key, value in node.attrib.items():
        if str(key).rpartition("}")[2] == name:
            return str(value)
    return None


def is_on(value: str | None) -> bool:
    """Whether a switch of these formats is on; one that stands without a value is."""
    return value not in ("0", "false", "off")
