"""Replies from a file, in order; and every request on a log."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from assay.adapters.models.registry import open_model
from assay.adapters.models.scripted import ScriptedModel
from assay.core.json.canonical import digest
from assay.errors import InputError
from assay.protocols import Model, ModelFault, ModelReply, ModelRequest, Parameters


def request(prompt: str = "Grüße 🦊", **more) -> ModelRequest:
    return ModelRequest(
        prompt=prompt,
        prompt_sha256=digest(prompt),
        parameters=Parameters(**{"temperature": 0.5, "max_output_tokens": 9, **more}),
    )


def talk(model: Model, times: int) -> list[ModelReply | str]:
    async def ask() -> list[ModelReply | str]:
        answers: list[ModelReply | str] = []
        for _ in range(times):
            try:
                answers.append(await model.complete(request()))
            except ModelFault as fault:
                answers.append(f"{fault.kind} {'again' if fault.transient else 'end'}")
        await model.aclose()
        return answers

    return asyncio.run(ask())


def script(tmp_path, *lines: str | bytes):
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b"".join(ln if isinstance(ln, bytes) else ln.encode() + b"\n" for ln in lines))
    return path


def test_lines_are_replies_in_order(tmp_path):
    """Text, finish reason and usage as written; both spellings of counts are known."""
    path = script(
        tmp_path,
        '{"text": "a", "finish_reason": "stop", '
        '"usage": {"prompt_tokens": 3, "completion_tokens": 4}}',
        '{"text": "b", "usage": {"input_tokens": 5, "output_tokens": 6}}',
        '{"text": " \\n"}',
    )
    first, second, third = talk(open_model(f"scripted:{path}", environ={}), 3)

    assert ("a", "stop", 3, 4) == (
        first.text,
        first.finish_reason,
        first.input_tokens,
        first.output_tokens,
    )
    assert ("b", None, 5, 6) == (
        second.text,
        second.finish_reason,
        second.input_tokens,
        second.output_tokens,
    )
    assert " \n" == third.text


def test_errors_are_faults_and_the_end_is_one_too(tmp_path):
    """Each kind knows whether asking again can help."""
    kinds = ["timeout", "rate_limit", "server", "bad_request", "auth"]
    path = script(tmp_path, *(json.dumps({"error": kind}) for kind in kinds))

    assert [
        "timeout again",
        "rate_limit again",
        "server again",
        "bad_request end",
        "auth end",
        "exhausted end",
        "exhausted end",
    ] == talk(ScriptedModel.open(path), 7)


def test_blank_lines_a_byte_order_mark_and_a_missing_last_line_end_do_no_harm(tmp_path):
    """Files as editors leave them."""
    path = script(tmp_path, b'\xef\xbb\xbf{"text": "a"}\r\n\n  \n{"text": "b"}')

    assert ["a", "b"] == [reply.text for reply in talk(ScriptedModel.open(path), 2)]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "is no JSON"),
        ("[]", "is no JSON object"),
        ('"text"', "is no JSON object"),
        ("{}", "neither 'text' nor 'error'"),
        ('{"text": null}', "neither 'text' nor 'error'"),
        ('{"text": 1}', "no string"),
        ('{"text": "a", "error": "server"}', "both a text and an 'error'"),
        ('{"error": "sever"}', "unknown 'error'"),
        ('{"error": ["server"]}', "unknown 'error'"),
        ('{"text": "a", "finish_reson": "stop"}', "close to, but not, 'finish_reason'"),
        ('{"text": "a", "finish_reason": 1}', "no string"),
        ('{"text": "a", "usage": 3}', "no object"),
        ('{"text": "a", "usage": {"input_tokens": -1}}', "no count"),
        ('{"text": "a", "usage": {"input_tokens": true}}', "no count"),
        ('{"error": "server", "retry_after_s": "soon"}', "no number of seconds"),
        ('{"text": "a", "usage": {"input_tokens": NaN}}', "is no JSON"),
        ('{"text": "a", "text_base64": "YQ=="}', "both"),
        ('{"text_base64": "?"}', "no base64"),
        ("[" * 100_000, "is no JSON"),
        (b"\xff\n", "is no JSON"),
    ],
)
def test_a_malformed_line_is_named_before_any_is_used(tmp_path, line, what):
    """Line 3, although lines 1 and 2 would do; the reply's text is not quoted."""
    path = script(tmp_path, '{"text": "secret"}', "", line)
    with pytest.raises(InputError) as caught:
        open_model(f"scripted:{path}", environ={})

    assert f"{path}: line 3 " in caught.value.message
    assert what in caught.value.message
    assert 10 == caught.value.exit_code


def test_a_reply_that_is_no_text_arrives_as_bytes(tmp_path):
    """What no UTF-8 can say is the gate's to refuse, not the script's."""
    path = script(tmp_path, '{"text": "\\ud800"}', '{"text_base64": "/3s="}')

    assert [b"\xed\xa0\x80", b"\xff{"] == [
        reply.text for reply in talk(ScriptedModel.open(path), 2)
    ]


