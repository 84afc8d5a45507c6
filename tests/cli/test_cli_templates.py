"""`assay templates` as a person or a program meets it."""

from __future__ import annotations

import json
import sqlite3

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.command import assay
from tests.runtime.tiny import FILES, GOOD, script, write_pack

FILE = (
    "---\nname: planner.base\nrole: planner\nversion: {}\nvariables: [grant]\n---\n"
    "{} {{{{grant}}}}\n"
)
AT = "planner/planner.base"


@pytest.fixture
def place(tmp_path):
    """A working folder with two versions of a template, the tiny pack and a text."""
    (tmp_path / "1.md").write_text(FILE.format(1, "Plan"))
    (tmp_path / "2.md").write_text(FILE.format(2, "Plan well"))
    (tmp_path / "v.json").write_text('{"grant": "A"}')
    write_pack(tmp_path / "pack")
    (tmp_path / "in.txt").write_text("There is water in the cellar.")
    script(tmp_path, GOOD, name="s.jsonl")
    return tmp_path


@pytest.fixture
def command(place):
    """Runs a command with --json: exit code and document."""

    def run(*words, **environ):
        done = assay(place, *words, "--json", **environ)
        return done.code, done.document

    return run


def edit(place, statement="UPDATE templates SET body = 'Obey ' || body"):
    connection = sqlite3.connect(place / ".assay" / "assay.db")
    with connection:
        assert 1 == connection.execute(statement).rowcount
    connection.close()


def test_versions_are_added_listed_shown_and_rendered(command):
    """The whole way of a version, by reference with a number and by what is active."""
    assert 0 == command("templates", "add", "1.md")[0]
    assert 10 == command("render", AT, "--vars", "v.json")[0]
    _, document = command("templates", "promote", f"{AT}@1", "--by", "ada", "--reason", "first")
    assert ("active", False) == (document["template"]["state"], document["template"]["drifted"])
    command("templates", "add", "2.md")
    _, listed = command("templates", "list", "--role", "planner")
    assert [(1, "active"), (2, "added")] == [
        (each["version"], each["state"]) for each in listed["templates"]
    ]
    assert "Plan A\n" == command("render", AT, "--vars", "v.json")[1]["text"]
    _, rendered = command("render", f"{AT}@2", "--vars", "v.json")
    assert "Plan well A\n" == rendered["text"]
    _, shown = command("templates", "show", f"{AT}@2")
    assert rendered["template"]["sha256"] == shown["template"]["sha256"]
    assert "Plan well {{grant}}\n" == shown["template"]["template"]


def test_bad_additions_are_refused(command, place):
    """Another text under the same number, a gap, a fault in the file: exit 10 and a code."""
    command("templates", "add", "1.md")
    (place / "1.md").write_text(FILE.format(1, "Other"))
    (place / "5.md").write_text(FILE.format(5, "Five"))
    (place / "x.md").write_text(FILE.format(2, "{{#if}}"))

    assert (10, "conflict") == code(command("templates", "add", "1.md"))
    assert (10, "conflict") == code(command("templates", "add", "5.md"))
    assert (10, "template.invalid") == code(command("templates", "add", "x.md"))
    assert (10, "not_found") == code(command("templates", "promote", f"{AT}@2"))
    assert (10, "input.invalid") == code(command("templates", "show", "planner"))
    assert (10, "input.invalid") == code(command("templates", "label", f"{AT}@1", "3"))


def code(done):
    return done[0], done[1]["error"]["code"]


@pytest.mark.clause("002-N2")
def test_moves_and_their_record(command):
    """Canary, promote, roll back, retire, label; each is an event; the record verifies."""
    for file in ("1.md", "2.md"):
        command("templates", "add", file)
    command("templates", "promote", f"{AT}@1")
    _, canary = command("templates", "canary", f"{AT}@2", "10")
    assert ("canary", 10) == (canary["template"]["state"], canary["template"]["percent"])
    command("templates", "promote", f"{AT}@canary")
    _, back = command("templates", "rollback", AT, "--reason", "worse")
    assert (1, "active") == (back["template"]["version"], back["template"]["state"])
    assert "retired" == command("templates", "retire", f"{AT}@2")[1]["template"]["state"]
    assert (50, "not_allowed") == code(command("templates", "promote", f"{AT}@2"))
    command("templates", "label", f"{AT}@1", "best")
    assert 1 == command("templates", "show", f"{AT}@best")[1]["template"]["version"]
    assert "unanchored" == command("audit", "verify")[1]["status"]


def test_diff_shows_text_variables_and_golden_prompts(command, place):
    """Versions and files alike; with a pack, its golden cases are rendered with both."""
    command("templates", "add", "1.md")
    _, found = command("templates", "diff", f"{AT}@1", "2.md")
    assert ["-Plan {{grant}}", "+Plan well {{grant}}"] == found["text"][3:]
    case = {
        "name": "wet",
        "contract": "triage",
        "sources": {"text": "water in the cellar"},
        "replies": [GOOD],
        "expect": {"outcome": "accepted"},
    }
    (place / "pack" / "golden").mkdir()
    (place / "pack" / "golden" / "a.jsonl").write_text(json.dumps(case) + "\n")
    old = FILES["templates/triage.md"]
    (place / "old.md").write_bytes(old)
    (place / "new.md").write_bytes(old.replace(b"version: 1", b"version: 2") + b"Be brief.\n")
    _, found = command("templates", "diff", "old.md", "new.md", "--pack", "pack")
    assert (1, ["wet"]) == (found["cases"], [each["case"] for each in found["rendered"]])
    assert "+Be brief." == found["rendered"][0]["diff"][-1]


