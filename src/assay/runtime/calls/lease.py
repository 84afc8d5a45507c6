"""Who is making a call, so that two processes do not ask the same thing at the same time.

In      the record of an open call
Out     the call as it stands once nobody else is at work on it
Effects reads the store, looks at processes of this machine, waits
Spec    interfaces.md, `assay run`: what is settled is not sent again

The owner of a call is named in its newest `call.opened` or `call.resumed` event, unless a
`call.left` of theirs follows. A process of this machine that is gone is seen at once; one of
another machine counts as gone when the call has had no event for longer than an exchange can last.
"""

from __future__ import annotations

import os
import socket
from datetime import datetime, timedelta
from pathlib import Path

from assay.core.json.canonical import digest
from assay.errors import CallTakenError
from assay.protocols import CallRow
from assay.runtime.calls.context import RuntimeContext
from assay.runtime.calls.departure import owner_after

POLL_S = 0.25
GRACE_S = 60.0


def this_process() -> str:
    """`HOST:PID:START`; the host as a digest, the start so that a reused number is told apart."""
    return f"{_host()}:{os.getpid()}:{_process_start(os.getpid())}"


async def await_owner(context: RuntimeContext, row: CallRow, attempts: int) -> CallRow:
    """The open call *row* once its owner has settled it, or is gone.

    Raises:
        CallTakenError: the owner is alive and still not done after the longest time that
            *attempts* exchanges may take.
    """
    longest = context.retry.max_total_s * attempts + GRACE_S
    waited = 0.0
    while row.status == "open" and await _is_owned(context, row):
        if waited > longest:
            raise CallTakenError(
                "another process is still making this call", hint="let it end, then run again"
            )
        await context.clock.sleep(POLL_S)
        waited += POLL_S
        row = await context.store.call(row.id)
    return row


async def _is_owned(context: RuntimeContext, row: CallRow) -> bool:
    owner, latest = "", ""
    async for event in context.store.events(call=row.id):
        owner = owner_after(owner, event.kind, event.facts.get("owner"))
        latest = event.at
    if owner in {"", context.owner}:
        return False
    host, _, rest = owner.partition(":")
    number, _, started = rest.partition(":")
    if host == _host():
        return _process_start(int(number)) == started
    silent = context.clock.now() - datetime.fromisoformat(latest)
    return silent < timedelta(seconds=context.retry.max_total_s + GRACE_S)


def _host() -> str:
    return digest(socket.gethostname()).removeprefix("sha256:")[:12]


def _process_start(number: int) -> str:
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
