"""`labels.yaml` and `lexicon.yaml` become label sets and lexicons.

In      parsed documents
Out     LabelSet by name; LexiconEntry by set and label
Pure    yes
Spec    000 H3; 007-P5; interfaces.md, "Packs"

An entry of `labels.yaml` is one of three things: a set with keys of its own (`labels`, and
if needed `multi`, `repeats`, `primary_priority`, `default`, `description`), a set written short as
`LABEL: description`, or a group of sets. A set in a group is named `GROUP.SET`.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from typing import Any, Final

from assay.core.yaml import Path
from assay.errors import PackError
from assay.gate.labels import LabelSet, LexiconEntry
from assay.pack.document import Document, suggest_name, validate_form
from assay.pack.forms import LabelSetForm, LexiconForm

_AROUND: Final = string.whitespace + "\u00a0\u1680\u2007\u202f\u3000\u200b\u2060\ufeff\u2028\u2029"
"""White space and invisible signs."""


def read_label_sets(document: Document) -> dict[str, LabelSet]:
    """All label sets of `labels.yaml`, in its order.

    Raises:
        PackError: with the line of the first fault.
    """
    return {found.name: found for found in _sets(document)}


def trim_label(label: str) -> str:
    """*label* without white space and invisible signs around it: nobody could see or type them."""
    return label.strip(_AROUND)


def trimmed_labels(document: Document) -> Iterator[PackError]:
    """A warning for each label that is read without what stands around it."""
    for path in _label_paths(document.value):
        found: Any = document.value
        for step in path[:-1]:
            found = found[step]
        label = path[-1] if isinstance(found, dict) else found[path[-1]]
        if isinstance(label, str) and label != trim_label(label):
            yield document.fault(f"label {label!r} is read as {trim_label(label)!r}", *path)


def _label_paths(value: Any) -> Iterator[Path]:
    """Where the labels stand, of whatever form a set is."""
    for name, entry in value.items() if isinstance(value, dict) else ():
        sets = entry.items() if _is_group(entry) else [(None, entry)]
        for inner, one in sets:
            path: Path = (name,) if inner is None else (name, inner)
            keyed = isinstance(one, dict) and "labels" in one
            labels, under = (one["labels"], (*path, "labels")) if keyed else (one, path)
            steps = range(len(labels)) if isinstance(labels, list) else labels
            yield from ((*under, step) for step in steps if isinstance(labels, list | dict))


def find_set(sets: Mapping[str, LabelSet], name: str) -> LabelSet | None:
    """The set called *name*; a set of a group also goes by its last part, if only one does."""
    if name in sets:
        return sets[name]
    ends = [found for full, found in sets.items() if full.rpartition(".")[2] == name]
    return ends[0] if len(ends) == 1 else None


def read_lexicon(
    document: Document, sets: Mapping[str, LabelSet]
) -> dict[str, dict[str, LexiconEntry]]:
    """Words and phrases by label set and label; a plain list is a list of phrases.

    Raises:
        PackError: a set or a label does not exist, or an entry has another form.
    """
    lexicon: dict[str, dict[str, LexiconEntry]] = {}
    for set_name, labels in _mapping(document, (), document.value):
        known = find_set(sets, set_name)
        if known is None:
            hint = suggest_name(set_name, sets)
            raise document.fault(f"label set {set_name!r} does not exist", set_name, hint=hint)
        entries: dict[str, LexiconEntry] = {}
        for label, entry in _mapping(document, (set_name,), labels):
            if trim_label(label) not in known.labels:
                message = f"label {label!r} is not in set {set_name!r}"
                raise document.fault(
                    message, set_name, label, hint=suggest_name(label, known.labels)
                )
            content = {"phrases": entry} if isinstance(entry, list) else entry
            form = validate_form(document, LexiconForm, set_name, label, value=content)
            if "*" in form.phrases and known.default not in (None, trim_label(label)):
                message = f"`*` stands at {label!r}, and the set's default is {known.default!r}"
                hint = "one label holds where nothing is found: leave `*` away"
                raise document.fault(message, set_name, label, hint=hint)
            entries[trim_label(label)] = LexiconEntry(
                phrases=tuple(form.phrases),
                patterns=tuple(form.patterns),
                signals=tuple(form.signals),
            )
        lexicon[known.name] = entries
    return lexicon


def _sets(document: Document) -> Iterator[LabelSet]:
    for name, entry in _mapping(document, (), document.value):
        if _is_group(entry):
            for inner, one in entry.items():
                yield _read_set(document, f"{name}.{inner}", (name, inner), one)
        else:
            yield _read_set(document, name, (name,), entry)


def _is_group(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and "labels" not in entry
        and bool(entry)
        and all(isinstance(item, dict) for item in entry.values())
    )


def _read_set(document: Document, name: str, path: Path, entry: Any) -> LabelSet:
    if isinstance(entry, dict) and "labels" not in entry:
        if isinstance(entry.get("default"), str) and entry["default"] in entry:
            message = f"set {name!r} is written short, so 'default' would be one of its labels"
            raise document.fault(message, *path, "default", hint="put the labels under `labels:`")
        entry = {"labels": entry}
        form = validate_form(document, LabelSetForm, *path, value=entry)
        under: Path = path
    else:
        form = validate_form(document, LabelSetForm, *path, value=entry)
        under = (*path, "labels")
    described = form.labels if isinstance(form.labels, dict) else dict.fromkeys(form.labels, "")
    labels = {trim_label(label): text or "" for label, text in described.items()}
    if len(labels) != len(form.labels):
        raise document.fault(f"label set {name!r} names a label twice", *under)
    if not labels or "" in labels:
        raise document.fault(f"label set {name!r} has no label, or an empty one", *under)
    priority = [trim_label(label) for label in form.primary_priority]
    if "primary_priority" in form.model_fields_set:
        _check_priority(document, name, priority, labels, *path, "primary_priority")
    return LabelSet(
        name=name,
        labels=labels,
        multi=form.multi,
        repeats=form.repeats,
        priority=tuple(priority),
        default=_default(document, name, form.default, labels, *path, "default"),
    )


def _default(
    document: Document,
    name: str,
    default: str | None,
    labels: Mapping[str, str],
    *path: str | int,
) -> str | None:
    if default is None:
        return None
    if trim_label(default) not in labels:
        message = f"{default!r} is no label of {name!r}"
        raise document.fault(message, *path, hint=suggest_name(default, labels))
    return trim_label(default)


def _check_priority(
    document: Document,
    name: str,
    priority: list[str],
    labels: Mapping[str, str],
    *path: str | int,
) -> None:
    """A label that is left out would silently come last: every one stands there once."""
    seen = set()
    for place, label in enumerate(priority):
        if label not in labels:
            message = f"{label!r} is no label of {name!r}"
            raise document.fault(message, *path, place, hint=suggest_name(label, labels))
        if label in seen:
            raise document.fault(f"label {label!r} stands twice", *path, place)
        seen.add(label)
    missing = next((label for label in labels if label not in seen), None)
    if missing is not None:
        message = f"label {missing!r} of {name!r} is missing: the order must list every label"
        raise document.fault(message, *path)


def _mapping(document: Document, path: Path, value: Any) -> Iterator[tuple[str, Any]]:
    if value is None and not path:
        return
    if not isinstance(value, dict):
        raise document.fault("must be a mapping", *path)
    yield from value.items()
