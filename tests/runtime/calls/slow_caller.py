"""A process that makes one call; its model answers when it is told to.

`slow_caller.py FOLDER [--again]`.

It says `asked` when its model was asked, `waiting` when it finds that another process is making
the call, and its outcome in the end. A line on standard input lets the model answer.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from assay.protocols import ModelReply
from assay.wiring import aopen
from assay.wiring.opening import SystemClock
from tests.runtime.tiny import GOOD, TEXT, tiny_pack


class Slow:
    """Says that it was asked, then waits for a line."""

    name = "slow:1"
    needs_plan = False
    identity: ClassVar = {"kind": "test"}

    async def complete(self, request):
        print("asked", request.prompt_sha256, flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        return ModelReply(text=GOOD, finish_reason="stop")

    async def aclose(self):
        return None


class Telling(SystemClock):
    """A call sleeps only while it waits for another process: says so, once."""

    told = False

    async def sleep(self, seconds):
        if not self.told:
            self.told = True
            print("waiting", flush=True)
        await super().sleep(seconds)


async def main(folder: Path, again: bool) -> None:
    async with aopen(f"sqlite:///{folder / 'assay.db'}", "none", environ={}) as runtime:
        context = replace(runtime.context, model=Slow(), clock=Telling())
        slow = type(runtime)(context=context)
        async for outcome in slow.run(tiny_pack(), [TEXT], again=again):
            print(outcome.outcome.status, outcome.calls[0].call, flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), "--again" in sys.argv[2:]))
