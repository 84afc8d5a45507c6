"""What calls cost, as a person or a program meets it: limits, lists, figures, the unknown."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.command import Ran, assay
from tests.loopback import Server, openai_text, serving
from tests.runtime.tiny import FILES, GOOD, UNKNOWN_LABEL, script, write_pack

pytestmark = pytest.mark.clause("006-M6")

PRICES = """prices:
- {model: 'scripted:*', input: 1000, output: 10000, currency: USD, as_of: 2026-11-01}
"""
COUNTED = {"input_tokens": 50, "output_tokens": 20}
EACH = Decimal("0.25")
"""What a counted reply costs by these prices."""

MOST = Decimal("1.1")
"""More than a call is reserved with: some 35 tokens of prompt, 100 of output."""


def reply(text: str = GOOD, **usage: int) -> dict[str, object]:
    """A line of a script."""
    return {"text": text, "finish_reason": "stop", **({"usage": usage} if usage else {})}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The tiny pack, four texts and a price list."""
    write_pack(tmp_path / "pack")
    (tmp_path / "in").mkdir()
    for number in range(4):
        (tmp_path / "in" / f"{number}.txt").write_text(f"{number}: there is water in the cellar.")
    (tmp_path / "prices.yaml").write_text(PRICES)
    return tmp_path


def run(place: Path, *words: str, prices: str = "prices.yaml", **environ: str) -> Ran:
    """`assay run pack in` with the script s.jsonl."""
    chosen = {} if "--model" in words else {"ASSAY_MODEL": "scripted:s.jsonl"}
    given = {"ASSAY_PRICES": prices} if prices else {}
    return assay(place, "run", "pack", "in", *words, **chosen, **given, **environ)


def listed(place: Path, **environ: str) -> list[dict[str, Any] | None]:
    """The costs that `calls list` prints, the earliest first."""
    document = assay(place, "calls", "list", "--json", **environ).document
    return [call["cost"] for call in reversed(document["calls"])]


def events(place: Path, kind: str) -> list[dict[str, Any]]:
    """Facts of all events of a kind."""
    document = assay(place, "calls", "list", "--json").document
    shown = [
        assay(place, "calls", "show", each["id"], "--json").document for each in document["calls"]
    ]
    return [e["facts"] for call in shown for e in call["events"] if e["kind"] == kind]


def test_a_call_costs_what_its_tokens_cost_and_says_since_when(place):
    """On record as digits, with currency and day; and at the end of the run."""
    script(place, *[reply(**COUNTED)] * 4, name="s.jsonl")
    ran = run(place)

    expected = {"amount": "0.25", "currency": "USD", "as_of": "2026-11-01", "estimated": False}
    assert [expected] * 4 == listed(place)
    assert expected == events(place, "model.answered")[0]["cost"]
    assert "cost: 1 USD" in " ".join(ran.out.split())
    assert "│ 0.25" in assay(place, "calls", "list").out


def test_all_attempts_of_a_call_count(place):
    """A rejected reply is paid for, too."""
    bad, good = reply(UNKNOWN_LABEL, **COUNTED), reply(**COUNTED)
    script(place, bad, good, *[good] * 3, name="s.jsonl")
    run(place)

    assert ["0.5", "0.25", "0.25", "0.25"] == [cost["amount"] for cost in listed(place) if cost]


@pytest.mark.parametrize("usage", [{}, {"input_tokens": 0, "output_tokens": 0}])
def test_a_reply_without_usage_costs_at_most_the_allowance_and_is_marked(place, usage):
    """No count is not nought."""
    script(place, *[reply(**usage)] * 4, name="s.jsonl")
    run(place)

    for cost in listed(place):
        assert cost is not None
        assert cost["estimated"]
        assert 1 < Decimal(cost["amount"]) < MOST


def test_a_price_that_is_not_known_is_not_nought(place):
    """A script stands for a model that nobody named."""
    script(place, *[reply(**COUNTED)] * 4, name="s.jsonl")
    ran = run(place, prices="")

    assert [None] * 4 == listed(place)
    assert "4 calls of unknown price" in " ".join(ran.out.split())
    assert "unknown" in assay(place, "calls", "list").out


