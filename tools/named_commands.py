"""Find the commands that documents and source name, and hold each against the command line.

In      Markdown, Python, YAML; the real click commands
Out     what is named, and what is wrong with it: no such verb, option, choice, too few arguments

A command stands between backticks, or in running text: there it ends at the first word that
cannot belong to it. `ID`, `FILE`, `{…}` and the like stand for a value; `…` for the rest of the
command; `[--option]` may be left out; `a|b` is one of the two. A verb alone is a mention; one with
anything behind it has to have all that it needs.
"""

from __future__ import annotations

import ast
import itertools
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from assay.cli.main import VERBS, application

FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>```+|~~~+)(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)(?P=ticks) *$",
    re.MULTILINE | re.DOTALL,
)
_QUOTED = re.compile(r"`([^`]+)`")
_VARIABLES = re.compile(r"^(?:[A-Z_]+=\S*\s+)+")
_IN_TEXT = re.compile(rf"(?<![\w./`-])assay (?=(?:{'|'.join(sorted(VERBS))})\b)[^\n`]*")
_PLACEHOLDER = re.compile(r"[A-Z][A-Z0-9_./@:-]*(?:\.[a-z]+)?$|.*\{.*\}|<.*>$|…$")
_PUNCTUATION = ".,;:)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """One command as somebody wrote it."""

    where: str
    """File and line."""

    text: str
    """From `assay` to its end."""

    in_text: bool
    """In running text, so that its end has to be guessed."""


# --- where commands are named --------------------------------------------------------------------


def named_in_markdown(text: str, where: str) -> Iterator[Named]:
    """Between backticks in the prose, and in fenced blocks of any kind."""
    for fence in FENCE.finditer(text):
        line = text.count("\n", 0, fence.start()) + 1
        for number, each in enumerate(fence["body"].splitlines(), line + 1):
            place, said = f"{where}:{number}", _VARIABLES.sub("", each.strip().removeprefix("$ "))
            if said.startswith("assay "):
                yield Named(where=place, text=said, in_text=False)
            elif fence["info"].split()[:1] not in (["console"], ["python"]):
                yield from named_in_text(each, place)
    prose = FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)
    yield from _between_backticks(prose, where, 1)


def named_in_python(text: str, where: str) -> Iterator[Named]:
    """In every string: docstrings, hints, messages; what is put in by `{…}` is a value."""
    tree = ast.parse(text)
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            said = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{VALUE}"
                for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in inside:
                continue
            said = node.value
        else:
            continue
        place = f"{where}:{node.lineno}"
        yield from _between_backticks(said, place, 0)
        yield from named_in_text(_QUOTED.sub("`", said), place)


def named_in_text(text: str, where: str) -> Iterator[Named]:
    """In running text without backticks: comments of YAML, hints, epilogues."""
    for found in _IN_TEXT.finditer(text):
        yield Named(where=where, text=found[0], in_text=True)


def _between_backticks(text: str, where: str, first_line: int) -> Iterator[Named]:
    for found in _QUOTED.finditer(text):
        said = _VARIABLES.sub("", " ".join(found[1].split()))
        if said.startswith("assay ") and re.match(r"assay [a-z\[|-]", said):
            line = f":{text.count(chr(10), 0, found.start()) + first_line}" if first_line else ""
            yield Named(where=f"{where}{line}", text=said, in_text=False)


def named_in_file(file: Path, root: Path) -> Iterator[Named]:
    """All that *file* names, by its kind."""
    text, where = file.read_text(encoding="utf-8"), str(file.relative_to(root))
    if file.suffix == ".py":
        yield from named_in_python(text, where)
    elif file.suffix == ".md":
        yield from named_in_markdown(text, where)
    else:
        for number, line in enumerate(text.splitlines(), 1):
            yield from _between_backticks(line, f"{where}:{number}", 0)
            yield from named_in_text(line, f"{where}:{number}")


# --- what is wrong with one ----------------------------------------------------------------------


def fault_of(named: Named) -> str | None:
    """What keeps the command from being given so; None when nothing does."""
    words = words_of(named)
    rest_left_out = "…" in words or "..." in words
    plain = [word.strip("[]()").rstrip("…") for word in words if word not in ("…", "...", "|")]
    for way in itertools.product(*(_alternatives(word) for word in plain if word)):
        fault = _fault_of_words(list(way), complete=not rest_left_out)
        if fault is not None:
            return fault
    return None


def words_of(named: Named) -> list[str]:
    """What is given to `assay`; of running text as much of it as belongs to the command."""
    text = named.text if named.in_text else re.split(r" (?:\||>|&&|<|;) ?", named.text)[0]
    try:
        words = shlex.split(text)[1:]
    except ValueError:  # an apostrophe of the prose behind it
        words = text.split()[1:]
    for place, word in enumerate(words[:-1]):
        if word.startswith("--") and words[place + 1] == "…":
            words[place + 1] = "VALUE"
    if not named.in_text:
        return words
    return list(_command_words(words))


def _command_words(words: list[str]) -> Iterator[str]:
    """The beginning of *words* that can be a command: verbs, options and their values, places."""
    command: click.Command = application
    wants_value = False
    for word in words:
        bare = word.rstrip(_PUNCTUATION) if word not in (".", "..") else word
        is_name = isinstance(command, click.Group) and re.fullmatch(r"[a-z][a-z|-]*", bare)
        if is_name:
            found = _subcommand(command, bare.split("|")[0])
            command = found or click.Command(None)
        elif not (bare.startswith(("-", "[-")) or wants_value or _PLACEHOLDER.match(bare)):
            return
        wants_value = bare.startswith("-") and not is_name and _takes_value(command, bare)
        yield bare
        if bare != word:
            return


def _takes_value(command: click.Command, option: str) -> bool:
    return any(
        isinstance(each, click.Option) and not each.is_flag and option in each.opts
        for each in command.params
    )


def _alternatives(word: str) -> list[str]:
    return word.split("|") if re.fullmatch(r"[\w-]+(?:\|[\w-]+)+", word) else [word]


def _subcommand(command: click.Command, name: str) -> click.Command | None:
    if not isinstance(command, click.Group):
        return None
    return command.get_command(click.Context(command), name)


def _fault_of_words(words: list[str], *, complete: bool) -> str | None:
    command: click.Command = application
    path = "assay"
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = _subcommand(command, words[0])
        if found is None:
            return None if _PLACEHOLDER.match(words[0]) else f"{path} has no {words[0]!r}"
        path, command, words = f"{path} {words[0]}", found, words[1:]
    if not words:
        return None
    context = click.Context(command, info_name=path)
    given = [word for word in words if word]
    if any(word in ("-h", "--help") for word in given):
        return None
    try:
        values, _, _ = command.make_parser(context).parse_args(list(given))
    except click.UsageError as error:
        if isinstance(error, click.BadOptionUsage) and len(given) == 1:
            return None  # `assay ask --docs` speaks of the option alone
        return f"{path}: {error.format_message()}"
    return _fault_of_values(command, path, values, complete and not _speaks_of_option(given))


def _speaks_of_option(words: list[str]) -> bool:
    """`assay ask --docs`, `assay run --parallel N`: an option is named, not a whole command."""
    return words[0].startswith("--") and len(words) <= 2


def _fault_of_values(
    command: click.Command, path: str, values: dict[str, object], complete: bool
) -> str | None:
    for parameter in command.params:
        value = values.get(parameter.name or "")
        absent = (
            value is None or value == () or not isinstance(value, str | tuple | bool | int | list)
        )
        if parameter.required and absent and complete:
            return f"{path}: {parameter.human_readable_name} is missing"
        for each in value if isinstance(value, list | tuple) else [value]:
            if not isinstance(each, str) or _PLACEHOLDER.match(each):
                continue
            try:
                if not isinstance(parameter.type, click.Path | click.File):
                    parameter.type.convert(each, parameter, None)
            except click.UsageError as error:
                return f"{path}: {error.format_message()}"
    return None


def known_options() -> frozenset[str]:
    """Every option of every command, in all its spellings."""
    return frozenset(_options_of(application))


def _options_of(command: click.Command) -> Iterator[str]:
    for parameter in command.get_params(click.Context(command)):
        yield from (*parameter.opts, *parameter.secondary_opts)
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            found = _subcommand(command, name)
            assert found is not None
            yield from _options_of(found)


def options_in_python(text: str, where: str) -> Iterator[tuple[str, str]]:
    """Place and name of every `--option` that a string speaks of."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for option in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", node.value):
                yield f"{where}:{node.lineno}", option
