"""Stages per second of conversations with durable commits, for 1 and for 64 sessions at once.

The services pack's high path: five stages a turn, each with its prompt built, its reply judged,
its outcome, merge and events committed to SQLite. The model answers at once. The peer is LangGraph
with its SQLite checkpointer on a graph of the same five stages, where it is installed: its nodes
build no prompt, judge nothing and record nothing but their state. Then the time to take up a
session of 200 turns, and turns early and late in it.
"""

from __future__ import annotations

import asyncio
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.protocols import ModelReply, ModelRequest
from assay.runtime.conversations.sessions import load
from assay.runtime.runtime import Runtime
from assay.wiring import aopen
from tests.packs.talk import SESSION, high, said, services, small_talk

TURNS = 12
SESSIONS = 64
STAGES = 5
ROUNDS = 3


class Instant:
    """Says at once what the stage of the prompt asks for, in the session of the prompt."""

    name = "instant:fixed"
    needs_plan = False
    identity: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, *replies: dict[str, Any]) -> None:
        self._replies = {reply["stage"]: said(reply) for reply in replies}
        self._asked = 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        self._asked += 1
        stage = re.search(r"^Stage (\w+)\.", request.prompt, re.MULTILINE)
        session = re.search(r'"session_id": "([0-9a-f-]{36})"', request.prompt)
        assert stage is not None
        text = self._replies[stage[1]]
        if session is not None:
            text = text.replace(SESSION, session[1])
        text = re.sub(r'"response_id": "\w+"', f'"response_id": "n{self._asked}"', text)
        return ModelReply(text=text, finish_reason="stop")

    async def aclose(self) -> None:
        return None


def ids(count: int) -> list[str]:
    return [str(UUID(int=number, version=4)) for number in range(1, count + 1)]


async def assay_rate(sessions: int, turns: int) -> float:
    """Stages per second of *sessions* at once, *turns* turns each."""
    with tempfile.TemporaryDirectory() as folder:
        async with aopen(f"sqlite:///{folder}/a.db", "none", environ={}) as opened:
            runtime = Runtime(context=replace(opened.context, model=Instant(*high())))
            await runtime.chat(services(), ids(sessions + 1)[-1], "warm up")

            async def talk(session: str) -> None:
                for turn in range(turns):
                    ended = await runtime.chat(services(), session, f"question {turn}")
                    assert ended.outcome.status == "accepted", ended.findings

            return await rate(talk, sessions, turns)


async def rate(talk: Callable[[str], Awaitable[None]], sessions: int, turns: int) -> float:
    start = time.perf_counter()
    await asyncio.gather(*map(talk, ids(sessions)))
    return sessions * turns * STAGES / (time.perf_counter() - start)


async def langgraph_rate(sessions: int, turns: int) -> float:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.graph import END, START, StateGraph

    replies = {reply["stage"]: reply for reply in high()}
    graph = StateGraph(dict)
    for name, reply in replies.items():

        async def node(state: dict[str, Any], name: str = name, reply: Any = reply) -> Any:
            return {**state, name: reply, "next": reply["nextStep"]}

        graph.add_node(name, node)
    graph.add_edge(START, "judgement_v1")
    for name, reply in replies.items():
        following = reply["nextStep"]
        ways = {following: END if following == "session_end" else following}
        graph.add_conditional_edges(name, lambda state: state["next"], ways)
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncSqliteSaver.from_conn_string(f"{folder}/l.db") as saver:
            compiled = graph.compile(checkpointer=saver)

            async def talk(session: str) -> None:
                config = {"configurable": {"thread_id": session}}
                for turn in range(turns):
                    await compiled.ainvoke({"q": f"question {turn}"}, config, durability="async")

            await talk("warm up")
            return await rate(talk, sessions, turns)


async def long_session(turns: int) -> tuple[float, float, float]:
    """Milliseconds: to take up a session of *turns* turns; a turn early in it; a turn late."""
    with tempfile.TemporaryDirectory() as folder:
        async with aopen(f"sqlite:///{folder}/a.db", "none", environ={}) as opened:
            runtime = Runtime(context=replace(opened.context, model=Instant(small_talk())))
            session = ids(1)[0]
            spent = []
            for turn in range(turns):
                start = time.perf_counter()
                await runtime.chat(services(), session, f"question {turn}")
                spent.append((time.perf_counter() - start) * 1000)
            loads = []
            for _ in range(20):
                start = time.perf_counter()
                await load(runtime.context, session)
                loads.append((time.perf_counter() - start) * 1000)
    early, late = spent[25:45], spent[-20:]
    return statistics.median(loads), statistics.median(early), statistics.median(late)


def main() -> int:
    try:
        import langgraph.checkpoint.sqlite  # noqa: F401

        peer = True
    except ImportError:
        peer = False
    for sessions, turns in ((1, TURNS), (SESSIONS, 2)):
        ours, theirs = [], []
        for _ in range(ROUNDS):  # in turns, so that both see the same machine
            ours.append(asyncio.run(assay_rate(sessions, turns)))
            if peer:
                theirs.append(asyncio.run(langgraph_rate(sessions, turns)))
        rate_ = statistics.median(ours)
        line = f"{sessions:>3} sessions: {rate_:7.0f} stages/s"
        if peer:
            line += f"   LangGraph {statistics.median(theirs):7.0f}"
            line += f"   ratio {rate_ / statistics.median(theirs):.2f}"
        print(line + ("" if peer else "   (LangGraph is not installed)"))
    taken_up, early, late = asyncio.run(long_session(200))
    print(f"a session of 200 turns: taken up in {taken_up:.1f} ms")
    print(f"one turn of one stage: {early:.1f} ms at turn 35, {late:.1f} ms at turn 190")
    return 0


if __name__ == "__main__":
    sys.exit(main())
