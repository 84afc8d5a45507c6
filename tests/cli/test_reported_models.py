"""What real servers were reported to answer, played by a real server over the loopback."""

from __future__ import annotations

import json
import shlex
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import command
from tests.loopback import closed_port
from tests.processes import start_python, wait_until

MAIL = "From: Ann Example <ann@example.org>\nTo: desk@example.com\nSubject: {}\n\n{}\n"
ROWS = (
    "temp-refused-anthropic",
    "max-tokens-refused-azure",
    "bad-key-as-400",
    "error-in-200-poison",
    "content-as-parts",
    "usage-all-zero",
    "tool-call-beside-text",
    "reasoning-only-stop",
    "refusal-stop",
)
REVIEWS = {"needs_review"}


@pytest.fixture(scope="module")
def reports(cases: Path) -> dict[str, dict[str, Any]]:
    """The reported cases by their ids."""
    lines = (cases / "reports" / "reports.jsonl").read_text("utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


@pytest.fixture(scope="module")
def address(cases: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the server listens."""
    port = closed_port()
    place = tmp_path_factory.mktemp("server")
    script = str(cases / "reports" / "faulty_server.py")
    with start_python(script, str(port), cwd=place):
        wait_until(lambda: _is_up(port))
        yield f"http://127.0.0.1:{port}"


def _is_up(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def run(place: Path, address: str, case: str, *, mails: int = 2, **more: str) -> Any:
    """`assay run intake` over mails that ask for opening hours."""
    subjects = ["Question", *(f"Another question {number}" for number in range(1, mails))]
    for number, subject in enumerate(subjects, start=1):
        body = f"What are your opening hours? This is mail {number}."
        (place / f"q{number}.eml").write_text(MAIL.format(subject, body), "utf-8")
    provider = "anthropic" if case.startswith("a_") else "openai"
    base = f"{address}/{case}" + ("" if provider == "anthropic" else "/v1")
    environ = {
        f"{provider.upper()}_API_KEY": "x",
        f"{provider.upper()}_BASE_URL": base,
        "ASSAY_RETRY_TOTAL_S": "3",
    }
    words = shlex.split(more.get("words", ""))
    return command.assay(
        place,
        "run",
        "intake",
        *(f"q{number}.eml" for number in range(1, mails + 1)),
        "--store",
        "sqlite:///n.db",
        "--model",
        f"{provider}:m",
        "--json",
        *words,
        **environ,
    )


@pytest.mark.clause("005-R21")
@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("temp-refused-anthropic", "temperature"),
        ("bad-key-as-400", "INVALID_ARGUMENT"),
    ],
)
def test_a_fault_of_the_set_up_ends_the_run_and_leaves_the_inputs(
    tmp_path, address, reports, row, said
):
    """Exit 40 with the provider's own words, no outcome, and nothing in the review queue."""
    done = run(tmp_path, address, reports[row]["input"]["case"])
    waiting = command.assay(tmp_path, "review", "list", "--store", "sqlite:///n.db", "--json")

    assert 40 == done.code
    assert said in done.err
    assert [] == [line for line in done.documents if "outcome" in line]
    assert "q1.eml" not in waiting.out


@pytest.mark.clause("006-M2")
@pytest.mark.parametrize(
    ("case", "name", "facts"),
    [
        ("temp_unsupported", "temperature", {"not_applied": ["temperature"]}),
        (
            "maxtok_unsupported",
            "max_tokens",
            {"renamed": {"max_tokens": "max_completion_tokens"}},
        ),
    ],
)
def test_what_a_model_refuses_is_refused_once_and_stands_on_record(
    tmp_path, address, reports, case, name, facts
):
    """The mails are accepted; the first call says what was refused, all say what was not sent."""
    done = run(tmp_path, address, case)
    calls = [call for line in done.documents for call in line.get("calls", ())]
    shown = [
        command.assay(tmp_path, "calls", "show", call, "--store", "sqlite:///n.db", "--json")
        for call in calls
    ]
    details = [
        event["facts"]["details"]
        for each in shown
        for event in each.documents[0]["events"]
        if "details" in event.get("facts", {})
    ]

    assert ["accepted", "accepted"] == [line["outcome"] for line in done.documents]
    assert name == details[0]["refused"][0]["parameter"]
    assert 1 == sum("refused" in each for each in details)
    assert all(facts.items() <= each.items() for each in details)
    assert reports["max-tokens-refused-azure"]["input"]["case"] == "maxtok_unsupported"


@pytest.mark.clause("005-R21")
@pytest.mark.parametrize("case", ["poison200", "poison400"])
def test_an_input_that_is_too_long_is_that_inputs_review(tmp_path, address, reports, case):
    """The next input is not held up, and a second run does not stop at the first again."""
    done = run(tmp_path, address, case)
    again = run(tmp_path, address, case)

    for each in (done, again):
        assert 0 == each.code
        assert ["needs_review", "accepted"] == [line["outcome"] for line in each.documents]
        assert "budget.exceeded" == each.documents[0]["reason"]
    assert reports["error-in-200-poison"]["input"]["case"] == "poison200"


@pytest.mark.clause("005-R21")
def test_a_text_in_parts_is_judged_and_hidden_reasoning_is_not(tmp_path, address, reports):
    """The text part alone is the reply."""
    done = run(tmp_path, address, reports["content-as-parts"]["input"]["case"])

    assert ["accepted", "accepted"] == [line["outcome"] for line in done.documents]


@pytest.mark.clause("005-R21")
@pytest.mark.parametrize("case", ["usage_zero", "usage_none"])
def test_a_server_that_counts_nothing_passes_no_budget(tmp_path, address, reports, case):
    """The allowance counts where a provider reports 0 or nothing."""
    done = run(tmp_path, address, case, mails=8, words="--max-total-tokens 9000")

    assert "budget.exceeded" in [line["reason"] for line in done.documents]
    assert reports["usage-all-zero"]["input"]["case"] == "usage_zero"


@pytest.mark.clause("005-G13")
@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("tool-call-beside-text", "output.stopped"),
        ("reasoning-only-stop", "output.empty"),
        ("refusal-stop", "output.filtered"),
    ],
)
def test_a_reply_that_is_not_whole_goes_to_a_person(tmp_path, address, reports, row, code):
    """A call of a tool beside the text, hidden reasoning alone, a refusal by its reason."""
    done = run(tmp_path, address, reports[row]["input"]["case"])
    call = done.documents[0]["calls"][0]
    shown = command.assay(tmp_path, "calls", "show", call, "--store", "sqlite:///n.db", "--json")

    assert REVIEWS == {line["outcome"] for line in done.documents}
    assert code in shown.out


