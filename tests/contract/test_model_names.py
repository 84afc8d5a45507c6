"""Which names are one model: the name asked for and its snapshots; nothing that is only near."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.model_names import is_allowed, is_same_model

WORDS = st.text(string.ascii_lowercase + string.digits + ".-", min_size=1, max_size=20).filter(
    lambda name: not name.endswith("-latest")
)


@pytest.mark.clause("006-M2")
@pytest.mark.parametrize(
    ("asked", "reported"),
    [
        ("gpt-4.1", "gpt-4.1"),
        ("gpt-4.1", "gpt-4.1-2025-04-14"),
        ("gpt-4", "gpt-4-0613"),
        ("claude-sonnet-4", "claude-sonnet-4-20250514"),
        ("claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219"),
        ("mistral-large-latest", "mistral-large-2411"),
        ("mistral-large-latest", "mistral-large"),
        ("claude-3-5-sonnet", "claude-3-5-sonnet@20240620"),
        ("gemini-2.5-pro-preview", "gemini-2.5-pro-preview-05-06"),
        ("openai/gpt-4.1", "gpt-4.1-2025-04-14"),
        ("gpt-4.1", "openai/gpt-4.1"),
        ("openrouter/openai/gpt-4.1", "openai/gpt-4.1-2025-04-14"),
        ("qwen2.5-7b", "/models/qwen2.5-7b.gguf"),
        ("qwen2.5-7b", "C:\\models\\qwen2.5-7b.gguf"),
        ("llama3", "llama3:latest"),
        ("llama3:latest", "llama3"),
    ],
)
def test_a_snapshot_a_prefix_and_a_file_name_the_model_that_was_asked(asked, reported):
    """Providers report the snapshot of a day, routers a prefix, servers the path of the file."""
    assert is_same_model(asked, reported)


@pytest.mark.clause("006-M2")
@pytest.mark.parametrize(
    ("asked", "reported"),
    [
        ("m", "cheap-fallback-7b"),
        ("gpt-4.1", "gpt-4.1-mini"),
        ("gpt-4.1", "gpt-4.1-mini-2025-04-14"),
        ("gpt-4.1-2025-04-14", "gpt-4.1-2025-09-01"),
        ("gpt-4.1-2025-04-14", "gpt-4.1"),
        ("gpt-4", "gpt-4.1"),
        ("gpt-4", "gpt-4-1106-preview"),
        ("gpt-4", "gpt-4-2025-13-40"),
        ("mistralai/mistral-7b", "elsewhere/mistral-7b"),
        ("llama3", "llama3:70b"),
        ("llama-7b", "llama-7b-q4_k_m.gguf"),
        ("-latest", "anything-at-all"),
        ("gpt-4", "GPT-4"),
        ("gpt-4", ""),
    ],
)
def test_what_is_only_near_is_another_model(asked, reported):
    """A smaller sister, another day, another owner: none of them was tried with the contract."""
    assert not is_same_model(asked, reported)


@pytest.mark.clause("006-M2")
@given(WORDS, WORDS)
def test_a_name_is_itself_and_no_word_behind_it_is_a_date(name, word):
    """Letters behind a name make another one."""
    assert is_same_model(name, name)
    assert not is_same_model(name, f"{name}-x{word}")


@pytest.mark.clause("006-M2")
def test_a_pattern_may_name_the_provider_or_not():
    """As contracts have always named their models."""
    assert is_allowed("openai:gpt-4.1", ["openai:*"])
    assert is_allowed("openai:gpt-4.1", ["gpt-4*"])
    assert not is_allowed("openai:gpt-4.1", ["anthropic:*", "gpt-5*"])
    assert is_allowed("extractive", ["extractive"])
