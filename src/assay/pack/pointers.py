"""Every pointer of a contract must reach a place that its schema allows.

In      a contract's document and form, its schema's places
Out     nothing, or the first fault with file and line
Pure    yes
Spec    interfaces.md, "Packs"; 000 H3, H4

A check that looks at a place where nothing can ever stand passes everything. So a mistyped
pointer is an error when the pack is read, whatever it was meant to check or to change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from assay.contract.decoding.bounded_schema import covers
from assay.core.json.pointer import escape
from assay.core.json.schema_paths import Kind, SchemaPlaces
from assay.pack.files import ConfirmForm, ContractForm, PrimaryForm, RedactForm, ResultForm
from assay.pack.reading import Document, Path, near
from assay.pack.table_forms import MemberForm, MentionForm, PlaceholdersForm

_A_KIND: Final[Mapping[Kind, str]] = {
    "string": "a string",
    "number": "a number",
    "object": "an object",
    "array": "a list",
}


class Reach:
    """Holds the pointers of one contract file against the places of its schema."""

    __slots__ = ("_document", "_places")

    def __init__(self, document: Document, places: SchemaPlaces) -> None:
        self._document = document
        self._places = places

    def contract(self, form: ContractForm) -> None:
        """Hold what says where checks look.

        Raises:
            PackError: for the first pointer that reaches no place, with its line.
        """
        for pattern in form.labels:
            self._need(pattern, "string", "labels", pattern)
        if form.evidence is not None:
            self._need(form.evidence.snippets, "string", "evidence", "snippets")
            for place, pattern in enumerate(form.evidence.required):
                self._need(pattern, None, "evidence", "required", place)
        for place, pattern in enumerate(form.scores):
            self._need(pattern, "number", "scores", place)
        for place, member in enumerate(form.members):
            self._member(member, "members", place)
        for place, mention in enumerate(form.mentions):
            self._mention(mention, "mentions", place)
        if form.placeholders is not None:
            self._placeholders(form.placeholders)

    def result(self, form: ResultForm, published: SchemaPlaces) -> None:
        """Hold what says how the result is made of the output.

        Args:
            published: The places of the result's own schema; what is put into the result must
                have a place there or in the output.

        Raises:
            PackError: as `contract`.
        """
        path: Path = ("result",)
        if form.primary is not None:
            self._need(form.primary.of, "array", *path, "primary", "of")
            if not published.reaches(form.primary.to):
                self._need(form.primary.to, None, *path, "primary", "to")
        for at, use in ({} if form.thresholds is None else form.thresholds.at).items():
            field, by = ("confidence", None) if isinstance(use, str) else (use.field, use.by)
            place = (*path, "thresholds", "at", at)
            held = _as_listed(at, form.primary)
            self._need(held, "object", *place)
            self._need(_under(held, field), "number", *place, "field")
            if by is not None:
                self._need(_under(held, by), "string", *place, "by")
        for number, redact in enumerate(form.redact):
            self._values(redact, *path, "redact", number)
        for number, confirm in enumerate(form.confirm):
            self._values(confirm, *path, "confirm", number)
        for number, signal in enumerate(form.signals):
            self._need(signal.to, "array", *path, "signals", number, "to")

    def _values(self, form: RedactForm | ConfirmForm, *path: str | int) -> None:
        self._need(form.at, "object", *path, "at")
        self._need(_under(form.at, form.value), "string", *path, "value")
        self._need(_under(form.at, form.by), "string", *path, "by")

    def _member(self, form: MemberForm, *path: str | int) -> None:
        self._need(form.at, "object", *path, "at")
        for column, below in form.fields.items():
            self._need(form.at + below, None, *path, "fields", column)
        if form.keys is None:
            return
        self._need(form.at + form.keys.of, "object", *path, "keys", "of")
        for column, below in form.keys.fields.items():
            pointer = f"{form.at}{form.keys.of}/*{below}"
            self._need(pointer, None, *path, "keys", "fields", column)

    def _mention(self, form: MentionForm, *path: str | int) -> None:
        self._need(form.text, "string", *path, "text")
        self._need(form.listed, None, *path, "listed")
        for column, below in form.key.items():
            self._need(form.listed + below, None, *path, "key", column)

    def _placeholders(self, form: PlaceholdersForm) -> None:
        self._need(form.at, "object", "placeholders", "at")
        self._need(form.text, "string", "placeholders", "text")
        for column, pointer in form.key.items():
            self._need(pointer, None, "placeholders", "key", column)

    def _need(self, pattern: str, kind: Kind | None, *path: str | int) -> None:
        if self._places.reaches(pattern, kind):
            return
        if kind is not None and self._places.reaches(pattern):
            message = f"{pattern!r} reaches no place of the schema that may hold {_A_KIND[kind]}"
            raise self._document.fault(message, *path)
        message = f"{pattern!r} reaches no place that the schema allows, so it would do nothing"
        raise self._document.fault(message, *path, hint=self._hint(pattern))

    def _hint(self, pattern: str) -> str:
        """The names that stand where the way of *pattern* ends."""
        steps = pattern.split("/")
        for length in range(len(steps) - 1, 0, -1):
            reached = "/".join(steps[:length])
            if self._places.reaches(reached):
                names = self._places.names(reached)
                return near(steps[length], names) if names else ""
        return ""


def _under(pattern: str, field: str) -> str:
    return f"{pattern}/{escape(field)}"


def _as_listed(at: str, primary: PrimaryForm | None) -> str:
    """Where the objects at *at* come from: the primary one is of its list."""
    return f"{primary.of}/*" if primary is not None and covers(at, primary.to) else at
