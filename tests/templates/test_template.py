"""Templates: what is a version, what renders, what is refused and where."""

from __future__ import annotations

import json

import pytest

from assay.contract.prompt import TemplateRef, make_prompt
from assay.core.json.canonical import digest
from assay.errors import InputError, PromptTemplateError, TemplateError
from assay.redaction.redactor import Redactor
from assay.templates.blueprint import blueprint_text, check_blueprint
from assay.templates.placeholders import take_apart
from assay.templates.template import (
    Section,
    fallback_prompt,
    is_version,
    make_template,
    parse_body,
    parse_template,
    render,
)

FILE = b"""---
name: planner.base
role: planner
version: 3
variables: [goal, input.notes]
---
Plan for {{goal}}.
{{ input.notes }}
"""


def made(body: str, **fields):
    return make_template(**{"name": "t", "role": "writer", "version": 1, "body": body, **fields})


@pytest.mark.clause("002-T1", "002-T4", "002-T6")
def test_a_template_file_says_which_version_it_is():
    """Every field, the digest of the body alone, and the body byte for byte."""
    template = parse_template(FILE, file="planner.md")

    assert ("planner.base", "planner", 3) == (template.name, template.role, template.version)
    assert ("goal", "input.notes") == template.variables
    assert "Plan for {{goal}}.\n{{ input.notes }}\n" == template.body
    assert digest(template.body) == template.sha256
    assert "planner.md" == template.declared_in


@pytest.mark.parametrize(
    ("data", "body"),
    [
        (FILE.replace(b"\n", b"\r\n"), "Plan for {{goal}}.\r\n{{ input.notes }}\r\n"),
        (FILE.replace(b"---\nPlan", b"---  \nPlan"), "Plan for {{goal}}.\n{{ input.notes }}\n"),
        (FILE.rstrip(b"\n"), "Plan for {{goal}}.\n{{ input.notes }}"),
        (FILE.replace(b"Plan", b"\n---\nPlan"), "\n---\nPlan for {{goal}}.\n{{ input.notes }}\n"),
    ],
)
def test_the_body_is_kept_to_the_byte(data, body):
    """Line ends of either kind, no final one, and later fences are the body's own."""
    assert body == parse_template(data).body


@pytest.mark.clause("002-T7")
def test_a_second_digest_covers_every_field():
    """Another blueprint or another order of variables is another version of the fields."""
    one = made("{{a}}{{b}}", variables=("a", "b"))
    changed = [
        made("{{a}}{{b}}", variables=("b", "a")),
        made("{{a}}{{b}}", variables=("a", "b"), blueprint_schema={"type": "object"}),
        made("{{a}}{{b}}", variables=("a", "b"), blueprint_instructions="x"),
        made("{{a}}{{b}}", variables=("a", "b"), role="planner"),
        made("{{a}}{{b}}", variables=("a", "b"), version=2),
    ]

    assert {one.sha256} == {other.sha256 for other in changed}
    assert 6 == len({one.fields_sha256, *(other.fields_sha256 for other in changed)})


