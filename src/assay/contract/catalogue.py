"""What a template can ask for: the fixed catalogue of variables that the kernel fills.

In      Contract, Material, what is shown of every source
Out     values of the declared variables; where verbatim pieces of sources stand in them
Pure    yes
Spec    000 H3 (labels given at run time); interfaces.md, "Templates"

| variable            | value                                                              |
|---------------------|--------------------------------------------------------------------|
| a name in `slots`   | the ready value, as it is                                          |
| `input.NAME`        | the source text of that name (`input.subject`, `input.body`)       |
| `input.attachments` | every source named `attachment:…` or `body:…` (another form of the   |
|                     | body that says something else), each under a line with its name    |
| `input.text`        | all sources, each under a line with its name; one alone without it |
| `input.signals`     | the signs found without a model, one a line                        |
| `labels.SET`        | the labels of a set, `LABEL: description` a line; a default marked |
| `schema`            | the contract's schema as canonical JSON; of a class, with its labels |
| another name        | the source text of that name (`body`), as `input.body`             |

Only what a template declares is supplied. An optional `input.` slot that nothing fills is
left out here and becomes the empty string.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assay.contract.material import ATTACHMENT
from assay.core.json.canonical import canonical
from assay.core.text.spans import Shown
from assay.gate.labels import LabelSet
from assay.gate.marked import tell_markers

if TYPE_CHECKING:
    from assay.contract.contract import Contract
    from assay.contract.material import Material
    from assay.contract.surrogates import Hidden

INPUT: Final = "input."
LABELS: Final = "labels."
SCHEMA: Final = "schema"
SIGNALS: Final = "input.signals"
ATTACHMENTS: Final = "input.attachments"
TEXT: Final = "input.text"
OTHER_FORM: Final = "body:"
"""How the names of further forms of a mail's body begin: `body:html`, `body:plain`."""

BY_DEFAULT: Final = " (if no other label fits)"
"""Stands behind the default label of a set, where a prompt lists it."""

NAME_CHARS: Final = 120
"""Longest name of a source that is written into a prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A verbatim slice of a source inside the value of a variable, in code points."""

    source: str
    start: int
    """In the original source."""

    stop: int
    at: int
    """In the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """The value of one variable."""

    text: str
    pieces: tuple[Piece, ...] = ()


def sources_of(variables: Iterable[str], material: Material) -> tuple[str, ...]:
    """Names of the source texts that *variables* place in a prompt, in search order."""
    wanted = set(variables) - material.slots.keys()
    return tuple(name for name in material.texts if any(_places(v, name) for v in wanted))


def fill(
    contract: Contract,
    material: Material,
    variables: Iterable[str],
    shown: Mapping[str, Shown],
    hidden: Hidden | None = None,
) -> dict[str, Filled]:
    """Values for *variables*; names that the catalogue does not know are absent.

    Args:
        shown: What to show of each source, by name.
        hidden: What to send instead of it; what is not verbatim has no pieces.
    """
    if hidden is not None:
        material = material.as_sent(hidden)
    values: dict[str, Filled] = {}
    for name in variables:
        filled = _value(contract, material, name, shown, hidden)
        if filled is not None:
            values[name] = filled
    return values


def label_lines(labels: LabelSet) -> str:
    """A set as a model reads it: one label a line, described where the pack describes it; the
    default is marked as what it is."""
    return "\n".join(
        (f"{label}: {description}" if description else label)
        + (BY_DEFAULT if label == labels.default else "")
        for label, description in labels.labels.items()
    )


def told_document(contract: Contract) -> Any:
    """The contract's schema as a model is told it."""
    document = contract.schema.document
    return document if contract.declared is None else tell_markers(document, contract.label_sets)


def _places(variable: str, source: str) -> bool:
    if variable == TEXT:
        return True
    if variable == ATTACHMENTS:
        return source.startswith((ATTACHMENT, OTHER_FORM))
    if variable in (SIGNALS, SCHEMA) or variable.startswith(LABELS):
        return False
    return variable in (INPUT + source, source)


def _value(
    contract: Contract,
    material: Material,
    name: str,
    shown: Mapping[str, Shown],
    hidden: Hidden | None,
) -> Filled | None:
    if name in material.slots:
        return Filled(text=material.slots[name])
    if name == SCHEMA:
        return Filled(text=canonical(told_document(contract)).decode("utf-8"))
    if name.startswith(LABELS):
        labels = contract.label_sets.get(name.removeprefix(LABELS))
        return None if labels is None else Filled(text=label_lines(labels))
    if name == SIGNALS:
        return Filled(text="\n".join(material.signals))
    if name in (TEXT, ATTACHMENTS):
        several = [view for key, view in shown.items() if _places(name, key)]
        alone = name == TEXT and len(material.texts) == 1
        return _place(several, hidden, headed=not alone)
    source = name if name in material.texts else name.removeprefix(INPUT)
    if source in shown:
        return _place([shown[source]], hidden, headed=False)
    # Nothing of it is shown: a name alone has to be filled all the same.
    return Filled(text="") if name in material.texts else None


def _place(several: Iterable[Shown], hidden: Hidden | None, *, headed: bool) -> Filled:
    parts: list[str] = []
    pieces: list[Piece] = []
    at = 0
    for view in several:
        if not view.segments:
            continue
        lead = "\n\n" if parts else ""
        if headed:
            lead += f"[{_heading(view.name if hidden is None else hidden.headings[view.name])}]\n"
        parts.append(lead)
        at += len(lead)
        for number, (start, stop) in enumerate(view.segments):
            gap = "\n" if number else ""
            if hidden is not None:
                parts += [gap, hidden.slice(view, start, stop)]
                continue
            parts += [gap, view.original[start:stop]]
            at += len(gap)
            pieces.append(Piece(source=view.name, start=start, stop=stop, at=at))
            at += stop - start
    return Filled(text="".join(parts), pieces=tuple(pieces))


def _heading(name: str) -> str:
    """The name of a source on a line of its own: a sender chose it, so it stays one line."""
    clean = "".join(char if char.isprintable() and char not in "[]" else "_" for char in name)
    return clean if len(clean) <= NAME_CHARS else clean[: NAME_CHARS - 1] + "…"
