"""The quotes of an output: where the gate found them, and where the others may have been meant.

In      a call, its contract, an output, how that was weighed
Out     Quote for each; the marks that they are in the source texts
Pure    yes
Spec    009-D3
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from assay.contract.contract import Contract
from assay.contract.job import Weighed
from assay.contract.kept import KeptCall
from assay.core.json.pointer import unescape
from assay.core.json.strict import Parsed, parse_object
from assay.server.pages.marked_text import Mark, find_nearest
from assay.server.pages.output_form import colours_of

_MOST_QUOTES: Final = 200
_MOST_LOOKED_FOR: Final = 20
NEAR: Final = 9
"""Colour of a place that is none, only near: dashed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A quote of the output, and where it lies; or where it may have been meant."""

    number: int
    path: str
    text: str
    label: str
    colour: int
    source: str | None = None
    nearest: str | None = None
    """The words at the nearest place; its mark has the number, too."""

    @property
    def found(self) -> bool:
        """Whether the gate found it in a source."""
        return self.source is not None and self.nearest is None


def place_quotes(
    kept: KeptCall, contract: Contract[Any] | None, said: str, weighed: Weighed | None
) -> tuple[tuple[Quote, ...], Mapping[str, list[Mark]]]:
    """The quotes of the output *said*, as the gate found them, and the marks of each source."""
    marks: dict[str, list[Mark]] = {}
    if contract is None or weighed is None:
        return (), marks
    read = parse_object(said)
    if not isinstance(read, Parsed):
        return (), marks
    output = read.value
    colours = colours_of(contract)
    labels = {
        pointer: (str(value), colours.get(rule.set.name, 0))
        for rule in contract.labels
        for pointer, value, _ in rule.pattern.places(output)
    }
    quotes: list[Quote] = []
    for span in weighed.spans[:_MOST_QUOTES]:
        number = len(quotes) + 1
        label, colour = _label_at(span["path"], labels)
        text = _value_at(output, span["path"])
        quotes.append(
            Quote(
                number=number,
                path=span["path"],
                text=text,
                label=label,
                colour=colour,
                source=span["source"],
            )
        )
        marks.setdefault(span["source"], []).append(
            Mark(start=span["start"], stop=span["stop"], number=number, colour=colour, tag=label)
        )
    texts = [] if kept.material is None else list(kept.material.texts.items())
    lost = 0
    for finding in weighed.findings:
        if finding.code != "evidence.not_found" or len(quotes) >= _MOST_QUOTES:
            continue
        label, colour = _label_at(finding.path, labels)
        text = _value_at(output, finding.path)
        near = find_nearest(text, texts) if lost < _MOST_LOOKED_FOR else None
        lost += 1
        number = len(quotes) + 1
        source, words = None, None
        if near is not None:
            source, start, stop = near
            words = dict(texts)[source][start:stop]
            marks.setdefault(source, []).append(
                Mark(start=start, stop=stop, number=number, colour=NEAR, tag=label)
            )
        quotes.append(
            Quote(
                number=number,
                path=finding.path,
                text=text,
                label=label,
                colour=colour,
                source=source,
                nearest=words,
            )
        )
    return tuple(quotes), marks


def _label_at(path: str, labels: Mapping[str, tuple[str, int]]) -> tuple[str, int]:
    """The label of the innermost object that a quote stands in; else the name of its field."""
    steps = path.split("/")
    while len(steps) > 1:
        steps.pop()
        inner = "/".join(steps) + "/"
        for pointer, label in labels.items():
            if pointer.startswith(inner) and "/" not in pointer[len(inner) :]:
                return label
    names = [step for step in path.split("/")[1:] if not step.isdigit()]
    return (names[-1] if names else "", 0)


def _value_at(output: Any, path: str) -> str:
    found = output
    for step in map(unescape, path.split("/")[1:]):
        if isinstance(found, list) and step.isdigit() and int(step) < len(found):
            found = found[int(step)]
        elif isinstance(found, dict):
            found = found.get(step)
        else:
            return ""
    return found if isinstance(found, str) else ""
