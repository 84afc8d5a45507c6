"""`assay ask` as a person or a program meets it: files in, a validated answer or a refusal out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.answers.assemble import REFUSAL
from tests.loopback import openai_text, serving, silence
from tests.parts import require_part
from tests.runtime.answers.test_ask import GOOD, QUESTION, WRONG, bundle, chunk, own_pack
from tests.sources.making import encrypted_pdf, pdf, text_page

FEES = "# Fees\n\nThe fee for a new card is 25 EUR.\n\nIt is due within 14 days.\n"


def surroundings(**extra: str) -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith("ASSAY_")} | extra


def assay(place: Path, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "assay.cli.main", *words],
        cwd=place,
        env=surroundings(**extra),
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def place(tmp_path):
    """A folder with documents, a bundle, and a script that answers rightly."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "fees.md").write_text(FEES)
    (tmp_path / "bundle.json").write_text(json.dumps(bundle()))
    script(tmp_path, GOOD)
    return tmp_path


def script(place: Path, *replies: str) -> None:
    lines = [json.dumps({"text": reply, "finish_reason": "stop"}) + "\n" for reply in replies]
    (place / "s.jsonl").write_text("".join(lines))


ASK = ("ask", QUESTION, "--model", "scripted:s.jsonl", "--script-log", "log.jsonl")


def sent(place: Path) -> int:
    log = place / "log.jsonl"
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_from_files_to_an_answer_with_page_and_span(place):
    """The citation leads to the very code points of the file."""
    done = assay(place, *ASK, "--docs", "docs", "--json")
    document = json.loads(done.stdout)

    assert (0, "accepted", GOOD) == (done.returncode, document["outcome"], document["answer"])
    pinned = ("outcome", "answer", "citations", "answer_bundle", "prompt_build", "execution")
    assert {*pinned, "validation"} <= set(document)
    (citation,) = document["citations"]
    assert ("C0", "docs/fees.md", "docs/fees.md") == tuple(
        citation[name] for name in ("anchor", "source_reference", "file")
    )
    assert citation["text"] == FEES[citation["start"] : citation["stop"]]
    assert (place / ".assay" / "index").is_dir()


def test_a_page_of_a_pdf_is_cited_by_its_number(place):
    """Source reference and citation name the page."""
    (place / "docs" / "fees.md").unlink()
    (place / "docs" / "fees.pdf").write_bytes(
        pdf(text_page("About us and our history."), text_page("A new card: the fee is 25 EUR."))
    )
    document = json.loads(assay(place, *ASK, "--docs", "docs", "--json").stdout)

    assert "accepted" == document["outcome"]
    assert 2 == document["citations"][0]["page"]
    assert "docs/fees.pdf, page 2" == document["citations"][0]["source_reference"]


def test_a_person_sees_the_answer_and_the_passages(place):
    """Without --json: the answer, each cited passage with its place, the call."""
    done = assay(place, *ASK, "--docs", "docs")

    assert 0 == done.returncode
    assert done.stdout.startswith(GOOD)
    assert "[C0] docs/fees.md, 0..68" in done.stdout
    assert "It is due within 14 days." in done.stdout


@pytest.mark.clause("004-V7", "004-S8")
@pytest.mark.parametrize("way", [("--docs", "docs"), ("--bundle", "bundle.json")])
def test_an_unrelated_question_gets_the_refusal_and_asks_no_model(place, way):
    """NO_EVIDENCE: the refusal string, exit 0, and the script log stays empty."""
    (place / "bundle.json").write_text(json.dumps(bundle(chunk(0, "Fees.", 0.4))))
    words = ("ask", "Which planets have rings?", *ASK[2:], *way, "--json")
    done = assay(place, *words)
    document = json.loads(done.stdout)

    assert (0, "no_evidence", "no_evidence") == (
        done.returncode,
        document["outcome"],
        document["reason"],
    )
    assert (REFUSAL, [], None) == tuple(
        document[name] for name in ("answer", "citations", "execution")
    )
    assert "NO_EVIDENCE" == document["prompt_build"]["build_status"]
    assert 0 == sent(place)


def test_a_rejected_answer_is_never_shown(place):
    """A person sees why and where to decide, not the text; programs get null."""
    script(place, WRONG, WRONG, WRONG, WRONG)
    shown = assay(place, *ASK, "--bundle", "bundle.json", "--strict")
    document = json.loads(assay(place, *ASK, "--bundle", "bundle.json", "--json").stdout)

    assert 30 == shown.returncode
    assert "30 EUR" not in shown.stdout
    assert "grounding.number" in shown.stdout
    assert "assay review list" in shown.stdout
    assert (None, []) == (document["answer"], document["citations"])
    assert "FAILED" == document["validation"]["validation_status"]
    reviews = json.loads(assay(place, "review", "list", "--json").stdout)["reviews"]
    assert [document["call"]] == [review["call"] for review in reviews]


@pytest.mark.parametrize("content", ["{", "[]", "null", '{"results": []}', '{"a": 1, "a": 2}'])
def test_a_broken_bundle_is_failed_not_an_exception(place, content):
    """Recorded for a person, exit 0, its reason in the document."""
    (place / "bundle.json").write_text(content)
    done = assay(place, *ASK, "--bundle", "bundle.json", "--json")
    document = json.loads(done.stdout)

    assert (0, "assembly.failed") == (done.returncode, document["reason"])
    assert "FAILED" == document["answer_bundle"]["assembly_status"]
    assert document["answer_bundle"]["failure_reason"]
    assert None is document["answer"]


