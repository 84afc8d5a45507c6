"""Replies of a well-behaved model to the stages of the services pack, made of the catalogue."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.pack.pack import Pack
from assay.runtime.runtime import Runtime
from assay.wiring import aopen, load_pack

SESSION = "11111111-2222-4333-8444-555555555555"
NOTHING = {"notes": None}


@lru_cache
def services() -> Pack:
    return load_pack("services")


def row(key: str) -> dict[str, Any]:
    """The service with this key."""
    return next(dict(r) for r in services().tables["service"].rows if r["serviceKey"] == key)


def agency(agency_id: str) -> dict[str, Any]:
    found = next(r for r in services().tables["agency"].rows if r["agencyId"] == agency_id)
    return {
        "agencyId": agency_id,
        "name": found["name"],
        "path": found["path"],
        "description": "as the catalogue says",
    }


def head(stage: str, response: str) -> dict[str, Any]:
    return {"session_id": SESSION, "response_id": response, "stage": stage}


def inquiry() -> dict[str, Any]:
    return {
        "stage": "judgement_v1",
        "stageStatus": "ready",
        "judgements": {"inquiry": True},
        "assistantReply": None,
        "nextStep": "agency_detect_v1",
        "telemetry": NOTHING,
    }


def small_talk(reply: str = "I help with questions about public services.") -> dict[str, Any]:
    return inquiry() | {
        "judgements": {"inquiry": False},
        "assistantReply": reply,
        "nextStep": "session_end",
    }


def detected(*ids: str, complexity: str = "low", response: str = "r1") -> dict[str, Any]:
    following = {"low": "category_select_v1", "high": "semantic_analysis_v1"}
    return {
        **head("agency_detect_v1", response),
        "judgements": {
            "agencyDetected": list(ids),
            "agencyInfo": [agency(each) for each in ids],
            "agencyCount": len(ids),
            "complexity": complexity,
        },
        "nextStep": following[complexity],
        "telemetry": NOTHING,
    }


def candidates(*tags: str, score: float = 0.9) -> dict[str, Any]:
    return {tag: {"value": tag.replace("-", " "), "score": score} for tag in tags}


def categories(*tags: str, response: str = "r2") -> dict[str, Any]:
    return {
        **head("category_select_v1", response),
        "categorySelection": {"candidates": candidates(*tags)},
        "nextStep": "service_select_v1",
        "telemetry": NOTHING,
    }


def analysis(
    tags: Mapping[str, tuple[str, ...]], primary: str, response: str = "r2"
) -> dict[str, Any]:
    return {
        **head("semantic_analysis_v1", response),
        "semanticAnalysis": {
            "agencies": [
                {
                    "agencyId": each,
                    "agencyName": agency(each)["name"],
                    "categorySelection": {"candidates": candidates(*keys)},
                }
                for each, keys in tags.items()
            ],
            "primaryAgency": {"agencyId": primary, "reason": "highest cumulative relevance"},
        },
        "nextStep": "service_select_v1",
        "telemetry": NOTHING,
    }


def selected(
    key: str,
    *,
    following: str = "session_end",
    rules: str = "Have a look at {service_name}: {service_link}",
    response: str = "r3",
) -> dict[str, Any]:
    found = row(key)
    return {
        **head("service_select_v1", response),
        "serviceSelection": {
            "serviceKey": key,
            "name": found["name"],
            "path": found["path"],
            "matchedField": "overview",
            "score": 0.87,
        },
        "template": {"placeholders": {"service_name": "{service_name}"}, "rules": rules},
        "nextStep": following,
        "telemetry": NOTHING,
    }


def answer(*keys: str, reply: str | None = None, response: str = "r4") -> dict[str, Any]:
    rows = [row(key) for key in keys]
    named = " Then ask about ".join(one["name"] for one in rows)
    return {
        **head("multi_agency_service_answer_v1", response),
        "assistantReply": reply or f"Apply for {named}.",
        "sourcesUsed": [
            {name: one[name] for name in ("agencyId", "serviceKey", "path")} for one in rows
        ],
        "nextStep": "session_end",
        "telemetry": NOTHING,
    }


def low(key: str = "cms-medicaid", tag: str = "") -> list[dict[str, Any]]:
    """All replies of a turn on the low path."""
    found = row(key)
    return [
        inquiry(),
        detected(found["agencyId"]),
        categories(tag or found["tags"][0]),
        selected(key),
    ]


def high() -> list[dict[str, Any]]:
    """All replies of a turn on the high path, with synthesis."""
    return [
        inquiry(),
        detected("va", "ssa", complexity="high"),
        analysis({"va": ("disability",), "ssa": ("disability", "retirement")}, "va"),
        selected("va-disability-compensation", following="multi_agency_service_answer_v1"),
        answer("va-disability-compensation", "ssa-disability-insurance"),
    ]


def states(replies: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The cached state that each stage of *replies* finds."""
    from assay.flow.state import merge_slice

    graph = services().stages
    assert graph is not None
    found: dict[str, dict[str, Any]] = {}
    state: dict[str, Any] = {"session_id": SESSION}
    for reply in replies:
        found[reply["stage"]] = state
        state = merge_slice(state, graph.stages[reply["stage"]], reply)
    return found


def said(output: Mapping[str, Any] | str) -> str:
    """As a model writes it: scores with two decimals."""
    if isinstance(output, str):
        return output
    text = json.dumps(output)
    return re.sub(r'"score": ([0-9.]+)', lambda m: f'"score": {float(m[1]):.2f}', text)


def changed(output: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of *output* with *value* at a dotted *path*; `del` removes what is there."""
    result: Any = deepcopy(dict(output))
    *above, last = path.split(".")
    target = result
    for step in above:
        target = target[int(step)] if step.isdigit() else target[step]
    key: Any = int(last) if last.isdigit() and isinstance(target, list) else last
    if value == "del":
        del target[key]
    else:
        target[key] = value
    return dict(result)


def script(folder: Path, *replies: Mapping[str, Any] | str, name: str = "replies.jsonl") -> str:
    """A scripted model that says *replies* in their order."""
    lines = [
        reply if isinstance(reply, dict) and "error" in reply else {"text": said(reply)}
        for reply in replies
    ]
    file = folder / name
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return f"scripted:{file}"


@asynccontextmanager
async def talking(
    folder: Path, *replies: Mapping[str, Any] | str, store: str | None = None
) -> AsyncIterator[Runtime]:
    """A runtime on a store in *folder* whose model says *replies*."""
    async with aopen(
        store or f"sqlite:///{folder / 'assay.db'}",
        script(folder, *replies),
        script_log=str(folder / "log.jsonl"),
        environ={"ASSAY_RETRY_ATTEMPTS": "1"},
    ) as runtime:
        yield runtime


def prompts(folder: Path) -> list[str]:
    """What the model was sent."""
    file = folder / "log.jsonl"
    if not file.exists():
        return []
    return [json.loads(line)["prompt"] for line in file.read_text("utf-8").splitlines()]
