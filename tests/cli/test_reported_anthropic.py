"""What Anthropic's servers were reported to answer, from the command line over the loopback."""

from __future__ import annotations

import json
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import command, loopback
from tests.adapters.models.anthropic_shapes import message_events, refusal, stream, tool_block
from tests.cli.test_reported_models import _is_up, run
from tests.processes import start_python, wait_until

REFUSED = "output_config: Extra inputs are not permitted"


@pytest.fixture(scope="module")
def server(cases: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the server of reported answers listens."""
    port = loopback.closed_port()
    script = str(cases / "reports" / "faulty_server.py")
    with start_python(script, str(port), cwd=tmp_path_factory.mktemp("server")):
        wait_until(lambda: _is_up(port))
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def replies(cases: Path) -> dict[str, Any]:
    """The good reply to each contract, and which contract a prompt is of."""
    return runpy.run_path(str(cases / "reports" / "faulty_server.py"))


def shown_calls(place: Path, done: Any) -> list[dict[str, Any]]:
    """`calls show` of every call of a run."""
    calls = [call for line in done.documents for call in line.get("calls", ())]
    shown = (
        command.assay(place, "calls", "show", call, "--store", "sqlite:///n.db", "--json")
        for call in calls
    )
    return [each.documents[0] for each in shown]


def details_of(call: dict[str, Any]) -> dict[str, Any]:
    """What the adapter put on record of a call's first exchange."""
    facts = (event.get("facts", {}) for event in call["events"])
    return next(each["details"] for each in facts if "details" in each)


@pytest.mark.clause("006-M2")
@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("a_refusal", "output.filtered"),
        ("a_tool", "output.stopped"),
        ("a_tool_only", "output.stopped"),
        ("a_ctx", "output.stopped"),
        ("a_pause", "output.stopped"),
        ("a_think", "output.empty"),
        ("a_empty", "output.empty"),
    ],
)
def test_a_message_that_is_no_whole_reply_goes_to_a_person(tmp_path, server, case, code):
    """Under the finding that says why, though the text in it would be accepted."""
    done = run(tmp_path, server, case)
    found = json.dumps(shown_calls(tmp_path, done)[0])

    assert [line["outcome"] for line in done.documents] == ["needs_review"] * 2
    assert code in found


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize("case", ["a_ok", "a_split"])
def test_the_contract_goes_out_with_the_prompt_and_stands_on_record(tmp_path, server, case):
    """As structured outputs; one text in several blocks is one reply."""
    done = run(tmp_path, server, case)
    details = [details_of(call) for call in shown_calls(tmp_path, done)]

    assert [line["outcome"] for line in done.documents] == ["accepted"] * 2
    assert {each["held_by"] for each in details} == {"output_config"}
    assert all(each["schema_sha256"].startswith("sha256:") for each in details)


@pytest.mark.clause("006-M2")
@pytest.mark.parametrize("case", ["a_credit", "a_529", "a_err200"])
def test_a_fault_that_every_mail_would_meet_ends_the_run(tmp_path, server, case):
    """40, the provider's own code, and no outcome."""
    done = run(tmp_path, server, case)

    assert done.code == 40
    assert ("invalid_request_error" if case == "a_credit" else "overloaded_error") in done.err
    assert [line for line in done.documents if "outcome" in line] == []


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "at-once"])
def test_mails_are_sorted_by_a_server_that_knows_tools_alone(tmp_path, replies, streamed):
    """The forced tool's input is judged like a text, byte for byte."""

    def behave(handler: loopback.Handler) -> None:
        body = handler.asked.body
        if "output_config" in body:
            refusal(REFUSED)(handler)
            return
        prompt = "".join(block["text"] for block in body["messages"][0]["content"])
        good = replies["GOOD"].get(replies["which"](prompt), {"ok": True})
        name = body["tool_choice"]["name"]
        if streamed:
            written = json.dumps(good)
            block = tool_block(written[:7], written[7:], name=name)
            stream(message_events(block, stop="tool_use"))(handler)
        else:
            block = {"type": "tool_use", "id": "t", "name": name, "input": good}
            usage = {"input_tokens": 100, "output_tokens": 20}
            answer = {"content": [block], "stop_reason": "tool_use", "model": "m", "usage": usage}
            loopback.answer(200, answer)(handler)

    with loopback.serving(behave) as here:
        done = run(tmp_path, here.url, "a_tools")
    details = [details_of(call) for call in shown_calls(tmp_path, done)]

    assert [line["outcome"] for line in done.documents] == ["accepted"] * 2
    assert {each["held_by"] for each in details} == {"tool"}
    assert sum("refused" in each for each in details) == 1


@pytest.mark.clause("006-M4")
def test_a_stream_that_breaks_off_is_asked_again(tmp_path, replies):
    """A reply without its end is none, though its text would be accepted."""
    broken: list[str] = []

    def behave(handler: loopback.Handler) -> None:
        body = handler.asked.body
        if "output_config" in body:
            refusal(REFUSED)(handler)
            return
        prompt = "".join(block["text"] for block in body["messages"][0]["content"])
        good = json.dumps(replies["GOOD"].get(replies["which"](prompt), {"ok": True}))
        events = message_events(tool_block(good, name=body["tool_choice"]["name"]), stop="tool_use")
        if prompt not in broken:
            broken.append(prompt)
            events = events[:-2]
        stream(events)(handler)

    with loopback.serving(behave) as here:
        done = run(tmp_path, here.url, "a_tools", mails=1)
        asked = len(here.seen)

    assert [line["outcome"] for line in done.documents] == ["accepted"]
    assert asked == 1 + 2 * len(broken)
