"""What a person's terminal gets of text that wants to command it: the text, and no command."""

from __future__ import annotations

import io
import json
import logging
import pydoc
import re
from contextlib import redirect_stdout

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

import assay as library
from assay.adapters.stores.database import Database
from assay.cli.output import rows_table, to_json
from assay.cli.run import show_evidence
from assay.cli.terminal import PlainFormatter, one_line, plain_text, terminal, write_exactly
from assay.contract.outcome import Outcome
from assay.errors import InputError
from assay.runtime.calls.run import ItemOutcome
from assay.wiring.settings import Settings
from tests.command import Ran, assay
from tests.packs.talk import SESSION, script, small_talk
from tests.processes import run_python
from tests.runtime.tiny import GOOD, UNKNOWN_LABEL, write_pack
from tests.runtime.tiny import script as replies

HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07\x1b]8;;http://evil.example\x1b\\link\x1b]52;c;cm0=\x07"
    "\r\x08\x00\x0b\x0c\x7f\x85\x9b31m\x9d\u202eemit\u2066\u200f\u2028[red]b[/red][link=http://x]y"
)
"""Clears the screen, sets its title, makes a link, writes the clipboard, turns the direction."""

ESCAPED = HOSTILE.replace("\x00", "")
"""What may stand in a file's name, in a mail and in the words of a command."""

NAME = ESCAPED.replace("/", "_")
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def harmless(done: Ran) -> bool:
    """Whether neither channel holds anything but text, tabs and line feeds."""
    return not _FORBIDDEN.search(done.out) and not _FORBIDDEN.search(done.err)


def harmless_and_shown(done: Ran, *texts: str) -> None:
    assert harmless(done), (done.out, done.err)
    for text in texts:
        assert text in done.out + done.err


@pytest.mark.clause("005-P17")
def test_a_reply_of_a_conversation_commands_no_terminal(tmp_path):
    """The reply, what was typed, the cached state and the session's list, each as text."""
    model = ("--model", script(tmp_path, small_talk(f"hello {HOSTILE}")))
    store = ("--store", "sqlite:///a.db")
    words = ("chat", "services", "--session", SESSION, "--message", f"hi {ESCAPED}")
    turn = assay(tmp_path, *words, *store, *model)

    harmless_and_shown(turn, "hello", "·[2J·]0;owned··]8;;")
    harmless_and_shown(assay(tmp_path, "sessions", "list", *store), SESSION[:8])
    harmless_and_shown(assay(tmp_path, "sessions", "show", SESSION, *store), "·[2J")
    harmless_and_shown(assay(tmp_path, "audit", "log", *store))
    shown = assay(tmp_path, "sessions", "show", SESSION, *store, "--json")
    assert f"hello {HOSTILE}" == shown.document["turn"]["reply"]
    assert harmless(shown)


@pytest.fixture
def place(tmp_path):
    """A folder with the tiny pack and one input whose name and text are hostile."""
    write_pack(tmp_path / "pack")
    (tmp_path / "in").mkdir()
    text = f"There is water in the cellar. {ESCAPED}"
    (tmp_path / "in" / f"{NAME[:80]}.txt").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.clause("005-P17")
def test_a_run_and_what_can_be_looked_at_of_it_command_no_terminal(place):
    """Outcomes, reviews, calls with prompts and raw replies, files passed over."""
    (place / "in" / f"{NAME[:60]}.zip").write_bytes(b"PK")
    bad = UNKNOWN_LABEL
    replies(place, *[bad.replace("}", "}" + HOSTILE)] * 3, name="s.jsonl")
    ran = assay(place, "run", "pack", "in", "--model", "scripted:s.jsonl")
    store = json.loads(assay(place, "review", "list", "--json").out)
    [review] = store["reviews"]

    harmless_and_shown(ran, "needs_review")
    harmless_and_shown(assay(place, "review", "list"), review["id"][:6])
    harmless_and_shown(assay(place, "review", "show", review["id"]), "·[2J")
    harmless_and_shown(assay(place, "calls", "list"))
    harmless_and_shown(assay(place, "calls", "show", review["call"], "--prompt", "--raw"), "·[2J")
    harmless_and_shown(assay(place, "calls", "show", review["call"], "--raw", "--json"), "\\u001b")
    harmless_and_shown(assay(place, "replay", review["call"]))
    decided = assay(
        place, "review", "decide", review["id"], "--reject", "--reason", ESCAPED, "--reviewer", NAME
    )
    harmless_and_shown(decided, "·[2J")


