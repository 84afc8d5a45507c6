"""What is said of a model when it starts, on standard error alone."""

from __future__ import annotations

import pytest

from assay.adapters.models.embedded.file_model import open_file
from assay.cli.output import tell_purpose
from assay.wiring import load_pack
from tests.command import assay
from tests.gguf_files import small_model
from tests.parts import require_part

IMAGE_ONLY = (
    b"From: a@example.org\nSubject: Hail\nMIME-Version: 1.0\n"
    b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n"
)


@pytest.mark.clause("008-E2")
@pytest.mark.parametrize(("model", "times"), [("embedded", 1), ("extractive", 0)])
def test_a_model_that_proves_the_path_says_so_once_when_it_starts(tmp_path, model, times):
    """For two inputs once, and never among the outcomes on standard output."""
    if model == "embedded":
        require_part("embedded", "xllamacpp")
    for name in ("a.eml", "b.eml"):
        (tmp_path / name).write_bytes(IMAGE_ONLY)
    done = assay(tmp_path, "run", "intake", "a.eml", "b.eml", "--model", model, "--json")

    assert ["input.unreadable"] * 2 == [line["reason"] for line in done.documents]
    assert times == done.err.count("proof of the path")


@pytest.mark.clause("008-E2")
def test_assay_models_says_it_too():
    """Before anybody chooses it."""
    require_part("embedded", "xllamacpp")
    from assay.adapters.models.registry import look_at_providers

    (found,) = (each for each in look_at_providers({}) if each.provider == "embedded")

    assert "proof of the path" in found.found.why


@pytest.mark.clause("008-E4")
@pytest.mark.parametrize(("room", "said"), [("1024", True), ("8192", False)])
def test_a_context_too_small_for_the_contracts_is_told_before_the_first_call(capsys, room, said):
    """With the contract that asks for most, not input by input."""
    require_part("embedded", "xllamacpp")
    weights = small_model()
    assert weights is not None
    model = open_file(str(weights), environ={"ASSAY_EMBEDDED_CONTEXT": room})
    tell_purpose(model, load_pack("intake").contracts.values())
    told = " ".join(capsys.readouterr().err.split())

    assert said == ("has room for 1024 tokens, and intake/classify may ask for 3900" in told)
    assert said == bool(told)