@pytest.mark.clause("005-R21")
@pytest.mark.parametrize(
    ("case", "code", "outcomes"),
    [
        ("err200_401", 40, []),
        ("err200_402", 40, []),
        ("err200_429", 40, []),
        ("choice_error", 40, []),
        ("choice_error_stop", 40, []),
        ("model_400", 40, []),
        ("quota_429", 40, []),
        ("html200", 40, []),
        ("key_400_list", 40, []),
        ("empty_choices", 40, []),
        ("null_choices", 40, []),
        ("loading_503", 40, []),
        ("a_credit", 40, []),
        ("a_err200", 40, []),
        ("a_529", 40, []),
        ("err200_400", 0, ["budget.exceeded"] * 2),
        ("tpm_413", 0, ["budget.exceeded"] * 2),
        ("ctx_400", 0, ["budget.exceeded"] * 2),
        ("azure_cf", 0, ["gate.rejected"] * 2),
        ("refusal_and_content", 0, ["gate.rejected"] * 2),
        ("tool_calls_stop", 0, ["gate.rejected"] * 2),
        ("finish_malformed", 0, ["gate.rejected"] * 2),
        ("finish_length_valid", 0, ["gate.rejected"] * 2),
        ("a_tool", 0, ["gate.rejected"] * 2),
        ("a_tool_only", 0, ["gate.rejected"] * 2),
        ("a_ctx", 0, ["gate.rejected"] * 2),
        ("a_pause", 0, ["gate.rejected"] * 2),
        ("a_think", 0, ["gate.rejected"] * 2),
        ("a_empty", 0, ["gate.rejected"] * 2),
        ("reasoning_null", 0, ["gate.rejected"] * 2),
        ("think_inline", 0, ["gate.rejected"] * 2),
        ("finish_empty", 0, ["gate.rejected"] * 2),
        ("finish_STOP", 0, ["gate.rejected"] * 2),
        ("finish_eos_token", 0, ["gate.rejected"] * 2),
        ("finish_cf", 0, ["gate.rejected"] * 2),
        ("refusal_field", 0, ["gate.rejected"] * 2),
        ("ok", 0, [None, None]),
        ("finish_null", 0, [None, None]),
        ("usage_float", 0, [None, None]),
        ("poisonparts", 0, [None, None]),
        ("a_ok", 0, [None, None]),
        ("a_split", 0, [None, None]),
    ],
)
def test_whatever_a_server_does_ends_as_it_should(tmp_path, address, case, code, outcomes):
    """A queue full of reviews is never the answer to a fault of the set-up."""
    done = run(tmp_path, address, case)

    assert (code, outcomes) == (
        done.code,
        [line["reason"] for line in done.documents if "outcome" in line],
    )
