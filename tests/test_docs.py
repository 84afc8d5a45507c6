"""Nothing that a user can set, call or meet is undocumented."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import assay
from assay import errors, protocols
from assay.cli.main import VERBS
from assay.gate.codes import CODES
from assay.wiring.settings import ServiceSettings

REPOSITORY = Path(__file__).resolve().parent.parent
REFERENCE = REPOSITORY / "docs" / "reference"


def page(name):
    return (REFERENCE / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_each_verb_is_documented(verb):
    """Every verb of the command line has its place in the reference."""
    assert f"## assay {verb}\n" in page("commands.md")


@pytest.mark.parametrize("field", sorted(ServiceSettings.model_fields))
def test_each_setting_is_documented(field):
    """Every environment variable that is read stands in the reference with its meaning."""
    setting = ServiceSettings.model_fields[field]

    assert f"`{setting.alias}`" in page("settings.md")
    assert setting.description


def variables_in(*folders):
    """Where each variable is named: `ASSAY_…`, and whatever the program asks the environment."""
    own = re.compile(r"\bASSAY_[A-Z][A-Z_]*[A-Z]\b")
    asked = re.compile(r"environ(?:\.get\(|\[)\s*[\"']([A-Z][A-Z0-9_]+)[\"']")
    found = {}
    for folder in folders:
        for file in sorted((REPOSITORY / folder).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            for name in {*own.findall(text), *(asked.findall(text) if folder == "src" else ())}:
                found.setdefault(name, f"{file.relative_to(REPOSITORY)}")
    return found


def test_each_variable_that_is_read_is_documented():
    """Also one that is read where it is used, and one that only the tests read."""
    read = variables_in("src", "tests", "tools")

    assert {"ASSAY_MASTER_KEY_FILE", "OPENAI_BASE_URL", "ASSAY_CHAOS"} <= set(read)
    assert {} == {n: where for n, where in read.items() if f"| `{n}` |" not in page("settings.md")}


def test_no_variable_is_documented_that_nobody_reads():
    """A row of the page goes when its variable goes."""
    rows = re.findall(r"^\| `([A-Z_]+)` \|", page("settings.md"), re.MULTILINE)
    sources = "".join(
        file.read_text(encoding="utf-8")
        for folder in ("src", "tests")
        for file in (REPOSITORY / folder).rglob("*.py")
    )

    assert len(rows) == len(set(rows))
    assert [] == [name for name in rows if name not in sources]


@pytest.mark.parametrize("code", sorted(CODES))
def test_each_finding_code_is_documented(code):
    """Every code that the gate can find is explained."""
    assert f"`{code}`" in page("finding-codes.md")


def test_each_error_code_is_documented():
    """Every error that a caller may see stands in the reference."""
    text = page("errors.md")
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, errors.AssayError):
            assert f"`{value.code}`" in text, name


def test_each_protocol_has_a_docstring_for_every_promise():
    """What can be plugged in says what it promises."""
    for name, value in vars(protocols).items():
        if inspect.isclass(value) and getattr(value, "_is_protocol", False) and name != "Protocol":
            assert value.__doc__, name


GLOSSARY = [line for line in page("glossary.md").splitlines() if line.startswith("| **")]
ABOUT_THE_SOURCE = (
    "CONTRIBUTING.md",
    "docs/decisions/*.md",
    "docs/explanation/architecture.md",
    "docs/reference/glossary.md",
    "docs/spec/names.md",
)
"""Pages whose paths are those of the source, not of a pack or of a user's own folder."""


@pytest.mark.parametrize(
    "name",
    sorted(
        {name for name in assay.__all__ if inspect.isclass(getattr(assay, name))}
        | {name for name in protocols.__all__ if not name.isupper()}
    ),
)
def test_each_public_class_is_in_the_glossary(name):
    """Who meets a type in a signature can look up what the word means here."""
    assert [line for line in GLOSSARY if f"`{name}`" in line]


def test_no_word_has_two_entries_in_the_glossary():
    """A word means one thing, or its one entry says which two."""
    words = [word for line in GLOSSARY for word in re.split(", ", line.split("**")[1])]

    assert sorted(set(words)) == sorted(words)


def test_each_entry_of_the_glossary_says_what_it_is_not_and_where_it_lives():
    """Four columns, none of them empty, and a path in the last."""
    odd = [
        line
        for line in GLOSSARY
        if len(cells := [cell.strip() for cell in line.strip("|").split("|")]) != 4
        or not all(cells)
        or not re.search(r"`[\w./-]+(?:\.(?:py|yaml|toml)|/)`", cells[3])
    ]

    assert [] == odd


def paths_in(file, pattern):
    """Paths between backticks; the first column of the map of names is the specifications' own."""
    text = file.read_text(encoding="utf-8")
    if file.name == "names.md":
        text = re.sub(r"^\|[^|]*\|", "|", text, flags=re.MULTILINE)
    return re.findall(pattern, text)


def exists(path):
    """In the source, or from the root of the project."""
    return (REPOSITORY / "src" / "assay" / path).exists() or (REPOSITORY / path).exists()


def test_each_module_that_a_page_names_exists():
    """A page follows when a file moves."""
    pages = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]
    pattern = r"`([\w./-]+/\w+\.py)`"
    named = {(file.name, path) for file in pages for path in paths_in(file, pattern)}

    assert named
    assert [] == sorted(place for place in named if not exists(place[1]))


def test_each_path_on_the_pages_about_the_source_exists():
    """Also folders and files of other kinds, where a page speaks of the source alone."""
    pages = [file for pattern in ABOUT_THE_SOURCE for file in REPOSITORY.glob(pattern)]
    pattern = r"`([a-z_]+/(?:[\w./-]*(?:/|\.[a-z]+))?)`"
    named = {(file.name, path) for file in pages for path in paths_in(file, pattern)}

    assert named
    assert [] == sorted(place for place in named if not exists(place[1]))


def test_each_name_that_a_page_gives_beside_its_module_is_defined_there():
    """`file.py`, `Name`: a class, function or constant of that file."""
    pages = [file for pattern in ABOUT_THE_SOURCE for file in REPOSITORY.glob(pattern)]
    pattern = r"`([\w./-]+/\w+\.py)`,? \(?`(\w+)`"
    given = {(path, name) for file in pages for path, name in paths_in(file, pattern)}
    odd = [
        (path, name)
        for path, name in sorted(given)
        if not re.search(
            rf"^(?:class|(?:async )?def) {name}\b|^{name}\b",
            (REPOSITORY / "src" / "assay" / path).read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    ]

    assert given
    assert [] == odd
