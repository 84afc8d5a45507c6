"""`/metrics` while the database is gone: who scrapes is still known, and told what is known."""

from __future__ import annotations

import time
from contextlib import ExitStack

import pytest

from tests import postgres
from tests.server.serving import error_of, serving


@pytest.mark.clause("009-B2")
def test_figures_are_told_while_the_database_is_gone(tmp_path):
    """To who was seen before and has the permission; no route beside it, and nobody new."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(postgres.running(own=True))
        except postgres.NoServer as reason:
            reason.end_test()
        url = stack.enter_context(server.database())
        service = stack.enter_context(serving(tmp_path, store=url))
        scraper = service.as_role("viewer")
        before = scraper.get("/metrics")
        server.stop()
        time.sleep(5.1)  # so long the service remembers who stands behind a key
        try:
            during = scraper.get("/metrics")
            others = [scraper.get("/v1/calls"), service.as_role("admin").get("/metrics")]
        finally:
            server.start()

    assert (200, 200) == (before.status_code, during.status_code)
    assert "assay_reviews_open 0.0" in before.text
    assert "assay_reviews_open NaN" in during.text
    assert "assay_requests_total" in during.text
    assert [(503, "store.unavailable")] * 2 == [error_of(each) for each in others]
