"""`assay.toml`: settings in a file, beside the environment.

In      the environment; ASSAY_CONFIG; `./assay.toml`, or `assay/assay.toml` among the user's files
Out     one mapping of variables in which the environment wins; where each was set
Effects reads the file
Spec    interfaces.md, "Command line"

A key is the name of its variable in small letters: `model` is ASSAY_MODEL, `ca_file`
ASSAY_CA_FILE, `https_proxy` HTTPS_PROXY. The variables of a provider stand in its table:
`base_url` under `[openai]` is OPENAI_BASE_URL. Values are texts, numbers, or true and false, and
are judged as the variable's value would be. The command line wins over the environment, the
environment over the file; an empty variable is none.

The first file found is the only one: ASSAY_CONFIG names one (empty: none is read), else the
working directory, else the user's own. A file that another user owns or everybody may change is
refused: who writes the addresses gets the keys.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from assay.errors import UsageError

CONFIG_VARIABLE: Final = "ASSAY_CONFIG"
VARIABLES: Final = {
    CONFIG_VARIABLE: "File with settings, instead of `assay.toml` in the working directory or "
    "`assay/assay.toml` among the user's configuration; empty, none is read.",
    "ASSAY_OIDC_CLIENT_SECRET_FILE": "File with the provider's secret, instead of "
    "`ASSAY_OIDC_CLIENT_SECRET`.",
    "ASSAY_SERVE_WEBHOOK_SECRET_FILE": "File with what webhooks are signed with, instead of "
    "`ASSAY_SERVE_WEBHOOK_SECRET`.",
    "ASSAY_REDACTION_KEY_FILE": "File with the key of the surrogates, instead of "
    "`ASSAY_REDACTION_KEY`.",
    "HOME": "The user's folder, with `.config/assay/assay.toml`.",
    "USERPROFILE": "The same where the system is Windows.",
    "XDG_CONFIG_HOME": "The user's configuration, instead of `.config` in the user's folder.",
}
"""What is read from the environment here, for the page on settings."""

FILE_NAME: Final = "assay.toml"
HOMES: Final = (
    "assay.adapters.keys",
    "assay.adapters.models.anthropic.model",
    "assay.adapters.models.embedded.file_model",
    "assay.adapters.models.http_client",
    "assay.adapters.models.http_faults",
    "assay.adapters.models.openai.model",
    "assay.adapters.models.stepping",
    "assay.adapters.models.streaming",
)
"""Modules whose `VARIABLES` may stand in the file beside `Settings`."""

_TABLES: Final = ("OPENAI", "ANTHROPIC", "AZURE")
_LONGEST: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What one file says, under the names of the variables."""

    path: Path | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Without values: they may be secrets."""
        return f"SettingsFile({self.path}, {sorted(self.values)})"


def merge_settings(file: SettingsFile, environ: Mapping[str, str]) -> Mapping[str, str]:
    """*environ* over *file*.

    A secret that the environment gives in one form puts the file's other forms out of force.
    """
    said = {name for name, value in environ.items() if value}
    folded = {name.upper() for name in said}  # proxies come in small letters too
    kept = {
        name: value
        for name, value in file.values.items()
        if name not in folded and not {name.removesuffix("_FILE"), f"{name}_FILE"} & said
    }
    return {**environ, **kept} if kept else environ


def read_settings_file(environ: Mapping[str, str], own: Iterable[str]) -> SettingsFile:
    """The settings file that counts; one without a path when there is none.

    Args:
        environ: Says where it lies.
        own: The variables of `Settings`, which may stand in it beside those of the adapters.

    Raises:
        UsageError: the file is not fit; its line and the nearest known key are named.
    """
    path = find_settings_file(environ)
    if path is None:
        return SettingsFile()
    try:
        with path.open("rb") as opened:
            _require_own(path, os.fstat(opened.fileno()))
            raw = opened.read(_LONGEST + 1)
        text = raw.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the settings file {str(path)!r} cannot be read",
            hint=f"name a file in UTF-8 with {CONFIG_VARIABLE}, or leave it empty for none",
        ) from error
    if len(raw) > _LONGEST:
        raise UsageError(f"{path}: too long for a settings file", hint="keep it under 1 MB")
    return parse_settings(text, path, own)


def find_settings_file(environ: Mapping[str, str]) -> Path | None:
    """Where the settings stand; None for nowhere."""
    if CONFIG_VARIABLE in environ:
        named = environ[CONFIG_VARIABLE]
        return Path(named) if named else None
    homes = [Path(FILE_NAME)]
    base = environ.get("XDG_CONFIG_HOME") or ""
    if not Path(base).is_absolute():
        home = environ.get("HOME") or environ.get("USERPROFILE") or ""
        base = str(Path(home, ".config")) if Path(home).is_absolute() else ""
    if base:
        homes.append(Path(base, "assay", FILE_NAME))
    # What is there and no file is an error further on, not a reason to look elsewhere.
    return next((path for path in homes if os.path.lexists(path)), None)


def parse_settings(text: str, path: Path, own: Iterable[str]) -> SettingsFile:
    """What *text* says.

    Raises:
        UsageError: it is no TOML, a key is unknown, or a value is of a kind that no variable has.
    """
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        where = re.search(r"line (\d+)", str(error))
        at = f":{where[1]}" if where else f":{len(text.splitlines())}"
        raise UsageError(f"{path}{at}: this is no TOML", hint='write: model = "…"') from error
    known = {_key_of(name): name for name in known_variables(own)}
    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    for key, value in _flatten(document):
        line = _line_of(text, key)
        if key not in known:
            raise _unknown(path, line, key, known)
        values[known[key]] = _value_text(value, f"{path}:{line}: {'.'.join(key)}")
        lines[known[key]] = line
    for name in values:
        if f"{name}_FILE" in values:
            raise UsageError(
                f"{path}:{lines[name]}: {'.'.join(_key_of(name))} and "
                f"{'.'.join(_key_of(name + '_FILE'))} are both set",
                hint="set only one",
            )
    return SettingsFile(path, values, lines)


def known_variables(own: Iterable[str]) -> tuple[str, ...]:
    """Every variable that the file may set: *own* ones, and those of the adapters."""
    names = list(own)
    for home in HOMES:
        names += import_module(home).VARIABLES
    return tuple(dict.fromkeys(names))


def show_value(name: str, value: str) -> str:
    """A setting as it may be printed: nothing of a secret, no password of an address."""
    if name.endswith(("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")):
        return "set"
    if "://" not in value and not name.endswith("_PROXY"):
        return value
    try:
        parts = urlsplit(value if "://" in value else f"http://{value}")
        if "@" in parts.path + parts.query + parts.fragment:
            return "set"  # a password with a slash in it
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    except ValueError:
        return "set"


def _key_of(variable: str) -> tuple[str, ...]:
    """`('model',)` of ASSAY_MODEL, `('openai', 'base_url')` of OPENAI_BASE_URL."""
    table, _, rest = variable.partition("_")
    if table == "ASSAY":
        return (rest.lower(),)
    return (table.lower(), rest.lower()) if table in _TABLES else (variable.lower(),)


def _flatten(document: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in document.items():
        if isinstance(value, dict) and value:
            yield from (((key, *rest), found) for rest, found in _flatten(value))
        else:
            yield (key,), value


def _value_text(value: Any, where: str) -> str:
    """A value as the variable would hold it."""
    if isinstance(value, bool):
        return "true" if value else "false"  # which no number is read from
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str) and "\0" not in value:
        return value
    raise UsageError(f"{where} is no text, number, true or false", hint='write it in "…"')


def _unknown(
    path: Path, line: int, key: tuple[str, ...], known: Mapping[tuple[str, ...], str]
) -> UsageError:
    """Names the line and the nearest key; the key itself stands in the user's own file."""
    names = {".".join(each): each for each in known}
    near = get_close_matches(".".join(key), names, n=1)
    if not near:  # a variable's own name, or the key outside its table
        near = [name for name, each in names.items() if known[each].lower() == key[-1].lower()]
    hint = f"did you mean {near[0]}?" if near else "see the reference on settings for all keys"
    return UsageError(f"{path}:{line}: there is no setting {'.'.join(key)!r}", hint=hint)