@pytest.mark.clause("005-P17")
def test_evidence_of_an_accepted_output_commands_no_terminal(place):
    """The source is shown with its quotes marked."""
    replies(place, GOOD, name="s.jsonl")

    ran = assay(place, "run", "pack", "in", "--model", "scripted:s.jsonl", "--evidence")

    harmless_and_shown(ran, "accepted", "·[2J")


@pytest.mark.clause("005-P17")
def test_an_answer_from_documents_commands_no_terminal(tmp_path):
    """The quoted passage and the name of its file."""
    (tmp_path / "docs").mkdir()
    body = f"Late returns cost {ESCAPED} two euros a day for each borrowed book."
    (tmp_path / "docs" / f"{NAME[:60]}.md").write_text(body, encoding="utf-8")
    asked = assay(tmp_path, "ask", f"What do late returns cost? {ESCAPED}", "--docs", "docs")

    assert 0 == asked.code
    harmless_and_shown(asked, "call ")


@pytest.mark.clause("005-P17")
def test_a_judged_output_commands_no_terminal(place):
    """Findings quote keys and values of the output."""
    output = json.dumps({f"a{HOSTILE}": HOSTILE, "label": HOSTILE})
    done = assay(place, "gate", "pack/triage", stdin=output.encode())

    harmless_and_shown(done, "rejected", "label.unknown")


@pytest.mark.clause("005-P17")
def test_templates_command_no_terminal(tmp_path):
    """Added, listed, shown, compared, looked for drift."""
    for number, text in enumerate(("one", "two"), 1):
        front = f"---\nname: note.base\nrole: writer\nversion: {number}\nvariables: [who]\n---\n"
        (tmp_path / f"{number}.md").write_text(f"{front}To {{{{who}}}} {text} {ESCAPED}\n", "utf-8")
        added = assay(tmp_path, "templates", "add", f"{number}.md")
        harmless_and_shown(added)
        assert 0 == added.code
    versions = [f"writer/note.base@{number}" for number in (1, 2)]

    harmless_and_shown(assay(tmp_path, "templates", "list"), "note.base")
    harmless_and_shown(assay(tmp_path, "templates", "show", versions[0]), "·[2J")
    harmless_and_shown(assay(tmp_path, "templates", "diff", *versions), "two")
    harmless_and_shown(assay(tmp_path, "templates", "drift"))
    harmless_and_shown(assay(tmp_path, "templates", "stats"))


@pytest.mark.clause("005-P17")
@pytest.mark.parametrize(
    "words",
    [
        ("run", NAME, "in"),
        ("redact", NAME),
        ("gate", NAME),
        (NAME,),
        ("run", "--" + NAME),
        ("calls", "list", "--store", f"sqlite:///{NAME}"),
        ("calls", "show", NAME),
        ("templates", "show", NAME),
        ("pack", "verify", NAME),
        ("redact", NAME, "--debug"),
        ("render", NAME, "--vars", NAME),
    ],
)
def test_an_error_line_quotes_without_commanding(tmp_path, words):
    """Whatever the word was, and with the traceback too."""
    done = assay(tmp_path, *words)

    assert 0 != done.code
    harmless_and_shown(done)


@pytest.mark.clause("005-P17")
@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=60))
def test_no_text_reaches_the_terminal_as_a_command(text):
    """Printed plainly, as a cell, as a title, in a frame: text, and no link or style of its own."""
    out = io.StringIO()
    with redirect_stdout(out):
        console = terminal()
        console.print(text)
        console.print(f"x [bold]{text}")
        console.print(rows_table(text, [{"a": text}], ("a",)))
        console.print(Panel(Text(text), title=text))
        table = Table(title=text)
        table.add_column(text)
        table.add_row(text)
        console.print(table)

    assert not _FORBIDDEN.search(out.getvalue())
    assert not re.search("[\ud800-\udfff]", out.getvalue())
    assert "x [bold]" in out.getvalue()
    assert len(text) == len(plain_text(text))
    assert "\n" not in one_line(text)


def quoted_from(source: str) -> ItemOutcome:
    """An outcome with one quote, from a source of this name."""
    span = {"source": source, "start": 0, "stop": 2}
    return ItemOutcome(
        input="a",
        outcome=Outcome.accepted(),
        calls=(),
        result={"label": {"label": HOSTILE, "evidence": [span]}},
        texts={source: HOSTILE},
    )