def test_what_stands_on_record_stays_when_prices_change(place):
    """Neither a list, nor a replay, nor a second run works a cost out again."""
    script(place, *[reply(**COUNTED)] * 4, name="s.jsonl")
    run(place)
    before = listed(place)
    (place / "prices.yaml").write_text(PRICES.replace("input: 1000", "input: 9000"))
    call = assay(place, "calls", "list", "--json").document["calls"][0]["id"]
    again = run(place)
    replayed = assay(
        place, "replay", call, "--pack", "pack", "--json", ASSAY_PRICES="prices.yaml"
    ).document

    assert before == listed(place, ASSAY_PRICES="prices.yaml")
    assert "changed" != replayed["verdict"]
    assert "cost:" not in again.out


def test_a_limit_holds_back_what_might_pass_it(place):
    """Reserved at the most a call can cost, settled at what it did."""
    script(place, *[reply(**COUNTED)] * 4, name="s.jsonl")
    done = run(place, "--max-cost", str(MOST + EACH), "--json")

    accepted = [line for line in done.documents if line["outcome"] == "accepted"]
    held = [line for line in done.documents if line["reason"] == "budget.exceeded"]
    assert 0 == done.code
    assert (2, 2) == (len(accepted), len(held))
    assert all("0.5 of 1.35 USD" in line["detail"] for line in held)
    nothing = {"amount": "0", "currency": None, "as_of": None, "estimated": False}
    assert [nothing] * 2 == listed(place)[2:]


def test_what_a_limit_held_back_is_asked_by_a_later_run(place):
    """The limit is the run's and not the call's."""
    script(place, *[reply(**COUNTED)] * 4, name="s.jsonl")
    run(place, "--max-cost", "0.1")
    script(place, *[reply(**COUNTED)] * 4, name="s.jsonl")
    second = run(place, "--json")

    assert ["accepted"] * 4 == [line["outcome"] for line in second.documents]


@pytest.mark.parametrize("where", ["option", "pack"])
def test_a_limit_for_a_model_of_unknown_price_is_wrong_usage(place, where):
    """Told before anything is sent, with the model's name and how to give a price."""
    script(place, *[reply(**COUNTED)] * 4, name="s.jsonl")
    words = ["--max-cost", "5.00"] if where == "option" else []
    if where == "pack":
        limited = FILES["pack.yaml"] + b"budget: {max_cost: 5.00}\n"
        (place / "pack" / "pack.yaml").write_bytes(limited)
    done = run(place, *words, "--script-log", "log.jsonl", prices="")

    log = place / "log.jsonl"
    assert 2 == done.code
    assert "scripted:s.jsonl" in done.err
    assert "ASSAY_PRICES" in done.err
    assert not log.exists() or not log.read_text()


def test_a_limit_of_the_pack_holds_and_the_smaller_one_counts(place):
    """`budget: {max_cost: …}` in pack.yaml, beside the option."""
    (place / "pack" / "pack.yaml").write_bytes(FILES["pack.yaml"] + b"budget: {max_cost: 1.35}\n")
    script(place, *[reply(**COUNTED)] * 4, name="s.jsonl")
    done = run(place, "--max-cost", "100", "--json")

    assert 2 == [line["reason"] for line in done.documents].count("budget.exceeded")


@pytest.mark.parametrize("amount", ["5,00", "-1", "1e3", "five", "", "NaN", "5 USD"])
def test_an_amount_is_digits(place, amount):
    """Anything else is refused, and nothing is sent."""
    script(place, *[reply(**COUNTED)] * 4, name="s.jsonl")
    done = run(place, "--max-cost", amount)

    assert 2 == done.code
    assert "--max-cost" in done.err


@pytest.mark.parametrize(
    ("content", "said"),
    [("prices:\n- {model: m}\n", "own.yaml:2: "), ("prices: [\n", "own.yaml"), (None, "own.yaml")],
)
def test_a_price_list_that_is_wrong_is_told_with_its_line(place, content, said):
    """Before anything is sent."""
    if content is not None:
        (place / "own.yaml").write_text(content)
    script(place, *[reply(**COUNTED)] * 4, name="s.jsonl")
    done = run(place, prices="own.yaml")

    assert 10 == done.code
    assert said in done.err


