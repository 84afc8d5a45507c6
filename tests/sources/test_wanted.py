"""What of a folder is worth reading is told by names."""

from __future__ import annotations

import pytest

from assay.sources.document import SUFFIXES
from assay.sources.wanted import SKIPPED_FOLDERS, UNREAD_SUFFIXES, is_wanted

pytestmark = pytest.mark.clause("008-S6")


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        (True, "rules.md"),
        (True, "admin.js"),
        (True, "package.json"),
        (True, "minutes.min.md"),
        (True, "locker.py"),
        (False, "jquery.min.js"),
        (False, "app.js.map"),
        (False, "package-lock.json"),
        (False, "pnpm-lock.yaml"),
        (False, "docs/poetry.lock"),
        (False, "~$budget.xlsx"),
    ],
)
def test_what_programs_wrote_is_not_wanted(wanted, name):
    """Lock files and minified scripts crowd out what people wrote."""
    assert wanted is is_wanted(name)


def test_documents_that_cannot_be_read_are_known_by_name():
    """Each says what to do instead; none is among those that can be read."""
    assert not set(UNREAD_SUFFIXES) & SUFFIXES
    assert all(
        reason.startswith("is ") and "\n" not in reason for reason in UNREAD_SUFFIXES.values()
    )


def test_folders_of_installed_packages_are_skipped():
    """Their readme files are not the documents of whoever installed them."""
    assert {"node_modules", "__pycache__", "site-packages"} <= SKIPPED_FOLDERS
