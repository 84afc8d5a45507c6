"""A language model of spaCy that finds names of people in running text.

In      a folder with such a model, or the name of an installed package that is one
Out     (start, stop) of each name; an identity for replay
Effects reads the model's files when it is loaded; no network
Spec    002-D6; interfaces.md, "Redaction"

What was taken already stands in the text as U+0000. Each run of it becomes one space before the
model is asked, however long it was, so that it reads a redacted text as it read the original.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self

from assay.errors import ExecutionError, UsageError

PEOPLE: Final = frozenset({"PERSON", "PER", "PERS", "PERSNAME", "I-PER", "B-PER"})
"""Labels, in capitals, that models of different languages give to people."""

_UNUSED: Final = ("parser", "lemmatizer", "textcat", "entity_linker")
_TAKEN: Final = re.compile("\x00+")
_BROKEN: Final = re.compile("[\ud800-\udfff]")
_NAME: Final = re.compile(r"[^\W\d_][^\n\r\t\x00]{1,80}")
_LONGEST: Final = 50_000
"""Characters that the model reads at once; a longer text is parted between words."""

_HINT = "ASSAY_RECOGNISER_MODEL: a folder with a spaCy model, or an installed package that is one"


class NameModel:
    """Names of people, as one model finds them. Use `load`."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        meta = pipeline.meta
        self.title = f"{meta['lang']}_{meta['name']} {meta['version']}"
        self.identity = _identify(pipeline)
        """Digest of the files that the model was read from."""

    @classmethod
    def load(cls, reference: str) -> Self:
        """The model that *reference* names.

        Raises:
            UsageError: spaCy is not installed.
            ExecutionError: there is no such model, it cannot be read, or it finds no names.
        """
        if find_spec("spacy") is None:
            raise UsageError(
                "a model for names needs spaCy, which is not installed",
                hint='pip install "assay[presidio]"',
            )
        folder = Path(reference)
        spacy = import_module("spacy")
        try:
            pipeline = spacy.load(folder if folder.is_dir() else reference, exclude=_UNUSED)
        except Exception as error:  # spaCy raises what its files raise
            raise ExecutionError(
                f"the model for names {reference!r} cannot be loaded ({type(error).__name__})",
                hint=_HINT,
            ) from error
        found = {str(label).upper() for pipe in pipeline.pipe_labels.values() for label in pipe}
        if not found & PEOPLE:
            raise ExecutionError(f"the model {reference!r} finds no names of people", hint=_HINT)
        return cls(pipeline)

    def __call__(self, text: str) -> Iterator[tuple[int, int]]:
        """Where names stand in *text*, in order."""
        read, starts, moved = _without_taken(_BROKEN.sub("\ufffd", text))
        for offset, part in _parts(read):
            for entity in self._pipeline(part).ents:
                if str(entity.label_).upper() not in PEOPLE:
                    continue
                name = _NAME.search(part, entity.start_char, entity.end_char)
                if name is None:
                    continue
                begin, end = offset + name.start(), offset + name.start() + len(name[0].rstrip())
                yield _place(begin, starts, moved), _place(end - 1, starts, moved) + 1


def _without_taken(text: str) -> tuple[str, list[int], list[int]]:
    """*text* with one space for each run of what was taken, and how offsets lead back."""
    parts: list[str] = []
    starts, moved = [0], [0]
    at = length = 0
    for run in _TAKEN.finditer(text):
        parts += (text[at : run.start()], " ")
        length += run.start() - at + 1
        at = run.end()
        starts.append(length)
        moved.append(at - length)
    return "".join([*parts, text[at:]]), starts, moved


def _place(at: int, starts: list[int], moved: list[int]) -> int:
    return at + moved[bisect_right(starts, at) - 1]


def _parts(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    while at < len(text):
        stop = min(len(text), at + _LONGEST)
        if stop < len(text):
            stop = max(text.rfind(" ", at, stop), text.rfind("\n", at, stop), at + 1)
        yield at, text[at:stop]
        at = stop


def _identify(pipeline: Any) -> str:
    found = sha256(repr(sorted(pipeline.pipe_names)).encode())
    folder = Path(pipeline.path)
    for file in sorted(each for each in folder.rglob("*") if each.is_file()):
        found.update(f"\0{file.relative_to(folder)}\0".encode())
        found.update(sha256(file.read_bytes()).digest())
    return f"sha256:{found.hexdigest()}"