@pytest.mark.clause("005-P17")
def test_on_a_terminal_with_colours_only_the_colours_are_commands(monkeypatch):
    """Styles of ours are drawn; foreign text beside them adds none, and no link."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    out = io.StringIO()
    with redirect_stdout(out):
        terminal().print(Text(HOSTILE, style="bold"))
        terminal().print(rows_table(HOSTILE, [{"a": HOSTILE}], ("a",)))
        for name in (HOSTILE, "attachment:[link=http://x]y[/link] [red]z"):
            show_evidence(terminal(), quoted_from(name))
    drawn = out.getvalue()

    assert "\x1b[1m" in drawn
    assert "[link=http://x]y[/link] [red]z" in drawn
    assert not _FORBIDDEN.search(re.sub(r"\x1b\[[0-9;]*m", "", drawn))


@pytest.mark.clause("005-P17")
@given(st.text(max_size=40))
def test_json_of_a_command_is_the_same_document_and_escapes_controls(text):
    """Programs get the text as it is, terminals that show the JSON no command."""
    printed = to_json({text: [text]})

    assert {text: [text]} == json.loads(printed)
    assert not _FORBIDDEN.search(printed.replace("\n", "\x00"))


class _Watched(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.clause("005-P17")
@pytest.mark.parametrize(("kind", "clean"), [(_Watched, True), (io.TextIOWrapper, False)])
def test_a_redacted_text_is_exact_in_a_pipe_and_harmless_on_a_terminal(kind, clean):
    """Who redirects it wants the bytes; who looks at it wants a terminal that still works."""
    raw = io.BytesIO()
    with redirect_stdout(kind(raw, "utf-8")):
        write_exactly(HOSTILE)
        written = raw.getvalue().decode()

    assert clean == (_FORBIDDEN.search(written) is None)
    assert clean or written == HOSTILE


@pytest.mark.clause("005-P17")
def test_a_line_of_the_log_is_text():
    """Libraries log what they read, tracebacks quote it."""
    try:
        raise ValueError(HOSTILE)
    except ValueError as error:
        record = logging.LogRecord("a", 10, "f", 1, HOSTILE, (), (type(error), error, None))

    assert not _FORBIDDEN.search(PlainFormatter().format(record))


# --- secrets -----------------------------------------------------------------------------------


def _exported() -> str:
    shown = [pydoc.render_doc(library), pydoc.render_doc(Settings)]
    for name in library.__all__:
        shown.append(pydoc.render_doc(getattr(library, name)))
    return "".join(shown)


@pytest.mark.clause("005-P17")
def test_help_prints_nothing_of_the_environment(tmp_path):
    """The environment is read when a runtime is opened and is nobody's default value."""
    (tmp_path / "h.py").write_text(
        "import pydoc, assay\n"
        "for name in assay.__all__:\n"
        "    print(pydoc.render_doc(getattr(assay, name)))\n"
    )
    done = run_python(str(tmp_path / "h.py"), environ={"ASSAY_REDACTION_KEY": "s3cret-and-long"})

    assert b"aopen" in done.stdout, done.stderr
    assert b"s3cret-and-long" not in done.stdout
    assert "environ({" not in _exported()


@pytest.mark.clause("005-P17")
def test_settings_show_no_secret():
    """Neither the key nor a password in an address, in `repr` and `str`."""
    given = {
        "ASSAY_REDACTION_KEY": "s3cret",
        "ASSAY_STORE": "postgresql://me:s3cret@host/db",
        "ASSAY_TSA_URL": "https://me:s3cret@tsa.example",
    }
    settings = Settings.from_environment(given)

    assert "s3cret" not in repr(settings) + str(settings)
    assert "s3cret" == settings.redaction_key


@pytest.mark.clause("005-P17")
def test_an_open_runtime_shows_no_secret(tmp_path):
    """Nor do its context, its store and its redactor."""
    given = {"ASSAY_REDACTION_KEY": "s3cret", "ASSAY_MASTER_KEY": "5e" * 32}
    with library.open(f"sqlite:///{tmp_path}/a.db", "none", environ=given) as opened:
        context = opened.runtime.context
        shown = [repr(each) for each in (opened, opened.runtime, context, context.store)]
        shown += [repr(context.redactor), str(vars(context.store).get("url"))]

    assert not [each for each in shown if "s3cret" in each or "5e5e" in each]


@pytest.mark.clause("005-P17")
@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:s3cret@host:port/db",
        "postgresql://me:s3cret@/",
        "://me:s3cret@host/db",
        "mysql://me:s3cret@host/db",
        "postgresql://host:x/db?password=s3cret",
    ],
)
def test_an_address_of_a_store_that_is_refused_is_not_quoted(tmp_path, url):
    """Nor is what a parser says about it, not even in the traceback."""
    with pytest.raises(InputError):
        Database(url)
    done = assay(tmp_path, "doctor", "--store", url, "--debug")
    said = assay(tmp_path, "calls", "list", "--store", url, "--debug")

    assert "s3cret" not in done.out + done.err + said.out + said.err
