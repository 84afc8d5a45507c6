"""A model says what it cannot do before it is asked in vain."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import BaseModel

import assay
from assay.adapters.models.registry import open_model
from assay.errors import ModelUnavailableError
from assay.protocols import can_converse

MAIL = "Dear all, the pipe in our cellar broke and the carpet is soaked."


class Invoice(BaseModel):
    """Nothing in it can be chosen or copied."""

    title: str
    amount: float


class Stranger:
    """A model of another package, written before anybody asked whether it converses."""

    needs_plan = False


@pytest.mark.clause("008-E2")
def test_a_model_that_says_nothing_can_converse():
    """Models of other packages go on as they did."""
    assert can_converse(Stranger())  # type: ignore[arg-type]


@pytest.mark.clause("008-E2")
@pytest.mark.parametrize("logged", [False, True])
def test_writing_down_what_is_asked_makes_no_other_model(tmp_path, logged):
    """With --script-log a model can do what it can do without."""
    script = tmp_path / "replies.jsonl"
    script.write_text('{"text": "{}"}\n')
    log = tmp_path / "log.jsonl" if logged else None
    found = {}
    for spec in ("extractive", f"scripted:{script}"):
        model = open_model(spec, environ={}, script_log=log)
        found[model.name] = can_converse(model)
        asyncio.run(model.aclose())

    assert [False, True] == list(found.values())


@pytest.mark.clause("008-E3")
def test_extractive_fills_no_contract_that_asks_for_neither_labels_nor_quotes(tmp_path):
    """An amount of 0 that stands nowhere in the text is no answer; the call stays to be done."""
    with assay.open(f"sqlite:///{tmp_path / 'x.db'}", "extractive") as runtime:
        with pytest.raises(ModelUnavailableError) as refused:
            runtime.complete(Invoice, "Read this mail: {{body}}", sources={"body": MAIL})
        (call,) = runtime.calls()

    assert "asks for neither; take a language model" in refused.value.hint
    assert (call.status, call.outcome) == ("open", None)
