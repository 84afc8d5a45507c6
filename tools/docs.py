"""Regenerate the generated pages of docs/reference, and run every example of the documents.

    tools/docs.py            write the pages
    tools/docs.py --check    write nothing; exit 1 when a page differs or an example fails

Examples are the ```python blocks (run in order, one namespace a page) and the lines that
begin with `$ ` in ```console blocks (run by a shell; a block whose first line is `# exit N`
must leave with N). Each page runs in a fresh folder that holds a copy of `examples/`. `ID` and
`CALL` stand for the newest call, open review or session, as the verb takes one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

import click
from pydantic.fields import FieldInfo

from assay import errors
from assay.cli.main import VERBS, application
from assay.gate.codes import document as finding_codes
from assay.server import errors as server_errors
from assay.wiring.settings import ServiceSettings, Settings
from assay.wiring.settings_file import HOMES

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ELSEWHERE = {
    name: meaning
    for home in (
        "assay.wiring.settings_file",
        "assay.cli.completion",
        "assay.cli.terminal",
        "assay.server.observe.traces",
        *HOMES,
    )
    for name, meaning in import_module(home).VARIABLES.items()
}
"""Variables that are read where they are used: secrets that Settings should not carry about."""
TESTING = {
    "ASSAY_CASES": "Folder of the public test data; default: `shared/cases` beside the checkout.",
    "ASSAY_CHAOS": "1: the tests that kill processes go many more rounds.",
    "ASSAY_REQUIRE": "Parts, with commas between them, whose absence fails a test instead of "
    "skipping it: see `tests/parts.py`.",
    "ASSAY_SOAK_MINUTES": "So long the soak of several processes takes (`make soak`).",
    "ASSAY_TELL_TIMES": "1: the test of a large record prints how long pages took.",
    "ASSAY_TEST_POSTGRES": "`postgresql://…` of a database whose user may create databases; "
    "without it the tests start a server of their own.",
}
NOTE = "<!-- Written by tools/docs.py; edit the code instead. -->\n\n"


def command_page() -> str:
    lines = ["# Commands\n", NOTE]
    for verb in sorted(VERBS):
        command = application.get_command(click.Context(application), verb)
        assert command is not None
        lines.extend(_help(command, f"assay {verb}"))
    return "\n".join(lines)


def _help(command: click.Command, path: str) -> Iterator[str]:
    context = click.Context(command, info_name=path, max_content_width=96, terminal_width=96)
    yield f"## {path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from _help(command.commands[name], f"{path} {name}")


def settings_page() -> str:
    lines = ["# Settings\n", NOTE + "Read from the environment.\n"]
    lines.append("| variable | default | what it sets |\n|---|---|---|")
    of_all = Settings.model_fields
    of_service = {k: v for k, v in ServiceSettings.model_fields.items() if k not in of_all}
    lines += _settings(of_all.values())
    lines += ["\n## The service\n", "Read by `assay serve`.\n"]
    lines += [
        "| variable | default | what it sets |\n|---|---|---|",
        *_settings(of_service.values()),
    ]
    lines += ["\n## Keys and providers\n", "Read where they are used.\n"]
    lines += _variables(ELSEWHERE)
    lines += ["\n## For the tests alone\n", *_variables(TESTING)]
    return "\n".join(lines) + "\n"


def _settings(fields: Iterable[FieldInfo]) -> Iterator[str]:
    for field in fields:
        default = "none" if field.default in (None, "") else f"`{field.default}`"
        yield f"| `{field.alias}` | {default} | {field.description} |"


def _variables(meanings: Mapping[str, str]) -> Iterator[str]:
    yield "| variable | what it sets |\n|---|---|"
    for name, meaning in sorted(meanings.items()):
        yield f"| `{name}` | {meaning} |"


def errors_page() -> str:
    lines = ["# Errors\n", NOTE]
    lines.append("| code | class | exit code | HTTP | meaning |\n|---|---|---|---|---|")
    found = {
        value
        for room in (errors, server_errors)
        for value in vars(room).values()
        if isinstance(value, type) and issubclass(value, errors.AssayError)
    }
    for kind in sorted(found, key=lambda kind: (kind.exit_code, kind.code, kind.__name__)):
        meaning = (kind.__doc__ or "").strip().splitlines()[0]
        lines.append(
            f"| `{kind.code}` | `{kind.__name__}` | {kind.exit_code} | {kind.http_status} "
            f"| {meaning} |"
        )
    return "\n".join(lines) + "\n"


PAGES = {
    "commands.md": command_page,
    "settings.md": settings_page,
    "errors.md": errors_page,
    "finding-codes.md": finding_codes,
}


def run_examples(page: Path) -> list[str]:
    """The faults of the examples of *page*."""
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        python_so_far = ""
        environment = dict(os.environ)
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
        for kind, body in BLOCK.findall(page.read_text(encoding="utf-8")):
            if kind == "python":
                python_so_far += body + "\n"
                done = _run([sys.executable, "-c", python_so_far], folder, environment)
                if done.returncode:
                    faults.append(f"{page.name}: python block: {done.stderr[-600:]}")
            else:
                faults += _console(page, body, folder, environment)
    return faults


def _console(page: Path, body: str, folder: str, environment: dict[str, str]) -> list[str]:
    wanted = re.match(r"# exit (\d+)\n", body)
    expected = int(wanted[1]) if wanted else 0
    faults = []
    for given in re.findall(r"^\$ (.*)$", body, re.MULTILINE):
        if given.startswith("make "):
            continue  # the targets are run by the checks themselves
        line = _with_id(given, folder, environment)
        done = _run(["bash", "-c", line], folder, environment)
        if done.returncode != expected:
            said = done.stderr[-600:]
            faults.append(f"{page.name}: `{line}` left with {done.returncode}: {said}")
    return faults


LISTS = {"review": "reviews", "sessions": "sessions"}
"""Verb -> what its list calls its rows; every other verb takes a call."""


def _with_id(line: str, folder: str, environment: dict[str, str]) -> str:
    """The command with a real id in place of `ID` or `CALL`."""
    wanted = re.search(r"\bassay ([a-z]+) (?:[^|]* )?(?:ID|CALL)\b", line)
    if wanted is None:
        return line
    verb = wanted[1] if wanted[1] in LISTS else "calls"
    listed = _run(["assay", verb, "list", "--json"], folder, environment)
    (first, *_) = json.loads(listed.stdout)[LISTS.get(verb, verb)]
    return re.sub(r"\b(?:ID|CALL)\b", str(first["id"]), line, count=1)


def _run(
    words: list[str], folder: str, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=folder, env=environment, text=True, capture_output=True, check=False, timeout=300
    )


def main() -> int:
    check = "--check" in sys.argv[1:]
    faults = []
    for name, make in PAGES.items():
        page = REFERENCE / name
        text = make()
        if not check:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(text, encoding="utf-8")
        elif not page.exists() or page.read_text(encoding="utf-8") != text:
            faults.append(f"{name} is not what the code says: run tools/docs.py")
    if check:
        pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
        for page in pages:
            if page.parent != REFERENCE or page.name not in PAGES:
                faults += run_examples(page)
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"docs: {len(PAGES)} generated pages, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
