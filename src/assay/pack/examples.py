"""`examples.yaml` becomes example sentences by label set and label.

In      parsed document; label sets
Out     sentences by set and label
Pure    yes
Spec    interfaces.md, "Packs"; 008-L1

What a model learns from them takes a while and depends on nothing else: `assay pack lock` writes
it into `examples.learned` beside them. Here that file is bytes; whoever learns reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assay.gate.labels import NO_LABEL, LabelSet, SetExamples
from assay.pack.document import Document, suggest_name
from assay.pack.labels import find_set, trim_label

EXAMPLES: Final = "examples.yaml"
LEARNED: Final = "examples.learned"
MAX_CHARS: Final = 4_000
"""Longest example; a whole mail will do."""

MOST: Final = 10_000
"""Sentences in one pack."""


def read_examples(document: Document, sets: Mapping[str, LabelSet]) -> dict[str, SetExamples]:
    """Example sentences by label set and label.

    Raises:
        PackError: a set or a label does not exist, or an example is no text that says something.

    Spec: 008-L1
    """
    found: dict[str, SetExamples] = {}
    counted = 0
    for set_name, labels in _mapping(document, (), document.value):
        known = find_set(sets, set_name)
        if known is None:
            hint = suggest_name(set_name, sets)
            raise document.fault(f"label set {set_name!r} does not exist", set_name, hint=hint)
        if known.name in found:
            raise document.fault(f"label set {known.name!r} stands twice", set_name)
        sentences: dict[str, tuple[str, ...]] = {}
        for given, texts in _mapping(document, (set_name,), labels):
            label = given if given == NO_LABEL else trim_label(given)
            if label != NO_LABEL and label not in known.labels:
                message = f"label {given!r} is not in set {set_name!r}"
                hint = suggest_name(label, known.labels)
                raise document.fault(message, set_name, given, hint=hint)
            sentences[label] = _sentences(document, set_name, given, texts)
            counted += len(sentences[label])
            if counted > MOST:
                raise document.fault(f"more than {MOST} examples", set_name, given)
        found[known.name] = sentences
    return found


def _sentences(document: Document, set_name: str, label: str, texts: Any) -> tuple[str, ...]:
    if not isinstance(texts, list):
        raise document.fault("must be a list of sentences", set_name, label)
    found: dict[str, None] = {}
    for place, text in enumerate(texts):
        if not isinstance(text, str) or not text.strip():
            message = "must be a sentence"
            hint = "put it in quotes" if text is not None else ""
            raise document.fault(message, set_name, label, place, hint=hint)
        if len(text) > MAX_CHARS:
            message = f"is longer than {MAX_CHARS} characters"
            raise document.fault(message, set_name, label, place)
        found[text.strip()] = None
    return tuple(found)


def _mapping(document: Document, path: tuple[str, ...], value: Any) -> list[tuple[str, Any]]:
    if value is None and not path:
        return []
    if not isinstance(value, dict):
        raise document.fault("must be a mapping", *path)
    return list(value.items())
