"""What all tests of pages look through."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def browser():
    """A real Chromium for the tests of one file."""
    from tests.server.pages.browser import browsing  # skips aloud where there is none

    with browsing() as found:
        yield found
