"""`tables.yaml` and its data become tables and the label sets that are made of them.

In      the document; the pack's files
Out     Table by name; LabelSet by name; rules over them
Pure    yes
Spec    interfaces.md, "Packs"; 003-I5, 003-I6

Nothing here knows what a table is about: which columns there are, and how missing ones are made
of others, stands in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import Field, model_validator

from assay.core.json.canonical import digest_json
from assay.core.json.strict import Refused, parse_object
from assay.core.yaml import Path
from assay.errors import PackError
from assay.gate.gate import Check
from assay.gate.labels import LabelSet
from assay.gate.mentions import MentionRule
from assay.gate.placeholders import PlaceholderRule
from assay.gate.tables import KeysRule, MemberRule, Places, Row, Table
from assay.pack.document import Document, decode, suggest_name, validate_form
from assay.pack.forms import (
    Column,
    Form,
    MemberForm,
    MentionForm,
    Name,
    PlaceholdersForm,
    Tokens,
    WayForm,
)

TABLES: Final = "tables.yaml"

_BRACKETS = re.compile(r"\s*\([^()]*\)")
_SPACED = re.compile(r"[-_]+")


# --- tables.yaml ----------------------------------------------------------------------------


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
    default: str | None = None
    """The label for what no other fits."""

    max_tokens: Tokens = 3000
    """Of the set as a stage's prompt lists it: the labels that have most in common with what was
    asked come first, and those that no longer fit are named on record."""


class TablesForm(Form):
    """`tables.yaml`."""

    tables: dict[Name, TableForm]
    labels: dict[Name, TableLabelsForm] = {}


def read_tables(
    document: Document, files: Mapping[str, bytes]
) -> tuple[dict[str, Table], dict[str, LabelSet]]:
    """All tables, in their order, and the label sets that are made of them.

    Raises:
        PackError: with file and line, for a data file that is missing or has a bad line, a column
            that no row has, a key that two rows share.
    """
    form = validate_form(document, TablesForm)
    tables: dict[str, Table] = {}
    for name, one in form.tables.items():
        tables[name] = _read_table(document, name, one, files, tables)
    labels = {}
    for name, made in form.labels.items():
        table = find_table(document, tables, made.table, "labels", name, "table")
        check_columns(document, table, [made.label, *made.text], "labels", name)
        described = {
            str(row[made.label]): " - ".join(str(row.get(at, "")) for at in made.text)
            for row in table.rows
        }
        if made.default is not None and made.default not in described:
            message = f"{made.default!r} is no label of {name!r}"
            hint = suggest_name(made.default, described)
            raise document.fault(message, "labels", name, "default", hint=hint)
        labels[name] = LabelSet(
            name=name,
            labels=described,
            default=made.default,
            multi=made.multi,
            repeats=made.repeats,
            max_tokens=made.max_tokens,
        )
    return tables, labels


def find_table(
    document: Document, tables: Mapping[str, Table], name: str, *path: str | int
) -> Table:
    """The table *name*.

    Raises:
        PackError: there is none.
    """
    if name not in tables:
        message = f"table {name!r} does not exist"
        raise document.fault(message, *path, hint=suggest_name(name, tables))
    return tables[name]


# --- rules of a contract --------------------------------------------------------------------


def table_checks(
    document: Document,
    tables: Mapping[str, Table],
    members: list[MemberForm],
    mentions: list[MentionForm],
    placeholders: PlaceholdersForm | None,
) -> tuple[tuple[Check, ...], list[Any]]:
    """The checks of a contract over tables, and what its digest has to cover of them."""
    checks: list[Check] = []
    facts: list[Any] = []
    for place, member in enumerate(members):
        path = ("members", place)
        table = find_table(document, tables, member.table, *path, "table")
        named = [*member.fields, *member.among, *member.alike]
        if member.keys is not None:
            named += [member.keys.column, *member.keys.fields]
        check_columns(document, table, named, *path)
        checks.append(_member(document, member, table, *path))
        facts.append([member.model_dump(mode="json"), table.digest])
    for place, mention in enumerate(mentions):
        path = ("mentions", place)
        table = find_table(document, tables, mention.table, *path, "table")
        named = [*mention.key, *mention.names, mention.group, *mention.group_names]
        named += mention.aliases
        check_columns(document, table, named, *path)
        checks.append(
            MentionRule(
                text=mention.text,
                listed=document.pattern(mention.listed, *path, "listed"),
                table=table,
                key=mention.key,
                names=tuple(mention.names),
                group=mention.group,
                group_names=tuple(mention.group_names),
                aliases=tuple(mention.aliases),
            )
        )
        dumped = mention.model_dump(mode="json")
        if not mention.aliases:  # as it stood before there were aliases
            del dumped["aliases"]
        facts.append([dumped, table.digest])
    if placeholders is not None:
        table = find_table(document, tables, placeholders.table, "placeholders", "table")
        named = [*placeholders.key, *placeholders.values.values()]
        check_columns(document, table, named, "placeholders")
        checks.append(
            PlaceholderRule(
                placeholders=placeholders.at,
                text=placeholders.text,
                table=table,
                key=placeholders.key,
                values=placeholders.values,
                spare=placeholders.spare,
            )
        )
        facts.append([placeholders.model_dump(mode="json"), table.digest])
    return tuple(checks), facts


def read_ways(
    document: Document, tables: Mapping[str, Table], forms: list[WayForm]
) -> tuple[Mapping[str, Any], ...]:
    """Every way, one for each row where a table is named."""
    ways: list[Mapping[str, Any]] = []
    for place, form in enumerate(forms):
        if form.table is None:
            ways.append(form.at)
            continue
        table = find_table(document, tables, form.table, "ways", place, "table")
        ways += [_fill_columns(form.at, row) for row in table.rows]
    return tuple(ways)


def _fill_columns(value: Any, row: Row) -> Any:
    if isinstance(value, dict):
        return {key: _fill_columns(item, row) for key, item in value.items()}
    if isinstance(value, list):
        return [_fill_columns(item, row) for item in value]
    if isinstance(value, str) and value[:1] == "{" and value[-1:] == "}":
        return row.get(value[1:-1], value)
    return value


def _member(document: Document, form: MemberForm, table: Table, *path: str | int) -> MemberRule:
    return MemberRule(
        at=document.pattern(form.at, *path, "at"),
        table=table,
        fields=form.fields,
        keys=None
        if form.keys is None
        else KeysRule(of=form.keys.of, column=form.keys.column, fields=form.keys.fields),
        limits={column: state_places(paths) for column, paths in form.among.items()},
        alike=frozenset(form.alike),
    )


def state_places(paths: str | list[str]) -> Places:
    """One place, or the first of several."""
    return Places(paths=(paths,) if isinstance(paths, str) else tuple(paths))


def check_columns(document: Document, table: Table, named: list[str], *path: str | int) -> None:
    """Raise PackError for the first column that no row of *table* has."""
    for column in named:
        if column not in table.columns:
            message = f"table {table.name!r} has no column {column!r}"
            raise document.fault(message, *path, hint=suggest_name(column, table.columns))


# --- tables ---------------------------------------------------------------------------------


def _read_table(
    document: Document,
    name: str,
    form: TableForm,
    files: Mapping[str, bytes],
    tables: Mapping[str, Table],
) -> Table:
    path: Path = ("tables", name)
    if form.file is not None:
        if form.file not in files:
            raise document.fault(f"data file {form.file!r} does not exist", *path, "file")
        rows = [dict(row) for row in _lines(form.file, files[form.file])]
    else:
        source = find_table(document, tables, str(form.rows_of), *path, "rows_of")
        check_columns(document, source, [str(form.each), *form.keep], *path)
        rows = _items(source, form)
    for column, made in form.columns.items():
        other = None
        if made.table is not None:
            other = find_table(document, tables, made.table, *path, "columns", column)
            check_columns(document, other, [str(made.take), str(made.on)], *path, "columns", column)
        for row in rows:
            row[column] = _column_value(made, row, other)
    columns = tuple(dict.fromkeys(key for row in rows for key in row))
    seen = set()
    for row in rows:
        key = tuple(row.get(column) for column in form.key)
        if not all(isinstance(part, str) and part for part in key) or key in seen:
            message = f"the key {', '.join(form.key)} is empty or stands twice in a row of {name!r}"
            raise document.fault(message, *path, "key")
        seen.add(key)
    return Table(
        name=name,
        key=tuple(form.key),
        rows=tuple(rows),
        columns=columns,
        digest=digest_json(rows),
    )


def _lines(file: str, data: bytes) -> Iterator[Row]:
    for number, line in enumerate(decode(file, data).split("\n"), start=1):
        if not line.strip():
            continue
        parsed = parse_object(line)
        if isinstance(parsed, Refused):
            raise PackError(f"is no JSON object: {parsed.message}", file=file, line=number)
        yield parsed.value


def _items(source: Table, form: TableForm) -> list[dict[str, Any]]:
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in source.rows:
        items = row.get(str(form.each))
        for item in items if isinstance(items, list) else ():
            made = {column: row.get(column) for column in form.keep} | {str(form.named): item}
            found.setdefault(tuple(made.get(column) for column in form.key), made)
    return list(found.values())


def _column_value(form: ColumnForm, row: Mapping[str, Any], other: Table | None) -> str:
    if other is not None:
        return form.join.join(
            str(one[str(form.take)])
            for one in other.rows
            if one.get(str(form.on)) == row.get(str(form.on))
        )
    if form.words is not None:
        value = row.get(form.words)
        several = value if isinstance(value, list) else [value]
        return form.join.join(_SPACED.sub(" ", str(each)) for each in several if each)
    value = row.get(form.upper or str(form.without_brackets))
    text = value if isinstance(value, str) else ""
    return text.upper() if form.upper is not None else _BRACKETS.sub("", text).strip()
