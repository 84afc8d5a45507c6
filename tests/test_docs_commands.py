"""A command that a page, a help text or an error names can be given as it stands there.

What stands in blocks of `console` and `python` is run by `make docs`; here every command between
backticks, in a hint or in a help text is held against the real commands: verb, options, choices,
and all that is required.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.loading import load_tool

ROOT = Path(__file__).resolve().parent.parent
tool = load_tool("named_commands")

PATTERNS = (
    "*.md",
    "docs/**/*.md",
    "examples/**/*.md",
    "src/assay/**/*.py",
    "src/assay/**/*.md",
    "src/assay/**/*.yaml",
    "src/assay/**/*.html",
    "tools/*.py",
    "tools/*.sh",
    "Makefile",
    "pyproject.toml",
)
FILES = sorted({file for pattern in PATTERNS for file in ROOT.glob(pattern)})
PAGES = [file for file in FILES if file.suffix == ".md" and "templates" not in file.parts]
SOURCES = [file for file in FILES if file.suffix == ".py" and "src" in file.parts]
NOT_OURS = {"--no-deps", "--encoding"}
"""Options of other programs that a hint names."""
RUN = {"console", "python"}
"""Blocks that `tools/docs.py` runs."""
KINDS = RUN | {
    "console install",  # run by tests/test_install.py, in a place of its own
    "console key",  # needs the key of a provider: parsed, not run
    "python instructor",  # run by tests/test_docs_peers.py, like the next four
    "python langchain",
    "python mcp",
    "python openai",
    "python notebook",
    "text",
    "yaml",
    "toml",
    "json",
    "markdown",
    "dockerfile",
}


def commands(files):
    """All that *files* name."""
    return [named for file in files for named in tool.named_in_file(file, ROOT)]


def name(text, *, in_text=False):
    """One command, as the tool finds it."""
    return tool.Named(where="here:1", text=text, in_text=in_text)


@pytest.mark.clause("007-D2")
def test_each_command_that_is_named_can_be_given():
    """Pages, error hints, help texts, comments of packs: verb, options, choices, all required."""
    named = commands(FILES)
    faults = [(each.where, each.text, tool.fault_of(each)) for each in named]

    assert len(named) > 200
    assert [] == [fault for fault in faults if fault[2] is not None]


@pytest.mark.clause("007-D2")
def test_each_option_that_the_source_speaks_of_exists():
    """`rerun with --debug`: also where the command is left out."""
    known = tool.known_options() | NOT_OURS
    spoken = [
        each
        for file in SOURCES
        if file.parent.name != "figures"  # whose style sheets have names that begin so
        for each in tool.options_in_python(file.read_text("utf-8"), str(file.relative_to(ROOT)))
    ]

    assert len(spoken) > 100
    assert [] == [each for each in spoken if each[1] not in known]


@pytest.mark.clause("007-D2")
def test_each_option_that_a_page_speaks_of_exists():
    """Between backticks, without its command: of ours, or written out with the program."""
    known = tool.known_options() | NOT_OURS
    spoken = [
        (str(page.relative_to(ROOT)), option)
        for page in PAGES
        for option in re.findall(
            r"`(--[a-z][a-z0-9-]*)", tool.FENCE.sub("", page.read_text("utf-8"))
        )
    ]

    assert len(spoken) > 20
    assert [] == [each for each in spoken if each[1] not in known]


@pytest.mark.clause("007-D2")
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("assay review decide ID --accept", "reason is missing"),
        ("assay review decide", None),
        ("assay review decide ID --accept --reason TEXT", None),
        ("assay review decide ID --accept --reason …", None),
        ("assay review decide ID …", None),
        ("assay review dicide ID", "no 'dicide'"),
        ("assay calls list|show", None),
        ("assay calls list|shew", "no 'shew'"),
        ("assay run intake --modle extractive", "No such option"),
        ("assay run intake", "INPUT… is missing"),
        ("assay run intake mails --parallel many", "not a valid integer"),
        ("assay run intake mails --parallel N", None),
        ("assay review list --status opened", "not one of"),
        ("assay redact [FILE] [--region CC]…", None),
        ("assay ask --docs", None),
        ("assay audit verify --anchor | grep ok", None),
    ],
)
def test_a_fault_in_a_named_command_is_found(text, fault):
    """What the checker is there for, and what it lets pass."""
    found = tool.fault_of(name(text))

    assert found is None if fault is None else fault in (found or "")


@pytest.mark.clause("007-D2")
@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("next: assay pack verify FOLDER; change it", ["pack", "verify", "FOLDER"]),
        ("see assay calls show {VALUE}", ["calls", "show", "{VALUE}"]),
        ("assay backtest shows them", ["backtest"]),
        ("(assay templates sign ID --key FILE)", ["templates", "sign", "ID", "--key", "FILE"]),
    ],
)
def test_a_command_in_running_text_ends_where_the_sentence_goes_on(text, ends):
    """Neither the words behind it nor the punctuation belong to it."""
    (found,) = tool.named_in_text(text, "here:1")

    assert tool.words_of(found) == ends


@pytest.mark.clause("007-D2")
def test_a_hint_with_values_put_in_is_read():
    """An f-string is a hint like any other."""
    code = 'raise E("no", hint=f"assay review decide {row.id} --accept")'
    (found,) = tool.named_in_python(code, "here")

    assert "reason is missing" in tool.fault_of(found)


@pytest.mark.clause("007-D2")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_block_escapes_what_runs_it(page):
    """A command stands in a `console` block; a kind of block that nothing knows is a fault."""
    text = page.read_text("utf-8")
    blocks = list(tool.FENCE.finditer(text))

    assert text.count("\n```") + text.startswith("```") == 2 * len(blocks)
    assert [] == [each["info"] for each in blocks if each["info"] not in KINDS]
    assert [] == [
        each["body"]
        for each in blocks
        if not each["info"].startswith("console") and re.search(r"^\s*\$ ", each["body"], re.M)
    ]
    assert [] == [each["info"] for each in blocks if each["indent"] and each["info"] in RUN]


@pytest.mark.clause("007-D2")
def test_each_target_tool_and_extra_that_is_named_exists():
    """`make quality`, `tools/fuzz_mail.py`, `assay[openai]`."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    odd = []
    for file in FILES:
        text = file.read_text("utf-8")
        made = re.findall(r"(?:`|^\$ )make ([a-z]+)\b", text, re.M)
        odd += [(file.name, each) for each in made if each not in targets]
        tools = re.findall(r"\b(?<![\w/])(tools/\w+\.(?:py|sh))\b", text)
        odd += [(file.name, each) for each in tools if not (ROOT / each).is_file()]
        for extras in re.findall(r"\bassay\[([a-z, ]+)\]", text):
            known = project["optional-dependencies"]
            odd += [(file.name, e) for e in re.split(", ?", extras) if e not in known]

    assert [] == odd
