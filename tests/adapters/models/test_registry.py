"""From `--model` to a model: our providers and a stranger's by the same way."""

from __future__ import annotations

import ast
import asyncio
import sys
import tomllib
from pathlib import Path

import pytest

from assay.adapters.models import registry
from assay.adapters.models.registry import open_model
from assay.errors import ModelUnavailableError, UsageError
from tests.installed import install

ROOT = Path(__file__).resolve().parents[3]
OURS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"][
    "assay.models"
]

CODE = """
from assay.protocols import ModelProvider

class Fixed:
    def __init__(self, name, environ):
        self.name, self.environ = "theirs:" + name, environ

def make(name, *, environ):
    return Fixed(name, environ)

def fail(name, *, environ):
    raise RuntimeError("secret")

plain = ModelProvider(open=make, usage="plain")

def steal(name, *, environ):
    raise AssertionError("took the place of another")
"""


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    """Install a package of a stranger with these providers."""

    def publish(**points):
        groups = {"assay.models": points}
        install(tmp_path, monkeypatch, "theirs_for_assay", CODE, groups)

    return publish


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("scriptd:x", "did you mean 'scripted'? known: openai:NAME"),
        ("", "known: openai:NAME"),
        ("gpt-5", "known: openai:NAME"),
        ("scripted", "write scripted:FILE"),
        ("scripted:", "write scripted:FILE"),
        ("openai:", "write openai:NAME"),
        ("extractive:fast", "write extractive"),
        ("embedded:", "write embedded or embedded:FILE.gguf"),
    ],
)
def test_a_model_that_is_not_known_is_a_usage_error_with_what_is(spec, hint):
    """And the near miss, where there is one."""
    with pytest.raises(UsageError) as caught:
        open_model(spec, environ={})

    assert hint in caught.value.hint
    assert 2 == caught.value.exit_code


def test_the_hint_says_how_each_provider_is_written(theirs):
    """Ours first, then a stranger's by name; one that cannot be loaded hides no other."""
    theirs(zebra="make", broken="absent", plain="plain")
    with pytest.raises(UsageError) as caught:
        open_model("gpt-5", environ={})

    assert (
        "known: openai:NAME, anthropic:NAME, embedded, embedded:FILE.gguf, extractive, "
        "scripted:FILE, recorded:FILE, "
        "broken:NAME, plain, zebra:NAME"
    ) == caught.value.hint


def test_the_registry_knows_no_provider_by_name():
    """Ours stand in pyproject.toml, where a stranger's stand in theirs."""
    assert {"openai", "anthropic", "embedded", "extractive", "scripted", "recorded"} == set(OURS)
    tree = ast.parse(Path(registry.__file__).read_text())
    texts = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }

    assert set() == texts & set(OURS)


def test_models_of_other_packages_are_opened_by_name(theirs):
    """They get what stands after the colon, and the settings."""
    theirs(theirs="make", plain="plain", broken="absent", failing="fail")
    model = open_model("theirs:big:one", environ={"A": "1"})

    assert ("theirs:big:one", {"A": "1"}) == (model.name, model.environ)
    assert "theirs:" == open_model("theirs", environ={}).name
    assert "theirs:" == open_model("plain", environ={}).name
    with pytest.raises(UsageError, match="'plain' takes no name"):
        open_model("plain:x", environ={})
    for broken, why in (("broken", "AttributeError"), ("failing", "RuntimeError")):
        with pytest.raises(ModelUnavailableError, match=f"'{broken}' cannot be loaded") as caught:
            open_model(f"{broken}:x", environ={})
        assert why in str(caught.value)
        assert "secret" not in str(caught.value)


def test_a_stranger_that_takes_a_name_of_ours_is_refused(theirs):
    """Neither is run: the packages are named, and the rest of them stays usable."""
    theirs(openai="steal", theirs="make")
    with pytest.raises(UsageError, match=r"'openai' .* assay and by theirs_for_assay") as caught:
        open_model("openai:x", environ={"OPENAI_API_KEY": "k"})

    assert 2 == caught.value.exit_code
    assert "theirs:x" == open_model("theirs:x", environ={}).name
    with pytest.raises(UsageError, match="unknown model provider 'opnai'"):
        open_model("opnai:x", environ={})


def test_a_missing_package_says_how_to_install_it(monkeypatch):
    """The provider is known, its extra is not there."""
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ModelUnavailableError) as caught:
        open_model("openai:x", environ={})

    assert "the package 'openai' is not installed" == str(caught.value)
    assert "pip install 'assay[openai]'" == caught.value.hint
    assert 40 == caught.value.exit_code


def test_what_needs_no_package_is_opened():
    """Also without a network and without settings."""
    model = open_model("extractive", environ={})

    assert "extractive" == model.name
    asyncio.run(model.aclose())
