"""A limit of money holds wherever a pack declares it, and for calls under way at one time."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.budget import Usage
from assay.contract.contract_job import ContractJob
from assay.contract.detail import detail_of
from assay.contract.material import Material
from assay.errors import UsageError
from assay.gate.verdict import Finding
from assay.pack.forms import RunBudgetForm
from assay.redaction.redactor import Redactor
from assay.runtime.calls.budget import RunBudget
from assay.runtime.costs.cost import Cost
from assay.wiring import aopen, load_pack
from tests.runtime.tiny import FILES, TEXT, script, tiny_pack

pytestmark = pytest.mark.clause("006-M6")

AMOUNTS = st.decimals(min_value=0, max_value=10, places=4)


def usd(amount: Decimal) -> Cost:
    """A cost of today."""
    return Cost(amount=amount, currency="USD", as_of="2026-11-01")


@given(limit=AMOUNTS, calls=st.lists(AMOUNTS, max_size=10))
def test_calls_under_way_together_never_pass_the_limit(limit, calls):
    """Each is let in only with room for the most that it can cost."""
    budget = RunBudget(max_cost=limit)
    with ExitStack() as held:
        granted = [held.enter_context(budget.reserve(1, 1, each)) for each in calls]
        taken = sum((c for c, grant in zip(calls, granted, strict=True) if grant), Decimal(0))

        assert taken == budget.cost <= limit


@given(most=AMOUNTS, spent=AMOUNTS)
def test_what_was_spent_replaces_what_was_set_aside(most, spent):
    """An unknown cost leaves the most on account."""
    known, unknown = RunBudget(), RunBudget()
    with known.reserve(1, 1, most) as reserved:
        assert reserved is not None
        reserved.settle(Usage(), usd(spent))
    with unknown.reserve(1, 1, most) as reserved:
        assert reserved is not None
        reserved.settle(Usage(), None)

    assert (spent, most) == (known.cost, unknown.cost)
    assert (0, 1) == (known.spending.unknown, unknown.spending.unknown)


def test_a_call_whose_cost_is_not_known_fits_no_limit():
    """Fail closed."""
    with RunBudget(max_cost=Decimal(100)).reserve(1, 1, None) as reserved:
        assert reserved is None
    with RunBudget().reserve(1, 1, None) as reserved:
        assert reserved is not None


def test_a_limit_of_money_is_on_record_only_where_there_is_one():
    """Records without one look as they always did."""
    assert "max_cost" not in RunBudget().to_dict()
    assert "0.5" == RunBudget(max_cost=Decimal("0.50")).to_dict()["max_cost"]


@pytest.mark.parametrize("given_limit", [5, 0.25, "0.25", "5.00"])
def test_a_pack_writes_its_limit_as_a_number_or_as_text(given_limit):
    """Exactly what is written."""
    form = RunBudgetForm.model_validate({"max_cost": given_limit})

    assert Decimal(str(given_limit)) == form.max_cost


@pytest.mark.parametrize("wrong", [-1, "five", "1e3", True, ".5", float("inf"), [1]])
def test_a_limit_that_is_no_amount_is_refused(wrong):
    """Not taken for none."""
    with pytest.raises(ValueError, match="max_cost"):
        RunBudgetForm.model_validate({"max_cost": wrong})


def test_the_sentence_says_how_much_is_used_and_what_the_call_may_cost():
    """For people; in numbers alone."""
    money = {"scope": "run", "max_cost": "2", "cost": "1.5", "currency": "USD"}
    known = detail_of("budget.exceeded", {"budget": {**money, "call_cost": "0.7"}})
    unknown = detail_of("budget.exceeded", {"budget": {**money, "call_cost": None}})

    assert known is not None
    assert "(1.5 of 2 USD are used; it costs up to 0.7)" in known
    assert "what it costs is not known" in str(unknown)


@pytest.mark.parametrize("verb", ["run", "chat", "ask"])
def test_every_verb_refuses_a_limit_that_it_cannot_hold(tmp_path, verb):
    """A pack's limit is no wish: without a price nothing is sent."""
    bundled = {"run": "intake", "chat": "services", "ask": "grounded"}[verb]
    pack = load_pack(bundled)
    limited = RunBudget(max_cost=Decimal(1))

    async def go() -> None:
        store = f"sqlite:///{tmp_path / 'a.db'}"
        async with aopen(store, script(tmp_path, "x"), environ={}) as runtime:
            if verb == "run":
                async for _ in runtime.run(pack, [b"Subject: x\n\nhello\n"], budget=limited):
                    pass
            elif verb == "chat":
                await runtime.chat(pack, message="hello", budget=limited)
            else:
                form = RunBudgetForm(max_cost=Decimal(1))
                text = tmp_path / "a.txt"
                text.write_text("The yearly fee is 40 EUR.")
                own = replace(pack, budget=form)
                await runtime.ask("What is the fee?", docs=[str(text)], pack=own)

    with pytest.raises(UsageError, match="max_cost"):
        asyncio.run(go())


@pytest.mark.clause("006-M2")
def test_no_correction_prompt_speaks_of_a_model_that_was_not_asked(tmp_path: Path):
    """The text was not at fault, so there is nothing in it to correct."""
    correcting = FILES["contracts/triage.yaml"].replace(
        b"attempts: [{}, {temperature: 0.0, shorten: true}]", b"attempts: [{}, {correct: true}]"
    )
    pack = tiny_pack(contracts__triage__yaml=correcting)
    job = ContractJob(
        contract=pack.contract("triage"),
        material=Material(texts={"text": TEXT.decode()}),
        redactor=Redactor(),
    )
    other, fenced = (
        Finding(code=code, severity="reject", path="", message="is wrong")
        for code in ("output.other_model", "json.fenced")
    )

    assert job.build(2, (other,)) == job.build(2, ())
    assert job.build(2, (other, fenced)) == job.build(2, (fenced,)) != job.build(2, ())
