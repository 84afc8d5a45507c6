"""The source text with its evidence underlined, for a person at a terminal.

In      ItemOutcome: texts and the results with their evidence spans
Out     rich text: each source, quoted passages underlined, the labels they carry beside them
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from assay.cli.tables import plain_text
from assay.runtime.calls.run import ItemOutcome

CONTEXT_CHARS = 1500
"""A text longer than this is shown around its evidence only."""


def show_evidence(console: Console, outcome: ItemOutcome) -> None:
    """Print every source that holds evidence, underlined where it was quoted."""
    marks: dict[str, list[tuple[int, int, str]]] = {}
    for label, span in _spans(outcome.result or {}):
        marks.setdefault(span["source"], []).append((span["start"], span["stop"], label))
    for source, text in outcome.texts.items():
        if source in marks:
            console.print(
                Panel(
                    _mark_spans(text, marks[source]), title=plain_text(source), title_align="left"
                )
            )


def _mark_spans(text: str, marks: list[tuple[int, int, str]]) -> Text:
    # `plain` keeps lengths, so that spans still fit.
    first = max(0, min(start for start, _, _ in marks) - CONTEXT_CHARS // 2)
    last = max(stop for _, stop, _ in marks) + CONTEXT_CHARS // 2
    if len(text) <= CONTEXT_CHARS:
        first, last = 0, len(text)
    shown = Text(plain_text(text[first:last]))
    for start, stop, _ in marks:
        shown.stylize("underline bold", start - first, stop - first)
    labels = sorted({(start, stop, label) for start, stop, label in marks})
    for start, stop, label in labels:
        shown.append(f"\n  {start}..{stop}  {label}", style="dim")
    return shown


def _spans(value: Any, label: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each evidence span of a result with the label that it supports."""
    if isinstance(value, Mapping):
        own = next(
            (str(v) for k, v in value.items() if isinstance(v, str) and k != "value_redacted"),
            label,
        )
        for key, each in value.items():
            if key == "evidence" and isinstance(each, list):
                for span in each:
                    yield own, span
            else:
                yield from _spans(each, own)
    elif isinstance(value, list):
        for each in value:
            yield from _spans(each, label)