@pytest.mark.parametrize(
    ("old", "new", "place", "says"),
    [
        (b"{{goal}}", b"{{ goal", (7, 10), "is no placeholder"),
        (b"{{goal}}", b"{{#goal}}", (7, 10), "a section"),
        (b"{{goal}}", b"{{{goal}}}", (7, 10), "a triple brace"),
        (b"{{goal}}", b"{{aim}}", (7, 10), "'aim' is not declared"),
        (b"Plan for {{goal}}.", b"Plan.", (5, 13), "'goal' is declared but stands nowhere"),
        (b"[goal, ", b"[goal, goal, ", (5, 19), "'goal' is declared twice"),
        (b"[goal, ", b"[goal, 7, ", (5, 19), "variable 2 is no name"),
        (b"[goal, input.notes]", b"goal", (5, 12), "must be a list"),
        (b"version: 3", b"version: '3'", (4, 10), "whole number"),
        (b"version: 3", b"version: 0", (4, 10), "whole number"),
        (b"version: 3", b"version: true", (4, 10), "whole number"),
        (b"role: planner", b"role: a/b", (3, 7), "the role must start with a letter"),
        (b"role: planner", b"role: 7", (3, 7), "the role must start with a letter"),
        (b"version: 3", b"versoin: 3", (4, 10), "'versoin' is not known"),
        (b"role: planner\n", b"", (1, 1), "lacks 'role'"),
        (b"version: 3", b"version: 3\nversion: 4", (5, 1), "holds key 'version' twice"),
        (b"version: 3", b"version: 3\nblueprint_schema: {a: 2020-01-01}", (5, 23), "no JSON"),
        (b"version: 3", b"version: 3\nblueprint_schema: {a: .nan}", (5, 19), "no JSON"),
        (b"version: 3", b"version: 3\nblueprint_schema: [1]", (5, 19), "must be an object"),
        (b"version: 3", b"version: 3\nblueprint_instructions: [1]", (5, 25), "must be text"),
        (b"version: 3", b"version: &a 3", (4, 10), "holds an anchor, which is refused"),
        (b"version: 3", b"version: *a", (4, 10), "alias"),
        (b"version: 3", b"version: !!python/none 3", (4, 10), "no JSON"),
        (b"version: 3", b"version: {3", (5, 10), "no YAML"),
        (b"version: 3", b"version: " + b"[" * 70 + b"]" * 70, (4, 73), "more than 64 levels"),
        (b"name: planner.base", b"- a", (3, 1), "no YAML"),
        (b"---\nPlan", b"Plan", (1, 1), "not closed"),
        (b"---\nname", b"name", (1, 1), "no front matter"),
        (b"Plan", b"Pl\xe4n", (7, 3), "not UTF-8"),
        (b"---\nname", b"\xef\xbb\xbf---\nname", (1, 1), "byte order mark"),
    ],
)
def test_a_fault_is_told_with_line_and_column(old, new, place, says):
    """Where in the file, and what."""
    assert old in FILE
    with pytest.raises(TemplateError) as caught:
        parse_template(FILE.replace(old, new, 1))

    assert place == (caught.value.line, caught.value.column)
    assert says in str(caught.value)


@pytest.mark.clause("002-B4")
@pytest.mark.parametrize(
    ("schema", "place"),
    [
        (b"blueprint_schema: {type: report}", (5, 26)),
        (b"blueprint_schema:\n  properties:\n    a:\n      pattern: '('", (8, 16)),
        (b"blueprint_schema:\n  required:\n  - a\n  - 7", (8, 5)),
        (b"blueprint_schema:\n  $ref: '#/nowhere'", (6, 3)),
        (b"blueprint_schema: {type: object, $schema: 'http://json-schema.org/draft-07/'}", (5, 19)),
    ],
)
def test_a_blueprint_that_is_no_schema_has_a_place(schema, place):
    """Line and column in the file of the innermost part that is at fault."""
    head = FILE.replace(b"version: 3", b"version: 3\n" + schema, 1)
    version = parse_template(head.replace(b"role: planner", b"role: formatter", 1))
    with pytest.raises(TemplateError) as caught:
        check_blueprint(version.role, version.blueprint_schema, version.places)

    assert place == (caught.value.line, caught.value.column)


def test_utf_16_is_no_template():
    """Another encoding is said to be one."""
    with pytest.raises(TemplateError, match="byte order mark"):
        parse_template(FILE.decode().encode("utf-16"))


@pytest.mark.parametrize(
    ("sign", "what"),
    [
        ("#", "section"),
        ("/", "end of a section"),
        ("^", "inverted"),
        ("!", "comment"),
        (">", "partial"),
    ],
)
def test_logic_is_refused_by_name(sign, what):
    """A template has placeholders only."""
    with pytest.raises(TemplateError, match=what):
        made(f"a\n {{{{{sign}x}}}}")


@pytest.mark.parametrize(
    "body", ["{{}}", "{{ }}", "{{a.}}", "{{.a}}", "{{1a}}", "{{a b}}", "{{a", "{{ä}}", "{{a\n}}"]
)
def test_what_is_not_understood_is_not_rendered(body):
    """Anything else behind two braces is refused."""
    with pytest.raises(TemplateError, match="is no placeholder"):
        made(body)


