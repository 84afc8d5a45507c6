"""Chat completions through a contract, by other clients of OpenAI's protocol."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel

from tests.loopback import openai_text
from tests.loopback import serving as serving_model
from tests.parts import absent, require_part
from tests.processes import PATIENCE_S, surroundings
from tests.runtime.tiny import GOOD, UNKNOWN_LABEL, script
from tests.server.doors.openai_serving import NAMED, TEXT, serving_doors


class Triage(BaseModel):
    """What a mail is about."""

    label: Literal["water", "fire"]
    evidence_snippets: list[str]


@pytest.mark.clause("009-O1")
def test_langchain_gets_its_class(tmp_path):
    """By its own schema, by a contract of a pack, whole and streamed; a refusal is an error."""
    (langchain_openai,) = require_part("langchain", "langchain_openai")
    with (
        serving_model(openai_text(GOOD)) as provider,
        serving_doors(
            tmp_path, "openai:tiny", OPENAI_API_KEY="none", OPENAI_BASE_URL=f"{provider.url}/v1"
        ) as service,
    ):
        options = {
            "model": "gpt-5-mini",
            "base_url": f"{service.address}/openai/v1",
            "api_key": service.keys["operator"],
            "max_retries": 0,
        }
        own = langchain_openai.ChatOpenAI(**options)
        named = langchain_openai.ChatOpenAI(**options, default_headers=NAMED)
        parsed = own.with_structured_output(Triage).invoke(TEXT)
        raw = own.with_structured_output(Triage, include_raw=True).invoke(f"{TEXT} Again.")
        through_pack = named.with_structured_output(Triage, method="json_mode").invoke(TEXT)
        with pytest.raises(Exception, match="leave the json_schema out"):
            named.with_structured_output(Triage).invoke(TEXT)
        pieces = [chunk.content for chunk in named.stream(TEXT)]
        responses = langchain_openai.ChatOpenAI(
            **options, default_headers=NAMED, use_responses_api=True
        ).invoke(TEXT)

    expected = Triage.model_validate_json(GOOD)
    assert [expected] * 3 == [parsed, raw["parsed"], through_pack]
    assert json.loads(GOOD) == json.loads("".join(pieces))
    assert json.loads(GOOD) == json.loads(responses.text)
    sent = [json.loads(seen.raw) for seen in provider.seen]
    assert all(each["model"] == "tiny" for each in sent)


@pytest.mark.clause("009-O4")
def test_langchain_is_told_of_a_refusal(tmp_path):
    """As an error of its own, not as an empty value."""
    (langchain_openai,) = require_part("langchain", "langchain_openai")
    with serving_doors(tmp_path, script(tmp_path, UNKNOWN_LABEL, UNKNOWN_LABEL)) as service:
        model = langchain_openai.ChatOpenAI(
            model="m",
            base_url=f"{service.address}/openai/v1",
            api_key=service.keys["operator"],
            max_retries=0,
        )
        with pytest.raises(Exception, match=r"schema\.enum"):
            model.with_structured_output(Triage).invoke(TEXT)


def ask_with_llama_index(service, **more):
    """What LlamaIndex's client says of a service; it has an environment of its own."""
    interpreter = Path(sys.prefix) / "llamaindex" / "bin" / "python"
    if not interpreter.exists():
        absent("llamaindex_openai", "`make check` installs it beside the environment")
    asked = {
        "address": f"{service.address}/openai/v1",
        "key": service.keys["operator"],
        "model": "tiny/triage",
        "text": TEXT,
    }
    done = subprocess.run(
        [str(interpreter), "-I", str(Path(__file__).with_name("llama_index_client.py"))],
        input=json.dumps({**asked, **more}),
        env=surroundings({}),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert 0 == done.returncode, done.stderr[-4_000:]
    return json.loads(done.stdout)


@pytest.mark.clause("009-O1")
def test_llama_index_gets_what_was_accepted(tmp_path):
    """Completed, in a chat, in pieces, through a contract of a pack; and by its own schema."""
    with (
        serving_model(openai_text(GOOD)) as provider,
        serving_doors(
            tmp_path, "openai:tiny", OPENAI_API_KEY="none", OPENAI_BASE_URL=f"{provider.url}/v1"
        ) as service,
    ):
        found = ask_with_llama_index(service)

    expected = json.loads(GOOD)
    assert [expected] * 3 == [json.loads(found[way]) for way in ("complete", "chat", "streamed")]
    assert expected == found["structured"]
    assert "accepted" == found["raw"]["assay"]["outcome"]


@pytest.mark.clause("009-O4")
def test_llama_index_is_given_no_text_that_was_refused(tmp_path):
    """Nothing as the message's content; why it was refused in the answer that it keeps."""
    with serving_doors(tmp_path, script(tmp_path, UNKNOWN_LABEL, UNKNOWN_LABEL)) as service:
        found = ask_with_llama_index(service, once=True)

    assert not found["content"]
    assert "label.unknown" in found["raw"]["choices"][0]["message"]["refusal"]
    assert "needs_review" == found["raw"]["assay"]["outcome"]
