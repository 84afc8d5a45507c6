"""LlamaIndex's client of OpenAI against an address, run by the interpreter that has it.

In      on standard input: address, key, name of the model, text
Out     on standard output: what the client made of the answers, as JSON
Effects requests
"""

from __future__ import annotations

import json
import sys
from typing import Literal

from llama_index.core.llms import ChatMessage
from llama_index.core.prompts import PromptTemplate
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel


class Triage(BaseModel):
    """What a mail is about."""

    label: Literal["water", "fire"]
    evidence_snippets: list[str]


def ask_all(address: str, key: str, model: str, text: str) -> dict[str, object]:
    """One text by each way that the client has."""
    options = {
        "api_base": address,
        "api_key": key,
        "is_chat_model": True,
        "max_retries": 0,
        "timeout": 120.0,
    }
    named = OpenAILike(model=model, **options)
    own = OpenAILike(model="any", should_use_structured_outputs=True, **options)
    messages = [ChatMessage(role="user", content=text)]
    whole = named.chat(messages)
    found = own.structured_predict(Triage, PromptTemplate("{text}"), text=text)
    return {
        "complete": named.complete(text).text,
        "chat": whole.message.content,
        "streamed": "".join(each.delta or "" for each in named.stream_chat(messages)),
        "structured": found.model_dump(),
        "raw": whole.raw.model_dump(),
    }


def ask_once(address: str, key: str, model: str, text: str) -> dict[str, object]:
    """What the client hands on of an answer that may be a refusal."""
    client = OpenAILike(
        model=model, api_base=address, api_key=key, is_chat_model=True, max_retries=0, timeout=120.0
    )
    said = client.chat([ChatMessage(role="user", content=text)])
    return {"content": said.message.content, "raw": said.raw.model_dump()}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    way = ask_once if asked.pop("once", False) else ask_all
    print(json.dumps(way(**asked)))
