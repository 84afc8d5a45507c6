"""A process that makes one call with a model that takes its time; run by test_claims.py."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from assay.protocols import ModelReply
from assay.wiring import aopen
from tests.runtime.tiny import GOOD, TEXT, tiny_pack


class Slow:
    """Says on file that it was asked, then waits."""

    name = "slow:1"
    needs_plan = False
    identity: ClassVar = {"kind": "test"}

    def __init__(self, folder: Path, seconds: float) -> None:
        self._folder = folder
        self._seconds = seconds

    async def complete(self, request):
        with (self._folder / "asked").open("a", encoding="utf-8") as file:
            file.write(f"{request.prompt_sha256}\n")
        await asyncio.sleep(self._seconds)
        return ModelReply(text=GOOD, finish_reason="stop")

    async def aclose(self):
        return None


async def main(folder: Path, seconds: float) -> None:
    async with aopen(f"sqlite:///{folder / 'assay.db'}", "none", environ={}) as runtime:
        context = replace(runtime.context, model=Slow(folder, seconds))
        async for outcome in type(runtime)(context=context).run(tiny_pack(), [TEXT]):
            sys.stdout.write(f"{outcome.outcome.status} {outcome.calls[0].call}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), float(sys.argv[2])))
