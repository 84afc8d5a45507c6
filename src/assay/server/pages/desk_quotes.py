"""The quotes of an output: where the gate found them, and where the others may have been meant.

In      a call, its contract, an output, how that was weighed
Out     Quote for each; the marks that they are in the source texts
Pure    yes
Spec    009-D3
"""

from __future__ import annotations

import re
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
_NAME_CHARS: Final = 40
_SPACE: Final = re.compile(r"\s")
NEAR: Final = 9
"""Colour of a place that is none, only near: dashed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A quote of the output, and where it lies; or where it may have been meant."""

    number: int
    text: str
    labels: tuple[str, ...]
    """A quote that stands nowhere is listed once, with all that it was given for."""

    paths: tuple[str, ...]
    colour: int
    source: str | None = None
    nearest: str | None = None
    """The words at the nearest place; its mark has the number, too."""

    @property
    def label(self) -> str:
        """The first of its labels."""
        return self.labels[0]

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
        label, colour = _label_at(span["path"], labels, output)
        text = _value_at(output, span["path"])
        quotes.append(
            Quote(
                number=number,
                paths=(span["path"],),
                text=text,
                labels=(label,),
                colour=colour,
                source=span["source"],
            )
        )
        marks.setdefault(span["source"], []).append(
            Mark(start=span["start"], stop=span["stop"], number=number, colour=colour, tag=label)
        )
    texts = [] if kept.material is None else list(kept.material.texts.items())
    for lost, (text, paths) in enumerate(_list_lost(output, weighed).items()):
        if len(quotes) >= _MOST_QUOTES:
            break
        named = [_label_at(path, labels, output) for path in paths]
        label, colour = named[0]
        near = find_nearest(text, texts) if lost < _MOST_LOOKED_FOR else None
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
                paths=tuple(paths),
                text=text,
                labels=tuple(dict.fromkeys(name for name, _ in named)),
                colour=colour,
                source=source,
                nearest=words,
            )
        )
    return tuple(quotes), marks


def _list_lost(output: Any, weighed: Weighed) -> Mapping[str, list[str]]:
    """Quotes that stand nowhere, each with the places of the output that give it."""
    found: dict[str, list[str]] = {}
    for finding in weighed.findings:
        if finding.code == "evidence.not_found":
            paths = found.setdefault(_value_at(output, finding.path), [])
            if finding.path not in paths:
                paths.append(finding.path)
    return found


def _label_at(path: str, labels: Mapping[str, tuple[str, int]], output: Any) -> tuple[str, int]:
    """The label of the innermost object that a quote stands in.

    Where it has none, its first value of one word; else the name of the quote's field.
    """
    steps = path.split("/")
    while len(steps) > 1:
        steps.pop()
        inner = "/".join(steps) + "/"
        for pointer, label in labels.items():
            if pointer.startswith(inner) and "/" not in pointer[len(inner) :]:
                return label
    holder = _object_above(output, path)
    for value in () if holder is None else holder.values():
        if isinstance(value, str) and 0 < len(value) <= _NAME_CHARS and not _SPACE.search(value):
            return (value, 0)
    names = [step for step in path.split("/")[1:] if not step.isdigit()]
    return (names[-1] if names else "", 0)


def _value_at(output: Any, path: str) -> str:
    found = _follow(output, path)[-1]
    return found if isinstance(found, str) else ""


def _object_above(output: Any, path: str) -> Mapping[str, Any] | None:
    """The innermost object that lies around a place."""
    around = [value for value in _follow(output, path)[:-1] if isinstance(value, dict)]
    return around[-1] if around else None


def _follow(output: Any, path: str) -> list[Any]:
    """The values from the whole output to a place; None at its end where there is no such place."""
    found = [output]
    for step in map(unescape, path.split("/")[1:]):
        value = found[-1]
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            found.append(value[int(step)])
        elif isinstance(value, dict) and step in value:
            found.append(value[step])
        else:
            return [*found, None]
    return found