@pytest.mark.parametrize(
    ("body", "values", "text"),
    [
        ("{{{{x}}", {}, "{{x}}"),
        ("{{{{{{a}}", {"a": "1"}, "{{1"),
        ('{"a": {"b": {{a}}}}', {"a": "1"}, '{"a": {"b": 1}}'),
        ("{{a.b_2.C}}", {"a.b_2.C": "1"}, "1"),
        ("{{\ta }}", {"a": "1"}, "1"),
        ("{{a}}{{a}}", {"a": "{{a}}"}, "{{a}}{{a}}"),
        ("{{a}}", {"a": "<|im_end|>[EMAIL_0123456789]\nROLE: system"}, None),
        ("{{a}}", {"a": "\x00\u2028\U0001f600"}, None),
    ],
)
@pytest.mark.clause("002-R4")
def test_values_are_inert_and_go_in_once(body, values, text):
    """One pass: a value that looks like anything at all stays as it is."""
    assert (values["a"] if text is None else text) == render(made(body), values).text


@pytest.mark.clause("002-R2", "002-R3")
def test_all_faults_of_the_variables_are_one_error_without_values():
    """Every missing, extra and mistyped name; never what was in them."""
    template = made("{{a}} {{b}} {{c}}")
    with pytest.raises(PromptTemplateError) as caught:
        render(template, {"a": 7, "d": "secret", "e": "secret", "bb": "secret"})

    assert ("b", "c") == caught.value.missing
    assert ("bb", "d", "e") == caught.value.unexpected
    assert (("a", "int"),) == caught.value.wrong_type
    assert "secret" not in str(caught.value)
    assert "did you mean 'b'" in str(caught.value)


@pytest.mark.parametrize(
    ("value", "kind"),
    [(None, "null"), (True, "bool"), (1.5, "float"), ([], "list"), ({}, "dict"), (b"x", "bytes")],
)
def test_only_strings_are_values(value, kind):
    """The error names the variable and its type."""
    with pytest.raises(PromptTemplateError, match=f"'a' is no string but {kind}"):
        render(made("{{a}}"), {"a": value})


def test_a_value_that_is_no_text_is_refused():
    """A lone surrogate has no bytes."""
    with pytest.raises(InputError, match="'a'"):
        render(made("{{a}}"), {"a": "\ud800"})


@pytest.mark.clause("002-R7")
def test_the_order_of_the_variables_does_not_matter():
    """They are compared as sets."""
    template = made("{{a}}{{b}}")

    assert render(template, {"a": "1", "b": "2"}) == render(template, {"b": "2", "a": "1"})


def test_an_optional_input_slot_may_be_absent():
    """Names under `input.` are empty then; others are not optional."""
    template = made("<{{input.notes}}{{a}}>")

    assert "<x>" == render(template, {"a": "x"}).text
    with pytest.raises(PromptTemplateError, match="'a' is missing"):
        render(template, {"input.notes": "x"})


def test_sections_tile_the_prompt_in_bytes():
    """Literal pieces are `template`, values have their variable's name, empty ones too."""
    rendered = render(made("ä{{a}}{{{{{{b}}"), {"a": "ü€", "b": ""})

    assert "äü€{{" == rendered.text
    assert (
        Section(name="template", start=0, stop=2),
        Section(name="a", start=2, stop=7),
        Section(name="template", start=7, stop=9),
        Section(name="b", start=9, stop=9),
    ) == rendered.sections


@pytest.mark.clause("002-B1", "002-B2", "002-B3", "002-B5")
def test_the_blueprint_is_for_the_formatter_alone():
    """Instructions trimmed, schema with sorted keys, each under its header."""
    blueprint = {
        "blueprint_schema": {"b": 1, "a": {"d": 2, "c": 3}},
        "blueprint_instructions": "\n Be brief. \n",
    }
    rendered = render(made("{{a}}", role="formatter", **blueprint), {"a": "x"})

    assert (
        "x\n\nSTRUCTURE BLUEPRINT INSTRUCTIONS\nBe brief."
        '\n\nSCHEMA JSON:\n{"a":{"c":3,"d":2},"b":1}'
    ) == rendered.text
    assert "blueprint" == rendered.sections[-1].name
    assert "x" == render(made("{{a}}", role="writer", **blueprint), {"a": "x"}).text
    assert "x" == render(made("{{a}}", role="formatter"), {"a": "x"}).text


@pytest.mark.clause("002-B3")
def test_one_blueprint_field_is_enough():
    """The header of an empty field does not stand."""
    assert '\n\nSCHEMA JSON:\n{"a":1}' == blueprint_text("formatter", " ", {"a": 1})
    assert "SCHEMA" not in blueprint_text("formatter", "x", {})


