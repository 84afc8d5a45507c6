"""`assay mcp`: the tools over standard input and output, by the client of the official SDK."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys

import pytest

from tests.parts import require_part
from tests.processes import start_python
from tests.runtime.tiny import GOOD, TEXT, UNKNOWN_LABEL, script, write_pack

require_part("mcp", "mcp")
require_part("server", "fastapi", "uvicorn")

from mcp import StdioServerParameters  # noqa: E402
from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402

RUN = {"pack": "tiny", "inputs": [{"name": "a.txt", "text": TEXT.decode()}]}


def store_of(place):
    return "--store", f"sqlite:///{place}/agents.db"


def words_of(place, model):
    return ["-m", "assay.cli.main", "mcp", *store_of(place), "--model", model]


def surroundings(place):
    write_pack(place / "tiny")
    return {**os.environ, "ASSAY_SERVE_PACKS": f"{place / 'tiny'} grounded"}


def with_client(place, model, work, **options):
    """What *work* does with a client whose server is a process of its own."""

    async def run():
        parameters = StdioServerParameters(
            command=sys.executable, args=words_of(place, model), env=surroundings(place), cwd=place
        )
        async with Client(stdio_client(parameters), **options) as client:
            return await work(client)

    return asyncio.run(run())


@pytest.mark.clause("009-M4")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_local_user_may_use_every_tool(tmp_path, mode):
    """On the store and with the model of the command; and it is all on record there."""

    async def work(client):
        tools = await client.list_tools()
        ran = await client.call_tool("run", RUN)
        (call,) = ran.structured_content["outcomes"][0]["calls"]
        receipt = await client.call_tool("receipt", {"call": call})
        wrong = await client.call_tool("gate", {"contract": "tiny/triage"})
        gone = await client.call_tool("run", {**RUN, "again": True})
        long = await client.call_tool(
            "gate", {"contract": "tiny/triage", "output": "x " * 1_500_000}
        )
        return len(tools.tools), ran, call, receipt, wrong, gone, long

    count, ran, call, receipt, wrong, gone, long = with_client(
        tmp_path, script(tmp_path, GOOD), work, mode=mode
    )
    listed = subprocess.run(
        [sys.executable, "-m", "assay.cli.main", "calls", "list", "--json", *store_of(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )

    assert 7 == count
    assert "accepted" == ran.structured_content["outcomes"][0]["outcome"]
    assert not receipt.is_error
    assert "request.invalid" == wrong.structured_content["error"]["code"]
    assert (True, "model.unavailable") == (gone.is_error, gone.structured_content["error"]["code"])
    assert "rejected" == long.structured_content["verdict"]
    assert call in listed.stdout.decode()


@pytest.mark.clause("009-M4")
def test_nothing_but_the_protocol_stands_on_standard_output(tmp_path):
    """Whatever is sent: each line is a message, and the end of input is the end."""
    begin = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    gate = {"name": "gate", "arguments": {"contract": "tiny/triage", "output": UNKNOWN_LABEL}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        "no JSON",
        [],
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": gate},
        {"jsonrpc": "2.0", "id": 3, "method": "nothing"},
        {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": 7}},
    ]
    process = subprocess.Popen(
        [sys.executable, *words_of(tmp_path, "extractive")],
        cwd=tmp_path,
        env=surroundings(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        for message in messages:
            line = message if isinstance(message, str) else json.dumps(message)
            process.stdin.write(line.encode() + b"\n")
        process.stdin.flush()
        answers = {}
        while not {1, 2, 3, 4} <= set(answers):
            document = json.loads(process.stdout.readline())
            answers[document.get("id")] = document
        rest, said = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()

    assert 0 == process.returncode
    assert all("jsonrpc" in json.loads(line) for line in rest.splitlines())
    assert "rejected" == answers[2]["result"]["structuredContent"]["verdict"]
    assert {"error"} <= set(answers[3]) & set(answers[4])
    assert b"Traceback" not in said


@pytest.mark.clause("009-M4")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_it_is_asked_to(tmp_path, number):
    """While it waits for a line that does not come."""
    environ = {"ASSAY_SERVE_PACKS": f"{tmp_path / 'tiny'}"}
    surroundings(tmp_path)
    listing = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with start_python(*words_of(tmp_path, "extractive"), cwd=tmp_path, environ=environ) as process:
        process.stdin.write(json.dumps(listing) + "\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(number)
        code = process.wait(60)

    assert 128 + number == code


@pytest.mark.clause("009-M4")
def test_a_command_that_lacks_its_libraries_says_what_to_install(tmp_path):
    """And leaves with the code of a usage error."""
    code = (
        "import sys; sys.modules['mcp'] = None\n"
        "import importlib.util as util; find = util.find_spec\n"
        "util.find_spec = lambda name, *a: None if name == 'mcp' else find(name, *a)\n"
        "from assay.cli.main import main; main(['mcp', '--json'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False
    )

    assert 2 == done.returncode
    assert b"pip install 'assay[mcp]'" in done.stderr + done.stdout