def test_files_without_text_are_a_line_each(place):
    """Encrypted, broken and empty files and an empty folder; the answer comes all the same."""
    (place / "docs" / "secret.pdf").write_bytes(encrypted_pdf())
    (place / "docs" / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (place / "docs" / "empty.txt").write_bytes(b"")
    (place / "none").mkdir()
    done = assay(place, *ASK, "--docs", "docs", "--docs", "none", "--json")

    lines = [line for line in done.stderr.splitlines() if line.startswith("left out: ")]
    assert 0 == done.returncode
    assert [
        "docs/broken.pdf",
        "docs/empty.txt",
        "docs/secret.pdf",
        "none",
    ] == sorted(line.split(": ")[1] for line in lines)
    assert GOOD == json.loads(done.stdout)["answer"]


def test_a_folder_without_text_is_no_evidence(place):
    """Nothing to answer from is a recorded outcome."""
    (place / "none").mkdir()
    done = assay(place, *ASK, "--docs", "none", "--json")

    assert (0, "no_evidence") == (done.returncode, json.loads(done.stdout)["outcome"])
    assert "left out: none: holds no document" in done.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("ask", "Q?"), 2),
        (("ask", "Q?", "--docs", "docs", "--bundle", "bundle.json"), 2),
        (("ask", "-", "--bundle", "-"), 2),
        (("ask", "Q?", "--docs", "nowhere"), 10),
        (("ask", "Q?", "--bundle", "nowhere.json"), 10),
        (("ask", "Q?", "--docs", "docs", "--policy", "docs/fees.md"), 10),
        (("ask", "Q?", "--docs", "docs", "--model", "nobody"), 2),
    ],
)
def test_wrong_use_has_its_exit_code(place, words, code):
    """2 for what cannot be meant, 10 for what is not there."""
    done = assay(place, *words)

    assert code == done.returncode
    assert done.stderr.startswith("error[")
    assert 1 == len(done.stderr.splitlines())


def test_a_copied_pack_names_the_models_that_may_be_asked(place):
    """`--pack FOLDER` with `models:` ends in review before anything is sent to another model."""
    own_pack(place / "own")

    ran = assay(place, *ASK, "--bundle", "bundle.json", "--json", "--pack", "own", "--strict")

    assert 30 == ran.returncode, ran.stderr
    assert "model.refused" == json.loads(ran.stdout)["reason"]
    assert 0 == sent(place)


def test_an_unreachable_model_leaves_the_call_open(place):
    """Exit 40; the call is on record as unfinished, and goes on when the model is back."""
    script(place)
    words = (*ASK, "--bundle", "bundle.json", "--json")
    first = assay(place, *words, ASSAY_RETRY_ATTEMPTS="1")
    listed = json.loads(assay(place, "calls", "list", "--status", "open", "--json").stdout)

    assert 40 == first.returncode
    assert ["grounded/answer"] == [row["contract"] for row in listed["calls"]]


@pytest.mark.clause("004-X4")
@pytest.mark.chaos
def test_killed_between_prompt_and_answer(place):
    """kill -9 while the model thinks: on record as unfinished, resumed with the same bytes under
    the same id, and once an answer is stored nothing is sent again."""
    words = ("ask", QUESTION, "--bundle", "bundle.json", "--model", "openai:tiny", "--json")
    with serving(silence, openai_text(GOOD)) as server:
        environ = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "k"}
        process = subprocess.Popen(
            [sys.executable, "-m", "assay.cli.main", *words],
            cwd=place,
            env=surroundings(**environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        until = time.monotonic() + 60
        while not server.seen and time.monotonic() < until:
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert 1 == len(server.seen)

        listed = json.loads(assay(place, "calls", "list", "--status", "open", "--json").stdout)
        (unfinished,) = listed["calls"]
        resumed = json.loads(assay(place, *words, **environ).stdout)
        again = json.loads(assay(place, *words, **environ).stdout)

    assert (unfinished["id"], "accepted", GOOD) == (
        resumed["call"],
        resumed["outcome"],
        resumed["answer"],
    )
    assert resumed == again
    assert 2 == len(server.seen)
    assert server.seen[0].body["messages"] == server.seen[1].body["messages"]
    kinds = [
        event["kind"]
        for event in json.loads(assay(place, "calls", "show", unfinished["id"], "--json").stdout)[
            "events"
        ]
    ]
    assert [
        "call.opened",
        "prompt.built",
        "call.resumed",
        "model.answered",
        "output.judged",
        "call.settled",
    ] == kinds
    verified = json.loads(assay(place, "audit", "verify", "--json").stdout)
    assert None is verified["first_bad"]


def test_extractive_answers_from_files_without_a_language_model(place):
    """The baseline copies sentences, each with its anchor, and refuses what is not there."""
    answered = json.loads(assay(place, "ask", QUESTION, "--docs", "docs", "--json").stdout)
    refused = json.loads(
        assay(place, "ask", "Which planets have rings?", "--docs", "docs", "--json").stdout
    )

    assert "The fee for a new card is 25 EUR. [C0]" == answered["answer"]
    assert "extractive" == answered["execution"]["identity"]["kind"]
    assert ("no_evidence", REFUSAL) == (refused["outcome"], refused["answer"])


@pytest.mark.clause("004-P9")
def test_embedded_answers_from_files_with_offered_anchors_only(place):
    """A small language model under constraints: what it says cites what was offered."""
    require_part("embedded", "xllamacpp")
    done = assay(place, "ask", QUESTION, "--docs", "docs", "--model", "embedded", "--json")
    document = json.loads(done.stdout)

    assert "accepted" == document["outcome"]
    assert "25 EUR" in document["answer"]
    assert {"C0"} == {citation["anchor"] for citation in document["citations"]}
    assert 1 == document["execution"]["attempts"]
