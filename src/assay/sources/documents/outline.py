"""What a reader of documents hands over: text in blocks, its headings, what it is about.

In      blocks of text in order
Out     Laid: the text, headings with offsets, pages, title, metadata, notes
Pure    no clock, no randomness, no I/O: equal blocks give equal text
Spec    008-S2, 008-S3, 008-S4
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.sources.charsets import clean
from assay.sources.documents.tables import Table, row_sentences
from assay.sources.reading import MAX_TEXT_CHARS, Note, cut_note

PAGE_BREAK = "\n\f\n"
"""Stands between two pages."""

MAX_METADATA = 20
MAX_VALUE_CHARS = 300
MAX_KEY_CHARS = 40
MAX_TITLE_CHARS = 200
MAX_PATH_CHARS = 300
"""Longest path of headings above a passage; the outermost ones give way."""

CAPTION_LEVEL = 10
"""Level of what is above a table alone; a heading of this level without a title ends it."""

_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufdd0-\ufdef\ufffe\uffff]"
)
_SPACE = re.compile(r"\s+")
_KEY = re.compile(r"[^a-z0-9_.-]+")
_SPARE_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """Where something under a name of its own begins."""

    start: int
    """First code point, in the text of the document."""

    level: int
    """1 for the outermost; what has a greater level lies within."""

    title: str
    """One line; empty where what stood under headings of this level is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """A document as its reader found it."""

    text: str
    headings: tuple[Heading, ...] = ()
    pages: tuple[tuple[int, int], ...] = ()
    title: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    blocks: tuple[int, ...] = ()
    """Where passages begin, for texts whose paragraphs do not say (source code)."""


class Blocks:
    """Collects blocks of text, with an empty line between them, up to a bound."""

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self.pages: list[tuple[int, int]] = []
        self.notes: dict[str, Note] = {}
        self._pieces: list[str] = []
        self.size = 0
        self._page_start = 0

    @property
    def full(self) -> bool:
        """No more text has room."""
        return self.size > MAX_TEXT_CHARS

    def add(self, text: str, level: int = 0) -> None:
        """A paragraph, or a heading where *level* is not 0."""
        text = _SPARE_LINES.sub("\n\n", clean(text)).strip()
        if not text or self.full:
            return
        if self.size > self._page_start:
            self._append("\n\n")
        if level:
            self.headings.append(Heading(start=self.size, level=level, title=_in_a_line(text)))
        self._append(text)

    def add_table(self, table: Table, captions: Sequence[str] = ()) -> None:
        """The rows of *table*, each a paragraph, under its captions, the outermost first."""
        for place, caption in enumerate(captions):
            self.add(caption, level=min(CAPTION_LEVEL + place, CAPTION_LEVEL + 2))
        found = row_sentences(table)
        for row in found.rows:
            self.add(row)
        if captions:
            self.headings.append(Heading(start=self.size, level=CAPTION_LEVEL, title=""))
        if found.cut:
            self.note("table.cut", found.cut)

    def end_page(self) -> None:
        """What comes next stands on the next page."""
        self.pages.append((self._page_start, self.size))
        self._append(PAGE_BREAK)
        self._page_start = self.size

    def note(self, code: str, detail: str) -> None:
        """Say once that something was guessed or left out."""
        self.notes.setdefault(f"{code} {detail}", Note(code=code, detail=detail[:200]))

    def finish(
        self, *, title: str | None = None, metadata: Mapping[str, str] | None = None
    ) -> Laid:
        """All that was collected, the text cut at its bound."""
        text = "".join(self._pieces)
        if self.pages:
            text = text.removesuffix(PAGE_BREAK)
        notes = list(self.notes.values())[:20]
        if len(text) > MAX_TEXT_CHARS:
            notes.append(cut_note())
            text = text[:MAX_TEXT_CHARS]
        return Laid(
            text=text,
            headings=tuple(each for each in self.headings if each.start < len(text)),
            pages=tuple(
                (start, min(stop, len(text))) for start, stop in self.pages if start <= len(text)
            ),
            title=title,
            metadata=metadata or {},
            notes=tuple(notes),
        )

    def _append(self, text: str) -> None:
        self._pieces.append(text)
        self.size += len(text)


def paths_of(
    headings: Sequence[Heading], spans: Iterable[tuple[int, int]], mark: str = " > "
) -> list[str]:
    """For each stretch the headings under which all of it stands, outermost first.

    Args:
        headings: In the order of the text.
        spans: Stretches in the order of the text, none over another.
        mark: Stands between two headings of a path.

    Example:
        >>> fees = Heading(start=0, level=1, title="Fees")
        >>> found = [fees, Heading(start=9, level=2, title="Dog")]
        >>> paths_of(found, [(0, 20)]), paths_of(found, [(0, 8), (9, 20)])
        (['Fees'], ['Fees', 'Fees > Dog'])
    """
    above: list[Heading] = []
    found: list[str] = []
    at = 0
    for start, stop in spans:
        common: list[Heading] | None = None
        while at < len(headings) and headings[at].start < stop:
            heading = headings[at]
            if heading.start > start and common is None:
                common = list(above)
            while above and above[-1].level >= heading.level:
                above.pop()
            above.append(heading)
            if common is not None:
                common = [a for a, b in zip(common, above, strict=False) if a is b]
            at += 1
        path = above if common is None else common
        found.append(_join(mark, [each.title for each in path if each.title]))
    return found


def _join(mark: str, titles: list[str]) -> str:
    """*titles* as one path, the outermost left out while it is too long."""
    while len(titles) > 1 and len(mark.join(titles)) > MAX_PATH_CHARS:
        titles.pop(0)
    return mark.join(titles)[:MAX_PATH_CHARS]


def bound_title(text: str | None) -> str | None:
    """*text* as a title: one line without control characters; None when nothing is left."""
    found = _in_a_line(text or "")
    return found or None


def bound_metadata(given: Iterable[tuple[str, object]]) -> dict[str, str]:
    """What a file says about itself, bounded and sorted; values that are no text are left out."""
    found: dict[str, str] = {}
    for key, value in given:
        name = _KEY.sub("_", str(key).strip().lower())[:MAX_KEY_CHARS].strip("_")
        said = _in_a_line(value, MAX_VALUE_CHARS) if isinstance(value, str) else ""
        if name and said and name not in found and len(found) < MAX_METADATA:
            found[name] = said
    return dict(sorted(found.items()))


def _in_a_line(text: str, most: int = MAX_TITLE_CHARS) -> str:
    return _SPACE.sub(" ", _CONTROLS.sub(" ", clean(text[: 20 * most]))).strip()[:most].strip()
