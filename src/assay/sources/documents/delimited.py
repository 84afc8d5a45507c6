"""Tables in plain files: CSV and TSV.

In      the text of a file
Out     Laid: a sentence for each row
Pure    no clock, no randomness, no I/O: equal text gives equal text
Spec    008-S1; RFC 4180

Which character stands between the cells is told by the rows: it is the one that cuts most of them
into the same number of cells. The first row names the columns unless it holds numbers, gaps or
the same name twice. Rows of one cell above a table are its captions.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator

from assay.sources.documents.outline import Blocks, Laid
from assay.sources.documents.tables import Cell, Table
from assay.sources.reading import MAX_TEXT_CHARS

_DELIMITERS = "\t;|,"
"""A comma stands in numbers and in prose too: it is believed last."""

_SAMPLE_ROWS = 200
_SAMPLE_CHARS = 200_000


def read_delimited(text: str) -> Laid:
    """Read *text*.

    Example:
        >>> read_delimited("Zone;Price\\nA;12,50 EUR\\n").text
        'Zone: A; Price: 12,50 EUR.'
    """
    blocks = Blocks()
    first, _, rest = text.partition("\n")
    if first.strip().lower().startswith("sep=") and len(first.strip()) == 5:
        text, delimiter = rest, first.strip()[4]
    else:
        delimiter = _delimiter(text)
    quoted = True
    if text.count('"') % 2:
        quoted = False
        blocks.note("table.quotes", "quotation marks do not match: read as plain characters")
    try:
        rows, done = _rows(text, delimiter, quoted=quoted)
    except csv.Error:
        rows, done = _rows(
            "\n".join(line[:100_000] for line in text.split("\n")), delimiter, quoted=False
        )
        blocks.note("table.quotes", "quotation marks do not match: read as plain characters")
    if not done:
        blocks.note("table.cut", f"the file ends after its row {len(rows)}")
    for region in _regions(rows):
        wide = [place for place, row in enumerate(region) if sum(map(bool, row)) > 1]
        first_wide = wide[0] if wide else len(region)
        captions = ["".join(row) for row in region[:first_wide]]
        if wide:
            cells = [[Cell(text=cell) for cell in row] for row in region[first_wide:]]
            blocks.add_table(Table(rows=cells, named=True), captions)
        else:
            for line in captions:
                blocks.add(line)
    return blocks.finish()


def _delimiter(text: str) -> str:
    """The character that cuts most rows into the same number of cells, more than one."""
    sample = text[:_SAMPLE_CHARS]
    if len(sample) < len(text):
        sample = sample.rpartition("\n")[0] or sample
    best, most = ",", 0.0
    for delimiter in _DELIMITERS:
        try:
            rows = [row for row in _rows(sample, delimiter, quoted=True)[0] if any(row)]
        except csv.Error:
            continue
        rows = rows[:_SAMPLE_ROWS]
        widths = Counter(len(row) for row in rows if len(row) > 1)
        share = max(widths.values(), default=0) / max(1, len(rows))
        if share > most + 0.02:
            best, most = delimiter, share
    return best


def _rows(text: str, delimiter: str, *, quoted: bool) -> tuple[list[list[str]], bool]:
    """The rows as long as there is room for them; whether these are all."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        skipinitialspace=True,
    )
    found: list[list[str]] = []
    size = 0
    for row in reader:
        found.append([cell.strip() for cell in row])
        size += sum(map(len, row)) + 1
        if size > MAX_TEXT_CHARS:
            return found, False
    return found, True


def _regions(rows: list[list[str]]) -> Iterator[list[list[str]]]:
    """Rows between two empty ones."""
    region: list[list[str]] = []
    for row in rows:
        if any(row):
            region.append(row)
        elif region:
            yield region
            region = []
    if region:
        yield region
