"""Chat completions through a contract, by other clients of OpenAI's protocol."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from pydantic import BaseModel

from tests.loopback import openai_text
from tests.loopback import serving as serving_model
from tests.parts import require_part
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
        through_pack = named.with_structured_output(Triage).invoke(TEXT)
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
            default_headers=NAMED,
            max_retries=0,
        )
        with pytest.raises(Exception, match=r"label\.unknown"):
            model.with_structured_output(Triage).invoke(TEXT)


@pytest.mark.clause("009-O1")
def test_llama_index_gets_what_was_accepted(tmp_path):
    """Whole and in pieces, through a contract of a pack."""
    (openai_like,) = require_part("llamaindex_openai", "llama_index.llms.openai_like")
    from llama_index.core.llms import ChatMessage

    with serving_doors(tmp_path, script(tmp_path, GOOD)) as service:
        model = openai_like.OpenAILike(
            model="tiny/triage",
            api_base=f"{service.address}/openai/v1",
            api_key=service.keys["operator"],
            is_chat_model=True,
            max_retries=0,
        )
        messages = [ChatMessage(role="user", content=TEXT)]
        whole = model.chat(messages)
        pieces = [each.delta for each in model.stream_chat(messages)]

    assert json.loads(GOOD) == json.loads(whole.message.content)
    assert json.loads(GOOD) == json.loads("".join(each for each in pieces if each))
