"""Every pack that comes with the package is locked and verifies."""

from __future__ import annotations

import pytest

from assay.adapters.folders import bundled_packs, read_pack_folder
from assay.pack.verify import verify_pack


def test_the_intake_pack_is_bundled():
    """At least the main job's pack; the list cannot come out empty."""
    assert "intake" in bundled_packs()


@pytest.mark.parametrize("name", bundled_packs())
def test_a_bundled_pack_is_locked_and_holds(name):
    """Digests, schemas, templates, rules, stages and golden cases."""
    files, hint = read_pack_folder(name)
    found = verify_pack(files, name_hint=hint, lock_required=True)

    assert [] == [str(fault) for fault in found.faults]
    assert found.golden > 0


@pytest.mark.parametrize("name", bundled_packs())
def test_a_bundled_pack_holds_data_only(name):
    """No Python in it: what it says is data, and any text editor can change it."""
    files, _ = read_pack_folder(name)

    assert [] == [file for file in files if file.endswith((".py", ".pyc", ".so", ".sh"))]
