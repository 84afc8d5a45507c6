"""`tables.yaml`, and what contracts and stages say about tables, as typed forms.

In      parsed YAML
Out     pydantic models
Pure    yes
Spec    interfaces.md, "Packs"; 003-I5, 003-I6
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from assay.pack.forms import Form, Name, Pointer, Text

Column = Annotated[str, Field(min_length=1, max_length=120)]
Place = Annotated[str, Field(pattern=r"^state\.[^.]+(\.[^.]+)*$")]


class ColumnForm(Form):
    """A derived column: exactly one of `words`, `without_brackets`, `upper`, `take`."""

    words: Column | None = None
    """The text of a column, or each of its list, in words: hyphens and underscores are spaces."""

    without_brackets: Column | None = None
    """The text without what stands in round brackets."""

    upper: Column | None = None
    take: Column | None = None
    """A column of the rows of another table that agree in `on`."""

    table: Name | None = None
    on: Column | None = None
    join: str = ", "

    @model_validator(mode="after")
    def _one(self) -> ColumnForm:
        ways = [self.words, self.without_brackets, self.upper, self.take]
        if sum(way is not None for way in ways) != 1:
            raise ValueError("give exactly one of words, without_brackets, upper, take")
        if (self.take is None) != (self.table is None) or (self.take is None) != (self.on is None):
            raise ValueError("take goes with table and on")
        return self


class TableForm(Form):
    """One table: of a file of JSON Lines, or of the items of a list column of another table."""

    file: str | None = None
    rows_of: Name | None = None
    each: Column | None = None
    """With `rows_of`: one row for every different item of this column."""

    named: Column | None = None
    """The column that takes the item."""

    keep: list[Column] = []
    """Columns that come along."""

    key: Annotated[list[Column], Field(min_length=1)]
    columns: dict[Column, ColumnForm] = {}

    @model_validator(mode="after")
    def _one(self) -> TableForm:
        if (self.file is None) == (self.rows_of is None):
            raise ValueError("give either file or rows_of")
        if (self.rows_of is None) != (self.each is None) or (self.each is None) != (
            self.named is None
        ):
            raise ValueError("rows_of goes with each and named")
        return self


class TableLabelsForm(Form):
    """A label set made of a table."""

    table: Name
    label: Column
    text: list[Column] = []
    """Columns of the description."""

    multi: bool = False
    repeats: bool = False


class TablesForm(Form):
    """`tables.yaml`."""

    tables: dict[Name, TableForm]
    labels: dict[Name, TableLabelsForm] = {}


class KeysForm(Form):
    """Keys of an object that name rows."""

    of: Pointer
    column: Column
    fields: dict[Column, Pointer] = {}


class MemberForm(Form):
    """What must stand in a table."""

    at: Pointer
    table: Name
    fields: dict[Column, Pointer]
    keys: KeysForm | None = None
    among: dict[Column, Place | list[Place]] = {}
    """Column -> place of the state, or the first of several that is there."""

    alike: list[Column] = []


class MentionForm(Form):
    """A reply lists what it refers to."""

    text: Pointer
    listed: Pointer
    table: Name
    key: dict[Column, Pointer]
    names: list[Column]
    group: Column
    group_names: list[Column] = []


class WayForm(Form):
    """Values that go together, for models that decode under constraints."""

    at: dict[Pointer, Any]
    table: Name | None = None
    """One way for each row; a text that is a column's name in braces is that column's value."""


class PlaceholdersForm(Form):
    """A reply skeleton."""

    at: Pointer
    text: Pointer
    table: Name
    key: dict[Column, Pointer]
    values: dict[Name, Column]
    spare: Text
