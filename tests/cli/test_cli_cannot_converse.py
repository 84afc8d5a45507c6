"""`assay chat` with a model that has nothing of its own to say."""

from __future__ import annotations

import pytest

from tests.command import assay
from tests.parts import require_part

MODELS = ("extractive", "embedded")


@pytest.mark.clause("008-E2")
@pytest.mark.parametrize("model", MODELS)
def test_it_is_said_before_anything_is_asked_or_recorded(tmp_path, model):
    """Wrong usage, with the models that can; no session and no call stands on record."""
    if model == "embedded":
        require_part("embedded", "xllamacpp")
    done = assay(tmp_path, "chat", "services", "--model", model, "--message", "Hello", "--json")

    assert 2 == done.code
    assert "model.cannot_converse" == done.document["error"]["code"]
    assert f"{model} cannot hold a conversation" in done.document["error"]["message"]
    assert "openai:NAME" in done.document["error"]["hint"]
    for noun in ("sessions", "calls"):
        assert [] == assay(tmp_path, noun, "list", "--json").document[noun]


@pytest.mark.clause("008-E2")
def test_it_is_said_before_the_first_message_is_read(tmp_path):
    """At a terminal, too: nobody writes a message for nothing."""
    done = assay(tmp_path, "chat", "services", "--model", "extractive", stdin=b"Hello\n")

    assert 2 == done.code
    assert "error[model.cannot_converse]" in done.err