def test_models_in_this_process_cost_nothing(place):
    """Known to be nought, so that a limit of nought holds."""
    done = run(place, "--model", "extractive", "--max-cost", "0", "--json", prices="")

    assert ["accepted"] * 4 == [line["outcome"] for line in done.documents]
    assert ["0"] * 4 == [cost["amount"] for cost in listed(place) if cost]


def test_figures_count_tokens_money_and_what_is_unknown(place):
    """For people and for Prometheus, by model."""
    script(place, *[reply(**COUNTED)] * 4, name="s.jsonl")
    run(place)
    script(place, *[reply(**COUNTED)] * 4, name="t.jsonl")
    run(place, "--model", "scripted:t.jsonl", "--again", prices="")
    figures = assay(place, "templates", "stats", "--json").document["models"]
    scraped = assay(place, "templates", "stats", "--prometheus").out.splitlines()

    assert 200 == figures["scripted:s.jsonl"]["input_tokens"]
    assert ["1"] == [total["amount"] for total in figures["scripted:s.jsonl"]["cost"]["totals"]]
    assert 4 == figures["scripted:t.jsonl"]["cost"]["unknown"]
    assert 'assay_model_cost_total{model="scripted:s.jsonl",currency="USD"} 1' in scraped
    assert 'assay_model_exchanges_unpriced_total{model="scripted:t.jsonl"} 4' in scraped
    assert 'assay_model_tokens_total{model="scripted:s.jsonl",kind="output"} 80' in scraped


def test_a_call_shows_what_was_exchanged_for_it(place):
    """Time, tokens and money of all attempts."""
    script(place, *[reply(**COUNTED)] * 4, name="s.jsonl")
    run(place)
    call = assay(place, "calls", "list", "--json").document["calls"][0]["id"]
    use = assay(place, "calls", "show", call, "--json").document["call"]["use"]
    shown = " ".join(assay(place, "calls", "show", call).out.split())

    assert (50, 20, 0) == (use["input_tokens"], use["output_tokens"], use["reasoning_tokens"])
    assert ["0.25"] == [total["amount"] for total in use["cost"]["totals"]]
    assert "cost 0.25 USD" in shown


# --- real servers ------------------------------------------------------------------------------


def ask_server(place: Path, server: Server, *words: str, prices: str = "") -> Ran:
    """`assay run` against a server that is not the provider's own."""
    environ = {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"{server.url}/v1"}
    return run(place, "--model", "openai:gpt-4.1", *words, prices=prices, **environ)


def test_a_server_that_is_not_the_providers_own_has_no_list_price(place):
    """The same name costs something else where somebody else hosts it."""
    with serving(openai_text(GOOD)) as server:
        refused = ask_server(place, server, "--max-cost", "5")
        sent = len(server.seen)
        ask_server(place, server)
        host = server.url.removeprefix("http://")

    assert (2, 0) == (refused.code, sent)
    assert host in refused.err
    assert [None] * 4 == listed(place)


def test_the_users_list_prices_a_server_by_its_address(place):
    """11 tokens in, 7 out."""
    with serving(openai_text(GOOD)) as server:
        host = server.url.removeprefix("http://")
        entry = {"model": "openai:*", "host": host, "input": 1, "output": 2}
        entry |= {"currency": "EUR", "as_of": "2026-11-01"}
        (place / "own.yaml").write_text(json.dumps({"prices": [entry]}))
        ask_server(place, server, prices="own.yaml")

    assert ["0.000025"] * 4 == [cost["amount"] for cost in listed(place) if cost]


@pytest.mark.clause("006-M2")
def test_a_server_that_answers_with_another_model_is_refused_by_a_contract_that_lists_models(place):
    """`tiny-2026-01-01` is a snapshot of `tiny` and no `gpt-4.1`."""
    listing = FILES["contracts/triage.yaml"].replace(b'["*"]', b'["gpt-4.1", "tiny"]')
    (place / "pack" / "contracts" / "triage.yaml").write_bytes(listing)
    with serving(openai_text(GOOD)) as server:
        other = ask_server(place, server, "--json")
        environ = {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"{server.url}/v1"}
        same = run(place, "--model", "openai:tiny", "--json", **environ)

    assert ["gate.rejected"] * 4 == [line["reason"] for line in other.documents]
    assert all("output.other_model" in line["detail"] for line in other.documents)
    assert ["accepted"] * 4 == [line["outcome"] for line in same.documents]
