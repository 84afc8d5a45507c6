"""The public rendering cases under our rules."""

from __future__ import annotations

import json

import pytest

from assay.errors import PromptTemplateError, TemplateError
from assay.templates.template import parse_body, render
from tests.command import assay


@pytest.fixture(scope="module")
def rendering(cases) -> list[dict]:
    with (cases / "templates" / "render_cases.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def outcome(row: dict) -> str | list[str]:
    """The text, or the kinds of the error, each only if it names all that it must."""
    try:
        template = parse_body(row["template"].encode())
    except TemplateError:
        return ["refused_syntax"]
    variables = row["variables"]
    try:
        return render(template, variables).text
    except PromptTemplateError as caught:
        error = caught
    missing = sorted(set(template.variables) - variables.keys())
    extra = sorted(variables.keys() - set(template.variables))
    kinds = []
    if missing and all(f"{name!r} is missing" in str(error) for name in missing):
        kinds.append("missing_variable")
    if extra and all(f"{name!r} is not declared" in str(error) for name in extra):
        kinds.append("extra_variable")
    if error.wrong_type and all(
        f"{n!r} is no string but {k}" in str(error) for n, k in error.wrong_type
    ):
        kinds.append("not_a_string")
    return kinds


@pytest.mark.clause("002-T3", "002-R2", "002-R3", "002-R4")
def test_every_case_gives_its_text_or_its_kind_of_error(rendering):
    """105 templates of Mustache, Dotprompt and our own, byte for byte."""
    for row in rendering:
        if "expected" in row:
            assert row["expected"] == outcome(row), row["id"]
        else:
            assert row["expected_error"] in outcome(row), row["id"]


def test_the_command_says_the_same(rendering, tmp_path):
    """`assay render TEMPLATE --vars FILE --json` on every case that renders."""
    for row in rendering:
        if "expected" not in row:
            continue
        (tmp_path / "t.md").write_bytes(row["template"].encode())
        (tmp_path / "v.json").write_text(json.dumps(row["variables"]))
        done = assay(tmp_path, "render", "t.md", "--vars", "v.json", "--json")

        assert row["expected"] == done.document["text"], row["id"]
