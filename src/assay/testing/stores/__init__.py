"""The promises of a store, each as a check that any implementation must pass.

In      StorePlace: opens stores, all of them on one and the same empty database
Out     STORE_CHECKS; a check that fails raises AssertionError
Effects those of the store
Spec    docs/decisions/0005, docs/decisions/0006

Example, with pytest::

    @pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
    def test_my_store(check, tmp_path):
        asyncio.run(check(MyPlace(tmp_path)))
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from assay.testing.stores import appending, ids, payloads, proofs, rows
from assay.testing.stores.samples import StorePlace, a_call, a_review, an_event

StoreCheck = Callable[[StorePlace], Awaitable[None]]

STORE_CHECKS: tuple[StoreCheck, ...] = (
    appending.runs_are_numbered_from_one,
    appending.events_are_chained_in_canonical_bytes,
    appending.events_are_found_by_run_call_and_kind,
    appending.a_run_must_be_started,
    appending.a_transaction_is_all_or_nothing,
    appending.a_change_needs_an_event,
    appending.what_cannot_be_stored_is_refused,
    appending.many_writers_chain_rightly,
    payloads.payloads_come_back_byte_for_byte,
    payloads.sealed_payloads_need_their_key,
    payloads.a_key_may_come_later,
    rows.calls_are_put_and_found,
    rows.a_call_is_made_once,
    rows.a_call_is_gone_on_with_by_one,
    rows.what_cannot_be_stored_is_not_there,
    rows.times_come_back_in_utc,
    rows.a_review_is_decided_once,
    rows.a_withdrawn_review_is_not_decided,
    ids.ids_are_found_by_their_beginnings,
    ids.ids_are_shortened_while_they_differ,
    proofs.a_head_anchors_what_came_before,
    proofs.another_head_does_not_fit,
    proofs.a_record_is_verified_while_it_grows,
    proofs.proofs_hold,
    payloads.an_erasure_takes_one_subject,
    payloads.an_erasure_takes_sealed_payloads,
    payloads.old_payloads_expire_by_kind,
    appending.a_cancelled_commit_is_whole_or_absent,
    appending.a_store_opens_again,
    appending.a_closed_store_says_so,
)
"""Every promise; a name is what it says."""

__all__ = ["STORE_CHECKS", "StoreCheck", "StorePlace", "a_call", "a_review", "an_event"]
