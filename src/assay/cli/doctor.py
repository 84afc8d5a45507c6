"""`assay doctor`: is this installation, or a model file, fit for what it is asked to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import click
from rich.console import Console

from assay.cli.options import common_options, store_option
from assay.cli.output import emit, rows_table
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

    found = examine_file(file, os.environ)
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
    yield from _packs()
    yield _guarded_check("store", lambda: _store(store_url))
    risk = "surrogates of short values such as phone numbers can be guessed"
    yield _key("ASSAY_REDACTION_KEY", risk)
    yield _master_key()
    if os.environ.get("ASSAY_RECOGNISER") or os.environ.get("ASSAY_RECOGNISER_MODEL"):
        yield _guarded_check("recogniser", _recogniser)
    for spec in ("extractive", "embedded"):
        yield _guarded_check(f"model {spec}", lambda spec=spec: _model(spec), optional=True)  # type: ignore[misc]
    for module in ("openai", "anthropic"):
        yield _guarded_check(f"model {module}:", lambda module=module: _sdk(module), optional=True)  # type: ignore[misc]


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


def _model(spec: str) -> str:
    from assay.adapters.models.registry import open_model

    opened = open_model(spec, environ=os.environ)
    return ", ".join(f"{key}={value}" for key, value in opened.identity.items())


def _recogniser() -> str:
    from assay.wiring.packs import redactor_for
    from assay.wiring.settings import Settings

    settings = Settings.from_environment()
    redactor_for(None, settings)
    return f"{settings.recogniser}, names by {settings.recogniser_model or 'rules alone'}"


def _sdk(module: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"SDK {version(module)}"
    except PackageNotFoundError as error:
        raise ExecutionError("not installed", hint=f'pip install "assay[{module}]"') from error


def _key(variable: str, risk: str) -> Row:
    if os.environ.get(variable):
        return variable, "ok", "set", ""
    return variable, "warning", f"not set: {risk}", f"set {variable} to a long random text"


def _master_key() -> Row:
    from assay.adapters.keys import keyring_from

    def look() -> str:
        keyring = keyring_from(os.environ)
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
