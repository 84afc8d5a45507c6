"""Chat templates: messages in their places, and nothing a stranger's program can do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.embedded.chat_template import (
    ChatTemplateError,
    Piece,
    has_thoughts,
    render_pieces,
    without_thought,
)

pytestmark = pytest.mark.clause("006-M7")

CHATML = (
    "{%- for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message.content | trim }}<|im_end|>\n{% endfor -%}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def render(template: str, *texts: str, **tokens: str) -> str:
    return "".join(piece.text for piece in pieces(template, *texts, **tokens))


def pieces(template: str, *texts: str, **tokens: str) -> list[Piece]:
    roles = ("system", "user") if len(texts) == 2 else ("user",)
    messages = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=True)]
    return render_pieces(template, messages, **tokens)


def test_messages_stand_in_their_roles() -> None:
    """Each message in its place, marked as foreign; the model's turn is open at the end."""
    assert [
        Piece(text="<|im_start|>system\n", foreign=False),
        Piece(text="Be brief.", foreign=True),
        Piece(text="<|im_end|>\n<|im_start|>user\n", foreign=False),
        Piece(text="Hi", foreign=True),
        Piece(text="<|im_end|>\n<|im_start|>assistant\n", foreign=False),
    ] == pieces(CHATML, "Be brief.", "Hi")


@given(st.text(), st.text(min_size=1))
def test_a_message_stays_what_it_is(system: str, user: str) -> None:
    """No template sees it, so none can trim, read or run it: it comes out as it went in."""
    foreign = [piece.text for piece in pieces(CHATML, system, user) if piece.foreign]

    assert [text for text in (system, user) if text] == foreign


@pytest.mark.parametrize(
    "text", ["{{ 7*7 }}", "{% raw %}", "<|im_end|>", "\ue0000\ue000", "\ue0001\ue000", "  \n "]
)
def test_what_looks_like_a_template_is_text(text: str) -> None:
    """Braces, control strings and the marks themselves mean nothing in a message."""
    assert f"<|im_start|>user\n{text}<|im_end|>" in render(CHATML, text)


@pytest.mark.parametrize(
    ("template", "opening"),
    [
        ("{{ messages[0].content }}<a>{% if enable_thinking is false %}off{% endif %}", "<a>off"),
        ("{{ messages[0].content }}<a><think>\n", "<a><think>\n\n</think>\n\n"),
        ("{{ messages[0].content }}[THINK]", "[THINK]\n\n[/THINK]\n\n"),
        ("{{ messages[0].content }}<think>\n\n</think>!", "<think>\n\n</think>!"),
        ("{{ messages[0].content }}{{ bos_token }}{{ eos_token }}", "<s>"),
        ("{% generation %}{{ messages[0].content }}{%- endgeneration -%}!", "!"),
        ("{{ messages[0].content }}{{ strftime_now('%d %b %Y') }}", "01 Jan 2026"),
        ("{{ messages[0].content }}{{ [1, {'a': 'ä'}] | tojson }}", '[1, {"a": "ä"}]'),
        ("{% for m in messages %}{{ m.content }}{% break %}{% endfor %}{{ '-' * 3 }}", "---"),
        ("{{ messages[0].content }}{{ 7 % 2 }}{{ 2 * 3 }}{{ tools is none }}", "16True"),
    ],
)
def test_what_templates_are_written_for(template: str, opening: str) -> None:
    """Thinking is over before it begins, every day is one day, and no tool is there."""
    assert f"Hi{opening}" == render(template, "Hi", bos_token="<s>")


@pytest.mark.parametrize(
    "template",
    [
        "",
        "no message",
        "{{ messages[0].content }}{{ messages[0].content }}",
        "{{ messages[0].content[:2] }}",
        "{{ messages[0].content }}{{ raise_exception('no system role') }}",
        "{% for",
        "{{ nothing.at.all }}{{ messages[0].content }}",
        "{{ 'a' * 100000000 }}{{ messages[0].content }}",
        "{{ 9 ** 99999999 }}{{ messages[0].content }}",
        "{{ '%999999999d' % 1 }}{{ messages[0].content }}",
        "{{ '{:999999999}'.format(1) }}{{ messages[0].content }}",
        "{{ 'x'.ljust(999999999) }}{{ messages[0].content }}",
        "{{ 'x' | center(999999999) }}{{ messages[0].content }}",
        "{{ range(999999999) | list }}{{ messages[0].content }}",
        "{% for i in range(9999) %}0123456789{% endfor %}{{ messages[0].content }}",
        "{% include '/etc/passwd' %}{{ messages[0].content }}",
        "{% import 'os' as os %}{{ messages[0].content }}",
        "{{ messages.append(1) }}{{ messages[0].content }}",
        "{{ raise_exception.__globals__['os'] }}{{ messages[0].content }}",
        "{{ ().__class__.__base__.__subclasses__() }}{{ messages[0].content }}",
        "{{ cycler.__init__.__globals__.os.popen('id').read() }}{{ messages[0].content }}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}{{ messages[0].content }}",
        "\ue000\ue001\ue002\ue003{{ messages[0].content }}",
    ],
)
def test_what_a_template_may_not_do(template: str) -> None:
    """It loses or doubles a message, fails, grows, or reaches out: one error, in words."""
    with pytest.raises(ChatTemplateError) as caught:
        render(template, "Hello")

    assert str(caught.value)


@given(st.text(max_size=80))
def test_any_template_renders_or_is_one_error(template: str) -> None:
    """Nothing else comes out of a stranger's text."""
    try:
        rendered = render(template, "Hello")
    except ChatTemplateError:
        return
    assert "Hello" in rendered


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<think>\nhm\n</think>\n\nYes.", "Yes."),
        ("\n<think></think>Yes.", "Yes."),
        ("[THINK]a[/THINK]Yes.", "Yes."),
        ("<think>never ends", ""),
        ("Yes.", "Yes."),
        ("I <think> so</think>", "I <think> so</think>"),
        ("  Yes.", "  Yes."),
    ],
)
def test_a_thought_is_no_reply(text: str, said: str) -> None:
    """A thought at the beginning is left out; all else stays byte for byte."""
    assert said == without_thought(text)


def test_templates_of_models_that_think_are_known() -> None:
    """By the mark that ends a thought."""
    assert has_thoughts("a</think>b")
    assert not has_thoughts(CHATML)
