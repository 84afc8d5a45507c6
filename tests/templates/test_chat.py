"""Chats of other tools as bodies with parts, and bodies with parts as chats again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError, TemplateError
from assay.templates.exchange import export_assay, export_dotprompt, import_template
from assay.templates.template import make_template, parse_template, render

pytestmark = pytest.mark.clause("006-M3")

SAID = st.lists(
    st.one_of(
        st.text(alphabet="aB .\n\r}ü=\\", min_size=1, max_size=6),
        st.sampled_from(["{{x}}", "{{in.y}}", "=== user ===", "\n=== system ===\n"]),
    ),
    min_size=1,
    max_size=5,
).map("".join)


def chat(form, *messages):
    """A chat in JSON as Langfuse or MLflow write it."""
    key = {"langfuse": "prompt", "mlflow": "template"}[form]
    said = [{"role": role, "content": text} for role, text in messages]
    return json.dumps({"name": "c", "type": "chat", key: said}).encode()


def slices(version):
    """Role and text of each part, with every variable as it stands."""
    values = {name: "{{" + name + "}}" for name in version.variables}
    rendered = render(version, values)
    return [(part.role, rendered.text[part.start : part.stop]) for part in rendered.parts]


@pytest.mark.parametrize("form", ["langfuse", "mlflow"])
@given(system=SAID, user=SAID)
def test_a_chat_of_two_messages_comes_in_and_goes_out_as_the_same_chat(form, system, user):
    """Each text to the byte, or refused because it holds a line that would begin a part."""
    messages = [("system", system), ("user", user)]
    try:
        found = import_template(chat(form, *messages), form)
        version = found.version(role="writer", name=None, number=1)
    except TemplateError:
        assert "===" in system + user
        return
    except InputError:
        assert not (system + user).strip()
        return
    if not (system.strip() and user.strip()):
        assert any("roles" in lost for lost in found.lost)
        return
    assert () == found.lost
    assert [("system", system + "\n"), ("user", user)] == slices(version)

    exported = export_dotprompt(version)
    again = import_template(exported.text.encode(), "dotprompt")
    assert () == again.lost
    assert slices(version) == slices(again.version(role=None, name=None, number=1))


@pytest.mark.parametrize(
    "roles",
    [
        ("user", "system"),
        ("system",),
        ("user",),
        ("system", "user", "assistant"),
        ("system", "user", "user"),
        ("system", "system", "user"),
        ("developer", "user"),
        ("System", "user"),
        ("system", "model"),
    ],
)
def test_any_other_chat_is_one_text_and_its_roles_are_listed(roles):
    """Nothing is sent in a role that the template has no word for, and nothing is lost unsaid."""
    messages = [(role, f"text {at}") for at, role in enumerate(roles)]
    inner = import_template(chat("mlflow", *messages), "mlflow")
    helpers = "".join('{{role "' + role + '"}}' + text for role, text in messages)
    outer = import_template(helpers.encode(), "dotprompt", name="d")

    for found in (inner, outer):
        assert any(", ".join(roles) in lost for lost in found.lost)
        version = found.version(role="writer", name=None, number=1)
        assert [] == slices(version)
        assert all(text in version.body for _, text in messages)


@pytest.mark.parametrize("line", ["=== system ===", "=== user ===", " === user === "])
@pytest.mark.parametrize("text", ["{}", "A\n{}\nB", "A\r\n{}\r\n", "A\r{}\rB", "A\u2028{}"])
def test_a_text_that_holds_such_a_line_is_refused(line, text):
    """The words of a message never become another part, in any form and place of a chat."""
    said = text.format(line)
    files = [
        (chat("langfuse", ("system", said), ("user", "u")), "langfuse"),
        (chat("langfuse", ("system", "s"), ("user", said)), "langfuse"),
        (chat("mlflow", ("user", said)), "mlflow"),
        (chat("mlflow", ("user", "u"), ("assistant", said)), "mlflow"),
        (json.dumps({"prompt": said}).encode(), "langfuse"),
        (json.dumps({"template": f"=== system ===\ns\n=== user ===\n{said}"}).encode(), "mlflow"),
        (said.encode(), "dotprompt"),
        (f'{{{{role "system"}}}}s{{{{role "user"}}}}{said}'.encode(), "dotprompt"),
        (f'{{{{role "model"}}}}{said}'.encode(), "dotprompt"),
    ]
    for data, form in files:
        with pytest.raises(TemplateError, match="begins a part"):
            import_template(data, form, name="a")


def test_a_line_that_only_comes_to_be_when_helpers_are_taken_out_is_refused():
    """What is left out of a text may not join its halves to such a line."""
    for helper in ('{{role "model"}}', "{{history}}"):
        data = f"x\n=== us{helper}er ===\ny".encode()
        with pytest.raises(TemplateError, match="begins a part"):
            import_template(data, "dotprompt", name="a")


def test_a_helper_behind_a_backslash_is_text():
    """`\\{{role "user"}}` begins no message in Dotprompt; two backslashes stand for one."""
    data = b'{{role "system"}}Say \\{{role "user"}} and \\\\{{role "user"}}{{q}}'
    found = import_template(data, "dotprompt", name="a")
    version = found.version(role="writer", name=None, number=1)

    assert [("system", 'Say {{role "user"}} and \\\n'), ("user", "{{q}}")] == slices(version)
    again = import_template(export_dotprompt(version).text.encode(), "dotprompt")
    assert slices(version) == slices(again.version(role=None, name=None, number=1))


@given(SAID, SAID, st.sampled_from(["\n", "\r\n"]))
def test_a_version_with_parts_goes_out_and_comes_back(system, user, end):
    """Our own form to the byte; Dotprompt to the text of each part."""
    try:
        version = make_template(
            name="base",
            role="writer",
            version=3,
            body=f"=== system ==={end}{system}{end}=== user ==={end}{user}",
        )
    except TemplateError:
        return
    assert (
        version.fields_sha256 == parse_template(export_assay(version).text.encode()).fields_sha256
    )
    exported = export_dotprompt(version)
    back = import_template(exported.text.encode(), "dotprompt")

    assert ("\r\n" == end) == any("CR LF" in lost for lost in exported.lost)
    assert slices(version) == slices(back.version(role=None, name=None, number=3))
