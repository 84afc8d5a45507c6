"""What people read is words: no values of a programming language, nothing squeezed."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from assay.cli.output import terminal
from assay.cli.tables import count_of, rows_table, value_text
from tests.answers.bundles import QUESTION, bundle
from tests.command import assay
from tests.packs.talk import SESSION, small_talk
from tests.packs.talk import script as talk_script
from tests.runtime.tiny import GOOD, UNKNOWN_LABEL, script, write_pack

ROOT = Path(__file__).resolve().parents[2]
STORE = ("--store", "sqlite:///a.db")
_CODE = re.compile(
    r"\b(?:True|False|None)\b|[{\[(]'|': |\bb'|<[\w.]+ object|\b[A-Z]\w+\([a-z_]+=|"
    r"\b(?:Outcome|Reason|Status|datetime|Decimal|PosixPath)\b[.(]"
)
"""How Python writes its values."""

_ONE = re.compile(r"\b1 (?:inputs|events|payloads|versions|prompts|characters|tokens|hits)\b")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where a bit of everything has happened."""
    place = tmp_path_factory.mktemp("words")
    write_pack(place / "pack")
    (place / "in").mkdir()
    (place / "in" / "a.txt").write_text("There is water in the cellar.")
    (place / "in" / "b.txt").write_bytes(b"\xff\xfe\x00 no text")
    shutil.copytree(ROOT / "examples" / "mails", place / "mails")
    shutil.copytree(ROOT / "examples" / "documents", place / "docs")
    shutil.copytree(ROOT / "examples" / "grants", place / "grants")
    (place / "bundle.json").write_text(json.dumps(bundle()))
    front = "---\nname: note.base\nrole: writer\nversion: {}\nvariables: [who]\n---\nTo {{{{who}}}}"
    for number in (1, 2):
        (place / f"{number}.md").write_text(front.format(number) + "!" * number + "\n")
        assert 0 == assay(place, "templates", "add", f"{number}.md", *STORE).code
    script(place, *[UNKNOWN_LABEL] * 2, name="bad.jsonl")
    script(place, GOOD, name="good.jsonl")
    talk_script(place, small_talk())
    return place


def commands(place: Path) -> list[tuple[str, ...]]:
    """What can be looked at; the first of them make what the others show."""
    found = [
        ("run", "pack", "in", "--model", "scripted:bad.jsonl", *STORE),
        ("run", "intake", "mails", *STORE),
        ("run", "intake", "mails/own-burst-pipe.eml", *STORE),
        ("run", "grants", "grants/village-well.json", "--model", "scripted:grants/replies.jsonl",
         *STORE),
        ("ask", "How long can I keep a book?", "--docs", "docs", *STORE),
        ("ask", "Who was Caesar?", "--docs", "docs", *STORE),
        ("chat", "services", "--session", SESSION, "--message", "hi", "--model",
         talk_script(place, small_talk()), *STORE),
        ("calls", "list", *STORE),
        ("review", "list", "--status", "all", *STORE),
        ("sessions", "list", *STORE),
        ("sessions", "show", SESSION[:4], *STORE),
        ("templates", "list", *STORE),
        ("templates", "show", "writer/note.base@1", *STORE),
        ("templates", "diff", "writer/note.base@1", "writer/note.base@2", *STORE),
        ("templates", "drift", *STORE),
        ("audit", "log", *STORE),
        ("audit", "verify", *STORE),
        ("audit", "checkpoint", *STORE),
        ("backtest", "pack/triage", "--pack", "pack", *STORE),
        ("backtest", "intake/classify", *STORE),
        ("gate", "pack/triage", "bad.jsonl"),
        ("assemble", "bundle.json", "--question", QUESTION),
        ("render", "1.md", "--vars", "vars.json"),
    ]  # fmt: skip
    (place / "vars.json").write_text('{"who": "you"}')
    return found


