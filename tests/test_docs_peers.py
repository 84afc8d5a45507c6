"""Blocks of the how-to pages that need more than assay: other libraries, a notebook.

`make docs` runs the blocks of assay. Here run those of Instructor and LangChain beside them, those
of clients of OpenAI and of agents against a service, and the page on notebooks as a notebook.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.loopback import openai_text, serving
from tests.parts import require_part
from tests.processes import run_python

SOURCE = Path(__file__).resolve().parent.parent / "src"
HOW_TO = Path(__file__).resolve().parent.parent / "docs" / "how-to"
BLOCK = re.compile(r"^```([^\n`]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

CHAT_MODEL = """
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolCall


class Calling(GenericFakeChatModel):
    def bind_tools(self, tools, **how):
        return self


call = ToolCall(name="Triage", args=REPLY, id="1")
model = Calling(messages=iter([AIMessage("", tool_calls=[call])]))
"""
"""A chat model that calls tools, as LangChain's own tests have one."""

NOTEBOOK = """
import sys
import nbclient, nbformat

cells = [nbformat.v4.new_code_cell(text) for text in CELLS]
notebook = nbformat.v4.new_notebook(cells=cells)
nbclient.NotebookClient(notebook, kernel_name="python3", timeout=300).execute()
nbformat.write(notebook, "page.ipynb")
"""


def blocks(page, *kinds):
    """The fenced blocks of a page whose kind is one of *kinds*, in order."""
    found = BLOCK.findall((HOW_TO / page).read_text(encoding="utf-8"))
    return [body for kind, body in found if kind in kinds]


def run_blocks(place, code, **environ):
    """What *code* printed, in a process of its own."""
    done = run_python("-c", code, cwd=place, environ=environ)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    return done.stdout.decode()


def scripted_texts(place):
    """The replies that a block wrote for `scripted:`."""
    lines = (place / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines]


@pytest.mark.clause("007-D4")
def test_instructor_and_assay_come_to_the_same_ticket(tmp_path):
    """The same class and the same two replies: Instructor asks again, and so does assay."""
    require_part("instructor", "instructor", "openai")
    (theirs,) = blocks("from-instructor.md", "python instructor")
    ours = blocks("from-instructor.md", "python")[0]
    done = run_blocks(tmp_path, f"{ours}\nprint(done.value.model_dump_json())")
    with serving(*map(openai_text, scripted_texts(tmp_path))) as server:
        ticket = run_blocks(
            tmp_path,
            f"{theirs}\nprint(ticket.model_dump_json())",
            OPENAI_BASE_URL=f"{server.url}/v1",
            OPENAI_API_KEY="none",
        )

    assert len(server.seen) == 2
    assert json.loads(ticket) == json.loads(done)


@pytest.mark.clause("007-D4")
def test_langchain_believes_a_quote_that_assay_looks_up(tmp_path):
    """The same class and reply: what the chain gives as it came, the gate sends back once."""
    require_part("langchain", "langchain_core")
    (theirs,) = blocks("from-langchain.md", "python langchain")
    ours = blocks("from-langchain.md", "python")[0]
    done = run_blocks(tmp_path, f"{ours}\nprint(done.value.model_dump_json())")
    first, second = map(json.loads, scripted_texts(tmp_path))
    given = f"REPLY = {first!r}\n{CHAT_MODEL}\n{theirs}\nprint(triage.model_dump_json())"

    assert json.loads(run_blocks(tmp_path, given)) == first
    assert json.loads(done) == second


@pytest.mark.clause("009-O1")
def test_a_client_of_openai_is_pointed_at_the_service(tmp_path):
    """By two variables: its class is a contract, and so is one of a pack."""
    require_part("openai", "openai")
    from tests.server.serving import serving as serving_service

    replies = tmp_path / "replies.jsonl"
    good = {"topic": "water", "quote": "the pipe in our cellar broke"}
    texts = [json.dumps(good), "{}", "{}"]
    replies.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    with serving_service(tmp_path, f"scripted:{replies}") as service:
        said = run_blocks(
            tmp_path,
            "\n".join(blocks("from-openai-clients.md", "python openai")),
            OPENAI_BASE_URL=f"{service.address}/openai/v1",
            OPENAI_API_KEY=service.keys["operator"],
        )

    parsed, outcome, refusal = said.splitlines()
    assert parsed == "topic='water' quote='the pipe in our cellar broke'"
    assert outcome.startswith("accepted ")
    assert refusal.startswith("Not accepted (gate.rejected): ")


@pytest.mark.clause("009-M4")
def test_an_agent_starts_the_tools_by_itself(tmp_path):
    """Over standard input and output."""
    require_part("mcp", "mcp")
    ours = tmp_path / "bin" / "assay"  # a client passes on no PYTHONPATH
    ours.parent.mkdir()
    paths = os.pathsep.join(filter(None, (str(SOURCE), os.environ.get("PYTHONPATH"))))
    ours.write_text(
        f'#!/bin/sh\nPYTHONPATH="{paths}" exec "{sys.executable}" -m assay.cli.main "$@"\n'
    )
    ours.chmod(0o755)
    said = run_blocks(
        tmp_path,
        "".join(blocks("for-agents.md", "python mcp")),
        PATH=f"{ours.parent}{os.pathsep}{os.environ.get('PATH', '')}",
    )

    tools, verdict = said.splitlines()
    assert "'receipt'" in tools
    assert verdict == "rejected"


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """The page on notebooks, each block a cell, executed by a real kernel."""
    require_part("notebook", "nbclient", "ipykernel")
    place = tmp_path_factory.mktemp("notebook")
    cells = [text.strip() for text in blocks("in-a-notebook.md", "python", "python notebook")]
    run_blocks(place, f"CELLS = {cells!r}\n{NOTEBOOK}", JUPYTER_PLATFORM_DIRS="1")
    return json.loads((place / "page.ipynb").read_text(encoding="utf-8"))["cells"]


def shown(cells, source):
    """What the cell with this source shows, by type."""
    (cell,) = [cell for cell in cells if "".join(cell["source"]).endswith(source)]
    (output,) = [each for each in cell["outputs"] if each["output_type"] == "execute_result"]
    return {kind: "".join(text) for kind, text in output["data"].items()}


@pytest.mark.clause("007-D4")
def test_the_page_on_notebooks_runs_as_one(notebook):
    """Every cell to its end, also the one that awaits: what was settled is found again."""
    faults = [out for cell in notebook for out in cell["outputs"] if out["output_type"] == "error"]

    assert [] == faults
    assert shown(notebook, "[each.reused for each in again]")["text/plain"] == "[True, True]"


@pytest.mark.clause("007-D4")
def test_an_outcome_in_a_cell_shows_its_evidence(notebook):
    """As HTML, with the quote marked where it stands in the text."""
    page = shown(notebook, "done[0]")["text/html"]

    assert re.search(r"<mark\b[^>]*>(?:<\w[^>]*>)?the pipe in our cellar broke", page)
    assert "<script" not in page
