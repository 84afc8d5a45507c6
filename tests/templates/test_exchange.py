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
    """Model, config, schemas and tools are named; the text and its two roles are kept."""
    data = (
        b"---\nmodel: googleai/gemini\nconfig: {temperature: 0.1}\ntools: [search]\n"
        b"input:\n  schema:\n    text: string, what to read\n  default: {text: a}\n"
        b"output: {format: json}\nmyext.flag: true\n---\n"
        b'{{role "system"}}Be brief.\n{{role "user"}}{{text}} \\{{raw}}\n'
    )
    found = import_template(data, "dotprompt", name="folder/My prompt")
    version = found.version(role="writer", name=None, number=1)

    assert "folder.My-prompt" == version.name
    rendered = render(version, {"text": "hi"})
    assert ["Be brief.\n\n", "hi {{raw}}\n"] == [
        rendered.text[part.start : part.stop] for part in rendered.parts
    ]
    said = "\n".join(found.lost)
    for word in ("model", "config", "tools", "output", "input.default", "input.schema", "myext"):
        assert word in said
    assert "roles" not in said


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
    assert "=== system ===\nBe {{tone}}.\n=== user ===\n{{question}}" == found.body
    assert any("history" in lost for lost in found.lost)
    assert not any("system, user" in lost for lost in found.lost)


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


def langfuse(**fields):
    return json.dumps({"name": "s", "type": "text", **fields}).encode()


@pytest.mark.clause("005-R19")
@pytest.mark.parametrize(
    "reference",
    [
        "@@@langfusePrompt:name=house-rules|label=production@@@",
        "@@@langfusePrompt:name=house-rules|version=1@@@",
        "@@@ langfusePrompt: name=a @@@",
    ],
)
@pytest.mark.parametrize("form", ["text", "chat", "parts"])
def test_a_reference_to_another_prompt_is_refused(reference, form):
    """What would be put in its place is not at hand: kept as text it would be another prompt."""
    body = f"{reference}\nAnswer {{{{question}}}}"
    content = [{"type": "text", "text": body}] if form == "parts" else body
    prompt = body if form == "text" else [{"role": "system", "content": content}]

    with pytest.raises(TemplateError, match="another prompt"):
        import_template(langfuse(prompt=prompt), "langfuse")


@pytest.mark.clause("005-R19")
def test_texts_in_parts_are_kept_and_what_is_no_text_is_listed():
    """A picture, a call of a tool, a mark for a cache: listed; the words of all parts stay."""
    prompt = [
        {
            "role": "system",
            "content": [
                {"type": "text", "text": "Read ", "cache_control": {"type": "ephemeral"}},
                {"type": "image_url", "image_url": {"url": "x"}},
                {"type": "text", "text": "{{text}}."},
            ],
            "name": "setter",
        },
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        "stray",
    ]
    found = import_template(langfuse(type="chat", prompt=prompt), "langfuse")
    said = "\n".join(found.lost)

    assert "Read {{text}}." == found.body
    for word in ("image_url", "cache_control", "name", "tool_calls", "no object", "roles"):
        assert word in said


@pytest.mark.clause("005-R19")
@pytest.mark.parametrize("prompt", [[], [{"role": "user", "content": [{"type": "image"}]}]])
def test_a_prompt_without_any_text_is_refused(prompt):
    """Nothing would be left of it."""
    with pytest.raises(InputError, match="no message with text"):
        import_template(langfuse(type="chat", prompt=prompt), "langfuse")


LICENCE = "# Copyright 2026 Example Ltd\n#\n# Apache-2.0\n\n"


@pytest.mark.clause("005-R19")
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_comments_do_not_make_the_front_matter_part_of_the_text(ends):
    """A licence before the front matter, a note within it: listed, and the fields are read."""
    text = f"{LICENCE}---\n# who to ask\nname: greet\ntools: [a]\n---\nHello {{{{name}}}}.\n"
    found = import_template(text.replace("\n", ends).encode(), "dotprompt")

    assert ("greet", f"Hello {{{{name}}}}.{ends}") == (found.name, found.body)
    assert ["comments before", "comments within", "tools: tools"] == [
        " ".join(lost.split()[:2]) for lost in found.lost
    ]


def test_a_comment_sign_without_front_matter_is_text():
    """`# Title` of Markdown opens no front matter and stays."""
    found = import_template(b"# Title\n\nHello {{name}}.\n", "dotprompt", name="t")

    assert ("# Title\n\nHello {{name}}.\n", ()) == (found.body, found.lost)


@pytest.mark.clause("005-R19")
def test_the_history_of_a_chat_is_no_variable():
    """Dotprompt puts earlier messages there: listed, and not asked of a caller."""
    found = import_template(b"Be kind. {{ history }}{{q}}", "dotprompt", name="t")

    assert ("q",) == found.version(role="r", name=None, number=1).variables
    assert any("history" in lost for lost in found.lost)
    assert "{{history}}" in import_template(langfuse(prompt="{{history}}"), "langfuse").body


@pytest.mark.clause("005-R19")
@pytest.mark.parametrize("helper", ["{{this}}", "{{this.name}}", "{{ else }}"])
def test_words_of_handlebars_are_no_variables(helper):
    """They would be asked for by a name that nobody gave."""
    with pytest.raises(TemplateError, match="no variable"):
        import_template(f"Hi {helper}".encode(), "dotprompt", name="t")


@pytest.mark.clause("005-R19")
@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("input: {schema: {name?: string}}", "optional variables (name)"),
        ("input: {schema: {who: {first?: string}}}", "optional variables (who.first)"),
        ("input: {schema: {'tags?(array)': string}}", "optional variables (tags)"),
        ("input: {schema: Person}", "input.schema"),
        ("input: Person", "input:"),
        ("input: {example: {a: b}}", "input.example"),
        ("input: {default: {name: Ann}}", "input.default"),
        ("ext: 1", "ext"),
    ],
)
def test_what_dotprompt_says_of_its_variables_is_listed(front, said):
    """An optional variable must be given here; types, names of types and examples are lost."""
    found = import_template(f"---\n{front}\n---\nHi\n".encode(), "dotprompt", name="t")

    assert any(said in lost for lost in found.lost), found.lost


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=12) | st.sampled_from(["text", "chat"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "role", "content", "text", "name", "prompt"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    )
)
def test_every_word_of_a_prompt_is_kept_or_something_is_listed(prompt):
    """An import is refused, or it is whole, or it says that something is missing."""
    try:
        found = import_template(langfuse(prompt=prompt), "langfuse")
    except (InputError, TemplateError):
        return
    assert found.lost or found.body == prompt
