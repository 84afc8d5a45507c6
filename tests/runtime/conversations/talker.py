"""A process that talks and is killed at a chosen point: `python talker.py FOLDER POINT`.

POINT is `asked:N` (at the Nth request to the model, before it answers) or `step:N` (at the Nth
time that a stage begins or is stored). The model says for each stage what the services pack's
well-behaved model says, and writes down each request before it answers.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from assay.protocols import ModelReply, ModelRequest
from assay.runtime.conversations.turn import Turn
from assay.runtime.runtime import Runtime
from assay.wiring import aopen
from tests.packs.talk import SESSION, low, said, services

MESSAGE = "I am ill and need insurance"
REPLIES = {reply["stage"]: said(reply) for reply in low()}


class Talker:
    """Answers by the stage that a prompt names; dies when it is told to."""

    name = "talker:fixed"
    needs_plan = False
    identity: ClassVar[dict[str, Any]] = {"kind": "talker"}

    def __init__(self, log: Path, dies_at: int | None = None) -> None:
        self._log = log
        self._dies_at = dies_at
        self._asked = 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        found = re.search(r"^Stage (\w+)\.", request.prompt, re.MULTILINE)
        assert found is not None
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"{found[1]} {request.prompt_sha256}\n")
        if self._asked == self._dies_at:
            die()
        self._asked += 1
        return ModelReply(text=REPLIES[found[1]], finish_reason="stop")

    async def aclose(self) -> None:
        return None


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def talk(folder: Path, point: str = "") -> tuple[Turn, str]:
    """One turn in *folder*, and what verification says afterwards."""
    kind, _, number = point.partition(":")
    model = Talker(folder / "asked.txt", int(number) if kind == "asked" else None)
    steps = 0

    def watch(stage: str, step: object) -> None:
        nonlocal steps
        if kind == "step" and steps == int(number):
            die()
        steps += 1

    async with aopen(f"sqlite:///{folder / 'assay.db'}", "none", environ={}) as opened:
        runtime = Runtime(context=replace(opened.context, model=model))
        turn = await runtime.chat(services(), SESSION, MESSAGE, watch=watch)
        return turn, (await runtime.verify()).status


if __name__ == "__main__":
    asyncio.run(talk(Path(sys.argv[1]), sys.argv[2]))