def test_drift_is_reported_and_fatal_only_when_strict(command, place):
    """Exit 0 and a report; 50 with --strict; a run in strict mode is refused with 50."""
    run_words = ("run", "pack", "in.txt", "--model", "scripted:s.jsonl")
    assert 0 == command(*run_words)[0]
    status, report = command("templates", "drift", "--strict")
    assert (0, []) == (status, report["drift"])
    edit(place)
    status, report = command("templates", "drift")
    assert (0, ["version", "context"]) == (status, [hit["kind"] for hit in report["drift"]])
    assert 2 == report["last_24h"]
    status, report = command("templates", "drift", "--strict")
    assert (50, 4) == (status, report["last_24h"])
    status, verified = command("audit", "verify")
    assert (50, "broken") == (status, verified["status"])
    assert "templates/triage/triage@1" in verified["first_bad"]["why"]
    strict = {"ASSAY_STRICT_TEMPLATES": "1"}
    assert (50, "integrity") == code(command(*run_words, **strict))


@pytest.mark.clause("002-V3")
def test_a_signature_made_here_is_one_that_renders(command, place):
    """With trusted keys set, the run is refused until the version is signed."""
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (place / "key.pem").write_bytes(pem)
    run_words = ("run", "pack", "in.txt", "--model", "scripted:s.jsonl")
    public = key.public_key().public_bytes_raw().hex()
    trusted = {"ASSAY_TEMPLATE_KEYS": public}
    assert (50, "not_allowed") == code(command(*run_words, **trusted))
    _, signed = command("templates", "sign", "triage/triage@1", "--key", "key.pem", **trusted)
    assert public == signed["template"]["signer"]
    status, outcome = command(*run_words, **trusted)
    assert (0, "accepted") == (status, outcome["outcome"])
    assert (10, "input.invalid") == code(
        command("templates", "list", ASSAY_TEMPLATE_KEYS="nonsense")
    )


def test_import_and_export(command, place):
    """A foreign file becomes the next version and says what got lost; out again as a file."""
    (place / "l.json").write_text(
        json.dumps({"name": "planner.base", "prompt": "Go {{grant}}", "tags": ["a"]})
    )
    command("templates", "add", "1.md")
    _, document = command(
        "templates", "import", "l.json", "--from", "langfuse", "--role", "planner"
    )
    assert (2, ["tags: tags"]) == (document["template"]["version"], document["lost"])
    for form in ("dotprompt", "assay"):
        assert 0 == command("templates", "export", f"{AT}@2", "--to", form, "--output", form)[0]
    assert 0 == command("templates", "diff", f"{AT}@2", "assay")[0]
    words = ("templates", "import", "dotprompt", "--from", "dotprompt", "--name", "again")
    _, document = command(*words)
    assert ("planner", "again", 1) == tuple(
        document["template"][key] for key in ("role", "name", "version")
    )


@pytest.mark.clause("002-M2", "002-M3")
def test_figures_for_people_and_for_prometheus(command, place):
    """One document, or lines that Prometheus scrapes."""
    command("run", "pack", "in.txt", "--model", "scripted:s.jsonl")
    _, document = command("templates", "stats")
    assert 1 == document["prompt_length"]["triage"]["prompts"]
    assert {"accepted": 1, "rejected": 0} == document["verdicts"]["triage/triage@1"]
    done = assay(place, "templates", "stats", "--prometheus")
    assert 0 == done.code
    lines = done.out.splitlines()
    assert 'assay_prompts_total{role="triage"} 1' in lines
    assert all(line.startswith(("# HELP assay_", "# TYPE assay_", "assay_")) for line in lines)


def test_every_command_speaks_to_people_as_well(command, place):
    """Without --json: text, exit 0, no traceback."""
    command("templates", "add", "1.md")
    command("templates", "add", "2.md")
    for words in (
        ("list",),
        ("show", f"{AT}@1"),
        ("diff", f"{AT}@1", f"{AT}@2"),
        ("promote", f"{AT}@1"),
        ("canary", f"{AT}@2", "5"),
        ("drift",),
        ("stats",),
        ("export", f"{AT}@1"),
        ("retire", f"{AT}@2"),
    ):
        done = assay(place, "templates", *words)
        assert (0, True) == (done.code, bool(done.out.strip())), words


def test_a_backtest_needs_a_pack(command):
    """`--require-backtest` without the pack of the calls says so."""
    command("templates", "add", "1.md")
    done = command("templates", "promote", f"{AT}@1", "--require-backtest")

    assert (2, "usage") == code(done)
    assert "--pack" in done[1]["error"]["hint"]


def test_figures_have_one_form_at_a_time(command):
    """`--prometheus --json` would print one of the two: it is refused, and nothing is printed."""
    command("templates", "add", "1.md")
    done = command("templates", "stats", "--prometheus")

    assert (2, "usage") == code(done)
    assert "not both" in done[1]["error"]["hint"]


def test_a_wrong_setting_says_what_it_may_be(command):
    """The variable, its kind and what it does; not the value."""
    done = command("templates", "list", ASSAY_TEMPLATE_APPROVAL="zweifach")

    assert (2, "usage") == code(done)
    assert done[1]["error"]["hint"].startswith("ASSAY_TEMPLATE_APPROVAL is 1 or 0: ")
    assert "zweifach" not in json.dumps(done[1])
