"""Who is making a call, so that two processes do not ask the same thing at the same time.

In      the record of an open call
Out     the call as it stands once nobody else is at work on it
Effects reads the store, looks at processes of this machine, waits
Spec    interfaces.md, `assay run`: what is settled is not sent again

The owner of a call is named in its newest `call.opened` or `call.resumed` event. A process of
this machine that is gone is seen at once; one of another machine counts as gone when the call
has had no event for longer than an exchange can last.
"""

from __future__ import annotations

import os
import socket
from datetime import datetime, timedelta
from pathlib import Path

from assay.core.canonical import digest
from assay.errors import CallTakenError
from assay.protocols import CallRow
from assay.runtime.bench import Workbench

POLL_S = 0.25
GRACE_S = 60.0


def this_process() -> str:
    """`HOST:PID:START`; the host as a digest, the start so that a reused number is told apart."""
    return f"{_host()}:{os.getpid()}:{_started(os.getpid())}"


async def undisturbed(bench: Workbench, row: CallRow, attempts: int) -> CallRow:
    """The open call *row* once its owner has settled it, or is gone.

    Raises:
        CallTakenError: the owner is alive and still not done after the longest time that
            *attempts* exchanges may take.
    """
    longest = bench.retry.max_total_s * attempts + GRACE_S
    waited = 0.0
    while row.status == "open" and await _owned(bench, row):
        if waited > longest:
            raise CallTakenError(
                "another process is still making this call", hint="let it end, then run again"
            )
        await bench.clock.sleep(POLL_S)
        waited += POLL_S
        row = await bench.store.call(row.id)
    return row


async def _owned(bench: Workbench, row: CallRow) -> bool:
    owner, latest = "", ""
    async for event in bench.store.events(call=row.id):
        owner = str(event.facts.get("owner", owner))
        latest = event.at
    if owner in {"", bench.owner}:
        return False
    host, _, rest = owner.partition(":")
    number, _, started = rest.partition(":")
    if host == _host():
        return _started(int(number)) == started
    silent = bench.clock.now() - datetime.fromisoformat(latest)
    return silent < timedelta(seconds=bench.retry.max_total_s + GRACE_S)


def _host() -> str:
    return digest(socket.gethostname()).removeprefix("sha256:")[:12]


def _started(number: int) -> str:
    """When process *number* started, as the system tells it; empty when there is none."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    try:
        fields = Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2]
    except OSError:
        return "0"  # a system without /proc: the number alone has to do
    state, ticks = fields.split()[0], fields.split()[19]
    return "" if state == "Z" else ticks
