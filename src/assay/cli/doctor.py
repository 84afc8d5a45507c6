"""`assay doctor`: is this installation, or a model file, fit for what it is asked to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

import click
from rich.console import Console

from assay.cli.options import common_options, store_option
from assay.cli.output import emit, rows_table
from assay.cli.terminal import foreign_prints_aside
from assay.errors import AssayError, ExecutionError, NotFoundError

UNFIT_EXIT = ExecutionError.exit_code


@click.command()
@click.argument("file", required=False, metavar="[FILE.gguf]")
@store_option
@common_options
def command(file: str | None, store_url: str, as_json: bool) -> int:
    """Check Python, packs, store, keys and models; leaves with 40 when something is broken.

    With FILE.gguf: say what model is in the file, whether it runs here, how fast, and whether
    grammars hold it.
    """
    if file is not None:
        return _examine_model(file, as_json=as_json)
    with foreign_prints_aside():
        rows = [
            {"what": what, "state": state, "detail": detail, "hint": hint}
            for what, state, detail, hint in _examine(store_url)
        ]
    broken = [row for row in rows if row["state"] == "broken"]
    document = {"fit": not broken, "checks": rows}
    emit(document, as_json=as_json, human=lambda console: _draw(console, document))
    return UNFIT_EXIT if broken else 0


def _examine_model(file: str, *, as_json: bool) -> int:
    from assay.adapters.models.embedded.examination import examine_file

    found = examine_file(file, _environment())
    document = {
        "fit": found.fit,
        "checks": [asdict(sight) for sight in found.sights],
        "model": dict(found.facts),
        "use": found.use,
    }

    def draw(console: Console) -> None:
        _draw(console, document)
        if found.fit:
            console.print(f"use: {found.use}", markup=False, soft_wrap=True)

    emit(document, as_json=as_json, human=draw)
    return 0 if found.fit else UNFIT_EXIT


Row = tuple[str, str, str, str]


def _examine(store_url: str) -> Iterator[Row]:
    yield "python", "ok", sys.version.split()[0], ""
    yield from _settings()
    yield from _packs()
    yield _guarded_check("store", lambda: _store(store_url))
    risk = (
        "surrogates of short values such as phone numbers can be guessed, where a contract says "
        "`send: redacted` by the provider too"
    )
    yield _key("ASSAY_REDACTION_KEY", risk)
    yield _master_key()
    variables = _environment()
    if variables.get("ASSAY_RECOGNISER") or variables.get("ASSAY_RECOGNISER_MODEL"):
        yield _guarded_check("recogniser", _recogniser)
    yield from _models()


def _environment() -> Mapping[str, str]:
    from assay import wiring

    return wiring.environment()


def _settings() -> Iterator[Row]:
    """Which settings are set, and where: never the value of a secret."""
    from assay.adapters.secret_values import open_to_all
    from assay.wiring.settings import own_variables
    from assay.wiring.settings_file import known_variables, read_settings_file, show_value

    file = read_settings_file(os.environ, own_variables())
    found = _environment()
    if file.path is not None:
        secret = [name for name in file.values if show_value(name, "") == "set"]
        if secret and open_to_all(str(file.path)):
            hint = f"chmod o-r {file.path}, or keep the secret in a file of its own"
            yield "settings file", "warning", f"{file.path} holds secrets, for all to read", hint
        else:
            yield "settings file", "ok", str(file.path), ""
    for name in known_variables(own_variables()):
        spelt = name.lower() if name.endswith("_PROXY") and os.environ.get(name.lower()) else name
        value = found.get(spelt, "")
        if not value:
            continue
        here = bool(os.environ.get(spelt))
        where = "environment" if here else f"{file.path}:{file.lines.get(name, 1)}"
        row = (f"setting {name}", "ok", f"{show_value(name, value)} ({where})", "")
        if name.endswith("_KEY_FILE") and open_to_all(value):
            row = (row[0], "warning", f"{row[2]}: any user may read it", "chmod o-r that file")
        yield row
    yield _guarded_check("settings", _valid)


def _valid() -> str:
    from assay import wiring

    wiring.Settings.from_environment()
    return "valid"


def _packs() -> Iterator[Row]:
    from assay import wiring
    from assay.adapters.folders import bundled_packs

    for name in bundled_packs():
        yield _guarded_check(f"pack {name}", lambda name=name: wiring.load_pack(name).digest)  # type: ignore[misc]


def _store(url: str) -> str:
    from assay import wiring

    try:
        with wiring.open(url, "none", must_exist=True) as runtime:
            report = runtime.verify()
            shown = runtime.runtime.store.url  # without a password, wherever in it one stands
    except NotFoundError:
        return f"{url}: no record yet"  # a file's; it takes no password
    if report.status == "broken":
        raise ExecutionError("the record is broken", hint="assay audit verify")
    return f"{shown}: {report.events} events, unbroken"


def _models() -> Iterator[Row]:
    """As `assay models` says; nobody needs every provider, so none is broken."""
    from assay.adapters.models.registry import look_at_providers

    for one in look_at_providers(_environment()):
        name = f"model {one.usage.partition('[')[0].partition(':')[0]}"
        if ":" in one.usage and "[" not in one.usage:
            name += ":"
        yield name, "ok" if one.found.usable else "warning", one.found.why, one.found.hint


def _recogniser() -> str:
    from assay.wiring.packs import redactor_for
    from assay.wiring.settings import Settings

    settings = Settings.from_environment()
    redactor_for(None, settings)
    return f"{settings.recogniser}, names by {settings.recogniser_model or 'rules alone'}"


def _key(variable: str, risk: str) -> Row:
    from assay.adapters.secret_values import read_secret

    def look() -> str:
        return "set" if read_secret(_environment(), variable) else ""

    what, state, detail, hint = _guarded_check(variable, look)
    if state == "ok" and not detail:
        return what, "warning", f"not set: {risk}", f"set {variable} to a long random text"
    return what, state, detail, hint


def _master_key() -> Row:
    from assay.adapters.keys import keyring_from

    def look() -> str:
        keyring = keyring_from(_environment())
        return "" if keyring is None else f"key {keyring.key_id}"

    what, state, detail, hint = _guarded_check("ASSAY_MASTER_KEY", look)
    if state == "ok" and not detail:
        return (
            what,
            "warning",
            "not set: payloads are stored in the clear and source texts are not kept",
            "set ASSAY_MASTER_KEY",
        )
    return what, state, detail, hint


def _guarded_check(what: str, look: Callable[[], str], *, optional: bool = False) -> Row:
    """Look once; what is optional and absent is a warning, all else that fails is broken."""
    try:
        return what, "ok", look(), ""
    except AssayError as error:
        return what, "warning" if optional else "broken", str(error), error.hint
    except Exception as error:
        return what, "broken", f"a fault in the program: {type(error).__name__}", ""


def _draw(console: Console, document: dict[str, Any]) -> None:
    columns = ("what", "state", "detail", "hint")
    console.print(rows_table("assay doctor", document["checks"], columns))
    console.print("fit" if document["fit"] else "NOT fit")
