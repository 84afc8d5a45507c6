"""Replies by prompt digest and parameters."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.recorded import RecordedModel
from assay.adapters.models.transcript import read_line, recorded_line
from assay.core.json.canonical import digest
from assay.errors import InputError
from assay.protocols import ModelFault, ModelReply, ModelRequest, Parameters

PARAMS = {"temperature": 0.0, "max_output_tokens": 9, "seed": None}


def request(prompt: str, temperature: float = 0.0) -> ModelRequest:
    return ModelRequest(
        prompt=prompt,
        prompt_sha256=digest(prompt),
        parameters=Parameters(temperature=temperature, max_output_tokens=9),
    )


def recording(tmp_path, *lines: tuple[str, dict | None, str]):
    path = tmp_path / "calls.jsonl"
    entries = [
        {"prompt_sha256": digest(prompt), "text": text, **({"params": params} if params else {})}
        for prompt, params, text in lines
    ]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    return path


def talk(path, *requests: ModelRequest) -> list[str | bytes]:
    async def ask() -> list[str | bytes]:
        model = RecordedModel.open(path)
        answers: list[str | bytes] = []
        for what in requests:
            try:
                answers.append((await model.complete(what)).text)
            except ModelFault as fault:
                answers.append(fault.kind)
        await model.aclose()
        return answers

    return asyncio.run(ask())


def test_a_reply_belongs_to_its_prompt_and_parameters(tmp_path):
    """In whatever order they are asked for; anything else is not on record."""
    path = recording(
        tmp_path,
        ("one", PARAMS, "1 cold"),
        ("one", {**PARAMS, "temperature": 0.7}, "1 warm"),
        ("two", PARAMS, "2 cold"),
    )

    assert ["2 cold", "1 warm", "1 cold", "exhausted", "exhausted"] == talk(
        path,
        request("two"),
        request("one", 0.7),
        request("one"),
        request("three"),
        request("two", 0.7),
    )


def test_several_replies_under_one_key_come_in_order_and_the_last_stays(tmp_path):
    """As a rerun recorded them."""
    path = recording(tmp_path, ("one", PARAMS, "a"), ("one", PARAMS, "b"))

    assert ["a", "b", "b"] == talk(path, request("one"), request("one"), request("one"))


def test_parameters_may_be_left_open(tmp_path):
    """A line without parameters answers its prompt under any; an exact one goes first."""
    path = recording(tmp_path, ("one", None, "any"), ("one", PARAMS, "exact"))

    assert ["exact", "any"] == talk(path, request("one"), request("one", 0.7))


def test_zero_is_zero_and_no_seed_is_none(tmp_path):
    """Keys compare values, not spellings."""
    path = recording(tmp_path, ("one", {"max_output_tokens": 9, "temperature": 0}, "a"))

    assert ["a"] == talk(path, request("one"))


def test_a_line_that_names_no_prompt_is_refused_with_its_number(tmp_path):
    """A script is no recording."""
    path = tmp_path / "calls.jsonl"
    path.write_text('\n{"text": "a"}\n', "utf-8")
    with pytest.raises(InputError, match="line 2 has no 'prompt_sha256'"):
        RecordedModel.open(path)


def test_parameters_that_are_no_json_values_are_refused_with_their_line(tmp_path):
    """An integer beyond what JSON can carry exactly."""
    path = recording(tmp_path, ("one", {"seed": 2**60}, "a"))
    with pytest.raises(InputError, match="line 1"):
        RecordedModel.open(path)


@given(
    st.text() | st.binary(),
    st.none() | st.text(st.characters(codec="utf-8"), max_size=5),
    st.none() | st.integers(0, 99),
)
def test_what_is_written_is_read_back(text, finish, count):
    """Byte for byte, replies that are no UTF-8 included."""
    reply = ModelReply(text=text, finish_reason=finish, input_tokens=count)
    raw = recorded_line(prompt_sha256="sha256:0", params=PARAMS, reply=reply)
    line = read_line(raw, 1, "file")

    def plain(value: str | bytes) -> bytes:
        return value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")

    assert line is not None
    assert 1 == raw.count(b"\n")
    back = line.answer()
    assert (plain(text), finish, count) == (
        plain(back.text),
        back.finish_reason,
        back.input_tokens,
    )
    assert ("sha256:0", PARAMS) == (line.prompt_sha256, line.params)