def shown(place: Path, width: int) -> list[tuple[tuple[str, ...], str]]:
    """Each command with all that it says, and every call and case one by one."""
    columns = {"COLUMNS": str(width)}
    said = []
    for words in commands(place):
        done = assay(place, *words, **columns)
        assert done.code in {0, 20}, (words, done.err)
        said.append((words, done.out + done.err))
    calls = assay(place, "calls", "list", *STORE, "--json").document["calls"]
    cases = assay(place, "review", "list", *STORE, "--json").document["reviews"]
    one_by_one = [("calls", "show", call["id"], "--prompt", "--raw", *STORE) for call in calls[::4]]
    one_by_one += [("review", "show", case["id"], *STORE) for case in cases]
    one_by_one += [("replay", calls[-1]["id"], "--pack", "pack", *STORE)]
    for words in one_by_one:
        done = assay(place, *words, **columns)
        assert 0 == done.code, (words, done.err)
        said.append((words, done.out + done.err))
    return said


@pytest.mark.clause("007-T2", "007-T6")
@pytest.mark.parametrize("width", [200, 80, 60, 40, 20])
def test_no_command_shows_values_of_a_programming_language(place, width):
    """Nor one thing in the plural, nor columns too narrow for a word, in any width."""
    odd = []
    for words, text in shown(place, width):
        odd += [(words, found[0]) for found in _CODE.finditer(text)]
        odd += [(words, found[0]) for found in _ONE.finditer(text)]
        odd += [(words, line) for line in text.splitlines() if is_squeezed(line)]

    assert [] == odd


def is_squeezed(line: str) -> bool:
    """Whether the line that closes a table's head has a column of fewer than four characters."""
    return "━" in line and any(len(part.strip()) < 3 for part in line.split("╇"))


@pytest.mark.clause("007-T2")
def test_a_flag_of_a_result_is_told_by_its_name(place):
    """`below threshold` stands where it is so, and nowhere else."""
    ran = assay(place, "run", "intake", "mails/own-burst-pipe.eml", *STORE, COLUMNS="200")

    assert "below threshold" in ran.out
    assert "confirmed found" in ran.out
    assert "not below" not in ran.out


@pytest.mark.clause("007-T2")
def test_why_an_input_is_unreadable_stands_wherever_it_is_shown(place):
    """Under the outcome, in the list of cases and in the case."""
    why = "The input could not be read: not UTF-8 text."
    ran = assay(place, "run", "pack", "in/b.txt", *STORE, "--model", "scripted:good.jsonl")
    (case,) = [
        row["id"]
        for row in assay(place, "review", "list", *STORE, "--json").document["reviews"]
        if row["reason"] == "input.unreadable"
        and row["call"] is None
        and row["input"].endswith(".txt")
    ]

    assert why in " ".join(ran.out.split())
    assert why in " ".join(assay(place, "review", "show", case[:8], *STORE).out.split())
    listed = assay(place, "review", "list", *STORE, COLUMNS="250").out
    assert why in " ".join(listed.split())


@pytest.mark.clause("007-T2")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("no", False),
        ("–", None),
        ("–", []),
        ("–", {}),
        ("1, 2", [1, 2]),
        ("a 1, b (c yes, d –)", {"a": 1, "b": {"c": True, "d": None}}),
        ("(a 1), (a 2)", [{"a": 1}, {"a": 2}]),
        ("00ff", b"\x00\xff"),
        ("it's", "it's"),
    ],
)
def test_a_value_is_told_in_words(text, value):
    """Whatever its shape."""
    assert text == value_text(value)


@pytest.mark.clause("007-T2")
def test_one_thing_is_told_in_the_singular():
    """And none in the plural."""
    assert ["0 inputs", "1 input", "2 inputs"] == [count_of(n, "input") for n in range(3)]


@pytest.mark.clause("007-T6")
def test_a_table_leaves_out_what_is_spare_and_says_so(capsys, monkeypatch):
    """The first of the spare columns first; in a narrow terminal all stand in lines."""
    rows = [{"id": "0123abcd", "what": "w" * 22, "spare_one": "x" * 22, "spare_two": "y" * 22}]
    table = rows_table("t", rows, [*rows[0]], ids=("id",), spare=("spare_two", "spare_one"))

    drawn = {}
    for width in (90, 70, 40):
        monkeypatch.setenv("COLUMNS", str(width))
        terminal().print(table)
        drawn[width] = capsys.readouterr().out
    assert "no room" not in drawn[90]
    assert "no room for: spare two" in drawn[70]
    assert "y" * 22 not in drawn[70]
    assert "spare two  " + "y" * 22 in drawn[40]
    assert all("0123abcd" in text for text in drawn.values())
