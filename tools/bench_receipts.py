"""Receipts, checkpoints and exports: time by size of the log, beside bare SHA-256.

    python tools/bench_receipts.py [--sizes 1000,10000,100000] [--json]

Appends, verification and proofs are measured by tools/bench_store.py. Here: how long a receipt
takes to write and to check as the log grows (it should not), what a checkpoint costs, how fast
events are exported. Where `pymerkle` is installed, its durable appends stand beside ours.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import resource
import sys
import tempfile
import time
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.protocols import Changes
from assay.record.event import EventDraft
from assay.record.keys import key_files
from assay.runtime.audit.checkpoints import AuditKeys, make_checkpoint
from assay.runtime.audit.export import check_export, export
from assay.runtime.audit.receipts import make_receipt
from assay.runtime.runtime import Runtime
from assay.wiring import aopen
from tests.runtime.tiny import GOOD, TEXT, script, tiny_pack

SECRET, PUBLIC = key_files(b"k" * 32)
KEYS = AuditKeys(signing=SECRET)
NOTE = EventDraft(kind="note", facts={"text": "x" * 300})


def verifier() -> Any:
    """The stranger's script, as a module."""
    path = Path(__file__).with_name("verify_receipt.py")
    spec = importlib.util.spec_from_file_location("verify_receipt", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def grow(runtime: Runtime, run: int, size: int) -> None:
    """Fill the log up to *size* events."""
    have = int((await runtime.store.head())["size"])
    while have < size:
        count = min(2_000, size - have)
        await runtime.store.commit(Changes(run=run, events=(NOTE,) * count))
        have += count
    await runtime.store.head()


async def measure(folder: Path, sizes: list[int]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    tool = verifier()
    (folder / "k.pub").write_bytes(PUBLIC)
    trusted = tool.read_keys([str(folder / "k.pub")])
    async with aopen(f"sqlite:///{folder}/bench.db", script(folder, GOOD), environ={}) as opened:
        runtime = Runtime(context=replace(opened.context))
        (outcome,) = [each async for each in runtime.run(tiny_pack(), [TEXT])]
        call, context = outcome.calls[0].call, runtime.context
        run = await context.store.start_run("bench", {})
        for size in sizes:
            await grow(runtime, run, size)
            start = time.perf_counter()
            await make_checkpoint(context.store, context.record, KEYS, clock=context.clock)
            signed = time.perf_counter()
            for _ in range(10):
                document = await make_receipt(
                    context.store, context.record, KEYS, call, clock=context.clock
                )
            made = time.perf_counter()
            text = json.dumps(document)
            for _ in range(10):
                tool.check(text, trusted, {})
            checked = time.perf_counter()
            figures[f"log of {size:,} events"] = {
                "checkpoint_ms": (signed - start) * 1000,
                "receipt_ms": (made - signed) * 100,
                "check_ms": (checked - made) * 100,
                "receipt_kb": len(text) / 1000,
            }
        for form in ("jsonl", "csv", "parquet"):
            if form == "parquet" and importlib.util.find_spec("pyarrow") is None:
                continue
            start = time.perf_counter()
            out = folder / form
            await export(context.store, context.record, out, form=form, clock=context.clock)
            written = time.perf_counter()
            check_export(out)
            done = time.perf_counter()
            figures[f"export, {form}"] = {
                "per_s": sizes[-1] / (written - start),
                "checked_per_s": sizes[-1] / (done - written),
            }
        bodies = [event.body async for event in context.store.events()]
        start = time.perf_counter()
        for body in bodies:
            sha256(body).digest()
        figures["bare SHA-256 over the same events"] = {
            "per_s": len(bodies) / (time.perf_counter() - start)
        }
    return figures


def peer(folder: Path, count: int = 300) -> dict[str, float] | None:
    """Durable appends a second of pymerkle's tree in SQLite, where it is installed."""
    if importlib.util.find_spec("pymerkle") is None:
        return None
    from pymerkle import SqliteTree

    with SqliteTree(str(folder / "peer.db"), algorithm="sha256") as tree:
        start = time.perf_counter()
        for number in range(count):
            tree.append_entry(b"%d" % number + b"x" * 500)
        return {"per_s": count / (time.perf_counter() - start)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", default="1000,10000,100000", help="sizes of the log, growing")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sizes = [int(word) for word in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as name:
        figures = asyncio.run(measure(Path(name), sizes))
        appended = peer(Path(name))
        if appended is not None:
            figures["pymerkle, durable appends"] = appended
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures["peak memory of this process"] = {"mb": peak}
    if options.json:
        print(json.dumps(figures))
        return
    for title, values in figures.items():
        numbers = ", ".join(f"{key} {value:,.2f}" for key, value in values.items())
        print(f"{title:40} {numbers}")


if __name__ == "__main__":
    main()
