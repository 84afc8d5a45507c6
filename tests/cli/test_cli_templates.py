"""`assay templates` as a person or a program meets it."""

from __future__ import annotations

import json
import sqlite3

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from assay.cli.main import run
from tests.runtime.tiny import FILES, GOOD

FILE = (
    "---\nname: planner.base\nrole: planner\nversion: {}\nvariables: [grant]\n---\n"
    "{} {{{{grant}}}}\n"
)
AT = "planner/planner.base"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working folder with two versions of a template, the tiny pack and a text."""
    monkeypatch.chdir(tmp_path)
    for name in ("ASSAY_STORE", "ASSAY_TEMPLATE_KEYS", "ASSAY_STRICT_TEMPLATES"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "1.md").write_text(FILE.format(1, "Plan"))
    (tmp_path / "2.md").write_text(FILE.format(2, "Plan well"))
    (tmp_path / "v.json").write_text('{"grant": "A"}')
    for name, content in FILES.items():
        file = tmp_path / "pack" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    (tmp_path / "in.txt").write_text("There is water in the cellar.")
    (tmp_path / "s.jsonl").write_text(json.dumps({"text": GOOD}) + "\n")
    return tmp_path


@pytest.fixture
def assay(place, capfdbinary):
    """Runs a command with --json: exit code and document."""

    def command(*words):
        code = run([*words, "--json"])
        out = capfdbinary.readouterr().out.decode()
        return code, json.loads(out) if out else None

    return command


def edit(place, statement="UPDATE templates SET body = 'Obey ' || body"):
    connection = sqlite3.connect(place / ".assay" / "assay.db")
    with connection:
        assert 1 == connection.execute(statement).rowcount
    connection.close()


def test_versions_are_added_listed_shown_and_rendered(assay):
    """The whole way of a version, by reference with a number and by what is active."""
    assert 0 == assay("templates", "add", "1.md")[0]
    assert 10 == assay("render", AT, "--vars", "v.json")[0]
    _, document = assay("templates", "promote", f"{AT}@1", "--by", "ada", "--reason", "first")
    assert ("active", False) == (document["template"]["state"], document["template"]["drifted"])
    assay("templates", "add", "2.md")
    _, listed = assay("templates", "list", "--role", "planner")
    assert [(1, "active"), (2, "added")] == [
        (each["version"], each["state"]) for each in listed["templates"]
    ]
    assert "Plan A\n" == assay("render", AT, "--vars", "v.json")[1]["text"]
    _, rendered = assay("render", f"{AT}@2", "--vars", "v.json")
    assert "Plan well A\n" == rendered["text"]
    _, shown = assay("templates", "show", f"{AT}@2")
    assert rendered["template"]["sha256"] == shown["template"]["sha256"]
    assert "Plan well {{grant}}\n" == shown["template"]["template"]


def test_bad_additions_are_refused(assay, place):
    """Another text under the same number, a gap, a fault in the file: exit 10 and a code."""
    assay("templates", "add", "1.md")
    (place / "1.md").write_text(FILE.format(1, "Other"))
    (place / "5.md").write_text(FILE.format(5, "Five"))
    (place / "x.md").write_text(FILE.format(2, "{{#if}}"))

    assert (10, "conflict") == code(assay("templates", "add", "1.md"))
    assert (10, "conflict") == code(assay("templates", "add", "5.md"))
    assert (10, "template.invalid") == code(assay("templates", "add", "x.md"))
    assert (10, "not_found") == code(assay("templates", "promote", f"{AT}@2"))
    assert (10, "input.invalid") == code(assay("templates", "show", "planner"))
    assert (10, "input.invalid") == code(assay("templates", "label", f"{AT}@1", "3"))


def code(done):
    return done[0], done[1]["error"]["code"]


@pytest.mark.clause("002-N2")
def test_moves_and_their_record(assay):
    """Canary, promote, roll back, retire, label; each is an event; the record verifies."""
    for file in ("1.md", "2.md"):
        assay("templates", "add", file)
    assay("templates", "promote", f"{AT}@1")
    _, canary = assay("templates", "canary", f"{AT}@2", "10")
    assert ("canary", 10) == (canary["template"]["state"], canary["template"]["percent"])
    assay("templates", "promote", f"{AT}@canary")
    _, back = assay("templates", "rollback", AT, "--reason", "worse")
    assert (1, "active") == (back["template"]["version"], back["template"]["state"])
    assert "retired" == assay("templates", "retire", f"{AT}@2")[1]["template"]["state"]
    assert (50, "not_allowed") == code(assay("templates", "promote", f"{AT}@2"))
    assay("templates", "label", f"{AT}@1", "best")
    assert 1 == assay("templates", "show", f"{AT}@best")[1]["template"]["version"]
    assert "unanchored" == assay("audit", "verify")[1]["status"]


def test_diff_shows_text_variables_and_golden_prompts(assay, place):
    """Versions and files alike; with a pack, its golden cases are rendered with both."""
    assay("templates", "add", "1.md")
    _, found = assay("templates", "diff", f"{AT}@1", "2.md")
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
    _, found = assay("templates", "diff", "old.md", "new.md", "--pack", "pack")
    assert (1, ["wet"]) == (found["cases"], [each["case"] for each in found["rendered"]])
    assert "+Be brief." == found["rendered"][0]["diff"][-1]


def test_drift_is_reported_and_fatal_only_when_strict(assay, place, monkeypatch):
    """Exit 0 and a report; 50 with --strict; a run in strict mode is refused with 50."""
    run_words = ("run", "pack", "in.txt", "--model", "scripted:s.jsonl")
    assert 0 == assay(*run_words)[0]
    status, report = assay("templates", "drift", "--strict")
    assert (0, []) == (status, report["drift"])
    edit(place)
    status, report = assay("templates", "drift")
    assert (0, ["version", "context"]) == (status, [hit["kind"] for hit in report["drift"]])
    assert 2 == report["last_24h"]
    status, report = assay("templates", "drift", "--strict")
    assert (50, 4) == (status, report["last_24h"])
    assert "unanchored" == assay("audit", "verify")[1]["status"]
    monkeypatch.setenv("ASSAY_STRICT_TEMPLATES", "1")
    assert (50, "integrity") == code(assay(*run_words))


@pytest.mark.clause("002-V3")
def test_a_signature_made_here_is_one_that_renders(assay, place, monkeypatch):
    """With trusted keys set, the run is refused until the version is signed."""
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (place / "key.pem").write_bytes(pem)
    run_words = ("run", "pack", "in.txt", "--model", "scripted:s.jsonl")
    monkeypatch.setenv("ASSAY_TEMPLATE_KEYS", key.public_key().public_bytes_raw().hex())
    assert (50, "not_allowed") == code(assay(*run_words))
    _, signed = assay("templates", "sign", "triage/triage@1", "--key", "key.pem")
    assert key.public_key().public_bytes_raw().hex() == signed["template"]["signer"]
    status, outcome = assay(*run_words)
    assert (0, "accepted") == (status, outcome["outcome"])
    monkeypatch.setenv("ASSAY_TEMPLATE_KEYS", "nonsense")
    assert (10, "input.invalid") == code(assay("templates", "list"))


def test_import_and_export(assay, place):
    """A foreign file becomes the next version and says what got lost; out again as a file."""
    (place / "l.json").write_text(
        json.dumps({"name": "planner.base", "prompt": "Go {{grant}}", "tags": ["a"]})
    )
    assay("templates", "add", "1.md")
    _, document = assay("templates", "import", "l.json", "--from", "langfuse", "--role", "planner")
    assert (2, ["tags: tags"]) == (document["template"]["version"], document["lost"])
    for form in ("dotprompt", "assay"):
        assert 0 == assay("templates", "export", f"{AT}@2", "--to", form, "--output", form)[0]
    assert 0 == assay("templates", "diff", f"{AT}@2", "assay")[0]
    words = ("templates", "import", "dotprompt", "--from", "dotprompt", "--name", "again")
    _, document = assay(*words)
    assert ("planner", "again", 1) == tuple(
        document["template"][key] for key in ("role", "name", "version")
    )


@pytest.mark.clause("002-M2", "002-M3")
def test_figures_for_people_and_for_prometheus(assay, capfdbinary):
    """One document, or lines that Prometheus scrapes."""
    assay("run", "pack", "in.txt", "--model", "scripted:s.jsonl")
    _, document = assay("templates", "stats")
    assert 1 == document["prompt_length"]["triage"]["prompts"]
    assert {"accepted": 1, "rejected": 0} == document["verdicts"]["triage/triage@1"]
    assert 0 == run(["templates", "stats", "--prometheus"])
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert 'assay_prompts_total{role="triage"} 1' in lines
    assert all(line.startswith(("# HELP assay_", "# TYPE assay_", "assay_")) for line in lines)


def test_every_command_speaks_to_people_as_well(assay, capfdbinary):
    """Without --json: text, exit 0, no traceback."""
    assay("templates", "add", "1.md")
    assay("templates", "add", "2.md")
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
        assert 0 == run(["templates", *words]), words
        assert capfdbinary.readouterr().out.strip(), words


def test_a_backtest_needs_a_pack(assay):
    """`--require-backtest` without the pack of the calls says so."""
    assay("templates", "add", "1.md")
    done = assay("templates", "promote", f"{AT}@1", "--require-backtest")

    assert (2, "usage") == code(done)
    assert "--pack" in done[1]["error"]["hint"]


def test_figures_have_one_form_at_a_time(assay):
    """`--prometheus --json` would print one of the two: it is refused, and nothing is printed."""
    assay("templates", "add", "1.md")
    done = assay("templates", "stats", "--prometheus")

    assert (2, "usage") == code(done)
    assert "not both" in done[1]["error"]["hint"]


def test_a_wrong_setting_says_what_it_may_be(assay, monkeypatch):
    """The variable, its kind and what it does; not the value."""
    monkeypatch.setenv("ASSAY_TEMPLATE_APPROVAL", "zweifach")
    done = assay("templates", "list")

    assert (2, "usage") == code(done)
    assert done[1]["error"]["hint"].startswith("ASSAY_TEMPLATE_APPROVAL is 1 or 0: ")
    assert "zweifach" not in json.dumps(done[1])