_HEAD = re.compile(r"^\s*\[\s*([^\[\]]+?)\s*\]")
_ENTRY = re.compile(r"""^\s*([A-Za-z0-9_\-."' ]+?)\s*=""")


def _line_of(text: str, key: tuple[str, ...]) -> int:
    """The line on which *key* stands; of its first word where it is written in another way."""
    table: tuple[str, ...] = ()
    fallback = 1
    for number, line in enumerate(text.splitlines(), start=1):
        head = _HEAD.match(line)
        entry = None if head else _ENTRY.match(line)
        if head:
            table = _words(head[1])
        found = table if head else (*table, *_words(entry[1])) if entry else ()
        if found == key:
            return number
        if found and found == key[: len(found)]:
            fallback = number
    return fallback


def _words(dotted: str) -> tuple[str, ...]:
    return tuple(word.strip().strip("\"'") for word in dotted.split("."))


def _require_own(path: Path, state: os.stat_result) -> None:
    """Refuse what other users could have written."""
    if os.name != "posix":
        return
    if not stat.S_ISREG(state.st_mode):
        raise UsageError(f"{path}: this is no file", hint=f"name another with {CONFIG_VARIABLE}")
    if state.st_uid not in (0, os.geteuid()) or state.st_mode & stat.S_IWOTH:
        raise UsageError(
            f"{path}: another user could have written this file",
            hint=f"own it and chmod o-w it, or leave {CONFIG_VARIABLE} empty to read none",
        )
