"""Write the receipt of a settled call.

In      a store with its proofs, keys, the id of a call
Out     the receipt as a document
Effects store reads; a new checkpoint where none covers the call yet
Spec    docs/explanation/record.md, "Receipts"
"""

from __future__ import annotations

from typing import Any

from assay.errors import InputError, IntegrityError
from assay.protocols import Clock, Erased, Proofs, Store
from assay.record.checkpoint import Checkpoint
from assay.record.checkpoint import verify as verify_note
from assay.record.event import StoredEvent
from assay.record.receipt import SHOWN, Entry, Opened, Placed, receipt
from assay.runtime.audit.checkpoints import AuditKeys, make_checkpoint


async def make_receipt(
    store: Store, proofs: Proofs, keys: AuditKeys, call_id: str, *, clock: Clock
) -> dict[str, Any]:
    """The receipt of call *call_id*; unsigned, and saying so, when there is no key.

    Raises:
        NotFoundError: there is no such call.
        InputError: the call is not settled yet.
        UsageError: payloads are encrypted and no master key is configured.
        IntegrityError: what is recorded of the call does not hold.
    """
    row = await store.call(call_id)
    if row.status != "settled":
        raise InputError(f"call {call_id!r} is not settled yet", hint="run it to its end first")
    events = [event async for event in store.events(call=call_id)]
    opened: list[dict[str, Opened]] = []
    erasures: dict[int, StoredEvent] = {}
    for event in events:
        opened.append(await _open(proofs, event, erasures))
    await store.head()  # gives every event its place
    places = [await proofs.prove(seq) for seq in (*(e.seq for e in events), *erasures)]
    note = await _covering_checkpoint(
        store, proofs, keys, max(int(p["index"]) for p in places), clock
    )
    size = int(note.split("\n")[1])
    entries = [
        Entry(placed=await _placed_events(proofs, event, size), payloads=payloads)
        for event, payloads in zip(events, opened, strict=True)
    ]
    run = await _first_event(store, row.run)
    gone = [await _placed_events(proofs, event, size) for event in erasures.values()]
    return receipt(await _placed_events(proofs, run, size), entries, gone, note)


async def _first_event(store: Store, run: int) -> StoredEvent:
    async for event in store.events(run=run):
        return event
    raise IntegrityError(f"run {run} has no events", hint="run `assay audit verify`")


async def _open(
    proofs: Proofs, event: StoredEvent, erasures: dict[int, StoredEvent]
) -> dict[str, Opened]:
    """What a receipt shows of the payloads of *event*; adds to *erasures* what vouches."""
    payloads = {}
    for name in SHOWN.get(event.kind, ()):
        if name not in event.commitments:
            continue
        found = await proofs.opening(event.seq, name)
        if isinstance(found, Erased):
            if found.by not in erasures:
                erasures[found.by] = await proofs.event(found.by)
            position = list(erasures).index(found.by)
            payloads[name] = Opened(salt=None, content=None, erased_by=position)
        else:
            try:
                content = found.content.decode("utf-8")
            except UnicodeDecodeError as error:
                raise IntegrityError(f"payload {name!r} of event {event.seq} is no text") from error
            payloads[name] = Opened(salt=found.salt.hex(), content=content)
    return payloads


async def _covering_checkpoint(
    store: Store, proofs: Proofs, keys: AuditKeys, last: int, clock: Clock
) -> str:
    """A checkpoint that covers entry *last*: the newest that was kept, else a new one."""
    origin = await proofs.origin()
    if origin is not None and (signers := keys.signers(origin)):
        verifiers = [signer.verifier for signer in signers]
        for row in reversed(await proofs.checkpoints()):
            if row.size <= last or await proofs.root(row.size) is None:
                continue
            try:
                checkpoint, vouching = verify_note(row.note, verifiers, origin=origin)
            except (InputError, IntegrityError):
                continue
            if len(vouching) == len(verifiers) and checkpoint.root == await proofs.root(row.size):
                return row.note
            break
    made = await make_checkpoint(store, proofs, keys, clock=clock)
    if made.note is not None:
        return made.note
    root = bytes.fromhex(made.root.partition(":")[2])
    return Checkpoint(origin=made.origin or "assay", size=made.size, root=root).body + "\n"


async def _placed_events(proofs: Proofs, event: StoredEvent, size: int) -> Placed:
    proof = await proofs.prove(event.seq, size)
    return Placed(
        body=event.body.decode("utf-8"),
        index=int(proof["index"]),
        proof=tuple(part.hex() for part in proof["proof"]),
    )