def test_a_script_that_is_not_there_or_is_a_folder_is_an_input_error(tmp_path):
    """With the reason."""
    for path in (tmp_path / "no.jsonl", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            open_model(f"scripted:{path}", environ={})


def test_identity_is_the_script(tmp_path):
    """Equal scripts, equal identity; the name is as given."""
    path = script(tmp_path, '{"text": "a"}')
    model = ScriptedModel.open(path)

    assert f"scripted:{path}" == model.name
    assert {
        "kind": "scripted",
        "script_sha256": digest(path.read_bytes()),
        "lines": 1,
    } == model.identity
    asyncio.run(model.aclose())


def test_the_log_holds_every_request_as_sent(tmp_path):
    """Prompt, digest and parameters; failed requests too; a second run is added to it."""
    path = script(tmp_path, '{"error": "server"}', '{"text": "a"}')
    log = tmp_path / "log.jsonl"
    for _ in range(2):
        talk(open_model(f"scripted:{path}", environ={}, script_log=log), 2)

    entry = {
        "prompt": "Grüße 🦊",
        "prompt_sha256": digest("Grüße 🦊"),
        "params": {"temperature": 0.5, "max_output_tokens": 9, "seed": None},
    }
    assert [entry] * 4 == [json.loads(line) for line in log.read_text("utf-8").splitlines()]


def test_a_log_that_cannot_be_written_is_said_at_once(tmp_path):
    """Before the first request."""
    path = script(tmp_path, '{"text": "a"}')
    with pytest.raises(InputError, match="cannot be written"):
        open_model(f"scripted:{path}", environ={}, script_log=tmp_path / "no" / "log.jsonl")


class _Ear:
    """Hears, and stops at the piece that it is told to."""

    def __init__(self, stop_at: str | None = None) -> None:
        self.heard: list[str] = []
        self.began = 0
        self._stop_at = stop_at

    def begin(self) -> None:
        self.began += 1

    def hear(self, piece: str) -> bool:
        self.heard.append(piece)
        return piece == self._stop_at


def hear(tmp_path, line: dict, ear: _Ear | None) -> ModelReply:
    model = ScriptedModel.open(script(tmp_path, json.dumps(line)))

    async def ask() -> ModelReply:
        try:
            return await model.complete(replace(request(), listener=ear))
        finally:
            await model.aclose()

    return asyncio.run(ask())


@pytest.mark.clause("006-M4")
@pytest.mark.parametrize(
    ("line", "pieces"),
    [
        ({"text": " a  bc\n d ", "stream": True}, [" a", "  bc", "\n d", " "]),
        ({"pieces": ["a", "", "b c"]}, ["a", "", "b c"]),
        ({"text": "a b"}, []),
        ({"text": "a b", "stream": False}, []),
    ],
)
def test_a_reply_arrives_in_pieces_where_its_line_says_so(tmp_path, line, pieces):
    """Whole words or the pieces given; together they are the text, listener or not."""
    ear = _Ear()
    whole = "".join(line.get("pieces", [])) or line["text"]

    assert whole == hear(tmp_path, line, ear).text
    assert (pieces, int(bool(pieces))) == (ear.heard, ear.began)
    assert whole == hear(tmp_path, line, None).text


@pytest.mark.clause("006-M4")
def test_who_listens_may_stop_it(tmp_path):
    """What arrived is the reply; nobody counted its tokens."""
    line = {"pieces": ["a", "b", "c"], "finish_reason": "stop", "usage": {"output_tokens": 3}}
    reply = hear(tmp_path, line, _Ear("b"))

    assert ("ab", "assay_stopped", None) == (reply.text, reply.finish_reason, reply.output_tokens)


@pytest.mark.clause("006-M4")
def test_a_fault_may_come_after_some_pieces(tmp_path):
    """As when a connection breaks in the middle of a reply."""
    ear = _Ear()
    with pytest.raises(ModelFault, match="server"):
        hear(tmp_path, {"pieces": ["a"], "error": "server"}, ear)
    assert ["a"] == ear.heard


@pytest.mark.clause("006-M4")
@pytest.mark.parametrize(
    ("line", "what"),
    [
        ({"text": "a", "pieces": ["a"]}, "both a text and 'pieces'"),
        ({"pieces": "a"}, "no list of strings"),
        ({"pieces": [1]}, "no list of strings"),
        ({"text": "a", "stream": "yes"}, "neither true nor false"),
        ({"text": "a", "streams": True}, "close to, but not, 'stream'"),
    ],
)
def test_a_line_that_streams_wrongly_is_named(tmp_path, line, what):
    """Before the first reply is used."""
    with pytest.raises(InputError, match=what):
        ScriptedModel.open(script(tmp_path, json.dumps(line)))
