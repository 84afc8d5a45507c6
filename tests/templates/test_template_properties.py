"""What holds for every template and all values."""

from __future__ import annotations

import json
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from assay.errors import TemplateError
from assay.templates.template import make_template, parse_body, parse_template, render

NAMES = st.from_regex(
    r"[A-Za-z][A-Za-z0-9_]{0,5}(\.[A-Za-z][A-Za-z0-9_]{0,5}){0,2}", fullmatch=True
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def escaped(text: str) -> str:
    """Literal text as a template writes it: `{{{{` for each pair of opening braces."""
    return text.replace("{{", "{{{{")


@st.composite
def bodies(draw):
    """A body, the values of its variables, and the text they must give."""
    body, values, text = [], {}, []
    for _ in range(draw(st.integers(0, 6))):
        literal = draw(TEXT).replace("{", "[")
        name = draw(NAMES)
        values.setdefault(name, draw(TEXT))
        pad = draw(st.sampled_from(["", " ", "\t "]))
        body += [literal, "{{", pad, name, pad, "}}"]
        text += [literal, values[name]]
    end = draw(TEXT)
    ends_open = end.replace("{", "") + draw(st.sampled_from(["", "{{", "{{{{"]))
    return "".join([*body, escaped(ends_open)]), values, "".join([*text, ends_open])


@given(bodies())
def test_a_template_gives_its_text_with_the_values_put_in(case):
    """Literal text and values come out as they went in, once each."""
    body, values, text = case

    assert text == render(parse_body(body.encode()), values).text


@given(bodies())
def test_sections_tile_the_bytes_and_name_their_values(case):
    """The sections cover the prompt without gap, and each variable's bytes are its value."""
    body, values, _ = case
    rendered = render(parse_body(body.encode()), values)
    raw = rendered.text.encode()
    at = 0
    for section in rendered.sections:
        assert at == section.start <= section.stop
        if section.name in values and section.name != "template":
            assert values[section.name].encode() == raw[section.start : section.stop]
        at = section.stop

    assert len(raw) == at


@given(
    bodies(),
    st.integers(1, 10**6),
    st.text(st.characters(max_codepoint=0xFFFD, exclude_categories=["Cs", "Cc"]), max_size=20),
)
def test_a_written_version_is_read_back(case, version, instructions):
    """Front matter and body make the same version as its fields do."""
    body, values, _ = case
    fields = {
        "name": "n.base",
        "role": "formatter",
        "version": version,
        "variables": list(values),
        "blueprint_schema": {"title": instructions},
        "blueprint_instructions": instructions,
    }
    front = "".join(f"{key}: {json.dumps(value)}\n" for key, value in fields.items())
    read = parse_template(f"---\n{front}---\n{body}".encode())

    assert make_template(body=body, **fields) == read
    assert read.fields_sha256 == make_template(body=body, **fields).fields_sha256


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda t: t.encode("utf-8", "replace")))
def test_any_bytes_are_read_or_refused(data):
    """No other error than TemplateError, with or without front matter."""
    for wrapped in (data, b"---\n" + data, b"---\n" + data + b"\n---\n" + data):
        for read in (parse_template, parse_body):
            with suppress(TemplateError):
                read(wrapped)
