"""Whose fault it is that a model refuses the first inputs."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ModelUnavailableError
from assay.protocols import ModelFault
from assay.runtime.calls.trust import Pacing, bring_in_order
from tests import command

GOOD = "good"
BAD = "bad"
KNOWN = "known"
"""Settled before: nothing is sent for it."""

GOT = {
    GOOD: SimpleNamespace(generation_status="OK"),
    BAD: SimpleNamespace(
        generation_status="FAILED",
        failure="bad_request",
        model_name="m",
        faults=[ModelFault("bad_request", transient=False)],
    ),
}
"""What an exchange of each kind comes to."""


async def one_after_another(items):
    for item in items:
        yield item


def bring_all(kinds: list[tuple[int, str]], parallel: int = 1) -> tuple[list[int], list[int], bool]:
    """Numbers of the outcomes in order, those that are reviews, whether the run ended early."""
    items = [
        SimpleNamespace(number=number, digest=digest, kind=kind)
        for number, (digest, kind) in enumerate(kinds)
    ]
    done: list[int] = []
    reviews: list[int] = []

    async def bring(item, trust):
        for _ in range(item.number * 7 % 5):  # ends come in another order than the inputs
            await asyncio.sleep(0)
        if item.kind != KNOWN:
            trust.weigh(GOT[item.kind])
        return item.number, item.kind == BAD

    async def run() -> bool:
        try:
            outcomes = bring_in_order(one_after_another(items), bring, Pacing(parallel=parallel))
            async for number, review in outcomes:
                done.append(number)
                if review:
                    reviews.append(number)
        except ModelUnavailableError:
            return True
        return False

    ended = asyncio.run(run())
    return done, reviews, ended


@pytest.mark.clause("005-R21")
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([GOOD, BAD, KNOWN])), max_size=8))
def test_two_distinct_inputs_refused_before_any_answer_end_the_run(kinds):
    """Outcomes are a beginning of the inputs in order; all of them where the run did not end."""
    done, reviews, ended = bring_all(kinds)
    before = kinds[: next((at for at, (_, kind) in enumerate(kinds) if kind == GOOD), None)]
    refused = {digest for digest, kind in before if kind == BAD}

    assert ended == (len(refused) > 1)
    assert done == list(range(len(done)))
    if ended:
        assert reviews == []
    else:
        assert len(done) == len(kinds)
        assert reviews == [number for number, (_, kind) in enumerate(kinds) if kind == BAD]


@pytest.mark.clause("005-R21", "006-M5")
@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([GOOD, BAD, KNOWN])), max_size=12),
    st.integers(2, 9),
)
def test_it_is_told_the_same_way_with_many_inputs_under_way(kinds, parallel):
    """Outcomes, reviews and the end of the run are those of one input after another."""
    assert bring_all(kinds) == bring_all(kinds, parallel)


REPLY = {
    "classify": {
        "intents": [
            {
                "label": "INTENT_GENERAL_INQUIRY",
                "confidence": 0.9,
                "evidence_snippets": ["opening hours"],
            }
        ],
        "primary_intent": "INTENT_GENERAL_INQUIRY",
        "product_line": {"label": "PROD_UNKNOWN", "confidence": 0.9, "evidence_snippets": []},
        "urgency": {"label": "URG_NORMAL", "confidence": 0.7, "evidence_snippets": []},
        "risk_flags": [],
    },
    "extract": {"entities": []},
    "identify": {"keys": []},
}
THREE = [{"text": json.dumps(reply)} for reply in REPLY.values()]
REFUSED = {"error": "bad_request"}


@pytest.mark.clause("005-R21")
@pytest.mark.parametrize(
    ("replies", "mails", "code", "reasons"),
    [
        ([REFUSED, REFUSED], 2, 40, []),
        ([REFUSED, *THREE, REFUSED, REFUSED, REFUSED], 2, 0, ["gave_up", None]),
        ([*THREE, REFUSED, REFUSED, REFUSED], 2, 0, [None, "gave_up"]),
        ([REFUSED] * 4, 1, 0, ["gave_up"]),
    ],
)
def test_a_code_nobody_knows_is_the_set_ups_when_two_inputs_meet_it(
    tmp_path, replies, mails, code, reasons
):
    """Before anything was answered; met by an input alone it is that input's review."""
    for number in range(mails):
        text = f"Subject: Question {number}\n\nWhat are your opening hours?\n"
        (tmp_path / f"q{number}.eml").write_text(text, "utf-8")
    script = "".join(json.dumps({"finish_reason": "stop"} | each) + "\n" for each in replies)
    (tmp_path / "r.jsonl").write_text(script.replace('"finish_reason": "stop", "error"', '"error"'))
    names = [f"q{number}.eml" for number in range(mails)]
    model = ("--model", "scripted:r.jsonl", "--store", "sqlite:///n.db")
    done = command.assay(tmp_path, "run", "intake", *names, *model, "--json")
    waiting = command.assay(tmp_path, "review", "list", "--store", "sqlite:///n.db", "--json")

    assert code == done.code, done.err
    assert reasons == [line["reason"] for line in done.documents if "outcome" in line]
    if code == 40:
        assert "gave_up" not in waiting.out
