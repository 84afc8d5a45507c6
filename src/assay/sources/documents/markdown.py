"""Markdown: the file's own text, its tables spelled out row by row.

In      the text of a Markdown file
Out     Laid: the text, its headings, title and front matter
Pure    no clock, no randomness, no I/O: equal text gives equal text
Spec    008-S1, 008-S3; CommonMark 0.31, tables as in GitHub Flavored Markdown

A file without tables comes out as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.sources.documents.outline import Heading, Laid, bound_metadata, bound_title
from assay.sources.documents.tables import Cell, Table, row_sentences
from assay.sources.reading import Note

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*")
_RULE = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_PREFIX = re.compile(r"[ \t]*(?:>[ \t]?)*")
_PIPE = re.compile(r"(?<!\\)\|")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_FIELD = re.compile(r"([A-Za-z][\w .-]{0,39}):[ \t]*(.*)")
_MARKS = re.compile(r"[*_`]+")
_FRONT_LINES = 100


def read_markdown(text: str) -> Laid:
    """Read *text*.

    Example:
        >>> read_markdown("| Zone | Price |\\n|---|---|\\n| A | 12 EUR |\\n").text
        'Zone: A; Price: 12 EUR.\\n'
    """
    lines = text.split("\n")
    front, at = _front_matter(lines)
    pieces: list[str] = []
    headings: list[Heading] = []
    notes: list[Note] = []
    size = sum(len(line) + 1 for line in lines[:at])
    pieces.extend(lines[:at])
    fence = ""
    while at < len(lines):
        line = lines[at]
        match = _FENCE.fullmatch(line)
        if match and (not fence or (match[1].startswith(fence) and not match[2].strip())):
            fence = "" if fence else match[1]
        elif not fence and at + 1 < len(lines) and _begins_table(line, lines[at + 1]):
            stop = _table_end(lines, at + 2)
            shown, cut = _spell_out(lines[at:stop])
            notes.extend([Note(code="table.cut", detail=cut)] if cut else [])
            before = [""] if pieces and pieces[-1].strip() else []
            after = [""] if stop < len(lines) and lines[stop].strip() else []
            for row in [*before, *shown, *after]:
                pieces.append(row)
                size += len(row) + 1
            at = stop
            continue
        elif not fence:
            heading = _heading(line, lines[at + 1] if at + 1 < len(lines) else "", size)
            headings.extend([heading] if heading else [])
        pieces.append(line)
        size += len(line) + 1
        at += 1
    title = bound_title(front.pop("title", None)) or next(
        (each.title for each in headings if each.level == 1), None
    )
    return Laid(
        text="\n".join(pieces),
        headings=tuple(headings),
        title=title or next((each.title for each in headings), None),
        metadata=bound_metadata(front.items()),
        notes=tuple(notes[:20]),
    )


def _front_matter(lines: list[str]) -> tuple[dict[str, str], int]:
    """Plain fields between two `---` at the very start, and the line behind them."""
    found: dict[str, str] = {}
    if not lines or lines[0].rstrip() != "---":
        return found, 0
    for at, line in enumerate(lines[1:_FRONT_LINES], start=1):
        if line.rstrip() in ("---", "..."):
            return found, at + 1
        match = _FIELD.fullmatch(line.rstrip())
        if match and match[2].strip():
            found.setdefault(match[1].lower(), match[2].strip().strip("\"'"))
    return {}, 0


def _heading(line: str, following: str, size: int) -> Heading | None:
    match = _HEADING.fullmatch(line)
    level = len(match[1]) if match else 0
    title = match[2] if match else line
    if not match and line.strip() and not line.lstrip().startswith(("-", "*", ">", "|", "#")):
        under = _UNDERLINE.fullmatch(following)
        level = 0 if not under or len(line) > 80 else 1 if under[1][0] == "=" else 2
    found = bound_title(_MARKS.sub("", title)) if level else None
    start = size + len(line) - len(line.lstrip())
    return Heading(start=start, level=level, title=found) if found else None


def _begins_table(line: str, rule: str) -> bool:
    if "|" not in line or "-" not in rule or not _RULE.fullmatch(rule):
        return False
    return len(_split(line)) == len(_split(rule)) and ("|" in rule or len(_split(line)) == 1)


def _table_end(lines: list[str], at: int) -> int:
    while at < len(lines) and "|" in lines[at] and lines[at].strip():
        at += 1
    return at


def _split(line: str) -> list[str]:
    """The cells of one line."""
    line = line[_prefix(line) :].strip()
    line = line.removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [_BREAK.sub(" ", cell.replace("\\|", "|")).strip() for cell in _PIPE.split(line)]


def _prefix(line: str) -> int:
    match = _PREFIX.match(line)
    return match.end() if match else 0


def _spell_out(lines: list[str]) -> tuple[list[str], str]:
    """The rows of a table, an empty line between them; what had no room."""
    width = len(_split(lines[0]))
    rows = [_split(line)[:width] for line in (lines[0], *lines[2:])]
    header = 1 if any(rows[0]) else 0
    table = [[Cell(text=text) for text in row] for row in rows[1 - header :]]
    found = row_sentences(Table(rows=table, header=header))
    return list(_with_gaps(found.rows)), found.cut


def _with_gaps(rows: tuple[str, ...]) -> Iterator[str]:
    for place, row in enumerate(rows):
        if place:
            yield ""
        yield row
