"""A model that is a file is told by the file's name: no folder of the machine leaves."""

from __future__ import annotations

import httpx2
import pytest

from assay.contract.model_names import shown_model
from assay.server.shown_models import recorded_model
from tests.runtime.tiny import GOOD, script
from tests.server.pages.browser import sign_in
from tests.server.serving import serving

RUN = {"pack": "tiny", "inputs": [{"name": "a.txt", "text": "There is water in the cellar."}]}
CHAT = {
    "model": "tiny/triage",
    "messages": [{"role": "user", "content": "There is water in the cellar, again."}],
}
ASKED = {"pack": "grounded", "question": "When is the pool open on weekdays?", "documents": "pool"}
PLACES = (
    "/readyz",
    "/metrics",
    "/v1/calls",
    "/v1/figures",
    "/v1/templates/stats",
)
PAGES = ("/calls", "/figures", "/figures/models", "/figures/models.csv", "/answers", "/record")


@pytest.mark.clause("009-H9")
def test_no_answer_and_no_page_tells_where_the_file_of_a_model_lies(tmp_path):
    """Documents, errors, figures for machines and pages; the filter takes the name as shown."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "pool.md").write_text("# Pool\n\nThe pool is open from 7 to 21 on weekdays.\n")
    answer = "The pool is open from 7 to 21 on weekdays. [C0]"
    model = script(tmp_path, GOOD, GOOD, answer, "The pool is closed. [C9]")
    folder = str(tmp_path)
    shown = shown_model(model)
    said = {}
    with serving(tmp_path, model, ASSAY_SERVE_DOCUMENTS=f"pool={docs}") as service:
        client = service.as_role("reviewer")
        operator = service.as_role("operator")
        run = operator.post("/v1/runs", json=RUN)
        call = run.json()["outcomes"][0]["calls"][0]
        said["run"] = run.text
        said["chat"] = operator.post("/openai/v1/chat/completions", json=CHAT).text
        asked = operator.post("/v1/answers", json=ASKED)
        said["answer"] = asked.text
        for at in range(3):  # the script runs out
            again = {**RUN["inputs"][0], "text": f"Water {at}"}
            said[f"error {at}"] = operator.post("/v1/runs", json={**RUN, "inputs": [again]}).text
        number = client.get(f"/v1/calls/{call}").json()["call"]["run"]
        log = f"/v1/audit/log?run={number}"
        for place in (*PLACES, log, f"/v1/calls/{call}?raw=true&prompt=true"):
            said[place] = client.get(place).text
        listed = client.get("/v1/calls", params={"model": shown}).json()["calls"]
        proof = service.as_role("admin").get(log).text
        with httpx2.Client(base_url=service.address, timeout=120) as browser:
            browser.cookies.set("assay_session", sign_in(service.store, "Re", "reviewer"))
            answered = f"/answers/{asked.json()['call']}"
            for place in (*PAGES, f"/calls/{call}", answered, f"/calls?model={shown}"):
                page = browser.get(place, headers={"accept": "text/html"})
                said[f"page {place}"] = page.text

    for place, text in said.items():
        assert folder not in text, place
    for place in ("/readyz", "/metrics", "/v1/calls", "page /calls", f"page {answered}", log):
        assert shown in said[place], place
    assert shown in said["error 2"]
    assert call in {each["id"] for each in listed}
    assert call in said[f"page /calls?model={shown}"]
    assert folder in proof  # the record itself, for who answers for it


@pytest.mark.clause("009-H9")
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("scripted:/srv/a/replies.jsonl", "scripted:replies.jsonl"),
        ("recorded:calls/x.jsonl", "recorded:x.jsonl"),
        ("embedded:C:\\weights\\small.gguf", "embedded:small.gguf"),
        ("strange:~/models/one", "strange:one"),
        ("embedded", "embedded"),
        ("extractive", "extractive"),
        ("openai:meta-llama/Llama-3.1-8B", "openai:meta-llama/Llama-3.1-8B"),
        ("openai:/models/llama", "openai:llama"),
        ("openai:ft:gpt-4.1:own::abc", "openai:ft:gpt-4.1:own::abc"),
    ],
)
def test_names_of_files_lose_their_folders_and_others_nothing(name, shown):
    """And what is shown leads back to the service's own model."""
    assert shown == shown_model(name)
    assert name == recorded_model(shown, name)
    assert "other" == recorded_model("other", name)
    assert recorded_model(None, name) is None