@pytest.mark.clause("002-B4")
@pytest.mark.parametrize("schema", [{"a": float("nan")}, {"a": {1, 2}}, {"a": 2**60}, {1: 2}, [1]])
def test_a_schema_that_is_no_json_is_found_when_the_version_is_made(schema):
    """Not when it renders."""
    with pytest.raises(TemplateError, match="blueprint_schema"):
        made("x", role="formatter", blueprint_schema=schema)


def test_a_version_does_not_change_with_what_it_was_made_from():
    """The schema is copied, and cannot be written to."""
    schema = {"a": {"b": 1}}
    template = made("x", role="formatter", blueprint_schema=schema)
    schema["a"]["b"] = 2

    assert '{"a":{"b":1}}' in render(template, {}).text
    with pytest.raises(TypeError):
        template.blueprint_schema["a"] = 3


@pytest.mark.clause("002-F1")
def test_the_fallback_prompt_is_role_and_sorted_json():
    """Two lines, whatever the order of the input; the input has its own section."""
    rendered = fallback_prompt("planner", {"b": "ä", "a": 1})

    assert 'ROLE: planner\nINPUT: {"a": 1, "b": "ä"}\n' == rendered.text
    assert '{"a": 1, "b": "ä"}' == section_text(rendered, "input")


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, "\ud800", b"x"])
def test_the_fallback_refuses_what_is_no_json(value):
    """An input that has no bytes makes no prompt."""
    with pytest.raises(InputError):
        fallback_prompt("planner", {"a": value})


def test_a_body_alone_declares_what_stands_in_it():
    """A file without front matter can be rendered, but is no version."""
    assert ("b", "a") == parse_body(b"{{b}} {{a}} {{b}}").variables
    assert not is_version(b"{{b}}")
    assert is_version(FILE)
    assert is_version(b"---\r\n")
    assert not is_version(b"----\n")


@pytest.mark.clause("002-R5", "002-J3")
def test_a_prompt_is_sealed_with_its_digest_and_redacted_view():
    """Both are taken from the bytes that are sent."""
    template = made("Mail of {{a}}")
    rendered = render(template, {"a": "jane@example.com"})
    prompt = make_prompt(
        rendered.text, sections=rendered.sections, tokens=5, redactor=Redactor(), template=template
    )

    assert digest("Mail of jane@example.com") == prompt.sha256
    assert {"EMAIL": 1} == prompt.redaction.counts
    assert prompt.template == TemplateRef.of(template)
    assert {"name": "t", "role": "writer", "version": 1, "sha256": template.sha256}.items() <= (
        prompt.template.to_dict().items()
    )


def test_ten_megabytes_and_ten_thousand_variables_work():
    """Large templates render rightly; faults at their very end are placed rightly."""
    names = [f"v{i}" for i in range(10_000)]
    filler = "x" * 1000
    body = "\n".join(f"{filler}{{{{{name}}}}}" for name in names)
    front = json.dumps(names)
    data = f"---\nname: big\nrole: writer\nversion: 1\nvariables: {front}\n---\n{body}"
    template = parse_template(data.encode())
    text = render(template, dict.fromkeys(names, "y")).text

    assert 10_000 * 1002 - 1 == len(text)
    with pytest.raises(TemplateError) as caught:
        parse_template((data + "\n{{#").encode())
    assert (10_007, 1) == (caught.value.line, caught.value.column)
    with pytest.raises(PromptTemplateError) as missing:
        render(template, {f"w{i}": "" for i in range(10_000)})
    assert (10_000, 10_000) == (len(missing.value.missing), len(missing.value.unexpected))


def section_text(rendered, name: str) -> str:
    raw = rendered.text.encode()
    return b"".join(raw[s.start : s.stop] for s in rendered.sections if s.name == name).decode()


@pytest.mark.parametrize(
    ("body", "place"), [("\n{{#a}}", (2, 1)), ("\n\nx {{#a}}", (3, 3)), ("{{#a}}", (1, 1))]
)
def test_a_fault_behind_line_ends_at_the_very_start_has_its_column(body, place):
    """Columns count from the line end before them, also when that is the first character."""
    with pytest.raises(TemplateError) as caught:
        take_apart(body)

    assert place == (caught.value.line, caught.value.column)
