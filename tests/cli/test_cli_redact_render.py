"""`assay redact` and `assay render` as a person or a program meets them."""

from __future__ import annotations

import pytest

from tests.command import assay

VERSION = "---\nname: note.base\nrole: writer\nversion: 2\nvariables: [who]\n---\nTo {{who}}.\n"


def test_redact_prints_the_pinned_document(tmp_path):
    """Text, map, counts, truncated; standard input is the default."""
    done = assay(tmp_path, "redact", "--json", stdin=b"Write to jane@example.com\n")

    assert 0 == done.code
    assert {
        "text": "Write to [EMAIL_8c87b489ce]\n",
        "map": {"[EMAIL_8c87b489ce]": "EMAIL"},
        "counts": {"EMAIL": 1},
        "truncated": False,
    } == done.document


def test_redact_for_people_prints_the_text_to_the_byte(tmp_path):
    """Line ends and markup stay as they are."""
    (tmp_path / "t.txt").write_bytes(b"[bold]\r\njane@example.com\tx")
    done = assay(tmp_path, "redact", "t.txt")

    assert b"[bold]\r\n[EMAIL_8c87b489ce]\tx" == done.raw


def test_redact_takes_the_key_and_the_regions(tmp_path):
    """The key from the environment, regions as options, in either case."""
    plain = assay(tmp_path, "redact", stdin=b"44051401458")
    keyed = assay(
        tmp_path, "redact", "--region", "pl", stdin=b"44051401458", ASSAY_REDACTION_KEY="k"
    )

    assert plain.out.startswith("[NUMBER_")
    assert keyed.out.startswith("[ID_CODE_")
    assert plain.out[-11:] != keyed.out[-11:]


@pytest.mark.parametrize(
    ("words", "given", "code", "exit_code"),
    [
        (["redact"], b"\xff", "input.invalid", 10),
        (["redact", "absent.txt"], b"", "input.invalid", 10),
        (["redact", "--region", "XX"], b"", "usage", 2),
        (["render", "absent.md"], b"", "input.invalid", 10),
        (["render", "writer/note.base@2"], b"", "not_found", 10),
        (["render", "-"], b"{{#a}}", "template.invalid", 10),
        (["render", "-"], b"{{a}}", "prompt.variables", 10),
        (["render", "-", "--vars", "list.json"], b"{{a}}", "input.invalid", 10),
    ],
)
def test_bad_input_gets_a_code_and_one_line(tmp_path, words, given, code, exit_code):
    """On both channels, without a traceback."""
    (tmp_path / "list.json").write_text("[1]")
    done = assay(tmp_path, *words, "--json", stdin=given)

    assert exit_code == done.code
    assert code == done.document["error"]["code"]
    assert 1 == len(done.err.splitlines())


@pytest.mark.clause("002-R6")
def test_render_prints_the_pinned_document(tmp_path):
    """Text, digest, redacted view, and which version it was."""
    (tmp_path / "t.md").write_text(VERSION)
    (tmp_path / "v.json").write_text('{"who": "jane@example.com"}')
    shown = assay(tmp_path, "render", "t.md", "--vars", "v.json", "--json").document

    assert "To jane@example.com.\n" == shown["text"]
    assert "To [EMAIL_8c87b489ce].\n" == shown["redacted"]
    assert {"[EMAIL_8c87b489ce]": "EMAIL"} == shown["redaction_map"]
    assert ("note.base", "writer", 2) == tuple(
        shown["template"][k] for k in ("name", "role", "version")
    )
    assert ["who"] == shown["variables"]
    assert shown["sha256"].startswith("sha256:")
    assert shown["truncated"] is False


def test_render_takes_a_body_alone(tmp_path):
    """Its template is null; without --vars nothing is put in."""
    (tmp_path / "t.txt").write_bytes(b"plain\r\n")
    shown = assay(tmp_path, "render", "t.txt", "--json").document

    assert ("plain\r\n", None, []) == (shown["text"], shown["template"], shown["variables"])


def test_an_error_never_holds_a_value(tmp_path):
    """The names of the variables, not what was in them."""
    (tmp_path / "t.txt").write_text("{{a}}")
    (tmp_path / "v.json").write_text('{"a": ["jane@example.com"], "b": "jane@example.com"}')
    done = assay(tmp_path, "render", "t.txt", "--vars", "v.json", "--json")

    assert "'b' is not declared" in done.err
    assert "'a' is no string but list" in done.err
    assert "jane" not in done.out + done.err
