"""Templates from and to the forms of other tools."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError, TemplateError
from assay.templates.exchange import export_assay, export_dotprompt, import_template
from assay.templates.template import make_template, parse_template, render

BODIES = st.lists(
    st.one_of(
        st.text(alphabet="aB .\n\r{}ü\\", max_size=8), st.sampled_from(["{{x}}", "{{in.y}}"])
    ),
    max_size=8,
).map("".join)


def versions(body):
    try:
        return make_template(
            name="base",
            role="formatter",
            version=3,
            body=body,
            blueprint_schema={"type": "object", "k": ["ü", None, 1]},
            blueprint_instructions="Keep order.\n",
        )
    except TemplateError:
        return None


@given(BODIES)
def test_our_own_form_and_dotprompt_bring_back_the_same_version(body):
    """Out and in again: the same text, variables, blueprint, and the same prompt."""
    version = versions(body)
    if version is None:
        return
    own = parse_template(export_assay(version).text.encode())
    assert version.fields_sha256 == own.fields_sha256
    exported = export_dotprompt(version)
    if any("backslash" in lost for lost in exported.lost):
        return
    back = import_template(exported.text.encode(), "dotprompt").version(
        role=None, name=None, number=3
    )
    assert ("formatter", "base") == (back.role, back.name)
    assert sorted(version.variables) == sorted(back.variables)
    values = {name: f"<{name}>" for name in version.variables}
    assert render(version, values).text == render(back, values).text


def test_what_dotprompt_says_beyond_a_template_is_listed():
    """Model, config, schemas, tools and message roles are named, and the text is kept."""
    data = (
        b"---\nmodel: googleai/gemini\nconfig: {temperature: 0.1}\ntools: [search]\n"
        b"input:\n  schema:\n    text: string, what to read\n  default: {text: a}\n"
        b"output: {format: json}\nmyext.flag: true\n---\n"
        b'{{role "system"}}Be brief.\n{{role "user"}}{{text}} \\{{raw}}\n'
    )
    found = import_template(data, "dotprompt", name="folder/My prompt")
    version = found.version(role="writer", name=None, number=1)

    assert "folder.My-prompt" == version.name
    assert "Be brief.\nhi {{raw}}\n" == render(version, {"text": "hi"}).text
    said = "\n".join(found.lost)
    for word in ("model", "config", "tools", "output", "input.default", "input.schema", "myext"):
        assert word in said
    assert "system, user" in said


@pytest.mark.parametrize(
    "body", ["{{#if a}}x{{/if}}", "{{>part}}", "{{{raw}}}", "{{history}} {{#each a}}"]
)
def test_logic_is_refused_with_its_place(body):
    """A section or a partial would change the prompt: the import fails, with line and column."""
    with pytest.raises(TemplateError, match="line 1"):
        import_template(body.encode(), "dotprompt", name="t").version(role="r", name=None, number=1)


def test_langfuse_prompts_come_in():
    """Text and chat prompts; labels, tags, config and the roles of messages are listed."""
    text = {
        "name": "movie critic",
        "type": "text",
        "prompt": "As a {{level}} critic, rate {{movie}}.",
        "config": {"model": "m"},
        "labels": ["production"],
        "tags": [],
        "version": 7,
    }
    found = import_template(json.dumps(text).encode(), "langfuse")
    version = found.version(role="writer", name=None, number=1)
    assert ("movie-critic", ("level", "movie")) == (version.name, version.variables)
    assert ["config", "labels", "version"] == [lost.partition(":")[0] for lost in found.lost]
    chat = {
        "name": "c",
        "type": "chat",
        "prompt": [
            {"role": "system", "content": "Be {{tone}}."},
            {"type": "placeholder", "name": "history"},
            {"role": "user", "content": "{{question}}"},
        ],
    }
    found = import_template(json.dumps(chat).encode(), "langfuse")
    assert "Be {{tone}}.\n\n{{question}}" == found.body
    assert any("history" in lost for lost in found.lost)
    assert any("system, user" in lost for lost in found.lost)


def test_sections_are_not_taken_for_jinja():
    """`{{#if}}` is told with its place as what it is; `{% if %}` and `{# … #}` are Jinja."""
    section = import_template(b'{"prompt": "A\\n{{#if b}}"}', "langfuse", name="a")
    with pytest.raises(TemplateError, match="line 2, column 1"):
        section.version(role="writer", name=None, number=1)
    with pytest.raises(TemplateError, match="Jinja"):
        import_template(b'{"prompt": "{# a #}"}', "langfuse", name="a")


def test_mlflow_prompts_come_in():
    """The template with double braces; what the registry of MLflow adds is listed."""
    document = {
        "name": "summarise",
        "version": 3,
        "template": "Summarise {{ text }} in {{ n }} words.",
        "tags": {"team": "a"},
        "response_format": {"type": "object"},
        "model_config": None,
    }
    found = import_template(json.dumps(document).encode(), "mlflow")
    version = found.version(role="writer", name="sum", number=2)

    assert ("sum", 2, ("text", "n")) == (version.name, version.version, version.variables)
    assert {"version", "tags", "response_format"} == {lost.split(":")[0] for lost in found.lost}


@pytest.mark.parametrize(
    ("data", "form", "fault"),
    [
        (b"[]", "langfuse", InputError),
        (b"{", "mlflow", InputError),
        (b'{"name": "a"}', "langfuse", InputError),
        (b'{"template": 3}', "mlflow", InputError),
        (b'{"template": "{% if a %}"}', "mlflow", TemplateError),
        (b"---\n- a\n---\n", "dotprompt", TemplateError),
        (b"\xff", "dotprompt", TemplateError),
        (b"{}", "other", InputError),
    ],
)
def test_what_is_not_of_the_form_is_refused(data, form, fault):
    """An error that says what is wrong, never a half import."""
    with pytest.raises(fault):
        import_template(data, form)


def test_a_role_must_come_from_somewhere():
    """Neither the file nor the caller says it: an error."""
    with pytest.raises(InputError, match="role"):
        import_template(b"Hi {{x}}", "dotprompt", name="t").version(role=None, name=None, number=1)
