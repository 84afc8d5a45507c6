"""What the README says the package weighs is what it weighs."""

from __future__ import annotations

import platform
import re
import sys

import pytest

from tests.conftest import ROOT
from tests.loading import load_tool
from tests.parts import absent

tool = load_tool("sizes")
README = (ROOT / "README.md").read_text(encoding="utf-8")
WEIGHTS = "weights-embedded.txt"


@pytest.fixture(scope="module")
def measured():
    """Of this environment; packages of other systems weigh something else."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        absent("sizes", "the table is of Linux on x86-64")
    try:
        return tool.measure()
    except tool.NotInstalledError as error:
        absent("sizes", f"{error} is not installed")


@pytest.mark.clause("007-D3")
def test_the_table_says_what_each_extra_weighs(measured):
    """Every extra has its row, and none is further off than the tolerance."""
    assert [] == tool.differences(measured, tool.stated(README))


@pytest.mark.clause("007-D3")
def test_a_row_that_is_wrong_or_missing_is_found():
    """An extra that grew, one that is new, and one that is gone."""
    real = {"": (200.0, 0.0), "grown": (90.0, 0.0), "new": (1.0, 0.0), "near": (20.0, 50.0)}
    said = {"": (205.0, 0.0), "grown": (60.0, 0.0), "gone": (1.0, 0.0), "near": (21.0, 49.0)}

    assert tool.differences(real, said) == [
        "gone: in one of the two alone",
        "grown: 60 MB stated, 90 measured",
        "new: in one of the two alone",
    ]


@pytest.mark.clause("007-D3")
def test_the_demo_needs_less_than_500_mb(measured):
    """And what the README says of it and of the whole is what the locks weigh."""
    demo = tool.measure_lock("demo.txt")
    whole = tool.measure_lock("dev.txt", WEIGHTS)
    more = tool.measure_lock("demo.txt", "embedded.txt", WEIGHTS) - demo
    (said,) = re.findall(r"`make demo` about (\d+) MB", README)
    (added,) = re.findall(r"another (\d+) MB", README)
    (all_of_it,) = re.findall(r"what the tests need \((\d\.\d) GB\)", README)

    assert demo < 500
    assert float(said) == pytest.approx(demo, rel=0.15)
    assert float(added) == pytest.approx(more, rel=0.15)
    assert float(all_of_it) * 1000 == pytest.approx(whole, rel=0.15)
