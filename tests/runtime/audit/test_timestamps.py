"""Time-stamps on checkpoints, against an authority on the loopback."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assay.errors import ExecutionError, InputError, IntegrityError
from assay.record.keys import key_files
from assay.runtime.audit.checkpoints import AuditKeys, make_checkpoint, verify_record
from assay.runtime.audit.timestamps import check_stamp, stamp
from assay.wiring.auditing import stamp_check, stamper_at
from tests.parts import require_part
from tests.runtime.audit.authority import Authority, authority, serving
from tests.runtime.tiny import opened

require_part("timestamps", "rfc3161_client")
NOTE = b"log\n1\nAAAA\n\n"
KEYS = AuditKeys(signing=key_files(b"k" * 32)[0])


@pytest.fixture(scope="module")
def tsa(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("tsa") / "a")


@pytest.fixture(scope="module")
def token(tsa: Authority) -> bytes:
    """A response over NOTE."""

    async def send(query: bytes) -> bytes:
        return tsa.reply(query)

    return asyncio.run(stamp(NOTE, send))


def test_a_stamp_says_when_the_note_was_seen(tsa: Authority, token: bytes) -> None:
    """Checked against the authority's root; the time is the authority's."""
    made = check_stamp(NOTE, token, tsa.roots.read_bytes())

    assert abs(datetime.now(UTC) - made) < timedelta(hours=1)


def test_a_stamp_of_something_else_does_not_hold(
    tsa: Authority, token: bytes, tmp_path: Path
) -> None:
    """Another note, changed bytes, another authority, no certificate."""
    roots = tsa.roots.read_bytes()
    with pytest.raises(IntegrityError):
        check_stamp(NOTE + b"x", token, roots)
    for at in range(0, len(token), 41):
        changed = token[:at] + bytes([token[at] ^ 1]) + token[at + 1 :]
        with pytest.raises(IntegrityError):
            check_stamp(NOTE, changed, roots)
    for stop in (0, 1, len(token) // 2, len(token) - 1):
        with pytest.raises(IntegrityError):
            check_stamp(NOTE, token[:stop], roots)
    with pytest.raises(IntegrityError):
        check_stamp(NOTE, token, authority(tmp_path / "b", "Other").roots.read_bytes())
    for wrong in (b"", b"no certificate", (tsa.folder / "leaf.pem").read_bytes()):
        with pytest.raises(InputError):
            check_stamp(NOTE, token, wrong)


def test_an_answer_that_is_no_stamp_is_refused(tsa: Authority, token: bytes) -> None:
    """Junk, or a stamp for another request: told as a dependency that failed."""
    for answer in (b"", b"junk", token):

        async def send(query: bytes, answer: bytes = answer) -> bytes:
            return answer

        with pytest.raises(ExecutionError):
            asyncio.run(stamp(NOTE, send))


def test_a_checkpoint_is_stamped_kept_and_checked(tsa: Authority, tmp_path: Path) -> None:
    """From the authority's address to the verification of the whole record."""

    async def run(address: str) -> Any:
        async with opened(tmp_path) as runtime:
            store, proofs, clock = runtime.store, runtime.context.record, runtime.context.clock
            await store.start_run("test", {})
            made = await make_checkpoint(
                store, proofs, KEYS, clock=clock, stamper=stamper_at(address)
            )
            found = []
            other = authority(tmp_path / "other", "Other")
            for roots in (None, tsa.roots, other.roots):
                check = None if roots is None else stamp_check(str(roots))
                verified = await verify_record(store, proofs, KEYS, stamp_check=check)
                found.append(
                    (verified.report.status, verified.timestamps, verified.timestamps_verified)
                )
            return made, found

    with serving(tsa) as address:
        made, found = asyncio.run(run(address))
    assert made.to_dict()["timestamp"]
    assert [("unanchored", 1, 0), ("unanchored", 1, 1), ("broken", 1, 0)] == found


def test_an_authority_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    """No stamp, no checkpoint: asking again later does it whole."""

    async def run(address: str) -> None:
        async with opened(tmp_path) as runtime:
            store, proofs, clock = runtime.store, runtime.context.record, runtime.context.clock
            await store.start_run("test", {})
            with pytest.raises(ExecutionError):
                await make_checkpoint(store, proofs, KEYS, clock=clock, stamper=stamper_at(address))
            assert [] == await proofs.checkpoints()
            with pytest.raises(InputError, match="signed"):
                await make_checkpoint(
                    store, proofs, AuditKeys(), clock=clock, stamper=stamper_at(address)
                )

    for answer in (None, b"junk", b"x" * (2 << 20)):
        with serving(answer) as address:
            asyncio.run(run(address))
    asyncio.run(run("http://127.0.0.1:9/"))
