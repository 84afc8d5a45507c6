"""`assay ask` as a person or a program meets it: files in, a validated answer or a refusal out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.answers.assemble import REFUSAL
from tests.command import assay, started
from tests.loopback import openai_text, serving, silence
from tests.parts import require_part
from tests.processes import wait_until
from tests.runtime.answers.test_ask import GOOD, QUESTION, WRONG, bundle, chunk, own_pack
from tests.sources.making import encrypted_pdf, pdf, text_page

FEES = "# Fees\n\nThe fee for a new card is 25 EUR.\n\nIt is due within 14 days.\n"


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
    document = done.document

    assert (0, "accepted", GOOD) == (done.code, document["outcome"], document["answer"])
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
    document = assay(place, *ASK, "--docs", "docs", "--json").document

    assert "accepted" == document["outcome"]
    assert 2 == document["citations"][0]["page"]
    assert "docs/fees.pdf, page 2" == document["citations"][0]["source_reference"]


def test_a_person_sees_the_answer_and_the_passages(place):
    """Without --json: the answer, each cited passage with its place, the call."""
    done = assay(place, *ASK, "--docs", "docs")

    assert 0 == done.code
    assert done.out.startswith(GOOD)
    assert "[C0] docs/fees.md, 0..68" in done.out
    assert "It is due within 14 days." in done.out


@pytest.mark.clause("004-V7", "004-S8")
@pytest.mark.parametrize("way", [("--docs", "docs"), ("--bundle", "bundle.json")])
def test_an_unrelated_question_gets_the_refusal_and_asks_no_model(place, way):
    """NO_EVIDENCE: the refusal string, exit 0, and the script log stays empty."""
    (place / "bundle.json").write_text(json.dumps(bundle(chunk(0, "Fees.", 0.4))))
    words = ("ask", "Which planets have rings?", *ASK[2:], *way, "--json")
    done = assay(place, *words)
    document = done.document

    assert (0, "no_evidence", "no_evidence") == (
        done.code,
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
    document = assay(place, *ASK, "--bundle", "bundle.json", "--json").document

    assert 30 == shown.code
    assert "30 EUR" not in shown.out
    assert "grounding.number" in shown.out
    assert "assay review list" in shown.out
    assert (None, []) == (document["answer"], document["citations"])
    assert "FAILED" == document["validation"]["validation_status"]
    reviews = assay(place, "review", "list", "--json").document["reviews"]
    assert [document["call"]] == [review["call"] for review in reviews]


@pytest.mark.parametrize("content", ["{", "[]", "null", '{"results": []}', '{"a": 1, "a": 2}'])
def test_a_broken_bundle_is_failed_not_an_exception(place, content):
    """Recorded for a person, exit 0, its reason in the document."""
    (place / "bundle.json").write_text(content)
    done = assay(place, *ASK, "--bundle", "bundle.json", "--json")
    document = done.document

    assert (0, "assembly.failed") == (done.code, document["reason"])
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

    lines = [line for line in done.err.splitlines() if line.startswith("left out: ")]
    assert 0 == done.code
    assert [
        "docs/broken.pdf",
        "docs/empty.txt",
        "docs/secret.pdf",
        "none",
    ] == sorted(line.split(": ")[1] for line in lines)
    assert GOOD == done.document["answer"]


def test_a_folder_without_text_is_no_evidence(place):
    """Nothing to answer from is a recorded outcome."""
    (place / "none").mkdir()
    done = assay(place, *ASK, "--docs", "none", "--json")

    assert (0, "no_evidence") == (done.code, done.document["outcome"])
    assert "left out: none: holds no document" in done.err


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

    assert code == done.code
    assert done.err.startswith("error[")
    assert 1 == len(done.err.splitlines())


def test_a_copied_pack_names_the_models_that_may_be_asked(place):
    """`--pack FOLDER` with `models:` ends in review before anything is sent to another model."""
    own_pack(place / "own")

    ran = assay(place, *ASK, "--bundle", "bundle.json", "--json", "--pack", "own", "--strict")

    assert 30 == ran.code, ran.err
    assert "model.refused" == ran.document["reason"]
    assert 0 == sent(place)


def test_an_unreachable_model_leaves_the_call_open(place):
    """Exit 40; the call is on record as unfinished, and goes on when the model is back."""
    script(place)
    words = (*ASK, "--bundle", "bundle.json", "--json")
    first = assay(place, *words, ASSAY_RETRY_ATTEMPTS="1")
    listed = assay(place, "calls", "list", "--status", "open", "--json").document

    assert 40 == first.code
    assert ["grounded/answer"] == [row["contract"] for row in listed["calls"]]


@pytest.mark.clause("004-X4")
@pytest.mark.chaos
def test_killed_between_prompt_and_answer(place):
    """kill -9 while the model thinks: on record as unfinished, resumed with the same bytes under
    the same id, and once an answer is stored nothing is sent again."""
    words = ("ask", QUESTION, "--bundle", "bundle.json", "--model", "openai:tiny", "--json")
    with serving(silence, openai_text(GOOD)) as server:
        environ = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "k"}
        with started(place, *words, **environ) as run:
            wait_until(lambda: server.seen, run)
            run.kill()
        assert 1 == len(server.seen)

        listed = assay(place, "calls", "list", "--status", "open", "--json").document
        (unfinished,) = listed["calls"]
        resumed = assay(place, *words, **environ).document
        again = assay(place, *words, **environ).document

    assert (unfinished["id"], "accepted", GOOD) == (
        resumed["call"],
        resumed["outcome"],
        resumed["answer"],
    )
    assert resumed == again
    assert 2 == len(server.seen)
    assert server.seen[0].body["messages"] == server.seen[1].body["messages"]
    shown = assay(place, "calls", "show", unfinished["id"], "--json").document
    assert [
        "call.opened",
        "prompt.built",
        "call.resumed",
        "model.answered",
        "output.judged",
        "call.settled",
    ] == [event["kind"] for event in shown["events"]]
    verified = assay(place, "audit", "verify", "--json").document
    assert None is verified["first_bad"]


def test_extractive_answers_from_files_without_a_language_model(place):
    """The baseline copies sentences, each with its anchor, and refuses what is not there."""
    answered = assay(place, "ask", QUESTION, "--docs", "docs", "--json").document
    unrelated = "Which planets have rings?"
    refused = assay(place, "ask", unrelated, "--docs", "docs", "--json").document

    assert "The fee for a new card is 25 EUR. [C0]" == answered["answer"]
    assert "extractive" == answered["execution"]["identity"]["kind"]
    assert ("no_evidence", REFUSAL) == (refused["outcome"], refused["answer"])


@pytest.mark.clause("004-P9")
def test_embedded_answers_from_files_with_offered_anchors_only(place):
    """A small language model under constraints: what it says cites what was offered."""
    require_part("embedded", "xllamacpp")
    done = assay(place, "ask", QUESTION, "--docs", "docs", "--model", "embedded", "--json")
    document = done.document

    assert "accepted" == document["outcome"]
    assert "25 EUR" in document["answer"]
    assert {"C0"} == {citation["anchor"] for citation in document["citations"]}
    assert 1 == document["execution"]["attempts"]


@pytest.mark.clause("008-R7")
def test_where_keeps_to_passages_with_a_page_a_title_or_a_file(place):
    """Equality and its contrary, several at once; a key that none has is told in one line."""
    (place / "docs" / "other.md").write_text("# Other\n\nThe fee for a new card is 99 EUR.\n")
    done = assay(place, *ASK, "--docs", "docs", "--where", "title=Fees", "--json")
    (citation,) = done.document["citations"]
    assert ("docs/fees.md", "Fees", "Fees") == tuple(
        citation[name] for name in ("file", "title", "heading")
    )
    assert {"line", "metadata"} <= set(citation)

    for where in ("title!=Other", "file=fees.md"):
        done = assay(place, *ASK, "--docs", "docs", "--where", where, "--json")
        assert 1 == done.document["answer_bundle"]["assembly_metrics"]["retrieved_k"]
    wrong = assay(place, *ASK, "--docs", "docs", "--where", "titel=Fees")
    assert (10, True) == (wrong.code, "'titel'" in wrong.err and "title" in wrong.err)
    assert "KEY=VALUE" in assay(place, *ASK, "--docs", "docs", "--where", "title").err


@pytest.mark.clause("008-R3")
def test_a_person_sees_what_came_nearest_when_a_gate_stops_a_question(place):
    """Its file, its score and what was needed; a score just under it does not look like it."""
    stopped = bundle({**chunk(0, "Cards are sent by post.", 0.4999)})
    (place / "bundle.json").write_text(json.dumps(stopped))
    done = assay(place, *ASK, "--bundle", "bundle.json")

    assert "nearest passage: file-0.md, 0.49 of 0.50 needed" in done.out
